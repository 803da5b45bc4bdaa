import { describe, expect, test } from '@jest/globals';
import {
  countsConnections,
  countsTraffic,
  diffStates,
  finish,
  frontendKey,
  hasPort,
  type IPFamily,
  PORT_RANGE_ANNOTATION,
  type ProxyState,
  type ResolvedServicePort,
  type Service,
} from '@kube-proxier/core';
import { everything, makeResolver, makeService, makeSlice, runCount } from '@kube-proxier/core/testing';
import { FakeNft } from '@kube-proxier/linux/testing';
import fc from 'fast-check';
import { NftablesDataplane } from '../dataplane.js';
import { endpointCounter } from './counted-endpoints.js';
import { claimOf, EndpointClaims } from './endpoint-claims.js';
import { type CountScope, type EndpointQuantity, endpointCounters, nftFamily, TABLE } from './layout.js';
import { ANNOTATIONS } from './service-options.js';
import { trafficCounter } from './traffic-counters.js';

/** A Service; those with different numbers may share external addresses and endpoints. */
interface Sketch {
  readonly number: number;
  /** Indices of external addresses. */
  readonly external: readonly number[];
  readonly hasNodePort: boolean;
  readonly ports: readonly { readonly port: number; readonly protocol: 'TCP' | 'UDP'; readonly target: number }[];
  /** Numbers of endpoints, those of 3 and above are not ready. */
  readonly endpoints: readonly number[];
  readonly annotations: Readonly<Record<string, string>>;
}

const NODE = { IPv4: '192.168.0.2', IPv6: 'fd00:192::2' };
const six = (family: IPFamily) => family === 'IPv6';
const clusterIP = (family: IPFamily, number: number) => `${six(family) ? 'fd00:10:96::1' : '10.96.0.1'}${number}`;
const external = (family: IPFamily, number: number) => `${six(family) ? '2001:db8::' : '198.51.100.'}${number + 1}`;
const pod = (family: IPFamily, number: number) => `${six(family) ? 'fd00:10::' : '10.244.0.'}${number + 1}`;

class Cluster {
  readonly #resolver;
  readonly #services = new Map<number, readonly [Service, ReturnType<typeof makeSlice>]>();
  #state: ProxyState | undefined;

  constructor(private readonly family: IPFamily) {
    const nodeAddresses = [NODE[family]];
    this.#resolver = makeResolver({ family, nodeAddresses, localTrafficDetection: { kind: 'none' } });
  }

  set(number: number, sketch: Omit<Sketch, 'number'> | undefined): void {
    const before = this.#services.get(number);
    const [service, slice] = sketch === undefined ? [undefined, undefined] : this.#objects({ ...sketch, number });
    this.#resolver.updateService(before?.[0], service);
    this.#resolver.updateEndpointSlice(before?.[1], slice);
    if (service === undefined || slice === undefined) {
      this.#services.delete(number);
    } else {
      this.#services.set(number, [service, slice]);
    }
  }

  next() {
    const { state } = this.#resolver.applyPending();
    const changes = diffStates(this.#state, state);
    this.#state = state;
    return { state, changes };
  }

  #objects({ number, ports, endpoints, annotations, ...rest }: Sketch) {
    const { family } = this;
    const name = `ns/s${number}`;
    const nameOf = (index: number) => `p${index}`;
    const service = makeService(
      name,
      {
        type: rest.hasNodePort ? 'NodePort' : 'ClusterIP',
        ipFamilies: [family],
        clusterIP: clusterIP(family, number),
        clusterIPs: [clusterIP(family, number)],
        externalIPs: rest.external.map((index) => external(family, index)),
        ports: ports.map(({ port, protocol }, index) => ({
          ...{ name: nameOf(index), port, protocol },
          ...(rest.hasNodePort ? { nodePort: 30_000 + 10 * number + index } : {}),
        })),
      },
      { metadata: { name: `s${number}`, namespace: 'ns', annotations } },
    );
    const described = endpoints.map((index) => ({ address: pod(family, index), ready: index < 3, serving: true }));
    const slice = makeSlice(name, described, {
      addressType: family,
      ports: ports.map(({ protocol, target }, index) => ({ name: nameOf(index), protocol, port: target })),
    });
    return [service, slice] as const;
  }
}

