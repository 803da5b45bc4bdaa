import { describe, expect, test } from '@jest/globals';
import { diffStates, type ProxyState, verifyInSlices, verifyState } from '@kube-proxier/core';
import {
  ClusterSketch,
  casesOf,
  EXAMPLE_SERVICE,
  everything,
  RANDOM_NODE_ADDRESSES,
  randomNodeState,
  runCount,
  type ServiceSketch,
  sketchAddresses,
} from '@kube-proxier/core/testing';
import { createIptables, detectIptablesVariant, runInSlices, splitWords } from '@kube-proxier/linux';
import { becomeNode, canMakeNamespaces, withNamespace } from '@kube-proxier/linux/testing';
import { IptablesDataplane } from './dataplane.js';
import { readPacketPath } from './packet-path.js';
import { fakeSettings } from './testing/fake-settings.js';

const whereAllowed = canMakeNamespaces() ? describe : describe.skip;

/** Enough that iptables-nft-save takes longer to print them than the interval between changes. */
const SERVICES = 300;

whereAllowed.each(['IPv4', 'IPv6'] as const)('%s, on the kernel', (family) => {
  test.each(Array.from({ length: runCount(2, 20) }, (_, index) => [index + 1]))(
    'random cluster %i: rules as iptables-save prints them are verified',
    async (seed) => {
      await withNamespace(async ({ runner, files }) => {
        await becomeNode(runner, RANDOM_NODE_ADDRESSES[family]);
        const state = randomNodeState(seed, family);
        const { variant } = await detectIptablesVariant(runner);
        const iptables = createIptables({ family, runner, ...(variant === undefined ? {} : { variant }) });
        const dataplane = new IptablesDataplane({ family, iptables: async () => iptables, sysctl: fakeSettings() });
        const transaction = dataplane.plan(state, diffStates(undefined, state), await dataplane.readBack());
        if (transaction !== undefined) {
          await dataplane.apply(transaction);
        }
        iptables.close();
        for (const live of [false, true]) {
          const path = await readPacketPath({ family }, { runner, files, live });
          expect(path.isLive).toBe(live);
          const { verdict, findings, classes } = verifyState(state, path);
          path.close();
          expect({ verdict, findings: findings.map(({ message }) => message) }).toEqual({
            verdict: 'verified',
            findings: [],
          });
          expect(classes).toBeGreaterThanOrEqual(state.frontends.size * 3);
        }
      });
    },
    60_000,
  );

  const testOnce = casesOf(['IPv6'], ['IPv4']).includes(family) ? test : () => {};
  testOnce('a state is verified while Services change all the time, and differences are found', async () => {
    await withNamespace(async (namespace) => {
      const { runner } = namespace;
      const [program, host] = family === 'IPv4' ? ['iptables-nft', 32] : ['ip6tables-nft', 128];
      const iptablesNft = (...args: string[]) => runner.run({ command: program, args: ['-w', ...args] });
      await becomeNode(runner, [sketchAddresses.node(family)]);
      const pods = sketchAddresses.pods(family);
      // Rules of a pod network. Only the program knows the options of the first one.
      await iptablesNft('-t', 'raw', '-A', 'PREROUTING', '-j', 'CT', '--zone', '1');
      await iptablesNft('-t', 'nat', '-N', 'CNI-PODS');
      await iptablesNft(
        '-t',
        'nat',
        '-A',
        'CNI-PODS',
        '-d',
        pods,
        '-m',
        'comment',
        '--comment',
        'pods',
        '-j',
        'ACCEPT',
      );
      await iptablesNft('-t', 'nat', '-A', 'POSTROUTING', '-p', 'icmp', '-j', 'CNI-PODS');
      await iptablesNft('-A', 'FORWARD', '-m', 'conntrack', '--ctstate', 'RELATED,ESTABLISHED', '-j', 'ACCEPT');
      const cluster = new ClusterSketch(family);
      const allowed = [sketchAddresses.allowed(family), pods];
      // Every third Service restricts the sources, and every third keeps clients at their endpoint.
      const sketch = (number: number, endpoint: number): ServiceSketch => ({
        ...{ ...EXAMPLE_SERVICE, name: `ns/svc${number}`, number, affinity: number % 3 === 1 },
        ...(number % 3 === 2 ? { kind: 'LoadBalancer', ranges: [allowed[endpoint % 2] as string] } : {}),
        endpoints: [
          { number: endpoint, node: 'node1' },
          { number: endpoint + 1, node: 'node2' },
        ],
      });
      for (let number = 1; number <= SERVICES; number++) {
        cluster.set(sketch(number, 2 * number));
      }
      const iptables = createIptables({ family, variant: 'nft', runner });
      const dataplane = new IptablesDataplane({ family, iptables: async () => iptables, sysctl: fakeSettings() });
      let state: ProxyState | undefined;
      const sync = async () => {
        const { state: next, changes } = cluster.next();
        const isFirst = state === undefined;
        const transaction = dataplane.plan(
          next,
          isFirst ? everything(next) : changes,
          isFirst ? await dataplane.readBack() : undefined,
        );
        if (transaction !== undefined) {
          await dataplane.apply(transaction);
        }
        state = next;
      };
      await sync();
      // Before the changes: the program would restart at each of them.
      const of = ` -d ${sketchAddresses.cluster(family, SERVICES)}/${host} `;
      const saved = (await iptables.save('nat')).split('\n');
      const rule = saved.find((line) => line.includes(of) && line.includes(' -j KUBE-SVC-')) ?? '';
      expect(rule).toContain(of);
      let syncs = 0;
      let isOver = false;
      const changing = (async () => {
        for (; !isOver; syncs++) {
          // Endpoints of one Service, and now and then a Service that comes or goes.
          const number = 1 + ((syncs * 7919) % (SERVICES - 1));
          cluster.set(sketch(number, 2 * number + 10_001 * (syncs % 2)));
          const other = `ns/svc${SERVICES + 1}`;
          if (syncs % 10 === 0) {
            cluster.set({ ...sketch(SERVICES + 1, 5), name: other });
          } else if (syncs % 10 === 5) {
            cluster.remove(other);
          }
          await sync();
          await new Promise((resolve) => setTimeout(resolve, 10));
        }
      })();
      const verify = async () => {
        const before = syncs;
        const path = await readPacketPath({ family }, { ...namespace, live: true });
        const current = () => state as ProxyState;
        const result = await runInSlices(verifyInSlices(current(), path, { current }));
        path.close();
        return { ...result, syncs: syncs - before };
      };
      try {
        const good = await verify();
        expect(good).toMatchObject({ verdict: 'verified', different: 0, unknown: 0 });
        expect(good.syncs).toBeGreaterThan(10);
        // Another program deletes a rule, and drops packets to an endpoint that does not change.
        await iptablesNft('-t', 'nat', '-D', ...(splitWords(rule.slice('-A '.length)) ?? []));
        const endpoint = sketchAddresses.pod(family, 2 * SERVICES + 1);
        await iptablesNft('-I', 'FORWARD', '1', '-d', endpoint, '-p', 'tcp', '-j', 'DROP');
        const bad = await verify();
        expect(bad.verdict).toBe('different');
        const found = bad.findings?.flatMap(({ servicePorts }) => servicePorts);
        expect(found).toContainEqual(expect.stringContaining(`ns/svc${SERVICES}`));
      } finally {
        isOver = true;
        await changing;
        iptables.close();
      }
    });
  });
});
