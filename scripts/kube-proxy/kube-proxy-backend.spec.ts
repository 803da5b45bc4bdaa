import { describe, expect, test } from '@jest/globals';
import { DEFAULT_PROXIER_OPTIONS, type LocalTrafficDetection, type NodePortAddressSelection } from '@kube-proxier/core';
import { appendToLog, configurationOf, createKubeProxyBackend, withDefaults } from './kube-proxy-backend.mjs';

describe('the configuration of kube-proxy', () => {
  test.each<[LocalTrafficDetection, object]>([
    [{ kind: 'none' }, {}],
    [{ kind: 'node-cidr' }, { detectLocalMode: 'NodeCIDR' }],
    [
      { kind: 'cluster-cidr', cidrs: ['10.244.0.0/16', 'fd00::/48'] },
      { detectLocalMode: 'ClusterCIDR', clusterCIDR: '10.244.0.0/16,fd00::/48' },
    ],
    [
      { kind: 'interface', name: 'cni0' },
      { detectLocalMode: 'BridgeInterface', detectLocal: { bridgeInterface: 'cni0' } },
    ],
    [
      { kind: 'interface-prefix', prefix: 'veth' },
      { detectLocalMode: 'InterfaceNamePrefix', detectLocal: { interfaceNamePrefix: 'veth' } },
    ],
  ])('recognizes pods by %j', (localTrafficDetection, expected) => {
    const configuration = configurationOf({ ...DEFAULT_PROXIER_OPTIONS, localTrafficDetection }, 'nftables', 'k');
    expect(configuration).toMatchObject({ mode: 'nftables', clientConnection: { kubeconfig: 'k' }, ...expected });
  });

  test.each<[NodePortAddressSelection, readonly string[]]>([
    [{ kind: 'all' }, ['0.0.0.0/0', '::/0']],
    [{ kind: 'primary' }, ['primary']],
    [{ kind: 'cidrs', cidrs: ['192.0.2.0/24'] }, ['192.0.2.0/24']],
  ])('has node ports on %j', (nodePortAddresses, expected) => {
    const configuration = configurationOf({ ...DEFAULT_PROXIER_OPTIONS, nodePortAddresses }, 'iptables', 'k');
    expect(configuration.nodePortAddresses).toEqual(expected);
  });
});

describe('objects have the defaults of an API server', () => {
  const metadata = { name: 'web', namespace: 'default' };

  test('a Service with addresses of both families', () => {
    const spec = { clusterIPs: ['10.96.0.7', 'fd00::7'], type: 'NodePort', ports: [{ port: 80 }] };
    expect(withDefaults('services', { metadata, spec })).toEqual({
      metadata,
      spec: {
        ...{ type: 'NodePort', sessionAffinity: 'None', internalTrafficPolicy: 'Cluster' },
        ...{ externalTrafficPolicy: 'Cluster', ipFamilies: ['IPv4', 'IPv6'] },
        ...{ clusterIP: '10.96.0.7', clusterIPs: ['10.96.0.7', 'fd00::7'] },
        ports: [{ protocol: 'TCP', port: 80, targetPort: 80 }],
      },
    });
  });

  test('what is set stays', () => {
    const spec = {
      ...{ clusterIP: 'None', internalTrafficPolicy: 'Local', sessionAffinity: 'ClientIP' },
      sessionAffinityConfig: { clientIP: { timeoutSeconds: 5 } },
      ports: [{ name: 'dns', protocol: 'UDP', port: 53, targetPort: 'dns' }],
    };
    expect(withDefaults('services', { metadata, spec })).toMatchObject({ spec });
  });

  test('an EndpointSlice whose port has no name', () => {
    const slice = { metadata, addressType: 'IPv4', endpoints: [] };
    expect(withDefaults('endpointslices', { ...slice, ports: [{ port: 8080 }] })).toEqual({
      ...slice,
      ports: [{ name: '', protocol: 'TCP', port: 8080 }],
    });
  });
});

describe('the end of the log', () => {
  test('has no flags', () => {
    const flag = 'I1125 15:27:28.052969   23800 flags.go:64] FLAG: --bind-address="0.0.0.0"';
    const error = 'E1125 15:27:28.053745   23800 run.go:72] "command failed" err="failed validate"';
    expect([flag, `??? ${flag}`, error, flag].reduce(appendToLog, '')).toBe(`${error}\n`);
  });

  test('is of limited length', () => {
    const log = appendToLog('x'.repeat(20_000), 'last');
    expect(log).toHaveLength(20_000);
    expect(log.endsWith('xlast\n')).toBe(true);
  });
});

test('a program that does not run is reported by the probe', async () => {
  const backend = createKubeProxyBackend({ program: '/nonexistent/kube-proxy', mode: 'nftables' });
  expect(await backend.probe()).toEqual({
    usable: false,
    reason: expect.stringContaining('/nonexistent/kube-proxy does not run: '),
  });
});

test('stale flows are left to kube-proxy', () => {
  const { capabilities } = createKubeProxyBackend({ program: '/nonexistent/kube-proxy', mode: 'iptables' });
  expect(capabilities?.tracksConnections).toBe(false);
});
