import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type IPFamily, keptClientsOf } from '@kube-proxier/core';
import { makeService, makeSlice, resolveObjects } from '@kube-proxier/core/testing';
import { readTemplateAffinity } from '@kube-proxier/ipvs';
import { STICKY_NODE_PORT, StickyClients } from './testing/sticky-clients.js';

/** Milliseconds: this kernel has one slow CPU, and its host may be busy. */
const TIMEOUT = 420_000;

describe('mode ipvs with session affinity', () => {
  let clients: StickyClients;

  beforeAll(async () => {
    clients = await StickyClients.create('legacy');
  }, TIMEOUT);

  afterAll(() => clients?.node.close());

  /** The endpoint of each client, by the templates of IPVS. */
  async function endpointsRead(family: IPFamily): Promise<Readonly<Record<string, string>>> {
    const { node, pods, remotePods } = clients.node.sandbox;
    const all = [...pods, ...remotePods];
    const service = makeService('work/sticky', {
      type: 'NodePort',
      clusterIP: family === 'IPv4' ? '10.96.0.20' : 'fd00:10:96::20',
      ports: [{ port: 80, nodePort: STICKY_NODE_PORT, protocol: 'TCP' }],
      sessionAffinity: 'ClientIP',
    });
    const addresses = all.map((pod) => pod.address(family));
    const slice = makeSlice('work/sticky', addresses, { ports: [{ port: 8080, protocol: 'TCP' }] });
    const [port] = resolveObjects({ services: [service], slices: [slice] }, { family }).servicePorts.values();
    const kept = port === undefined ? [] : keptClientsOf(port, await readTemplateAffinity(family, node.runner));
    const podOf = (key: string) => all.find((pod) => key.includes(pod.address(family)))?.name ?? key;
    return Object.fromEntries(kept.map(({ address, endpoint }) => [address, podOf(endpoint)]));
  }

  test(
    'the templates of IPVS tell the endpoint of each client, which keeps it in mode iptables',
    async () => {
      await clients.runMode('ipvs', TIMEOUT);
      const reached = await clients.endpoints();
      expect(new Set(Object.values(reached))).toEqual(new Set(['pod1', 'pod2', 'remote-pod1']));
      expect({ ...(await endpointsRead('IPv4')), ...(await endpointsRead('IPv6')) }).toEqual(reached);
      // This kernel has no nf_tables.
      await clients.node.stop();
      await clients.runMode('iptables', TIMEOUT);
      expect(await clients.endpoints()).toEqual(reached);
    },
    3 * TIMEOUT,
  );
});
