/** Milliseconds between checks. */
const INTERVAL = { least: 2, most: 1000 };
/**
 * Pause after a check, as a multiple of the time that it took: a check that starts programs must not slow down the
 * awaited work.
 */
const PAUSE = 2;

/**
 * Resolves when a condition holds, as seen by repeated checks. The pauses between them follow the time that a check takes.
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
  for (;;) {
    const begin = performance.now();
    if (await condition()) {
      return;
    }
    const took = performance.now() - begin;
    if (performance.now() > deadline) {
      throw new Error(`condition not reached within ${timeout} ms: ${typeof what === 'string' ? what : what()}`);
    }
    const pause = Math.min(Math.max(PAUSE * took, INTERVAL.least), INTERVAL.most);
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}
