import { setTimeout } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { diffStates, type IPFamily, type Protocol, type ProxyState, type Service } from '@kube-proxier/core';
import { casesOf, makeService, makeSlice, resolveObjects } from '@kube-proxier/core/testing';
import { createNetlinkNft, createNft } from '@kube-proxier/linux';
import { ENDPOINT_PORT, PacketFlowFixture, SANDBOX_NETWORK } from '@kube-proxier/network-sandbox';
import { NftablesDataplane } from './dataplane.js';
import { type EndpointQuantity, endpointCounters, type Layout, nftFamily, TABLE } from './plan/layout.js';
import { ANNOTATIONS } from './plan/service-options.js';

const COUNTED = { [ANNOTATIONS.countTraffic]: 'true' };
const QUANTITIES: readonly EndpointQuantity[] = ['connections', 'to-endpoints', 'to-clients'];

interface Counts {
  readonly packets: { readonly toEndpoints: number; readonly toClients: number };
  readonly bytes: { readonly toEndpoints: number; readonly toClients: number };
}

type Fixture = readonly [family: IPFamily, layout: Layout, access: 'netlink' | 'nft'];

const WORLDS = casesOf<Fixture>([['IPv4', 'constant', 'netlink']], [['IPv6', 'chain-per-service', 'nft']]);

