/**
 * A reporter of jest that ends a run which does not end by itself: what a failed test left open must not hold up the report
 * for ever, and a run in which all passed must leave nothing open.
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
    // It keeps nothing alive itself.
    setTimeout(end, success ? AFTER_SUCCESS : AFTER_FAILURE).unref();
  }
}
