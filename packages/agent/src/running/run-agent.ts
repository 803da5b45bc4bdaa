import { hostname } from 'node:os';
import {
  type IPFamily,
  type Logger,
  ProxierError,
  type SyncSuccess,
  systemClock,
  type Timer,
} from '@kube-proxier/core';
import {
  combineObservers,
  type PacketCountsReport,
  type ProfilingOptions,
  ProxyMetrics,
  ProxyServer,
  type ProxyServerOptions,
  resolveNodeName,
  type ServerObserver,
  type ServiceConnectionsReport,
  type ServiceTrafficReport,
} from '@kube-proxier/server';
import type { Composition } from '../compose.js';
import type { AgentSettings } from '../flags/settings.js';
import type { AdjustableLogger } from '../logging/winston-logger.js';
import { VERSION } from '../version.js';
import { checkFamilies } from './family-checks.js';
import { adjustOomScore, conntrackTuning } from './host-setup.js';
import { NodeEvents } from './node-events.js';
import { PodNetworkCheck } from './pod-network-check.js';

/** Milliseconds that events on their way are given when the agent ends. */
const LAST_WORDS = 300;

/** Milliseconds after the first syncs until all is settled. */
const SETTLE = 2000;

/** What running takes. */
export interface RunContext {
  readonly composition: Composition;
  readonly settings: AgentSettings;
  readonly logger: Logger;
  /** Aborts to end the agent. */
  readonly signal: AbortSignal;
  /**
   * Called when the agent runs, with what ends it with an error and what tells the cluster of configuration problems.
   *
   * @returns what ends whatever it began.
   */
  readonly onRunning?: (end: (reason: ProxierError) => void, tell: (problems: readonly string[]) => void) => () => void;
  /** Called once, some time after the initial state is programmed. */
  readonly onSettled?: () => void;
}

/**
 * Runs the agent until `signal` aborts.
 *
 * @throws what ended it otherwise.
 */
export async function runAgent({
  composition,
  settings,
  logger,
  signal,
  onRunning,
  onSettled,
}: RunContext): Promise<void> {
  if (signal.aborted) {
    return;
  }
  const nodeName = resolveNodeName(settings.proxier.nodeName, hostname());
  logger.info(`kube-proxier ${VERSION} is starting`, { nodeName, pid: process.pid, nodejs: process.version });
  if (composition.host) {
    await adjustOomScore(composition.host, settings, logger);
  }
  const sink = composition.events?.(settings, nodeName, logger);
  const events = sink && new NodeEvents(sink, nodeName);
  events?.configurationProblems(settings.warnings);
  const sources = composition.sources(settings, logger);
  const metrics = new ProxyMetrics();
  const options = serverOptions(composition, settings, logger);
  watchTraffic(options.backends, metrics);
  const server = new ProxyServer({
    ...options,
    sources,
    metrics,
    observer: combineObservers(
      [
        new PodNetworkCheck(settings, logger),
        ...(events ? [events] : []),
        ...(onSettled ? [new Settling(onSettled)] : []),
      ],
      logger,
    ),
  });
  const stop = () => {
    logger.info('kube-proxier is ending');
    void server.stop();
  };
  signal.addEventListener('abort', stop);
  let quit = () => {};
  const ended = new Promise<never>((_resolve, reject) => {
    quit =
      onRunning?.(reject, (problems) => {
        events?.configurationProblems(problems);
      }) ?? quit;
  });
  ended.catch(() => {});
  try {
    const { selection, families } = await Promise.race([server.start(), ended]);
    logger.info(`kube-proxier ${VERSION} is running`, {
      mode: selection.mode,
      ...(selection.defaulted ? { why: 'the default' } : {}),
      ...(selection.reason === undefined ? {} : { why: `in place of ${selection.requested}` }),
      nodeName,
      families: families.join(','),
      watching: sources.map(({ description }) => description).join('; '),
    });
    await Promise.race([server.finished, ended]);
    logger.info(
      (selection.backend.capabilities?.servesWithoutProcess ?? true)
        ? 'kube-proxier has ended; what it programmed stays in place'
        : `kube-proxier has ended, and with it what it served: in mode ${selection.mode} connections go through its process`,
    );
  } catch (error) {
    events?.failed(error);
    throw error;
  } finally {
    quit();
    signal.removeEventListener('abort', stop);
    await Promise.all([server.stop(), sink?.stop(LAST_WORDS)]);
  }
}

