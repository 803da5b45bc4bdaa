import { describe, expect, test } from '@jest/globals';
import type { CommandRunner } from '../process/command-runner.js';
import { canMakeNamespaces, withNamespace } from '../process/network-namespace.js';
import { FakeIptables } from './fake-iptables.js';
import type { Iptables, IptablesVariant } from './iptables.js';
import { createIptables } from './iptables-command.js';
import { RuleSentinels } from './rule-sentinels.js';

interface Host {
  readonly iptables: Iptables;
  /** Restores a document in another process. */
  byOthers(document: string): Promise<void>;
  /** Number of checks since the last call, or of programs started for them. */
  checks(): number;
}

const VARIANTS: readonly IptablesVariant[] = ['legacy', 'nft'];
const FAMILIES = ['IPv4', 'IPv6'] as const;
const RULES = [
  { table: 'nat', from: 'PREROUTING', text: '-j OURS' },
  { table: 'filter', from: 'FORWARD', text: '-j OURS' },
] as const;
const INSTALL =
  '*nat\n:OURS - [0:0]\n-A PREROUTING -j OURS\nCOMMIT\n*filter\n:OURS - [0:0]\n-A FORWARD -j OURS\nCOMMIT\n';
/** Like a firewall reload: removes the target chain of the jump, too. */
const FLUSH_NAT = '*nat\n-F PREROUTING\n-X OURS\nCOMMIT\n';
const NAT_IS_GONE = 'the jump from PREROUTING in the nat table is gone, as after a flush';
const FILTER_IS_GONE = 'the jump from FORWARD in the filter table is gone, as after a flush';

class CountingIptables extends FakeIptables {
  checks = 0;
  /** Run once, right before and right after a check. */
  first: (() => Promise<void>) | undefined;
  meanwhile: (() => Promise<void>) | undefined;

  override async ruleExists(...args: Parameters<Iptables['ruleExists']>): Promise<boolean> {
    this.checks++;
    const { first } = this;
    this.first = undefined;
    await first?.();
    const isThere = await super.ruleExists(...args);
    const { meanwhile } = this;
    this.meanwhile = undefined;
    await meanwhile?.();
    return isThere;
  }
}

function fakeHost(iptables: CountingIptables): Host {
  return {
    iptables,
    byOthers: (document) => iptables.restoreByOthers(document),
    checks: () => {
      const { checks } = iptables;
      iptables.checks = 0;
      return checks;
    },
  };
}

function kernelHost(family: (typeof FAMILIES)[number], variant: IptablesVariant, runner: CommandRunner): Host {
  let started = 0;
  const counting: CommandRunner = {
    networkNamespace: runner.networkNamespace,
    run: (request) => {
      started++;
      return runner.run(request);
    },
  };
  const others: CommandRunner = { networkNamespace: runner.networkNamespace, run: (request) => runner.run(request) };
  return {
    iptables: createIptables({ family, variant, runner: counting }),
    byOthers: (document) => createIptables({ family, variant, runner: others }).restore(document),
    checks: () => {
      const checks = started;
      started = 0;
      return checks;
    },
  };
}

function watching(iptables: Iptables) {
  const sentinels = new RuleSentinels(RULES, async () => iptables);
  const { signal } = new AbortController();
  return async () => {
    const gone: string[] = [];
    await sentinels.check(signal, (what) => gone.push(what));
    return gone;
  };
}

type WithHost = (use: (host: Host) => Promise<void>) => Promise<void>;

const subjects = VARIANTS.flatMap((variant) => [
  {
    title: `fake, ${variant}`,
    variant,
    withHost: ((use) => use(fakeHost(new CountingIptables({ variant })))) as WithHost,
  },
  ...(canMakeNamespaces() ? FAMILIES : []).map((family) => ({
    title: `kernel, ${variant}, ${family}`,
    variant,
    withHost: ((use) =>
      withNamespace(async ({ runner }) => {
        const host = kernelHost(family, variant, runner);
        try {
          await use(host);
        } finally {
          host.iptables.close();
        }
      })) as WithHost,
  })),
]);

