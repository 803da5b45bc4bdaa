import { describe, expect, test } from '@jest/globals';
import { Random } from '@kube-proxier/core/testing';
import { frontendsOf, servesNodePorts } from './comparison.mjs';
import { type Difference, hasAmbiguousEntries, knownDifferenceOf } from './known-differences.mjs';
import { type EndpointSlice, RandomCluster, type Service } from './random-cluster.mjs';
import { smallerClusters } from './smaller-clusters.mjs';

const web = {
  metadata: { name: 'web', namespace: 'one' },
  spec: {
    type: 'LoadBalancer',
    clusterIP: '10.96.0.10',
    clusterIPs: ['10.96.0.10'],
    ports: [{ name: 'http', protocol: 'TCP', port: 80, nodePort: 30_000 }],
    externalTrafficPolicy: 'Local',
    loadBalancerSourceRanges: ['192.0.2.0/24'],
  },
  status: { loadBalancer: { ingress: [{ ip: '198.51.100.10' }] } },
} satisfies Service;

describe('random clusters', () => {
  const changed = (seed: number) => {
    const cluster = new RandomCluster(new Random(seed));
    cluster.begin();
    for (let count = 0; count < 300; count += 1) {
      cluster.change();
    }
    return cluster;
  };

  test('the same seed makes the same objects', () => {
    expect([...changed(1).objects]).toEqual([...changed(1).objects]);
    expect([...changed(1).objects]).not.toEqual([...changed(2).objects]);
  });

  test.each([3, 4, 5])('no two Services have the same port of an address (seed %d)', (seed) => {
    const frontends = changed(seed)
      .services.flatMap((service) => {
        const own = frontendsOf(service).filter(({ hasPort }) => hasPort);
        return [...new Set(own.map(({ protocol, to, port }) => `${protocol} ${to} ${port}`))];
      })
      .sort();
    expect(frontends.length).toBeGreaterThan(0);
    expect(frontends).toEqual([...new Set(frontends)]);
  });
});

describe('frontends', () => {
  test('are the addresses of a Service, with ports that it has, and others', () => {
    const frontends = frontendsOf(web).map(
      ({ to, protocol, port, hasPort }) => `${protocol} ${to}:${port} ${hasPort ? 'served' : 'other'}`,
    );
    expect(frontends).toEqual(
      expect.arrayContaining([
        'TCP 10.96.0.10:80 served',
        'UDP 10.96.0.10:80 other',
        'TCP 10.96.0.10:81 other',
        'TCP 198.51.100.10:80 served',
        'TCP 192.168.0.2:30000 served',
      ]),
    );
  });

  test.each<[mode: string, entries: string[], address: string, served: boolean]>([
    ['iptables', [], '192.168.1.2', true],
    ['nftables', [], '192.168.1.2', false],
    ['nftables', ['primary'], '192.168.0.2', true],
    ['iptables', ['192.168.0.0/24'], '192.168.1.2', false],
    ['iptables', ['192.168.0.0/24'], 'fd00:192:168::2', true],
  ])('in mode %s, NodePort addresses %j include %s: %s', (mode, nodePortAddresses, address, served) => {
    expect(servesNodePorts({ mode, nodePortAddresses }, address)).toBe(served);
  });
});

describe('known differences', () => {
  const difference: Difference = {
    mode: 'iptables',
    flow: { client: 'client', protocol: 'TCP', to: '198.51.100.10', port: 80, service: web },
    kubeProxy: new Set(['refused']),
    kubeProxier: new Set(['timeout']),
    service: web,
    frontend: 'load balancer IP',
    hasPort: true,
    isServed: false,
    hasMoved: false,
    slices: [],
  };

  test('are known by mode, frontend and outcomes', () => {
    expect(knownDifferenceOf(difference)?.id).toBe('F-LB-11');
    expect(knownDifferenceOf({ ...difference, mode: 'nftables' })).toBeUndefined();
    expect(knownDifferenceOf({ ...difference, kubeProxier: new Set(['pod1:8080<-10.244.0.1']) })).toBeUndefined();
    const withoutRanges = { ...web, spec: { ...web.spec, loadBalancerSourceRanges: [] } };
    expect(knownDifferenceOf({ ...difference, service: withoutRanges })).toBeUndefined();
  });
});

