import { expect, test } from '@jest/globals';
import { formatObjectProblem } from '../objects/object-problem.js';
import { type Packet, simulatePacket } from '../simulator/simulate-packet.js';
import { makeResolver, makeService, makeSlice } from '../testing/index.js';

const NODE = '192.0.2.10';
const SERVICE = makeService('default/calls', {
  type: 'NodePort',
  clusterIP: '10.96.0.1',
  externalIPs: ['198.51.100.1'],
  ports: [
    { name: 'signal', port: 2905, protocol: 'SCTP', nodePort: 32905 },
    { name: 'web', port: 80, protocol: 'TCP', nodePort: 32080 },
  ],
});
const SLICE = makeSlice('default/calls', ['10.244.0.1'], {
  ports: [
    { name: 'signal', port: 2905, protocol: 'SCTP' },
    { name: 'web', port: 80, protocol: 'TCP' },
  ],
});

function start(unservedProtocols?: readonly Packet['protocol'][]) {
  const problems: string[] = [];
  const resolver = makeResolver({
    ...(unservedProtocols === undefined ? {} : { unservedProtocols }),
    nodePortAddresses: { kind: 'all' },
    onProblem: (problem) => problems.push(formatObjectProblem(problem)),
  });
  resolver.updateNode({ metadata: { name: 'node1' }, status: { addresses: [{ type: 'InternalIP', address: NODE }] } });
  resolver.updateService(undefined, SERVICE);
  resolver.updateEndpointSlice(undefined, SLICE);
  const { state } = resolver.applyPending();
  const outcome = (protocol: Packet['protocol'], destination: string, port: number) =>
    simulatePacket(state, { source: '10.244.0.9', destination, protocol, port }, { localAddresses: [NODE] });
  return { resolver, problems, state, outcome };
}

test('a protocol that the mode does not serve is refused at the cluster IP, and other addresses lack it (spec U-32)', () => {
  const { state, outcome } = start(['SCTP']);
  const refused = outcome('SCTP', '10.96.0.1', 2905);
  expect(refused.outcome.kind).toBe('refused');
  expect(refused.steps).toContain('SCTP is not supported by this proxy mode: refused.');
  expect(outcome('SCTP', '198.51.100.1', 2905).outcome.kind).toBe('passed-on');
  expect(outcome('SCTP', NODE, 32905).outcome.kind).toBe('passed-on');
  expect(outcome('TCP', '10.96.0.1', 80).outcome.kind).toBe('forwarded');
  expect(outcome('TCP', NODE, 32080).outcome.kind).toBe('forwarded');
  expect([...state.clusterIPs.keys()]).toEqual(['10.96.0.1']);
});

test('it is reported once, with the Service and the port', () => {
  const { resolver, problems } = start(['SCTP']);
  expect(problems).toEqual([
    expect.stringMatching(/default\/calls.*port signal \(2905\): SCTP is not supported by this mode.*use another mode/),
  ]);
  resolver.updateEndpointSlice(SLICE, makeSlice('default/calls', ['10.244.0.2'], SLICE));
  resolver.applyPending();
  expect(problems).toHaveLength(1);
});

test('without such a limit, all protocols are served', () => {
  const { problems, outcome } = start();
  expect(outcome('SCTP', '10.96.0.1', 2905).outcome.kind).toBe('forwarded');
  expect(outcome('SCTP', NODE, 32905).outcome.kind).toBe('forwarded');
  expect(problems).toEqual([]);
});
