import { describe, expect, test } from '@jest/globals';
import { diffStates, isEmptyChangeSet, type ProxyState } from '@kube-proxier/core';
import { makeService, makeSlice, resolveObjects } from '@kube-proxier/core/testing';
import { protocolsWithStaleFlows, staleFlows, type TrackedFlow } from './stale-flows.js';

const dns = makeService('kube-system/dns', {
  type: 'NodePort',
  clusterIP: '10.96.0.10',
  externalIPs: ['192.0.2.1'],
  ports: [
    { name: 'dns', port: 53, protocol: 'UDP', nodePort: 30053 },
    { name: 'tcp', port: 53, protocol: 'TCP', nodePort: 30053 },
    { name: 'sig', port: 2905, protocol: 'SCTP' },
  ],
});
const ports = [
  { name: 'dns', port: 53, protocol: 'UDP' },
  { name: 'tcp', port: 53, protocol: 'TCP' },
  { name: 'sig', port: 2905, protocol: 'SCTP' },
];

function state(...endpoints: Parameters<typeof makeSlice>[1]) {
  return resolveObjects({ services: [dns], slices: [makeSlice('kube-system/dns', endpoints, { ports })] });
}

function flow(sentTo: string, answeredBy: string, protocol = 'UDP'): TrackedFlow {
  const [destination = '', destinationPort] = sentTo.split(':');
  const [source = '', sourcePort] = answeredBy.split(':');
  return {
    protocol,
    original: { destination, destinationPort: Number(destinationPort) },
    reply: { source, sourcePort: Number(sourcePort) },
  };
}

const LOCAL = new Set(['127.0.0.1', '198.51.100.7']);

/** Reasons by flow, for the change from one state to another. */
function judge(previous: ProxyState | undefined, next: ProxyState, ...flows: readonly TrackedFlow[]) {
  return staleFlows(next, diffStates(previous, next), flows, LOCAL).map(({ flow, reason }) => [
    flows.indexOf(flow),
    reason,
  ]);
}

