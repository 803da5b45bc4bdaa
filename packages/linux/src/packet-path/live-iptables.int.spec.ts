import { describe, expect, test } from '@jest/globals';
import type { IPFamily, PathOutcome } from '@kube-proxier/core';
import { casesOf } from '@kube-proxier/core/testing';
import { iptablesProgram } from '../iptables/iptables-command.js';
import { openIptablesRules } from '../iptables/netlink/iptables-rule-lookup.js';
import type { CommandRunner } from '../process/command-runner.js';
import { canMakeNamespaces, type TestNamespace, withNamespace } from '../process/network-namespace.js';
import type { NetfilterPath } from './netfilter-path.js';
import { readNetfilterPath } from './read-netfilter-path.js';
import { becomeNode } from './test-node.js';

const families = casesOf(['IPv4'] as const, ['IPv6'] as const);
const on = canMakeNamespaces() ? describe : describe.skip;

const ADDRESSES = {
  IPv4: { node: '192.168.0.2', client: '192.0.2.7', to: '10.1.0.1', host: '10.1.0.1/32', family: 'ip' },
  IPv6: { node: '2001:db8::2', client: '2001:db8:9::7', to: 'fd00:1::1', host: 'fd00:1::1/128', family: 'ip6' },
} as const;

/** The path, read on demand or in advance. */
function pathOf(
  family: IPFamily,
  { files, runner }: Pick<TestNamespace, 'files'> & { readonly runner: CommandRunner },
  live: boolean,
): Promise<NetfilterPath> {
  return readNetfilterPath({
    ...{ family, runner, files },
    ...(live ? { liveIptables: () => openIptablesRules(family, runner) } : {}),
  });
}

function outcomesOf(path: NetfilterPath, family: IPFamily, port = 80): readonly PathOutcome[] {
  const { client: source, to: destination } = ADDRESSES[family];
  return path.outcomesOf({
    ...{ source, sourcePort: 40_000, destination, protocol: 'TCP', port },
    entry: { kind: 'interface', name: undefined },
  });
}

const inShort = (outcomes: readonly PathOutcome[]) =>
  outcomes.map(({ destination, masqueraded, unknown, verdict }) =>
    [verdict, destination, masqueraded ? 'masqueraded' : '', ...unknown.map(({ text }) => `? ${text}`)]
      .filter((word) => word)
      .join(' '),
  );

