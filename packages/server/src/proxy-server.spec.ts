import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, jest, test } from '@jest/globals';
import {
  type BackendModule,
  type Cleanup,
  type IPFamily,
  type KubeProxyCleanup,
  type ProbeResult,
  type ProxierContext,
  ReconcilingProxier,
  type Source,
  type SourceHandler,
  type SyncSuccess,
  silentLogger,
  Tokens,
} from '@kube-proxier/core';
import {
  FakeDataplane,
  makeService,
  makeSlice,
  RecordingLogger,
  until,
  VirtualClock,
} from '@kube-proxier/core/testing';
import {
  type AddressEvents,
  type Conntrack,
  type ConntrackEntry,
  ConntrackError,
  slowCommands,
} from '@kube-proxier/linux';
import { FakeConntrack, FakeSysctl } from '@kube-proxier/linux/testing';
import { ContainerModule } from 'inversify';
import { ConntrackTuning, DEFAULT_CONNTRACK_TUNING } from './conntrack/conntrack-tuning.js';
import { ProxyMetrics } from './metrics/proxy-metrics.js';
import { ProxyServer } from './proxy-server.js';
import type { ProxyServerOptions } from './proxy-server-options.js';
import type { NodeStatus } from './status/node-status.js';
import { cleanupBackends } from './takeover/cleanup-backends.js';

class FakeBackend implements BackendModule {
  readonly description = 'a map';
  readonly dataplanes = new Map<IPFamily, FakeDataplane>();
  readonly contexts: ProxierContext[] = [];
  readonly cleanup = jest.fn<Cleanup>(async () => {});
  readonly kubeProxyCleanup = jest.fn<KubeProxyCleanup>(async () => {});
  readonly module = new ContainerModule(({ bind }) => {
    bind(Tokens.ProxierFactory).toConstantValue((context) => {
      const dataplane = new FakeDataplane();
      this.dataplanes.set(context.family, dataplane);
      this.contexts.push(context);
      return new ReconcilingProxier({ mode: this.mode, context, dataplane });
    });
    bind(Tokens.Cleanup).toConstantValue(this.cleanup);
    bind(Tokens.KubeProxyCleanup).toConstantValue(this.kubeProxyCleanup);
  });

  constructor(
    readonly mode = 'iptables',
    private readonly result: ProbeResult = { usable: true },
  ) {}

  async probe(): Promise<ProbeResult> {
    return this.result;
  }

  keys(family: IPFamily): readonly string[] {
    return [...(this.dataplanes.get(family)?.contents.keys() ?? [])].sort();
  }
}

class FakeSource implements Source {
  readonly description = 'a test';
  handler: SourceHandler | undefined;
  nodeName = '';
  stopped = 0;
  constructor(private readonly onStart: (handler: SourceHandler) => void | Promise<void> = synced) {}
  async start(handler: SourceHandler, { nodeName }: { readonly nodeName: string }): Promise<void> {
    this.handler = handler;
    this.nodeName = nodeName;
    await this.onStart(handler);
  }
  async stop(): Promise<void> {
    this.stopped += 1;
  }
}

function synced(handler: SourceHandler): void {
  handler.onServicesSynced();
  handler.onEndpointsSynced();
}

/** Number of handles that keep the process alive. */
function timers(): number {
  return process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
}

const network = { localAddresses: async () => ['10.1.0.1'], hasIPv6: async () => true };
const web = makeService('work/web', { clusterIP: '10.96.0.10', clusterIPs: ['10.96.0.10', 'fd00::a'] });

function setUp(options: Partial<ProxyServerOptions> = {}) {
  const backend = new FakeBackend();
  const source = new FakeSource();
  const logger = new RecordingLogger();
  const proxier = { nodeName: 'N1', minSyncPeriod: 0 };
  const server = new ProxyServer({ backends: [backend], sources: [source], logger, network, proxier, ...options });
  return { backend, source, logger, server };
}

