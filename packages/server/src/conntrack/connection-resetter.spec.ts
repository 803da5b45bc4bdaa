import { describe, expect, test } from '@jest/globals';
import {
  diffStates,
  type IPFamily,
  type Logger,
  type ProxyState,
  silentLogger,
  WHEN_ENDPOINT_GOES_ANNOTATION,
} from '@kube-proxier/core';
import { makeService, makeSlice, resolveObjects, VirtualClock } from '@kube-proxier/core/testing';
import {
  type Conntrack,
  type ConntrackEntry,
  ConntrackError,
  type ReplySource,
  TcpSocketsError,
} from '@kube-proxier/linux';
import { FakeConntrack, FakeTcpSockets } from '@kube-proxier/linux/testing';
import { type ConnectionResets, ConnectionResetter } from './connection-resetter.js';

const NODE = '192.168.0.2';
const ONE = '10.0.0.1';
const TWO = '10.0.0.2';

interface Sketch {
  readonly value?: string;
  readonly endpoints?: Parameters<typeof makeSlice>[1];
}

/** A Service `a/web` with a cluster IP, an external IP and a NodePort, beside `a/other`, which never resets. */
function stateOf({ value = 'reset', endpoints = [ONE, TWO] }: Sketch = {}): ProxyState {
  const metadata = { annotations: { [WHEN_ENDPOINT_GOES_ANNOTATION]: value } };
  const ports = [{ port: 80, nodePort: 30_080 }];
  return resolveObjects({
    services: [
      makeService(
        'a/web',
        { type: 'NodePort', clusterIP: '10.96.0.1', externalIPs: ['198.51.100.1'], ports },
        { metadata },
      ),
      makeService('a/other', { clusterIP: '10.96.0.2', ports: [{ port: 80 }] }),
    ],
    slices: [makeSlice('a/web', endpoints), makeSlice('a/other', endpoints)],
  });
}

let clientPort = 0;

/** A connection of a client through an address of a Service to an endpoint. */
function connection(
  to: string,
  endpoint: string,
  changes: Partial<ConntrackEntry> & { source?: string } = {},
): ConntrackEntry {
  const { source = '203.0.113.2', ...rest } = changes;
  const [destination = '', port] = to.split(':');
  const [address = '', endpointPort] = endpoint.split(':');
  clientPort = (clientPort % 60_000) + 1;
  return {
    family: 'IPv4',
    protocol: 'TCP',
    original: { source, sourcePort: clientPort, destination, destinationPort: Number(port) },
    reply: { source: address, sourcePort: Number(endpointPort), destination: source, destinationPort: clientPort },
    zone: 0,
    ...rest,
  };
}

/** A conntrack table that records its reads. */
class RecordingConntrack extends FakeConntrack {
  readonly lists: (ReplySource | 'all')[] = [];

  override list(
    family: IPFamily,
    protocol: ConntrackEntry['protocol'],
    wanted?: (entry: ConntrackEntry) => boolean,
    repliesFrom?: ReplySource,
  ): Promise<readonly ConntrackEntry[]> {
    this.lists.push(repliesFrom ?? 'all');
    return super.list(family, protocol, wanted, repliesFrom);
  }
}

function setUp(options: Partial<ConstructorParameters<typeof ConnectionResetter>[0]> = {}) {
  const clock = new VirtualClock();
  const conntrack = new RecordingConntrack();
  const sockets = new FakeTcpSockets();
  const lines: string[] = [];
  const resets: ConnectionResets[] = [];
  const write = (level: string) => (message: string) => void lines.push(`${level} ${message}`);
  const logger: Logger = { ...silentLogger, info: write('info'), warn: write('warn'), error: write('error') };
  const resetter = new ConnectionResetter({
    ...{ conntrack, sockets, logger, clock },
    localAddresses: async () => [NODE, '127.0.0.1'],
    onReset: (reset) => resets.push(reset),
    ...options,
  });
  let last: ProxyState | undefined;
  /** A sync to a state. */
  const sync = (state: ProxyState) => {
    resetter.synced({ family: 'IPv4', state, changes: diffStates(last, state) });
    last = state;
  };
  return { clock, conntrack, sockets, lines, resets, resetter, sync };
}

