import { describe, expect, test } from '@jest/globals';
import { diffStates, type IPFamily, type ProxyState, type RuleChange } from '@kube-proxier/core';
import { feedResolver, makeResolver, Random, RandomCluster, runCount } from '@kube-proxier/core/testing';
import { createNetlinkNft, createNft } from '@kube-proxier/linux';
import { canMakeNamespaces, withNamespace } from '@kube-proxier/linux/testing';
import { NftablesDataplane } from './dataplane.js';
import { LAYOUTS, type Layout } from './plan/layout.js';

const OPTIONS = {
  localTrafficDetection: { kind: 'cluster-cidr', cidrs: ['10.244.0.0/16', 'fd00:244::/64'] },
} as const;

/** The objects of the table as texts; rules by chain, in order, as their comments. */
interface Listed {
  readonly objects: Set<string>;
  readonly rules: Map<string, string[]>;
}

type Fields = Readonly<Record<string, unknown>>;

/** The output of `nft -j list ruleset`, read independently of the code under test. */
function readListing(text: string): Listed {
  const listed: Listed = { objects: new Set(), rules: new Map() };
  const { nftables } = JSON.parse(text) as { readonly nftables: readonly Fields[] };
  for (const [kind, fields] of nftables.flatMap((item) => Object.entries(item) as [string, Fields][])) {
    if (kind === 'rule') {
      const chain = String(fields.chain);
      listed.rules.set(chain, [...(listed.rules.get(chain) ?? []), String(fields.comment)]);
    } else if (kind === 'table' || kind === 'chain' || kind === 'counter' || kind === 'set' || kind === 'map') {
      listed.objects.add(`${kind} ${fields.name}`);
      for (const element of (fields.elem ?? []) as readonly unknown[]) {
        const [key, value] = kind === 'map' ? (element as readonly unknown[]) : [element, undefined];
        listed.objects.add(
          `element ${fields.name} { ${spell(key)}${value === undefined ? '' : ` : ${spell(value)}`} }`,
        );
      }
    }
  }
  return listed;
}

function spell(value: unknown): string {
  if (typeof value !== 'object' || value === null) {
    return String(value);
  }
  const { concat, prefix, range, elem, jump, goto, drop, accept } = value as Record<string, Fields | undefined>;
  if (Array.isArray(concat)) {
    return concat.map(spell).join(' . ');
  }
  if (prefix) {
    return `${prefix.addr}/${prefix.len}`;
  }
  if (Array.isArray(range)) {
    return range.join('-');
  }
  if (elem) {
    return spell(elem.val);
  }
  const verdict = jump ? `jump ${jump.target}` : goto ? `goto ${goto.target}` : drop === null ? 'drop' : undefined;
  return verdict ?? (accept === null ? 'accept' : JSON.stringify(value));
}

/** The installed state after exactly the planned changes. */
function applied(before: Listed, changes: readonly RuleChange[]): Listed {
  const objects = new Set(before.objects);
  const rules = new Map([...before.rules].map(([chain, list]) => [chain, [...list]]));
  const textOf = ({ kind, text }: RuleChange) =>
    kind === 'element' ? text : kind === 'table' ? 'table kube-proxier' : text.split(' ').slice(0, 2).join(' ');
  for (const change of changes.filter(({ kind, action }) => kind !== 'rule' && action === 'remove')) {
    expect(objects).toContain(textOf(change));
    objects.delete(textOf(change));
  }
  for (const change of changes.filter(({ kind, action }) => kind !== 'rule' && action === 'add')) {
    expect(objects).not.toContain(textOf(change));
    objects.add(textOf(change));
  }
  const ofRules = changes.filter(({ kind }) => kind === 'rule');
  const tagOf = ({ text }: RuleChange) => / comment "([0-9a-f]+)"$/.exec(text)?.[1] ?? 'undefined';
  for (const chain of new Set(ofRules.map(({ container = '' }) => container))) {
    const own = ofRules.filter(({ container }) => container === chain);
    const list = rules.get(chain) ?? [];
    const removed = own.filter(({ action }) => action === 'remove');
    expect(removed.map(({ position = 0 }) => list[position - 1])).toEqual(removed.map(tagOf));
    const gone = new Set(removed.map(({ position }) => position));
    const left = list.filter((_rule, index) => !gone.has(index + 1));
    for (const change of own.filter(({ action }) => action === 'add')) {
      left.splice((change.position ?? 0) - 1, 0, tagOf(change));
    }
    rules.set(chain, left);
  }
  return { objects, rules };
}

