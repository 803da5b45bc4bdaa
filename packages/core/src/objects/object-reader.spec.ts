import { describe, expect, jest, test } from '@jest/globals';
import fc from 'fast-check';
import { makeResolver, makeService, makeSlice } from '../testing/index.js';
import { servicePortKeyFrom } from '../testing/keys.js';
import { formatObjectProblem, type ObjectProblem } from './object-problem.js';
import { ObjectReader } from './object-reader.js';
import { readEndpointSlice } from './read-endpoint-slice.js';
import { readNode, readServiceCIDR } from './read-node.js';
import { readService } from './read-service.js';

const fields = (problems: readonly ObjectProblem[]) => problems.map(({ field }) => field);

describe('readService', () => {
  test('reads the fields of a Service, with canonical addresses', () => {
    const { definition, problems } = readService(
      makeService(
        'work/web',
        {
          type: 'LoadBalancer',
          clusterIP: '172.30.0.041',
          clusterIPs: ['172.30.0.041', 'FD00:0::41'],
          ipFamilies: ['IPv4', 'IPv6'],
          externalIPs: ['198.51.100.7', '2001:DB8::7', ''],
          ports: [
            { name: 'http', port: 80, nodePort: 30080 },
            { name: 'dns', port: 53, protocol: 'UDP' },
          ],
          sessionAffinity: 'ClientIP',
          sessionAffinityConfig: { clientIP: { timeoutSeconds: 600 } },
          externalTrafficPolicy: 'Local',
          internalTrafficPolicy: 'Local',
          healthCheckNodePort: 32000,
          loadBalancerSourceRanges: [' 203.0.113.000/025', 'fd00::/8'],
        },
        {
          status: {
            loadBalancer: { ingress: [{ ip: '192.0.2.1' }, { ip: '192.0.2.2', ipMode: 'Proxy' }, { hostname: 'x' }] },
          },
        },
      ),
    );
    expect(problems).toEqual([]);
    expect(definition).toEqual({
      namespace: 'work',
      name: 'web',
      createdAt: 0,
      ports: [
        { portName: 'http', protocol: 'TCP', port: 80, nodePort: 30080 },
        { portName: 'dns', protocol: 'UDP', port: 53, nodePort: 0 },
      ],
      families: {
        IPv4: {
          clusterIP: '172.30.0.41',
          externalIPs: ['198.51.100.7'],
          loadBalancerVIPs: ['192.0.2.1'],
          loadBalancerSourceRanges: ['203.0.113.0/25'],
        },
        IPv6: {
          clusterIP: 'fd00::41',
          externalIPs: ['2001:db8::7'],
          loadBalancerVIPs: [],
          loadBalancerSourceRanges: ['fd00::/8'],
        },
      },
      externalTrafficPolicy: 'Local',
      internalTrafficPolicy: 'Local',
      affinitySeconds: 600,
      healthCheckNodePort: 32000,
      annotations: {},
      endpointWeights: [],
      slowStartSeconds: undefined,
      whenEndpointGoes: 'keep',
    });
  });

  test.each([
    ['headless', makeService('a', { clusterIP: 'None' }), 'headless'],
    ['ExternalName, even with a cluster IP', makeService('a', { type: 'ExternalName' }), 'ExternalName'],
    [
      'of another proxy',
      makeService(
        'a',
        {},
        { metadata: { name: 'a', namespace: 'b', labels: { 'service.kubernetes.io/service-proxy-name': '' } } },
      ),
      'another proxy',
    ],
    ['without a cluster IP', makeService('a', { clusterIP: '' }), 'no cluster IP'],
  ])('skips one that is %s', (_what, service, reason) => {
    const result = readService(service);
    expect(result.definition).toBeUndefined();
    expect(result.skipped).toContain(reason);
    expect(result.problems).toEqual([]);
  });

  test('accepts a Service with a cluster IP and the label of headless EndpointSlices, as kube-proxy does', () => {
    const labels = { 'service.kubernetes.io/headless': '' };
    const service = makeService('b/a', {}, { metadata: { name: 'a', namespace: 'b', labels } });
    expect(readService(service)).toMatchObject({ skipped: undefined, problems: [], definition: { name: 'a' } });
  });

  test('an IPv4 address for an IPv6 entry of ipFamilies is omitted (spec K-12)', () => {
    const { definition, problems } = readService(makeService('a', { clusterIP: '10.0.0.1', ipFamilies: ['IPv6'] }));
    expect(definition?.families).toEqual({});
    expect(fields(problems)).toEqual(['spec.clusterIP']);
  });

  test('a malformed port is omitted and reported; the others are used', () => {
    const { definition, problems } = readService(
      makeService('a', {
        ports: [
          { name: 'a', port: 70000 },
          { name: 'b', port: 80, nodePort: -1 },
          { name: 'c\n-A INPUT', port: 81 },
          { name: 'd', port: 82, protocol: 'ICMP' },
          { name: 'b', port: 83 },
          { name: 'e' },
        ],
      }),
    );
    expect(definition?.ports).toEqual([{ portName: 'b', protocol: 'TCP', port: 80, nodePort: 0 }]);
    expect(fields(problems)).toEqual([
      'spec.ports[0].port',
      'spec.ports[1].nodePort',
      'spec.ports[2].name',
      'spec.ports[3].protocol',
      'spec.ports[4]',
      'spec.ports[5].port',
    ]);
    expect(problems.every(({ ignored }) => ignored === 'field')).toBe(true);
    expect(formatObjectProblem(problems[0] as ObjectProblem)).toBe(
      'Service default/a: spec.ports[0].port: 70000 is not a port (1 to 65535)',
    );
  });

  test.each([
    'no address',
    '10.0.0.1\n',
    '127.0.0.1',
    '0.0.0.0',
    '169.254.169.254',
    '224.0.0.1',
    'fe80::1',
    '::1',
    '999.0.0.1',
  ])('cluster IP %j makes the object unusable as a whole', (clusterIP) => {
    const { definition, skipped, problems } = readService(makeService('a', { clusterIP }));
    if (clusterIP.trim() === '10.0.0.1') {
      expect(definition?.families.IPv4?.clusterIP).toBe('10.0.0.1');
      return;
    }
    expect([definition, skipped]).toEqual([undefined, undefined]);
    expect(problems.at(-1)).toMatchObject({ field: 'spec.clusterIP', ignored: 'object' });
  });

  test('a malformed source range narrows the allowed sources and never widens them', () => {
    const ranges = (loadBalancerSourceRanges: string[]) => {
      const { definition } = readService(makeService('a', { loadBalancerSourceRanges }));
      return definition?.families.IPv4?.loadBalancerSourceRanges;
    };
    expect(ranges([])).toBeUndefined();
    expect(ranges(['10.0.0.0/8', 'nonsense'])).toEqual(['10.0.0.0/8']);
    expect(ranges(['nonsense'])).toEqual([]);
    expect(ranges(['10.0.0.0/33'])).toEqual([]);
    expect(ranges(['fd00::/8'])).toBeUndefined();
    expect(ranges(['10.0.0.0/8', '0.0.0.0/0'])).toBeUndefined();
  });

  test('affinity without a timeout has the default of the API', () => {
    expect(readService(makeService('a', { sessionAffinity: 'ClientIP' })).definition?.affinitySeconds).toBe(10_800);
  });

  test('keeps only the annotations of this project', () => {
    const metadata = {
      name: 'a',
      namespace: 'b',
      annotations: { 'kube-proxier.io/scheduler': 'lc', other: 'x'.repeat(1e6) },
    };
    expect(readService(makeService('a', {}, { metadata })).definition?.annotations).toEqual({
      'kube-proxier.io/scheduler': 'lc',
    });
  });
});

