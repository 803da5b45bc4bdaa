import { setTimeout } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  diffStates,
  type IPFamily,
  PORT_RANGE_ANNOTATION,
  type ProxyState,
  type ServiceCounts,
} from '@kube-proxier/core';
import { casesOf, type EndpointDescription, makeService, makeSlice, resolveObjects } from '@kube-proxier/core/testing';
import { createNetlinkNft, createNft } from '@kube-proxier/linux';
import { ENDPOINT_PORT, PacketFlowFixture, SANDBOX_NETWORK, type SandboxHost } from '@kube-proxier/network-sandbox';
import { NftablesDataplane } from './dataplane.js';
import type { Layout } from './plan/layout.js';
import { ANNOTATIONS } from './plan/service-options.js';

const PAYLOAD = 40_000;
/** Tolerance for headers, acknowledgements and retransmissions; double counting would double the bytes. */
const MOST = PAYLOAD * 1.5;
const COUNTED = { [ANNOTATIONS.countTraffic]: 'true' };
const NONE = { toEndpoints: 0, toClients: 0 };
type Frontend = Parameters<PacketFlowFixture['target']>[0];

type Fixture = readonly [family: IPFamily, layout: Layout, access: 'netlink' | 'nft'];

/** The counters are the same in both layouts; the conformance cases have both families. */
const WORLDS = casesOf<Fixture>([['IPv4', 'constant', 'netlink']], [['IPv6', 'chain-per-service', 'nft']]);

