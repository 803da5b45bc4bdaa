import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { IPFamily } from '@kube-proxier/core';
import { casesOf } from '@kube-proxier/core/testing';
import { canSendSctp, PacketFlowFixture, sctpSuite } from '@kube-proxier/network-sandbox';
import { IpvsDataplane } from './dataplane.js';
import { nodeHost } from './testing/node-host.js';

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

    test.each(sctpSuite())('$title', async ({ run }) => {
      expect(await run(fixture)).toEqual([]);
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
      expect(await sandbox.client.connect({ ...again, timeout: 500 })).toMatchObject({ kind: 'timeout' });
      expect(await sandbox.client.connect(again)).toMatchObject({ by: 'pod1' });
    });
  },
);
