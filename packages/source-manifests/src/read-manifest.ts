import {
  assertNever,
  type EndpointSliceReadOptions,
  isRecord,
  messageOf,
  type ObjectProblem,
  printable,
  type ReadResult,
  readEndpointSlice,
  readNode,
  readService,
  readServiceCIDR,
  SERVICE_NAME_LABEL,
  serviceKey,
  type UnknownRecord,
} from '@kube-proxier/core';
import { Composer, type Document, LineCounter, Parser, type YAMLError } from 'yaml';
import { type BlockDocument, parseBlockYaml } from './block-yaml.js';
import { convertEndpoints, SKIP_MIRROR_LABEL } from './convert-endpoints.js';
import { type FieldPath, type Position, parseFieldPath, positionOf } from './field-position.js';
import type { ManifestObject } from './manifest-object.js';
import type { ManifestProblem } from './manifest-problem.js';
import { isTooDeep, measureJson, splitDocuments, withoutLeadingComments, type YamlText } from './manifest-text.js';
import { withBooleanConditions } from './yaml-booleans.js';

/** The content of one manifest file. */
export interface Manifest {
  /** The objects that a proxy reads, in the order of the file. */
  readonly objects: readonly ManifestObject[];
  /** All problems. With an `error` among them, `objects` lacks some, and is used only if nothing else is known of the file. */
  readonly problems: readonly ManifestProblem[];
  /** Skipped objects: `Deployment work/web (kind is none of ours)`. */
  readonly ignored: readonly string[];
  /** Parsing took too long, which may be due to the load of the host: it should be retried later. */
  readonly timedOut?: boolean;
}

/** A file that is not used, with the reason. */
export function refusedManifest(file: string, reason: string, timedOut = false): Manifest {
  const place = { file, line: 0, column: 0, object: '', field: '' };
  const problem: ManifestProblem = { ...place, message: `cannot be read: ${printable(reason)}`, severity: 'error' };
  return { objects: [], problems: [problem], ignored: [], ...(timedOut ? { timedOut } : {}) };
}

/** Maximum number of problems of one file that are reported individually. */
const MAX_PROBLEMS = 20;
/** Maximum number of aliases in a document: enough for anchors by hand, too few for "a billion laughs". */
const MAX_ALIASES = 1000;
/** Maximum depth of nested lists. */
const MAX_LIST_DEPTH = 4;
/** Maximum nesting depth of JSON; Kubernetes objects have about 30. */
const MAX_JSON_DEPTH = 100;
/** Values of one JSON file. A Service has about 40, and each takes memory. */
const MAX_JSON_VALUES = 3_000_000;
/** Characters of a small document: its problems are reported with their positions. */
const SMALL = 64 * 1024;
/** Maximum number of characters of a document for the YAML parser, which takes fifty times as many bytes. */
const MAX_PARSED = 1024 * 1024;

const START: Position = { line: 1, column: 1 };

type Family = 'Service' | 'Endpoints' | 'EndpointSlice' | 'Node' | 'ServiceCIDR';

const GROUPS: Readonly<Record<Family, { readonly group: string; readonly versions: readonly string[] }>> = {
  Service: { group: '', versions: ['v1'] },
  Endpoints: { group: '', versions: ['v1'] },
  Node: { group: '', versions: ['v1'] },
  EndpointSlice: { group: 'discovery.k8s.io', versions: ['v1'] },
  ServiceCIDR: { group: 'networking.k8s.io', versions: ['v1', 'v1beta1'] },
};

/**
 * Reads one file of Kubernetes objects: YAML with any number of documents, or JSON; single objects, `List` and typed
 * lists. Pure, and never throws: every error is reported as a problem with its position in the file.
 *
 * @param file path for messages.
 * @param options exceptions from the rules of the API server. Default: none.
 */
export function readManifest(file: string, text: string, options: EndpointSliceReadOptions = {}): Manifest {
  const reader = new ManifestReader(file, text, options);
  try {
    reader.read();
  } catch (error) {
    // For nesting that is too deep, the YAML parser fails with a stack overflow.
    const reason = error instanceof RangeError ? 'it is nested too deeply' : messageOf(error);
    reader.wholeFile(`cannot be read: ${printable(reason)}`);
  }
  return reader.result();
}

/** The content of a file of this size. */
export function textOf(bytes: Uint8Array<ArrayBuffer>): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8');
}

