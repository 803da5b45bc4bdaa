import { describe, expect, test } from '@jest/globals';
import { diffStates, type ProxyState, type Service, type ServicePortKey } from '@kube-proxier/core';
import { makeService, makeSlice, resolveObjects } from '@kube-proxier/core/testing';
import { FakeIptables } from '@kube-proxier/linux/testing';
import fc from 'fast-check';
import { type PortRange, parsePortRange, portsOf } from './proxy/port-range.js';
import { intersectNetworks } from './redirect/intersect-networks.js';
import { IptablesRedirector } from './redirect/iptables-redirector.js';
import { interfaceAddressCommand, parsePortproxy, portproxyCommand } from './redirect/portproxy-commands.js';
import type { RedirectedListener, RedirectState } from './redirect/redirector.js';
import { readServiceOptions } from './service-options.js';
import { type Reach, UserspacePlanner } from './userspace-planner.js';
import type {
  InstalledUserspace,
  ListenerId,
  ListenerSpec,
  ServiceSpec,
  UserspaceTransaction,
} from './userspace-transaction.js';

interface Sketch {
  readonly number: number;
  readonly local: boolean;
  readonly affinity: boolean;
  readonly endpoints: readonly number[];
}

const sketches = fc.uniqueArray(
  fc.record({
    number: fc.integer({ min: 1, max: 5 }),
    local: fc.boolean(),
    affinity: fc.boolean(),
    endpoints: fc.uniqueArray(fc.integer({ min: 1, max: 4 }), { maxLength: 3 }),
  }),
  { selector: ({ number }) => number, maxLength: 5 },
);

function stateOf(list: readonly Sketch[]): ProxyState {
  const services: Service[] = list.map(({ number, local, affinity }) =>
    makeService(
      `svc${number}`,
      {
        type: 'LoadBalancer',
        clusterIP: `10.96.0.${number}`,
        externalIPs: [`198.51.100.${number}`],
        loadBalancerSourceRanges: ['203.0.113.0/24'],
        externalTrafficPolicy: local ? 'Local' : 'Cluster',
        sessionAffinity: affinity ? 'ClientIP' : 'None',
        ports: [{ port: 80, protocol: number === 5 ? 'SCTP' : number > 2 ? 'UDP' : 'TCP', nodePort: 30_000 + number }],
      },
      { status: { loadBalancer: { ingress: [{ ip: `192.0.2.${number}` }] } } },
    ),
  );
  const slices = list.map(({ number, endpoints }) =>
    makeSlice(
      `svc${number}`,
      endpoints.map((endpoint) => `10.244.0.${endpoint}`),
      { ports: [{ name: '', protocol: number === 5 ? 'SCTP' : number > 2 ? 'UDP' : 'TCP', port: 8080 }] },
    ),
  );
  return resolveObjects(
    { services, slices },
    { localTrafficDetection: { kind: 'source-cidr', cidr: '10.244.0.0/16' } },
  );
}

/** What a dataplane would hold. */
class Model {
  node: InstalledUserspace['node'];
  readonly services = new Map<ServicePortKey, ServiceSpec>();
  readonly listeners = new Map<ListenerId, ListenerSpec>();
  readonly clusterIPs = new Set<string>();
  redirectInForce = false;

  apply(transaction: UserspaceTransaction | undefined): void {
    if (!transaction) {
      return;
    }
    this.node = transaction.node ?? this.node;
    this.redirectInForce ||= transaction.full;
    for (const key of transaction.remove) {
      expect(this.services.delete(key)).toBe(true);
    }
    for (const id of transaction.close) {
      expect(this.listeners.delete(id)).toBe(true);
    }
    for (const spec of transaction.set) {
      this.services.set(spec.key, spec);
    }
    for (const spec of transaction.change) {
      expect(this.listeners.has(spec.id)).toBe(true);
      this.listeners.set(spec.id, spec);
    }
    for (const spec of transaction.open) {
      expect(this.listeners.has(spec.id)).toBe(false);
      expect(this.services.has(spec.servicePort)).toBe(true);
      this.listeners.set(spec.id, spec);
    }
    for (const address of transaction.addClusterIPs) {
      this.clusterIPs.add(address);
    }
    for (const address of transaction.removeClusterIPs) {
      this.clusterIPs.delete(address);
    }
  }
}

