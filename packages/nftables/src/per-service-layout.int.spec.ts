import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { ENDPOINT_WEIGHTS_ANNOTATION, type IPFamily } from '@kube-proxier/core';
import { casesOf } from '@kube-proxier/core/testing';
import { createNft } from '@kube-proxier/linux';
import { failuresOf, PacketFlowFixture, type PolicyRow } from '@kube-proxier/network-sandbox';
import { NftablesDataplane } from './dataplane.js';
import { LAYOUTS, type Layout } from './plan/layout.js';

const TABLE = new URL('../../core/test-data/policy-flows.json', import.meta.url);
/** Every third row with a detector; only the selection of an endpoint differs from the constant layout. */
const rows = (JSON.parse(readFileSync(TABLE, 'utf8')) as { rows: readonly PolicyRow[] }).rows
  .filter(({ id }) => !id.includes('/'))
  .filter((_row, index) => index % 3 === 0);

describe.each(casesOf<IPFamily>(['IPv6'], ['IPv4']))('a chain per Service: real packets, %s', (family) => {
  let fixture: PacketFlowFixture;
  let layout: Layout;

  beforeEach(() => {
    layout = 'chain-per-service';
  });

  beforeAll(async () => {
    fixture = await PacketFlowFixture.create({
      family,
      dataplane: (_node, runner) =>
        new NftablesDataplane({ family, nft: createNft({ runner }), layout: async () => layout }),
    });
  });

  afterAll(async () => {
    await fixture?.close();
  });

  test.each(rows.map((row, index) => [row.id, index % 2 ? 'UDP' : 'TCP', row] as const))(
    '%s, %s',
    async (_id, protocol, row) => {
      expect(await fixture.verifyRow(row, protocol)).toEqual([]);
    },
  );

  test('a client keeps its endpoint until that is removed, then gets another and keeps it', async () => {
    const all = [fixture.local(1), fixture.local(2), fixture.remote(1)];
    const affinity = {
      sessionAffinity: 'ClientIP',
      sessionAffinityConfig: { clientIP: { timeoutSeconds: 60 } },
    } as const;
    const serve = (endpoints: typeof all) =>
      fixture.install(fixture.stateOf(fixture.serviceOf('TCP', affinity), endpoints, 'TCP'));
    const chosen = async () => {
      const found = new Set<string>();
      for (const frontend of ['clusterIP', 'nodePort'] as const) {
        const [to, port] = fixture.target(frontend);
        const { answeredBy } = await fixture.sandbox.client.connectMany({ to, port }, 10);
        Object.keys(answeredBy).forEach((name) => void found.add(name));
      }
      return [...found];
    };
    await serve(all);
    const [first = '', ...more] = await chosen();
    expect(more).toEqual([]);
    const own = fixture.sandbox.hosts.find(({ name }) => name === first)?.address(family);
    const other = all.find(({ address }) => address !== own);
    await serve(all.filter((one) => one !== other));
    expect(await chosen()).toEqual([first]);
    const left = all.filter(({ address }) => address !== own);
    await serve(left);
    const [second, ...others] = await chosen();
    expect(others).toEqual([]);
    expect(second).not.toBe(first);
    await serve(all);
    expect(await chosen()).toEqual([second]);
  });

  test('weights are kept', async () => {
    const [heavy, light] = [fixture.local(1), fixture.remote(1)];
    const service = fixture.serviceOf('TCP');
    const annotations = { [ENDPOINT_WEIGHTS_ANNOTATION]: `${heavy.address}=9` };
    const weighed = { ...service, metadata: { ...service.metadata, annotations } };
    await fixture.install(fixture.stateOf(weighed, [heavy, light], 'TCP'));
    const [to, port] = fixture.target('clusterIP');
    const { answeredBy } = await fixture.sandbox.client.connectMany({ to, port }, 300);
    expect(answeredBy.pod1).toBeGreaterThan(230);
    expect(answeredBy.pod1).toBeLessThan(300);
  });

  test('a change of the layout after an upgrade, and back: no connection fails', async () => {
    const endpoints = [fixture.local(1), fixture.local(2), fixture.remote(1)];
    await fixture.install(fixture.stateOf(fixture.serviceOf('TCP'), endpoints, 'TCP'));
    const { sandbox } = fixture;
    const [to, port] = fixture.target('nodePort');
    const client = await sandbox.client.startClient({ to, port }, 5);
    const open = await sandbox.client.open({ to, port });
    const ruleset = async () => (await sandbox.node.exec(['nft', 'list', 'ruleset'])).stdout;
    for (const next of [...LAYOUTS, ...LAYOUTS]) {
      layout = next;
      await fixture.restart();
      await client.moreAttempts(10);
      expect(await open.send('still there')).toEqual({ kind: 'echoed', text: 'still there' });
      const text = await ruleset();
      expect([/chain pick-tcp-/, /chain endpoints\/tcp-/].map((chain) => chain.test(text))).toEqual(
        LAYOUTS.map((one) => one === next),
      );
    }
    expect(failuresOf(await client.stop())).toBe(0);
  });
});
