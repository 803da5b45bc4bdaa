import { describe, expect, test } from '@jest/globals';
import { diffStates, type IPFamily, type Proxier, type ProxyState } from '@kube-proxier/core';
import {
  feedResolver,
  makeResolver,
  Random,
  RandomCluster,
  resolveObjects,
  runCount,
} from '@kube-proxier/core/testing';
import { createIptables, type Iptables } from '@kube-proxier/linux';
import { canMakeNamespaces, FakeIptables, withNamespace } from '@kube-proxier/linux/testing';
import { IptablesDataplane } from './dataplane.js';
import { fakeSettings } from './testing/fake-settings.js';
import { tableContents } from './testing/table-contents.js';

const FAMILIES: readonly IPFamily[] = ['IPv4', 'IPv6'];
const CHANGES = runCount(100, 200);
const OPTIONS = {
  localTrafficDetection: { kind: 'cluster-cidr', cidrs: ['10.244.0.0/16', 'fd00:244::/64'] },
} as const;

function dataplaneOn(family: IPFamily, iptables: Iptables): IptablesDataplane {
  return new IptablesDataplane({ family, iptables: async () => iptables, sysctl: fakeSettings() });
}

/** What a fresh start on an empty host would install. */
async function freshContents(family: IPFamily, state: ProxyState): Promise<unknown> {
  const iptables = new FakeIptables({ family });
  const dataplane = dataplaneOn(family, iptables);
  const transaction = dataplane.plan(state, diffStates(undefined, state), await dataplane.readBack());
  if (transaction) {
    await dataplane.apply(transaction);
  }
  return await tableContents(iptables);
}

/** One family: events in, rules out. */
class Subject {
  readonly resolver: ReturnType<typeof makeResolver>;
  readonly handler: Proxier;
  readonly #dataplane: IptablesDataplane;
  #installed: ProxyState | undefined;

  constructor(
    readonly family: IPFamily,
    readonly iptables: Iptables,
  ) {
    this.resolver = makeResolver({ family, ...OPTIONS });
    this.#dataplane = dataplaneOn(family, iptables);
    this.handler = feedResolver(this.resolver);
  }

  async sync(): Promise<void> {
    const { state, changes } = this.resolver.applyPending();
    const transaction = this.#installed
      ? this.#dataplane.plan(state, changes)
      : this.#dataplane.plan(state, diffStates(undefined, state), await this.#dataplane.readBack());
    if (transaction) {
      await this.#dataplane.apply(transaction);
    }
    this.#installed = state;
  }
}

const whereAllowed = canMakeNamespaces() ? describe : describe.skip;

whereAllowed(`${CHANGES} random changes, both families, on the kernel`, () => {
  test.each(Array.from({ length: runCount(2, 20) }, (_, index) => [index + 1, index % 2 ? 'legacy' : 'nft'] as const))(
    'seed %i, %s: after every sync the kernel holds what a fresh start would install',
    async (seed, variant) => {
      await withNamespace(async ({ runner }) => {
        const random = new Random(seed);
        const cluster = new RandomCluster(random);
        const subjects = FAMILIES.map((family) => new Subject(family, createIptables({ family, variant, runner })));
        const handlers = subjects.map(({ handler }) => handler);
        const both: Proxier = {
          ...(handlers[0] as Proxier),
          onServiceUpdate: (...event) => handlers.forEach((handler) => void handler.onServiceUpdate(...event)),
          onEndpointsUpdate: (...event) => handlers.forEach((handler) => void handler.onEndpointsUpdate(...event)),
          onNodeUpdate: (node) => handlers.forEach((handler) => void handler.onNodeUpdate(node)),
        };
        for (let done = 0; done < CHANGES; ) {
          const together = Math.min(1 + random.below(9), CHANGES - done);
          for (let change = 0; change < together; change += 1) {
            cluster.step(both);
          }
          done += together;
          for (const subject of subjects) {
            await subject.sync();
            const fresh = resolveObjects(cluster.objects, { family: subject.family, ...OPTIONS });
            expect(await tableContents(subject.iptables)).toEqual(await freshContents(subject.family, fresh));
          }
        }
      });
    },
  );
});
