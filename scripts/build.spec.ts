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