on.each(families)('the path of packets by chains of iptables-nft that are read on demand, %s', (family) => {
  const { family: nftFamily, host, node, to } = ADDRESSES[family];
  const dnat = family === 'IPv4' ? `${to}:8080` : `[${to}]:8080`;

  async function withNode(
    use: (tools: {
      readonly namespace: TestNamespace;
      readonly restore: (document: string) => Promise<unknown>;
      readonly nft: (document: string) => Promise<unknown>;
    }) => Promise<void>,
  ): Promise<void> {
    await withNamespace(async (namespace) => {
      const { runner } = namespace;
      await becomeNode(runner, [node]);
      const command = iptablesProgram(family, 'nft', 'restore');
      await use({
        namespace,
        restore: (stdin) => runner.run({ command, args: ['--noflush'], stdin }),
        nft: (stdin) => runner.run({ command: 'nft', args: ['-f', '-'], stdin }),
      });
    });
  }

  test.each<[what: string, table: string, rules: readonly string[], expected: readonly string[]]>([
    [
      'jump, goto and return',
      'filter',
      [':A - [0:0]', ':B - [0:0]', '-A FORWARD -j A', '-A A -g B', '-A A -j DROP'],
      ['accepted'],
    ],
    [
      'DNAT',
      'nat',
      [`-A PREROUTING -d ${host} -p tcp -m tcp --dport 80 -j DNAT --to-destination ${dnat}`],
      [`accepted ${dnat}`],
    ],
    [
      'DNAT of another port',
      'nat',
      [`-A PREROUTING -d ${host} -p tcp -m tcp ! --dport 80 -j DNAT --to-destination ${dnat}`],
      ['accepted'],
    ],
    [
      'a mark',
      'mangle',
      ['-A PREROUTING -j MARK --set-xmark 0x6/0xf', '-A FORWARD -m mark --mark 0x4/0x4 -j DROP'],
      ['dropped'],
    ],
    [
      'masquerading',
      'nat',
      ['-A POSTROUTING -m multiport -p tcp --dports 1,79:81 -j MASQUERADE'],
      ['accepted masqueraded'],
    ],
    ['a policy', 'filter', [':FORWARD DROP [0:0]', '-A FORWARD -p udp -j ACCEPT'], ['dropped']],
    ['a rejected packet', 'filter', ['-A FORWARD -p tcp -j REJECT'], ['refused']],
    [
      'a limit',
      'filter',
      ['-A FORWARD -m limit --limit 1/min --limit-burst 7 -j DROP'],
      [
        'accepted ? -m limit --limit 1/min --limit-burst 7 -j DROP',
        'dropped ? -m limit --limit 1/min --limit-burst 7 -j DROP',
      ],
    ],
    ['a limit for other packets', 'filter', ['-A FORWARD -p udp -m limit --limit 1/min -j DROP'], ['accepted']],
    [
      'an extension without meaning for the path',
      'filter',
      ['-A FORWARD -m limit --limit 1/min -j LOG --log-prefix x'],
      ['accepted'],
    ],
    ['a zone of conntrack', 'raw', ['-A PREROUTING -j CT --zone 3'], ['accepted']],
  ])('%s', async (_what, table, rules, expected) => {
    await withNode(async ({ namespace, restore }) => {
      await restore([`*${table}`, ...rules, 'COMMIT', ''].join('\n'));
      for (const live of [false, true]) {
        const path = await pathOf(family, namespace, live);
        expect(path.unread).toEqual([]);
        expect(path.isLive).toBe(live);
        expect([live, ...inShort(outcomesOf(path, family)).toSorted()]).toEqual([live, ...expected]);
        path.close();
      }
    });
  });

  test.each<[what: string, rule: string, expected: readonly string[]]>([
    ['that iptables does not write', 'ct state new drop', ['dropped']],
    ['that iptables does not write, for other packets', 'ct state established drop', ['accepted']],
    ['that is not interpreted', 'meta cpu 3 drop', ['accepted ?', 'dropped ?']],
    ['with a set', `${nftFamily} daddr { ${to}, ${node} } drop`, ['accepted ?', 'dropped ?']],
  ])('a rule of nft %s', async (_what, rule, expected) => {
    await withNode(async ({ namespace, nft, restore }) => {
      await restore('*filter\n:A - [0:0]\n-A FORWARD -j A\nCOMMIT\n');
      await nft(`add rule ${nftFamily} filter FORWARD ${rule}`);
      const path = await pathOf(family, namespace, true);
      expect(path.unread).toEqual([]);
      const outcomes = inShort(outcomesOf(path, family)).map((text) => text.replace(/\?.*/, '?'));
      expect([...new Set(outcomes)].toSorted()).toEqual(expected);
      path.close();
    });
  });

  test('a table with chains that iptables does not know is read by nft', async () => {
    await withNode(async ({ namespace, nft, restore }) => {
      await restore('*filter\n:A - [0:0]\nCOMMIT\n');
      await nft(
        `add chain ${nftFamily} filter early { type filter hook forward priority -5 ; }\n` +
          `add rule ${nftFamily} filter early tcp dport { 80, 81 } drop\n`,
      );
      const path = await pathOf(family, namespace, true);
      expect(path.unread).toEqual([]);
      expect(inShort(outcomesOf(path, family))).toEqual(['dropped']);
      expect(inShort(outcomesOf(path, family, 82))).toEqual(['accepted']);
      path.close();
    });
  });

  test('a program that hangs is ended by the signal, and changes of the rules do not matter meanwhile', async () => {
    await withNode(async ({ namespace, restore }) => {
      await restore('*raw\n-A PREROUTING -p tcp -j CT --zone 3\nCOMMIT\n');
      const stopped = new AbortController();
      let isReadWhenPrinting = false;
      let isRead = false;
      const hanging: CommandRunner = {
        networkNamespace: namespace.runner.networkNamespace,
        run: (request) => {
          if (!/^ip6?tables-nft$/.test(request.command)) {
            return namespace.runner.run(request);
          }
          isReadWhenPrinting = isRead;
          setImmediate(() => stopped.abort());
          return namespace.runner.run({ ...request, command: 'sleep', args: ['1000'], timeout: 300_000 });
        },
      };
      const path = await readNetfilterPath({
        ...{ family, ...namespace, runner: hanging, signal: stopped.signal, isForeign: () => true },
        liveIptables: () => openIptablesRules(family, namespace.runner),
        onRead: () => {
          isRead = true;
        },
      });
      path.close();
      expect(stopped.signal.aborted).toBe(true);
      expect(isReadWhenPrinting).toBe(true);
    });
  });

  test('without the program, the effect of an extension that is not decoded is unknown', async () => {
    await withNode(async ({ namespace, restore }) => {
      await restore('*raw\n-A PREROUTING -p tcp -j CT --zone 3\nCOMMIT\n');
      const broken: CommandRunner = {
        networkNamespace: namespace.runner.networkNamespace,
        run: (request) =>
          /^ip6?tables-nft$/.test(request.command)
            ? Promise.reject(new Error('not installed'))
            : namespace.runner.run(request),
      };
      const path = await pathOf(family, { ...namespace, runner: broken }, true);
      expect(new Set(inShort(outcomesOf(path, family)))).toEqual(
        new Set(['accepted ? -p tcp -j CT --not-decoded', 'dropped ? -p tcp -j CT --not-decoded']),
      );
      path.close();
    });
  });

  test('rules and tables that change after the read are seen', async () => {
    await withNode(async ({ namespace, nft, restore }) => {
      await restore('*filter\n:A - [0:0]\n-A FORWARD -j A\n-A A -p tcp -j DROP\nCOMMIT\n');
      const path = await pathOf(family, namespace, true);
      expect(inShort(outcomesOf(path, family))).toEqual(['dropped']);
      await restore('*filter\n-D A -p tcp -j DROP\n-A A -p udp -j DROP\nCOMMIT\n');
      // Cached until the path is refreshed.
      expect(inShort(outcomesOf(path, family))).toEqual(['dropped']);
      path.refresh(false);
      expect(inShort(outcomesOf(path, family))).toEqual(['accepted']);
      // The rules of a table that is created again have the handles of the rules before.
      await nft(`delete table ${nftFamily} filter`);
      path.refresh();
      expect(inShort(outcomesOf(path, family))).toEqual(['accepted']);
      await restore('*filter\n:A - [0:0]\n-A FORWARD -j A\n-A A -p tcp -j REJECT\nCOMMIT\n');
      path.refresh(false);
      expect(inShort(outcomesOf(path, family))).toEqual(['refused']);
      await nft(`delete table ${nftFamily} filter`);
      await restore('*filter\n:A - [0:0]\n-A FORWARD -j A\n-A A -p tcp -j DROP\nCOMMIT\n');
      path.refresh(false);
      expect(inShort(outcomesOf(path, family))).toEqual(['dropped']);
      path.close();
    });
  });

  test('a long chain that changes is read again with pauses', async () => {
    await withNode(async ({ namespace, restore }) => {
      const rules = (first: number, last: string) => [
        ...Array.from(
          { length: 3000 },
          (_, index) => `-A FORWARD -p tcp -m tcp --dport ${first + index}:60000 -j DROP`,
        ),
        `-A FORWARD ${last}`,
      ];
      await restore(['*filter', ...rules(1000, '-p tcp -j REJECT'), 'COMMIT', ''].join('\n'));
      const path = await pathOf(family, namespace, true);
      expect(inShort(outcomesOf(path, family))).toEqual(['refused']);
      const pauses = (slices: Generator<undefined, unknown>) => {
        let count = 0;
        while (!slices.next().done) {
          count += 1;
        }
        return count;
      };
      path.refresh();
      // Netlink answers in parts of 32 KB. The rules are known.
      const again = pauses(path.prepareInSlices());
      expect(again).toBeGreaterThan(5);
      await restore(['*filter', '-F FORWARD', ...rules(2000, '-p tcp -j DROP'), 'COMMIT', ''].join('\n'));
      path.refresh();
      // Each 100 rules are decoded at a time.
      expect(pauses(path.prepareInSlices())).toBeGreaterThanOrEqual(again + 30);
      expect(inShort(outcomesOf(path, family))).toEqual(['dropped']);
      path.close();
    });
  });
});

(canMakeNamespaces() ? test : test.skip)('packets of Services have no extension headers of IPv6', async () => {
  await withNamespace(async (namespace) => {
    const { runner } = namespace;
    await becomeNode(runner, [ADDRESSES.IPv6.node]);
    const rules = [
      ...['-A FORWARD -m rt --rt-type 0 -j DROP', '-A FORWARD -m rt ! --rt-type 0 -j DROP'],
      ...['-A FORWARD -m frag --fragmore -j DROP', '-A FORWARD -m dst --dst-len 42 -j DROP'],
    ];
    const stdin = ['*filter', ...rules, 'COMMIT', ''].join('\n');
    await runner.run({ command: iptablesProgram('IPv6', 'nft', 'restore'), args: ['--noflush'], stdin });
    for (const live of [false, true]) {
      const path = await pathOf('IPv6', namespace, live);
      expect(path.unread).toEqual([]);
      expect(inShort(outcomesOf(path, 'IPv6'))).toEqual(['accepted']);
      path.close();
    }
  });
});
