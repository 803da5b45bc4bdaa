import { describe, expect, it } from '@jest/globals';
import { diffStates, isEmptyChangeSet } from '@kube-proxier/core';
import { makeService, makeSlice, resolveObjects } from '@kube-proxier/core/testing';
import { mayLeaveStaleFlows, staleFlows, type TrackedFlow } from './stale-flows.js';

const dns = makeService('kube-system/dns', {
  type: 'NodePort',
  clusterIP: '10.96.0.10',
  externalIPs: ['192.0.2.1'],
  ports: [
    { name: 'dns', port: 53, protocol: 'UDP', nodePort: 30053 },
    { name: 'tcp', port: 53, protocol: 'TCP', nodePort: 30053 },
  ],
});
const ports = [
  { name: 'dns', port: 53, protocol: 'UDP' },
  { name: 'tcp', port: 53, protocol: 'TCP' },
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

describe('staleFlows', () => {
  const serving = state('10.0.0.1', { address: '10.0.0.2', ready: false, serving: true, terminating: true });

  it.each([
    ['a serving endpoint', flow('10.96.0.10:53', '10.0.0.1:53'), false],
    ['a serving endpoint that is not ready', flow('10.96.0.10:53', '10.0.0.2:53'), false],
    ['an endpoint that is gone', flow('10.96.0.10:53', '10.0.0.3:53'), true],
    ['a port that the endpoint no longer has', flow('10.96.0.10:53', '10.0.0.1:54'), true],
    ['an external IP, and an endpoint that is gone', flow('192.0.2.1:53', '10.0.0.3:53'), true],
    ["the number of a node port on somebody else's address", flow('203.0.113.9:30053', '203.0.113.9:30053'), false],
    [
      'a node port on any address of this node, and an endpoint that is gone',
      flow('198.51.100.7:30053', '10.0.0.3:53'),
      true,
    ],
    ['a node port, and a serving endpoint', flow('198.51.100.7:30053', '10.0.0.1:53'), false],
    ['no translation, from times without rules', flow('10.96.0.10:53', '10.96.0.10:53'), true],
    ['another port of the address', flow('10.96.0.10:54', '10.96.0.10:54'), false],
    ['somewhere else', flow('198.51.100.7:53', '198.51.100.7:53'), false],
    ['TCP', flow('10.96.0.10:53', '10.0.0.3:53', 'TCP'), false],
    ['SCTP', flow('10.96.0.10:53', '10.0.0.3:53', 'SCTP'), false],
  ])('judges a flow to %s', (_name, candidate, stale) => {
    expect(staleFlows(serving, [candidate], LOCAL)).toEqual(stale ? [candidate] : []);
  });

  it('leaves everything of a Service without serving endpoints to the refusal', () => {
    expect(
      staleFlows(state({ address: '10.0.0.1', ready: false }), [flow('10.96.0.10:53', '10.0.0.3:53')], LOCAL),
    ).toEqual([]);
  });
});

describe('mayLeaveStaleFlows', () => {
  const none = resolveObjects({});
  it.each([
    ['an endpoint less', state('10.0.0.1', '10.0.0.2'), state('10.0.0.1'), true],
    ['an endpoint that ceases to serve', state('10.0.0.1'), state({ address: '10.0.0.1', ready: false }), true],
    ['a Service with endpoints that goes', state('10.0.0.1'), none, true],
    ['a Service with endpoints that comes', none, state('10.0.0.1'), true],
    ['a Service without endpoints that comes', none, state(), false],
  ])('says for %s', (_name, previous, next, expected) => {
    const changes = diffStates(previous, next);
    expect(isEmptyChangeSet(changes)).toBe(false);
    expect(mayLeaveStaleFlows(changes)).toBe(expected);
  });

  it('is not concerned with TCP', () => {
    const web = makeService('a/web');
    const before = resolveObjects({ services: [web], slices: [makeSlice('a/web', ['10.0.0.1'])] });
    const after = resolveObjects({ services: [web], slices: [] });
    expect(mayLeaveStaleFlows(diffStates(before, after))).toBe(false);
  });
});
