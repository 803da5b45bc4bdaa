#!/usr/bin/env node
/**
 * `npm run conformance`: every case of the conformance kit on every backend, and the matrix of cases and columns (USAGE
 * below). The kernel that has IPVS has one processor, so there is one such kernel for each processor of the machine, each
 * with its share of the cases.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { messageOf, PrepareError, prepare, rootlessPrefix, runScript } from './prepare.mjs';

/**
 * @typedef {import('@kube-proxier/conformance').ConformanceReport} ConformanceReport
 * @typedef {ConformanceReport['results'][number]} CaseResult
 *
 * @typedef {object} Column
 * @property {string} name
 * @property {string} backend
 * @property {string} [mode]
 * @property {Readonly<Record<string, unknown>>} [options]
 * @property {Readonly<Record<string, string>>} [environment] variables for the command
 * @property {boolean} [ipvsKernel] whether it runs in a kernel that has IPVS
 *
 * @typedef {object} Selection
 * @property {readonly string[]} cases patterns
 * @property {string | undefined} [jobs]
 *
 * @typedef {{name: string, report: ConformanceReport}} ReportedColumn
 */

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const PAGE = join(ROOT, 'docs/conformance.md');
const IPVS_KERNEL = join(ROOT, 'scripts/run-in-ipvs-kernel.mjs');
const COMMAND = join(ROOT, 'packages/conformance/bin/kube-proxier-conformance.js');

const USAGE = `Usage: npm run conformance -- [COLUMN…] [--cases PATTERN]… [--jobs N]

Tries the cases of the conformance kit on the backends, with real packets, and prints the matrix. COLUMN is one of the
matrix, or a backend for all of its columns; without any it is all of them. All cases on all columns take some 20 minutes
on two processors, half of it for ipvs, and write docs/conformance.md.

  --cases PATTERN  only these, by id with * and ?; "quick" for a subset; may be repeated
  --jobs N         sandboxes at the same time
`;

/**
 * The columns of the matrix. A backend of which there is no package here has no column.
 *
 * @type {readonly Column[]}
 */
export const COLUMNS = [
  // As the agent composes it: sockets serve frontends that rules cannot.
  {
    ...{ name: 'iptables nft', backend: '@kube-proxier/agent', mode: 'iptables' },
    options: { localhostNodePortsIPv6: true, variant: 'nft' },
  },
  {
    ...{ name: 'iptables legacy', backend: '@kube-proxier/agent', mode: 'iptables' },
    options: { localhostNodePortsIPv6: true, variant: 'legacy' },
  },
  { name: 'nftables', backend: '@kube-proxier/agent', mode: 'nftables', options: { localhostNodePorts: 'selected' } },
  // Used when the kernel refuses the other layout, or netlink.
  {
    ...{ name: 'nftables per Service', backend: '@kube-proxier/agent', mode: 'nftables' },
    options: { localhostNodePorts: 'selected', layout: 'chain-per-service' },
  },
  {
    ...{ name: 'nftables by nft', backend: '@kube-proxier/agent', mode: 'nftables' },
    options: { localhostNodePorts: 'selected', access: 'nft' },
  },
  // Its sessions end after 250 ms of silence by default; clients of the kit pause for longer, as in other modes.
  { name: 'userspace', backend: '@kube-proxier/userspace', options: { udpTimeout: 30_000 } },
  {
    ...{ name: 'ipvs', backend: '@kube-proxier/agent', mode: 'ipvs', ipvsKernel: true },
    options: { localhostNodePorts: 'selected' },
  },
];

/**
 * A kube-proxy, where KUBE_PROXY names the program: it is judged by the same cases. It is not in the matrix of the page, which
 * has a section about it.
 *
 * @type {readonly Column[]}
 */
const PEERS = ['iptables', 'nftables'].map((mode) => ({
  name: `kube-proxy ${mode}`,
  backend: join(ROOT, 'scripts/kube-proxy/kube-proxy-backend.mjs'),
  options: { mode, program: process.env.KUBE_PROXY ?? '' },
}));

const WORDS = { passed: 'pass', failed: 'FAIL', skipped: 'skip' };

/**
 * One column's report.
 *
 * @param {Column} column
 * @param {Selection} selection
 * @returns {Promise<ConformanceReport>}
 */