test.each([true, 5, ['reset'], { a: 1 }])(
  'an annotation of this project that is not a string is reported: %j',
  (value) => {
    const annotations = {
      'kube-proxier.io/a': value,
      'other/a': value,
      'kube-proxier.io/b': null,
      'kube-proxier.io/c': 'c',
    };
    const expected = [
      {
        field: 'metadata.annotations["kube-proxier.io/a"]',
        message: `${JSON.stringify(value)} is not text; put it in quotes`,
        ignored: 'field',
      },
    ];
    const service = readService({ ...makeService('a'), metadata: { name: 'a', namespace: 'b', annotations } });
    expect(service.problems).toMatchObject(expected);
    expect(service.definition?.annotations).toEqual({ 'kube-proxier.io/c': 'c' });
    const slice = makeSlice('web', ['10.0.0.1']);
    const ofSlice = { ...annotations, 'service.cilium.io/weight': value };
    const read = readEndpointSlice({ ...slice, metadata: { ...slice.metadata, annotations: ofSlice } });
    expect(read.problems).toMatchObject([...expected, { field: 'metadata.annotations["service.cilium.io/weight"]' }]);
    expect(read.definition?.endpoints).toHaveLength(1);
  },
);

describe('readEndpointSlice', () => {
  test('endpoints of the wrong family or without an address are omitted and reported', () => {
    const slice = {
      ...makeSlice('web', ['10.0.0.1']),
      endpoints: [
        { addresses: ['10.0.0.1'] },
        { addresses: ['fd00::1'] },
        { addresses: [] },
        { addresses: ['x'] },
        7,
        { addresses: ['127.0.0.1'] },
      ],
    };
    const { definition, problems } = readEndpointSlice(slice);
    expect(definition?.endpoints.map(({ address }) => address)).toEqual(['10.0.0.1']);
    expect(fields(problems)).toEqual([
      'endpoints[1].addresses[0]',
      'endpoints[2].addresses',
      'endpoints[3].addresses[0]',
      'endpoints[4]',
      'endpoints[5].addresses[0]',
    ]);
  });

  test('absent conditions mean ready and serving, not terminating (spec K-35)', () => {
    const { definition } = readEndpointSlice({
      ...makeSlice('web', []),
      endpoints: [{ addresses: ['10.0.0.1'], conditions: {} }],
    });
    expect(definition?.endpoints[0]).toMatchObject({ ready: true, serving: true, terminating: false });
  });

  test('a condition that is neither true nor false is a problem, and reads as absent', () => {
    const { definition, problems } = readEndpointSlice({
      ...makeSlice('web', []),
      endpoints: [{ addresses: ['10.0.0.1'], conditions: { ready: 'maybe', serving: null, terminating: 1 } as never }],
    });
    expect(definition?.endpoints[0]).toMatchObject({ ready: true, serving: true, terminating: false });
    expect(fields(problems)).toEqual(['endpoints[0].conditions.ready', 'endpoints[0].conditions.terminating']);
    expect(problems[0]?.message).toContain('"maybe" is not true or false');
  });

  test('10,000 endpoints, most of them malformed, are reported in a bounded number of problems', () => {
    const endpoints = Array.from({ length: 10_000 }, (_, index) => ({
      addresses: [index === 5000 ? '10.0.0.1' : 'bad'],
    }));
    const { definition, problems } = readEndpointSlice({ ...makeSlice('web', []), endpoints });
    expect(definition?.endpoints).toHaveLength(1);
    expect(problems).toHaveLength(21);
    expect(problems.at(-1)?.message).toBe('and 9979 more problems of this object');
  });
});

