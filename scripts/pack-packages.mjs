/** Packs packages of this repository as npm would publish them, for those who try what users get. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PrepareError } from './prepare.mjs';

/**
 * @typedef {object} Manifest package.json, as far as scripts read it
 * @property {string} name
 * @property {string} version
 * @property {string} license
 * @property {readonly string[]} [keywords]
 * @property {readonly string[]} [files]
 * @property {Record<string, string>} [engines]
 * @property {Record<string, string>} [scripts]
 * @property {Record<string, string>} [bin]
 * @property {Record<string, string | Record<string, string>>} exports
 * @property {Record<string, string>} [dependencies]
 * @property {Record<string, string>} [peerDependencies]
 * @property {Record<string, string>} [optionalDependencies]
 * @property {Record<string, string>} [devDependencies]
 *
 * @typedef {object} WorkspacePackage
 * @property {string} directory
 * @property {Manifest} manifest
 *
 * @typedef {object} PackedPackage
 * @property {string} tarball
 * @property {readonly string[]} files
 */

export const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** @returns {Map<string, WorkspacePackage>} by name, all packages. */
export function readPackages() {
  const directories = readdirSync(join(ROOT, 'packages')).map((name) => join(ROOT, 'packages', name));
  return new Map(
    directories.map((directory) => {
      const manifest = /** @type {Manifest} */ (JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')));
      return [manifest.name, { directory, manifest }];
    }),
  );
}

/**
 * Names of ours that a package needs, itself first: dependencies and peers, theirs too.
 *
 * @param {string} name
 * @param {ReadonlyMap<string, WorkspacePackage>} [packages]
 */
export function closureOf(name, packages = readPackages()) {
  const names = new Set([name]);
  for (const one of names) {
    const { dependencies, peerDependencies } = packages.get(one)?.manifest ?? {};
    for (const needed of Object.keys({ ...dependencies, ...peerDependencies })) {
      if (packages.has(needed)) {
        names.add(needed);
      }
    }
  }
  return [...names];
}

/**
 * @param {readonly string[]} names of packages, all built.
 * @param {string} directory that the tarballs go to.
 * @returns {Promise<Map<string, PackedPackage>>} by name.
 */
export async function packPackages(names, directory) {
  const args = [
    ...['pack', '--json', '--loglevel=error', '--ignore-scripts', '--pack-destination', directory],
    ...names.flatMap((name) => ['--workspace', name]),
  ];
  /** @type {readonly {name: string, filename: string, files: readonly {path: string}[]}[]} */
  const packed = JSON.parse(await run('npm', args, ROOT));
  return new Map(
    packed.map(({ name, filename, files }) => [
      name,
      { tarball: join(directory, filename), files: files.map(({ path }) => path) },
    ]),
  );
}

/**
 * Runs a program to its end.
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @param {string} directory
 * @param {NodeJS.ProcessEnv} [environment] besides that of this process
 * @returns {Promise<string>} its standard output
 * @throws PrepareError with all of its output, when it fails.
 */
export async function run(command, args, directory, environment = {}) {
  const child = spawn(command, args, {
    cwd: directory,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...environment },
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text;
  });
  const [status] = await once(child, 'close');
  if (status !== 0) {
    throw new PrepareError(`${command} ${args.join(' ')} failed in ${directory}\n${`${stdout}${stderr}`.trim()}`);
  }
  return stdout;
}
