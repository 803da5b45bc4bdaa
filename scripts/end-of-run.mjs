/**
 * A jest reporter that ends a hung run: open handles of a failed test must not block the report, and a passed run must
 * leave none.
 */

/** Milliseconds after the last test. */
const AFTER_FAILURE = 10_000;
const AFTER_SUCCESS = 60_000;

export default class EndOfRun {
  /**
   * @param {unknown} _contexts
   * @param {{success: boolean}} results
   */
  onRunComplete(_contexts, { success }) {
    const end = () => {
      const open = process.getActiveResourcesInfo().join(', ');
      process.stderr.write(
        success
          ? `All tests passed, but the run does not end (${open}): find the suite with --detectOpenHandles\n`
          : `Ending the run, in which failed tests left something open (${open})\n`,
      );
      process.exit(1);
    };
    // Does not keep the process alive.
    setTimeout(end, success ? AFTER_SUCCESS : AFTER_FAILURE).unref();
  }
}
