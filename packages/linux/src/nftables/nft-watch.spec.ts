import { expect, test } from '@jest/globals';
import { type NftChange, NftMonitorReader } from './nft-watch.js';

const OUTPUT = `add element ip kube-proxier services { 10.96.0.1 . tcp . 80 : drop }
# new generation 2 by process 11 (nft)
add table ip other
add element ip6 kube-proxier services { fd00::1 . tcp . 80 : drop }
add element ip kube-proxier2 services { 10.96.0.1 . tcp . 80 : drop }
# new generation 3 by process 12 (nft)
delete rule ip kube-proxier dispatch handle 4
delete table ip kube-proxier
# new generation 4 by process 13 (a (b) c)
flush chain ip kube-proxier dispatch
# new generation 5
`;

test.each([1, 7, 1000])('the process that changed the table, read in pieces of %i', (size) => {
  const found: NftChange[] = [];
  const reader = new NftMonitorReader('ip', 'kube-proxier', (change) => found.push(change));
  for (let start = 0; start < OUTPUT.length; start += size) {
    reader.read(OUTPUT.slice(start, start + size));
  }
  expect(found).toEqual([
    { pid: 11, program: 'nft' },
    { pid: 13, program: 'a (b) c' },
    { pid: undefined, program: undefined },
  ]);
});

test.each([1, 1000])(
  'a change that nft cannot print is assigned to the process of its transaction, read in pieces of %i',
  (size) => {
    const found: NftChange[] = [];
    const reader = new NftMonitorReader('ip', 'kube-proxier', (change) => found.push(change));
    const complain = (text: string) => {
      for (let start = 0; start < text.length; start += size) {
        reader.readComplaint(text.slice(start, start + size));
      }
    };
    complain('W: Received event for an unknown set.\nW: Unable to cache set_elem. Set not found.\n');
    expect(found).toEqual([]);
    reader.read('# new generation 6 by process 11 (nft)\n');
    expect(found).toEqual([{ pid: 11, program: 'nft', uncertain: true }]);
    complain('netlink: Error: we lost some\n');
    expect(found).toHaveLength(2);
    expect(found[1]).toEqual({ pid: undefined, program: undefined, uncertain: true });
  },
);

test('a transaction of iptables that nft monitor cannot print is not reported as a change of the table', () => {
  const found: NftChange[] = [];
  const reader = new NftMonitorReader('ip', 'kube-proxier', (change) => found.push(change));
  for (const program of ['iptables-nft-re', 'ip6tables-nft-r', 'iptables', 'xtables-nft-mul', 'ebtables-nft']) {
    reader.readComplaint('W: Received event for an unknown set.\n');
    reader.read(`# new generation 7 by process 21 (${program})\n`);
  }
  expect(found).toEqual([]);
  reader.readComplaint('W: Received event for an unknown set.\n');
  reader.read('# new generation 8 by process 22 (firewalld)\n');
  reader.read('flush chain ip kube-proxier dispatch\n# new generation 9 by process 23 (iptables-nft-re)\n');
  expect(found).toEqual([
    { pid: 22, program: 'firewalld', uncertain: true },
    { pid: 23, program: 'iptables-nft-re' },
  ]);
});