describe('any input', () => {
  const parsers = [readService, readEndpointSlice, readNode, readServiceCIDR];
  const skeletons = [
    makeService('work/web', { externalIPs: ['1.2.3.4'], loadBalancerSourceRanges: ['10.0.0.0/8'] }),
    makeSlice('web', [{ address: '10.0.0.1', zones: ['a'] }]),
    {
      metadata: { name: 'node1', labels: {} },
      spec: { podCIDRs: ['10.0.0.0/24'], taints: [{}] },
      status: { addresses: [{ type: 'InternalIP', address: '10.0.0.1' }] },
    },
    { metadata: { name: 'default' }, spec: { cidrs: ['10.96.0.0/12'] } },
  ];

  /** Sets a value anywhere in a copy of an object. */
  function poison(object: object, path: readonly number[], value: unknown): object {
    const copy = structuredClone(object) as Record<string, unknown>;
    let target: Record<string, unknown> = copy;
    for (const [depth, choice] of path.entries()) {
      const keys = Object.keys(target);
      const key = keys[choice % keys.length];
      if (key === undefined) {
        break;
      }
      const next = target[key];
      if (depth === path.length - 1 || typeof next !== 'object' || next === null) {
        target[key] = value;
        break;
      }
      target = next as Record<string, unknown>;
    }
    return copy;
  }

  test('reading never throws, and every problem is one printable line', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...parsers),
        fc.oneof(
          fc.anything(),
          fc
            .tuple(
              fc.constantFrom(...skeletons),
              fc.array(fc.nat(9), { minLength: 1, maxLength: 6 }),
              fc.oneof(fc.anything(), fc.string({ unit: 'binary' })),
            )
            .map(([object, path, value]) => poison(object, path, value)),
        ),
        (parse, object) => {
          const { problems } = parse(object);
          for (const problem of problems) {
            expect(formatObjectProblem(problem)).toMatch(/^[\x20-\x7e]*$/);
          }
        },
      ),
      { numRuns: 3000 },
    );
  });

  test('a hostile object adds only addresses and names to a state, and does not affect other Services', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...skeletons.slice(0, 2)),
        fc.array(fc.nat(9), { minLength: 1, maxLength: 6 }),
        fc.oneof(fc.anything(), fc.string({ unit: 'binary' })),
        (skeleton, path, value) => {
          const resolver = makeResolver();
          resolver.updateService(undefined, makeService('other/good', { clusterIP: '10.96.0.99' }));
          resolver.updateEndpointSlice(undefined, makeSlice('other/good', ['10.0.0.9']));
          const before = resolver.applyPending().state.servicePorts.get(servicePortKeyFrom('other/good:/TCP'));
          const object = poison(skeleton, path, value);
          resolver.updateService(undefined, object);
          resolver.updateEndpointSlice(undefined, object);
          const { state } = resolver.applyPending();
          expect(state.servicePorts.get(servicePortKeyFrom('other/good:/TCP'))).toBe(before);
          for (const [key, port] of state.servicePorts) {
            expect(key).toMatch(/^[-a-z0-9.]+\/[-a-z0-9.]+:[-a-z0-9]*\/(TCP|UDP|SCTP)$/);
            for (const { address } of [...port.frontends, ...port.candidates]) {
              expect(address ?? '').toMatch(/^[0-9a-f.:]*$/);
            }
          }
        },
      ),
      { numRuns: 1500 },
    );
  });
});