async function runColumn(column, { cases, jobs }) {
  if (!column.ipvsKernel) {
    return runPart(column, { cases, jobs });
  }
  const ids = listCases(cases);
  const shares = Math.min(availableParallelism(), ids.length);
  const reports = await Promise.all(
    Array.from({ length: shares }, (_none, share) =>
      runPart(column, { cases: ids.filter((_id, index) => index % shares === share), jobs: jobs ?? '2' }),
    ),
  );
  const results = reports
    .flatMap((report) => report.results)
    .sort((one, other) => ids.indexOf(one.case.id) - ids.indexOf(other.case.id));
  const milliseconds = Math.max(...reports.map((report) => report.milliseconds));
  const [report] = reports;
  if (report === undefined) {
    throw new PrepareError('no case was selected');
  }
  return { ...report, results, milliseconds, interrupted: reports.some(({ interrupted }) => interrupted) };
}

/**
 * Ids of the cases that the patterns select.
 *
 * @param {readonly string[]} patterns
 */
function listCases(patterns) {
  const args = [COMMAND, '--list', ...patterns.flatMap((pattern) => ['--cases', pattern])];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' });
  if (status !== 0) {
    throw new PrepareError(stderr.trim());
  }
  return stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => line.replace(/ .*/, ''));
}

/**
 * A report from a process of its own.
 *
 * @param {Column} column
 * @param {Selection} selection
 * @returns {Promise<ConformanceReport>}
 */
