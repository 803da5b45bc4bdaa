/** Packs packages of this repository as npm would publish them, for those who try what users get. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PrepareError } from './prepare.mjs';

export const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** @returns {Map<string, {directory: string, manifest: Record<string, any>}>} by name, all packages. */
export function readPackages() {
  const directories = readdirSync(join(ROOT, 'packages')).map((name) => join(ROOT, 'packages', name));
  return new Map(
    directories.map((directory) => {
      const manifest = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'));
      return [manifest.name, { directory, manifest }];
    }),
  );
}

/** Names of ours that a package needs, itself first: dependencies and peers, theirs too. */
export function closureOf(name, packages = readPackages()) {
  const names = new Set([name]);
  for (const one of names) {
    const { dependencies, peerDependencies } = packages.get(one).manifest;
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
 * @returns {Promise<Map<string, {tarball: string, files: readonly string[]}>>} by name.
 */
export async function packPackages(names, directory) {
  const args = [
    ...['pack', '--json', '--loglevel=error', '--ignore-scripts', '--pack-destination', directory],
    ...names.flatMap((name) => ['--workspace', name]),
  ];
  const packed = JSON.parse(await run('npm', args, ROOT));
  return new Map(
    packed.map(({ name, filename, files }) => [
      name,
      { tarball: join(directory, filename), files: files.map(({ path }) => path) },
    ]),
  );
}

/** Runs a program to its end and returns its output. @throws PrepareError with all that it said, when it fails. */
export async function run(command, args, directory, environment = {}) {
  const child = spawn(command, args, {
    cwd: directory,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...environment },
  });
  const said = { stdout: [], stderr: [] };
  child.stdout.on('data', (chunk) => said.stdout.push(chunk));
  child.stderr.on('data', (chunk) => said.stderr.push(chunk));
  const [status] = await once(child, 'close');
  const text = (stream) => Buffer.concat(said[stream]).toString('utf8');
  if (status !== 0) {
    const output = `${text('stdout')}${text('stderr')}`.trim();
    throw new PrepareError(`${command} ${args.join(' ')} failed in ${directory}\n${output}`);
  }
  return text('stdout');
}
