import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';

const ROOT = join(import.meta.dirname, '..');
const BUNDLE = join(ROOT, 'packages/agent/bundle');
/** Errors have the names of their classes, which a bundler may change where two modules use one name. */
const ERROR_CLASS = /^export (?:abstract )?class (\w+) extends (?:Error|\w+Error)\b/gm;

function errorClasses(): string[] {
  const sources = execFileSync('git', ['ls-files', 'packages/*/src/*.ts'], { cwd: ROOT, encoding: 'utf8' })
    .split('\n')
    .filter((path) => path !== '' && !path.endsWith('.spec.ts') && !path.includes('/testing/'));
  return sources.flatMap((path) =>
    [...readFileSync(join(ROOT, path), 'utf8').matchAll(ERROR_CLASS)].map(([, name = '']) => name),
  );
}

/** Names of the classes in the bundle, as `constructor.name` has them. */
function bundledClasses(): ReadonlySet<string> {
  const text = readdirSync(BUNDLE)
    .filter((name) => name.endsWith('.js') || name.endsWith('.mjs'))
    .map((name) => readFileSync(join(BUNDLE, name), 'utf8'))
    .join('\n');
  const assigned = [...text.matchAll(/\b(\w+)=class(?= extends\b|\{)/g)];
  const named = [...text.matchAll(/\bclass (?!extends\b)(\w+)/g)];
  return new Set([...assigned, ...named].map(([, name = '']) => name));
}

test('errors of the bundled agent have the names of their classes', () => {
  const classes = errorClasses();
  const bundled = bundledClasses();
  const renamed = classes.flatMap((name) =>
    [...bundled].filter((other) => other !== name && new RegExp(`^_?${name}\\d*$`).test(other)),
  );
  expect(renamed).toEqual([]);
  expect(classes.filter((name) => bundled.has(name)).length).toBeGreaterThan(30);
});

interface SourceMap {
  readonly sources: readonly string[];
}

/** Chunks of the bundle that are loaded together with the chunks of these modules, by imports that are not on demand. */
function chunksOf(modules: readonly RegExp[]): ReadonlySet<string> {
  const chunks = readdirSync(BUNDLE).filter((name) => name.endsWith('.js'));
  const sources = (chunk: string) =>
    (JSON.parse(readFileSync(join(BUNDLE, `${chunk}.map`), 'utf8')) as SourceMap).sources;
  const loaded = new Set<string>();
  const load = (chunk: string) => {
    if (!loaded.has(chunk)) {
      loaded.add(chunk);
      const text = readFileSync(join(BUNDLE, chunk), 'utf8');
      for (const [, next = ''] of text.matchAll(/(?:from|import)\s*"\.\/([^"]+)"/g)) {
        load(next);
      }
    }
  };
  for (const module of modules) {
    const found = chunks.filter((chunk) => sources(chunk).some((source) => module.test(source)));
    expect([module, found]).toEqual([module, [expect.any(String)]]);
    load(found[0] as string);
  }
  return loaded;
}

test('a start of the agent loads no other command, and no source that is not used', () => {
  const start = [/^\.\.\/src\/run-process\.ts$/, /^\.\.\/src\/compose\.ts$/, /^\.\.\/src\/agent\.ts$/];
  const agent = chunksOf([...start, /running\/run-agent\.ts$/, /\/kubernetes-source\.ts$/]);
  const others = [
    ...['doctor/doctor', 'doctor/host-facts', 'explain/explain', 'get/get', 'planning/plan', 'record/record'],
    ...['replay/replay', 'status/status', 'verify/verify', 'what-changed/what-changed', 'manifest-source'],
    ...['health-checks/src/health-checks'],
  ];
  for (const other of others) {
    const [chunk] = chunksOf([new RegExp(`/${other}\\.ts$`)]);
    expect([other, agent.has(chunk ?? '')]).toEqual([other, false]);
  }
});
