/**
 * Installs programs of the Debian releases side by side. Each has its own C library, and nothing of the host is changed. Needs a
 * Debian with apt, and its mirror.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf, PrepareError } from './prepare.mjs';

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
 * Programs of a Debian package.
 *
 * @typedef {object} DebianPrograms
 * @property {string} name of the package
 * @property {Readonly<Record<string, readonly string[]>>} programs by name: the file below the root, and its first arguments
 * @property {Readonly<Record<string, string>>} [libraries] environment variables: directories below a directory of libraries
 */

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
 * @param {DebianPrograms} wanted
 * @returns {string} the directory with the programs
 */
function install(release, directory, { name, programs, libraries: variables = {} }) {
  const at = (/** @type {string[]} */ ...path) => join(directory, release, ...path);
  if (Object.keys(programs).every((program) => existsSync(at('bin', program)))) {
    return at('bin');
  }
  for (const path of ['lists/partial', 'cache/archives/partial', 'packages', 'root', 'bin']) {
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
  const needed = run('apt-cache', [...options, 'depends', '--recurse', ...leaveOut, name])
    .split('\n')
    .filter((line) => line.startsWith('lib') || line === name);
  run('apt-get', [...options, 'download', ...new Set(needed)], at('packages'));
  for (const file of readdirSync(at('packages'))) {
    run('dpkg', ['-x', at('packages', file), at('root')]);
  }
  const libraries = LIBRARIES.map((path) => at('root', path));
  const loader = libraries.flatMap((path) => LOADERS.map((one) => join(path, one))).find((path) => existsSync(path));
  if (loader === undefined) {
    throw new Error(`the packages of ${release} have no loader of shared libraries for this machine`);
  }
  const environment = Object.entries(variables).map(
    ([variable, path]) => `${variable}=${libraries.map((one) => join(one, path)).find((one) => existsSync(one)) ?? ''}`,
  );
  for (const [program, [file = '', ...first]] of Object.entries(programs)) {
    const words = ['exec', loader, '--library-path', libraries.join(':'), at('root', file), ...first, '"$@"'];
    writeFileSync(at('bin', program), `#!/bin/sh\n${[...environment, ...words].join(' ')}\n`, { mode: 0o755 });
  }
  return at('bin');
}

/**
 * Installs programs of several releases, and prints their versions.
 *
 * @param {readonly string[]} releases
 * @param {string} directory
 * @param {DebianPrograms} wanted
 * @returns {string[]} directories with the programs, in the order of the releases
 * @throws PrepareError when a release cannot be installed.
 */
export function installFromReleases(releases, directory, wanted) {
  return releases.map((release) => {
    try {
      const bin = install(release, directory, wanted);
      const [program = ''] = Object.keys(wanted.programs);
      process.stdout.write(`${release}: ${run(join(bin, program), ['--version']).trim()}\n`);
      return bin;
    } catch (error) {
      throw new PrepareError(
        `${wanted.name} of Debian ${release} cannot be installed from ${MIRROR}; try again later:\n${messageOf(error)}`,
      );
    }
  });
}