const anySketch: fc.Arbitrary<Omit<Sketch, 'number'>> = fc.record({
  external: fc.subarray([0, 1]),
  hasNodePort: fc.boolean(),
  ports: fc.uniqueArray(
    fc.record({
      port: fc.constantFrom(80, 85, 443),
      protocol: fc.constantFrom('TCP', 'UDP'),
      target: fc.constantFrom(8080, 8085),
    }),
    { minLength: 1, maxLength: 3, selector: ({ port, protocol }) => `${protocol}/${port}` },
  ),
  endpoints: fc.subarray([0, 1, 2, 3]),
  annotations: fc.constantFrom<Readonly<Record<string, string>>[]>(
    {},
    { [ANNOTATIONS.countConnections]: 'true' },
    { [ANNOTATIONS.countTraffic]: 'true' },
    { [ANNOTATIONS.countTraffic]: 'true', [PORT_RANGE_ANNOTATION]: '80-84' },
    { [PORT_RANGE_ANNOTATION]: '80-89' },
  ),
});

const anySteps = fc.array(
  fc.array(fc.tuple(fc.integer({ min: 0, max: 3 }), fc.option(anySketch, { nil: undefined })), {
    minLength: 1,
    maxLength: 4,
  }),
  { minLength: 1, maxLength: 6 },
);

type Elements = (container: string) => ReadonlyMap<string, { readonly value: string | undefined }>;

async function elementsIn(nft: FakeNft, family: IPFamily): Promise<Elements> {
  const table = await nft.list(nftFamily(family), TABLE);
  return (container) => table?.containers.get(container)?.elements ?? new Map();
}

interface Connection {
  readonly protocol: string;
  readonly address: string;
  readonly port: number;
  readonly endpoint: { readonly address: string; readonly port: number };
}

/** The counter that the rules find, in their order. */
function counterFound(elements: Elements, quantity: EndpointQuantity, one: Connection): string | undefined {
  const to = `${one.protocol} . ${one.endpoint.address} . ${one.endpoint.port}`;
  const at = (scope: CountScope, key: string) => elements(endpointCounters(scope, quantity)).get(key)?.value;
  const inRange = () => {
    for (const [key, { value }] of elements(endpointCounters('range', quantity))) {
      const parts = key.split(' . ');
      const contains = (ports = '', port: number) => {
        const [first, last] = ports.split('-').map(Number);
        return first !== undefined && last !== undefined && first <= port && port <= last;
      };
      if (
        parts.slice(0, 3).join(' . ') === `${one.address} . ${one.protocol} . ${one.endpoint.address}` &&
        contains(parts[3], one.endpoint.port) &&
        contains(parts[4], one.port)
      ) {
        return value;
      }
    }
    return undefined;
  };
  return (
    at('any-port', `${one.address} . ${to}`) ??
    at('address', `${one.address} . ${to} . ${one.port}`) ??
    inRange() ??
    at('node-port', `${to} . ${one.port}`)
  );
}

/** Every kind of connection to a service port. The node has all addresses, so that a NodePort is reached at each. */
function* connectionsTo(port: ResolvedServicePort, state: ProxyState): Generator<Connection> {
  const { family } = state;
  const { protocol } = port.name;
  const ofNode = [
    ...[NODE[family], ...[0, 1].map((number) => external(family, number))],
    ...[0, 1, 2, 3].map((number) => clusterIP(family, number)),
  ];
  const isOthers = (address: string, at: number) =>
    state.frontends.has(frontendKey(protocol, address, at)) ||
    [...state.servicePorts.values()].some(
      (other) =>
        other !== port &&
        other.name.protocol === protocol &&
        other.frontends.some((frontend) => frontend.address === address && hasPort(frontend, at)),
    );
  for (const frontend of port.frontends) {
    for (const endpoint of port.candidates) {
      for (const address of frontend.address === undefined ? ofNode : [frontend.address]) {
        for (let by = 0; by <= (frontend.lastPort ?? frontend.port) - frontend.port; by++) {
          const at = frontend.port + by;
          if ((frontend.address !== undefined && by === 0) || !isOthers(address, at)) {
            const to = { address: endpoint.address, port: endpoint.port + by };
            yield { protocol: protocol.toLowerCase(), address, port: at, endpoint: to };
          }
        }
      }
    }
  }
}

/** Connections that count for another counter than that of their service port. */
function miscounted(state: ProxyState, elements: Elements): readonly object[] {
  return [...state.servicePorts.values()].flatMap((port) => {
    const { annotations } = port.servicePort;
    return [...connectionsTo(port, state)].flatMap((connection) => {
      const { endpoint } = connection;
      const first = port.candidates.find(({ address }) => address === endpoint.address);
      const counted = { servicePort: port.name, endpoint: { address: endpoint.address, port: first?.port ?? 0 } };
      const expected = {
        connections: countsConnections(annotations, false) ? endpointCounter(counted) : undefined,
        'to-endpoints': countsTraffic(annotations, false)
          ? trafficCounter({ ...counted, direction: 'to-endpoints' })
          : undefined,
        'to-clients': countsTraffic(annotations, false)
          ? trafficCounter({ ...counted, direction: 'to-clients' })
          : undefined,
      };
      const found = {
        connections: counterFound(elements, 'connections', connection),
        'to-endpoints': counterFound(elements, 'to-endpoints', connection),
        'to-clients': counterFound(elements, 'to-clients', connection),
      };
      return JSON.stringify(found) === JSON.stringify(expected) ? [] : [{ connection, found, expected }];
    });
  });
}

