/**
 * Writes a software bill of materials (CycloneDX 1.6) of each npm package, with its dependencies as the lock has them:
 *
 *   npm run package-sboms -- DIRECTORY
 *
 * `npm sbom --omit=dev --workspace` is not used: of npm 11.19 it lacks packages that development dependencies need as well.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { npmComponent } from './image/sbom.mjs';
import { ROOT, readPackages } from './pack-packages.mjs';
import { PrepareError, runScript } from './prepare.mjs';

/**
 * @typedef {object} LockEntry
 * @property {string} [name] where it is not the end of the path
 * @property {string} [version]
 * @property {string} [license]
 * @property {string} [integrity]
 * @property {string} [resolved] of a link: the path that it leads to
 * @property {boolean} [link]
 * @property {Record<string, string>} [dependencies]
 * @property {Record<string, string>} [optionalDependencies]
 *
 * @typedef {Record<string, LockEntry>} LockedPackages by path
 *
 * @typedef {ReturnType<typeof npmComponent> & {hashes?: readonly {alg: string, content: string}[]}} Component
 */

/**
 * The bill of materials of a package of this repository. Optional dependencies are listed, for all platforms; development
 * dependencies and peers are not. Pure.
 *
 * @param {LockedPackages} locked `packages` of the lock
 * @param {string} path such as `packages/core`
 * @throws PrepareError naming a dependency that the lock lacks.
 */
export function packageSbom(locked, path) {
  /** By path: the paths of what it depends on. */
  const found = new Map(/** @type {[string, readonly string[]][]} */ ([]));
  const pending = [path];
  for (const at of pending) {
    if (!found.has(at)) {
      const needs = dependenciesOf(locked, at);
      found.set(at, needs);
      pending.push(...needs);
    }
  }
  const components = new Map([...found.keys()].map((at) => [at, componentOf(locked, at)]));
  const refOf = (/** @type {string} */ at) => components.get(at)?.['bom-ref'] ?? at;
  // One version in several places is one component.
  const byRef = new Map([...components.values()].map((one) => [one['bom-ref'], one]));
  byRef.delete(refOf(path));
  const dependsOn = new Map(/** @type {[string, Set<string>][]} */ ([]));
  for (const [at, needs] of found) {
    const known = dependsOn.get(refOf(at)) ?? new Set();
    dependsOn.set(refOf(at), new Set([...known, ...needs.map(refOf)]));
  }
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: components.get(path) },
    components: [...byRef.values()].sort(byRefOrder),
    dependencies: [...dependsOn].map(([ref, refs]) => ({ ref, dependsOn: [...refs].sort() })),
  };
}

/**
 * @param {LockedPackages} locked
 * @param {string} at
 * @returns {readonly string[]} paths
 */
function dependenciesOf(locked, at) {
  const { dependencies = {}, optionalDependencies = {} } = locked[at] ?? {};
  return Object.keys({ ...dependencies, ...optionalDependencies }).flatMap((name) => {
    const path = resolve(locked, at, name);
    if (path === undefined && !(name in optionalDependencies)) {
      throw new PrepareError(
        `${at} depends on ${name}, which package-lock.json lacks; run "npm install --package-lock-only"`,
      );
    }
    return path ?? [];
  });
}

/**
 * Where Node finds a package from another: in the nearest `node_modules`, upwards.
 *
 * @param {LockedPackages} locked
 * @param {string} from
 * @param {string} name
 */
function resolve(locked, from, name) {
  const parts = from.split('/');
  for (let count = parts.length; count >= 0; count -= 1) {
    const path = [...parts.slice(0, count), 'node_modules', name].join('/');
    const entry = locked[path];
    if (entry !== undefined) {
      return entry.link ? entry.resolved : path;
    }
  }
  return undefined;
}

/**
 * @param {LockedPackages} locked
 * @param {string} at
 * @returns {Component}
 */
function componentOf(locked, at) {
  const {
    name = at.slice(at.lastIndexOf('node_modules/') + 'node_modules/'.length),
    version,
    license,
    integrity,
  } = locked[at] ?? {};
  if (version === undefined || license === undefined) {
    throw new PrepareError(
      `package-lock.json has no version or licence of ${at}; run "npm install --package-lock-only"`,
    );
  }
  const hash = integrity?.startsWith('sha512-') ? integrity.slice('sha512-'.length) : undefined;
  return {
    ...npmComponent({ name, version, license }),
    ...(hash ? { hashes: [{ alg: 'SHA-512', content: Buffer.from(hash, 'base64').toString('hex') }] } : {}),
  };
}

/**
 * @param {Component} left
 * @param {Component} right
 */
function byRefOrder({ 'bom-ref': left }, { 'bom-ref': right }) {
  return left < right ? -1 : 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await runScript(async () => {
    const [directory = 'sbom'] = process.argv.slice(2);
    const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
    mkdirSync(directory, { recursive: true });
    for (const [name, { directory: from, manifest }] of readPackages()) {
      const file = join(directory, `${name.replace('@', '').replace('/', '-')}-${manifest.version}.cdx.json`);
      const sbom = packageSbom(packages, from.slice(ROOT.length));
      writeFileSync(file, `${JSON.stringify(sbom, undefined, 2)}\n`);
      process.stdout.write(`${file}: ${sbom.components.length} components\n`);
    }
  });
}