test('the transaction for one Service with two endpoints, when nothing is installed', () => {
  const state = resolveObjects(
    {
      services: [makeService('web', { clusterIP: '10.96.0.1', ports: [{ port: 80, protocol: 'TCP' }] })],
      slices: [
        makeSlice(
          'web',
          [
            { address: '10.244.0.1', node: 'node1' },
            { address: '10.244.0.2', node: 'node2' },
          ],
          { ports: [{ name: '', protocol: 'TCP', port: 8080 }] },
        ),
      ],
    },
    { localTrafficDetection: { kind: 'source-cidr', cidr: '10.244.0.0/16' } },
  );
  const planner = new UserspacePlanner({ reach: 'redirected' });
  expect(planner.plan(state, diffStates(undefined, state), new Model())).toEqual({
    full: true,
    node: {
      name: 'node1',
      zone: undefined,
      addresses: [],
      detector: { kind: 'source-cidr', cidr: '10.244.0.0/16' },
      nodePortAddresses: { kind: 'all', loopback: true },
      serviceCIDRs: [],
    },
    set: [
      {
        key: 'default/web:/TCP',
        name: 'default/web',
        protocol: 'TCP',
        cluster: [
          { key: '10.244.0.1:8080', address: '10.244.0.1', port: 8080 },
          { key: '10.244.0.2:8080', address: '10.244.0.2', port: 8080 },
        ],
        local: [],
        draining: [],
        affinitySeconds: undefined,
        options: { proxyProtocol: undefined, loadBalancing: 'round-robin', maxConnections: undefined },
      },
    ],
    remove: [],
    open: [
      {
        id: 'default/web:/TCP TCP/10.96.0.1:80',
        servicePort: 'default/web:/TCP',
        protocol: 'TCP',
        place: { kind: 'proxy-port' },
        portals: [{ address: '10.96.0.1', port: 80 }],
        allowedSources: undefined,
        routes: [{ source: 'any', action: 'forward', endpoints: 'cluster', masquerade: 'off-cluster' }],
      },
    ],
    change: [],
    close: [],
    addClusterIPs: ['10.96.0.1'],
    removeClusterIPs: [],
    problems: [],
  });
});

describe('UserspacePlanner', () => {
  test.each<Reach>(['redirected', 'bound', 'none'])('steps lead where a fresh start does: %s', (reach) => {
    fc.assert(
      fc.property(fc.array(sketches, { minLength: 1, maxLength: 5 }), (steps) => {
        const planner = new UserspacePlanner({ reach, listenAddresses: ['198.51.100.1'] });
        const model = new Model();
        let previous: ProxyState | undefined;
        for (const step of steps) {
          const state = stateOf(step);
          const changes = diffStates(previous, state);
          model.apply(previous ? planner.plan(state, changes) : planner.plan(state, changes, model));
          expect(planner.plan(state, diffStates(undefined, state), model)).toBeUndefined();
          const fresh = new Model();
          fresh.apply(planner.plan(state, diffStates(undefined, state), fresh));
          expect(new Map([...model.listeners].sort())).toEqual(new Map([...fresh.listeners].sort()));
          expect(model.clusterIPs).toEqual(fresh.clusterIPs);
          previous = state;
        }
      }),
      { numRuns: 60 },
    );
  });

  test('frontends that say the same share a proxy port; NodePorts are served where they are', () => {
    const [resolved] = stateOf([{ number: 1, local: false, affinity: false, endpoints: [1] }]).servicePorts.values();
    const planned = new UserspacePlanner({ reach: 'redirected' }).planServicePort(
      resolved as NonNullable<typeof resolved>,
    );
    expect(planned?.listeners.map(({ place, portals }) => [place.kind, portals.map(({ address }) => address)])).toEqual(
      [
        ['proxy-port', ['10.96.0.1']],
        ['proxy-port', ['198.51.100.1']],
        ['proxy-port', ['192.0.2.1']],
        ['node-port', [undefined]],
      ],
    );
  });

  test('SCTP is said to be missing, and nothing is opened for it', () => {
    const state = stateOf([{ number: 5, local: false, affinity: false, endpoints: [1] }]);
    const transaction = new UserspacePlanner({ reach: 'none' }).plan(state, diffStates(undefined, state), new Model());
    expect(transaction?.open).toEqual([]);
    expect(transaction?.problems).toEqual([expect.stringContaining('SCTP is not supported by mode userspace')]);
  });
});

