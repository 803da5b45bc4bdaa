import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { machine } from './machine.mjs';

/**
 * The figures of one run of a benchmark, as its file in `bench/results` has them.
 *
 * @typedef {object} Result
 * @property {string} bench its name, and that of the file
 * @property {string} subject what was measured, and with how much
 * @property {string} command that measured it
 * @property {string} date the day, as YYYY-MM-DD
 * @property {string} commit of the repository; with `-dirty` where files other than results and docs differed from it
 * @property {import('./machine.mjs').Machine} machine
 * @property {{before: number, after: number}} load number of processes that ran or waited to run, averaged over a minute
 * @property {readonly import('./report.mjs').Figure[]} figures
 */

/** Where `npm run bench:report` reads them. */
export const RESULTS = fileURLToPath(new URL('../results/', import.meta.url));

/** What is known when a benchmark begins. */
export function startResult() {
  return { load: { before: load(), after: Number.NaN } };
}

/**
 * @param {string} bench
 * @param {{load: Result['load'], subject: string, figures: Result['figures']}} measured
 */
export function writeResult(bench, { load: { before }, subject, figures }) {
  const directory = process.env.BENCH_RESULTS || RESULTS;
  /** @type {Result} */
  const result = {
    bench,
    subject,
    command: commandOf(basename(process.argv[1] ?? '', '.mjs'), process.argv.slice(2)),
    date: new Date().toISOString().slice(0, 10),
    commit: commit(),
    machine: machine(),
    load: { before, after: load() },
    figures,
  };
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, `${bench}.json`), `${JSON.stringify(result, null, 2)}\n`);
}

/**
 * @param {string} [directory] default {@link RESULTS}
 * @returns {readonly Result[]} by name
 */
export function readResults(directory = RESULTS) {
  return readdirSync(directory)
    .filter((file) => file.endsWith('.json'))
    .sort()
    .map((file) => JSON.parse(readFileSync(join(directory, file), 'utf8')));
}

/**
 * The command of a benchmark with its options, and without directories of this machine.
 *
 * @param {string} bench name of its program, which may have several results
 * @param {readonly string[]} args of the process, which may be one that the command started
 */
export function commandOf(bench, args) {
  const first = args.findIndex((arg) => arg.startsWith('--') && arg !== '--inside');
  const options = first < 0 ? [] : args.slice(first).map(withoutDirectory);
  return `npm run bench:${bench}${options.length > 0 ? ` -- ${options.join(' ')}` : ''}`;
}

/** @param {string} arg */
function withoutDirectory(arg) {
  const [name = '', value] = arg.startsWith('--') ? arg.split(/=(.*)/s) : ['', arg];
  if (value === undefined) {
    return name;
  }
  const short = value.includes('/') ? basename(value) : value;
  return name === '' ? short : `${name}=${short}`;
}

function load() {
  return Math.round((loadavg()[0] ?? 0) * 10) / 10;
}

/** Changed results and docs do not count: each bench writes a result, and they do not change what the next one measures. */
function commit() {
  const cwd = fileURLToPath(new URL('../..', import.meta.url));
  const git = (/** @type {readonly string[]} */ args) => spawnSync('git', args, { cwd, encoding: 'utf8' });
  const { status, stdout } = git(['rev-parse', '--short=10', 'HEAD']);
  if (status !== 0) {
    return 'unknown';
  }
  const changed = git(['status', '--porcelain', '--untracked-files=no', '--', '.', ':!bench/results', ':!docs']).stdout;
  return `${stdout.trim()}${changed === '' ? '' : '-dirty'}`;
}
