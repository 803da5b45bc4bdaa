/**
 * Resolves when `condition` holds; looks again in every round of the event loop.
 *
 * @param what for the message when it does not.
 * @param limit real milliseconds. Default 60000.
 */
export async function waitUntil(
  condition: () => boolean,
  what: string | (() => string),
  limit = 60_000,
): Promise<void> {
  const end = performance.now() + limit;
  while (!condition()) {
    if (performance.now() > end) {
      throw new Error(`it did not come to this in ${limit} ms: ${typeof what === 'string' ? what : what()}`);
    }
    await new Promise((resolve) => {
      setTimeout(resolve, 1);
    });
  }
}