describe.each(subjects)('RuleSentinels: $title', ({ variant, withHost }) => {
  test('reports each flush once, at the next check, also when the same rules were restored', () =>
    withHost(async ({ iptables }) => {
      const check = watching(iptables);
      expect(await check()).toEqual([]);
      for (let round = 0; round < 2; round++) {
        await iptables.restore(INSTALL);
        expect(await check()).toEqual([]);
        expect(await check()).toEqual([]);
        await iptables.restore(FLUSH_NAT);
        expect(await check()).toEqual([NAT_IS_GONE]);
        expect(await check()).toEqual([]);
        await iptables.restore('*filter\n-F FORWARD\nCOMMIT\n');
        expect(await check()).toEqual([FILTER_IS_GONE]);
        expect(await check()).toEqual([]);
      }
    }));

  test('reports changes of tables by other programs, and none of its own', () =>
    withHost(async (host) => {
      const { iptables } = host;
      const sentinels = new RuleSentinels(RULES, async () => iptables);
      await iptables.restore(INSTALL);
      expect(await sentinels.hasForeignChanges()).toBe(false);
      await iptables.restore('*filter\n:MORE - [0:0]\nCOMMIT\n');
      expect(await sentinels.hasForeignChanges()).toBe(false);
      for (const table of ['nat', 'filter']) {
        await host.byOthers(`*${table}\n:THEIRS - [0:0]\n-A OUTPUT -j THEIRS\nCOMMIT\n`);
        expect([table, await sentinels.hasForeignChanges()]).toEqual([table, true]);
        expect([table, await sentinels.hasForeignChanges()]).toEqual([table, false]);
      }
    }));

  test('starts no program while nothing changes', () =>
    withHost(async ({ iptables, checks }) => {
      const check = watching(iptables);
      await iptables.restore(INSTALL);
      await check();
      checks();
      for (let count = 0; count < 30; count++) {
        await check();
      }
      expect(checks()).toBe(0);
      // A change of another chain is no drift; the legacy kernel does not report which one has changed.
      await iptables.restore('*nat\n:THEIRS - [0:0]\n-A THEIRS -j RETURN\nCOMMIT\n');
      checks();
      expect(await check()).toEqual([]);
      expect(checks()).toBe(variant === 'nft' ? 0 : 1);
      // A change of the chain by another program needs a check.
      await iptables.restore('*nat\n-I PREROUTING -j THEIRS\nCOMMIT\n');
      checks();
      expect(await check()).toEqual([]);
      expect(checks()).toBe(1);
      await check();
      expect(checks()).toBe(0);
    }));

  test('starts no program while the rules are missing and nothing changes', () =>
    withHost(async ({ iptables, checks }) => {
      const check = watching(iptables);
      await iptables.restore('*nat\n:THEIRS - [0:0]\nCOMMIT\n*filter\n:THEIRS - [0:0]\nCOMMIT\n');
      expect(await check()).toEqual([]);
      expect(checks()).toBeGreaterThan(0);
      for (let count = 0; count < 30; count++) {
        expect(await check()).toEqual([]);
      }
      expect(checks()).toBe(0);
      await iptables.restore(INSTALL);
      expect(await check()).toEqual([]);
      await iptables.restore(FLUSH_NAT);
      expect(await check()).toEqual([NAT_IS_GONE]);
      checks();
      for (let count = 0; count < 30; count++) {
        expect(await check()).toEqual([]);
      }
      expect(checks()).toBe(0);
    }));

  test('detects a replaced table, at the latest at the periodic check', () =>
    withHost(async ({ iptables, checks }) => {
      const check = watching(iptables);
      await iptables.restore(INSTALL);
      await iptables.restore('*nat\n:LIKE - [0:0]\nCOMMIT\n');
      await check();
      await iptables.restore('*nat\n-D PREROUTING -j OURS\n-A PREROUTING -j LIKE\nCOMMIT\n');
      checks();
      let spared = 0;
      let gone = await check();
      for (; gone.length === 0 && spared <= 60; spared++) {
        gone = await check();
      }
      expect(gone).toEqual([NAT_IS_GONE]);
      // The legacy kernel reports the same size and layout for both tables.
      expect(spared).toBe(variant === 'nft' ? 0 : 60);
    }));
});

(canMakeNamespaces() ? test : test.skip).each(FAMILIES)(
  'detects that a table was replaced by one whose rules have the same handles, kernel, nft, %s',
  (family) =>
    withNamespace(async ({ runner }) => {
      const { iptables } = kernelHost(family, 'nft', runner);
      const nft = family === 'IPv4' ? 'ip' : 'ip6';
      const chain = async () => {
        const { stdout } = await runner.run({
          command: 'nft',
          args: ['-a', 'list', 'chain', nft, 'nat', 'PREROUTING'],
        });
        return stdout;
      };
      try {
        const install = '*nat\n:OURS - [0:0]\n:THEIRS - [0:0]\n-A PREROUTING -j OURS\nCOMMIT\n';
        await iptables.restore(`${install}*filter\n:OURS - [0:0]\n-A FORWARD -j OURS\nCOMMIT\n`);
        const check = watching(iptables);
        expect(await check()).toEqual([]);
        const before = await chain();
        await runner.run({ command: 'nft', args: ['delete', 'table', nft, 'nat'] });
        await iptables.restore(install.replace('-j OURS', '-j THEIRS'));
        // Same handles, different rule.
        expect((await chain()).replace('jump THEIRS', 'jump OURS')).toBe(before);
        expect(await check()).toEqual([NAT_IS_GONE]);
      } finally {
        iptables.close();
      }
    }),
);

