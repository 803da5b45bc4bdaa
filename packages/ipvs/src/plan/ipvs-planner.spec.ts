import { describe, expect, test } from '@jest/globals';
import {
  type Clock,
  diffStates,
  type Logger,
  PartlyAppliedError,
  type Service,
  silentLogger,
  systemClock,
} from '@kube-proxier/core';
import {
  ClusterSketch,
  makeResolver,
  makeService,
  makeSlice,
  RecordingLogger,
  VirtualClock,
} from '@kube-proxier/core/testing';
import { type IpSetEntry, NetlinkRefused, renderDocument, type VirtualServerAddress } from '@kube-proxier/linux';
import fc from 'fast-check';
import { IpvsDataplane } from '../dataplane.js';
import { contents, fakeHost, freshContents, install } from '../testing/contents.js';
import type { IpvsTransaction } from './ipvs-transaction.js';
import { MARK_NUMBERS, MarkLayout } from './layout.js';
import { readScheduler, SCHEDULER_ANNOTATION, WEIGHT_ANNOTATION } from './scheduler-choice.js';

/** A dataplane on a fake host, with Services by the number. */
function fixture(services: number, settings: { logger?: Logger; clock?: Clock } = {}) {
  const host = fakeHost('IPv4');
  const { logger = silentLogger, clock = systemClock } = settings;
  const dataplane = new IpvsDataplane({ family: 'IPv4', host, logger, clock });
  const resolver = makeResolver({
    family: 'IPv4',
    localTrafficDetection: { kind: 'source-cidr', cidr: '10.244.0.0/16' },
  });
  const slice = (index: number, addresses: readonly string[]) =>
    makeSlice(
      `default/svc-${index}`,
      addresses.map((address) => ({ address, node: 'node2' })),
      {
        ports: [{ name: '', protocol: 'TCP', port: 8080 }],
      },
    );
  const slices = Array.from({ length: services }, (_, index) => slice(index, [`10.244.1.${index + 1}`, '10.244.2.1']));
  const objects = slices.map((_slice, index) =>
    makeService(`default/svc-${index}`, { clusterIP: `10.96.0.${index + 1}` }),
  );
  for (const [index, one] of slices.entries()) {
    resolver.updateService(undefined, objects[index]);
    resolver.updateEndpointSlice(undefined, one);
  }
  return { host, dataplane, resolver, slices, slice, objects };
}

function commandsOf(transaction: IpvsTransaction | undefined): readonly string[] {
  return (transaction?.steps ?? []).flatMap((step): readonly string[] => {
    switch (step.to) {
      case 'ipvs':
      case 'sets':
        return step.commands.map((command) => command.do);
      case 'draining':
        return step.servers.map(() => 'drain');
      case 'addresses':
        return [...step.add.map(() => 'add-address'), ...step.remove.map(() => 'delete-address')];
      default:
        return [step.to];
    }
  });
}

/** The steps of a transaction as lines of text. */
function linesOf({ steps }: IpvsTransaction): string {
  const entryText = ({ address, port, protocol, second, network }: IpSetEntry) =>
    [address, protocol && `${protocol.toLowerCase()}:${port}`, second ?? network].filter(Boolean).join(',');
  const targetText = (at: VirtualServerAddress) =>
    at.kind === 'address' ? `${at.protocol} ${at.address}:${at.port}` : JSON.stringify(at);
  return steps
    .map((step) => {
      switch (step.to) {
        case 'sets':
          return step.commands
            .map((command) =>
              command.do === 'create-set'
                ? `ipset create ${command.set.name} ${command.set.type}${command.set.marks ? ' skbinfo' : ''}`
                : command.do === 'add-entry'
                  ? `ipset add ${command.set} ${entryText(command.entry)}`
                  : JSON.stringify(command),
            )
            .join('\n');
        case 'rules':
          return `iptables-restore ${[...step.document.keys()].join(' ')}\n${renderDocument(step.document).trimEnd()}`;
        case 'ipvs':
          return step.commands
            .map((command) =>
              command.do === 'add-virtual'
                ? `ipvs add-virtual ${targetText(command.virtual.at)} ${command.virtual.scheduler}`
                : command.do === 'add-real'
                  ? `ipvs add-real ${targetText(command.at)} ${command.real.address}:${command.real.port} weight ${command.real.weight}`
                  : JSON.stringify(command),
            )
            .join('\n');
        case 'addresses':
          return [
            ...step.add.map((address) => `ip address add ${address}`),
            ...step.remove.map((address) => `ip address delete ${address}`),
          ].join('\n');
        default:
          return step.to;
      }
    })
    .join('\n');
}

