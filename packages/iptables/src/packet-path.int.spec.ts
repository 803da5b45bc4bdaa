import { describe, expect, test } from '@jest/globals';
import { diffStates, verifyState } from '@kube-proxier/core';
import { RANDOM_NODE_ADDRESSES, randomNodeState, runCount } from '@kube-proxier/core/testing';
import { createIptables, detectIptablesVariant } from '@kube-proxier/linux';
import { becomeNode, canMakeNamespaces, withNamespace } from '@kube-proxier/linux/testing';
import { IptablesDataplane } from './dataplane.js';
import { readPacketPath } from './packet-path.js';
import { fakeSettings } from './testing/fake-settings.js';

const whereAllowed = canMakeNamespaces() ? describe : describe.skip;

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
        const { verdict, findings, classes } = verifyState(state, await readPacketPath({ family }, { runner, files }));
        expect({ verdict, findings: findings.map(({ message }) => message) }).toEqual({
          verdict: 'verified',
          findings: [],
        });
        expect(classes).toBeGreaterThanOrEqual(state.frontends.size * 3);
      });
    },
    60_000,
  );
});
