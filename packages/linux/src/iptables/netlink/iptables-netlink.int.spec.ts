import { describe, expect, test } from '@jest/globals';
import { casesOf } from '@kube-proxier/core/testing';
import type { CommandRequest, CommandRunner } from '../../process/command-runner.js';
import { canMakeNamespaces, type TestNamespace, withNamespace } from '../../process/network-namespace.js';
import type { Iptables, IptablesVersion } from '../iptables.js';
import { createIptables } from '../iptables-command.js';
import { parseSavedTable } from '../iptables-document.js';
import { IptablesDocumentRefused } from '../iptables-error.js';
import { filterSamples, natSamples } from '../iptables-rule-samples.js';
import { IptablesNetlink } from './iptables-netlink.js';

const families = casesOf(['IPv4', 'IPv6'] as const, []);
const CHAINS = ['KUBE-T', 'KUBE-FW-X', 'KUBE-SEP-X', 'KUBE-MARK-MASQ'];

function section(table: string, ...lines: readonly string[]): string {
  return [`*${table}`, ...lines, 'COMMIT', ''].join('\n');
}

/** A namespace in which tables `nat` and `filter` exist, as the program creates them. */
async function withTables(
  family: 'IPv4' | 'IPv6',
  use: (context: {
    readonly program: Iptables;
    readonly namespace: TestNamespace;
    /** The programs started since creation. */
    readonly started: string[];
    readonly watched: CommandRunner;
  }) => Promise<void>,
): Promise<void> {
  await withNamespace(async (namespace) => {
    const { runner } = namespace;
    const started: string[] = [];
    const watched: CommandRunner = {
      networkNamespace: runner.networkNamespace,
      run: (request: CommandRequest) => {
        started.push(request.command);
        return runner.run(request);
      },
    };
    const program = createIptables({ family, variant: 'nft', runner, netlink: false, persistent: false });
    await program.restore(section('nat', ':A - [0:0]') + section('filter', ':A - [0:0]'));
    await use({ program, namespace, started, watched });
  });
}

async function rulesOf(iptables: Iptables, table: 'nat' | 'filter', chain: string) {
  return parseSavedTable(await iptables.save(table), table).get(chain)?.rules;
}

const on = canMakeNamespaces() ? describe : describe.skip;

