/**
 * `npm run example:custom-backend`: builds examples/custom-backend in an empty directory against the packed packages, as
 * a stranger would against the published ones, runs its tests, and the conformance kit on it.
 *
 *   npm run example:custom-backend                     the subset of every push, a minute
 *   npm run example:custom-backend -- --cases '*'      all cases; any option of the kit
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packPackages, ROOT, readPackages, run } from './pack-packages.mjs';
import { prepare, rootlessPrefix, runScript } from './prepare.mjs';

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
    // Named together, the tarballs satisfy what they ask of each other.
    await run(
      'npm',
      ['install', '--ignore-scripts', '--prefer-offline', '--loglevel=error', '--save-dev', ...tarballs],
      project,
    );
    say('npm run build');
    await run('npm', ['run', 'build'], project);
    say('npm test');
    const prefix = rootlessPrefix();
    await show([...prefix, 'npm', 'test', '--silent'], project);
    const args = process.argv.slice(2);
    const cases = args.some((argument) => argument.startsWith('--cases')) ? [] : ['--cases', 'quick'];
    const files = join(directory, 'run');
    mkdirSync(files);
    const kit = ['npx', 'kube-proxier-conformance', '--backend', './dist/src/index.js'];
    say([...kit, ...cases, ...args].join(' '));
    return await show([...prefix, ...kit, '--option', `directory=${files}`, ...cases, ...args], project, [0, 1]);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});

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