describe('an endpoint of another node that reaches itself', () => {
  const own = 'remote-pod1:8080<-192.168.0.2';
  const other = 'pod1:8080<-10.244.7.11';

  test.each([
    ['timeout', [own], ['timeout'], 'F-Q-1'],
    ['timeout, and another endpoint', [own, other], ['timeout', other], 'F-Q-1'],
    ['another endpoint is not reached', [own, other], ['timeout'], undefined],
  ])('%s', (_what, kubeProxy, kubeProxier, id) => {
    const flow = { client: 'remote-pod1', protocol: 'TCP' as const, to: '10.96.0.10', port: 80, service: web };
    const facts = { frontend: 'cluster IP' as const, hasPort: true, isServed: false, hasMoved: false, slices: [] };
    const outcomes = { kubeProxy: new Set(kubeProxy), kubeProxier: new Set(kubeProxier) };
    expect(knownDifferenceOf({ mode: 'iptables', flow, service: web, ...facts, ...outcomes })?.id).toBe(id);
  });
});

describe('entries for one address and port', () => {
  const slices = (...endpoints: EndpointSlice['endpoints']): EndpointSlice[] =>
    endpoints.map((endpoint, index) => ({
      metadata: { name: `web-${index}`, namespace: 'one', labels: { 'kubernetes.io/service-name': 'web' } },
      addressType: 'IPv4',
      ports: [{ name: 'http', port: 8080 }],
      endpoints: [endpoint],
    }));
  const addresses = ['10.244.0.11'];
  const ready = { addresses, conditions: { ready: true } };
  const unready = { addresses, conditions: { ready: false } };
  const terminating = { addresses, conditions: { ready: false, terminating: true } };

  test.each([
    ['equal', slices(ready, ready), false],
    ['one of them terminating', slices(ready, terminating), false],
    ['different', slices(ready, unready), true],
    [
      'both terminating, of which one does not serve',
      slices(terminating, { addresses, conditions: { ready: false, serving: false, terminating: true } }),
      true,
    ],
    ['of different addresses', slices(ready, { ...unready, addresses: ['10.244.0.12'] }), false],
  ])('%s', (_what, list, isAmbiguous) => {
    expect(hasAmbiguousEntries(web, list)).toBe(isAmbiguous);
  });
});

describe('smaller clusters', () => {
  const slice: EndpointSlice = {
    metadata: { name: 'web-1', namespace: 'one', labels: { 'kubernetes.io/service-name': 'web' } },
    addressType: 'IPv4',
    ports: [{ name: 'http', port: 8080 }],
    endpoints: [{ addresses: ['10.244.0.11'], conditions: { ready: true } }],
  };

  test('first only the Service and its EndpointSlices, then less of them; each is another one', () => {
    const other = { ...web, metadata: { name: 'web', namespace: 'two' } };
    const objects = new Map([
      ['web', { resource: 'services' as const, object: web }],
      ['other', { resource: 'services' as const, object: other }],
      ['slice', { resource: 'endpointslices' as const, object: slice }],
    ]);
    const [first, ...rest] = smallerClusters(objects, web);
    expect([...(first?.keys() ?? [])]).toEqual(['web', 'slice']);
    const texts = rest.map((smaller) => JSON.stringify([...smaller]));
    expect(texts).not.toContain(JSON.stringify([...objects]));
    expect(new Set(texts).size).toBe(texts.length);
    expect(texts.join()).toContain('"externalTrafficPolicy":"Cluster"');
    expect(texts.join()).toContain('"endpoints":[]');
  });
});