function host(family: IPFamily) {
  const nft = new FakeNft();
  return { nft, dataplane: new NftablesDataplane({ family, nft }) };
}

async function fresh(state: ProxyState): Promise<FakeNft> {
  const { nft, dataplane } = host(state.family);
  const transaction = dataplane.plan(state, everything(state), await dataplane.readBack());
  await (transaction && dataplane.apply(transaction));
  return nft;
}

describe.each(['IPv4', 'IPv6'] as const)('Services that share addresses and endpoints, %s', (family) => {
  test('each connection counts for its own service port, in each state, and changes give the same as a fresh table', async () => {
    let shared = 0;
    await fc.assert(
      fc.asyncProperty(anySteps, async (steps) => {
        const cluster = new Cluster(family);
        const { nft, dataplane } = host(family);
        const empty = cluster.next().state;
        await (async (plan) => plan && dataplane.apply(plan))(
          dataplane.plan(empty, everything(empty), await dataplane.readBack()),
        );
        for (const step of steps) {
          for (const [number, sketch] of step) {
            cluster.set(number, sketch);
          }
          const { state, changes } = cluster.next();
          const transaction = dataplane.plan(state, changes);
          await (transaction && dataplane.apply(transaction));
          expect(nft.dump()).toBe((await fresh(state)).dump());
          expect(dataplane.plan(state, everything(state), await dataplane.readBack())).toBeUndefined();
          const elements = await elementsIn(nft, family);
          expect(miscounted(state, elements)).toEqual([]);
          shared += elements(endpointCounters('address', 'connections')).size;
        }
      }),
      { numRuns: runCount(150, 2000) },
    );
    expect(shared).toBeGreaterThan(0);
  });

  test('claims after changes are those of the state', () => {
    fc.assert(
      fc.property(anySteps, (steps) => {
        const cluster = new Cluster(family);
        const isCounted = ({ servicePort }: ResolvedServicePort) => countsConnections(servicePort.annotations, false);
        const claims = finish(EndpointClaims.of(cluster.next().state, isCounted));
        for (const step of steps) {
          for (const [number, sketch] of step) {
            cluster.set(number, sketch);
          }
          const { state, changes } = cluster.next();
          const was = new Map(claims.shared);
          const { before, after, hadSome, hasSome, claims: changed } = finish(claims.advance(state, changes));
          const whole = finish(EndpointClaims.of(state, isCounted)).shared;
          expect(new Map([...claims.shared].sort())).toEqual(new Map([...whole].sort()));
          expect([hadSome, hasSome]).toEqual([was.size > 0, whole.size > 0]);
          for (const claim of new Set([...was.keys(), ...whole.keys()])) {
            expect(before.get(claim)).toEqual(was.get(claim));
            expect(after.get(claim)).toEqual(whole.get(claim));
          }
          for (const [key, some] of changed) {
            const port = state.servicePorts.get(key);
            expect(port?.candidates.map((endpoint) => claimOf(port, endpoint))).toEqual(
              expect.arrayContaining([...some]),
            );
          }
        }
      }),
      { numRuns: runCount(150, 2000) },
    );
  });
});