test('the transaction for one Service with two endpoints, on an empty host', async () => {
  const host = fakeHost('IPv4');
  const dataplane = new IpvsDataplane({ family: 'IPv4', host });
  const cluster = new ClusterSketch('IPv4');
  cluster.set({
    name: 'ns/svc1',
    number: 1,
    protocol: 'TCP',
    kind: 'ClusterIP',
    internalLocal: false,
    externalLocal: false,
    affinity: false,
    ranges: undefined,
    endpoints: [
      { number: 1, node: 'node1' },
      { number: 2, node: 'node2' },
    ],
  });
  const { state, changes } = cluster.next();
  const transaction = dataplane.plan(state, changes, await dataplane.readBack());
  expect(transaction && linesOf(transaction)).toBe(`settings
ipset create KUBE-IPVS-ADDRESSES hash:ip
ipset create KUBE-IPVS-FRONTENDS hash:ip,port
ipset create KUBE-IPVS-MASQUERADE hash:ip,port
ipset create KUBE-IPVS-OFF-CLUSTER hash:ip,port
ipset create KUBE-IPVS-DROP hash:ip,port
ipset create KUBE-IPVS-RESETS hash:ip,port
ipset create KUBE-IPVS-GUARDED hash:ip,port
ipset create KUBE-IPVS-ALLOWED hash:ip,port,net
ipset create KUBE-IPVS-SHORTCUT hash:ip,port skbinfo
ipset create KUBE-IPVS-HAIRPIN hash:ip,port,ip
ipset create KUBE-IPVS-HEALTH-CHECK hash:ip,port
interface
ipset add KUBE-IPVS-FRONTENDS 10.96.0.1,tcp:80
ipset add KUBE-IPVS-OFF-CLUSTER 10.96.0.1,tcp:80
ipset add KUBE-IPVS-HAIRPIN 10.244.0.1,tcp:8080,10.244.0.1
ipset add KUBE-IPVS-ADDRESSES 10.96.0.1
iptables-restore mangle nat filter
*mangle
:KUBE-IPVS-SHORTCUT - [0:0]
:KUBE-IPVS-SERVICES - [0:0]
:KUBE-IPVS-RANGES - [0:0]
-A KUBE-IPVS-SERVICES -m conntrack ! --ctstate NEW -j RETURN
-A KUBE-IPVS-SERVICES -m set --match-set KUBE-IPVS-GUARDED dst,dst -m set ! --match-set KUBE-IPVS-ALLOWED dst,dst,src -j DROP
-A KUBE-IPVS-SERVICES -s 10.244.0.0/16 -m set --match-set KUBE-IPVS-SHORTCUT dst,dst -g KUBE-IPVS-SHORTCUT
-A KUBE-IPVS-SERVICES -m addrtype --src-type LOCAL -m set --match-set KUBE-IPVS-SHORTCUT dst,dst -g KUBE-IPVS-SHORTCUT
-A KUBE-IPVS-SERVICES -p tcp -m tcp --tcp-flags SYN NONE -m set --match-set KUBE-IPVS-RESETS dst,dst -j RETURN
-A KUBE-IPVS-SERVICES -m set --match-set KUBE-IPVS-DROP dst,dst -j DROP
-A KUBE-IPVS-SERVICES -d 10.96.0.0/16 -p tcp -m set ! --match-set KUBE-IPVS-ADDRESSES dst -m addrtype ! --dst-type LOCAL -j DROP
-A KUBE-IPVS-SERVICES -d 10.96.0.0/16 -p udp -m set ! --match-set KUBE-IPVS-ADDRESSES dst -m addrtype ! --dst-type LOCAL -j DROP
-A KUBE-IPVS-SERVICES -d 10.96.0.0/16 -p sctp -m set ! --match-set KUBE-IPVS-ADDRESSES dst -m addrtype ! --dst-type LOCAL -j DROP
-A KUBE-IPVS-SERVICES -m set --match-set KUBE-IPVS-MASQUERADE dst,dst -j MARK --set-xmark 0x4000/0x4000
-A KUBE-IPVS-SERVICES ! -s 10.244.0.0/16 -m set --match-set KUBE-IPVS-OFF-CLUSTER dst,dst -j MARK --set-xmark 0x4000/0x4000
-A KUBE-IPVS-SERVICES -m set --match-set KUBE-IPVS-ADDRESSES src -m set --match-set KUBE-IPVS-FRONTENDS dst,dst -j MARK --set-xmark 0x4000/0x4000
-A KUBE-IPVS-SHORTCUT -j SET --map-set KUBE-IPVS-SHORTCUT dst,dst --map-mark
-I PREROUTING 1 -m comment --comment "kubernetes service portals" -j KUBE-IPVS-SERVICES
-I OUTPUT 1 -m comment --comment "kubernetes service portals" -j KUBE-IPVS-SERVICES
COMMIT
*nat
:KUBE-IPVS-SHORTCUT - [0:0]
:KUBE-IPVS-POSTROUTING - [0:0]
-A KUBE-IPVS-POSTROUTING -m mark --mark 0xb5800000/0xff800000 -j KUBE-IPVS-SHORTCUT
-A KUBE-IPVS-POSTROUTING -m set --match-set KUBE-IPVS-HAIRPIN dst,dst,src -j MASQUERADE --random-fully
-A KUBE-IPVS-POSTROUTING -m mark ! --mark 0x4000/0x4000 -j RETURN
-A KUBE-IPVS-POSTROUTING -j MARK --set-xmark 0x4000/0x0
-A KUBE-IPVS-POSTROUTING -j MASQUERADE --random-fully
-A KUBE-IPVS-SHORTCUT -j MARK --set-xmark 0x0/0xffffffff
-A KUBE-IPVS-SHORTCUT -s 10.244.0.0/16 -j RETURN
-A KUBE-IPVS-SHORTCUT -m addrtype --src-type LOCAL -j MARK --set-xmark 0x4000/0x4000
-I POSTROUTING 1 -m comment --comment "kubernetes postrouting rules" -j KUBE-IPVS-POSTROUTING
COMMIT
*filter
:KUBE-IPVS-INPUT - [0:0]
:KUBE-IPVS-FORWARD - [0:0]
-A KUBE-IPVS-INPUT -p tcp -m set --match-set KUBE-IPVS-HEALTH-CHECK dst,dst -j ACCEPT
-A KUBE-IPVS-INPUT -p tcp -m conntrack --ctstate NEW -m set --match-set KUBE-IPVS-ADDRESSES dst -m set ! --match-set KUBE-IPVS-FRONTENDS dst,dst -j REJECT --reject-with icmp-port-unreachable
-A KUBE-IPVS-INPUT -p udp -m conntrack --ctstate NEW -m set --match-set KUBE-IPVS-ADDRESSES dst -m set ! --match-set KUBE-IPVS-FRONTENDS dst,dst -j REJECT --reject-with icmp-port-unreachable
-A KUBE-IPVS-INPUT -p sctp -m conntrack --ctstate NEW -m set --match-set KUBE-IPVS-ADDRESSES dst -m set ! --match-set KUBE-IPVS-FRONTENDS dst,dst -j REJECT --reject-with icmp-port-unreachable
-A KUBE-IPVS-FORWARD -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT
-I INPUT 1 -m comment --comment "kubernetes ipvs access filter" -j KUBE-IPVS-INPUT
-I FORWARD 1 -m comment --comment "kubernetes forwarding rules" -j KUBE-IPVS-FORWARD
COMMIT
ipvs add-virtual TCP 10.96.0.1:80 rr
ipvs add-real TCP 10.96.0.1:80 10.244.0.1:8080 weight 1
ipvs add-real TCP 10.96.0.1:80 10.244.0.2:8080 weight 1
ip address add 10.96.0.1`);
});

