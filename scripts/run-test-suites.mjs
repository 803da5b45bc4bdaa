/**
 * `node scripts/run-test-suites.mjs SCRIPT COUNTS`, for `.ci/run`: runs an npm script that runs jest, shows what it prints,
 * and writes "passed failed unsteady", the numbers of tests, to the file COUNTS. They are from jest's own report, so that a
 * run that dies half-way does not look like a good one.
 *
 * When a few suites fail they are run again, alone: on a busy machine, time limits can break what waits for
 * the kernel and for other programs, and one such test in thousands is no reason to refuse a change. What passes only
 * then is named as unsteady, with its first failure above, so that it can be mended. A defect that is there each time fails
 * twice, and suites that fail in numbers are not run again.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * @typedef {object} Suite
 * @property {string} name
 * @property {number} passed
 * @property {number} failed
 * @property {readonly string[]} failures names of tests
 *
 * @typedef {object} JestSuite of jest's report
 * @property {string} name
 * @property {string} status
 * @property {readonly {readonly status: string, readonly fullName: string}[]} assertionResults
 */

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** Suites that may fail and be run again. */
const FEW = 3;

const [script = '', countsFile = ''] = process.argv.slice(2);
const directory = mkdtempSync(join(tmpdir(), 'kube-proxier-suites-'));
try {
  const first = run([]);
  const failing = first.suites.filter(({ failed }) => failed > 0);
  let suites = first.suites;
  /** @type {Suite[]} */
  const unsteady = [];
  if (first.complete && failing.length > 0 && failing.length <= FEW) {
    const names = failing.map(({ name }) => name);
    console.log(`----  again, alone: ${names.join(', ')}`);
    const again = run(['--runInBand', ...names]);
    const second = new Map(again.suites.map((suite) => [suite.name, suite]));
    suites = first.suites.map((suite) => (suite.failed > 0 ? (second.get(suite.name) ?? suite) : suite));
    unsteady.push(...failing.filter(({ name }) => second.get(name)?.failed === 0));
    for (const { name, failures } of unsteady) {
      console.log(`UNSTEADY  ${name}: failed beside the others, passed alone: ${failures.join('; ')}`);
    }
  }
  const total = (/** @type {'passed' | 'failed'} */ key) => suites.reduce((sum, suite) => sum + suite[key], 0);
  // Jest can end badly without a test that failed: then the run itself is what failed.
  const failed = total('failed') || (first.complete && (first.status === 0 || unsteady.length > 0) ? 0 : 1);
  writeFileSync(countsFile, `${total('passed')} ${failed} ${unsteady.length}\n`);
} finally {
  rmSync(directory, { recursive: true, force: true });
}

/**
 * Runs the script and reads jest's report.
 *
 * @param {readonly string[]} args
 * @returns {{status: number | null, complete: boolean, suites: readonly Suite[]}}
 */
function run(args) {
  const report = join(directory, 'report.json');
  rmSync(report, { force: true });
  const command = ['run', '--silent', script, '--', ...args, '--json', `--outputFile=${report}`];
  const { status } = spawnSync('npm', command, { stdio: 'inherit', cwd: ROOT });
  if (!existsSync(report)) {
    return { status, complete: false, suites: [] };
  }
  const { testResults } = /** @type {{testResults: readonly JestSuite[]}} */ (JSON.parse(readFileSync(report, 'utf8')));
  const suites = testResults.map(({ name, status: outcome, assertionResults }) => {
    const failures = assertionResults.filter(({ status: one }) => one === 'failed').map(({ fullName }) => fullName);
    // A suite that could not be loaded has no tests that failed.
    const broken = outcome === 'failed' && failures.length === 0;
    return {
      name: relative(ROOT, name),
      passed: assertionResults.filter(({ status: one }) => one === 'passed').length,
      failed: failures.length + (broken ? 1 : 0),
      failures: broken ? ['could not be loaded'] : failures,
    };
  });
  return { status, complete: true, suites };
}
