import { afterEach, expect, test } from '@jest/globals';
import type { NodeState } from '@kube-proxier/core';
import { servicePortKeyFrom } from '@kube-proxier/core/testing';
import { createIptables, type IptablesVariant } from '@kube-proxier/linux';
import { NetworkSandbox } from '@kube-proxier/network-sandbox';
import type { ListenerSpec } from '../plan/userspace-transaction.js';
import { IptablesRedirector } from './iptables-redirector.js';

const PORT = 30_053;
const NODE: NodeState = {
  name: 'node1',
  zone: undefined,
  addresses: [],
  detector: { kind: 'none' },
  nodePortAddresses: { kind: 'all', loopback: true },
  serviceCIDRs: [],
};
const SPEC: ListenerSpec = {
  id: 'default/dns:/UDP node-port',
  servicePort: servicePortKeyFrom('default/dns:/UDP'),
  protocol: 'UDP',
  place: { kind: 'node-port', port: PORT },
  portals: [{ address: undefined, port: PORT }],
  allowedSources: undefined,
  routes: [{ source: 'any', action: 'forward', endpoints: 'cluster', masquerade: 'never' }],
};

let sandbox: NetworkSandbox | undefined;

afterEach(async () => {
  await sandbox?.close();
});

test.each<IptablesVariant>(['nft', 'legacy'])(
  'a UDP NodePort answers on all of 127.0.0.0/8, each time from the address that was asked (%s)',
  async (variant) => {
    sandbox = await NetworkSandbox.create({ pods: 1, remotePods: 0 });
    const { node } = sandbox;
    await node.serve({ protocol: 'UDP', port: PORT, address: '127.0.0.1', name: 'the socket' });
    const ask = (to: string) => node.connect({ protocol: 'UDP', to, port: PORT });
    expect(await ask('127.9.8.7')).not.toMatchObject({ kind: 'answered' });

    const iptables = createIptables({ family: 'IPv4', runner: node.runner, variant });
    const redirector = new IptablesRedirector('IPv4', async () => iptables);
    const listener = { spec: SPEC, name: 'default/dns', at: [{ address: '127.0.0.1', port: PORT }] };
    const state = { node: NODE, listeners: new Map([[SPEC.id, listener]]), clusterIPs: new Set<string>() };
    await redirector.apply(state, 'all');
    // The client takes no answer from elsewhere.
    for (const to of ['127.0.0.1', '127.0.0.2', '127.9.8.7']) {
      expect(await ask(to)).toMatchObject({ kind: 'answered', by: 'the socket' });
    }
    await redirector.apply(
      { ...state, listeners: new Map() },
      { listeners: new Set([SPEC.id]), clusterIPs: new Set(), node: false },
    );
    expect(await ask('127.9.8.7')).not.toMatchObject({ kind: 'answered' });
    expect(await redirector.inForce()).toBe(true);
  },
);
