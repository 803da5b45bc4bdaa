#!/usr/bin/env node
/**
 * `npm run test:nft-versions`: installs nft of the Debian releases side by side, and tests that each lists, reloads and
 * monitors the tables of the nftables backend as if it had written them (USAGE below). Each nft has its own C library,
 * and nothing of the host is changed. Needs a Debian with apt, and its mirror.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { messageOf, PrepareError, prepare, rootlessPrefix, runScript } from './prepare.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const DIRECTORY = join(ROOT, 'node_modules/.cache/nft-versions');
const USAGE = `Usage: npm run test:nft-versions -- [--directory DIRECTORY] [--soak MINUTES]

Installs nft of the Debian releases in DIRECTORY (default: node_modules/.cache/nft-versions), and runs the tests of
packages/nftables with each. Fails when a release cannot be installed.

  --soak MINUTES  only the soak: changes of the cluster, and a foreign commit by one of them every second; for each IP
                  family
`;
const SPECS = ['packages/nftables/src/netlink.int.spec.ts', 'packages/nftables/src/foreign-commits.int.spec.ts'];
const SOAK = ['packages/nftables/src/foreign-commits.int.spec.ts', '--testNamePattern=soak'];

/** Oldstable, stable, testing and unstable. */
const RELEASES = ['bookworm', 'trixie', 'forky', 'sid'];
const MIRROR = 'http://deb.debian.org/debian';
const KEYS = '/usr/share/keyrings/debian-archive-keyring.gpg';
const LIBRARIES = [
  'usr/lib/x86_64-linux-gnu',
  'lib/x86_64-linux-gnu',
  'usr/lib/aarch64-linux-gnu',
  'lib/aarch64-linux-gnu',
];
const LOADERS = ['ld-linux-x86-64.so.2', 'ld-linux-aarch64.so.1'];

/**
 * @param {string} command
 * @param {readonly string[]} parameters
 * @param {string} [cwd]
 */
const run = (command, parameters, cwd) =>
  execFileSync(command, parameters, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'], ...(cwd ? { cwd } : {}) });

/**
 * @param {string} release
 * @param {string} directory
 * @returns {string} path of its nft
 */
function install(release, directory) {
  const at = (/** @type {string[]} */ ...path) => join(directory, release, ...path);
  const program = at('nft');
  if (existsSync(program)) {
    return program;
  }
  for (const path of ['lists/partial', 'cache/archives/partial', 'packages', 'root']) {
    mkdirSync(at(path), { recursive: true });
  }
  writeFileSync(at('sources.list'), `deb [signed-by=${KEYS}] ${MIRROR} ${release} main\n`);
  writeFileSync(at('status'), '');
  const options = Object.entries({
    'Dir::Etc::sourcelist': at('sources.list'),
    'Dir::Etc::sourceparts': '/dev/null',
    'Dir::Etc::preferencesparts': '/dev/null',
    'Dir::State': at(),
    'Dir::State::lists': at('lists'),
    'Dir::State::status': at('status'),
    'Dir::Cache': at('cache'),
  }).map(([key, value]) => `-o${key}=${value}`);
  run('apt-get', [...options, 'update']);
  const leaveOut = ['recommends', 'suggests', 'conflicts', 'breaks', 'replaces', 'enhances'].map(
    (kind) => `--no-${kind}`,
  );
  const needed = run('apt-cache', [...options, 'depends', '--recurse', ...leaveOut, 'nftables'])
    .split('\n')
    .filter((line) => /^lib|^nftables$/.test(line));
  run('apt-get', [...options, 'download', ...new Set(needed)], at('packages'));
  for (const file of readdirSync(at('packages'))) {
    run('dpkg', ['-x', at('packages', file), at('root')]);
  }
  const libraries = LIBRARIES.map((path) => at('root', path));
  const loader = libraries.flatMap((path) => LOADERS.map((name) => join(path, name))).find((path) => existsSync(path));
  if (loader === undefined) {
    throw new Error(`the packages of ${release} have no loader of shared libraries for this machine`);
  }
  const nft = `exec ${loader} --library-path ${libraries.join(':')} ${at('root/usr/sbin/nft')} "$@"`;
  writeFileSync(program, `#!/bin/sh\n${nft}\n`, { mode: 0o755 });
  return program;
}

/**
 * @param {string} directory
 * @returns {string[]} paths of the programs
 */
function installAll(directory) {
  return RELEASES.map((release) => {
    try {
      const program = install(release, directory);
      process.stdout.write(`${release}: ${run(program, ['--version']).trim()}\n`);
      return program;
    } catch (error) {
      throw new PrepareError(
        `nft of Debian ${release} cannot be installed from ${MIRROR}; try again later:\n${messageOf(error)}`,
      );
    }
  });
}

await runScript(async () => {
  const { values } = parseArgs({
    options: { help: { type: 'boolean' }, directory: { type: 'string' }, soak: { type: 'string' } },
  });
  if (values.help) {
    process.stdout.write(USAGE);
    return;
  }
  prepare();
  const programs = installAll(values.directory ?? DIRECTORY);
  const jest = ['--experimental-vm-modules', '--no-warnings=ExperimentalWarning', 'node_modules/jest/bin/jest.js'];
  const tests = values.soak === undefined ? SPECS : SOAK;
  const [command = '', ...args] = [...rootlessPrefix(), process.execPath, ...jest, ...tests];
  const env = {
    ...process.env,
    KUBE_PROXIER_NFT_PROGRAMS: programs.join(delimiter),
    ...(values.soak === undefined ? {} : { KUBE_PROXIER_SOAK_MINUTES: values.soak }),
  };
  const [status] = await once(spawn(command, args, { cwd: ROOT, stdio: 'inherit', env }), 'close');
  return status ?? 1;
});
