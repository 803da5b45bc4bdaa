import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { PacketFlowWorld, type PolicyRow } from '@kube-proxier/linux/testing';
import { IpvsDataplane } from './ipvs-dataplane.js';
import { type NodeHost, nodeHost } from './testing/node-host.js';

const TABLE = new URL('../../core/test-data/policy-flows.json', import.meta.url);
/** By default the rows with a detector and without masqueradeAll; `KUBE_PROXIER_FLOWS=all` tries them all. */
const rows = (JSON.parse(readFileSync(TABLE, 'utf8')) as { rows: readonly PolicyRow[] }).rows.filter(
  ({ id }) => process.env.KUBE_PROXIER_FLOWS === 'all' || !id.includes('/'),
);

describe.each(['IPv4', 'IPv6'] as const)('real packets through IPVS, %s', (family) => {
  let world: PacketFlowWorld;
  let host: NodeHost | undefined;

  beforeAll(async () => {
    world = await PacketFlowWorld.create({
      family,
      dataplane: (node) => {
        host = nodeHost(node, family);
        return new IpvsDataplane({ family, host });
      },
    });
  });

  afterAll(async () => {
    try {
      await world?.close();
    } finally {
      host?.close();
    }
  });

  test.each(rows.map((row, index) => [row.id, index % 2 ? 'UDP' : 'TCP', row] as const))(
    '%s, %s',
    async (_id, protocol, row) => {
      expect(await world.verifyRow(row, protocol)).toEqual([]);
    },
  );
});
