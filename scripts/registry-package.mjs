/** Packages of the npm registry that are used without being installed. Downloads are kept in `node_modules/.cache/`. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const CACHE = join(ROOT, 'node_modules/.cache/kube-proxier-image');

/**
 * @typedef {object} RegistryPackage
 * @property {string} name
 * @property {string} version
 * @property {string} integrity as in a package-lock.json
 */

/** A package is not the expected one. */
export class RegistryPackageError extends Error {}

/**
 * The directory of an unpacked package.
 *
 * @param {RegistryPackage} expected
 * @param {string} source of the expected integrity, for messages
 * @throws RegistryPackageError when the registry has another content.
 */
export function registryPackage({ name, version, integrity }, source) {
  const file = packFromRegistry(name, version);
  const found = integrityOf(readFileSync(file));
  if (found !== integrity) {
    throw new RegistryPackageError(
      `${name} ${version} has the integrity ${found}, but ${source} has ${integrity}: do not use it`,
    );
  }
  return unpack(file);
}

/**
 * The file of a package.
 *
 * @param {string} name
 * @param {string} version
 */
export function packFromRegistry(name, version) {
  mkdirSync(CACHE, { recursive: true });
  const file = join(CACHE, `${name.replace('@', '').replace('/', '-')}-${version}.tgz`);
  if (!existsSync(file)) {
    const directory = mkdtempSync(join(CACHE, 'npm-'));
    try {
      npm(['pack', '--silent', '--pack-destination', directory, `${name}@${version}`]);
      const [packed] = readdirSync(directory);
      renameSync(join(directory, packed ?? ''), file);
    } finally {
      rmSync(directory, { recursive: true });
    }
  }
  return file;
}

/** @param {string} file */
function unpack(file) {
  const directory = file.replace(/\.tgz$/, '');
  if (!existsSync(directory)) {
    const draft = mkdtempSync(join(CACHE, 'unpack-'));
    execFileSync('tar', ['--extract', '--gzip', '--file', file, '--directory', draft, '--strip-components=1']);
    renameSync(draft, directory);
  }
  return directory;
}

/** @param {readonly string[]} args */
export function npm(args) {
  return execFileSync('npm', args, { encoding: 'utf8', cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] });
}

/** @param {Uint8Array} contents */
export function integrityOf(contents) {
  return `sha512-${createHash('sha512').update(contents).digest('base64')}`;
}
