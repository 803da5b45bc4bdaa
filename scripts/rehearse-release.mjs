/**
 * Rehearses a release in a clone that is thrown away: `lerna version` without a push, and `npm publish --dry-run` of every
 * package. Fails when a package would be left behind, or would name another by an old version, or would not say where it comes from.
 */
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT, readPackages, run } from './pack-packages.mjs';
import { PrepareError, prepare, runScript } from './prepare.mjs';

const VERSION = '9.9.9';
const GIT = ['-c', 'user.name=rehearsal', '-c', 'user.email=rehearsal@localhost', '-c', 'commit.gpgsign=false'];

await runScript(async () => {
  prepare();
  const directory = mkdtempSync(join(tmpdir(), 'kube-proxier-release-'));
  try {
    const packages = readPackages();
    // The current files, committed or not.
    const files = (await run('git', ['ls-files', '-z', '-co', '--exclude-standard'], ROOT)).split('\0').filter(Boolean);
    for (const file of files) {
      cpSync(join(ROOT, file), join(directory, file), { force: true });
    }
    for (const { directory: from } of packages.values()) {
      cpSync(join(from, 'dist'), join(directory, from.slice(ROOT.length), 'dist'), { recursive: true });
    }
    symlinkSync(join(ROOT, 'node_modules'), join(directory, 'node_modules'));
    await run('git', ['init', '--quiet', '--initial-branch=main'], directory);
    await run('git', ['remote', 'add', 'origin', 'git@example.com:somebody/kube-proxier.git'], directory);
    await run('git', ['add', '--all'], directory);
    await run('git', [...GIT, 'commit', '--quiet', '--message', 'core: something new'], directory);
    const lerna = join(ROOT, 'node_modules/.bin/lerna');
    const options = ['--yes', '--no-push', '--no-git-tag-version', '--force-publish', '--loglevel=error'];
    await run(lerna, ['version', VERSION, ...options], directory);
    for (const [name, { directory: from }] of packages) {
      const place = join(directory, from.slice(ROOT.length));
      const { version, dependencies, peerDependencies, publishConfig, repository } = JSON.parse(
        readFileSync(join(place, 'package.json'), 'utf8'),
      );
      const old = Object.entries({ ...dependencies, ...peerDependencies }).filter(
        ([other, range]) => packages.has(other) && range !== VERSION,
      );
      if (version !== VERSION || old.length > 0) {
        throw new PrepareError(`${name} would be ${version}, with ${old.map((pair) => pair.join(' ')).join(', ')}`);
      }
      if (publishConfig?.provenance !== true || publishConfig.access !== 'public') {
        throw new PrepareError(`${name}: publishConfig must say access public and provenance true`);
      }
      if (
        repository?.url !== 'git+https://example.com/somebody/kube-proxier.git' ||
        !place.endsWith(`/${repository.directory}`)
      ) {
        throw new PrepareError(`${name}: npm refuses provenance without the repository, which is ${repository?.url}`);
      }
    }
    // Provenance can only be had where a workflow publishes.
    const flags = ['--dry-run', '--ignore-scripts', '--no-provenance', '--loglevel=error', '--json'];
    const workspaces = [...packages.keys()].flatMap((name) => ['--workspace', name]);
    const published = JSON.parse(await run('npm', ['publish', ...flags, ...workspaces], directory));
    for (const name of packages.keys()) {
      if (published[name]?.version !== VERSION) {
        throw new PrepareError(`${name} would not be published: ${JSON.stringify(published[name])}`);
      }
      process.stdout.write(`ok  ${name}@${VERSION}\n`);
    }
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});