describe('staleFlows', () => {
  const notReady = { address: '10.0.0.4', ready: false };
  const serving = state('10.0.0.1', { address: '10.0.0.2', ready: false, serving: true, terminating: true }, notReady);

  test.each([
    ['a serving endpoint', flow('10.96.0.10:53', '10.0.0.1:53'), undefined],
    ['a serving endpoint that is not ready', flow('10.96.0.10:53', '10.0.0.2:53'), undefined],
    ['an endpoint that does not serve', flow('10.96.0.10:53', '10.0.0.4:53'), 'endpoint-gone'],
    ['an endpoint that is gone', flow('10.96.0.10:53', '10.0.0.3:53'), 'endpoint-gone'],
    ['a port that the endpoint no longer has', flow('10.96.0.10:53', '10.0.0.1:54'), 'endpoint-gone'],
    ['an external IP, and an endpoint that is gone', flow('192.0.2.1:53', '10.0.0.3:53'), 'endpoint-gone'],
    ["the number of a node port on another host's address", flow('203.0.113.9:30053', '203.0.113.9:30053'), undefined],
    [
      'a node port on any address of this node, and an endpoint that is gone',
      flow('198.51.100.7:30053', '10.0.0.3:53'),
      'endpoint-gone',
    ],
    ['a node port, and a serving endpoint', flow('198.51.100.7:30053', '10.0.0.1:53'), undefined],
    ['no translation, from times without rules', flow('10.96.0.10:53', '10.96.0.10:53'), 'untranslated'],
    ['another port of the address', flow('10.96.0.10:54', '10.96.0.10:54'), undefined],
    ['somewhere else', flow('198.51.100.7:53', '198.51.100.7:53'), undefined],
    ['TCP', flow('10.96.0.10:53', '10.0.0.3:53', 'TCP'), undefined],
    ['SCTP, and an endpoint that is gone', flow('10.96.0.10:2905', '10.0.0.3:2905', 'SCTP'), 'endpoint-gone'],
    ['SCTP, and an endpoint that does not serve', flow('10.96.0.10:2905', '10.0.0.4:2905', 'SCTP'), undefined],
    ['SCTP, and a serving endpoint', flow('10.96.0.10:2905', '10.0.0.1:2905', 'SCTP'), undefined],
    ['the UDP port, by SCTP', flow('10.96.0.10:53', '10.0.0.3:53', 'SCTP'), undefined],
  ])('judges a flow to %s', (_name, candidate, reason) => {
    expect(judge(undefined, serving, candidate)).toEqual(reason === undefined ? [] : [[0, reason]]);
  });

  test('for a Service whose endpoints all fail, deletes flows to removed endpoints and keeps those that may recover', () => {
    const failing = state({ address: '10.0.0.1', ready: false });
    const flows = [
      flow('10.96.0.10:53', '10.0.0.1:53'),
      flow('10.96.0.10:53', '10.0.0.3:53'),
      flow('10.96.0.10:53', '10.96.0.10:53'),
    ];
    expect(judge(state('10.0.0.1', '10.0.0.3'), failing, ...flows)).toEqual([[1, 'endpoint-gone']]);
  });

  test('for a removed Service, deletes flows that its endpoints answered', () => {
    const flows = [
      flow('10.96.0.10:53', '10.0.0.1:53'),
      flow('198.51.100.7:30053', '10.0.0.1:53'),
      flow('10.96.0.10:53', '10.0.0.9:53'),
      flow('10.96.0.10:2905', '10.0.0.1:2905', 'SCTP'),
      flow('10.96.0.10:53', '10.0.0.1:53', 'TCP'),
    ];
    expect(judge(state('10.0.0.1'), resolveObjects({}), ...flows)).toEqual([
      [0, 'frontend-gone'],
      [1, 'frontend-gone'],
      [3, 'frontend-gone'],
    ]);
  });

  test('for a removed port and an added port, deletes only flows of the removed one', () => {
    const moved = resolveObjects({
      services: [{ ...dns, spec: { ...dns.spec, ports: [{ name: 'dns', port: 5353, protocol: 'UDP' }] } }],
      slices: [makeSlice('kube-system/dns', ['10.0.0.1'], { ports })],
    });
    const flows = [flow('10.96.0.10:53', '10.0.0.1:53'), flow('10.96.0.10:5353', '10.0.0.1:53')];
    expect(judge(state('10.0.0.1'), moved, ...flows)).toEqual([[0, 'frontend-gone']]);
  });

  test('classifies an address that moved to another Service by that Service', () => {
    const heir = makeService('a/heir', { clusterIP: '10.96.0.10', ports: [{ port: 53, protocol: 'UDP' }] });
    const next = resolveObjects({
      services: [heir],
      slices: [makeSlice('a/heir', ['10.0.0.7'], { ports: [{ port: 53, protocol: 'UDP' }] })],
    });
    const flows = [flow('10.96.0.10:53', '10.0.0.1:53'), flow('10.96.0.10:53', '10.0.0.7:53')];
    expect(judge(state('10.0.0.1'), next, ...flows)).toEqual([[0, 'endpoint-gone']]);
  });

  test('checks only service ports that changed', () => {
    const before = state('10.0.0.1');
    const services = new Map(before.servicePorts);
    const untouched = new Proxy(services, {
      get(target, property) {
        if (property === 'values' || property === 'entries' || property === Symbol.iterator || property === 'forEach') {
          throw new Error('the whole state was read');
        }
        const value: unknown = Reflect.get(target, property);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    const next = state('10.0.0.2');
    const stale = staleFlows(
      { ...next, servicePorts: untouched },
      diffStates(before, next),
      [flow('10.96.0.10:53', '10.0.0.1:53')],
      LOCAL,
    );
    expect(stale).toHaveLength(1);
    expect(judge(next, next, flow('10.96.0.10:53', '10.0.0.1:53'))).toEqual([]);
  });
});

describe('protocolsWithStaleFlows', () => {
  const none = resolveObjects({});
  const both = ['UDP', 'SCTP'];
  test.each([
    ['an endpoint less', state('10.0.0.1', '10.0.0.2'), state('10.0.0.1'), both],
    ['an endpoint that ceases to serve', state('10.0.0.1'), state({ address: '10.0.0.1', ready: false }), both],
    ['a Service with endpoints that goes', state('10.0.0.1'), none, both],
    ['a Service with endpoints that comes', none, state('10.0.0.1'), both],
    ['a Service without endpoints that comes', none, state(), []],
  ])('says for %s', (_name, previous, next, expected) => {
    const changes = diffStates(previous, next);
    expect(isEmptyChangeSet(changes)).toBe(false);
    expect(protocolsWithStaleFlows(changes)).toEqual(expected);
  });

  test('ignores TCP', () => {
    const web = makeService('a/web');
    const before = resolveObjects({ services: [web], slices: [makeSlice('a/web', ['10.0.0.1'])] });
    const after = resolveObjects({ services: [web], slices: [] });
    expect(protocolsWithStaleFlows(diffStates(before, after))).toEqual([]);
  });
});

describe('flows to port ranges (spec PR-5)', () => {
  const media = (range: string | undefined, target = 10_000) => {
    const service = makeService(
      'work/media',
      { clusterIP: '10.96.0.20', ports: [{ port: 10_000, protocol: 'UDP' }] },
      { metadata: range === undefined ? {} : { annotations: { 'kube-proxier.io/port-range': range } } },
    );
    const slice = makeSlice('work/media', ['10.0.0.1'], { ports: [{ name: '', protocol: 'UDP', port: target }] });
    return resolveObjects({ services: [service], slices: [slice] });
  };

  test('are stale when their endpoint is gone, or answers from another port', () => {
    const flows = [
      flow('10.96.0.20:10500', '10.0.0.1:10500'),
      flow('10.96.0.20:10500', '10.0.0.9:10500'),
      flow('10.96.0.20:10500', '10.0.0.1:10501'),
      flow('10.96.0.20:10500', '10.96.0.20:10500'),
      flow('10.96.0.20:11001', '10.0.0.1:11001'),
    ];
    expect(judge(undefined, media('10000-11000'), ...flows)).toEqual([
      [1, 'endpoint-gone'],
      [2, 'endpoint-gone'],
      [3, 'untranslated'],
    ]);
  });

  test('are classified by the shifted port', () => {
    const shifted = flow('10.96.0.20:10500', '10.0.0.1:30500');
    expect(judge(undefined, media('10000-11000', 30_000), shifted)).toEqual([]);
    expect(judge(undefined, media('10000-11000'), shifted)).toEqual([[0, 'endpoint-gone']]);
  });

  test.each([
    ['the range goes', undefined],
    ['the range gets shorter', '10000-10499'],
  ])('are stale when %s', (_what, range) => {
    const flows = [flow('10.96.0.20:10500', '10.0.0.1:10500'), flow('10.96.0.20:10000', '10.0.0.1:10000')];
    expect(judge(media('10000-11000'), media(range), ...flows)).toEqual([[0, 'frontend-gone']]);
  });
});
