/**
 * Run by `lerna version` (the script `version`): lerna sets the version of a package, and of our packages among its
 * dependencies, but not among its peers. Sets those, and where the package comes from, which is the remote `origin`: npm
 * refuses provenance that names another repository than the package does, and finds by it what READMEs link to. Stages
 * all of it for lerna's commit.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

const { stdout: origin } = spawnSync('git', ['remote', 'get-url', 'origin'], { encoding: 'utf8' });
const [, host, repository] =
  /^(?:[a-z+]+:\/\/)?(?:[^@/]+@)?([^:/]+)(?::\d+\/|[:/])(.+?)(?:\.git)?\n$/.exec(origin) ?? [];
if (repository === undefined) {
  console.error(
    'There is no remote origin for the npm field repository: git remote add origin https://…, then try again.',
  );
  process.exit(1);
}

const manifests = readdirSync('packages').map((name) => {
  const path = `packages/${name}/package.json`;
  return { path, directory: `packages/${name}`, manifest: JSON.parse(readFileSync(path, 'utf8')) };
});
const versions = new Map(manifests.map(({ manifest: { name, version } }) => [name, version]));
for (const { path, directory, manifest } of manifests) {
  manifest.repository = { type: 'git', url: `git+https://${host}/${repository}.git`, directory };
  for (const kind of ['peerDependencies', 'devDependencies', 'dependencies']) {
    for (const name of Object.keys(manifest[kind] ?? {}).filter((candidate) => versions.has(candidate))) {
      manifest[kind][name] = versions.get(name);
    }
  }
  writeFileSync(path, `${JSON.stringify(manifest, null, 2)}\n`);
}
/** @type {[command: string, ...args: string[]][]} */
const COMMANDS = [
  ['npm', 'install', '--package-lock-only', '--ignore-scripts', '--prefer-offline', '--loglevel=error'],
  ['git', 'add', 'packages', 'package-lock.json'],
];
for (const [command, ...args] of COMMANDS) {
  const { status } = spawnSync(command, args, { stdio: 'inherit' });
  if (status !== 0) {
    process.exit(status ?? 1);
  }
}
