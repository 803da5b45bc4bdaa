/** Milliseconds of work between two pauses. */
const SLICE = 10;

/**
 * Runs work that yields often, with pauses in which other work of the process runs.
 *
 * @param signal ends the work early. Default: none.
 * @returns its result; undefined when it was ended early.
 */
export async function runInSlices<Result>(
  slices: Generator<void, Result>,
  signal?: AbortSignal,
): Promise<Result | undefined> {
  let until = performance.now() + SLICE;
  for (;;) {
    const { done, value } = slices.next();
    if (done) {
      return value;
    }
    if (performance.now() > until) {
      await new Promise<void>((resolve) => setImmediate(resolve));
      if (signal?.aborted) {
        return undefined;
      }
      until = performance.now() + SLICE;
    }
  }
}