describe.each(WORLDS)('service ports with one address and endpoint, %s, layout %s, by %s', (family, layout, access) => {
  let fixture: PacketFlowFixture;
  const ip = nftFamily(family);
  const clusterIP = (number: number) => (family === 'IPv6' ? `fd00:10:96::${number}` : `10.96.0.${number}`);

  beforeAll(async () => {
    fixture = await PacketFlowFixture.create({
      family,
      dataplane: (node, runner) => {
        const nft = access === 'nft' ? createNft({ runner }) : createNetlinkNft({ namespace: node.namespacePath });
        return new NftablesDataplane({ family, nft, layout: async () => layout });
      },
    });
  });

  afterAll(async () => {
    await fixture?.close();
  });

  /** Services with one endpoint, the first pod, and one with two ports to one port of the second, which shares an address. */
  function stateOf(services: readonly Service[], hasPair = true): ProxyState {
    const pair = serviceOf('pair', { clusterIP: clusterIP(99), ports: [1, 2].map((port) => [port, 'TCP'] as const) });
    const node = {
      metadata: { name: SANDBOX_NETWORK.nodeName },
      status: { addresses: [{ type: 'InternalIP', address: fixture.sandbox.node.address(family) }] },
    };
    const all = hasPair ? [...services, pair] : services;
    const slices = all.map((service) =>
      makeSlice(`default/${service.metadata?.name}`, [fixture.local(service === pair ? 2 : 1)], {
        addressType: family,
        ports: (service.spec?.ports ?? []).map(({ name, protocol }) => ({
          ...{ name: name ?? '', protocol: protocol ?? 'TCP', port: ENDPOINT_PORT },
        })),
      }),
    );
    return resolveObjects(
      { services: all, slices, node, localAddresses: fixture.sandbox.node.addresses },
      { family, nodeName: SANDBOX_NETWORK.nodeName },
    );
  }

  function serviceOf(
    name: string,
    {
      ports,
      annotations = COUNTED,
      ...spec
    }: {
      readonly clusterIP: string;
      readonly ports: readonly (readonly [port: number, protocol: 'TCP' | 'UDP', nodePort?: number])[];
      readonly externalIPs?: readonly string[];
      readonly annotations?: Readonly<Record<string, string>>;
    },
  ): Service {
    return makeService(
      name,
      {
        ...spec,
        type: ports.some(([, , nodePort]) => nodePort !== undefined) ? 'NodePort' : 'ClusterIP',
        ports: ports.map(([port, protocol, nodePort]) => ({
          ...{ name: `p${port}`, port, protocol },
          ...(nodePort === undefined ? {} : { nodePort }),
        })),
      },
      { metadata: { name, namespace: 'default', annotations } },
    );
  }

  /** Rules of another program that count the forwarded packets of connections to ports of an address. */
  async function witness(to: string, protocol: 'TCP' | 'UDP', ports: readonly number[]) {
    const { node } = fixture.sandbox;
    const table = `${ip} witness`;
    const directions = ['original', 'reply'] as const;
    const lines = ports.flatMap((port) =>
      directions.flatMap((direction) => [
        `add counter ${table} ${direction}-${port}`,
        `add rule ${table} seen meta l4proto ${protocol.toLowerCase()} ct status dnat ct direction ${direction} ct original ${ip} daddr ${to} ct original proto-dst ${port} counter name "${direction}-${port}"`,
      ]),
    );
    const begin = [`add table ${table}`, `add chain ${table} seen { type filter hook forward priority 10; }`];
    await node.exec(['nft', '-f', '-'], { stdin: `${[...begin, ...lines].join('\n')}\n` });
    const countsOf = async (port: number): Promise<Counts> => {
      const { stdout } = await node.exec(['nft', 'list', 'counters', 'table', ip, 'witness']);
      const [to, from] = directions.map((direction) => {
        const pattern = new RegExp(`counter ${direction}-${port} {\\s*packets (\\d+) bytes (\\d+)`);
        return pattern.exec(stdout)?.slice(1).map(Number) ?? [];
      });
      const [packets = -1, bytes = -1] = to ?? [];
      const [packetsBack = -1, bytesBack = -1] = from ?? [];
      return {
        packets: { toEndpoints: packets, toClients: packetsBack },
        bytes: { toEndpoints: bytes, toClients: bytesBack },
      };
    };
    return { protocol, countsOf, end: () => node.exec(['nft', 'delete', 'table', ip, 'witness']) };
  }

  async function counted(service: string, protocol: Protocol): Promise<(Counts & { connections: number }) | undefined> {
    const all = await (fixture.dataplane as NftablesDataplane).connections();
    const found = all.find((one) => one.service === service && one.protocol === protocol && one.endpoint !== undefined);
    return found as (Counts & { connections: number }) | undefined;
  }

  /** What a service port and the witness counted, once the last packets have passed. */
  async function bothAtRest(service: string, seen: Awaited<ReturnType<typeof witness>>, port: number) {
    let last: unknown;
    for (let equal = 0, looks = 0; looks < 500; looks++) {
      await setTimeout(20);
      const { packets, bytes } = (await counted(service, seen.protocol)) ?? {};
      const both = { counted: { packets, bytes }, seen: await seen.countsOf(port) };
      equal = isDeepStrictEqual(both, last) ? equal + 1 : 0;
      if (equal === 4) {
        return both;
      }
      last = both;
    }
    throw new Error('packets do not end');
  }

  /** Keys of the elements that refer to counters of endpoints, by address. */
  async function keysOf(scope: 'any-port' | 'address', quantity: EndpointQuantity): Promise<readonly string[]> {
    const { table } = await (fixture.dataplane as NftablesDataplane).readBack();
    return [...(table?.containers.get(endpointCounters(scope, quantity))?.elements.keys() ?? [])];
  }

  test.each(['TCP', 'UDP'] as const)(
    '%s: each packet counts once, for its port, while another port comes and goes',
    async (protocol) => {
      const to = clusterIP(31);
      const web = (...ports: readonly number[]) =>
        stateOf([serviceOf('web', { clusterIP: to, ports: ports.map((port) => [port, protocol] as const) })]);
      const seen = await witness(to, protocol, [80, 443]);
      const { client } = fixture.sandbox;
      try {
        await fixture.install(web());
        await fixture.install(web(80));
        const kept = protocol === 'TCP' ? await client.open({ to, port: 80 }) : undefined;
        const first = await client.startClient({ to, port: 80, protocol });
        let last = await seen.countsOf(443);
        for (let times = 0; times < 5; times++) {
          await first.moreAttempts(20);
          await fixture.install(web(80, 443));
          const second = await client.startClient({ to, port: 443, protocol });
          await second.moreAttempts(20);
          await kept?.send('x'.repeat(2000));
          await second.stop();
          const { counted: ofSecond, seen: all } = await bothAtRest('default/web:p443', seen, 443);
          // Its counters began at 0.
          expect(ofSecond.packets).toEqual({
            toEndpoints: all.packets.toEndpoints - last.packets.toEndpoints,
            toClients: all.packets.toClients - last.packets.toClients,
          });
          expect(ofSecond.packets?.toClients).toBeGreaterThanOrEqual(20);
          last = all;
          await fixture.install(web(80));
        }
        expect((await first.stop()).attempts).toBeGreaterThan(200);
        expect((await kept?.send('end'))?.kind).toBe(kept && 'echoed');
        await kept?.close();
        const { counted: ofFirst, seen: all } = await bothAtRest('default/web:p80', seen, 80);
        expect(ofFirst).toEqual(all);
        expect(ofFirst.packets?.toEndpoints).toBeGreaterThan(200);
      } finally {
        await seen.end();
      }
    },
  );

  test('Services that share an external address and an endpoint count their own connections, also beside uncounted ones', async () => {
    const { externalIP } = fixture.address;
    const nodeAddress = fixture.sandbox.node.address(family);
    const services = [
      serviceOf('one', { clusterIP: clusterIP(41), externalIPs: [externalIP], ports: [[80, 'TCP']] }),
      serviceOf('two', { clusterIP: clusterIP(42), externalIPs: [externalIP], ports: [[443, 'TCP']] }),
      serviceOf('uncounted', {
        ...{ clusterIP: clusterIP(43), externalIPs: [externalIP], ports: [[8443, 'TCP']], annotations: {} },
      }),
      serviceOf('at-node', { clusterIP: clusterIP(44), externalIPs: [nodeAddress], ports: [[81, 'TCP']] }),
      serviceOf('node-port', { clusterIP: clusterIP(45), ports: [[82, 'TCP', 30_082]], annotations: {} }),
    ] as const;
    const [one, two, ...others] = services;
    const connect = async (to: string, port: number, times: number) => {
      const { answeredBy } = await fixture.sandbox.client.connectMany({ to, port }, times);
      expect(answeredBy).toEqual({ pod1: times });
    };
    const connections = async () => {
      const names = ['one:p80', 'two:p443', 'uncounted:p8443', 'at-node:p81', 'node-port:p82'];
      return await Promise.all(names.map(async (name) => (await counted(`default/${name}`, 'TCP'))?.connections));
    };
    await fixture.install(stateOf([]));
    // Each comes to the others, and goes.
    await fixture.install(stateOf([one]));
    await connect(externalIP, 80, 2);
    expect(await connections()).toEqual([2, undefined, undefined, undefined, undefined]);
    await fixture.install(stateOf([one, ...others]));
    await connect(externalIP, 80, 1);
    await connect(externalIP, 8443, 4);
    expect(await connections()).toEqual([3, undefined, undefined, 0, undefined]);
    await fixture.install(stateOf(services));
    await connect(externalIP, 80, 1);
    await connect(externalIP, 443, 3);
    await connect(clusterIP(42), 443, 1);
    await connect(externalIP, 8443, 4);
    expect(await connections()).toEqual([4, 4, undefined, 0, undefined]);
    // An uncounted NodePort at the external address of another Service.
    await connect(nodeAddress, 30_082, 5);
    expect(await connections()).toEqual([4, 4, undefined, 0, undefined]);
    await connect(nodeAddress, 81, 2);
    expect(await connections()).toEqual([4, 4, undefined, 2, undefined]);
    await fixture.restart();
    await fixture.install(stateOf([two, ...others.slice(1)]));
    await connect(externalIP, 443, 2);
    expect(await connections()).toEqual([undefined, 6, undefined, 2, undefined]);
    await fixture.install(stateOf([two]));
    await connect(externalIP, 443, 1);
    expect(await connections()).toEqual([undefined, 7, undefined, undefined, undefined]);
    for (const quantity of QUANTITIES) {
      const of = `tcp . ${fixture.local(1).address} . ${ENDPOINT_PORT}`;
      expect([...(await keysOf('any-port', quantity))].sort()).toEqual(
        [`${clusterIP(42)} . ${of}`, `${externalIP} . ${of}`].sort(),
      );
      expect(await keysOf('address', quantity)).toHaveLength(2);
    }
    const { dataplane } = fixture;
    const state = stateOf([two]);
    expect(dataplane.plan(state, diffStates(undefined, state), await dataplane.readBack())).toBeUndefined();
  });

  test('maps with ports exist while an address is shared', async () => {
    const to = clusterIP(61);
    const web = (...ports: readonly number[]) =>
      stateOf([serviceOf('web', { clusterIP: to, ports: ports.map((port) => [port, 'TCP'] as const) })], false);
    const { client, node } = fixture.sandbox;
    const { dataplane } = fixture;
    const hasMaps = async () => {
      const { stdout } = await node.exec(['nft', 'list', 'table', ip, TABLE]);
      return QUANTITIES.map((quantity) => stdout.includes(` @${endpointCounters('address', quantity)} `));
    };
    await fixture.install(web());
    let made = 0;
    for (const ports of [[80], [80, 443], [80], [443, 80], []]) {
      const state = await fixture.install(web(...ports));
      expect(dataplane.plan(state, diffStates(undefined, state), await dataplane.readBack())).toBeUndefined();
      expect(await hasMaps()).toEqual(QUANTITIES.map(() => ports.length === 2));
      if (ports.includes(80)) {
        await client.connectMany({ to, port: 80 }, 3);
        made += 3;
        expect((await counted('default/web:p80', 'TCP'))?.connections).toBe(made);
      }
    }
  });

  /** Commands that give the installed table the rules and maps of an earlier version, with the same counters. */
  async function formerLayout(port: number): Promise<string> {
    const table = `${ip} ${TABLE}`;
    const address = family === 'IPv6' ? 'ipv6_addr' : 'ipv4_addr';
    const field = family === 'IPv6' ? 'meta l4proto' : 'ip protocol';
    const { table: installed } = await (fixture.dataplane as NftablesDataplane).readBack();
    const lines: string[] = [];
    const chains = {
      connections: ['count-endpoint', 'daddr', 'dport'],
      'to-endpoints': ['count-traffic', 'daddr', 'dport'],
      'to-clients': ['count-replies', 'saddr', 'sport'],
    } as const;
    for (const chain of ['count-endpoint', 'count-traffic', 'count-replies', 'count-postrouting', 'count-input']) {
      lines.push(`flush chain ${table} ${chain}`);
    }
    for (const hook of ['input', 'forward', 'output']) {
      lines.push(
        `flush chain ${table} filter-${hook}`,
        `add rule ${table} filter-${hook} ct status dnat ${hook === 'input' ? 'iifname != "lo" ' : ''}goto count-traffic comment "former"`,
        `add rule ${table} filter-${hook} ct state != new accept comment "8a7d5305e241"`,
        `add rule ${table} filter-${hook} jump closed-services comment "74b0d8b57214"`,
      );
    }
    for (const chain of ['count-postrouting', 'count-input']) {
      lines.push(`add rule ${table} ${chain} ct status dnat goto count-endpoint comment "former"`);
    }
    lines.push(`add rule ${table} count-traffic ct direction reply goto count-replies comment "former"`);
    for (const quantity of QUANTITIES) {
      const [chain, side, at] = chains[quantity];
      const [short, long] = [endpointCounters('any-port', quantity), endpointCounters('address', quantity)];
      const type = `${address} . inet_proto . ${address} . inet_service . inet_service : counter`;
      lines.push(`add map ${table} ${long} { type ${type}; }`);
      for (const [key, { value }] of installed?.containers.get(short)?.elements ?? []) {
        lines.push(`add element ${table} ${long} { ${key} . ${port} : "${value}" }`);
      }
      for (const protocol of ['tcp', 'udp', 'sctp']) {
        const key = `${field} . ${ip} ${side} . ${protocol} ${at} . ct original proto-dst`;
        lines.push(
          `add rule ${table} ${chain} ${field} ${protocol} counter name ct original ${ip} daddr . ${key} map @${long} accept comment "former"`,
          `add rule ${table} ${chain} ${field} ${protocol} counter name ${key} map @${endpointCounters('node-port', quantity)} accept comment "former"`,
        );
      }
      lines.push(`flush map ${table} ${short}`, `delete map ${table} ${short}`);
    }
    return `${lines.join('\n')}\n`;
  }

  test('a table of an earlier version, whose maps have the port, is changed in place: each packet counts once', async () => {
    const to = clusterIP(51);
    const state = stateOf([serviceOf('old', { clusterIP: to, ports: [[80, 'TCP']] })]);
    await fixture.install(stateOf([]));
    const seen = await witness(to, 'TCP', [80]);
    try {
      await fixture.install(state);
      const first = await fixture.sandbox.client.startClient({ to, port: 80 });
      const kept = await fixture.sandbox.client.open({ to, port: 80 });
      for (let times = 0; times < 3; times++) {
        await first.moreAttempts(20);
        await fixture.runner.run({ command: 'nft', args: ['-f', '-'], stdin: await formerLayout(80) });
        expect(await keysOf('any-port', 'to-clients')).toEqual([]);
        await first.moreAttempts(20);
        const { dataplane } = fixture;
        const upgrade = dataplane.plan(state, diffStates(undefined, state), await dataplane.readBack());
        expect(JSON.stringify(upgrade)).not.toMatch(/"delete-table"|"(?:add|delete)-counter"/);
        await fixture.restart();
        expect(await keysOf('any-port', 'to-clients')).not.toEqual([]);
        await kept.send('x'.repeat(2000));
      }
      const { attempts } = await first.stop();
      await kept.close();
      const { counted: own, seen: all } = await bothAtRest('default/old:p80', seen, 80);
      expect(own).toEqual(all);
      expect((await counted('default/old:p80', 'TCP'))?.connections).toBe(attempts + 1);
    } finally {
      await seen.end();
    }
  });
});
