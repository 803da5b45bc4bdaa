/**
 * Whether two plain values (records, lists, primitives; no cycles) have the same content. A key whose value is
 * undefined equals a key that is absent.
 */
export function structurallyEqual(left: unknown, right: unknown): boolean {
  if (Object.is(left, right)) {
    return true;
  }
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) {
    return false;
  }
  if (Array.isArray(left) || Array.isArray(right)) {
    return (
      Array.isArray(left) &&
      Array.isArray(right) &&
      left.length === right.length &&
      left.every((item, index) => structurallyEqual(item, right[index]))
    );
  }
  const leftRecord = left as Readonly<Record<string, unknown>>;
  const rightRecord = right as Readonly<Record<string, unknown>>;
  for (const key in leftRecord) {
    if (!structurallyEqual(leftRecord[key], rightRecord[key])) {
      return false;
    }
  }
  for (const key in rightRecord) {
    if (rightRecord[key] !== undefined && leftRecord[key] === undefined) {
      return false;
    }
  }
  return true;
}