on.each(families)('iptables rules by netlink, %s', (family) => {
  test.each(['filter', 'nat'] as const)(
    'iptables-nft-save prints the rules of table %s as they were given',
    async (table) => {
      await withTables(family, async ({ program, namespace }) => {
        const netlink = new IptablesNetlink(family, { namespace: namespace.path });
        const samples = [
          ...(table === 'nat' ? natSamples(family) : filterSamples(family)),
          // Prefixes that end within a byte, and at a byte boundary.
          ...(family === 'IPv4'
            ? ['10.0.0.0/9', '10.1.2.0/23', '10.1.2.0/24']
            : ['fd00::/9', 'fd00:1::/47', 'fd00::/64']
          ).flatMap((network) => [`-s ${network} -j RETURN`, `! -d ${network} -j RETURN`]),
          `-m conntrack --ctstate NEW --ctorigdst ${family === 'IPv4' ? '10.0.0.1' : 'fd00::1'} -j RETURN`,
          '-m conntrack --ctstate UNTRACKED -j RETURN',
          `-m comment --comment "${'x '.repeat(127)}x" -j RETURN`,
        ];
        const document = section(
          table,
          ...CHAINS.map((name) => `:${name} - [0:0]`),
          ...samples.map((rule) => `-A KUBE-T ${rule}`),
        );
        for (const _ of ['created', 'replaced']) {
          expect(await netlink.write(document, 0)).toBe(document.length);
          expect(await rulesOf(program, table, 'KUBE-T')).toEqual(samples);
        }
        const deletion = section(
          table,
          ...CHAINS.map((name) => `:${name} - [0:0]`),
          ...CHAINS.map((name) => `-X ${name}`),
        );
        expect(await netlink.write(deletion, 0)).toBe(deletion.length);
        expect(await rulesOf(program, table, 'KUBE-T')).toBeUndefined();
        netlink.close();
      });
    },
  );

  test.each([
    ['a rule that is inserted', ':B - [0:0]', '-I A 1 -j B'],
    ['a rule that is deleted', '-D A -j B'],
    ['a chain that must not exist', '-N B'],
    ['a chain of the kernel', ':OUTPUT - [0:0]'],
    ['a chain with a policy', ':B ACCEPT [0:0]'],
    ['a rule at the end of a chain that keeps its rules', '-A A -j RETURN'],
    ['a chain that is deleted with its rules', '-X A'],
    ['a name that is too long', `:${'B'.repeat(29)} - [0:0]`],
    ['an IP set', ':B - [0:0]', '-A B -m set --match-set no-set dst -j RETURN'],
    ['an extension that is not known', ':B - [0:0]', '-A B -m limit --limit 1/sec -j RETURN'],
    ['an address in another notation', ':B - [0:0]', '-A B -d 0x0a000001/32 -j RETURN'],
    [
      'an address of the other family',
      ':B - [0:0]',
      `-A B -d ${family === 'IPv4' ? 'fd00::1/128' : '10.0.0.1/32'} -j RETURN`,
    ],
    ['no end', undefined],
  ] as const)('leaves a section to the program: %s', async (_title, ...lines) => {
    await withTables(family, async ({ program, namespace }) => {
      const netlink = new IptablesNetlink(family, { namespace: namespace.path });
      const [before, after] = [section('nat', ':FIRST - [0:0]'), section('nat', ':LAST - [0:0]')];
      const left = lines[0] === undefined ? '*nat\n:B - [0:0]\n' : section('nat', ...(lines as readonly string[]));
      expect(await netlink.write(before + left + after, 0)).toBe(before.length);
      const saved = parseSavedTable(await program.save('nat'), 'nat');
      expect([saved.has('FIRST'), saved.has('B'), saved.has('LAST')]).toEqual([true, false, false]);
      netlink.close();
    });
  });

  test('a change starts no program', async () => {
    await withTables(family, async ({ program, watched, started }) => {
      const iptables = createIptables({ family, variant: 'nft', runner: watched });
      await iptables.version();
      started.length = 0;
      await iptables.restore(section('nat', ':A - [0:0]', ':B - [0:0]', '-A A -j B'));
      expect(started).toEqual([]);
      expect(await rulesOf(program, 'nat', 'A')).toEqual(['-j B']);
      iptables.close();
    });
  });

  test('the program writes the sections that netlink cannot write', async () => {
    await withTables(family, async ({ program, watched, started }) => {
      const iptables = createIptables({ family, variant: 'nft', runner: watched, persistent: false });
      await iptables.version();
      started.length = 0;
      await iptables.restore(
        section('nat', ':B - [0:0]', '-A B -j RETURN') +
          section('nat', '-I OUTPUT 1 -j B') +
          section('filter', ':C - [0:0]', '-A C -j DROP'),
      );
      expect(started).toEqual([family === 'IPv4' ? 'iptables-nft-restore' : 'ip6tables-nft-restore']);
      expect(await rulesOf(program, 'nat', 'OUTPUT')).toEqual(['-j B']);
      expect(await rulesOf(program, 'filter', 'C')).toEqual(['-j DROP']);
      iptables.close();
    });
  });

  test('a refused section changes nothing, and its line number refers to the whole document', async () => {
    await withTables(family, async ({ program, watched }) => {
      const iptables = createIptables({ family, variant: 'nft', runner: watched, persistent: false });
      const good = section('nat', ':GOOD - [0:0]', '-A GOOD -j RETURN');
      // The kernel refuses DNAT outside of table nat, and chain loops.
      const bad = section(
        'filter',
        ':B - [0:0]',
        ':C - [0:0]',
        '-A B -j C',
        `-A C -p tcp -j DNAT --to-destination ${family === 'IPv4' ? '10.0.0.1:80' : '[fd00::1]:80'}`,
      );
      const error = await iptables.restore(good + bad).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(IptablesDocumentRefused);
      expect((error as IptablesDocumentRefused).line).toBeGreaterThan(4);
      expect(await rulesOf(program, 'nat', 'GOOD')).toEqual(['-j RETURN']);
      expect(await rulesOf(program, 'filter', 'B')).toBeUndefined();
      iptables.close();
    });
  });

  test('without tables, the program creates them', async () => {
    await withNamespace(async ({ runner }) => {
      const iptables = createIptables({ family, variant: 'nft', runner });
      await iptables.restore(
        section('nat', ':B - [0:0]', '-A B -j RETURN') + section('filter', ':B - [0:0]', '-A B -j DROP'),
      );
      expect(await rulesOf(iptables, 'nat', 'B')).toEqual(['-j RETURN']);
      expect(await rulesOf(iptables, 'filter', 'B')).toEqual(['-j DROP']);
      iptables.close();
    });
  });

  test.each(['1.8.7', '1.6.1', '1.8'])(
    'version %s prints such rules otherwise, so its program writes them',
    async (text) => {
      await withTables(family, async ({ watched, started }) => {
        const version: IptablesVersion = { text, variant: 'nft', randomFully: true };
        const options = { family, variant: 'nft', runner: watched, persistent: false } as const;
        const iptables = createIptables({ ...options, version: Promise.resolve(version) });
        await iptables.restore(section('nat', ':A - [0:0]'));
        expect(started).toHaveLength(1);
        iptables.close();
      });
    },
  );

  test('where netlink cannot be used, the program writes the whole document in one run', async () => {
    await withTables(family, async ({ program, watched, started }) => {
      const lost: CommandRunner = {
        networkNamespace: '/run/netns/does-not-exist',
        run: (request) => watched.run(request),
      };
      const iptables = createIptables({ family, variant: 'nft', runner: lost, persistent: false });
      await iptables.version();
      started.length = 0;
      await iptables.restore(section('nat', ':B - [0:0]') + section('nat', ':C - [0:0]'));
      expect(started).toHaveLength(1);
      expect(await rulesOf(program, 'nat', 'C')).toEqual([]);
      iptables.close();
    });
  });
});

