import { describe, expect, test } from '@jest/globals';
import { diffStates, type IPFamily, type ProxyState, type RuleChange } from '@kube-proxier/core';
import { feedResolver, makeResolver, Random, RandomCluster, runCount } from '@kube-proxier/core/testing';
import { createIptables, type IptablesVariant } from '@kube-proxier/linux';
import { canMakeNamespaces, withNamespace } from '@kube-proxier/linux/testing';
import { IptablesDataplane } from './dataplane.js';
import { fakeSettings } from './testing/fake-settings.js';

const OPTIONS = {
  localTrafficDetection: { kind: 'cluster-cidr', cidrs: ['10.244.0.0/16', 'fd00:244::/64'] },
} as const;

/** Chains with their rules, in order, by table and chain: `nat KUBE-SERVICES`. */
type Saved = Map<string, string[]>;

const BUILT_IN = /^(?:PREROUTING|INPUT|FORWARD|OUTPUT|POSTROUTING)$/;

/** The output of `iptables-save`, read independently of the code under test. */
function readSave(text: string): Saved {
  const saved: Saved = new Map();
  let table = '';
  for (const line of text.split('\n')) {
    const [, name] = /^\*(\w+)/.exec(line) ?? [];
    table = name ?? table;
    const [, chain] = /^:(\S+)/.exec(line) ?? [];
    if (chain !== undefined && !BUILT_IN.test(chain)) {
      saved.set(`${table} ${chain}`, []);
    }
    const [, target] = /^-A (\S+)/.exec(line) ?? [];
    if (target !== undefined) {
      const key = `${table} ${target}`;
      saved.set(key, [...(saved.get(key) ?? []), line]);
    }
  }
  return saved;
}

/** The installed state after exactly the planned changes. */
function applied(before: Saved, changes: readonly RuleChange[]): Saved {
  const after: Saved = new Map([...before].map(([key, rules]) => [key, [...rules]]));
  const tableOf = ({ table }: RuleChange) => /iptables (\w+),/.exec(table)?.[1] ?? '';
  const rules = changes.filter(({ kind }) => kind === 'rule');
  for (const change of changes.filter(({ kind, action }) => kind === 'chain' && action === 'add')) {
    const key = `${tableOf(change)} ${/^:(\S+)/.exec(change.text)?.[1]}`;
    expect(after.has(key)).toBe(false);
    after.set(key, []);
  }
  for (const key of new Set(rules.map((change) => `${tableOf(change)} ${change.container}`))) {
    const own = rules.filter((change) => `${tableOf(change)} ${change.container}` === key);
    const removed = own.filter(({ action }) => action === 'remove');
    const list = after.get(key) ?? [];
    expect(removed.map(({ position = 0 }) => list[position - 1])).toEqual(removed.map(({ text }) => text));
    const gone = new Set(removed.map(({ position }) => position));
    const left = list.filter((_rule, index) => !gone.has(index + 1));
    for (const { position = 0, text } of own.filter(({ action }) => action === 'add')) {
      left.splice(position - 1, 0, text);
    }
    after.set(key, left);
  }
  for (const change of changes.filter(({ kind, action }) => kind === 'chain' && action === 'remove')) {
    const key = `${tableOf(change)} ${/^:(\S+)/.exec(change.text)?.[1]}`;
    expect(after.get(key)).toEqual([]);
    after.delete(key);
  }
  return withoutEmptyHooks(after);
}

function withoutEmptyHooks(saved: Saved): Saved {
  return new Map([...saved].filter(([key, rules]) => rules.length > 0 || !BUILT_IN.test(key.split(' ')[1] ?? '')));
}

const whereAllowed = canMakeNamespaces() ? describe : describe.skip;
const STEPS = runCount(15, 500);

whereAllowed(`plan then apply, ${STEPS} random steps, on the kernel`, () => {
  test.each([
    ['IPv4', 'nft', 1],
    ['IPv6', 'legacy', 2],
  ] as const)(
    '%s, %s: iptables-save differs by exactly what was planned',
    async (family: IPFamily, variant: IptablesVariant, seed) => {
      await withNamespace(async ({ runner }) => {
        const random = new Random(seed);
        const cluster = new RandomCluster(random);
        const resolver = makeResolver({ family, ...OPTIONS });
        const proxier = feedResolver(resolver);
        const iptables = createIptables({ family, variant, runner });
        const dataplane = new IptablesDataplane({ family, iptables: async () => iptables, sysctl: fakeSettings() });
        // Planned by a process other than the agent.
        const planner = new IptablesDataplane({ family, iptables: async () => iptables, sysctl: fakeSettings() });
        const save = async () => withoutEmptyHooks(readSave(await iptables.save()));
        let inForce: ProxyState | undefined;
        let planned = 0;
        for (let step = 0; step < STEPS; step++) {
          for (let events = 1 + random.below(4); events > 0; events--) {
            cluster.step(proxier);
          }
          const drifts = inForce !== undefined && random.chance(0.15);
          if (drifts) {
            await iptables.restore(drift(random, await save()));
          }
          const before = await save();
          const { state, changes } = resolver.applyPending();
          const installed = await planner.readBack();
          const whole = planner.plan(state, diffStates(undefined, state), installed);
          const rendered = whole === undefined ? [] : planner.render(whole, installed);
          expect(await save()).toEqual(before);

          const transaction =
            inForce === undefined || drifts
              ? dataplane.plan(state, diffStates(undefined, state), await dataplane.readBack())
              : dataplane.plan(state, changes);
          if (transaction) {
            await dataplane.apply(transaction);
          }
          inForce = state;
          const after = await save();
          const kernelRules = rendered.filter(({ table }) => table.startsWith('iptables '));
          expect(sorted(applied(before, kernelRules))).toEqual(sorted(after));
          if (JSON.stringify(sorted(before)) === JSON.stringify(sorted(after))) {
            expect(kernelRules).toEqual([]);
          }
          planned += kernelRules.length;
        }
        expect(planned).toBeGreaterThan(STEPS);
      });
    },
  );
});

function sorted(saved: Saved): readonly (readonly [string, readonly string[]])[] {
  return [...saved].sort(([left], [right]) => (left < right ? -1 : 1));
}

/** A foreign change of one of our chains. */
function drift(random: Random, saved: Saved): string {
  const [table = '', chain = ''] = random
    .pick([...saved.keys()].filter((key) => /KUBE-(?:SERVICES|SVC|SEP)/.test(key)))
    .split(' ');
  const rules = saved.get(`${table} ${chain}`) ?? [];
  const change = random.pick([
    `-F ${chain}`,
    `-I ${chain} 1 -p tcp -m tcp --dport 9 -j RETURN`,
    rules[0] === undefined ? `-F ${chain}` : rules[0].replace('-A', '-D'),
  ]);
  return `*${table}\n${change}\nCOMMIT\n`;
}
