import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { checkLayering } from './check-layering.mjs';

const REPOSITORY = fileURLToPath(new URL('..', import.meta.url));

describe('checkLayering', () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'layering-'));
    manifest('core', {});
    manifest('linux', { peerDependencies: ['core'] });
    manifest('iptables', { dependencies: ['linux'], peerDependencies: ['core'] });
    manifest('ipvs', { dependencies: ['linux'], peerDependencies: ['core'] });
    manifest('agent', { dependencies: ['core', 'linux', 'iptables', 'ipvs'] });
    source('core/src/index.ts', 'export const one = 1;');
    source('linux/src/index.ts', `import { one } from '@kube-proxier/core';\nexport { one };`);
    source('iptables/src/index.ts', `export * from '@kube-proxier/linux';`);
    source('ipvs/src/index.ts', `import type { one } from '@kube-proxier/core';`);
    source('agent/src/main.ts', `import '@kube-proxier/iptables';\nconsole.log(process.argv);\nprocess.exit(1);`);
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  function source(path: string, text: string): void {
    const file = join(root, 'packages', path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }

  function manifest(name: string, kinds: Record<string, string[]>): void {
    const entries = Object.entries(kinds).map(([kind, names]) => [
      kind,
      Object.fromEntries(names.map((target) => [target.includes('@') ? target : `@kube-proxier/${target}`, '0.1.0'])),
    ]);
    source(`${name}/package.json`, JSON.stringify({ name: `@kube-proxier/${name}`, ...Object.fromEntries(entries) }));
  }

  const readManifest = (name: string) =>
    JSON.parse(readFileSync(join(root, 'packages', name, 'package.json'), 'utf8')) as object;

  const violations = (): string[] => checkLayering(root).violations;

  test('is content with imports that run downwards', () => {
    expect(checkLayering(root)).toEqual({ files: 5, packages: 5, violations: [] });
  });

  test('reports circular imports, of types and over several files, once', () => {
    source('linux/src/one.ts', `import type { Two } from './two.js';\nexport type One = Two;`);
    source('linux/src/two.ts', `import type { Three } from './rooms/three.js';\nexport type Two = Three;`);
    source('linux/src/rooms/three.ts', `import type { One } from '../one.js';\nexport type Three = One;`);
    source('linux/src/three.spec.ts', `import './one.js';`);
    expect(violations()).toEqual([
      'circular imports: packages/linux/src/one.ts → packages/linux/src/two.ts → packages/linux/src/rooms/three.ts → ' +
        'packages/linux/src/one.ts; move what both need to a file of its own',
    ]);
    source('linux/src/rooms/three.ts', `export type Three = 3;`);
    expect(violations()).toEqual([]);
  });

  test('is content with this repository, and has looked at it', () => {
    const result = checkLayering(REPOSITORY);
    expect(result.violations).toEqual([]);
    expect(result.files).toBeGreaterThan(20);
  });

  test.each([
    ['static', `import { x } from '@kube-proxier/linux';`],
    ['over several lines', `import {\n  x,\n} from\n  "@kube-proxier/linux";`],
    ['type-only', `import type { X } from '@kube-proxier/linux';`],
    ['type expression', `export type X = import('@kube-proxier/linux').X;`],
    ['re-export', `export * from '@kube-proxier/linux';`],
    ['side effect', `import '@kube-proxier/linux';`],
    ['dynamic', `export const x = () => import('@kube-proxier/linux');`],
    ['dynamic with a template', 'export const x = () => import(`@kube-proxier/linux`);'],
    ['CommonJS', `const x = require('@kube-proxier/linux');`],
    ['of a subpath', `import { x } from '@kube-proxier/linux/testing';`],
  ])('fails on an upward import: %s', (_kind, text) => {
    source('core/src/upward.ts', text);
    expect(violations()).toEqual([
      expect.stringMatching(
        /^packages\/core\/src\/upward\.ts: imports '@kube-proxier\/linux.*may import nothing of ours$/,
      ),
    ]);
  });

  test('fails on a sideways import', () => {
    source('ipvs/src/sideways.ts', `import { chain } from '@kube-proxier/iptables';`);
    expect(violations()).toEqual([
      `packages/ipvs/src/sideways.ts: imports '@kube-proxier/iptables'; ipvs may import core, linux`,
    ]);
  });

  test('fails on a way around: a relative path into another package', () => {
    source('core/src/deep/around.ts', `import { x } from '../../../linux/src/index.js';`);
    source('core/src/inside.ts', `import { x } from './deep/around.js';`);
    expect(violations()).toEqual([
      `packages/core/src/deep/around.ts: reaches out of its package: '../../../linux/src/index.js'`,
    ]);
  });

  test('specs are held to it as well', () => {
    source('core/src/some.spec.ts', `import '@kube-proxier/agent';`);
    expect(violations()).toHaveLength(1);
  });

  test('backends know the conformance kit in their tests only', () => {
    manifest('ipvs', { peerDependencies: ['core'], devDependencies: ['conformance'] });
    source('ipvs/src/packets.int.spec.ts', `import { describeConformance } from '@kube-proxier/conformance/jest';`);
    expect(violations()).toEqual([]);
    source('ipvs/src/backend.ts', `import '@kube-proxier/conformance';`);
    expect(violations()).toEqual([expect.stringMatching(/^packages\/ipvs\/src\/backend\.ts: imports/)]);
  });

  test('code for tests that is not published may import what specs may, other code may not', () => {
    manifest('ipvs', { peerDependencies: ['core'], devDependencies: ['network-sandbox'] });
    source('ipvs/src/testing/host.ts', `import '@kube-proxier/network-sandbox';`);
    expect(violations()).toEqual([expect.stringMatching(/^packages\/ipvs\/src\/testing\/host\.ts: imports/)]);
    const files = ['dist', '!dist/testing'];
    source('ipvs/package.json', JSON.stringify({ ...readManifest('ipvs'), files }));
    expect(violations()).toEqual([]);
    source('ipvs/src/host.ts', `import '@kube-proxier/network-sandbox';`);
    expect(violations()).toEqual([expect.stringMatching(/^packages\/ipvs\/src\/host\.ts: imports/)]);
  });

  test.each(['dependencies', 'devDependencies', 'peerDependencies', 'optionalDependencies'])(
    'fails on an upward dependency: %s',
    (kind) => {
      manifest('core', { [kind]: ['agent'] });
      expect(violations()).toEqual([expect.stringContaining(`${kind} has @kube-proxier/agent`)]);
    },
  );

  test('fails on an import that package.json does not name', () => {
    manifest('linux', {});
    expect(violations()).toEqual([expect.stringContaining('does not name')]);
  });

  test('keeps the Kubernetes client in its place', () => {
    source('agent/src/client.ts', `import * as k8s from '@kubernetes/client-node';`);
    manifest('linux', { peerDependencies: ['core'], dependencies: ['@kubernetes/client-node'] });
    expect(violations()).toEqual([
      expect.stringContaining('only source-kubernetes may use'),
      expect.stringContaining('only source-kubernetes may use'),
    ]);
  });

  test.each([
    ['the console', `console.log('x');`],
    ['the end of the process', 'process.exit(1);'],
    ['flags', 'export const flags = process.argv;'],
    ['commander', `import { Command } from 'commander';`],
    ['modules chosen when it runs', 'export const load = (name: string) => import(name);'],
  ])('leaves %s to commands', (_what, text) => {
    source('linux/src/file.ts', text);
    expect(violations()).toHaveLength(1);
  });

  test.each([`import { readFile } from 'node:fs/promises';`, `import fs from 'fs';`])(
    'keeps Node out of core: %s',
    (text) => {
      source('core/src/file.ts', text);
      source('core/src/file.spec.ts', text);
      expect(violations()).toEqual([expect.stringMatching(/^packages\/core\/src\/file\.ts: .*any platform$/)]);
    },
  );

  test('does not take comments and texts for imports', () => {
    source(
      'core/src/comment.ts',
      `/**\n * import { x } from '@kube-proxier/linux';\n */\n// import '@kube-proxier/linux'; console.log\nexport const url = 'http://example.org';`,
    );
    expect(violations()).toEqual([]);
  });

  test('sees an import after a text that looks like a comment', () => {
    source('core/src/text.ts', `export const url = 'http://example.org'; import '@kube-proxier/linux';`);
    expect(violations()).toHaveLength(1);
  });

  test('plan/ of a backend is pure: it may import core, linux and its own files', () => {
    source('iptables/src/plan/chains.ts', `export const chains = [];`);
    source('iptables/src/iptables-error.ts', `export const error = 1;`);
    source(
      'iptables/src/plan/planner.ts',
      `import '@kube-proxier/core';\nimport '@kube-proxier/linux';\nimport './chains.js';\nimport '../iptables-error.js';`,
    );
    source('iptables/src/plan/planner.spec.ts', `import '../apply/apply.js';\nawait Date.now();`);
    expect(violations()).toEqual([]);
  });

  test.each([
    ['an import of another folder', `import '../apply/apply.js';`, /imports '..\/apply\/apply.js'; plan\/ may import/],
    ['an import of a module of Node', `import 'node:fs';`, /imports 'node:fs'; plan\/ may import/],
    ['an asynchronous function', `export async function plan() {}`, /is asynchronous; plan\/ is pure/],
    ['the clock', `export const now = Date.now();`, /reads a clock; plan\/ is pure/],
    ['a random number', `export const number = Math.random();`, /is random; plan\/ is pure/],
    ['a timer', `setTimeout(() => {}, 1);`, /sets a timer; plan\/ is pure/],
    ['the environment', `export const home = process.env.HOME;`, /uses the process; plan\/ is pure/],
  ])('fails on %s in plan/', (_what, text, message) => {
    source('iptables/src/plan/planner.ts', text);
    expect(violations()).toEqual([expect.stringMatching(message)]);
  });

  test('fails when there is nothing to check', () => {
    rmSync(join(root, 'packages'), { recursive: true });
    expect(violations()).toEqual([expect.stringContaining('no source files found')]);
    source('core/package.json', '{}');
    expect(violations()).toEqual([
      expect.stringContaining('packages/core: no sources found'),
      expect.stringContaining('no source files found'),
    ]);
  });

  test('fails on a package without a layer', () => {
    source('shiny/src/index.ts', 'export {};');
    expect(violations()).toEqual([expect.stringContaining('packages/shiny: not in the table')]);
  });
});