describe('IptablesRedirector', () => {
  test('steps lead where a fresh start does, and a clean-up leaves what others have', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(sketches, { minLength: 1, maxLength: 4 }), async (steps) => {
        const planner = new UserspacePlanner({ reach: 'redirected' });
        const stepped = new FakeIptables();
        await stepped.restore('*nat\n:MINE - [0:0]\n-A PREROUTING -j MINE\nCOMMIT\n');
        const before = await stepped.save();
        const redirector = new IptablesRedirector('IPv4', async () => stepped);
        let known = new Map<ListenerId, RedirectedListener>();
        let addresses = new Set<string>();
        for (const [index, step] of steps.entries()) {
          const state = stateOf(step);
          const redirect = redirectStateOf(planner, state);
          const touched = new Set([...known.keys(), ...redirect.listeners.keys()]);
          await redirector.apply(
            redirect,
            index === 0
              ? 'all'
              : { listeners: touched, clusterIPs: new Set([...addresses, ...redirect.clusterIPs]), node: true },
          );
          known = new Map(redirect.listeners);
          addresses = new Set(redirect.clusterIPs);
          expect(await redirector.inForce()).toBe(true);
          const fresh = new FakeIptables();
          await new IptablesRedirector('IPv4', async () => fresh).apply(redirect, 'all');
          for (const [table, chain] of [
            ['nat', 'KUBE-PORTALS-CONTAINER'],
            ['nat', 'KUBE-PORTALS-HOST'],
            ['filter', 'KUBE-NODEPORT-NON-LOCAL'],
            ['filter', 'KUBE-PORTALS-REFUSE'],
          ] as const) {
            expect([...(stepped.rulesOf(table, chain) ?? [])].sort()).toEqual(
              [...(fresh.rulesOf(table, chain) ?? [])].sort(),
            );
          }
        }
        await stepped.restore('*nat\n-F KUBE-PORTALS-HOST\nCOMMIT\n');
        expect(await redirector.inForce()).toBe(known.size === 0);
        await redirector.cleanup();
        await redirector.cleanup();
        expect(await stepped.save()).toBe(before);
      }),
      { numRuns: 30 },
    );
  });
});

function redirectStateOf(planner: UserspacePlanner, state: ProxyState): RedirectState {
  let port = 40_000;
  const listeners = new Map(
    [...state.servicePorts.values()].flatMap((resolved) =>
      (planner.planServicePort(resolved)?.listeners ?? []).map((spec): [ListenerId, RedirectedListener] => {
        const at = [{ address: '0.0.0.0', port: spec.place.kind === 'node-port' ? spec.place.port : ++port }];
        return [spec.id, { spec, name: spec.servicePort, at }];
      }),
    ),
  );
  return { node: state.node, listeners, clusterIPs: new Set(state.clusterIPs.keys()) };
}

describe('small things', () => {
  test.each<[string, PortRange | undefined | 'invalid']>([
    ['', undefined],
    ['0', undefined],
    ['30000-32767', { first: 30_000, last: 32_767 }],
    ['30000+100', { first: 30_000, last: 30_100 }],
    [' 8080 ', { first: 8080, last: 8080 }],
    ['10-5', 'invalid'],
    ['60000+9999', 'invalid'],
    ['a-b', 'invalid'],
  ])('port range %j', (text, expected) => {
    expect(parsePortRange(text)).toEqual(expected);
  });

  test('every port of a range comes up once', () => {
    const ports = [...portsOf({ first: 10, last: 19 }, () => 0.55)];
    expect(ports[0]).toBe(15);
    expect([...ports].sort()).toEqual(Array.from({ length: 10 }, (_, index) => 10 + index));
  });

  test('networks in common', () => {
    expect(intersectNetworks('10.0.0.0/8', '10.1.0.0/16')).toBe('10.1.0.0/16');
    expect(intersectNetworks('10.1.0.0/16', '10.0.0.0/8')).toBe('10.1.0.0/16');
    expect(intersectNetworks('10.0.0.0/16', '10.1.0.0/16')).toBeUndefined();
    expect(intersectNetworks('fd00::/8', 'fd00:1::/64')).toBe('fd00:1::/64');
  });

  test('annotations that cannot be read count as absent, and are named', () => {
    const { options, problems } = readServiceOptions({
      'kube-proxier.io/proxy-protocol': 'v3',
      'kube-proxier.io/load-balancing': 'least-connections',
      'kube-proxier.io/max-connections': '-1',
    });
    expect(options).toEqual({
      proxyProtocol: undefined,
      loadBalancing: 'least-connections',
      maxConnections: undefined,
    });
    expect(problems).toHaveLength(2);
  });

  test("Windows' portproxy, as text", () => {
    const entry = {
      family: 'IPv4',
      listen: { address: '10.96.0.1', port: 80 },
      connect: { address: '127.0.0.1', port: 40_001 },
    } as const;
    expect(portproxyCommand('add', entry).join(' ')).toBe(
      'netsh interface portproxy add v4tov4 listenaddress=10.96.0.1 listenport=80 connectaddress=127.0.0.1 connectport=40001',
    );
    expect(portproxyCommand('delete', entry).join(' ')).toBe(
      'netsh interface portproxy delete v4tov4 listenaddress=10.96.0.1 listenport=80',
    );
    expect(interfaceAddressCommand('add', 'IPv4', 'vEthernet (HNS)', '10.96.0.1')).toContain('name=vEthernet (HNS)');
    const shown = `\r\nListen on ipv4:             Connect to ipv4:\r\n\r\nAddress         Port        Address         Port\r\n--------------- ----------  --------------- ----------\r\n10.96.0.1       80          127.0.0.1       40001\r\n`;
    expect(parsePortproxy('IPv4', shown)).toEqual([entry]);
  });
});