async function runPart({ backend, mode, options = {}, environment = {}, ipvsKernel = false }, { cases, jobs }) {
  const directory = mkdtempSync(join(tmpdir(), 'kube-proxier-conformance-'));
  const output = join(directory, 'report.json');
  try {
    const args = [
      ...['--backend', backend, '--report', 'json', '--output', output],
      ...(mode ? ['--mode', mode] : []),
      ...Object.entries(options).flatMap(([key, value]) => ['--option', `${key}=${value}`]),
      ...cases.flatMap((pattern) => ['--cases', pattern]),
      ...(jobs ? ['--jobs', jobs] : []),
      ...(ipvsKernel ? ['--patience', '4'] : []),
    ];
    const wrap = ipvsKernel ? [process.execPath, IPVS_KERNEL, '--write', directory, '--'] : [];
    const [command = '', ...rest] = [...wrap, ...rootlessPrefix(), process.execPath, COMMAND, ...args];
    const child = spawn(command, rest, { cwd: ROOT, stdio: 'inherit', env: { ...process.env, ...environment } });
    const pass = (/** @type {NodeJS.Signals} */ signal) => child.kill(signal);
    process.on('SIGINT', pass).on('SIGTERM', pass);
    const [status] = await once(child, 'close');
    process.off('SIGINT', pass).off('SIGTERM', pass);
    if (status !== 0 && status !== 1) {
      throw new PrepareError(`${backend}: the conformance suite could not be run (status ${status})`);
    }
    return JSON.parse(readFileSync(output, 'utf8'));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/**
 * The matrix as a Markdown table, its columns padded as the formatter would.
 *
 * @param {readonly ReportedColumn[]} columns
 */
export function formatMatrix(columns) {
  const names = columns.map(({ name }) => name);
  const cases = new Map(columns.flatMap(({ report }) => report.results.map((result) => [result.case.id, result.case])));
  const cells = columns.map(({ report }) => new Map(report.results.map((result) => [result.case.id, cellOf(result)])));
  const rows = [
    ['case', ...names],
    ...[...cases.keys()].map((id) => [`\`${id}\``, ...cells.map((column) => column.get(id) ?? '')]),
  ];
  const widths = ['case', ...names].map((_name, index) => Math.max(3, ...rows.map((row) => row[index]?.length ?? 0)));
  const line = (/** @type {readonly string[]} */ row) =>
    `| ${row.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join(' | ')} |\n`;
  const [head = [], ...body] = rows;
  return `${line(head)}${line(widths.map((width) => '-'.repeat(width)))}${body.map(line).join('')}`;
}

/** @param {CaseResult} result */
function cellOf({ outcome, lacks }) {
  const names = [...new Set(lacks.map(({ capability }) => capability))].join(', ');
  return outcome === 'skipped' ? `skip: ${names}` : names && outcome === 'passed' ? `pass (1)` : WORDS[outcome];
}

/**
 * The result of a column, in one line.
 *
 * @param {ReportedColumn} column
 */
export function formatSummary({ name, report: { results, milliseconds } }) {
  const count = (/** @type {CaseResult['outcome']} */ outcome) =>
    results.filter((result) => result.outcome === outcome).length;
  const flows = results.reduce((sum, result) => sum + result.flows, 0);
  return `${name}: ${count('passed')} passed, ${count('failed')} failed, ${count('skipped')} skipped; ${flows} flows in ${Math.round(milliseconds / 1000)} s`;
}

/**
 * The section about kube-proxy in the page, which is written by hand: of what it fails, it says why.
 *
 * @param {string} page
 */
export function handWrittenSection(page) {
  return /^## kube-proxy\n.*?(?=^## )/ms.exec(page)?.[0] ?? '';
}

/**
 * @param {readonly ReportedColumn[]} columns
 * @param {string} written by hand, a section
 */
function formatPage(columns, written) {
  const lists = columns.map(({ name, report }) => {
    /** @type {Map<string, {skipped: string[], parts: number}>} */
    const left = new Map();
    for (const { case: one, outcome, lacks } of report.results) {
      for (const { capability, count } of lacks) {
        const entry = left.get(capability) ?? { skipped: [], parts: 0 };
        if (outcome === 'skipped') {
          entry.skipped.push(`\`${one.id}\``);
        } else {
          entry.parts += count;
        }
        left.set(capability, entry);
      }
    }
    const lines = [...left].map(([capability, { skipped, parts }]) => {
      const said = [
        skipped.length > 0 ? `skips ${skipped.join(', ')}` : '',
        parts > 0 ? `leaves out ${parts} checks` : '',
      ];
      return `- ${name} lacks \`${capability}\`: ${said.filter(Boolean).join('; ')}\n`;
    });
    return lines.join('');
  });
  return `# Conformance

<!-- Written by \`npm run conformance\`, apart from the section about kube-proxy. -->

What every backend does with real packets, case by case, as [\`@kube-proxier/conformance\`](../packages/conformance)
finds it. \`npx @kube-proxier/conformance --show CASE\` prints a case; \`npm run conformance\` runs all of them and writes
this page. On every push a part of them runs for every backend.

${columns.map((column) => `- ${formatSummary(column)}\n`).join('')}
A backend says what it lacks (\`BackendModule.capabilities\`); that is skipped by name, and nothing else is. \`pass (1)\`:
checks of something that the backend lacks were left out of the case.

${lists.join('') || 'No backend lacks anything.\n'}
${written}## Matrix

${formatMatrix(columns)}`;
}

function readArguments() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        cases: { type: 'string', multiple: true, default: [] },
        jobs: { type: 'string' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
  } catch (error) {
    throw new PrepareError(`${messageOf(error)}\n\n${USAGE}`);
  }
}

async function main() {
  const { values, positionals } = readArguments();
  if (values.help) {
    process.stdout.write(USAGE);
    return 0;
  }
  const packageOf = (/** @type {Column} */ { backend }) => backend.replace(/^.*\//, '').replace('-backend.mjs', '');
  const known = [...COLUMNS, ...(process.env.KUBE_PROXY ? PEERS : [])];
  const chosen =
    positionals.length === 0
      ? COLUMNS
      : known.filter((column) => positionals.includes(column.name) || positionals.includes(packageOf(column)));
  const names = [...new Set(known.flatMap((column) => [column.name, packageOf(column)]))];
  const unknown = positionals.filter((name) => !names.includes(name));
  if (unknown.length > 0) {
    throw new PrepareError(`There is no column ${unknown.join(', ')}; there are: ${names.join(', ')}`);
  }
  prepare({ ipvs: chosen.some(({ ipvsKernel }) => ipvsKernel) });
  const columns = [];
  for (const column of chosen) {
    process.stdout.write(`\n${column.name}\n`);
    columns.push({ ...column, report: await runColumn(column, values) });
  }
  process.stdout.write(`\n${formatMatrix(columns)}\n${columns.map((column) => `${formatSummary(column)}\n`).join('')}`);
  const failed = columns.some(({ report }) => report.results.some(({ outcome }) => outcome === 'failed'));
  const interrupted = columns.some(({ report }) => report.interrupted);
  if (chosen === COLUMNS && values.cases.length === 0 && !interrupted) {
    writeFileSync(PAGE, formatPage(columns, handWrittenSection(readFileSync(PAGE, 'utf8'))));
    process.stdout.write('written to docs/conformance.md\n');
  }
  return failed ? 1 : interrupted ? 2 : 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await runScript(main);
}