class ManifestReader {
  readonly #objects: ManifestObject[] = [];
  readonly #problems: ManifestProblem[] = [];
  readonly #ignored: string[] = [];
  #suppressed = 0;
  /** The position of a value. May be expensive: only for problems. */
  #locate: (path: FieldPath) => Position = () => START;
  /** The position of an object. Cheap. */
  #placeOf: (path: FieldPath, value: unknown) => Position = () => START;

  constructor(
    private readonly file: string,
    private readonly text: string,
    private readonly options: EndpointSliceReadOptions,
  ) {}

  read(): void {
    const { text } = this;
    const isJson = this.file.endsWith('.json');
    const small = text.length <= SMALL;
    // Other files may contain JSON as well; it is parsed as YAML when it is small.
    if ((isJson || (!small && /^\s*[[{]/.test(text))) && this.#readJson(isJson, small)) {
      return;
    }
    for (const document of splitDocuments(text)) {
      this.#readYaml(document);
    }
  }

  /** @returns false when it is to be parsed as YAML. */
  #readJson(isJson: boolean, small: boolean): boolean {
    const { depth, values } = measureJson(this.text, MAX_JSON_DEPTH);
    if (depth > MAX_JSON_DEPTH || values > MAX_JSON_VALUES) {
      this.wholeFile(
        depth > MAX_JSON_DEPTH
          ? `is nested too deeply: more than ${MAX_JSON_DEPTH} objects and lists inside of each other`
          : `has ${values} values, more than the ${MAX_JSON_VALUES} that are read; split it`,
      );
      return true;
    }
    let json: unknown;
    try {
      json = JSON.parse(this.text);
    } catch (error) {
      if (isJson && !small) {
        this.wholeFile(`is not valid JSON: ${printable(messageOf(error))}`);
      }
      // The YAML parser, which supports JSON too, reports the position.
      return isJson && !small;
    }
    // Positions in JSON are needed only for problems, and cost a second parse.
    let parsed: { readonly document: Document | undefined; readonly lines: LineCounter } | undefined;
    this.#locate = (path) => {
      if (!small) {
        return START;
      }
      parsed ??= parseFirst(this.text);
      return parsed.document ? positionOf(parsed.document, path, parsed.lines) : START;
    };
    this.#placeOf = () => START;
    this.#readDocument(json);
    return true;
  }