describe('cost of a change', () => {
  test.each([2, 100])('one endpoint of one of %i Services is two commands, and nothing is listed', async (services) => {
    const { host, dataplane, resolver, slices, slice } = fixture(services);
    await install(dataplane, resolver.applyPending().state);
    const { listings } = host.ipvs;
    resolver.updateEndpointSlice(slices[1], slice(1, ['10.244.9.9', '10.244.2.1']));
    const { state, changes } = resolver.applyPending();
    const transaction = dataplane.plan(state, changes);
    expect(commandsOf(transaction)).toEqual(['add-real', 'drain']);
    await dataplane.apply(transaction as IpvsTransaction);
    expect(host.ipvs.listings).toBe(listings);
  });

  test('a Service is added in the order that restricts packets first, and removed in reverse order', async () => {
    const { dataplane, resolver, objects } = fixture(2);
    await install(dataplane, resolver.applyPending().state);
    const one = makeService('default/more', { clusterIP: '10.96.7.7' });
    resolver.updateService(undefined, one);
    const come = resolver.applyPending();
    const coming = dataplane.plan(come.state, come.changes) as IpvsTransaction;
    expect(commandsOf(coming)).toEqual(['add-entry', 'add-entry', 'add-virtual', 'add-address']);
    await dataplane.apply(coming);
    resolver.updateService(one, undefined);
    const go = resolver.applyPending();
    expect(commandsOf(dataplane.plan(go.state, go.changes))).toEqual([
      ...['delete-address', 'delete-virtual', 'delete-entry'],
    ]);
    expect(objects).toHaveLength(2);
  });

  test('correct objects are kept, also by another instance', async () => {
    const { host, resolver, dataplane } = fixture(3);
    const { state } = resolver.applyPending();
    await install(dataplane, state);
    const written = host.ipvs.commands.length;
    const other = new IpvsDataplane({ family: 'IPv4', host });
    expect(other.plan(state, diffStates(undefined, state), await other.readBack())).toBeUndefined();
    expect(host.ipvs.commands).toHaveLength(written);
  });
});

