/**
 * Run by `lerna version` (the script `version`): lerna sets the version of a package, and of our packages among its
 * dependencies, but not among its peers. Sets those, and stages them for lerna's commit.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

const manifests = readdirSync('packages').map((name) => {
  const path = `packages/${name}/package.json`;
  return { path, manifest: JSON.parse(readFileSync(path, 'utf8')) };
});
const versions = new Map(manifests.map(({ manifest: { name, version } }) => [name, version]));
for (const { path, manifest } of manifests) {
  for (const kind of ['peerDependencies', 'devDependencies', 'dependencies']) {
    for (const name of Object.keys(manifest[kind] ?? {}).filter((candidate) => versions.has(candidate))) {
      manifest[kind][name] = versions.get(name);
    }
  }
  writeFileSync(path, `${JSON.stringify(manifest, null, 2)}\n`);
}
for (const [command, ...args] of [
  ['npm', 'install', '--package-lock-only', '--ignore-scripts', '--prefer-offline', '--loglevel=error'],
  ['git', 'add', 'packages', 'package-lock.json'],
]) {
  const { status } = spawnSync(command, args, { stdio: 'inherit' });
  if (status !== 0) {
    process.exit(status ?? 1);
  }
}