describe('keys without the port of the frontend', () => {
  const web = { port: 80, protocol: 'TCP', target: 8080 } as const;
  const COUNTED: Omit<Sketch, 'number'> = {
    external: [0],
    hasNodePort: false,
    ports: [web],
    endpoints: [0],
    annotations: { [ANNOTATIONS.countConnections]: 'true' },
  };
  const CASES: readonly (readonly [
    what: string,
    others: readonly Omit<Sketch, 'number'>[],
    shared: readonly string[],
  ])[] = [
    ['one Service', [], []],
    ['with a NodePort of its own', [{ ...COUNTED, endpoints: [1], hasNodePort: true }], []],
    ['another, with other addresses', [{ ...COUNTED, external: [1] }], []],
    [
      'another, with the same address and other endpoints',
      [{ ...COUNTED, ports: [{ ...web, port: 443 }], endpoints: [1] }],
      [],
    ],
    ['another, to another port of the endpoint', [{ ...COUNTED, ports: [{ ...web, port: 443, target: 8443 }] }], []],
    ['another, of another protocol', [{ ...COUNTED, ports: [{ ...web, protocol: 'UDP' }] }], []],
    ['another, with the same address', [{ ...COUNTED, ports: [{ ...web, port: 443 }] }], ['198.51.100.1']],
    [
      'another that is not counted, with the same address',
      [{ ...COUNTED, ports: [{ ...web, port: 443 }], annotations: {} }],
      ['198.51.100.1'],
    ],
    [
      'another that is not counted, with a NodePort',
      [{ ...COUNTED, external: [], hasNodePort: true, annotations: {} }],
      ['198.51.100.1', '10.96.0.10'],
    ],
    [
      'another that is not counted, with a range at the address',
      [
        {
          ...COUNTED,
          ports: [{ ...web, port: 8000 }],
          endpoints: [],
          annotations: { [PORT_RANGE_ANNOTATION]: '8000-8100' },
        },
      ],
      ['198.51.100.1'],
    ],
  ];

  test.each(CASES)('%s', (_what, neighbors, shared) => {
    const cluster = new Cluster('IPv4');
    cluster.set(0, COUNTED);
    for (const [index, service] of neighbors.entries()) {
      cluster.set(index + 1, service);
    }
    const { state } = cluster.next();
    const isFirst = ({ name }: ResolvedServicePort) => name.name === 's0';
    const claims = finish(EndpointClaims.of(state, isFirst));
    expect([...(claims.shared.get('TCP/10.244.0.1:8080') ?? [])].sort()).toEqual([...shared].sort());
    expect([...claims.shared.keys()]).toEqual(shared.length === 0 ? [] : ['TCP/10.244.0.1:8080']);
  });

  test('two ports of one Service to one port of its endpoints', () => {
    const cluster = new Cluster('IPv4');
    cluster.set(0, { ...COUNTED, ports: [web, { ...web, port: 443 }], endpoints: [0, 1] });
    const claims = finish(EndpointClaims.of(cluster.next().state, () => true));
    const addresses = new Set(['10.96.0.10', '198.51.100.1']);
    expect(claims.shared).toEqual(new Map(['1', '2'].map((last) => [`TCP/10.244.0.${last}:8080`, addresses])));
  });
});

test('counting begins and ends while frontends and endpoints stay the same', () => {
  const cluster = new Cluster('IPv4');
  const ports = [80, 443].map((port) => ({ port, protocol: 'TCP', target: 8080 }) as const);
  cluster.set(0, { external: [], hasNodePort: false, ports, endpoints: [0], annotations: {} });
  const { state: without } = cluster.next();
  const isCounted = ({ servicePort }: ResolvedServicePort) => countsConnections(servicePort.annotations, false);
  const annotations = { [ANNOTATIONS.countConnections]: 'true' };
  const counted = [...without.servicePorts].map(
    ([key, port]) => [key, { ...port, servicePort: { ...port.servicePort, annotations } }] as const,
  );
  const withCounters: ProxyState = { ...without, servicePorts: new Map(counted) };
  const claims = finish(EndpointClaims.of(without, isCounted));
  for (const [from, to] of [
    [without, withCounters],
    [withCounters, without],
  ] as const) {
    const { hasSome } = finish(claims.advance(to, diffStates(from, to)));
    expect(hasSome).toBe(to === withCounters);
  }
});

test('one endpoint of many comes or goes: a few commands and elements, also where a second port shares all', async () => {
  const ports = [80, 443].map((port) => ({ port, protocol: 'TCP', target: 8080 }) as const);
  const all = Array.from({ length: 200 }, (_, index) => index);
  const annotations = { [ANNOTATIONS.countTraffic]: 'true' };
  const sketch = { external: [], hasNodePort: false, ports, annotations };
  for (const some of [ports.slice(0, 1), ports]) {
    const cluster = new Cluster('IPv4');
    const { dataplane } = host('IPv4');
    cluster.set(0, { ...sketch, ports: some, endpoints: all });
    const { state: first } = cluster.next();
    const whole = dataplane.plan(first, everything(first), await dataplane.readBack());
    await (whole && dataplane.apply(whole));
    cluster.set(0, { ...sketch, ports: some, endpoints: all.slice(1) });
    const { state, changes } = cluster.next();
    const text = JSON.stringify(dataplane.plan(state, changes)?.write.commands);
    // For each port: three maps.
    expect(text.match(/ \. tcp \. 10\.244\.0\.1 \. 8080/g)).toHaveLength(3 * some.length);
    expect(text).not.toContain(' . tcp . 10.244.0.3 . ');
  }
});