test('timeouts that are requested again are set at the next start, and others are unchanged', async () => {
  const { host, resolver, dataplane } = fixture(1);
  const { state } = resolver.applyPending();
  await install(dataplane, state);
  expect(await host.ipvs.timeouts()).toEqual({ tcp: 900, tcpFin: 120, udp: 300 });
  await install(new IpvsDataplane({ family: 'IPv4', host, timeouts: { tcp: 60, tcpFin: 0, udp: 7 } }), state);
  expect(await host.ipvs.timeouts()).toEqual({ tcp: 60, tcpFin: 120, udp: 7 });
});

test('timeouts that the kernel rejects are reported once; everything else is in force', async () => {
  const { host, resolver } = fixture(1);
  const { state } = resolver.applyPending();
  const logger = new RecordingLogger();
  const timeouts = { tcp: 0x7fff_ffff, tcpFin: 0, udp: 0 };
  const dataplane = new IpvsDataplane({ family: 'IPv4', host, logger, timeouts });
  await install(dataplane, state);
  expect(logger.warnings).toEqual([expect.stringMatching(/^The IPVS timeouts are unchanged; .*EINVAL/)]);
  expect(await contents(dataplane)).toEqual(await freshContents('IPv4', state));
});

test('an object that the kernel rejects is named, and everything else is in force', async () => {
  const { host, dataplane, resolver } = fixture(2);
  const { state } = resolver.applyPending();
  const execute = host.links.execute.bind(host.links);
  const refused = new NetlinkRefused(12, 'add address 10.96.0.1');
  host.links.execute = async (commands) =>
    (await execute(commands)).map((result, index) => (commands[index]?.address === '10.96.0.1' ? refused : result));
  const error: unknown = await install(dataplane, state).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(PartlyAppliedError);
  expect(error).toMatchObject({
    code: 'IPVS_PARTLY_APPLIED',
    kind: 'partly-applied',
    refused: new Map([['address 10.96.0.1 of kube-ipvs0', refused.message]]),
    cause: refused,
  });
  expect(await host.ipvs.virtualServers()).toHaveLength(2);
});