on('iptables rules by netlink', () => {
  test('a document of many sections and 20,000 rules', async () => {
    await withTables('IPv4', async ({ program, namespace }) => {
      const netlink = new IptablesNetlink('IPv4', { namespace: namespace.path });
      const chains = Array.from({ length: 10_000 }, (_, index) => `KUBE-${index}`);
      const sections: string[] = [];
      for (let at = 0; at < chains.length; at += 700) {
        const some = chains.slice(at, at + 700);
        sections.push(
          section(
            'nat',
            ...some.map((name) => `:${name} - [0:0]`),
            ...some.flatMap((name, index) => [
              `-A ${name} -p tcp -m tcp --dport ${1 + index} -j DNAT --to-destination 10.0.0.1:80`,
              `-A ${name} -j ${some[0] === name ? 'RETURN' : (some[0] ?? '')}`,
            ]),
          ),
        );
      }
      const document = sections.join('');
      expect(await netlink.write(document, 0)).toBe(document.length);
      const saved = parseSavedTable(await program.save('nat'), 'nat');
      expect(chains.filter((name) => saved.get(name)?.rules.length !== 2)).toEqual([]);
      netlink.close();
    });
  });

  test('beside iptables-nft, which commits all the time: every change of both is in force', async () => {
    await withTables('IPv4', async ({ program, namespace, watched, started }) => {
      const { runner } = namespace;
      const iptables = createIptables({ family: 'IPv4', variant: 'nft', runner: watched });
      await iptables.version();
      started.length = 0;
      let isOver = false;
      const foreign = (async () => {
        let count = 0;
        for (; !isOver; count++) {
          await runner.run({
            command: 'iptables-nft',
            args: ['-w', '-t', 'nat', '-A', 'PREROUTING', '-p', 'tcp', '--dport', String(1 + count), '-j', 'RETURN'],
          });
        }
        return count;
      })();
      for (let change = 1; change <= 200; change++) {
        await iptables.restore(section('nat', ':A - [0:0]', `-A A -p udp -m udp --dport ${change} -j RETURN`));
      }
      isOver = true;
      const count = await foreign;
      expect(count).toBeGreaterThan(0);
      expect(started).toEqual([]);
      expect(await rulesOf(program, 'nat', 'A')).toEqual(['-p udp -m udp --dport 200 -j RETURN']);
      expect(await rulesOf(program, 'nat', 'PREROUTING')).toHaveLength(count);
      iptables.close();
    });
  });

  test('so many refusals that the kernel drops answers: the program names the line', async () => {
    await withTables('IPv4', async ({ namespace, program }) => {
      const { runner } = namespace;
      const rules = Array.from({ length: 60_000 }, () => '-A A -j KUBE-MISSING');
      const document = section('nat', ':GOOD - [0:0]') + section('nat', ':A - [0:0]', ...rules);
      const netlink = new IptablesNetlink('IPv4', { namespace: namespace.path });
      expect(await netlink.write(document, 0)).toBe(section('nat', ':GOOD - [0:0]').length);
      // A later document is written.
      const next = section('nat', ':A - [0:0]', '-A A -j RETURN');
      expect(await netlink.write(next, 0)).toBe(next.length);
      netlink.close();
      const iptables = createIptables({ family: 'IPv4', variant: 'nft', runner });
      const error = await iptables.restore(document).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(IptablesDocumentRefused);
      expect(await rulesOf(program, 'nat', 'A')).toEqual(['-j RETURN']);
      iptables.close();
    });
  });

  test('without koffi: by the package netlink', async () => {
    await withTables('IPv4', async ({ program, namespace }) => {
      const netlink = new IptablesNetlink('IPv4', { namespace: namespace.path, transport: 'netlink' });
      const lines = Array.from({ length: 500 }, (_, index) => `-A A -p tcp -m tcp --dport ${1 + index} -j RETURN`);
      const document = section('nat', ':A - [0:0]', ...lines);
      const end = await netlink.write(document, 0);
      expect([0, document.length]).toContain(end);
      expect(await rulesOf(program, 'nat', 'A')).toHaveLength(end === 0 ? 0 : 500);
      netlink.close();
    });
  });
});
