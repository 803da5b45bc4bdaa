/**
 * Resolves when `condition` is true; checks it in every iteration of the event loop.
 *
 * @param what text for the message on a timeout.
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
      throw new Error(`condition not reached within ${limit} ms: ${typeof what === 'string' ? what : what()}`);
    }
    await new Promise((resolve) => {
      setTimeout(resolve, 1);
    });
  }
}