describe('RuleSentinels', () => {
  test('check each time when the kernel cannot report changes', async () => {
    const iptables = new CountingIptables();
    iptables.stamps = false;
    const check = watching(iptables);
    await iptables.restore(INSTALL);
    for (let count = 1; count <= 3; count++) {
      expect(await check()).toEqual([]);
      expect(iptables.checks).toBe(2 * count);
    }
    await iptables.restore(FLUSH_NAT);
    expect(await check()).toEqual([NAT_IS_GONE]);
  });

  test.each(VARIANTS)('detect a change during a check, %s', async (variant) => {
    const iptables = new CountingIptables({ variant });
    const check = watching(iptables);
    await iptables.restore(INSTALL);
    iptables.meanwhile = () => iptables.restore(FLUSH_NAT);
    expect(await check()).toEqual([]);
    expect(await check()).toEqual([NAT_IS_GONE]);
  });

  test.each(VARIANTS)('detect a flush right after a repaired flush, %s', async (variant) => {
    const iptables = new CountingIptables({ variant });
    const check = watching(iptables);
    await iptables.restore(INSTALL);
    await check();
    await iptables.restore('*nat\n:THEIRS - [0:0]\n-I PREROUTING -j THEIRS\nCOMMIT\n');
    iptables.first = () => iptables.restore(FLUSH_NAT);
    expect(await check()).toEqual([NAT_IS_GONE]);
    // The same size as at the last query, and the same rules.
    await iptables.restore('*nat\n:OURS - [0:0]\n-A PREROUTING -j THEIRS\n-A PREROUTING -j OURS\nCOMMIT\n');
    expect(await check()).toEqual([]);
    await iptables.restore(FLUSH_NAT);
    expect(await check()).toEqual([NAT_IS_GONE]);
  });

  test('a failed check is repeated', async () => {
    const iptables = new CountingIptables();
    const check = watching(iptables);
    await iptables.restore(INSTALL);
    await check();
    await iptables.restore(FLUSH_NAT);
    iptables.failNext(new Error('no more processes'));
    await expect(check()).rejects.toThrow('no more processes');
    expect(await check()).toEqual([NAT_IS_GONE]);
  });

  test.each(VARIANTS)('report rules that were installed and removed between two checks, %s', async (variant) => {
    const iptables = new CountingIptables({ variant });
    const sentinels = new RuleSentinels(RULES, async () => iptables);
    let placed = 0;
    const check = async () => {
      const gone: string[] = [];
      await sentinels.check(
        new AbortController().signal,
        (what) => gone.push(what),
        () => placed,
      );
      return gone;
    };
    expect(await check()).toEqual([]);
    await iptables.restore(INSTALL);
    placed += 1;
    await iptables.restore('*nat\n-F PREROUTING\n-X OURS\nCOMMIT\n*filter\n-F FORWARD\n-X OURS\nCOMMIT\n');
    expect(await check()).toEqual([NAT_IS_GONE]);
    // Repairs one table only.
    await iptables.restore('*nat\n:OURS - [0:0]\n-A PREROUTING -j OURS\nCOMMIT\n');
    placed += 1;
    expect(await check()).toEqual([FILTER_IS_GONE]);
    expect(await check()).toEqual([]);
  });

  test.each(VARIANTS)(
    'start no program while a repair is awaited, and look again if none comes, %s',
    async (variant) => {
      const iptables = new CountingIptables({ variant });
      const sentinels = new RuleSentinels(RULES, async () => iptables);
      let placed = 0;
      const gone: string[] = [];
      const check = () =>
        sentinels.check(
          new AbortController().signal,
          (what) => gone.push(what),
          () => placed,
        );
      await iptables.restore(INSTALL);
      placed += 1;
      expect(await check()).toBe(true);
      await iptables.restore('*nat\n-F PREROUTING\nCOMMIT\n*filter\n-F FORWARD\nCOMMIT\n');
      expect(await check()).toBe(false);
      expect(gone).toEqual([NAT_IS_GONE]);
      iptables.checks = 0;
      for (let held = 0; held < 20; held++) {
        expect(await check()).toBe(false);
      }
      expect(iptables.checks).toBe(0);
      expect(await check()).toBe(false);
      expect(gone).toEqual([NAT_IS_GONE, FILTER_IS_GONE]);
      await iptables.restore(INSTALL);
      placed += 1;
      expect(await check()).toBe(true);
      expect(gone).toHaveLength(2);
    },
  );

  test('do not report what this process removes itself during shutdown', async () => {
    const iptables = new CountingIptables();
    const abort = new AbortController();
    const sentinels = new RuleSentinels(RULES, async () => iptables);
    const gone: string[] = [];
    await iptables.restore(INSTALL);
    await sentinels.check(abort.signal, (what) => gone.push(what));
    await iptables.restore(FLUSH_NAT);
    iptables.meanwhile = async () => abort.abort();
    await sentinels.check(abort.signal, (what) => gone.push(what));
    expect(gone).toEqual([]);
  });
});
