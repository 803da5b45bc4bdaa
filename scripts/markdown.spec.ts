import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SKIPPED = ['node_modules', 'dist', 'bundle', '.git', 'coverage'];

function markdownIn(directory: string): readonly string[] {
  return readdirSync(join(ROOT, directory), { withFileTypes: true }).flatMap((entry) => {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) {
      return SKIPPED.includes(entry.name) ? [] : markdownIn(path);
    }
    return entry.name.endsWith('.md') ? [path] : [];
  });
}

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

interface Page {
  /** The lines outside of code blocks. */
  readonly prose: string;
  /** Line numbers of faults of code blocks. */
  readonly faults: readonly string[];
}

/** Separates code blocks as CommonMark does: a closing fence has nothing after it. */
function separate(text: string): Page {
  const prose: string[] = [];
  const faults: string[] = [];
  let open: { readonly fence: string; readonly line: number } | undefined;
  for (const [index, line] of text.split('\n').entries()) {
    const [, fence, rest = ''] = /^\s*(`{3,}|~{3,})(.*)$/.exec(line) ?? [];
    if (open === undefined && fence !== undefined) {
      open = { fence, line: index + 1 };
    } else if (open === undefined) {
      prose.push(line);
    } else if (fence?.startsWith(open.fence)) {
      if (rest.trim() !== '') {
        faults.push(`line ${index + 1}: text after a closing fence`);
      }
      open = undefined;
    }
  }
  return { prose: prose.join('\n'), faults: open ? [...faults, `line ${open.line}: not closed`] : faults };
}

/** Anchors of headings, as GitHub derives them. */
function anchorsOf(path: string): ReadonlySet<string> {
  const anchors = new Set<string>();
  for (const [, heading = ''] of separate(read(path)).prose.matchAll(/^#{1,6} (.+)$/gm)) {
    const anchor = heading
      .trim()
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\- _]/gu, '')
      .replaceAll(' ', '-');
    let number = 0;
    while (anchors.has(number === 0 ? anchor : `${anchor}-${number}`)) {
      number += 1;
    }
    anchors.add(number === 0 ? anchor : `${anchor}-${number}`);
  }
  return anchors;
}

const PAGES = markdownIn('.');

test('there are pages', () => {
  expect(PAGES).toEqual(expect.arrayContaining(['README.md', 'docs/migrating.md', 'packages/core/README.md']));
});

describe.each(PAGES)('%s', (page) => {
  const { prose, faults } = separate(read(page));

  test('code blocks are closed', () => {
    expect(faults).toEqual([]);
  });

  test('links lead to files and headings that exist', () => {
    const targets = [...prose.replace(/`[^`\n]*`/g, '').matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
    const broken = targets
      .filter((target) => !/^[a-z]+:/.test(target))
      .filter((target) => {
        const [file = '', anchor] = target.split('#');
        const path = file === '' ? join(ROOT, page) : resolve(ROOT, dirname(page), file);
        return (
          !existsSync(path) ||
          (anchor !== undefined && path.endsWith('.md') && !anchorsOf(relative(ROOT, path)).has(anchor))
        );
      });
    expect(broken).toEqual([]);
  });
});
