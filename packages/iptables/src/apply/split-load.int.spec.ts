import { expect, test } from '@jest/globals';
import { silentLogger } from '@kube-proxier/core';
import { createIptables, type Iptables } from '@kube-proxier/linux';
import { canMakeNamespaces, FakeIptables, withNamespace } from '@kube-proxier/linux/testing';
import { IptablesDataplane } from '../dataplane.js';
import type { IptablesTransaction } from '../plan/iptables-transaction.js';
import { ClusterSketch, everything, sketch } from '../testing/clusters.js';
import { fakeSettings } from '../testing/fake-settings.js';
import { tableContents } from '../testing/table-contents.js';
import { applyTransaction } from './apply-transaction.js';

const LARGE = 1200;

const whereAllowed = canMakeNamespaces() ? test : test.skip;

whereAllowed.each(['IPv4', 'IPv6'] as const)(
  '%s: the kernel has what one document brings after a large load in parts, and after one Service of it changed',
  async (family) => {
    await withNamespace(async ({ runner }) => {
      const real = createIptables({ family, variant: 'nft', runner });
      const fake = new FakeIptables({ family, variant: 'legacy' });
      const documents: string[] = [];
      const restore = real.restore.bind(real);
      real.restore = async (document) => {
        documents.push(document);
        await restore(document);
      };
      const dataplaneOn = (iptables: Iptables) =>
        new IptablesDataplane({ family, iptables: async () => iptables, sysctl: fakeSettings() });
      const cluster = new ClusterSketch(family);
      for (let number = 1; number <= LARGE; number += 1) {
        cluster.set(sketch(number, number % 3 === 0 ? { kind: 'NodePort', affinity: true } : {}));
      }
      const { state } = cluster.next();
      const planners = [dataplaneOn(real), dataplaneOn(fake)] as const;
      for (const [index, iptables] of [real, fake].entries()) {
        const planner = planners[index] as IptablesDataplane;
        const transaction = planner.plan(state, everything(state), await planner.readBack());
        await applyTransaction(iptables, transaction as IptablesTransaction, silentLogger);
      }
      expect(documents.join('').split('COMMIT\n').length).toBeGreaterThan(5);
      expect(await tableContents(real)).toEqual(await tableContents(fake));
      cluster.set(sketch(7, { endpoints: [{ number: 8, node: 'node2' }] }));
      const next = cluster.next();
      for (const [index, iptables] of [real, fake].entries()) {
        const transaction = planners[index]?.plan(next.state, next.changes);
        await applyTransaction(iptables, transaction as IptablesTransaction, silentLogger);
      }
      expect(await tableContents(real)).toEqual(await tableContents(fake));
      real.close();
    });
  },
);
