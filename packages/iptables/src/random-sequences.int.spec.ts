import { join } from 'node:path';
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
import { type CommandRunner, createIptables, type Iptables } from '@kube-proxier/linux';
import { canMakeNamespaces, FakeIptables, withNamespace } from '@kube-proxier/linux/testing';
import { IptablesDataplane } from './dataplane.js';
import type { InstalledIptables } from './plan/installed-iptables.js';
import { ClusterSketch, sketch } from './testing/clusters.js';
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

/** Directories with further versions of iptables; `npm run test:iptables-versions` installs them. */
const DIRECTORIES = (process.env.KUBE_PROXIER_IPTABLES_DIRECTORIES ?? '').split(':').filter((path) => path !== '');

/** Runs the programs of iptables in a directory. Netlink is not used, so each document is written by the program. */
function withPrograms({ run }: CommandRunner, directory: string): CommandRunner {
  return { run: (request) => run({ ...request, command: join(directory, request.command) }) };
}

const whereAllowed = canMakeNamespaces() ? describe : describe.skip;

whereAllowed(`${CHANGES} random changes, both families, on the kernel`, () => {
  test.each([
    ...Array.from({ length: runCount(2, 20) }, (_, index) => [index + 1, index % 2 ? 'legacy' : 'nft', ''] as const),
    ...DIRECTORIES.flatMap((path) => [[1, 'nft', path] as const, [2, 'legacy', path] as const]),
  ])(
    'seed %i, %s %s: after every sync the kernel holds what a fresh start would install',
    async (seed, variant, directory) => {
      await withNamespace(async (namespace) => {
        const runner = directory === '' ? namespace.runner : withPrograms(namespace.runner, directory);
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

  test.each(['', ...DIRECTORIES].flatMap((path) => FAMILIES.map((family) => [family, path] as const)))(
    '%s, nft %s: lookup trees of 60 Services are installed, changed and removed',
    async (family, directory) => {
      await withNamespace(async (namespace) => {
        const runner = directory === '' ? namespace.runner : withPrograms(namespace.runner, directory);
        const iptables = createIptables({ family, variant: 'nft', runner });
        const dataplane = dataplaneOn(family, iptables);
        const cluster = new ClusterSketch(family);
        for (let number = 1; number <= 60; number += 1) {
          cluster.set(
            sketch(number, { kind: (['NodePort', 'ExternalIP', 'LoadBalancer'] as const)[number % 3] ?? 'NodePort' }),
          );
        }
        let { state, changes } = cluster.next();
        const sync = async (installed?: InstalledIptables) => {
          const transaction = dataplane.plan(state, installed ? diffStates(undefined, state) : changes, installed);
          if (transaction) {
            await dataplane.apply(transaction);
          }
          expect(await tableContents(iptables)).toEqual(await freshContents(family, state));
        };
        await sync(await dataplane.readBack());
        cluster.set(sketch(7, { endpoints: [] }));
        cluster.remove('ns/svc8');
        ({ state, changes } = cluster.next());
        await sync();
        await dataplane.cleanup();
        expect(await tableContents(iptables)).toEqual(await tableContents(new FakeIptables({ family })));
      });
    },
  );
});