const gone = stateOf({ endpoints: [TWO] });

describe('ConnectionResetter', () => {
  test('resets the connections to an endpoint that is gone, by every address of the Service, and no others', async () => {
    const { clock, conntrack, lines, resets, sync } = setUp();
    sync(stateOf());
    await clock.advance(10_000);
    const lost = [
      connection('10.96.0.1:80', `${ONE}:80`),
      connection('198.51.100.1:80', `${ONE}:80`),
      connection(`${NODE}:30080`, `${ONE}:80`),
    ];
    const others = [
      connection('10.96.0.1:80', `${TWO}:80`),
      connection('10.96.0.2:80', `${ONE}:80`),
      connection('10.96.0.1:81', `${ONE}:80`),
      connection('10.96.0.1:80', `${ONE}:81`),
      connection('10.96.0.1:80', '10.0.0.9:80'),
      connection('203.0.113.9:30080', `${ONE}:80`),
      connection(`${ONE}:80`, `${ONE}:80`),
      connection('10.96.0.1:80', '10.96.0.1:80'),
      connection('10.96.0.1:80', `${ONE}:80`, { protocol: 'UDP' }),
    ];
    for (const entry of [...lost, ...others]) {
      conntrack.add(entry);
    }
    conntrack.lists.length = 0;
    sync(gone);
    await clock.advance(999);
    expect(conntrack.entries).toHaveLength(lost.length + others.length);
    await clock.advance(1);
    expect(conntrack.entries).toEqual(others);
    // Only connections to this endpoint were read.
    expect(conntrack.lists).toEqual([{ source: ONE, sourcePort: 80 }]);
    expect(lines).toEqual(['info Reset 3 connections of a/web to endpoints that are gone: 10.0.0.1:80 (3)']);
    expect(resets).toEqual([{ family: 'IPv4', reason: 'endpoint-gone', count: 3 }]);
  });

  test('reads nothing while no Service requests resets, or no endpoint is removed', async () => {
    const { clock, conntrack, sync } = setUp();
    sync(stateOf({ value: 'keep' }));
    sync(stateOf({ value: 'keep', endpoints: [] }));
    await clock.advance(60_000);
    expect(conntrack.lists).toEqual([]);
    sync(stateOf());
    await clock.advance(60_000);
    conntrack.lists.length = 0;
    sync(stateOf({ endpoints: [ONE, { address: TWO, ready: false, terminating: true }] }));
    sync(stateOf({ endpoints: [ONE, TWO, '10.0.0.3'] }));
    await clock.advance(60_000);
    expect(conntrack.lists).toEqual([]);
  });

  test('an endpoint that returns within a second does not count as removed (spec R-3)', async () => {
    const { clock, conntrack, sync } = setUp();
    sync(stateOf());
    await clock.advance(10_000);
    conntrack.add(connection('10.96.0.1:80', `${ONE}:80`));
    conntrack.lists.length = 0;
    sync(gone);
    await clock.advance(900);
    sync(stateOf());
    await clock.advance(60_000);
    expect(conntrack.entries).toHaveLength(1);
    expect(conntrack.lists).toEqual([]);
  });

  test.each([
    ['keeps connections from now on', stateOf({ value: 'keep', endpoints: [TWO] })],
    ['is removed', resolveObjects({ services: [], slices: [] })],
  ])('nothing is reset where the Service %s before the second is over', async (_title, later) => {
    const { clock, conntrack, sync } = setUp();
    sync(stateOf());
    conntrack.add(connection('10.96.0.1:80', `${ONE}:80`));
    await clock.advance(0);
    sync(gone);
    await clock.advance(500);
    sync(later);
    await clock.advance(60_000);
    expect(conntrack.entries).toHaveLength(1);
  });

  test('with many endpoints, one dump of all connections is read', async () => {
    const many = Array.from({ length: 20 }, (_, index) => `10.1.0.${index + 1}`);
    const { clock, conntrack, sync } = setUp();
    sync(stateOf({ endpoints: [...many, ONE] }));
    await clock.advance(10_000);
    for (const address of many) {
      conntrack.add(connection('10.96.0.1:80', `${address}:80`));
    }
    conntrack.lists.length = 0;
    sync(stateOf({ endpoints: [ONE] }));
    await clock.advance(1000);
    expect(conntrack.lists).toEqual(['all']);
    expect(conntrack.entries).toEqual([]);
  });

  test('at most 1000 connections are reset in a second, and none to an endpoint that has returned (spec R-7)', async () => {
    const { clock, conntrack, lines, sync } = setUp();
    sync(stateOf());
    await clock.advance(10_000);
    for (let index = 0; index < 3000; index++) {
      conntrack.add(connection('10.96.0.1:80', `${ONE}:80`));
    }
    sync(gone);
    await clock.advance(1000);
    expect(conntrack.entries).toHaveLength(2750);
    await clock.advance(1000);
    expect(conntrack.entries).toHaveLength(1750);
    sync(stateOf());
    await clock.advance(60_000);
    expect(conntrack.entries).toHaveLength(1750);
    expect(lines).toEqual(['info Reset 1250 connections of a/web to endpoints that are gone: 10.0.0.1:80 (1250)']);
  });

  test('at start, connections to missing endpoints are reset (spec R-5)', async () => {
    const { clock, conntrack, resets, sync } = setUp();
    const kept = connection('10.96.0.1:80', `${TWO}:80`);
    const other = connection('10.96.0.2:80', '10.0.0.7:80');
    // By a proxy on this node.
    const proxied = connection('10.96.0.1:80', `${NODE}:15001`);
    for (const entry of [connection('10.96.0.1:80', '10.0.0.7:80'), kept, other, proxied]) {
      conntrack.add(entry);
    }
    sync(gone);
    await clock.advance(1000);
    expect(conntrack.entries).toEqual([kept, other, proxied]);
    expect(resets).toEqual([{ family: 'IPv4', reason: 'endpoint-gone-before', count: 1 }]);
    // A restart of the sync loop, or a full sync, does not count as a start.
    conntrack.lists.length = 0;
    sync(gone);
    await clock.advance(600_000);
    expect(conntrack.lists).toEqual([]);
  });

  test('at start, nothing is reset of a Service without endpoints (spec R-5)', async () => {
    const { clock, conntrack, sync } = setUp();
    conntrack.add(connection('10.96.0.1:80', `${ONE}:80`));
    sync(stateOf({ endpoints: [] }));
    await clock.advance(60_000);
    expect(conntrack.entries).toHaveLength(1);
    expect(conntrack.lists).toEqual([]);
  });

  test('sockets of this node are reset before their conntrack entries are deleted; other sockets are kept (spec R-6)', async () => {
    const { clock, conntrack, sockets, sync } = setUp();
    sync(stateOf());
    await clock.advance(10_000);
    const own = connection('10.96.0.1:80', `${ONE}:80`, { source: NODE });
    const foreign = connection('10.96.0.1:80', `${ONE}:80`);
    const order: string[] = [];
    for (const entry of [own, foreign]) {
      conntrack.add(entry);
      const { source, sourcePort, destination, destinationPort } = entry.original;
      const address = {
        localAddress: source,
        localPort: sourcePort,
        remoteAddress: destination,
        remotePort: destinationPort,
      };
      sockets.add({ family: 'IPv4', ...address });
    }
    const { reset } = sockets;
    sockets.reset = async (connections) => {
      order.push(`sockets ${connections.length} of ${conntrack.entries.length}`);
      return await reset.call(sockets, connections);
    };
    sync(gone);
    await clock.advance(1000);
    expect(order).toEqual(['sockets 1 of 2']);
    expect(sockets.open.map(({ localAddress }) => localAddress)).toEqual(['203.0.113.2']);
    expect(conntrack.entries).toEqual([]);
  });

  test.each([
    ['SOCKETS_NOT_SUPPORTED', 'info'],
    ['SOCKETS_NOT_PERMITTED', 'warn'],
  ] as const)('sockets that cannot be reset (%s) are logged once, and the rest is done', async (code, level) => {
    const { clock, conntrack, sockets, lines, sync } = setUp();
    sockets.failWith(new TcpSocketsError(code, 'the kernel cannot'));
    for (const state of [stateOf(), gone, stateOf(), gone]) {
      conntrack.add(connection('10.96.0.1:80', `${ONE}:80`, { source: NODE }));
      sync(state);
      await clock.advance(2000);
    }
    expect(conntrack.entries).toEqual([]);
    expect(lines.filter((line) => line.includes('the kernel cannot'))).toEqual([
      `${level} Connections of this node's own programs are reset only when they send: the kernel cannot`,
    ]);
  });

  test('a failure is logged once and retried, with endpoints removed in the meantime', async () => {
    const { clock, conntrack, lines, sync } = setUp();
    sync(stateOf());
    await clock.advance(10_000);
    conntrack.add(connection('10.96.0.1:80', `${ONE}:80`));
    conntrack.failWith(new ConntrackError('CONNTRACK_FAILED', 'no memory'));
    sync(gone);
    await clock.advance(4000);
    conntrack.failWith(undefined);
    await clock.advance(4000);
    expect(conntrack.entries).toEqual([]);
    expect(lines).toEqual([
      'error Cannot reset connections to endpoints that are gone, so they hang until clients time out: no memory',
      'info Reset 1 connection of a/web to endpoints that are gone: 10.0.0.1:80 (1)',
    ]);
  });

  test('a pending retry does not delay the check of another removed endpoint', async () => {
    const { clock, conntrack, sync } = setUp();
    const third = '10.0.0.3';
    sync(stateOf({ endpoints: [ONE, TWO, third] }));
    await clock.advance(10_000);
    conntrack.failWith(new ConntrackError('CONNTRACK_FAILED', 'no memory'));
    sync(stateOf({ endpoints: [TWO, third] }));
    await clock.advance(40_000);
    conntrack.failWith(undefined);
    conntrack.add(connection('10.96.0.1:80', `${third}:80`));
    sync(gone);
    await clock.advance(1000);
    expect(conntrack.entries).toEqual([]);
  });

  test('stops at once', async () => {
    const { clock, conntrack, resetter, sync } = setUp();
    sync(stateOf());
    await clock.advance(10_000);
    conntrack.add(connection('10.96.0.1:80', `${ONE}:80`));
    conntrack.lists.length = 0;
    sync(gone);
    await resetter.stop();
    await clock.advance(60_000);
    sync(stateOf());
    sync(gone);
    await clock.advance(60_000);
    expect(conntrack.lists).toEqual([]);
  });

  test('an unsupported mode is logged once, and nothing is reset', async () => {
    const { clock, conntrack, lines, sync } = setUp({ unsupportedBy: 'acme' });
    conntrack.add(connection('10.96.0.1:80', `${ONE}:80`));
    for (const state of [stateOf(), gone, stateOf(), gone]) {
      sync(state);
      await clock.advance(2000);
    }
    expect(conntrack.entries).toHaveLength(1);
    expect(lines).toEqual([expect.stringMatching(/^warn Mode acme cannot reset connections .*first seen for a\/web/)]);
  });

  test('a kernel with loose connection pickup disabled is logged once (spec R-8)', async () => {
    const { clock, lines, sync } = setUp({ sysctl: { read: async () => '0' } });
    for (const state of [stateOf(), gone, stateOf(), gone]) {
      sync(state);
      await clock.advance(2000);
    }
    expect(lines).toEqual([expect.stringMatching(/^warn net\.netfilter\.nf_conntrack_tcp_loose is 0/)]);
  });

  test('the changes of an unobserved sync are detected', async () => {
    const clock = new VirtualClock();
    const conntrack: FakeConntrack = new FakeConntrack();
    const table: Conntrack = conntrack;
    const logger = silentLogger;
    const resetter = new ConnectionResetter({ conntrack: table, logger, clock, localAddresses: async () => [] });
    const first = stateOf();
    resetter.synced({ family: 'IPv4', state: first, changes: diffStates(undefined, first) });
    await clock.advance(10_000);
    conntrack.add(connection('10.96.0.1:80', `${ONE}:80`));
    // Of a step whose first half failed.
    const between = stateOf({ endpoints: [TWO, '10.0.0.3'] });
    resetter.synced({ family: 'IPv4', state: gone, changes: diffStates(between, gone) });
    await clock.advance(1000);
    expect(conntrack.entries).toEqual([]);
  });
});