describe('ProxyServer', () => {
  test('programs a Service of two families from a source, and leaves it installed', async () => {
    const { backend, source, server } = setUp();
    const info = await server.start();
    expect(info).toMatchObject({ nodeName: 'n1', families: ['IPv4', 'IPv6'], selection: { mode: 'iptables' } });
    expect(source.nodeName).toBe('n1');
    source.handler?.onServiceUpdate(undefined, web);
    source.handler?.onEndpointsUpdate(undefined, makeSlice('work/web', ['10.0.0.1']));
    await until(() => backend.keys('IPv4').length === 1 && backend.keys('IPv6').length === 1);
    expect(backend.keys('IPv6')).toEqual(['work/web:/TCP']);
    await server.stop();
    await server.stop();
    await server.finished;
    expect(source.stopped).toBeGreaterThan(0);
    source.handler?.onServiceUpdate(web, undefined);
    expect(backend.keys('IPv4')).toEqual(['work/web:/TCP']);
  });

  test('names a command that blocks the probe of the mode', async () => {
    const { backend, logger, server } = setUp();
    backend.probe = async () => {
      slowCommands.publish({ command: 'iptables-save', pid: 12, elapsed: 30_000, timeout: 60_000 });
      return { usable: true };
    };
    await server.start();
    expect(logger.warnings).toContainEqual(expect.stringMatching(/^iptables-save has been running for 30 s/));
    await server.stop();
  });

  test.each<[BackendModule['capabilities'], readonly [boolean, boolean | string]]>([
    [undefined, [false, false]],
    [{ localhostNodePorts: true }, [true, false]],
    [{ localhostNodePorts: true, localhostNodePortsIPv6: true }, [true, 'listed']],
  ])('limits NodePorts on loopback addresses to what the backend can: %j', async (capabilities, expected) => {
    const { backend, server } = setUp();
    Object.assign(backend, { capabilities });
    await server.start();
    const [ipv4, ipv6] = backend.contexts;
    expect([ipv4?.options.localhostNodePorts, ipv6?.options.localhostNodePorts]).toEqual(expected);
    await server.stop();
  });

  test('creates proxiers with one shared reader', async () => {
    const { backend, server } = setUp();
    await server.start();
    const [ipv4, ipv6] = backend.contexts;
    expect(ipv4?.reader).toBe(ipv6?.reader);
    expect(await ipv4?.localAddresses()).toEqual(['10.1.0.1']);
    await server.stop();
  });

  test('watches the addresses of the host once for both families, counts and logs failures, and continues', async () => {
    let opened = 0;
    let broken = true;
    const addressEvents = (): AddressEvents => {
      opened += 1;
      return {
        take: async () => {
          if (broken) {
            throw new Error('the kernel does not answer');
          }
          return { changes: [{ link: 2, family: 'IPv4', address: '10.1.0.7' }], missed: false };
        },
        close() {},
      };
    };
    const clock = new VirtualClock();
    const metrics = new ProxyMetrics({});
    const { backend, logger, server } = setUp({ network: { ...network, addressEvents }, clock, metrics });
    await server.start();
    const abort = new AbortController();
    const reported: (string | undefined)[] = [];
    const watching = backend.contexts.map(({ family, watchAddresses }) =>
      watchAddresses?.((changes) => void reported.push(`${family} ${changes?.[0]?.address}`), abort.signal),
    );
    await clock.advance(500);
    expect([opened, [...new Set(reported)].sort()]).toEqual([1, ['IPv4 undefined', 'IPv6 undefined']]);
    expect(logger.lines.join('\n')).toMatch(/^W Cannot watch the addresses of this host/m);
    broken = false;
    await clock.advance(1000);
    expect(logger.lines.join('\n')).toMatch(/Watching the addresses/);
    await clock.advance(1000);
    expect(opened).toBe(2);
    expect(reported.slice(-2)).toEqual(['IPv4 10.1.0.7', 'IPv6 10.1.0.7']);
    expect(await metrics.registry.metrics()).toMatch(/part="address watch"\} 1$/m);
    abort.abort();
    await server.stop();
    await Promise.all(watching);
  });

  test('waits for all sources before anything is programmed, and merges ServiceCIDRs', async () => {
    const first = new FakeSource((handler) => {
      handler.onServiceCIDRsUpdate(['10.96.0.0/16']);
      handler.onServiceUpdate(undefined, web);
      synced(handler);
    });
    let release = () => {};
    const second = new FakeSource((handler) => {
      handler.onServiceCIDRsUpdate(['fd00::/108']);
      return new Promise((resolve) => {
        release = () => {
          synced(handler);
          resolve();
        };
      });
    });
    const seen: SyncSuccess[] = [];
    const { server } = setUp({ sources: [first, second], observer: { synced: (success) => void seen.push(success) } });
    const starting = server.start();
    await until(() => second.handler !== undefined);
    expect(seen).toEqual([]);
    release();
    await starting;
    await until(() => seen.length >= 2);
    expect(seen[0]?.state.servicePorts.size).toBe(1);
    await server.stop();
  });

  test.each([
    ['no IPv6 on the host', { network: { ...network, hasIPv6: async () => false } }, ['IPv4']],
    ['only IPv6 requested', { families: ['IPv6'] as const }, ['IPv6']],
    ['an IPv6 bind address', { bindAddress: 'fd00::1' }, ['IPv6', 'IPv4']],
    ['an IPv6 node', { proxier: { nodeName: 'n1', nodeAddresses: ['fd00::1', '10.0.0.1'] } }, ['IPv6', 'IPv4']],
  ])('serves the families there are: %s', async (_name, options, families) => {
    const { server } = setUp(options);
    expect((await server.start()).families).toEqual(families);
    await server.stop();
  });

  test('falls back with a reason, in one line', async () => {
    const ipvs = new FakeBackend('ipvs', { usable: false, reason: 'the kernel has no ip_vs' });
    const iptables = new FakeBackend();
    const { server, logger } = setUp({ backends: [ipvs, iptables], mode: 'ipvs' });
    const { selection } = await server.start();
    expect(selection).toMatchObject({ mode: 'iptables', requested: 'ipvs', reason: 'the kernel has no ip_vs' });
    expect(logger.lines.filter((line) => line.includes('ip_vs'))).toHaveLength(1);
    expect(ipvs.contexts).toEqual([]);
    await server.stop();
  });

  test('takes over: leftovers of other modes are removed once every family is programmed, and not before', async () => {
    const [iptables, nftables] = [new FakeBackend(), new FakeBackend('nftables')];
    const inForce = () => (['IPv4', 'IPv6'] as const).map((family) => nftables.keys(family).length);
    const seen: unknown[] = [];
    iptables.cleanup.mockImplementation(async () => void seen.push(inForce()));
    const source = new FakeSource((handler) => {
      handler.onServiceUpdate(undefined, web);
      synced(handler);
    });
    const backends = [iptables, nftables];
    const { server } = setUp({ backends, sources: [source], mode: 'nftables', takeover: true });
    await server.start();
    await until(() => nftables.kubeProxyCleanup.mock.calls.length === 1);
    expect(seen).toEqual([[1, 1]]);
    const context = { inForce: 'nftables' };
    expect([iptables, nftables].map(({ cleanup }) => cleanup.mock.calls)).toEqual([[[expect.anything(), context]], []]);
    expect([iptables, nftables].map(({ kubeProxyCleanup }) => kubeProxyCleanup.mock.calls)).toEqual([
      [[expect.anything(), context]],
      [[expect.anything(), context]],
    ]);
    source.handler?.onServiceUpdate(web, undefined);
    await until(() => inForce().every((count) => count === 0));
    await server.stop();
    expect(iptables.cleanup).toHaveBeenCalledTimes(1);
  });

  test.each([
    ['does not take over unless asked to', false, []],
    ['continues when leftovers cannot be removed, and logs it', true, [expect.stringMatching(/^W .*nftables: busy/)]],
  ])('%s', async (_name, takeover, lines) => {
    const [iptables, nftables] = [new FakeBackend(), new FakeBackend('nftables')];
    nftables.cleanup.mockRejectedValue(new Error('busy'));
    const { server, logger, source } = setUp({ backends: [iptables, nftables], takeover });
    await server.start();
    source.handler?.onServiceUpdate(undefined, web);
    await until(() => iptables.keys('IPv6').length === 1);
    await server.stop();
    expect(logger.lines.filter((line) => line.includes('busy'))).toEqual(lines);
  });

  test.each<[string, Partial<ProxyServerOptions>, string]>([
    ['an unknown mode', { mode: 'nft' }, 'UNKNOWN_PROXY_MODE'],
    [
      'a mode that cannot run, without fallback',
      { mode: 'ipvs', fallback: 'none', backends: [new FakeBackend('ipvs', { usable: false, reason: 'no' })] },
      'PROXY_MODE_UNUSABLE',
    ],
    ['no source', { sources: [] }, 'NO_SOURCES'],
    ['a blank node name', { proxier: { nodeName: ' ' } }, 'NO_NODE_NAME'],
    ['no family', { families: ['IPv6'], network: { ...network, hasIPv6: async () => false } }, 'NO_IP_FAMILY'],
    [
      'a bind address of a family that is not there',
      { bindAddress: 'fd00::1', network: { ...network, hasIPv6: async () => false } },
      'PRIMARY_FAMILY_UNSUPPORTED',
    ],
  ])('refuses to start with %s', async (_name, options, code) => {
    const { server } = setUp(options);
    await expect(server.start()).rejects.toMatchObject({ code });
    await server.finished;
  });

  test('lets sources request their objects while the mode is selected, and stops them when none is usable', async () => {
    const steps: string[] = [];
    class EarlySource extends FakeSource {
      prefetch({ nodeName }: { readonly nodeName: string }): void {
        steps.push(`prefetch ${nodeName}`);
      }
    }
    class StepBackend extends FakeBackend {
      override async probe(): Promise<ProbeResult> {
        steps.push('probe');
        return await super.probe();
      }
    }
    const source = new EarlySource((handler) => {
      steps.push('start');
      synced(handler);
    });
    const { server } = setUp({ backends: [new StepBackend()], sources: [source] });
    await server.start();
    expect(steps).toEqual(['prefetch n1', 'probe', 'start']);
    await server.stop();

    const unstarted = new EarlySource();
    const plain = new FakeSource();
    const unusable = new FakeBackend('iptables', { usable: false, reason: 'none' });
    const failing = setUp({ backends: [unusable], sources: [unstarted, plain] });
    await expect(failing.server.start()).rejects.toMatchObject({ code: 'PROXY_MODE_UNUSABLE' });
    expect([unstarted.handler, unstarted.stopped, plain.stopped]).toEqual([undefined, 1, 0]);
  });

  test('stops everything when one source cannot start', async () => {
    const good = new FakeSource();
    const bad = new FakeSource(() => {
      throw new Error('no credentials');
    });
    const { server } = setUp({ sources: [good, bad] });
    await expect(server.start()).rejects.toThrow('no credentials');
    expect(good.stopped).toBe(1);
    await server.finished;
  });

  test('reports when a sync loop fails', async () => {
    const broken: BackendModule = {
      ...new FakeBackend(),
      mode: 'iptables',
      probe: async () => ({ usable: true }),
      module: new ContainerModule(({ bind }) => {
        bind(Tokens.ProxierFactory).toConstantValue((context) => {
          const proxier = new ReconcilingProxier({ mode: 'iptables', context, dataplane: new FakeDataplane() });
          proxier.syncLoop = () => Promise.reject(new Error('gave up'));
          return proxier;
        });
      }),
    };
    const before = timers();
    const { server } = setUp({ backends: [broken] });
    await server.start();
    await expect(server.finished).rejects.toThrow('gave up');
    expect(timers()).toBe(before);
    await server.stop();
  });

  test('is not affected by an observer that fails, and deletes stale flows', async () => {
    const conntrack = new FakeConntrack();
    const seen: string[] = [];
    const client = { source: '192.0.2.1', sourcePort: 4000, destination: '10.96.0.10', destinationPort: 53 };
    const flowTo = (endpoint: string, sourcePort: number): ConntrackEntry => ({
      family: 'IPv4',
      protocol: 'UDP',
      original: { ...client, sourcePort },
      reply: { source: endpoint, sourcePort: 53, destination: '192.0.2.1', destinationPort: sourcePort },
      zone: 0,
    });
    const right = flowTo('10.0.0.1', 4001);
    conntrack.add(flowTo('10.0.0.9', 4000));
    conntrack.add(right);
    const { server, source, logger } = setUp({
      observer: {
        synced({ state }) {
          seen.push(
            [...state.servicePorts.values()].flatMap((port) => port.candidates.map(({ address }) => address)).join(),
          );
          return Promise.reject(new Error('observer'));
        },
        queued: () => {
          throw new Error('observer');
        },
      },
      conntrack,
    });
    await server.start();
    const dns = makeService('a/dns', { ports: [{ port: 53, protocol: 'UDP' }] });
    source.handler?.onServiceUpdate(undefined, dns);
    const ports = [{ name: '', port: 53, protocol: 'UDP' }];
    source.handler?.onEndpointsUpdate(undefined, makeSlice('a/dns', ['10.0.0.1'], { ports }));
    await until(() => conntrack.entries.length === 1);
    expect(conntrack.entries).toEqual([right]);
    conntrack.failWith(new ConntrackError('CONNTRACK_MISSING_TOOL', 'conntrack is not installed'));
    for (const address of ['10.0.0.2', '10.0.0.3', '10.0.0.4']) {
      source.handler?.onEndpointsUpdate(undefined, makeSlice('a/dns', [address], { ports }));
      await until(() => seen.some((success) => success.includes(address)));
    }
    expect(logger.lines.filter((line) => line.includes('conntrack is not installed'))).toHaveLength(1);
    expect(logger.lines.some((line) => line.startsWith('E A sync observer failed in "queued": observer'))).toBe(true);
    await server.stop();
  });

  test('logs once, at the start, that stale flows cannot be deleted on this host', async () => {
    const conntrack = new FakeConntrack();
    conntrack.failWith(new ConntrackError('CONNTRACK_MISSING_TOOL', 'install the package conntrack'));
    let lists = 0;
    const counting: Conntrack = {
      check: () => conntrack.check(),
      delete: (entries) => conntrack.delete(entries),
      list: (family, protocol, wanted) => conntrack.list(family, protocol, wanted),
      deleteMatching: (family, protocol, groupOf) => {
        lists += 1;
        return conntrack.deleteMatching(family, protocol, groupOf);
      },
    };
    const { server, source, logger } = setUp({ conntrack: counting });
    const warnings = () => logger.lines.filter((line) => line.includes('install the package conntrack'));
    await server.start();
    expect(warnings()).toEqual([
      expect.stringMatching(
        /^W Stale UDP and SCTP flows will not be deleted, so clients may keep sending to removed endpoints/,
      ),
    ]);
    source.handler?.onServiceUpdate(undefined, makeService('a/dns', { ports: [{ port: 53, protocol: 'UDP' }] }));
    const ports = [{ name: '', port: 53, protocol: 'UDP' }];
    source.handler?.onEndpointsUpdate(undefined, makeSlice('a/dns', ['10.0.0.1'], { ports }));
    await until(() => lists > 0);
    expect(warnings()).toHaveLength(1);
    await server.stop();

    const carries = Object.assign(new FakeBackend(), { capabilities: { tracksConnections: false } });
    const other = setUp({ conntrack: counting, backends: [carries] });
    await other.server.start();
    lists = 0;
    other.source.handler?.onServiceUpdate(undefined, makeService('a/dns', { ports: [{ port: 53, protocol: 'UDP' }] }));
    other.source.handler?.onEndpointsUpdate(undefined, makeSlice('a/dns', ['10.0.0.1'], { ports }));
    await until(() => lists > 0);
    expect(other.logger.lines.filter((line) => /^[EWI].*conntrack/.test(line))).toEqual([]);
    await other.server.stop();
  });

  test('passes every event of the proxiers to handlers of the host, and is not affected by one that fails', async () => {
    const metrics = new ProxyMetrics();
    const seen: string[] = [];
    const failing = {
      onServiceUpdate() {
        throw new Error('injected fault');
      },
    };
    const recording: Partial<SourceHandler> = {
      onServiceUpdate: (previous, current) => void seen.push(`${previous?.metadata?.name} ${current?.metadata?.name}`),
      onServicesSynced: () => void seen.push('synced'),
    };
    const { backend, source, logger, server } = setUp({ handlers: [failing, recording], metrics });
    await server.start();
    source.handler?.onServiceUpdate(undefined, web);
    await until(() => backend.keys('IPv4').length > 0);
    await server.stop();
    source.handler?.onServiceUpdate(web, undefined);
    expect(seen).toEqual(['synced', 'undefined web']);
    expect(logger.lines).toContain('E A handler failed in "onServiceUpdate": injected fault');
    expect(await metrics.registry.metrics()).toContain('kube_proxier_failures_total{part="handler"} 1');
  });

  test('keeps the process alive from start to stop, and not when the start fails', async () => {
    const before = timers();
    const { server } = setUp();
    await server.start();
    expect(timers()).toBe(before + 1);
    await server.stop();
    expect(timers()).toBe(before);

    await expect(setUp({ sources: [] }).server.start()).rejects.toMatchObject({ code: 'NO_SOURCES' });
    expect(timers()).toBe(before);
  });

  test('an undefined option has its default', async () => {
    const proxier = { nodeName: 'n1', masqueradeBit: undefined } as unknown as { nodeName: string };
    const { server, backend } = setUp({ proxier });
    await server.start();
    expect(backend.contexts.map(({ options }) => options.masqueradeBit)).toEqual([14, 14]);
    await server.stop();
  });

  test.each([
    ['before it', async () => {}],
    ['meanwhile', () => new Promise<void>((resolve) => setImmediate(resolve))],
  ])('a start that is stopped %s says so', async (_name, pause) => {
    let probed = () => {};
    const slow = new FakeBackend();
    jest.spyOn(slow, 'probe').mockReturnValue(
      new Promise((resolve) => {
        probed = () => resolve({ usable: true });
      }),
    );
    const { server } = setUp({ backends: [slow] });
    const started = expect(server.start()).rejects.toMatchObject({
      code: 'STOPPED',
      message: 'this ProxyServer was stopped before its start was complete',
    });
    await pause();
    await server.stop();
    probed();
    await started;
    await server.finished;
    await expect(server.start()).rejects.toMatchObject({ code: 'ALREADY_STARTED' });
  });

  test('can be started only once', async () => {
    const { server } = setUp();
    await server.start();
    await expect(server.start()).rejects.toMatchObject({ code: 'ALREADY_STARTED' });
    await server.stop();
  });
});