describe('draining', () => {
  test('a removed server drains with weight 0, gets its weight back when it is added again, and is deleted when idle', async () => {
    const { host, dataplane, resolver, slices, slice } = fixture(1);
    await install(dataplane, resolver.applyPending().state);
    const at = { kind: 'address', family: 'IPv4', protocol: 'TCP', address: '10.96.0.1', port: 80 } as const;
    const gone = { address: '10.244.1.1', port: 8080 };
    host.ipvs.connect(at, gone, 1);
    let before = slices[0];
    const sync = async (addresses: readonly string[]) => {
      const next = slice(0, addresses);
      resolver.updateEndpointSlice(before, next);
      before = next;
      const { state, changes } = resolver.applyPending();
      await dataplane.apply(dataplane.plan(state, changes) as IpvsTransaction);
      return state;
    };
    const weight = async () =>
      (await host.ipvs.realServers(at)).find(({ address }) => address === gone.address)?.weight;
    await sync(['10.244.2.1']);
    expect([await weight(), dataplane.draining]).toEqual([0, 1]);
    const state = await sync(['10.244.1.1', '10.244.2.1']);
    expect([await weight(), dataplane.draining]).toEqual([1, 0]);
    await sync(['10.244.2.1']);
    // Read back by another process, it is still draining, and nothing has to be written.
    const other = new IpvsDataplane({ family: 'IPv4', host });
    const now = resolver.latest;
    expect(other.plan(now, diffStates(undefined, now), await other.readBack())).toBeUndefined();
    expect(other.draining).toBe(1);
    host.ipvs.connect(at, gone, 0);
    while ((await weight()) !== undefined) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    expect(state).not.toBe(now);
  });
});

