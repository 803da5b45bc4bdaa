/** Milliseconds between checks. */
const INTERVAL = 2;

/**
 * Resolves when a condition holds, as seen by repeated checks.
 *
 * @param what the condition in words, for the error. Default: its source text.
 * @param timeout real milliseconds. Default 60000.
 * @throws Error that names the condition, when it does not hold in time.
 */
export async function until(
  condition: () => boolean | Promise<boolean>,
  what: string | (() => string) = condition.toString(),
  timeout = 60_000,
): Promise<void> {
  const deadline = performance.now() + timeout;
  while (!(await condition())) {
    if (performance.now() > deadline) {
      throw new Error(`condition not reached within ${timeout} ms: ${typeof what === 'string' ? what : what()}`);
    }
    await new Promise((resolve) => setTimeout(resolve, INTERVAL));
  }
}