  #readYaml(document: YamlText): void {
    const block = document.marked ? undefined : parseBlockYaml(document.text, document.line);
    if (block) {
      this.#readBlockDocument(document, block);
      return;
    }
    const { text, line } = document.text.length <= SMALL ? document : withoutLeadingComments(document);
    const deep = isTooDeep(text);
    if (deep || text.length > SMALL) {
      const kind = kindOfLarge(text);
      if (kind !== undefined && !isOfUse(kind)) {
        this.#ignored.push(`${printable(kind)} in line ${line}: objects of kind ${printable(kind)} are not used`);
        return;
      }
    }
    if (deep || text.length > MAX_PARSED) {
      const message = deep
        ? 'is nested too deeply; write it in plain block style or as JSON'
        : `the document has ${text.length} characters, more than the ${MAX_PARSED} that are read of what is not plain block style; split it, or write it as JSON`;
      this.#note({ line, column: 1, object: '', field: '', message, severity: 'error' });
      return;
    }
    const lines = new LineCounter();
    const moved = (position: Position) => ({ line: position.line + line - 1, column: position.column });
    // One document at a time: the nodes of a large file take twenty times its size.
    for (const parsed of parseDocuments(text, lines)) {
      this.#locate = (path) => moved(positionOf(parsed, path, lines));
      this.#placeOf = this.#locate;
      if (parsed.errors.length > 0) {
        for (const error of parsed.errors) {
          this.#syntaxError(error, (offset) => {
            const { line: at, col } = lines.linePos(offset);
            return moved({ line: Math.max(at, 1), column: Math.max(col, 1) });
          });
        }
        continue;
      }
      let value: unknown;
      try {
        value = parsed.toJS({ maxAliasCount: MAX_ALIASES });
      } catch (error) {
        this.#problem('', '', [], printable(messageOf(error)));
        continue;
      }
      if (value !== null && value !== undefined) {
        this.#readDocument(value);
      }
    }
  }

  #readBlockDocument({ text, line }: YamlText, { value, positionOf: placeOf }: BlockDocument): void {
    if (value === null) {
      return;
    }
    let parsed: { readonly document: Document | undefined; readonly lines: LineCounter } | undefined;
    this.#locate = (path) => {
      if (text.length > SMALL) {
        return innermost(value, path, placeOf) ?? { line, column: 1 };
      }
      parsed ??= parseFirst(text);
      const position = parsed.document ? positionOf(parsed.document, path, parsed.lines) : START;
      return { line: position.line + line - 1, column: position.column };
    };
    this.#placeOf = (path, object) => placeOf(object) ?? this.#locate(path);
    this.#readDocument(value);
  }

  wholeFile(message: string): void {
    this.#problems.push({ file: this.file, line: 0, column: 0, object: '', field: '', message, severity: 'error' });
  }

  result(): Manifest {
    if (this.#suppressed > 0) {
      this.wholeFile(`and ${this.#suppressed} more problems in this file`);
    }
    return { objects: this.#objects, problems: this.#problems, ignored: this.#ignored };
  }

  #readDocument(value: unknown): void {
    this.#readObject(value, [], undefined, 0);
  }

  #readObject(value: unknown, path: FieldPath, implied: UnknownRecord | undefined, depth: number): void {
    if (!isRecord(value)) {
      this.#problem('', '', path, 'is not a Kubernetes object: expected a mapping with apiVersion, kind and metadata');
      return;
    }
    const kind = value.kind ?? implied?.kind;
    const apiVersion = value.apiVersion ?? implied?.apiVersion;
    if (typeof kind !== 'string' || kind === '' || typeof apiVersion !== 'string' || apiVersion === '') {
      const missing = typeof kind !== 'string' || kind === '' ? 'kind' : 'apiVersion';
      this.#problem('', missing, [...path, missing], 'is missing or not a text; write for example "kind: Service"');
      return;
    }
    if (kind === 'List' || (kind.endsWith('List') && value.items !== undefined)) {
      this.#readList(value, kind, apiVersion, path, depth);
      return;
    }
    const family = familyOf(kind, apiVersion);
    if (!family) {
      const meant = Object.keys(GROUPS).find((name) => isSlipOf(name, kind));
      if (meant !== undefined) {
        const message = `objects of kind ${printable(kind)} are not used; is ${meant} meant?`;
        this.#problem(`${printable(kind)} ${nameOf(value)}`, 'kind', [...path, 'kind'], message, 'warning');
        return;
      }
      this.#ignored.push(`${printable(kind)} ${nameOf(value)}: objects of kind ${printable(kind)} are not used`);
      return;
    }
    const { group, versions } = GROUPS[family];
    if (!versions.includes(apiVersion.slice(group === '' ? 0 : group.length + 1))) {
      const wanted = versions.map((version) => (group === '' ? version : `${group}/${version}`)).join(' or ');
      const message = `${printable(apiVersion)} is not a version of ${family} that is read; write ${wanted}`;
      this.#problem(`${family} ${nameOf(value)}`, 'apiVersion', [...path, 'apiVersion'], message);
      return;
    }
    this.#readFamily(family, { ...value, apiVersion, kind }, path, this.#placeOf(path, value));
  }

  #readList(value: UnknownRecord, kind: string, apiVersion: string, path: FieldPath, depth: number): void {
    const { items } = value;
    if (items === undefined || items === null) {
      return;
    }
    if (!Array.isArray(items) || depth >= MAX_LIST_DEPTH) {
      const message = Array.isArray(items) ? 'is a list in a list in a list, too deep' : 'is not a list';
      this.#problem(printable(kind), 'items', [...path, 'items'], message);
      return;
    }
    // The API server omits kind and apiVersion in the items of a typed list.
    const implied = kind === 'List' ? undefined : { kind: kind.slice(0, -'List'.length), apiVersion };
    if (implied && !familyOf(implied.kind, apiVersion)) {
      this.#ignored.push(`${printable(kind)}: objects of kind ${printable(implied.kind)} are not used`);
      return;
    }
    for (const [index, item] of items.entries()) {
      this.#readObject(item, [...path, 'items', index], implied, depth + 1);
    }
  }

  #readFamily(family: Family, raw: UnknownRecord, path: FieldPath, position: Position): void {
    const value = trim(raw, family !== 'Node' && family !== 'ServiceCIDR');
    switch (family) {
      case 'Service': {
        const result = this.#check(readService(value), path);
        if (result) {
          this.#adviseOnService(value, result, path);
          this.#objects.push({ key: `Service ${identityOf(result)}`, kind: family, value, ...position });
        }
        return;
      }
      case 'EndpointSlice':
        this.#readSlice(withBooleanConditions(value), path, position);
        return;
      case 'Endpoints':
        this.#readEndpoints(value, path, position);
        return;
      case 'Node': {
        const result = this.#check(readNode(value), path);
        if (result) {
          this.#objects.push({ key: `Node ${identityOf(result)}`, kind: family, value, ...position });
        }
        return;
      }
      case 'ServiceCIDR': {
        const result = this.#check(readServiceCIDR(value), path);
        if (result) {
          const cidrs = result.definition?.cidrs ?? [];
          this.#objects.push({ key: `ServiceCIDR ${identityOf(result)}`, kind: family, value, cidrs, ...position });
        }
        return;
      }
      default:
        assertNever(family);
    }
  }

  #readSlice(
    value: UnknownRecord,
    path: FieldPath,
    position: Position,
    converted?: { readonly from: string; readonly originOf: (field: string) => string },
  ): void {
    const result = this.#check(readEndpointSlice(value, this.options), path, converted);
    if (!result) {
      return;
    }
    const labels = isRecord(value.metadata) && isRecord(value.metadata.labels) ? value.metadata.labels : {};
    const service = labels[SERVICE_NAME_LABEL];
    this.#objects.push({
      key: `EndpointSlice ${identityOf(result)}`,
      kind: 'EndpointSlice',
      value,
      service:
        typeof service === 'string'
          ? serviceKey({ namespace: result.identity?.namespace ?? '', name: service })
          : undefined,
      converted: converted !== undefined,
      ...position,
    });
    if (result.skipped !== undefined && service === undefined) {
      this.#advise(`EndpointSlice ${identityOf(result)}`, 'metadata.labels', path, `${result.skipped}; it is not used`);
    }
  }

  #readEndpoints(value: UnknownRecord, path: FieldPath, position: Position): void {
    const who = `Endpoints ${nameOf(value)}`;
    if (
      isRecord(value.metadata) &&
      isRecord(value.metadata.labels) &&
      value.metadata.labels[SKIP_MIRROR_LABEL] === 'true'
    ) {
      this.#ignored.push(`${who}: it has the label ${SKIP_MIRROR_LABEL}`);
      return;
    }
    if (!isRecord(value.metadata) || typeof value.metadata.name !== 'string') {
      this.#problem(who, 'metadata.name', [...path, 'metadata', 'name'], 'is missing; an object needs a name');
      return;
    }
    const { slices, problems } = convertEndpoints(value);
    for (const { field, message } of problems) {
      this.#problem(who, field, [...path, ...parseFieldPath(field)], message);
    }
    for (const { slice, originOf } of slices) {
      this.#readSlice(slice as UnknownRecord, path, position, { from: who, originOf });
    }
  }

  /** Records the problems of an object; undefined when it cannot be used. */
  #check<Definition>(
    result: ReadResult<Definition>,
    path: FieldPath,
    converted?: { readonly from: string; readonly originOf: (field: string) => string },
  ): ReadResult<Definition> | undefined {
    for (const problem of result.problems) {
      const field = converted ? converted.originOf(problem.field) : problem.field;
      const namespace = problem.namespace === '' ? '' : `${problem.namespace}/`;
      const who = converted?.from ?? `${problem.kind} ${namespace}${problem.name}`;
      const severity = isAdvice(problem) ? 'warning' : 'error';
      this.#problem(who, field, [...path, ...parseFieldPath(field)], problem.message, severity);
    }
    return result.identity && (result.definition !== undefined || result.skipped !== undefined) ? result : undefined;
  }

  /** No API server allocates cluster IPs for manifests, so a missing one is most likely an omission. */
  #adviseOnService(value: UnknownRecord, result: ReadResult<unknown>, path: FieldPath): void {
    const spec = isRecord(value.spec) ? value.spec : {};
    const addressless = !spec.clusterIP && !spec.clusterIPs && spec.type !== 'ExternalName';
    if (result.skipped !== undefined && addressless) {
      const message = `${result.skipped}, so nothing can reach it; manifests have to give one in spec.clusterIP`;
      this.#advise(`Service ${identityOf(result)}`, 'spec.clusterIP', [...path, 'spec', 'clusterIP'], message);
    }
  }

  #syntaxError(error: YAMLError, place: (offset: number) => Position): void {
    const position = place(error.pos[0]);
    this.#note({ ...position, object: '', field: '', message: printable(error.message), severity: 'error' });
  }

  #advise(object: string, field: string, path: FieldPath, message: string): void {
    this.#problem(object, field, path, message, 'warning');
  }

  #problem(
    object: string,
    field: string,
    path: FieldPath,
    message: string,
    severity: ManifestProblem['severity'] = 'error',
  ): void {
    // The position is not determined when it is not reported.
    const place = this.#problems.length < MAX_PROBLEMS ? this.#locate(path) : START;
    this.#note({ ...place, object, field: printable(field), message, severity });
  }

  #note(problem: Omit<ManifestProblem, 'file'>): void {
    if (this.#problems.length >= MAX_PROBLEMS) {
      this.#suppressed += problem.severity === 'error' ? 1 : 0;
      return;
    }
    this.#problems.push({ file: this.file, ...problem });
  }
}

