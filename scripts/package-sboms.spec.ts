import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const { packageSbom } = await import(join(ROOT, 'scripts/package-sboms.mjs'));

interface Component {
  readonly 'bom-ref': string;
  readonly name: string;
  readonly version: string;
  readonly licenses: readonly unknown[];
  readonly hashes?: readonly unknown[];
}
interface Sbom {
  readonly metadata: { readonly component: Component };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}
interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

const manifestOf = (directory: string) => JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as Manifest;

/** What Node loads from a directory: the nearest package of that name. */
function installed(from: string, name: string): string {
  for (let directory = from; ; directory = join(directory, '..')) {
    const candidate = join(directory, 'node_modules', name);
    if (existsSync(join(candidate, 'package.json'))) {
      return candidate;
    }
    if (directory === ROOT || directory === '/') {
      throw new Error(`${name} is not installed for ${from}`);
    }
  }
}

test.each(readdirSync(join(ROOT, 'packages')))(
  'the bill of materials of %s lists what is installed for it, and no development dependency',
  (name) => {
    const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
    const { metadata, components, dependencies }: Sbom = packageSbom(packages, `packages/${name}`);
    const directory = join(ROOT, 'packages', name);
    expect(metadata.component).toMatchObject({
      name: manifestOf(directory).name,
      version: manifestOf(directory).version,
    });

    const wanted = new Set<string>();
    const pending = [directory];
    for (const from of pending) {
      for (const dependency of Object.keys(manifestOf(from).dependencies ?? {})) {
        const at = installed(from, dependency);
        const { name: found, version } = manifestOf(at);
        const key = `${found}@${version}`;
        if (!wanted.has(key)) {
          wanted.add(key);
          pending.push(at);
        }
      }
    }
    const listed = components.map((one) => `${one.name}@${one.version}`);
    expect([...wanted].filter((one) => !listed.includes(one))).toEqual([]);
    expect(listed.filter((one) => /^(jest|typescript|lerna|esbuild|@biomejs\/biome)@/.test(one))).toEqual([]);
    expect(new Set(listed).size).toBe(listed.length);
    for (const { name: one, licenses, hashes } of components) {
      expect({ one, licenses: licenses.length }).toEqual({ one, licenses: 1 });
      expect({ one, hashed: hashes !== undefined }).toEqual({ one, hashed: !one.startsWith('@kube-proxier/') });
    }
    const refs = [metadata.component, ...components].map((one) => one['bom-ref']);
    expect(dependencies.map(({ ref }) => ref).sort()).toEqual(refs.sort());
    expect(dependencies.flatMap(({ dependsOn }) => dependsOn).filter((ref) => !refs.includes(ref))).toEqual([]);
  },
);

test('a dependency that the lock lacks is an error that names it; an optional one is left out', () => {
  const entry = { version: '1.0.0', license: 'MIT' };
  const locked = { 'packages/one': { ...entry, name: 'one', dependencies: { two: '1' } }, 'node_modules/three': entry };
  expect(() => packageSbom(locked, 'packages/one')).toThrow(
    'packages/one depends on two, which package-lock.json lacks',
  );
  const optional = { ...entry, name: 'one', dependencies: { three: '1' }, optionalDependencies: { two: '1' } };
  const { components }: Sbom = packageSbom({ ...locked, 'packages/one': optional }, 'packages/one');
  expect(components.map(({ name }) => name)).toEqual(['three']);
});
