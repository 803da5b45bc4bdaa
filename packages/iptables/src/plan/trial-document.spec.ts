import { describe, expect, test } from '@jest/globals';
import type { IPFamily } from '@kube-proxier/core';
import { createIptables, type IptablesDocument, renderDocument } from '@kube-proxier/linux';
import { canMakeNamespaces, FakeIptables, withNamespace } from '@kube-proxier/linux/testing';
import fc from 'fast-check';
import { anySketch, ClusterSketch, everything } from '../testing/clusters.js';
import { IptablesPlanner } from './iptables-planner.js';
import { documentOf } from './iptables-transaction.js';
import { trialDocument } from './trial-document.js';

const FAMILIES: readonly IPFamily[] = ['IPv4', 'IPv6'];
const FACTS = { randomFully: true, dropInvalid: true, counters: new Set<string>() };

/** What rules need of the kernel: matches with the names of their options, and targets that are no chain. */
function extensionsOf(document: IptablesDocument<unknown>): ReadonlySet<string> {
  const rules = renderDocument(document)
    .split('\n')
    .filter((line) => /^-[AI] /.test(line))
    .map((line) => line.replace(/ --comment "[^"]*"/, ''));
  return new Set(
    rules.flatMap((rule) => {
      const matches = [...rule.matchAll(/ -m (\S+)((?: ! --\S+| --\S+| (?!-)\S+)*)/g)].map(
        ([, name, options = '']) => `${name} ${[...options.matchAll(/--\S+/g)].join(' ')}`,
      );
      const target = / -j (?!KUBE-)(\S+)(?: (--\S+))?/.exec(rule);
      return [...matches, ...(target ? [`-j ${target[1]} ${target[2] ?? ''}`] : [])];
    }),
  );
}

describe.each(FAMILIES)('the trial document, %s', (family) => {
  const trial = extensionsOf(trialDocument(family, FACTS));

  test.each(['recent --set', 'recent --rcheck', 'statistic', 'addrtype', 'conntrack', 'mark', 'udp --dport'])(
    'has %s',
    (extension) => {
      expect([...trial].filter((found) => found.startsWith(extension))).not.toEqual([]);
    },
  );

  test('has every match and target that the planner prints, except those for SCTP', () => {
    fc.assert(
      fc.property(fc.array(anySketch(family), { minLength: 1, maxLength: 12 }), (sketches) => {
        const cluster = new ClusterSketch(family);
        for (const sketch of sketches) {
          cluster.set(sketch);
        }
        const { state } = cluster.next();
        const planned = new IptablesPlanner(14).plan(state, everything(state), {
          filter: new Map(),
          nat: new Map(),
          routeLocalnet: false,
          facts: FACTS,
        });
        const missing = [...extensionsOf(documentOf(planned!))].filter(
          (extension) => !trial.has(extension) && !extension.startsWith('sctp '),
        );
        expect(missing).toEqual([]);
      }),
      { numRuns: 100 },
    );
  });

  test('is accepted by an empty host, and has MASQUERADE as the host supports it', async () => {
    await new FakeIptables({ family }).restore(renderDocument(trialDocument(family, FACTS)));
    expect(renderDocument(trialDocument(family, { randomFully: false }))).not.toContain('--random-fully');
    expect([...trial].some((extension) => extension === '-j MASQUERADE --random-fully')).toBe(true);
  });

  (canMakeNamespaces() ? test : test.skip).each(['legacy', 'nft'] as const)(
    'is accepted by the kernel: %s',
    async (variant) => {
      await withNamespace(async ({ runner }) => {
        const iptables = createIptables({ family, variant, runner });
        const { randomFully } = await iptables.version();
        await iptables.restore(renderDocument(trialDocument(family, { randomFully })));
        expect(await iptables.save('nat')).toContain('-m recent --rcheck');
      });
    },
  );
});
