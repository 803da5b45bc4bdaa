import { printable, printableValue } from '../text/printable.js';
import type { FieldReader } from './field-reader.js';
import type { UnknownRecord } from './unknown-record.js';

/** Annotations that this project reads; others are not kept. */
const ANNOTATION_PREFIX = 'kube-proxier.io/';

type Annotations = Readonly<Record<string, string>>;

/** Most objects have none, and share this value. */
export const NO_ANNOTATIONS: Annotations = {};

/**
 * The annotations of an object that this project reads, sorted. A value that is not a string is omitted and reported:
 * the API server rejects it, but in YAML files, unquoted `true` and `5` are not strings.
 *
 * @param others further names to read, which do not have the prefix of this project.
 */
export function readAnnotations(
  reader: FieldReader,
  record: UnknownRecord | undefined,
  others: readonly string[] = [],
): Annotations {
  if (!record) {
    return NO_ANNOTATIONS;
  }
  let own: [string, string][] | undefined;
  for (const name of Object.keys(record)) {
    const text = record[name];
    if (!name.startsWith(ANNOTATION_PREFIX) && !others.includes(name)) {
      continue;
    }
    if (typeof text === 'string') {
      own ??= [];
      own.push([name, text]);
    } else if (text !== undefined && text !== null) {
      reader.ignoreField(
        `metadata.annotations["${printable(name)}"]`,
        `${printableValue(text)} is not text; put it in quotes`,
      );
    }
  }
  return own === undefined ? NO_ANNOTATIONS : Object.fromEntries(own.sort(([a], [b]) => (a < b ? -1 : 1)));
}