describe('cleanupBackends', () => {
  test('cleans up after all backends, and reports all failures', async () => {
    const logger = new RecordingLogger();
    const backends = [new FakeBackend('one'), new FakeBackend('two'), new FakeBackend('three')];
    backends[1]?.cleanup.mockRejectedValue(new Error('busy'));
    await expect(cleanupBackends(backends, { logger })).rejects.toMatchObject({
      code: 'CLEANUP_FAILED',
      message: expect.stringContaining('two: busy'),
    });
    expect(backends.map(({ cleanup }) => cleanup.mock.calls.length)).toEqual([1, 1, 1]);
    await cleanupBackends([], { logger });
  });

  test('counts failures of parts, and continues without them', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => taken.once('listening', resolve));
    const address = taken.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const metrics = new ProxyMetrics();
    const observer = {
      serviceEvent: () => {
        throw new Error('boom');
      },
    };
    const healthAddress = { host: '127.0.0.1', port };
    const { backend, source, server } = setUp({ metrics, observer, healthAddress, statusAddress: healthAddress });
    try {
      await server.start();
      source.handler?.onServiceUpdate(undefined, web);
      await until(() => backend.keys('IPv4').length === 1);
      const text = await metrics.registry.metrics();
      for (const part of ['health server', 'status server', 'observer']) {
        expect(text).toMatch(new RegExp(`^kube_proxier_failures_total\\{part="${part}"\\} 1$`, 'm'));
      }
    } finally {
      await server.stop();
      taken.close();
    }
  });

  test('the status has the reason why /healthz answers 503 while the Node is tainted', async () => {
    const free = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => free.once('listening', resolve));
    const { port } = free.address() as AddressInfo;
    await new Promise((resolve) => free.close(resolve));
    const { source, server } = setUp({ statusAddress: { host: '127.0.0.1', port } });
    try {
      await server.start();
      const problems = async () => {
        const status = (await (await fetch(`http://127.0.0.1:${port}/debug/status`)).json()) as NodeStatus;
        return status.problems.map(({ found }) => found);
      };
      const metadata = { name: 'n1' };
      source.handler?.onNodeUpdate({ metadata, spec: { taints: [{ key: 'ToBeDeletedByClusterAutoscaler' }] } });
      expect(await problems()).toContain('/healthz answers 503: the Node has the taint ToBeDeletedByClusterAutoscaler');
      source.handler?.onNodeUpdate({ metadata });
      expect((await problems()).join()).not.toContain('/healthz');
    } finally {
      await server.stop();
    }
  });

  test('tunes connection tracking when the start can no longer fail, before it programs anything', async () => {
    const sysctl = new FakeSysctl({ 'net/netfilter/nf_conntrack_tcp_be_liberal': 0 });
    const files = { read: async () => '', write: async () => {} };
    const options = { ...DEFAULT_CONNTRACK_TUNING, maxPerCore: 0, tcpBeLiberal: true };
    const tuned = () => sysctl.writes.map(([name]) => name);
    const conntrackTuning = () => new ConntrackTuning({ options, sysctl, files, cpus: 1, logger: silentLogger });
    const refusing = new FakeSource(async () => {
      throw new Error('the kubeconfig cannot be read');
    });
    const failing = setUp({ sources: [refusing], conntrackTuning: conntrackTuning() });
    await expect(failing.server.start()).rejects.toThrow('the kubeconfig cannot be read');
    expect(tuned()).toEqual([]);

    const source = new FakeSource((handler) => {
      handler.onServiceUpdate(undefined, web);
      synced(handler);
    });
    const { backend, server } = setUp({ sources: [source], conntrackTuning: conntrackTuning() });
    const write = sysctl.write.bind(sysctl);
    const early: (readonly string[])[] = [];
    sysctl.write = async (...setting) => {
      for (let turns = 0; turns < 100; turns++) {
        await new Promise((resolve) => setImmediate(resolve));
      }
      early.push(backend.keys('IPv4'));
      return await write(...setting);
    };
    await server.start();
    // Settings that do not exist yet are retried after the first sync.
    const duringStart = early.flat();
    await until(() => backend.keys('IPv4').length === 1);
    expect(tuned()).toEqual(['net/netfilter/nf_conntrack_tcp_be_liberal']);
    expect(early.length).toBeGreaterThan(0);
    expect(duringStart).toEqual([]);
    await server.stop();
  });

  test('prepares the host instead of starting, and tunes connection tracking only for modes that use it', async () => {
    const sysctl = new FakeSysctl({ 'net/netfilter/nf_conntrack_tcp_timeout_close_wait': 60 });
    const tuning = () =>
      new ConntrackTuning({
        options: { ...DEFAULT_CONNTRACK_TUNING, maxPerCore: 0, tcpEstablishedTimeout: 0 },
        ...{ sysctl, cpus: 1, logger: silentLogger },
        files: { read: async () => '', write: async () => {} },
      });
    const backend = new FakeBackend('iptables');
    const carries = Object.assign(backend, { capabilities: { tracksConnections: false } });
    await new ProxyServer({ backends: [carries], sources: [], conntrackTuning: tuning() }).prepare();
    expect(sysctl.writes).toEqual([]);
    await new ProxyServer({ backends: [new FakeBackend()], sources: [], conntrackTuning: tuning() }).prepare();
    expect(sysctl.writes).toEqual([['net/netfilter/nf_conntrack_tcp_timeout_close_wait', '3600']]);
    expect(backend.contexts).toEqual([]);
  });
});
