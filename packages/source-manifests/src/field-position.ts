import { type Document, isAlias, isMap, isNode, isScalar, isSeq, type LineCounter, type Node } from 'yaml';

/** A position in a file; 1 is the first line and the first character. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** A path into an object, as steps: `['spec', 'ports', 0, 'nodePort']`. */
export type FieldPath = readonly (string | number)[];

const STEP = /\["((?:[^"\\]|\\.)*)"\]|\[(\d+)\]|([^.[\]]+)/g;

/** Splits `spec.ports[0].nodePort` and `metadata.labels["a.b/c"]` into steps. */
export function parseFieldPath(field: string): FieldPath {
  return [...field.matchAll(STEP)].map(([, quoted, index, name]) =>
    index === undefined ? (quoted ?? name ?? '') : Number(index),
  );
}

/** Position of the value at `path`; if it is missing, of the innermost existing value around it. */
export function positionOf(document: Document, path: FieldPath, lines: LineCounter): Position {
  let node: Node | null | undefined = document.contents;
  let best = document.contents?.range?.[0] ?? document.range?.[0] ?? 0;
  for (const step of path) {
    const next = childOf(isAlias(node) ? node.resolve(document) : node, step);
    if (!next) {
      break;
    }
    best = next.offset ?? best;
    node = next.value;
  }
  const { line, col } = lines.linePos(best);
  return { line: Math.max(line, 1), column: Math.max(col, 1) };
}

function childOf(
  node: Node | null | undefined,
  step: string | number,
): { readonly value: Node | undefined; readonly offset: number | undefined } | undefined {
  if (isSeq(node) && typeof step === 'number') {
    const item = node.items[step];
    return isNode(item) ? { value: item, offset: item.range?.[0] } : undefined;
  }
  if (isMap(node)) {
    const pair = node.items.find(({ key }) => (isScalar(key) ? String(key.value) : key) === String(step));
    if (pair) {
      const value = isNode(pair.value) ? pair.value : undefined;
      // An empty value has no position; its key has.
      const empty = value === undefined || (isScalar(value) && value.source === '');
      const place = empty && isNode(pair.key) ? pair.key : value;
      return { value, offset: place?.range?.[0] };
    }
  }
  return undefined;
}