describe('a Service that is removed while it has connections', () => {
  const at = { kind: 'address', family: 'IPv4', protocol: 'TCP', address: '10.96.0.1', port: 80 } as const;
  const real = { address: '10.244.1.1', port: 8080 };

  /** Whose other ports are refused. */
  const virtualAddresses = async (dataplane: IpvsDataplane) =>
    (await dataplane.readBack()).sets.get('KUBE-IPVS-ADDRESSES')?.entries.map(({ address }) => address);

  async function gone() {
    const made = fixture(2);
    const { host, dataplane, resolver, objects } = made;
    await install(dataplane, resolver.applyPending().state);
    host.ipvs.connect(at, real, 1);
    const put = async (before: Service | undefined, after: Service | undefined) => {
      resolver.updateService(before, after);
      const { state, changes } = resolver.applyPending();
      await dataplane.apply(dataplane.plan(state, changes) as IpvsTransaction);
      return state;
    };
    const state = await put(objects[0], undefined);
    const addresses = async () => (await dataplane.readBack()).addresses;
    return { ...made, put, state, addresses, virtual: () => virtualAddresses(dataplane) };
  }

  test('its virtual server drains with weight 0, and is deleted with the last connection', async () => {
    const { host, state, addresses, virtual } = await gone();
    expect((await host.ipvs.realServers(at)).map(({ weight }) => weight)).toEqual([0, 0]);
    expect(await addresses()).toContain(at.address);
    expect(await virtual()).toContain(at.address);
    const other = new IpvsDataplane({ family: 'IPv4', host });
    expect(other.plan(state, diffStates(undefined, state), await other.readBack())).toBeUndefined();
    host.ipvs.connect(at, real, 0);
    await install(other, state);
    expect(await contents(other)).toEqual(await freshContents('IPv4', state));
  });

  test('the process that removed it checks again on its own', async () => {
    const clock = new VirtualClock();
    const { host, dataplane, resolver, objects } = fixture(2, { clock });
    await install(dataplane, resolver.applyPending().state);
    host.ipvs.connect(at, real, 1);
    resolver.updateService(objects[0], undefined);
    const { state, changes } = resolver.applyPending();
    await dataplane.apply(dataplane.plan(state, changes) as IpvsTransaction);
    expect(await host.ipvs.has(at)).toBe(true);
    host.ipvs.connect(at, real, 0);
    await clock.advance(60_000);
    expect(await contents(dataplane)).toEqual(await freshContents('IPv4', state));
  });

  test('if it is added again meanwhile, it is served, and stays when the connections have closed', async () => {
    const { host, dataplane, objects, put, addresses } = await gone();
    const state = await put(undefined, objects[0]);
    expect((await host.ipvs.realServers(at)).map(({ weight }) => weight)).toEqual([1, 1]);
    host.ipvs.connect(at, real, 0);
    await dataplane.readBack();
    expect(await addresses()).toContain(at.address);
    expect(await contents(dataplane)).toEqual(await freshContents('IPv4', state));
  });

  test('if it is added again with other endpoints, the previous ones are deleted with their last connection', async () => {
    const clock = new VirtualClock();
    const { host, dataplane, resolver, objects, slices, slice } = fixture(2, { clock });
    await install(dataplane, resolver.applyPending().state);
    host.ipvs.connect(at, real, 1);
    const sync = async () => {
      const { state, changes } = resolver.applyPending();
      await dataplane.apply(dataplane.plan(state, changes) as IpvsTransaction);
    };
    resolver.updateService(objects[0], undefined);
    await sync();
    resolver.updateEndpointSlice(slices[0], slice(0, ['10.244.9.9']));
    resolver.updateService(undefined, objects[0]);
    await sync();
    const weights = async () =>
      Object.fromEntries((await host.ipvs.realServers(at)).map(({ address, weight }) => [address, weight]));
    await clock.advance(60_000);
    expect(await weights()).toEqual({ '10.244.1.1': 0, '10.244.9.9': 1 });
    host.ipvs.connect(at, real, 0);
    await clock.advance(60_000);
    expect(await weights()).toEqual({ '10.244.9.9': 1 });
  });

  test('its address stays when another port of the Service is removed later', async () => {
    const clock = new VirtualClock();
    const { host, dataplane, resolver } = fixture(1, { clock });
    const ports = (...numbers: readonly number[]) =>
      makeService('default/more', {
        clusterIP: '10.96.7.7',
        ports: numbers.map((port) => ({ name: `p${port}`, port })),
      });
    resolver.updateService(undefined, ports(80, 81));
    resolver.updateEndpointSlice(
      undefined,
      makeSlice('default/more', [{ address: '10.244.1.7' }], {
        ports: [80, 81].map((port) => ({ name: `p${port}`, protocol: 'TCP', port: 8080 })),
      }),
    );
    await install(dataplane, resolver.applyPending().state);
    const first = { ...at, address: '10.96.7.7' };
    host.ipvs.connect(first, { address: '10.244.1.7', port: 8080 }, 1);
    const steps = [
      [ports(80, 81), ports(81)],
      [ports(81), undefined],
    ] as const;
    for (const [before, after] of steps) {
      resolver.updateService(before, after);
      const { state, changes } = resolver.applyPending();
      await dataplane.apply(dataplane.plan(state, changes) as IpvsTransaction);
    }
    expect((await dataplane.readBack()).addresses).toContain('10.96.7.7');
    expect(await virtualAddresses(dataplane)).toContain('10.96.7.7');
    host.ipvs.connect(first, { address: '10.244.1.7', port: 8080 }, 0);
    await clock.advance(60_000);
    expect(await contents(dataplane)).toEqual(await freshContents('IPv4', resolver.latest));
  });
});

test('at a takeover, servers with open connections drain with weight 0 until they close', async () => {
  const { host, dataplane, resolver } = fixture(2);
  await install(dataplane, resolver.applyPending().state);
  const at = { kind: 'address', family: 'IPv4', protocol: 'TCP', address: '10.96.0.1', port: 80 } as const;
  const real = { address: '10.244.1.1', port: 8080 };
  host.ipvs.connect(at, real, 1);
  expect(await dataplane.remove(true)).toMatchObject({ staying: 1 });
  const { addresses, virtualServers, tables } = await dataplane.readBack();
  expect(addresses).toEqual(['10.96.0.1']);
  expect(virtualServers.map(({ reals }) => reals.map(({ weight }) => weight))).toEqual([[0, 0]]);
  expect(JSON.stringify(Object.values(tables).map((table) => [...table.keys()]))).not.toContain('KUBE');
  host.ipvs.connect(at, real, 0);
  expect(await dataplane.remove(true)).toMatchObject({ staying: 0 });
  expect(await dataplane.readBack()).toMatchObject({ hasInterface: false, virtualServers: [] });
  expect(await host.sets.names()).toEqual([]);
});

