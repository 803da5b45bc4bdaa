/**
 * `npm run test:ipvs`: gets everything ready, boots kernels with IPVS, and runs in them the tests that need one. Such a
 * kernel has one processor, so where this machine has more there are two kernels, each with a share of the suites. The long
 * suites are left out; `npm run test:ipvs:thorough` runs all. Arguments are passed to jest, which then has one kernel, and
 * whatever is named: `npm run test:ipvs -- ipvs-takeover`.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { IS_THOROUGH, PrepareError, prepare, runScript } from './prepare.mjs';
import { IpvsKernelError, runInIpvsKernel } from './run-in-ipvs-kernel.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** Seconds until the kernel is considered hung. Where a start of a program takes a quarter of a second, all suites take an hour. */
const TIMEOUT = IS_THOROUGH ? 7200 : 1500;
/** Suites that start the agent several times, repeat what others show, or show what the kernel does without this program. */
const LONG =
  '(former-affinity|ipvs-on-a-kernel|ipvs-takeover|kernel-facts|life-of-endpoints|random-sequences|sabotage|sctp)\\.ipvs';
/** Suites of one kernel; the other one has the rest. Each share takes about as long. */
const SHARE = '(conformance|packet-counters|random-sequences|sabotage)\\.ipvs';
const SELECTION = IS_THOROUGH ? [] : [`--testPathIgnorePatterns=${LONG}`];
const SHARES = [
  [`--testPathPatterns=${SHARE}`, ...SELECTION],
  [`--testPathIgnorePatterns=${SHARE}`, ...SELECTION],
];

await runScript(async () => {
  prepare({ ipvs: true });
  const outputFile = '--outputFile=';
  const args = process.argv.slice(2);
  const report = args.find((arg) => arg.startsWith(outputFile))?.slice(outputFile.length);
  const rest = args.filter((arg) => !arg.startsWith(outputFile) && arg !== '--json');
  const all = availableParallelism() > 1 ? SHARES : [SELECTION];
  const shares = rest.length === 0 ? all : [rest];
  const directory = mkdtempSync(join(tmpdir(), 'kube-proxier-test-ipvs-'));
  process.chdir(ROOT);
  try {
    const files = shares.map((_share, index) => join(directory, `${index}.json`));
    const runs = shares.map((share, index) => runJest([...share, '--json', `${outputFile}${files[index]}`], directory));
    const statuses = await Promise.all(runs);
    if (report !== undefined && files.every((file) => existsSync(file))) {
      writeFileSync(
        resolve(report),
        JSON.stringify(sumOf(files.map((file) => JSON.parse(readFileSync(file, 'utf8'))))),
      );
    }
    return statuses.find((status) => status !== 0) ?? 0;
  } catch (error) {
    throw error instanceof IpvsKernelError ? new PrepareError(error.message, { cause: error }) : error;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});

/**
 * Status of jest, run in a kernel with IPVS that may write to the directory.
 *
 * @param {readonly string[]} args
 * @param {string} directory
 */
function runJest(args, directory) {
  const jest = ['--experimental-vm-modules', '--no-warnings=ExperimentalWarning', 'node_modules/jest/bin/jest.js'];
  jest.push('--config=jest.ipvs.config.mjs', '--runInBand', '--forceExit', ...args);
  return runInIpvsKernel([process.execPath, ...jest], { timeout: TIMEOUT, writable: [directory] });
}

/**
 * One report of jest's from several: counts are summed, lists joined, and all must have been well.
 *
 * @typedef {Record<string, unknown>} JestReport
 * @param {readonly JestReport[]} reports
 */
function sumOf(reports) {
  return reports.reduce((sum, report) =>
    Object.fromEntries(
      Object.entries(report).map(([key, value]) => {
        const before = sum[key];
        if (typeof value === 'number' && key.startsWith('num')) {
          return [key, Number(before) + value];
        }
        return [
          key,
          Array.isArray(value) && Array.isArray(before)
            ? [...before, ...value]
            : typeof value === 'boolean'
              ? before && value
              : value,
        ];
      }),
    ),
  );
}
