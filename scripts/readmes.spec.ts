import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { ROOT, readPackages } from './pack-packages.mjs';
import { codeOf } from './readme-code.mjs';

const PACKAGES = [...readPackages()].map(([name, { directory }]) => ({
  name,
  directory,
  readme: readFileSync(join(directory, 'README.md'), 'utf8'),
}));

/** Headings of the second level that every README has, in this order; others may stand between them. */
const SECTIONS = ['Install', 'Usage', 'Options', 'Links'];

/** Text without code, in which a `#` is no heading and brackets are no link. */
const prose = (markdown: string): string => markdown.replace(/^```[\s\S]*?^```/gm, '');

function section(markdown: string, heading: string): string {
  return markdown.split(/^## /m).find((text) => text.startsWith(`${heading}\n`)) ?? '';
}

describe.each(PACKAGES)('README of $name', ({ name, directory, readme }) => {
  test('begins with the name, and one sentence that says what it is', () => {
    const [title, sentence] = readme.split('\n\n');
    expect(title).toBe(`# ${name}`);
    expect(sentence).toMatch(/^[A-Z][^#|]*\.$/);
    expect(sentence).not.toMatch(/\. [A-Z]/);
  });

  test('has the same sections in the same order', () => {
    const headings = [...prose(readme).matchAll(/^## (.+)$/gm)].map(([, heading]) => heading);
    expect(headings.filter((heading) => heading !== undefined && SECTIONS.includes(heading))).toEqual(SECTIONS);
    expect(headings[0]).toBe('Install');
    expect(headings.at(-1)).toBe('Links');
  });

  test('says how to install it, shows code that runs, and has a table of options', () => {
    expect(section(readme, 'Install')).toMatch(new RegExp(`npm install .*${name}`));
    expect(codeOf(readme).some(({ run }) => run)).toBe(true);
    expect(section(readme, 'Options')).toMatch(/^\| .*default.* \|$/m);
  });

  test('installs every peer that a user has to bring', () => {
    const manifest = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as {
      peerDependencies?: Record<string, string>;
      peerDependenciesMeta?: Record<string, { optional?: boolean }>;
    };
    const peers = Object.keys(manifest.peerDependencies ?? {}).filter(
      (peer) => !manifest.peerDependenciesMeta?.[peer]?.optional,
    );
    for (const peer of peers) {
      expect(section(readme, 'Install')).toContain(peer);
    }
  });

  test('leads to files that there are', () => {
    const links = [...prose(readme).matchAll(/\]\(([^)#]+)(?:#[^)]*)?\)/g)].map(([, target = '']) => target);
    const broken = links.filter((target) => !/^https?:/.test(target) && !existsSync(join(directory, target)));
    expect(links.length).toBeGreaterThan(0);
    expect(broken).toEqual([]);
  });
});

test.each([
  ['core', 'sync/proxier-options.ts', 'ProxierOptions'],
  ['health-checks', 'health-checks.ts', 'HealthChecksOptions'],
  ['iptables', 'backend.ts', 'IptablesBackendOptions'],
  ['ipvs', 'backend.ts', 'IpvsBackendOptions'],
  ['nftables', 'backend.ts', 'NftablesBackendOptions'],
  ['server', 'proxy-server-options.ts', 'ProxyServerOptions'],
  ['source-kubernetes', 'kubernetes-source.ts', 'KubernetesSourceOptions'],
  ['source-manifests', 'manifest-source.ts', 'ManifestSourceOptions'],
  ['userspace', 'backend.ts', 'UserspaceBackendOptions'],
])('the README of %s has every option (%s, %s)', (name, file, type) => {
  const directory = join(ROOT, 'packages', name);
  const [declaration = ''] = readFileSync(join(directory, 'src', file), 'utf8')
    .split(new RegExp(`^export interface ${type}\\b`, 'm'))
    .slice(1);
  const body = declaration.split('\n}')[0] ?? '';
  const options = [...body.matchAll(/^ {2}readonly (\w+)\??:/gm)].map(([, option = '']) => option);
  const documented = section(readFileSync(join(directory, 'README.md'), 'utf8'), 'Options');
  expect(options.length).toBeGreaterThan(0);
  expect(options.filter((option) => !new RegExp(`\`${option}\\b`).test(documented))).toEqual([]);
});

const withoutIndentation = (code: string): string => code.trim().replace(/^ +/gm, '');

test('the guide for backends shows the code of the example as it is', () => {
  const guide = readFileSync(join(ROOT, 'docs/writing-a-backend.md'), 'utf8');
  const quotes = [...guide.matchAll(/<!-- from (\S+) -->\n+```ts\n([\s\S]*?)```/g)];
  expect(quotes.length).toBeGreaterThan(5);
  for (const [, path = '', quoted = ''] of quotes) {
    expect(withoutIndentation(readFileSync(join(ROOT, path), 'utf8'))).toContain(withoutIndentation(quoted));
  }
});
