const DECIMAL = /^(0|[1-9]\d*)$/;

/**
 * Compares two resource versions: negative when `left` is older, 0 when they are equal, positive when `right` is older;
 * undefined when they cannot be compared, because one of them is not a decimal number.
 */
export function compareResourceVersions(left: string, right: string): number | undefined {
  if (left === right) {
    return 0;
  }
  if (!DECIMAL.test(left) || !DECIMAL.test(right)) {
    return undefined;
  }
  if (left.length !== right.length) {
    return left.length - right.length;
  }
  return left < right ? -1 : 1;
}