/** Does what needs privileges, and nothing else (spec C-28). */
export async function prepareHost({ composition, settings, logger }: Omit<RunContext, 'signal'>): Promise<void> {
  await new ProxyServer({ ...serverOptions(composition, settings, logger), sources: [] }).prepare();
  logger.info(
    'The host is set up, and the proxier can run with CAP_NET_ADMIN from now on; ending, as --init-only says',
  );
}

function serverOptions(
  composition: Composition,
  settings: AgentSettings,
  logger: Logger,
): Omit<ProxyServerOptions, 'sources'> {
  const { conntrack, host } = composition;
  const { effective } = settings;
  return {
    backends: composition.configure?.(settings) ?? composition.backends,
    mode: settings.mode,
    fallback: settings.fallback,
    takeover: settings.takeover,
    exclusive: (composition.exclusive ?? false) && !settings.allowMultipleInstances,
    announce: composition.exclusive ?? false,
    proxier: settings.proxier,
    bindAddress: settings.bindAddress,
    allowLoopbackEndpoints: settings.allowLoopbackEndpoints,
    serviceExternalIPs: settings.featureGates.allowServiceExternalIPs,
    logger,
    ...(conntrack ? { conntrack } : {}),
    ...(host ? { conntrackTuning: conntrackTuning(host, settings, logger) } : {}),
    ...(settings.status ? { statusAddress: settings.status } : {}),
    ...(settings.health ? { healthAddress: settings.health } : {}),
    bindAddressHardFail: settings.bindAddressHardFail,
    ...(settings.profiling ? { profiling: profilingOf(logger) } : {}),
    configuration: () => ({
      'kubeproxy.config.k8s.io': effective.kubeProxy,
      'kube-proxier.io': effective.own,
    }),
    checkFamilies: (families) => {
      const { fatal, warnings, advice } = checkFamilies(settings, families);
      for (const text of advice) {
        logger.info(text);
      }
      for (const warning of warnings) {
        logger.warn(`The configuration may be incomplete or wrong: ${warning}`);
      }
      if (fatal.length > 0) {
        throw new ProxierError('CONFIGURATION_UNFIT', `the configuration is wrong: ${fatal.join('; ')}`);
      }
    },
  };
}

function profilingOf(logger: Logger | AdjustableLogger): ProfilingOptions {
  if (!('setVerbosity' in logger)) {
    return {};
  }
  return {
    setVerbosity(level) {
      logger.setVerbosity(level);
      logger.info('Logging verbosity was set by a request', { v: level });
    },
  };
}

/** Notices that the first syncs are over. */
class Settling implements ServerObserver {
  private readonly families = new Set<IPFamily>();
  private pending: Timer | undefined;

  constructor(private readonly onSettled: () => void) {}

  synced({ family }: Pick<SyncSuccess, 'family'>): void {
    if (!this.families.has(family)) {
      this.families.add(family);
      // The other IP family may still be at it.
      this.pending?.cancel();
      this.pending = systemClock.setTimer(SETTLE, this.onSettled);
    }
  }
}

/** A backend that carries connections itself, or counts them, says how many. */
function watchTraffic(backends: ProxyServerOptions['backends'], metrics: ProxyMetrics): void {
  const [packets] = backends.flatMap((backend: object) => (countsPackets(backend) ? [backend] : []));
  if (packets !== undefined) {
    metrics.watchPacketCounts(() => packets.packetCounts());
  }
  const counting = backends.flatMap((backend: object) => (countsConnections(backend) ? [backend] : []));
  if (counting.length > 0) {
    metrics.watchConnections(async () => (await Promise.all(counting.map((one) => one.connections()))).flat());
  }
  const carriers = backends.flatMap((backend: object) => (carriesTraffic(backend) ? [backend] : []));
  if (carriers.length > 0) {
    metrics.watchTraffic(() => carriers.flatMap((carrier) => carrier.traffic()));
  }
}

function countsPackets(backend: object): backend is { packetCounts(): Promise<PacketCountsReport> } {
  return 'packetCounts' in backend && typeof backend.packetCounts === 'function';
}

function countsConnections(
  backend: object,
): backend is { connections(): Promise<readonly ServiceConnectionsReport[]> } {
  return 'connections' in backend && typeof backend.connections === 'function';
}

function carriesTraffic(backend: object): backend is { traffic(): readonly ServiceTrafficReport[] } {
  return 'traffic' in backend && typeof backend.traffic === 'function';
}
