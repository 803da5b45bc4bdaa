import { describe, expect, test } from '@jest/globals';
import { diffStates, type ProxyState, type ServicePortKey } from '@kube-proxier/core';
import { makeService, makeSlice, resolveObjects } from '@kube-proxier/core/testing';
import fc from 'fast-check';
import { sketches, stateOf } from '../testing/sketches.js';
import type { InstalledUserspace, Reach } from './installed-userspace.js';
import { planServicePort } from './planned-service-port.js';
import { UserspacePlanner } from './userspace-planner.js';
import type { ListenerId, ListenerSpec, ServiceSpec, UserspaceTransaction } from './userspace-transaction.js';

/** What a dataplane would hold. */
class Model implements InstalledUserspace {
  node: InstalledUserspace['node'];
  readonly services = new Map<ServicePortKey, ServiceSpec>();
  readonly listeners = new Map<ListenerId, ListenerSpec>();
  readonly clusterIPs = new Set<string>();
  redirectInForce = false;

  constructor(readonly reach: Reach) {}

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
  const planner = new UserspacePlanner();
  expect(planner.plan(state, diffStates(undefined, state), new Model('redirected'))).toEqual({
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
          { key: '10.244.0.1:8080', address: '10.244.0.1', port: 8080, weight: 1 },
          { key: '10.244.0.2:8080', address: '10.244.0.2', port: 8080, weight: 1 },
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
        const planner = new UserspacePlanner({ listenAddresses: ['198.51.100.1'] });
        const model = new Model(reach);
        let previous: ProxyState | undefined;
        for (const step of steps) {
          const state = stateOf(step);
          const changes = diffStates(previous, state);
          model.apply(previous ? planner.plan(state, changes) : planner.plan(state, changes, model));
          expect(planner.plan(state, diffStates(undefined, state), model)).toBeUndefined();
          const fresh = new Model(reach);
          fresh.apply(planner.plan(state, diffStates(undefined, state), fresh));
          expect(new Map([...model.listeners].sort())).toEqual(new Map([...fresh.listeners].sort()));
          expect(model.clusterIPs).toEqual(fresh.clusterIPs);
          previous = state;
        }
      }),
      { numRuns: 60 },
    );
  });

  test('a full plan pauses for each service port; after one that is aborted, changes are planned as before', () => {
    const first = stateOf([{ number: 1, local: false, affinity: false, endpoints: [1] }]);
    const second = stateOf([
      { number: 1, local: false, affinity: false, endpoints: [1, 2] },
      { number: 2, local: false, affinity: false, endpoints: [3] },
    ]);
    const ports = second.servicePorts.size;
    for (let givenUpAt = 1; givenUpAt <= ports; givenUpAt++) {
      const planner = new UserspacePlanner();
      const model = new Model('bound');
      model.apply(planner.plan(first, diffStates(undefined, first), model));
      const slices = planner.planInSlices(second, diffStates(undefined, second), model);
      for (let pause = 0; pause < givenUpAt; pause++) {
        expect(slices.next().done).toBe(false);
      }
      slices.return(undefined);
      // Opened for this kind of host, which only the full plan received.
      const step = planner.plan(second, diffStates(first, second));
      expect(step?.open.map(({ place }) => place.kind)).toEqual(['address', 'address', 'address', 'node-port']);
      model.apply(step);
      expect(planner.plan(second, diffStates(undefined, second), model)).toBeUndefined();
    }
  });

  test('frontends with the same routes share a proxy port; NodePorts are served at their own port', () => {
    const [resolved] = stateOf([{ number: 1, local: false, affinity: false, endpoints: [1] }]).servicePorts.values();
    const context = { reach: 'redirected', listenAddresses: [] } as const;
    const planned = planServicePort(resolved as NonNullable<typeof resolved>, context);
    expect(planned?.listeners.map(({ place, portals }) => [place.kind, portals.map(({ address }) => address)])).toEqual(
      [
        ['proxy-port', ['10.96.0.1']],
        ['proxy-port', ['198.51.100.1']],
        ['proxy-port', ['192.0.2.1']],
        ['node-port', [undefined]],
      ],
    );
  });

  test('nothing is opened for SCTP', () => {
    const state = stateOf([{ number: 5, local: false, affinity: false, endpoints: [1] }]);
    const transaction = new UserspacePlanner().plan(state, diffStates(undefined, state), new Model('none'));
    expect(transaction?.open).toEqual([]);
  });

  test('what the host supports comes with the installed state: another reach opens other sockets', () => {
    const state = stateOf([{ number: 1, local: false, affinity: false, endpoints: [1] }]);
    const planner = new UserspacePlanner();
    const kindsFor = (reach: Reach) =>
      planner.plan(state, diffStates(undefined, state), new Model(reach))?.open.map(({ place }) => place.kind);
    expect(kindsFor('none')).toEqual(['node-port']);
    expect(kindsFor('bound')).toEqual(['address', 'address', 'address', 'node-port']);
    expect(kindsFor('redirected')).toEqual(['proxy-port', 'proxy-port', 'proxy-port', 'node-port']);
  });
});
