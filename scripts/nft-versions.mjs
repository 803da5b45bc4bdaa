#!/usr/bin/env node
// Installs nft of several releases of Debian beside each other, for tests that others' nft can list what is written here:
//   export KUBE_PROXIER_NFT_PROGRAMS="$(node scripts/nft-versions.mjs DIRECTORY)"
//   npm run jest -- packages/nftables/src/netlink.int.spec.ts
// Each has its own C library, and nothing of the host is changed. Needs a Debian with apt, and its mirror.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { messageOf } from '../packages/core/dist/index.js';

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

const [directory] = process.argv.slice(2);
if (directory === undefined) {
  process.stderr.write('usage: node scripts/nft-versions.mjs DIRECTORY\n');
  process.exit(2);
}
const programs = [];
for (const release of RELEASES) {
  try {
    const program = install(release, resolve(directory));
    process.stderr.write(`${release}: ${run(program, ['--version']).trim()}\n`);
    programs.push(program);
  } catch (error) {
    process.stderr.write(`${release}: not installed: ${messageOf(error)}\n`);
  }
}
process.stdout.write(`${programs.join(':')}\n`);
process.exit(programs.length > 0 ? 0 : 1);
