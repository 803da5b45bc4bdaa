import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

test('the record of runtime dependencies lists exactly what packages depend on', () => {
  const used = readdirSync(join(ROOT, 'packages')).flatMap((name) => {
    const text = readFileSync(join(ROOT, 'packages', name, 'package.json'), 'utf8');
    const {
      dependencies = {},
      optionalDependencies = {},
      peerDependencies = {},
    } = JSON.parse(text) as Record<string, Record<string, string>>;
    return Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies }).filter(
      (one) => !one.startsWith('@kube-proxier/'),
    );
  });
  const record = readFileSync(join(ROOT, 'docs/decisions/runtime-dependencies.md'), 'utf8');
  const listed = [...record.matchAll(/^\| `([^`]+)`/gm)].map(([, name]) => name);
  expect(listed.sort()).toEqual([...new Set(used)].sort());
});

test('the bundle of the agent contains at most 15 third-party packages, as many as the record says', () => {
  const script = `import('./scripts/image/bundled-packages.mjs').then(({ bundledPackages }) => console.log(bundledPackages().length))`;
  const { stdout } = spawnSync(process.execPath, ['--eval', script], { cwd: ROOT, encoding: 'utf8' });
  const record = readFileSync(join(ROOT, 'docs/decisions/runtime-dependencies.md'), 'utf8');
  expect(/(\d+) packages without client-node/.exec(record)?.[1]).toBe(stdout.trim());
  expect(Number(stdout)).toBeLessThanOrEqual(15);
});
