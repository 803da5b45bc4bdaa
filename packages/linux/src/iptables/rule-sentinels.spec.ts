import { describe, expect, test } from '@jest/globals';
import type { CommandRunner } from '../process/command-runner.js';
import { FakeIptables } from '../testing/fake-iptables.js';
import { canMakeNamespaces, withNamespace } from '../testing/network-namespace.js';
import type { Iptables, IptablesVariant } from './iptables.js';
import { createIptables } from './iptables-command.js';
import { RuleSentinels } from './rule-sentinels.js';

interface Host {
  readonly iptables: Iptables;
  /** How often rules were looked at since this was asked last, or programs were started for that. */
  looks(): number;
}

const VARIANTS: readonly IptablesVariant[] = ['legacy', 'nft'];
const FAMILIES = ['IPv4', 'IPv6'] as const;
const RULES = [
  { table: 'nat', from: 'PREROUTING', text: '-j OURS' },
  { table: 'filter', from: 'FORWARD', text: '-j OURS' },
] as const;
const INSTALL =
  '*nat\n:OURS - [0:0]\n-A PREROUTING -j OURS\nCOMMIT\n*filter\n:OURS - [0:0]\n-A FORWARD -j OURS\nCOMMIT\n';
/** As a firewall that reloads does it: the chain that the jump leads to is gone too. */
const FLUSH_NAT = '*nat\n-F PREROUTING\n-X OURS\nCOMMIT\n';
const NAT_IS_GONE = 'the jump from PREROUTING in the nat table is gone, as after a flush';
const FILTER_IS_GONE = 'the jump from FORWARD in the filter table is gone, as after a flush';

class LookedAt extends FakeIptables {
  looks = 0;
  /** Done once, right before and right after a look. */
  first: (() => Promise<void>) | undefined;
  meanwhile: (() => Promise<void>) | undefined;

  override async ruleExists(...args: Parameters<Iptables['ruleExists']>): Promise<boolean> {
    this.looks++;
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

function fakeHost(iptables: LookedAt): Host {
  return {
    iptables,
    looks: () => {
      const { looks } = iptables;
      iptables.looks = 0;
      return looks;
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
  return {
    iptables: createIptables({ family, variant, runner: counting }),
    looks: () => {
      const looks = started;
      started = 0;
      return looks;
    },
  };
}

function watching(iptables: Iptables) {
  const sentinels = new RuleSentinels(RULES, async () => iptables);
  const { signal } = new AbortController();
  return async () => {
    const gone: string[] = [];
    await sentinels.look(signal, (what) => gone.push(what));
    return gone;
  };
}

type WithHost = (use: (host: Host) => Promise<void>) => Promise<void>;

const subjects = VARIANTS.flatMap((variant) => [
  {
    title: `fake, ${variant}`,
    variant,
    withHost: ((use) => use(fakeHost(new LookedAt({ variant })))) as WithHost,
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
  test('each flush is told once, by the next look, also of what came back as it was', () =>
    withHost(async ({ iptables }) => {
      const look = watching(iptables);
      expect(await look()).toEqual([]);
      for (let round = 0; round < 2; round++) {
        await iptables.restore(INSTALL);
        expect(await look()).toEqual([]);
        expect(await look()).toEqual([]);
        await iptables.restore(FLUSH_NAT);
        expect(await look()).toEqual([NAT_IS_GONE]);
        expect(await look()).toEqual([]);
        await iptables.restore('*filter\n-F FORWARD\nCOMMIT\n');
        expect(await look()).toEqual([FILTER_IS_GONE]);
        expect(await look()).toEqual([]);
      }
    }));

  test('nothing is started while nothing changes', () =>
    withHost(async ({ iptables, looks }) => {
      const look = watching(iptables);
      await iptables.restore(INSTALL);
      await look();
      looks();
      for (let count = 0; count < 30; count++) {
        await look();
      }
      expect(looks()).toBe(0);
      // A change of somebody else's is no drift, but has to be looked at.
      await iptables.restore('*nat\n:THEIRS - [0:0]\nCOMMIT\n');
      looks();
      expect(await look()).toEqual([]);
      expect(looks()).toBe(variant === 'nft' ? 2 : 1);
      await look();
      expect(looks()).toBe(0);
    }));

  test('something else in its place is noticed, if need be by the look that is taken now and then', () =>
    withHost(async ({ iptables, looks }) => {
      const look = watching(iptables);
      await iptables.restore(INSTALL);
      await iptables.restore('*nat\n:LIKE - [0:0]\nCOMMIT\n');
      await look();
      await iptables.restore('*nat\n-D PREROUTING -j OURS\n-A PREROUTING -j LIKE\nCOMMIT\n');
      looks();
      let spared = 0;
      let gone = await look();
      for (; gone.length === 0 && spared <= 60; spared++) {
        gone = await look();
      }
      expect(gone).toEqual([NAT_IS_GONE]);
      // To the legacy kernel's short answer the two tables are the same.
      expect(spared).toBe(variant === 'nft' ? 0 : 60);
    }));
});

describe('RuleSentinels', () => {
  test('look each time where the kernel cannot be asked whether anything changed', async () => {
    const iptables = new LookedAt();
    iptables.stamps = false;
    const look = watching(iptables);
    await iptables.restore(INSTALL);
    for (let count = 1; count <= 3; count++) {
      expect(await look()).toEqual([]);
      expect(iptables.looks).toBe(2 * count);
    }
    await iptables.restore(FLUSH_NAT);
    expect(await look()).toEqual([NAT_IS_GONE]);
  });

  test.each(VARIANTS)('see what changes while they look, %s', async (variant) => {
    const iptables = new LookedAt({ variant });
    const look = watching(iptables);
    await iptables.restore(INSTALL);
    iptables.meanwhile = () => iptables.restore(FLUSH_NAT);
    expect(await look()).toEqual([]);
    expect(await look()).toEqual([NAT_IS_GONE]);
  });

  test.each(VARIANTS)('see a flush that follows one that was repaired at once, %s', async (variant) => {
    const iptables = new LookedAt({ variant });
    const look = watching(iptables);
    await iptables.restore(INSTALL);
    await look();
    await iptables.restore('*nat\n:THEIRS - [0:0]\nCOMMIT\n');
    iptables.first = () => iptables.restore(FLUSH_NAT);
    expect(await look()).toEqual([NAT_IS_GONE]);
    // As large as it was when the kernel was asked last.
    await iptables.restore('*nat\n:OURS - [0:0]\n-A PREROUTING -j OURS\nCOMMIT\n');
    expect(await look()).toEqual([]);
    await iptables.restore(FLUSH_NAT);
    expect(await look()).toEqual([NAT_IS_GONE]);
  });

  test('a look that failed is taken again', async () => {
    const iptables = new LookedAt();
    const look = watching(iptables);
    await iptables.restore(INSTALL);
    await look();
    await iptables.restore(FLUSH_NAT);
    iptables.failNext(new Error('no more processes'));
    await expect(look()).rejects.toThrow('no more processes');
    expect(await look()).toEqual([NAT_IS_GONE]);
  });

  test('what this process takes away itself at its end is not told', async () => {
    const iptables = new LookedAt();
    const abort = new AbortController();
    const sentinels = new RuleSentinels(RULES, async () => iptables);
    const gone: string[] = [];
    await iptables.restore(INSTALL);
    await sentinels.look(abort.signal, (what) => gone.push(what));
    await iptables.restore(FLUSH_NAT);
    iptables.meanwhile = async () => abort.abort();
    await sentinels.look(abort.signal, (what) => gone.push(what));
    expect(gone).toEqual([]);
  });
});
