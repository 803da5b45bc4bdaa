/**
 * The value below which a part of the numbers lies.
 *
 * @param {readonly number[]} numbers in any order
 * @param {number} part from 0 to 1: 0.99 for p99
 * @returns {number} one of them; NaN when there are none
 */
export function percentile(numbers, part) {
  return sorted(numbers)[Math.floor((numbers.length - 1) * part)] ?? Number.NaN;
}

/** @param {readonly number[]} numbers */
export function median(numbers) {
  return percentile(numbers, 0.5);
}

/**
 * The interval that contains the median with a confidence of 95 %, whatever the distribution: from the ranks of the
 * binomial one.
 *
 * @param {readonly number[]} numbers
 * @returns {[low: number, high: number]}
 */
export function medianInterval(numbers) {
  const half = 0.98 * Math.sqrt(numbers.length);
  const all = sorted(numbers);
  const at = (/** @type {number} */ rank) => all[Math.min(Math.max(rank, 0), all.length - 1)] ?? Number.NaN;
  return [at(Math.floor(numbers.length / 2 - half)), at(Math.ceil(numbers.length / 2 + half))];
}

/** @param {readonly number[]} numbers */
function sorted(numbers) {
  return [...numbers].sort((a, b) => a - b);
}