function canonical({ objects, rules }: Listed): unknown {
  return {
    objects: [...objects].sort(),
    rules: [...rules].filter(([, list]) => list.length > 0).sort(([left], [right]) => (left < right ? -1 : 1)),
  };
}

const whereAllowed = canMakeNamespaces() ? describe : describe.skip;
const STEPS = runCount(15, 500);

whereAllowed(`plan then apply, ${STEPS} random steps, on the kernel`, () => {
  test.each([
    ['IPv4', LAYOUTS[0], 1],
    ['IPv6', LAYOUTS[0], 2],
    ['IPv4', LAYOUTS[1], 3],
  ] as const)('%s, layout %s: nft -j differs by exactly what was planned', async (family: IPFamily, chosen, seed) => {
    await withNamespace(async ({ runner, path }) => {
      const random = new Random(seed);
      const cluster = new RandomCluster(random);
      const resolver = makeResolver({ family, ...OPTIONS });
      const proxier = feedResolver(resolver);
      const layout = async () => chosen as Layout;
      // Each access path reads what the other wrote.
      const [nft, reader] =
        family === 'IPv4'
          ? [createNetlinkNft({ namespace: path }), createNft({ runner })]
          : [createNft({ runner }), createNetlinkNft({ namespace: path })];
      const dataplane = new NftablesDataplane({ family, nft, layout, countConnections: true, countTraffic: true });
      // Planned by a process other than the agent.
      const planner = new NftablesDataplane({
        family,
        nft: reader,
        layout,
        countConnections: true,
        countTraffic: true,
      });
      const list = async () =>
        readListing((await runner.run({ command: 'nft', args: ['-j', 'list', 'ruleset'] })).stdout);
      let inForce: ProxyState | undefined;
      let planned = 0;
      for (let step = 0; step < STEPS; step++) {
        for (let events = 1 + random.below(4); events > 0; events--) {
          cluster.step(proxier);
        }
        const drifts = inForce !== undefined && random.chance(0.15);
        if (drifts) {
          const text = drift(random, await list(), family);
          await runner.run({ command: 'nft', args: ['-f', '-'], stdin: text });
        }
        const before = await list();
        const { state, changes } = resolver.applyPending();
        const installed = await planner.readBack();
        const whole = planner.plan(state, diffStates(undefined, state), installed);
        const rendered = whole === undefined ? [] : planner.render(whole, installed);
        expect(canonical(await list())).toEqual(canonical(before));

        const transaction =
          inForce === undefined || drifts
            ? dataplane.plan(state, diffStates(undefined, state), await dataplane.readBack())
            : dataplane.plan(state, changes);
        if (transaction) {
          await dataplane.apply(transaction);
        }
        inForce = state;
        const after = canonical(await list());
        expect(canonical(applied(before, rendered))).toEqual(after);
        if (JSON.stringify(canonical(before)) === JSON.stringify(after)) {
          expect(rendered).toEqual([]);
        }
        planned += rendered.length;
      }
      nft.close();
      reader.close();
      expect(planned).toBeGreaterThan(STEPS);
    });
  });
});

/** A foreign change of the table. */
function drift(random: Random, { objects, rules }: Listed, family: IPFamily): string {
  const table = `${family === 'IPv4' ? 'ip' : 'ip6'} kube-proxier`;
  const chain = random.pick([...rules.keys()]);
  const elements = [...objects].filter((text) => text.startsWith('element ') && !text.includes(' affinity'));
  const element = elements.length === 0 ? undefined : random.pick(elements);
  return `${random.pick([
    `flush chain ${table} ${chain}`,
    `insert rule ${table} ${chain} meta mark 0x9 return`,
    element === undefined
      ? `flush chain ${table} ${chain}`
      : element.replace('element', `delete element ${table}`).replace(/ : .* }/, ' }'),
  ])}\n`;
}
