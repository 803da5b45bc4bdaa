import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { IPFamily } from '@kube-proxier/core';
import { casesOf, everything } from '@kube-proxier/core/testing';
import { createNft } from '@kube-proxier/linux';
import { PacketFlowFixture, type PolicyRow, type SandboxHost } from '@kube-proxier/network-sandbox';
import { NftablesDataplane } from './dataplane.js';
import type { Layout } from './plan/layout.js';
import { renderTransaction } from './plan/nftables-transaction.js';

/** Guarantees of this backend beyond the conformance kit. */
describe.each(casesOf<IPFamily>(['IPv4'], ['IPv6']))('session affinity of nftables, %s', (family) => {
  let fixture: PacketFlowFixture;

  beforeAll(async () => {
    fixture = await PacketFlowFixture.create({
      family,
      dataplane: (_node, runner) => new NftablesDataplane({ family, nft: createNft({ runner }) }),
    });
  });

  afterAll(async () => {
    await fixture?.close();
  });

  /** Names of the answering endpoints, over several frontends. */
  async function answers(from: SandboxHost, frontends: readonly PolicyRow['to'][number][], tries = 12) {
    const found = new Set<string>();
    for (const frontend of frontends) {
      const [to, port] = fixture.target(frontend);
      const { answeredBy } = await from.connectMany({ to, port }, tries);
      for (const name of Object.keys(answeredBy)) {
        found.add(name);
      }
    }
    return [...found];
  }

  test('clients are spread over all endpoints', async () => {
    const service = fixture.serviceOf('TCP', { sessionAffinity: 'ClientIP' });
    const endpoints = [fixture.remote(1), fixture.remote(2)];
    const found = new Set<string>();
    // The affinity entry is deleted each time; with two endpoints, the same one 20 times has a probability of
    // 1:500,000.
    for (let round = 0; round < 20 && found.size < 2; round++) {
      await fixture.install(fixture.stateOf(service, [], 'TCP'));
      await fixture.install(fixture.stateOf(service, endpoints, 'TCP'));
      for (const name of await answers(fixture.sandbox.client, ['clusterIP'], 2)) {
        found.add(name);
      }
    }
    expect(found.size).toBe(2);
  });

  test('preserves foreign bits of the packet mark', async () => {
    const service = fixture.serviceOf('TCP', { sessionAffinity: 'ClientIP' });
    await fixture.install(fixture.stateOf(service, [fixture.remote(1), fixture.remote(2)], 'TCP'));
    const nft = (script: string) => fixture.runner.run({ command: 'nft', args: ['-f', '-'], stdin: script });
    await nft(`table inet others {
        chain early { type filter hook prerouting priority -150; meta mark set 0x00abc000; }
        chain late { type filter hook postrouting priority 150; ct state new meta mark 0x00ab8000 counter; ct state new meta mark 0x00abc000 counter; }
      }`);
    try {
      expect(await answers(fixture.sandbox.pod(3), ['clusterIP', 'nodePort'], 3)).toHaveLength(1);
      const { stdout } = await fixture.runner.run({ command: 'nft', args: ['list', 'table', 'inet', 'others'] });
      const counts = [...stdout.matchAll(/meta mark 0x00(ab8|abc)000 counter packets (\d+)/g)].map((found) => [
        found[1],
        Number(found[2]) > 0,
      ]);
      // Bit 14 is ours, and cleared by masquerading; here another program set it, so all packets are masqueraded.
      expect(counts).toEqual([
        ['ab8', true],
        ['abc', false],
      ]);
    } finally {
      await nft('delete table inet others');
    }
  });

  test.each<Layout>(['constant', 'chain-per-service'])(
    'a table that is replaced, as by an upgrade, keeps clients at their endpoints, and the values of counters: %s',
    async (layout) => {
      const service = fixture.serviceOf('TCP', { sessionAffinity: 'ClientIP' });
      const state = fixture.stateOf(service, [fixture.remote(1), fixture.remote(2)], 'TCP');
      const counting = { family, countConnections: true, layout: async () => layout } as const;
      const { runner, sandbox } = fixture;
      const put = async (dataplane: NftablesDataplane): Promise<string> => {
        const transaction = dataplane.plan(state, everything(state), await dataplane.readBack());
        await dataplane.apply(transaction as NonNullable<typeof transaction>);
        return transaction === undefined ? '' : renderTransaction(transaction);
      };
      await fixture.dataplane.cleanup();
      await put(new NftablesDataplane({ ...counting, nft: createNft({ runner }) }));
      const hosts = [...sandbox.pods, sandbox.client, sandbox.node, sandbox.remoteNode];
      const endpoints = () => Promise.all(hosts.map((host) => answers(host, ['clusterIP'], 3)));
      const before = await endpoints();
      expect(before.map((names) => names.length)).toEqual(hosts.map(() => 1));

      // Flags cannot be added to a table.
      const owner = new NftablesDataplane({
        ...counting,
        nft: createNft({ runner }),
        tableFlags: async () => ['owner'],
      });
      try {
        expect(await put(owner)).toMatch(/^delete table /);
        expect(await endpoints()).toEqual(before);
        const [counts] = await owner.connections();
        expect(counts?.connections).toBe(2 * 3 * hosts.length);
      } finally {
        owner.close();
        await fixture.install(state);
      }
    },
  );
});
