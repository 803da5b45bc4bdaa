import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { handWrittenSection } from './conformance.mjs';

const PAGE = fileURLToPath(new URL('../docs/conformance.md', import.meta.url));

describe('the section of the page that is written by hand', () => {
  test('ends where the matrix begins', () => {
    expect(handWrittenSection('# Page\n\n## kube-proxy\n\nText.\n\n## Matrix\n\n| case |\n')).toBe(
      '## kube-proxy\n\nText.\n\n',
    );
  });

  test('need not be there', () => {
    expect(handWrittenSection('# Page\n\n## Matrix\n')).toBe('');
  });

  test('is in the page', () => {
    const section = handWrittenSection(readFileSync(PAGE, 'utf8'));
    expect(section).toContain('- kube-proxy iptables: ');
    expect(section).not.toContain('## Matrix');
  });
});