/**
 * Valid in Kubernetes, but of no use here: a slice port without a number means "all ports", and a health check port is
 * allocated by an API server.
 */
function isAdvice(problem: ObjectProblem): boolean {
  if (problem.ignored === 'object' || !problem.message.startsWith('is missing')) {
    return false;
  }
  return problem.field === 'spec.healthCheckNodePort' || problem.kind === 'EndpointSlice';
}

/** Position of the innermost mapping along `path`. */
function innermost(root: unknown, path: FieldPath, placeOf: BlockDocument['positionOf']): Position | undefined {
  let value = root;
  let best = placeOf(root);
  for (const step of path) {
    value = typeof value === 'object' && value !== null ? (value as Record<string | number, unknown>)[step] : undefined;
    best = placeOf(value) ?? best;
  }
  return best;
}

/** The only kind in a large document in block style, without parsing it; undefined when uncertain. */
function kindOfLarge(text: string): string | undefined {
  const [first, second] = text.matchAll(/^kind:[ ]+(["']?)(\w+)\1[ ]*\r?$/gm);
  return second === undefined ? first?.[2] : undefined;
}

/** Whether to read objects of a kind, or a list of that kind: they are used, or a mistake must be reported. */
function isOfUse(kind: string): boolean {
  return kind.endsWith('List') || Object.keys(GROUPS).some((name) => name === kind || isSlipOf(name, kind));
}

function parseDocuments(text: string, lines: LineCounter): Iterable<Document> {
  const parser = new Parser(lines.addNewLine);
  return new Composer({ merge: true, prettyErrors: false }).compose(parser.parse(text));
}

function parseFirst(text: string): { readonly document: Document | undefined; readonly lines: LineCounter } {
  const lines = new LineCounter();
  const [document] = parseDocuments(text, lines);
  return { document, lines };
}

/** The supported kind, if any. A `Service` of another group (Knative has one) is a different kind. */
function familyOf(kind: string, apiVersion: string): Family | undefined {
  const slash = apiVersion.indexOf('/');
  const group = slash < 0 ? '' : apiVersion.slice(0, slash);
  // A kind that the core group does not have lacks its group by mistake, which is reported.
  const fits = Object.hasOwn(GROUPS, kind) && (GROUPS[kind as Family].group === group || group === '');
  return fits ? (kind as Family) : undefined;
}

/** Whether two words differ only in case, one letter, or two transposed letters. */
function isSlipOf(word: string, other: string): boolean {
  const [a, b] = [word.toLowerCase(), other.toLowerCase()];
  let at = 0;
  while (at < a.length && a[at] === b[at]) {
    at += 1;
  }
  const [restOfA, restOfB] = [a.slice(at), b.slice(at)];
  const swapped = `${restOfA[1] ?? ''}${restOfA[0] ?? ''}${restOfA.slice(2)}`;
  return (
    word !== other &&
    (restOfA.slice(1) === restOfB.slice(1) ||
      restOfA.slice(1) === restOfB ||
      restOfA === restOfB.slice(1) ||
      swapped === restOfB)
  );
}

/** The object with its namespace set, and without large fields that are never read. */
function trim(value: UnknownRecord, namespaced: boolean): UnknownRecord {
  if (!isRecord(value.metadata)) {
    return value;
  }
  const { managedFields: _managedFields, ...rest } = value.metadata;
  const metadata: Record<string, unknown> = rest;
  if (namespaced && (metadata.namespace === undefined || metadata.namespace === null || metadata.namespace === '')) {
    metadata.namespace = 'default';
  }
  if (isRecord(metadata.annotations)) {
    const { 'kubectl.kubernetes.io/last-applied-configuration': _applied, ...annotations } = metadata.annotations;
    metadata.annotations = annotations;
  }
  return { ...value, metadata };
}

function identityOf(result: ReadResult<unknown>): string {
  const { namespace = '', name = '' } = result.identity ?? {};
  return namespace === '' ? name : `${namespace}/${name}`;
}

function nameOf(value: UnknownRecord): string {
  const metadata = isRecord(value.metadata) ? value.metadata : {};
  const name = typeof metadata.name === 'string' ? printable(metadata.name, 80) : '(without a name)';
  return typeof metadata.namespace === 'string' ? `${printable(metadata.namespace, 80)}/${name}` : name;
}