describe.each(WORLDS)('packets and bytes that are counted, %s, layout %s, by %s', (family, layout, access) => {
  let fixture: PacketFlowFixture;
  let inUse: Layout = layout;

  beforeAll(async () => {
    fixture = await PacketFlowFixture.create({
      family,
      dataplane: (node, runner) => {
        const nft = access === 'nft' ? createNft({ runner }) : createNetlinkNft({ namespace: node.namespacePath });
        return new NftablesDataplane({ family, nft, layout: async () => inUse });
      },
    });
    for (const protocol of ['TCP', 'UDP'] as const) {
      await fixture.sandbox.node.serve({ protocol, port: ENDPOINT_PORT });
    }
  });

  afterAll(async () => {
    await fixture?.close();
  });

  const counts = () => (fixture.dataplane as NftablesDataplane).connections();
  const ofService = (all: readonly ServiceCounts[], service = 'default/svc') =>
    all.find((one) => one.service === service && one.endpoint === undefined);
  const ofEndpoint = (all: readonly ServiceCounts[], { address }: EndpointDescription, service = 'default/svc') =>
    all.find((one) => one.service === service && one.endpoint?.includes(address));

  function serve(endpoints: readonly EndpointDescription[], protocol: 'TCP' | 'UDP', annotations: object = COUNTED) {
    const service = fixture.serviceOf(protocol);
    const metadata = { ...service.metadata, annotations: annotations as Record<string, string> };
    return fixture.install(fixture.stateOf({ ...service, metadata }, endpoints, protocol));
  }

  const onNode = (): EndpointDescription => ({
    address: fixture.sandbox.node.address(family),
    node: SANDBOX_NETWORK.nodeName,
  });

  /** Sends lines to a frontend, which the endpoint sends back. */
  async function transfer(from: SandboxHost, frontend: Frontend): Promise<void> {
    const [to, port] = fixture.target(frontend);
    const connection = await from.open({ to, port });
    expect(await connection.send('x'.repeat(PAYLOAD), 10_000)).toMatchObject({ kind: 'echoed' });
    await connection.close();
  }

  /** Bytes of an endpoint once the last packets of its closed connections were counted. */
  async function bytesAtRest(endpoint: EndpointDescription): Promise<ServiceCounts['bytes']> {
    let last: ServiceCounts['bytes'];
    for (let equal = 0, looks = 0; equal < 5 && looks < 500; looks++) {
      await setTimeout(20);
      const bytes = ofEndpoint(await counts(), endpoint)?.bytes;
      equal = bytes !== undefined && isDeepStrictEqual(bytes, last) ? equal + 1 : 0;
      last = bytes;
    }
    return last;
  }

  const PATHS: readonly [
    what: string,
    from: (sandbox: PacketFlowFixture['sandbox']) => SandboxHost,
    Frontend,
    (one: PacketFlowFixture) => EndpointDescription,
  ][] = [
    ['from outside to a pod of this node', ({ client }) => client, 'clusterIP', (one) => one.local(1)],
    ['from outside to a pod of another node', ({ client }) => client, 'externalIP', (one) => one.remote(1)],
    ['from outside to a NodePort', ({ client }) => client, 'nodePort', (one) => one.local(1)],
    ['from a pod to another', (sandbox) => sandbox.pod(2), 'clusterIP', (one) => one.local(1)],
    ['from a pod to itself', (sandbox) => sandbox.pod(1), 'clusterIP', (one) => one.local(1)],
    ['from this node to a pod', ({ node }) => node, 'clusterIP', (one) => one.local(1)],
    ['from this node to a NodePort of its own', ({ node }) => node, 'nodePort', (one) => one.remote(1)],
    ['from outside to this node', ({ client }) => client, 'loadBalancerIP', () => onNode()],
    ['from this node to itself', ({ node }) => node, 'clusterIP', () => onNode()],
    ['from this node to itself, by a NodePort', ({ node }) => node, 'nodePort', () => onNode()],
    ['from a pod to this node', (sandbox) => sandbox.pod(2), 'clusterIP', () => onNode()],
  ];

  test.each(PATHS)('TCP %s: each packet once, in each direction', async (_what, from, frontend, endpointOf) => {
    const endpoint = endpointOf(fixture);
    await serve([endpoint], 'TCP', {});
    await serve([endpoint], 'TCP');
    expect(ofEndpoint(await counts(), endpoint)).toMatchObject({ connections: 0, packets: NONE, bytes: NONE });
    await transfer(from(fixture.sandbox), frontend);
    const all = await counts();
    const { connections, packets, bytes } = ofEndpoint(all, endpoint) ?? {};
    expect(connections).toBe(1);
    for (const counted of [bytes?.toEndpoints, bytes?.toClients]) {
      expect(counted).toBeGreaterThan(PAYLOAD);
      expect(counted).toBeLessThan(MOST);
    }
    expect(packets?.toEndpoints).toBeGreaterThan(3);
    expect(ofService(all)).toMatchObject({ packets, bytes, connections: 1 });
  });

  const isUsual = (_path: unknown, index: number) => index % 3 === 0;
  const pathsOfUDP = casesOf(
    PATHS.filter(isUsual),
    PATHS.filter((path, index) => !isUsual(path, index)),
  );
  test.each(pathsOfUDP)('UDP %s: each packet once, in each direction', async (_what, from, frontend, endpointOf) => {
    const endpoint = endpointOf(fixture);
    await serve([endpoint], 'UDP', {});
    await serve([endpoint], 'UDP');
    const [to, port] = fixture.target(frontend);
    for (let sent = 0; sent < 3; sent++) {
      expect(await from(fixture.sandbox).connect({ to, port, protocol: 'UDP' })).toMatchObject({ kind: 'answered' });
    }
    const all = await counts();
    const packets = { toEndpoints: 3, toClients: 3 };
    expect(ofEndpoint(all, endpoint)).toMatchObject({ connections: 3, packets });
    expect(ofService(all)).toMatchObject({ connections: 3, packets });
  });

  test('a connection counts for its endpoint, while it drains and until it is removed; totals are kept', async () => {
    const [first, second] = [fixture.local(1), fixture.local(2)];
    await serve([first], 'TCP', {});
    await serve([first], 'TCP');
    const [to, port] = fixture.target('clusterIP');
    const connection = await fixture.sandbox.client.open({ to, port });
    const echo = async () =>
      expect(await connection.send('x'.repeat(PAYLOAD), 10_000)).toMatchObject({ kind: 'echoed' });
    await echo();
    const before = await counts();
    await serve([{ ...first, ready: false, serving: true, terminating: true }, second], 'TCP');
    await echo();
    await transfer(fixture.sandbox.client, 'clusterIP');
    const drained = await counts();
    const bytesOf = (all: readonly ServiceCounts[], endpoint: EndpointDescription) =>
      ofEndpoint(all, endpoint)?.bytes?.toClients ?? 0;
    expect(bytesOf(drained, first)).toBeGreaterThan(2 * PAYLOAD);
    expect(bytesOf(drained, first)).toBeGreaterThan(bytesOf(before, first) + PAYLOAD);
    expect(bytesOf(drained, second)).toBeGreaterThan(PAYLOAD);
    expect(bytesOf(drained, second)).toBeLessThan(MOST);

    // Its counters are removed; their values stay in the total.
    await connection.close();
    await serve([second], 'TCP');
    const replaced = await counts();
    expect(ofEndpoint(replaced, first)).toBeUndefined();
    const total = (all: readonly ServiceCounts[]) => ofService(all)?.bytes?.toClients ?? 0;
    expect(total(replaced)).toBeGreaterThanOrEqual(total(drained));
    expect(total(replaced)).toBeGreaterThan(3 * PAYLOAD);
    expect(total(replaced)).toBeLessThan(3 * MOST);

    // All are removed, one is added, and the agent restarts.
    await serve([], 'TCP');
    expect(total(await counts())).toBe(total(replaced));
    await serve([first], 'TCP');
    await transfer(fixture.sandbox.client, 'nodePort');
    await fixture.restart();
    const after = await counts();
    expect(total(after)).toBeGreaterThan(total(replaced) + PAYLOAD);
    expect(total(after)).toBeLessThan(total(replaced) + MOST);
    expect(bytesOf(after, first)).toBe(total(after) - total(replaced));

    await serve([first], 'TCP', {});
    expect(await counts()).toEqual([]);
    const { stdout } = await fixture.runner.run({ command: 'nft', args: ['list', 'ruleset'] });
    expect(stdout).not.toContain('traffic');
  });

  /**
   * Drops packets to the endpoints, as a network policy or an unresponsive host does. Resolves to a function that stops
   * it.
   */
  async function dropAt(host: SandboxHost, hook: 'forward' | 'input', priority = 10) {
    const table = 'inet foreign';
    const rule = `meta l4proto { tcp, udp } th dport ${ENDPOINT_PORT} counter drop`;
    await host.exec(['nft', '-f', '-'], {
      stdin: `table ${table} { chain drops { type filter hook ${hook} priority ${priority}; ${rule}; }; }\n`,
    });
    return {
      dropped: async () => {
        const { stdout } = await host.exec(['nft', 'list', 'table', 'inet', 'foreign']);
        return Number(/counter packets (\d+)/.exec(stdout)?.[1]);
      },
      end: () => host.exec(['nft', 'delete', 'table', 'inet', 'foreign']),
    };
  }

  /** Sends datagrams from one port, without waiting for answers. */
  async function sendMany([to, port]: readonly [string, number], count: number): Promise<void> {
    const script = `
      const socket = require('node:dgram').createSocket(${JSON.stringify(family === 'IPv4' ? 'udp4' : 'udp6')});
      let left = ${count};
      const sent = () => --left === 0 ? socket.close() : socket.send('x', ${port}, ${JSON.stringify(to)}, sent);
      socket.send('x', ${port}, ${JSON.stringify(to)}, sent);`;
    await fixture.sandbox.client.exec([process.execPath, '-e', script]);
  }

  test('a connection counts once, even with retransmissions or without answers', async () => {
    const endpoint = fixture.local(1);
    const silent = await dropAt(fixture.sandbox.pod(1), 'input');
    try {
      await serve([endpoint], 'TCP', {});
      await serve([endpoint], 'TCP');
      const [to, port] = fixture.target('clusterIP');
      await fixture.sandbox.client.connect({ to, port, timeout: 1500 });
      expect(await silent.dropped()).toBeGreaterThan(1);
      expect(ofEndpoint(await counts(), endpoint)?.connections).toBe(1);
      await serve([endpoint], 'UDP', {});
      await serve([endpoint], 'UDP');
      const before = await silent.dropped();
      await sendMany(fixture.target('nodePort'), 5);
      expect(await silent.dropped()).toBe(before + 5);
    } finally {
      await silent.end();
    }
    const packets = { toEndpoints: 5, toClients: 0 };
    expect(ofEndpoint(await counts(), endpoint)).toMatchObject({ connections: 1, packets });
  });

  test('packets count once they pass the chains before: dropped by an earlier chain, they do not, by a later one, they do', async () => {
    const endpoint = fixture.local(1);
    for (const [priority, counted] of [
      [-10, 0],
      [10, 5],
    ] as const) {
      await serve([endpoint], 'UDP', {});
      await serve([endpoint], 'UDP');
      const policy = await dropAt(fixture.sandbox.node, 'forward', priority);
      try {
        await sendMany(fixture.target('clusterIP'), 5);
        expect(await policy.dropped()).toBe(5);
      } finally {
        await policy.end();
      }
      expect(ofEndpoint(await counts(), endpoint)?.packets).toEqual({ toEndpoints: counted, toClients: 0 });
    }
  });

  test('a filtered or refused connection counts for the Service, not for an endpoint', async () => {
    const endpoint = fixture.local(1);
    await serve([endpoint], 'TCP', {});
    await serve([endpoint], 'TCP');
    const [to, port] = fixture.target('clusterIP');
    const policy = await dropAt(fixture.sandbox.node, 'forward');
    try {
      await fixture.sandbox.client.connect({ to, port, timeout: 500 });
      expect(await policy.dropped()).toBeGreaterThan(0);
    } finally {
      await policy.end();
    }
    const all = await counts();
    expect(ofEndpoint(all, endpoint)?.connections).toBe(0);
    expect(ofService(all)?.connections).toBeGreaterThan(0);
    await serve([], 'TCP');
    expect(await fixture.sandbox.client.connect({ to, port })).toMatchObject({ kind: 'refused' });
    expect(ofService(await counts())?.connections).toBeGreaterThan(ofService(all)?.connections ?? 0);
  });

  test('a connection counts even if another program translates its source first', async () => {
    const endpoint = fixture.local(1);
    await serve([endpoint], 'TCP', {});
    await serve([endpoint], 'TCP');
    const { node, client } = fixture.sandbox;
    await node.exec(['nft', '-f', '-'], {
      stdin: 'table inet foreign { chain first { type nat hook postrouting priority 90; counter masquerade; }; }\n',
    });
    try {
      const [to, port] = fixture.target('clusterIP');
      expect(await client.connect({ to, port })).toMatchObject({
        sourceSeen: expect.not.stringMatching(client.address(family)),
      });
    } finally {
      await node.exec(['nft', 'delete', 'table', 'inet', 'foreign']);
    }
    expect(ofEndpoint(await counts(), endpoint)?.connections).toBe(1);
  });

  test('connections alone: per endpoint, until it is removed, without packet counters', async () => {
    const connectionsOnly = { [ANNOTATIONS.countConnections]: 'true' };
    const [first, second] = [fixture.local(1), fixture.remote(1)];
    const connect = async (times: number) => {
      const [to, port] = fixture.target('externalIP');
      const { answeredBy } = await fixture.sandbox.client.connectMany({ to, port }, times);
      expect(Object.values(answeredBy).reduce((sum, one) => sum + one, 0)).toBe(times);
    };
    const connectionsOf = async () => {
      const all = await counts();
      expect(all.some(({ packets, bytes }) => packets !== undefined || bytes !== undefined)).toBe(false);
      return [ofService(all), ofEndpoint(all, first), ofEndpoint(all, second)].map((one) => one?.connections);
    };
    await serve([first], 'TCP', {});
    await serve([first], 'TCP', connectionsOnly);
    await connect(3);
    await serve([{ ...first, ready: false, serving: true, terminating: true }, second], 'TCP', connectionsOnly);
    await connect(4);
    expect(await connectionsOf()).toEqual([7, 3, 4]);
    await serve([first, second], 'TCP', connectionsOnly);
    await fixture.restart();
    expect(await connectionsOf()).toEqual([7, 3, 4]);

    // A restart with the other layout, and back.
    for (const other of [layout === 'constant' ? 'chain-per-service' : 'constant', layout] as const) {
      inUse = other;
      await fixture.restart();
      expect(await connectionsOf()).toEqual([7, 3, 4]);
    }

    // One is removed, and added again.
    await serve([second], 'TCP', connectionsOnly);
    expect(await connectionsOf()).toEqual([7, undefined, 4]);
    await serve([first], 'TCP', connectionsOnly);
    await connect(2);
    expect(await connectionsOf()).toEqual([9, 2, undefined]);
    const listed = async () => (await fixture.runner.run({ command: 'nft', args: ['list', 'ruleset'] })).stdout;
    expect(await listed()).not.toContain('traffic');
    await serve([first], 'TCP', {});
    expect(await counts()).toEqual([]);
    expect(await listed()).not.toMatch(/endpoint-counters|count-|counter endpoint/);
  });

  test('many connections at once, while endpoints change and the agent restarts: each counts once, for the answering endpoint', async () => {
    const endpoints = [fixture.local(1), fixture.local(2), fixture.remote(1)];
    const another = { ...fixture.remote(2), ready: false };
    await serve(endpoints, 'TCP', {});
    await serve(endpoints, 'TCP');
    const { client, node } = fixture.sandbox;
    const senders: readonly (readonly [SandboxHost, Frontend])[] = [
      [client, 'nodePort'],
      [fixture.sandbox.pod(3), 'clusterIP'],
      [fixture.sandbox.pod(1), 'clusterIP'],
      [node, 'externalIP'],
    ];
    let isDone = false;
    const sent = Promise.all(
      senders.map(([from, frontend]) => {
        const [to, port] = fixture.target(frontend);
        return from.connectMany({ to, port }, 150, 16);
      }),
    ).finally(() => {
      isDone = true;
    });
    while (!isDone) {
      await serve([...endpoints, another], 'TCP');
      await fixture.restart();
      await serve(endpoints, 'TCP');
    }
    const answered = new Map<string, number>();
    for (const { answeredBy } of await sent) {
      for (const [name, times] of Object.entries(answeredBy)) {
        answered.set(name, (answered.get(name) ?? 0) + times);
      }
    }
    const all = await counts();
    expect(ofService(all)?.connections).toBe(4 * 150);
    expect(endpoints.map((endpoint) => ofEndpoint(all, endpoint)?.connections)).toEqual(
      ['pod1', 'pod2', 'remote-pod1'].map((name) => answered.get(name)),
    );
  });

  test('two Services with one endpoint count their own; an uncounted one has no cost and no counts', async () => {
    const endpoint = fixture.local(1);
    const six = family === 'IPv6';
    const clusterIP = (number: number) => (six ? `fd00:10:96::${number}` : `10.96.0.${number}`);
    const names = ['one', 'two', 'uncounted'];
    const services = names.map((name, index) =>
      makeService(
        name,
        { clusterIP: clusterIP(21 + index), ports: [{ port: 80, protocol: 'TCP' }] },
        { metadata: { annotations: name === 'uncounted' ? {} : COUNTED } },
      ),
    );
    const slices = names.map((name) =>
      makeSlice(name, [endpoint], {
        addressType: family,
        ports: [{ name: '', protocol: 'TCP', port: ENDPOINT_PORT }],
      }),
    );
    const state: ProxyState = resolveObjects({ services, slices }, { family, nodeName: SANDBOX_NETWORK.nodeName });
    await fixture.install(state);
    const send = async (number: number) => {
      const connection = await fixture.sandbox.client.open({ to: clusterIP(number), port: 80 });
      expect(await connection.send('x'.repeat(PAYLOAD), 10_000)).toMatchObject({ kind: 'echoed' });
      await connection.close();
    };
    await send(21);
    await send(23);
    const all = await counts();
    expect(ofEndpoint(all, endpoint, 'default/one')?.bytes?.toClients).toBeGreaterThan(PAYLOAD);
    expect(ofEndpoint(all, endpoint, 'default/one')?.bytes?.toClients).toBeLessThan(MOST);
    expect(ofEndpoint(all, endpoint, 'default/one')?.connections).toBe(1);
    expect(ofEndpoint(all, endpoint, 'default/two')).toMatchObject({ connections: 0, packets: NONE, bytes: NONE });
    expect(all.some(({ service }) => service === 'default/uncounted')).toBe(false);
    const { dataplane } = fixture;
    expect(dataplane.plan(state, diffStates(undefined, state), await dataplane.readBack())).toBeUndefined();
  });

  test('a Service that takes over address, NodePort and endpoint of another counts for itself, from 0', async () => {
    const endpoint = fixture.local(1);
    const { clusterIP } = fixture.address;
    const [, nodePort] = fixture.target('nodePort');
    const stateOf = (name: string) =>
      resolveObjects(
        {
          services: [
            makeService(
              name,
              { type: 'NodePort', clusterIP, ports: [{ port: 80, protocol: 'TCP', nodePort }] },
              { metadata: { annotations: COUNTED } },
            ),
          ],
          slices: [
            makeSlice(name, [endpoint], {
              addressType: family,
              ports: [{ name: '', protocol: 'TCP', port: ENDPOINT_PORT }],
            }),
          ],
        },
        { family, nodeName: SANDBOX_NETWORK.nodeName },
      );
    const connectionsOf = async (name: string) => {
      const all = await counts();
      return [ofService(all, `default/${name}`), ofEndpoint(all, endpoint, `default/${name}`)].map(
        (one) => one?.connections,
      );
    };
    const [to, port] = fixture.target('clusterIP');
    const { client } = fixture.sandbox;
    await fixture.install(stateOf('before'));
    await client.connectMany({ to, port }, 3);
    expect(await connectionsOf('before')).toEqual([3, 3]);
    await fixture.install(stateOf('after'));
    expect(await connectionsOf('before')).toEqual([undefined, undefined]);
    await client.connectMany({ to, port }, 2);
    await client.connectMany({ to: fixture.sandbox.node.address(family), port: nodePort }, 2);
    expect(await connectionsOf('after')).toEqual([4, 4]);
  });

  test('a range of ports counts for the endpoint, even with other ports', async () => {
    const endpoint = fixture.local(1);
    await fixture.sandbox.pod(1).serve({ port: ENDPOINT_PORT + 1 });
    await serve([endpoint], 'TCP', {});
    await serve([endpoint], 'TCP', { ...COUNTED, [PORT_RANGE_ANNOTATION]: '80-89' });
    const [to] = fixture.target('clusterIP');
    for (const port of [80, 81]) {
      const connection = await fixture.sandbox.client.open({ to, port });
      expect(await connection.send('x'.repeat(PAYLOAD), 10_000)).toMatchObject({ kind: 'echoed' });
      await connection.close();
    }
    const all = await counts();
    const { bytes, connections } = ofEndpoint(all, endpoint) ?? {};
    expect(connections).toBe(2);
    for (const counted of [bytes?.toEndpoints, bytes?.toClients]) {
      expect(counted).toBeGreaterThan(2 * PAYLOAD);
      expect(counted).toBeLessThan(2 * MOST);
    }
    expect(ofService(all)).toMatchObject({ bytes, connections: 2 });
  });

  test('foreign changes are repaired, and kept counters retain their values', async () => {
    const endpoint = fixture.local(1);
    const state = await serve([endpoint], 'TCP');
    await transfer(fixture.sandbox.client, 'clusterIP');
    const before = await bytesAtRest(endpoint);
    const table = `${family === 'IPv4' ? 'ip' : 'ip6'} kube-proxier`;
    const [to] = fixture.target('clusterIP');
    const key = `${to} . tcp . ${endpoint.address} . ${ENDPOINT_PORT}`;
    for (const foreign of [
      `flush chain ${table} count-traffic`,
      `flush chain ${table} count-replies`,
      `flush chain ${table} count-service`,
      `flush chain ${table} filter-forward`,
      `flush chain ${table} count-endpoint`,
      `flush chain ${table} count-input`,
      `delete element ${table} any-port-endpoint-counters { ${key} }`,
      `insert rule ${table} count-postrouting accept`,
      `delete element ${table} any-port-traffic-to-clients { ${key} }`,
      `insert rule ${table} count-traffic accept`,
    ]) {
      await fixture.runner.run({ command: 'nft', args: ['-f', '-'], stdin: `${foreign}\n` });
      const { dataplane } = fixture;
      const repair = dataplane.plan(state, diffStates(undefined, state), await dataplane.readBack());
      expect(repair).toBeDefined();
      await fixture.restart();
      expect(dataplane.plan(state, diffStates(undefined, state), await dataplane.readBack())).toBeUndefined();
    }
    expect(ofEndpoint(await counts(), endpoint)?.bytes).toEqual(before);
    await transfer(fixture.sandbox.client, 'clusterIP');
    const after = ofEndpoint(await counts(), endpoint)?.bytes;
    expect(after?.toClients).toBeGreaterThan((before?.toClients ?? 0) + PAYLOAD);
    expect(after?.toEndpoints).toBeGreaterThan((before?.toEndpoints ?? 0) + PAYLOAD);
  });
});
