import { describe, expect, test } from '@jest/globals';
import { diffStates, verifyState } from '@kube-proxier/core';
import {
  ChangingServices,
  ClusterSketch,
  casesOf,
  RANDOM_NODE_ADDRESSES,
  randomNodeState,
  runCount,
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
        const state = randomNodeState(seed, family);
        // As with a DNS cache (spec F-CIP-11), in one of two clusters. As in kube-proxy, ports without endpoints are left to it.
        const frontends = [...state.servicePorts.values()].flatMap((port) => port.frontends);
        const ownClusterIPs = [...state.clusterIPs.keys()]
          .filter((one) => frontends.every(({ address, routes }) => address !== one || routes[0]?.action === 'forward'))
          .slice(0, seed % 2);
        await becomeNode(runner, [...RANDOM_NODE_ADDRESSES[family], ...ownClusterIPs]);
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
      const comment = ['-m', 'comment', '--comment', 'pods'];
      await iptablesNft('-t', 'nat', '-A', 'CNI-PODS', '-d', pods, ...comment, '-j', 'ACCEPT');
      await iptablesNft('-t', 'nat', '-A', 'POSTROUTING', '-p', 'icmp', '-j', 'CNI-PODS');
      await iptablesNft('-A', 'FORWARD', '-m', 'conntrack', '--ctstate', 'RELATED,ESTABLISHED', '-j', 'ACCEPT');
      const allowed = [sketchAddresses.allowed(family), pods];
      const iptables = createIptables({ family, variant: 'nft', runner });
      const dataplane = new IptablesDataplane({ family, iptables: async () => iptables, sysctl: fakeSettings() });
      // Every third Service restricts the sources, and every third keeps clients at their endpoint.
      const cluster = new ClusterSketch(family);
      const services = new ChangingServices(cluster, dataplane, SERVICES, (number, endpoint) => ({
        affinity: number % 3 === 1,
        ...(number % 3 === 2 ? { kind: 'LoadBalancer', ranges: [allowed[endpoint % 2] as string] } : {}),
      }));
      await services.sync();
      // Before the changes: the program would restart at each of them.
      const of = ` -d ${sketchAddresses.cluster(family, SERVICES)}/${host} `;
      const saved = (await iptables.save('nat')).split('\n');
      const rule = saved.find((line) => line.includes(of) && line.includes(' -j KUBE-SVC-')) ?? '';
      expect(rule).toContain(of);
      // A Service comes and goes, too.
      services.start((sync) => {
        if (sync % 10 === 0) {
          services.set(SERVICES + 1, 5);
        } else if (sync % 10 === 5) {
          cluster.remove(`ns/svc${SERVICES + 1}`);
        }
      });
      const verify = async () =>
        services.verify(await readPacketPath({ family }, { ...namespace, live: true }), runInSlices);
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
        await services.stop();
        iptables.close();
      }
    });
  });
});
