import { describe, expect, test } from '@jest/globals';
import { canMakeNamespaces, withNamespace } from '../process/network-namespace.js';
import { checkForwardedPackets } from './check-forwarded-packets.js';
import { becomeNode } from './test-node.js';

const on = canMakeNamespaces() ? describe : describe.skip;

on('a forwarded packet of a Service', () => {
  test.each<[what: string, commands: readonly string[], expected: object]>([
    ['passes a node without rules', [], { result: 'passed' }],
    [
      'is refused by the last rule of a chain',
      ['iptables-nft -A FORWARD -j REJECT'],
      { result: 'stopped', verdict: 'refused', by: { chain: 'FORWARD', table: 'filter' } },
    ],
    [
      'passes a rule for translated packets before that',
      ['iptables-nft -A FORWARD -m conntrack --ctstate DNAT -j ACCEPT', 'iptables-nft -A FORWARD -j REJECT'],
      { result: 'passed' },
    ],
    [
      'is dropped by a policy of nftables',
      ['nft add table inet x', 'nft add chain inet x f { type filter hook forward priority 0; policy drop; }'],
      { result: 'stopped', verdict: 'dropped', by: { chain: 'f', table: 'inet x', text: 'policy drop' } },
    ],
    [
      'may be dropped by a rule whose effect is not known',
      ['iptables-nft -A FORWARD -m limit --limit 1/min -j DROP'],
      { result: 'unknown', reason: expect.stringContaining('limit') },
    ],
  ])('%s', async (_what, commands, expected) => {
    await withNamespace(async ({ runner, files }) => {
      await becomeNode(runner, ['192.168.0.2']);
      for (const line of commands) {
        const [command = '', ...args] = line.split(' ');
        await runner.run({ command, args });
      }
      const request = { runner, files, source: '10.244.0.8', endpoint: '10.244.0.9' };
      expect(await checkForwardedPackets({ family: 'IPv4', ...request })).toMatchObject(expected);
    });
  });
});
