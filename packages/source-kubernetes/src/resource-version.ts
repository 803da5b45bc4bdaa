const DECIMAL = /^(0|[1-9]\d*)$/;

/**
 * Which of two resource versions is older: negative when `left` is, 0 when they are the same, positive when `right`
 * is; undefined when that cannot be told, because one of them is no decimal number.
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