describe('ObjectReader', () => {
  test('reports a problem once while the object has it', () => {
    const onProblem = jest.fn();
    const reader = new ObjectReader(onProblem);
    const bad = () => makeService('a', { ports: [{ port: 70000 }] });
    reader.readService(bad());
    reader.readService(bad());
    expect(onProblem).toHaveBeenCalledTimes(1);
    reader.readService(makeService('a'));
    reader.readService(bad());
    expect(onProblem).toHaveBeenCalledTimes(2);
    reader.forget('Service', { namespace: 'default', name: 'a' });
    reader.readService(bad());
    expect(onProblem).toHaveBeenCalledTimes(3);
  });
});

describe('loopback endpoints', () => {
  const slice = makeSlice('web', ['127.0.0.1', '169.254.1.1', '0.0.0.0']);

  test('are rejected, as by the API server', () => {
    expect(readEndpointSlice(slice).definition?.endpoints).toEqual([]);
  });

  test('are accepted when enabled, and no other special address is', () => {
    const problems: ObjectProblem[] = [];
    const reader = new ObjectReader((problem) => problems.push(problem), { allowLoopbackEndpoints: true });
    const { definition } = reader.readEndpointSlice(slice);
    expect(definition?.endpoints.map(({ address }) => address)).toEqual(['127.0.0.1']);
    expect(fields(problems)).toEqual(['endpoints[1].addresses[0]', 'endpoints[2].addresses[0]']);
  });

  test('external IPs are omitted when the host disables them', () => {
    const service = {
      metadata: { name: 'a', namespace: 'default' },
      spec: { clusterIP: '10.96.0.1', externalIPs: ['192.0.2.1'], ports: [{ port: 80 }] },
    };
    const served = (options: object) =>
      new ObjectReader(undefined, options).readService(service).definition?.families.IPv4?.externalIPs;
    expect(served({})).toEqual(['192.0.2.1']);
    expect(served({ serviceExternalIPs: false })).toEqual([]);
  });
});