test('at a takeover, everything is removed if UDP flows cannot be deleted, and that is reported', async () => {
  const refuses = async () => {
    throw new Error('no conntrack here');
  };
  const host = { ...fakeHost('IPv4'), conntrack: { list: refuses, delete: refuses, deleteMatching: refuses } };
  const logger = new RecordingLogger();
  const dataplane = new IpvsDataplane({ family: 'IPv4', host, logger });
  const resolver = makeResolver({ family: 'IPv4' });
  const ports = [{ port: 53, protocol: 'UDP' }];
  resolver.updateService(undefined, makeService('default/dns', { clusterIP: '10.96.0.53', ports }));
  await install(dataplane, resolver.applyPending().state);
  expect(await dataplane.remove(true)).toMatchObject({ staying: 0 });
  expect(logger.warnings).toEqual([expect.stringContaining('no conntrack here')]);
  expect(await dataplane.readBack()).toMatchObject({ hasInterface: false, virtualServers: [] });
  expect(await host.sets.names()).toEqual([]);
});

describe('schedulers', () => {
  const port = (annotations: Record<string, string>) => ({
    annotations,
    name: { namespace: 'work', name: 'web', portName: '', protocol: 'TCP' as const },
  });

  test('a Service chooses by annotation; an invalid value is reported and ignored', () => {
    expect(readScheduler(port({}), 'wlc').choice).toEqual({
      ...{ name: 'wlc', weighted: 'wlc' },
      ...{ schedulerFlags: 0, weight: 1 },
    });
    expect(readScheduler(port({ [SCHEDULER_ANNOTATION]: 'mh' }), 'rr').choice).toMatchObject({
      name: 'mh',
      schedulerFlags: 0x10,
    });
    expect(
      readScheduler(port({ [SCHEDULER_ANNOTATION]: 'ovf', [WEIGHT_ANNOTATION]: '100' }), 'rr').choice,
    ).toMatchObject({
      name: 'ovf',
      weight: 100,
    });
    for (const wrong of ['fastest', 'rr; reboot', 'RR']) {
      const { choice, problems } = readScheduler(port({ [SCHEDULER_ANNOTATION]: wrong }), 'rr');
      expect(choice.name).toBe('rr');
      expect(problems).toEqual([
        expect.stringMatching(/ipvs-scheduler of work\/web must be one of rr, .*; rr is used instead$/),
      ]);
    }
    const lacking = readScheduler(port({ [SCHEDULER_ANNOTATION]: 'mh' }), 'rr', new Set(['rr']));
    expect([lacking.choice.name, lacking.problems]).toEqual(['rr', [expect.stringContaining('module ip_vs_mh')]]);
    for (const wrong of ['0', '-1', '65536', '1.5', 'many']) {
      expect(readScheduler(port({ [WEIGHT_ANNOTATION]: wrong }), 'rr')).toMatchObject({
        choice: { weight: 1 },
        problems: [expect.stringContaining('from 1 to 65535')],
      });
    }
  });

  test('an annotation that changes takes one command, and an invalid one is logged once', async () => {
    const logger = new RecordingLogger();
    const { dataplane, resolver, annotate } = await annotated(logger);
    expect(commandsOf(await annotate('lc'))).toEqual(['set-virtual']);
    expect(commandsOf(await annotate('nonsense'))).toEqual(['set-virtual']);
    expect(await annotate('nonsense')).toBeUndefined();
    // Nothing is written, and the same problem is not logged again.
    expect(await annotate('rubbish')).toMatchObject({ steps: [] });
    await install(dataplane, resolver.latest);
    expect(logger.warnings).toEqual([expect.stringContaining('must be one of')]);
  });

  test('planning logs nothing, and an invalid annotation that is in the log is no drift', async () => {
    const logger = new RecordingLogger();
    const { host, dataplane, resolver, annotate } = await annotated(logger);
    await annotate('nonsense');
    const state = resolver.latest;
    const plan = async (on: IpvsDataplane) => on.plan(state, diffStates(undefined, state), await on.readBack());
    expect(await plan(dataplane)).toBeUndefined();
    const other = new RecordingLogger();
    const restarted = new IpvsDataplane({ family: 'IPv4', host, logger: other });
    const transaction = await plan(restarted);
    expect(transaction).toMatchObject({ steps: [], problems: logger.warnings });
    expect(other.warnings).toEqual([]);
    await restarted.apply(transaction as IpvsTransaction);
    expect(other.warnings).toEqual(logger.warnings);
    expect(await plan(restarted)).toBeUndefined();
  });

  test('a full plan pauses for each Service, and one that is aborted at a pause changes no later plan', async () => {
    const { dataplane, resolver, slices, slice } = fixture(20);
    const first = resolver.applyPending().state;
    await install(dataplane, first);
    const installed = await dataplane.readBack();
    resolver.updateEndpointSlice(slices[0], slice(0, ['10.244.1.1', '10.244.9.9']));
    const { state, changes } = resolver.applyPending();
    const all = diffStates(undefined, state);
    const wanted = linesOf(dataplane.plan(state, all, installed) as IpvsTransaction);
    expect(wanted).toContain('10.244.9.9');
    let pauses = 0;
    for (let givenUpAt = 0; ; givenUpAt++) {
      const slicesOfPlan = dataplane.planInSlices(state, all, installed);
      let done = false;
      for (let pause = 0; pause <= givenUpAt && !done; pause++) {
        done = slicesOfPlan.next().done ?? false;
      }
      if (done) {
        break;
      }
      pauses += 1;
      slicesOfPlan.return(undefined);
      expect(linesOf(dataplane.plan(state, changes) as IpvsTransaction)).toContain('10.244.9.9');
      expect(dataplane.plan(first, diffStates(undefined, first), installed)).toBeUndefined();
    }
    expect(pauses).toBeGreaterThan(3 * 20);
    expect(linesOf(dataplane.plan(state, all, installed) as IpvsTransaction)).toBe(wanted);
  });

  test('missing kernel features come with the installed state, and apply to the following plans', async () => {
    const { resolver, objects, host } = fixture(1);
    let schedulers = new Set(['rr']);
    const dataplane = new IpvsDataplane({ family: 'IPv4', host, availableSchedulers: () => schedulers });
    await install(dataplane, resolver.applyPending().state);
    schedulers = new Set(['rr', 'lc']);
    const before = objects[0] as Service;
    const annotations = { [SCHEDULER_ANNOTATION]: 'lc' };
    resolver.updateService(before, { ...before, metadata: { ...before.metadata, annotations } });
    const { state, changes } = resolver.applyPending();
    expect(dataplane.plan(state, changes)).toEqual({
      family: 'IPv4',
      steps: [],
      problems: [expect.stringContaining('which this kernel lacks (module ip_vs_lc)')],
    });
    expect(commandsOf(dataplane.plan(state, diffStates(undefined, state), await dataplane.readBack()))).toEqual([
      'set-virtual',
    ]);
  });

  /** A Service whose scheduler can be changed; each change is applied. */
  async function annotated(logger: Logger) {
    const made = fixture(1, { logger });
    const { dataplane, resolver, objects } = made;
    await install(dataplane, resolver.applyPending().state);
    let before = objects[0] as Service;
    const annotate = async (scheduler: string) => {
      const next = { ...before, metadata: { ...before.metadata, annotations: { [SCHEDULER_ANNOTATION]: scheduler } } };
      resolver.updateService(before, next);
      before = next;
      const { state, changes } = resolver.applyPending();
      const transaction = dataplane.plan(state, changes);
      if (transaction !== undefined) {
        await dataplane.apply(transaction);
      }
      return transaction;
    };
    return { ...made, annotate };
  }
});

test('marks are distinct from each other and from foreign marks, and leave the masquerade bit alone', () => {
  const number = fc.integer({ min: 0, max: MARK_NUMBERS - 1 });
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 31 }), number, number, (bit, one, other) => {
      const layout = new MarkLayout(bit);
      const mark = layout.mark(one);
      expect(Number.isInteger(mark) && mark > 0 && mark < 2 ** 32).toBe(true);
      expect((mark & (1 << bit)) >>> 0).toBe(0);
      expect(layout.isOurs(mark)).toBe(true);
      expect(layout.isOurs((mark ^ layout.mask) >>> 0)).toBe(false);
      expect(layout.mark(other) === mark).toBe(one === other);
    }),
  );
});
