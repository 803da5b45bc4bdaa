import { spawnSync } from 'node:child_process';
import { describe, expect, test } from '@jest/globals';
import type { IPFamily, PathPacket } from '@kube-proxier/core';
import { casesOf } from '@kube-proxier/core/testing';
import { iptablesProgram } from '../iptables/iptables-command.js';
import { openIptablesRules } from '../iptables/netlink/iptables-rule-lookup.js';
import { canMakeNamespaces, withNamespace } from '../process/network-namespace.js';
import { readNetfilterPath } from './read-netfilter-path.js';
import { becomeNode } from './test-node.js';

const hasIpSets = canMakeNamespaces() && spawnSync('ipset', ['--version']).status === 0;
const on = hasIpSets ? describe : describe.skip;

interface Case {
  readonly type: string;
  readonly options?: string;
  readonly entries: readonly string[];
  readonly sides: string;
  /** Default IPv4. */
  readonly family?: IPFamily;
}

const CASES = casesOf<Case>(
  [
    { type: 'hash:ip', entries: ['10.0.0.1', '10.0.0.9'], sides: 'dst' },
    { type: 'hash:net', entries: ['10.0.0.0/8', '10.0.0.0/31 nomatch', '10.0.0.1'], sides: 'dst' },
    { type: 'hash:ip,port', entries: ['10.0.0.1,tcp:80', '10.0.0.2,udp:80', '10.0.0.3,tcp:40000'], sides: 'dst,dst' },
    { type: 'hash:net,net', entries: ['10.0.0.0/30,203.0.113.0/24', '10.0.0.2,203.0.113.1 nomatch'], sides: 'dst,src' },
    {
      type: 'hash:net',
      options: 'family inet6',
      entries: ['2001:db8::/126', '2001:db8::2 nomatch'],
      sides: 'dst',
      family: 'IPv6',
    },
    { type: 'bitmap:port', options: 'range 1-65535', entries: ['80'], sides: 'dst' },
  ],
  [
    { type: 'hash:ip', entries: ['203.0.113.1'], sides: 'src' },
    { type: 'hash:ip', options: 'netmask 24', entries: ['10.0.0.77'], sides: 'dst' },
    { type: 'hash:ip', options: 'timeout 3600 counters comment', entries: ['10.0.0.1'], sides: 'dst' },
    { type: 'hash:net', entries: ['203.0.112.0/20'], sides: 'src' },
    { type: 'hash:ip,port', entries: ['10.0.0.1,tcp:40000'], sides: 'dst,src' },
    { type: 'hash:net,port', entries: ['10.0.0.0/30,tcp:80', '10.0.0.2,tcp:80 nomatch'], sides: 'dst,dst' },
    { type: 'hash:ip,port,ip', entries: ['10.0.0.1,tcp:80,203.0.133.1'], sides: 'dst,dst,src' },
    { type: 'hash:ip,port,net', entries: ['10.0.0.1,tcp:80,203.0.133.0/24'], sides: 'dst,dst,src' },
    { type: 'hash:net,port,net', entries: ['10.0.0.0/31,tcp:79-81,203.0.112.0/20'], sides: 'dst,dst,src' },
    { type: 'hash:ip', options: 'family inet6', entries: ['2001:db8::1'], sides: 'dst', family: 'IPv6' },
    { type: 'bitmap:ip', options: 'range 10.0.0.0/16', entries: ['10.0.0.1'], sides: 'dst' },
  ],
);

const DESTINATIONS: Readonly<Record<IPFamily, readonly string[]>> = {
  IPv4: ['10.0.0.0', '10.0.0.1', '10.0.0.2', '10.0.0.3', '10.1.0.1'],
  IPv6: ['2001:db8::1', '2001:db8::2', '2001:db8::3', '2001:db8::5'],
};

function packetsOf(family: IPFamily): readonly PathPacket[] {
  const entry = { kind: 'interface' as const, name: undefined };
  return DESTINATIONS[family].flatMap((destination, index) => {
    const source = family === 'IPv4' ? `203.0.${113 + 20 * (index % 2)}.1` : '3fff::1';
    return (['TCP', 'UDP'] as const).map((protocol) => ({
      ...{ source, sourcePort: 40_000, destination, protocol, port: index === 4 ? 81 : 80, entry },
    }));
  });
}

