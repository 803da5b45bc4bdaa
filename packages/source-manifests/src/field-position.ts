import { type Document, isAlias, isMap, isNode, isScalar, isSeq, type LineCounter, type Node } from 'yaml';

/** A place in a file; 1 is the first line and the first character. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** A path into an object, in steps: `['spec', 'ports', 0, 'nodePort']`. */
export type FieldPath = readonly (string | number)[];

const STEP = /\["((?:[^"\\]|\\.)*)"\]|\[(\d+)\]|([^.[\]]+)/g;

/** Takes `spec.ports[0].nodePort` and `metadata.labels["a.b/c"]` apart. */
export function parseFieldPath(field: string): FieldPath {
  return [...field.matchAll(STEP)].map(([, quoted, index, name]) =>
    index === undefined ? (quoted ?? name ?? '') : Number(index),
  );
}

/** Where the value at `path` begins; where it is missing, the innermost thing around it that is there. */
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
      // A value left empty stands nowhere; its key does.
      const empty = value === undefined || (isScalar(value) && value.source === '');
      const place = empty && isNode(pair.key) ? pair.key : value;
      return { value, offset: place?.range?.[0] };
    }
  }
  return undefined;
}
