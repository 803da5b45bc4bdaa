/**
 * Whether tests make all of their runs: set by `npm run test:thorough`, which takes an hour or more. Otherwise tests
 * that repeat with other random seeds, or with combinations of separately tested cases, run a part of them:
 * {@link runCount}, {@link casesOf}, and `if (isThorough)` around a test.
 */
export const isThorough: boolean =
  (globalThis as { process?: { env: Record<string, string | undefined> } }).process?.env.KUBE_PROXIER_TESTS ===
  'thorough';

/** How many runs a randomized test makes. */
export function runCount(usual: number, thorough: number): number {
  return isThorough ? thorough : usual;
}

/** Cases of a test: `further` ones are run in a thorough run only. */
export function casesOf<Case>(usual: readonly Case[], further: readonly Case[]): readonly Case[] {
  return isThorough ? [...usual, ...further] : usual;
}
