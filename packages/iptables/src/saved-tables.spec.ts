import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { parseDocument, renderDocument } from '@kube-proxier/linux';

/** Lines in an order of their own, without comments and counters, which are not kept. */
function linesOf(text: string): readonly string[] {
  return text
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .map((line) => line.replace(/ \[\d+:\d+\]$/, ' [0:0]'))
    .sort();
}

test.each(['kube-proxy-iptables.save', 'kube-proxy-ip6tables.save'])(
  '%s: no line is lost, and rules keep their order',
  (file) => {
    const saved = readFileSync(new URL(`../testdata/${file}`, import.meta.url), 'utf8');
    const document = parseDocument(saved);
    expect([...document.keys()].sort()).toEqual(['filter', 'mangle', 'nat']);
    expect(linesOf(renderDocument(document))).toEqual(linesOf(saved));
    expect(parseDocument(renderDocument(document))).toEqual(document);
  },
);
