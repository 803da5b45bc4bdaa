/**
 * `npm run example:custom-backend`: builds examples/custom-backend in an empty directory against the packed packages, as
 * a stranger would against the published ones, runs its tests, and the conformance kit on it.
 *
 *   npm run example:custom-backend                     a case of each kind, a minute; with KUBE_PROXIER_TESTS=thorough all quick ones
 *   npm run example:custom-backend -- --cases '*'      all cases; any option of the kit
 *   npm run example:custom-backend -- --repeat-failed  runs up to three failed cases again, alone, as `.ci/run` does with
 *                                                      suites: what passes only then is named as UNSTEADY
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packPackages, ROOT, readPackages, run } from './pack-packages.mjs';
import { IS_THOROUGH, prepare, rootlessPrefix, runScript } from './prepare.mjs';

/** Cases that may fail and be run again. */
const FEW = 3;

/** Cases where none are named. */
const CASES = IS_THOROUGH
  ? ['quick']
  : [
      ...[
        'CIP-?-S1',
        'EXT-?-S1',
        'EXT-L-S2',
        'F-LB-1',
        'F-CIP-2',
        'endpoint-added',
        'endpoint-removed',
        'service-removed',
      ],
      ...['affinity-moved', 'rolling-update', 'open-connection-goes-on', 'flushed-and-repaired', 'cleaned-up'],
    ];

const NEEDED = ['core', 'linux', 'network-sandbox', 'server', 'conformance'].map((name) => `@kube-proxier/${name}`);

await runScript(async () => {
  prepare({ haproxy: true });
  const directory = mkdtempSync(join(tmpdir(), 'kph-'));
  try {
    const project = join(directory, 'project');
    cpSync(join(ROOT, 'examples/custom-backend'), project, {
      recursive: true,
      filter: (path) => !/\/(node_modules|dist)$/.test(path),
    });
    say(`Packing ${NEEDED.join(', ')} of version ${readPackages().get('@kube-proxier/core')?.manifest.version}`);
    const tarballs = [...(await packPackages(NEEDED, directory)).values()].map(({ tarball }) => tarball);
    say(`Installing them, and what they need, into ${project}`);
    // Named together, the tarballs satisfy each other's dependencies.
    await run(
      'npm',
      [
        'install',
        '--ignore-scripts',
        '--prefer-offline',
        '--no-audit',
        '--no-fund',
        '--loglevel=error',
        '--save-dev',
        ...tarballs,
      ],
      project,
    );
    say('npm run build');
    await run('npm', ['run', 'build'], project);
    say('npm test');
    const prefix = rootlessPrefix();
    await show([...prefix, 'npm', 'test', '--silent'], project);
    const args = process.argv.slice(2).filter((argument) => argument !== '--repeat-failed');
    const repeats = args.length < process.argv.length - 2;
    const cases = args.some((argument) => argument.startsWith('--cases')) ? [] : CASES.flatMap((id) => ['--cases', id]);
    const files = join(directory, 'run');
    mkdirSync(files);
    const report = join(directory, 'report.json');
    const conformance = (/** @type {readonly string[]} */ words) => {
      const kit = ['npx', 'kube-proxier-conformance', '--backend', './dist/src/index.js', ...words];
      say(kit.join(' '));
      const hidden = ['--option', `directory=${files}`, ...(repeats ? ['--report', 'json', '--output', report] : [])];
      return show([...prefix, ...kit, ...hidden], project, [0, 1]);
    };
    const status = await conformance([...cases, ...args]);
    const failed = status === 1 && repeats ? failedCases(report) : [];
    if (failed.length === 0 || failed.length > FEW) {
      return status;
    }
    const alone = ['--jobs', '1', ...failed.flatMap((id) => ['--cases', id])];
    const again = await conformance([...withoutOptions(args, ['--jobs', '--cases']), ...alone]);
    if (again === 0) {
      say(`UNSTEADY  conformance of haproxy: failed beside the others, passed alone: ${failed.join('; ')}`);
    }
    return again;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});

/**
 * @param {string} file a JSON report of the kit
 * @returns {readonly string[]} ids
 */
function failedCases(file) {
  /** @type {{results: readonly {case: {id: string}, outcome: string}[]}} */
  const { results } = JSON.parse(readFileSync(file, 'utf8'));
  return results.filter(({ outcome }) => outcome === 'failed').map(({ case: { id } }) => id);
}

/**
 * @param {readonly string[]} args
 * @param {readonly string[]} names of options with a value, as `--name value` or `--name=value`
 * @returns {readonly string[]}
 */
function withoutOptions(args, names) {
  return args.filter(
    (argument, index) =>
      !names.some((name) => argument === name || argument.startsWith(`${name}=`) || args[index - 1] === name),
  );
}

/** @param {string} text */
function say(text) {
  process.stdout.write(`${text}\n`);
}

/**
 * Runs a command with its output shown.
 *
 * @param {readonly string[]} words
 * @param {string} directory
 * @param {readonly (number | null)[]} [accepted] exit statuses
 * @returns {Promise<number>}
 */
async function show([command = '', ...args], directory, accepted = [0]) {
  const child = spawn(command, args, { cwd: directory, stdio: 'inherit' });
  const pass = (/** @type {NodeJS.Signals} */ signal) => child.kill(signal);
  process.on('SIGINT', pass).on('SIGTERM', pass);
  const [status, signal] = /** @type {[number | null, string | null]} */ (await once(child, 'close'));
  process.off('SIGINT', pass).off('SIGTERM', pass);
  if (!accepted.includes(status)) {
    throw new Error(`${command} ${args.join(' ')} ended with ${signal ?? `status ${status}`}`);
  }
  return status ?? 1;
}