/** The entry of a set that stands for a packet. */
function elementOf({ type, sides }: Case, packet: PathPacket): string {
  const [, parts = ''] = type.split(':');
  const protocol = packet.protocol.toLowerCase();
  return parts
    .split(',')
    .map((part, index) => {
      const isSource = sides.split(',')[index] === 'src';
      return part !== 'port'
        ? isSource
          ? packet.source
          : packet.destination
        : `${type === 'bitmap:port' ? '' : `${protocol}:`}${isSource ? packet.sourcePort : packet.port}`;
    })
    .join(',');
}

on.each(['nft', 'legacy'] as const)('rules of another program that match IP sets, iptables-%s', (variant) => {
  test.each(CASES)('$type $options, $sides', async (one) => {
    await withNamespace(async ({ runner, files }) => {
      const { entries, family = 'IPv4', options = '', sides, type } = one;
      await becomeNode(runner, [family === 'IPv4' ? '192.168.0.2' : 'fd00::2']);
      const ipset = (...args: readonly string[]) => runner.run({ command: 'ipset', args });
      try {
        await ipset('create', 'some', type, ...options.split(' ').filter((word) => word !== ''));
      } catch {
        // The kernel does not have this type.
        return;
      }
      for (const entry of entries) {
        await ipset('add', 'some', ...entry.split(' '));
      }
      await runner.run({
        command: iptablesProgram(family, variant, 'restore'),
        args: ['--noflush'],
        stdin: `*filter\n-A FORWARD -m set --match-set some ${sides} -j DROP\nCOMMIT\n`,
      });
      const live = variant === 'nft' ? { liveIptables: () => openIptablesRules(family, runner) } : {};
      const path = await readNetfilterPath({ family, runner, files, ...live });
      const expected: string[] = [];
      const found: string[] = [];
      for (const packet of packetsOf(family)) {
        const element = elementOf(one, packet);
        const isIn = await ipset('test', 'some', element).then(
          () => true,
          () => false,
        );
        expected.push(`${element} ${isIn ? 'dropped' : 'accepted'}`);
        found.push(`${element} ${path.outcomesOf(packet).map(({ verdict, unknown }) => verdict + unknown.length)}`);
      }
      path.close();
      expect(found).toEqual(expected.map((text) => `${text}0`));
      expect(new Set(expected.map((text) => text.split(' ').at(-1)))).toEqual(new Set(['dropped', 'accepted']));
    });
  });

  test('a list of sets, a negated match, and a set of a type that is not evaluated', async () => {
    await withNamespace(async ({ runner, files }) => {
      await becomeNode(runner, ['192.168.0.2']);
      const stdin = [
        ...['create a hash:ip', 'add a 10.0.0.1', 'create b hash:net', 'add b 10.0.0.2/31'],
        ...['create some list:set', 'add some a', 'add some b', 'create more list:set', 'add more a', ''],
      ].join('\n');
      await runner.run({ command: 'ipset', args: ['restore'], stdin });
      let isAdded = false;
      for (const type of ['hash:mac', 'hash:ip,mark', 'hash:net,iface']) {
        // Not every kernel has each type.
        isAdded ||= await runner.run({ command: 'ipset', args: ['create', 'c', type] }).then(
          () => true,
          () => false,
        );
      }
      if (isAdded) {
        await runner.run({ command: 'ipset', args: ['add', 'more', 'c'] });
      }
      const verdicts = async (match: string) => {
        await runner.run({
          command: iptablesProgram('IPv4', variant, 'restore'),
          args: ['--noflush'],
          stdin: `*filter\n-F FORWARD\n-A FORWARD -m set ${match} -j DROP\nCOMMIT\n`,
        });
        const live = variant === 'nft' ? { liveIptables: () => openIptablesRules('IPv4', runner) } : {};
        const path = await readNetfilterPath({ family: 'IPv4', runner, files, ...live });
        const found = ['10.0.0.1', '10.0.0.3', '10.0.0.5'].map((destination) =>
          path
            .outcomesOf({
              ...{ source: '203.0.113.1', sourcePort: 40_000, destination, protocol: 'TCP', port: 80 },
              entry: { kind: 'interface', name: undefined },
            })
            .map(({ unknown, verdict }) => (unknown.length > 0 ? `${verdict}?` : verdict))
            .join(' '),
        );
        path.close();
        return found;
      };
      expect(await verdicts('--match-set some dst')).toEqual(['dropped', 'dropped', 'accepted']);
      expect(await verdicts('! --match-set some dst')).toEqual(['accepted', 'accepted', 'dropped']);
      const other = isAdded ? 'dropped? accepted?' : 'accepted';
      expect(await verdicts('--match-set more dst')).toEqual(['dropped', other, other]);
    });
  });
});
