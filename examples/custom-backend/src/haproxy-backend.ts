import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type BackendModule,
  type Cleanup,
  type IPFamily,
  messageOf,
  type ProbeResult,
  type Proxier,
  type ProxierContext,
  type ProxyState,
  ReconcilingProxier,
  Tokens,
} from '@kube-proxier/core';
import { type CommandRunner, createCommandRunner } from '@kube-proxier/linux';
import { ContainerModule } from 'inversify';
import { HaproxyDataplane } from './haproxy-dataplane.js';
import { HaproxyError } from './haproxy-error.js';
import { nftFamilyOf, type Place, placeOf, TABLE } from './place.js';
import { renderConfig } from './render-config.js';
import { renderRules } from './render-rules.js';

export interface HaproxyBackendOptions {
  /** Directory for the configuration and the sockets of HAProxy. Default `/run/kube-proxier-haproxy`. */
  readonly directory?: string;
  /** The first of two ports that HAProxy listens on, on a separate address on `lo`. Default 10350. */
  readonly port?: number;
  /** Runs `haproxy`, `nft` and `ip`. Default: on this host. */
  readonly runner?: CommandRunner;
}

const MODE = 'haproxy';
/** HAProxy reads the original destination from connection tracking for IPv4 only. */
const FAMILIES: readonly IPFamily[] = ['IPv4'];

/** Creates the backend. Changes nothing until it is used. */
export function createHaproxyBackend(options: HaproxyBackendOptions = {}): BackendModule {
  const { directory = '/run/kube-proxier-haproxy', port = 10350 } = options;
  const runner = options.runner ?? createCommandRunner();

  /** Network namespaces share `/run`, but not the programmed rules. */
  const namespaceDirectory = async (): Promise<string> => `${directory}/${(await stat('/proc/self/ns/net')).ino}`;

  const lazily = (family: IPFamily) => {
    let dataplane: Promise<HaproxyDataplane> | undefined;
    return () => {
      dataplane ??= namespaceDirectory().then((own) => new HaproxyDataplane(placeOf(family, own, port), runner));
      return dataplane;
    };
  };

  const createProxier = (context: ProxierContext): Proxier => {
    const { family } = context;
    const place = lazily(family);
    let planner: HaproxyDataplane | undefined;
    return new ReconcilingProxier({
      mode: MODE,
      context,
      dataplane: {
        // `readBack` is called before the first `plan`.
        plan: (next, changes, installed) => planner?.plan(next, changes, installed),
        readBack: async () => {
          planner = await place();
          return await planner.readBack();
        },
        apply: async (transaction) => (await place()).apply(transaction),
        watch: async (onDrift, signal) => (await place()).watch(onDrift, signal),
        describe: (transaction) => planner?.describe(transaction) ?? '',
        cleanup: async () => (await place()).cleanup(),
      },
    });
  };

  const cleanup: Cleanup = async () => {
    const failed: unknown[] = [];
    const removed: IPFamily[] = [];
    for (const family of FAMILIES) {
      try {
        const dataplane = await lazily(family)();
        removed.push(...((await dataplane.isInstalled()) ? [family] : []));
        await dataplane.cleanup();
      } catch (error) {
        failed.push(error);
      }
    }
    if (failed.length > 0) {
      const message = `could not remove everything: ${failed.map(messageOf).join('; ')}; run the cleanup again`;
      throw new HaproxyError('HAPROXY_LEFTOVERS', message, { cause: failed[0] });
    }
    await rm(await namespaceDirectory(), { recursive: true, force: true });
    return { removed: [{ kind: 'table', names: removed.map((family) => `${nftFamilyOf(family)} ${TABLE}`) }] };
  };

  return {
    mode: MODE,
    description: 'Proxies TCP connections with HAProxy, with its load balancing, statistics and runtime API',
    capabilities: {
      // HAProxy balances TCP only, and connects to endpoints from an address of the node.
      udp: false,
      sctp: false,
      preservesSource: false,
      localhostNodePorts: true,
      // Its connections to endpoints traverse the table that redirects to HAProxy.
      externalIPsOfPods: false,
      // HAProxy has weights for servers; this backend does not set them.
      weights: false,
      // This backend does not close connections to endpoints that are gone.
      resets: false,
    },
    probe: () => probe(runner, port),
    module: new ContainerModule(({ bind }) => {
      bind(Tokens.ProxierFactory).toConstantValue(createProxier);
      bind(Tokens.Cleanup).toConstantValue(cleanup);
    }),
  };
}

/** Lets haproxy and nft check the configuration for a cluster without Services. Changes nothing. */
async function probe(runner: CommandRunner, port: number): Promise<ProbeResult> {
  let directory: string | undefined;
  try {
    const { stdout } = await runner.run({ command: 'haproxy', args: ['-v'] });
    directory = await mkdtemp(join(tmpdir(), 'haproxy-probe-'));
    for (const family of FAMILIES) {
      const place = placeOf(family, directory, port);
      await check(runner, place, directory);
    }
    return { usable: true, detail: /version \S+/.exec(stdout)?.[0] ?? 'unknown version', families: FAMILIES };
  } catch (error) {
    return { usable: false, reason: messageOf(error).replace(/\.$/, '') };
  } finally {
    if (directory !== undefined) {
      await rm(directory, { recursive: true, force: true });
    }
  }
}

async function check(runner: CommandRunner, place: Place, directory: string): Promise<void> {
  const state = emptyState(place.family);
  const own = { ...place, directory };
  await writeFile(join(directory, 'frontends.map'), '');
  await writeFile(join(directory, 'haproxy.cfg'), renderConfig(own, state).config);
  await runner.run({ command: 'haproxy', args: ['-c', '-q', '-f', join(directory, 'haproxy.cfg')] });
  await runner.run({ command: 'nft', args: ['-c', '-f', '-'], stdin: renderRules(place, state) });
}

function emptyState(family: IPFamily): ProxyState {
  return {
    family,
    revision: 0,
    servicePorts: new Map(),
    frontends: new Map(),
    healthCheckNodePorts: new Map(),
    clusterIPs: new Map(),
    node: {
      name: 'probe',
      zone: undefined,
      addresses: [],
      detector: { kind: 'none' },
      nodePortAddresses: { kind: 'all', loopback: false },
      serviceCIDRs: [],
    },
  };
}

/** The backend with default options. */
export const haproxyBackend: BackendModule = createHaproxyBackend();
