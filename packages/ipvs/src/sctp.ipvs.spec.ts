import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { IPFamily } from '@kube-proxier/core';
import { casesOf } from '@kube-proxier/core/testing';
import {
  canSendSctp,
  type Outcome,
  PacketFlowFixture,
  type PolicyRow,
  SANDBOX_NETWORK,
} from '@kube-proxier/network-sandbox';
import { IpvsDataplane } from './dataplane.js';
import { nodeHost } from './testing/node-host.js';

const TABLE = new URL('../../core/test-data/policy-flows.json', import.meta.url);
const { rows } = JSON.parse(readFileSync(TABLE, 'utf8')) as { readonly rows: readonly PolicyRow[] };
/** To cluster IPs and from outside, with both policies. */
const policies = casesOf(
  ['CIP-C-S1', 'CIP-L-S2', 'EXT-C-S0', 'EXT-C-S1', 'EXT-L-S1'],
  rows.map(({ id }) => id).filter((id) => /^(CIP|EXT)-[CL]-S/.test(id)),
);

(canSendSctp() ? describe : describe.skip).each(casesOf<IPFamily>(['IPv4', 'IPv6'], []))(
  'SCTP Services through IPVS, %s',
  (family) => {
    let fixture: PacketFlowFixture;

    beforeAll(async () => {
      fixture = await PacketFlowFixture.create({
        family,
        protocols: ['SCTP'],
        dataplane: (node) => new IpvsDataplane({ family, host: nodeHost(node, family) }),
      });
    });

    afterAll(async () => {
      await fixture?.close();
    });

    const answeredBy = (outcome: Outcome) => (outcome.kind === 'answered' ? outcome.by : outcome.kind);

    test.each(policies)('traffic policies: %s', async (id) => {
      const row = rows.find((one) => one.id === id);
      expect(row && (await fixture.verifyRow(row, 'SCTP'))).toEqual([]);
    });

    test('session affinity', async () => {
      const { sandbox } = fixture;
      const service = fixture.serviceOf('SCTP', { sessionAffinity: 'ClientIP' });
      await fixture.install(fixture.stateOf(service, [fixture.local(1), fixture.local(2), fixture.remote(1)], 'SCTP'));
      const [to, port] = fixture.target('clusterIP');
      const { answeredBy: byPod } = await sandbox.client.connectMany({ protocol: 'SCTP', to, port }, 20);
      expect(Object.values(byPod)).toEqual([20]);
    });

    test('source ranges', async () => {
      const { sandbox } = fixture;
      const [allowed, other] = sandbox.client.addresses.filter(
        (address) => address.includes(':') === (family === 'IPv6'),
      );
      const ranges = { loadBalancerSourceRanges: [`${allowed}/${family === 'IPv4' ? 32 : 128}`] };
      const state = await fixture.install(
        fixture.stateOf(fixture.serviceOf('SCTP', ranges), [fixture.local(1)], 'SCTP'),
      );
      for (const source of [allowed, other]) {
        for (const frontend of ['loadBalancerIP', 'nodePort', 'externalIP'] as const) {
          expect(await fixture.verify(state, sandbox.client, frontend, 'SCTP', source)).toBeUndefined();
        }
      }
    });

    test('other ports of a cluster IP are rejected, other addresses of the Service network dropped', async () => {
      const { sandbox, address } = fixture;
      const serviceCIDRs = SANDBOX_NETWORK.serviceCIDRs.filter((cidr) => cidr.includes(':') === (family === 'IPv6'));
      const service = fixture.serviceOf('TCP');
      await fixture.install(fixture.stateOf(service, [fixture.local(1)], 'TCP', { serviceCIDRs }));
      const unused = family === 'IPv4' ? '10.96.9.9' : 'fd00:10:96::999';
      const kinds = async (to: string, timeout: number) => {
        const from = [sandbox.client, sandbox.pod(2), sandbox.node];
        const outcomes = await Promise.all(
          from.map((host) => host.connect({ protocol: 'SCTP', to, port: 80, timeout })),
        );
        return outcomes.map(({ kind }) => kind);
      };
      expect(await kinds(address.clusterIP, 5000)).toEqual(['refused', 'refused', 'refused']);
      expect(await kinds(unused, 500)).toEqual(['timeout', 'timeout', 'unreachable']);
    });

    test('associations continue when other endpoints get new ones, until their end', async () => {
      const { sandbox } = fixture;
      const service = fixture.serviceOf('SCTP');
      await fixture.install(fixture.stateOf(service, [fixture.remote(1)], 'SCTP'));
      const clients = [sandbox.client, sandbox.pod(2), sandbox.node];
      const open = await Promise.all(
        clients.flatMap((from) =>
          (['clusterIP', 'nodePort', 'loadBalancerIP'] as const).map((frontend) => {
            const [to, port] = fixture.target(frontend);
            return from.open({ protocol: 'SCTP', to, port, timeout: 10_000 });
          }),
        ),
      );
      await fixture.install(fixture.stateOf(service, [fixture.local(1)], 'SCTP'));
      const [to, port] = fixture.target('clusterIP');
      expect(answeredBy(await sandbox.client.connect({ protocol: 'SCTP', to, port }))).toBe('pod1');
      for (const association of open) {
        expect(await association.send('still there')).toEqual({ kind: 'echoed', text: 'still there' });
        await association.close();
        expect(await association.send('after the end')).toEqual({ kind: 'closed' });
      }
    });

    test('an association that starts again from the same port, after its endpoint was removed, reaches another endpoint', async () => {
      const { sandbox } = fixture;
      const service = fixture.serviceOf('SCTP');
      const [to, port] = fixture.target('clusterIP');
      const again = { protocol: 'SCTP', to, port, fromPort: 4000, timeout: 5000 } as const;
      await fixture.install(fixture.stateOf(service, [fixture.remote(1)], 'SCTP'));
      expect(await sandbox.client.open(again)).toMatchObject({ by: 'remote-pod1' });
      await fixture.install(fixture.stateOf(service, [fixture.local(1)], 'SCTP'));
      // IPVS drops the first packet, and with it the connection and its conntrack entry. Clients send INIT again; this one does not.
      expect(answeredBy(await sandbox.client.connect({ ...again, timeout: 500 }))).toBe('timeout');
      expect(answeredBy(await sandbox.client.connect(again))).toBe('pod1');
    });
  },
);
