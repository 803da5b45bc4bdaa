import { hostname } from 'node:os';
import { type Logger, ProxierError } from '@kube-proxier/core';
import {
  combineObservers,
  type ProfilingOptions,
  ProxyMetrics,
  ProxyServer,
  type ProxyServerOptions,
  resolveNodeName,
} from '@kube-proxier/server';
import type { Composition } from '../compose.js';
import type { AgentSettings } from '../flags/agent-settings.js';
import type { AdjustableLogger } from '../logging/stream-logger.js';
import { VERSION } from '../version.js';
import { checkFamilies } from './family-checks.js';
import { adjustOomScore, conntrackTuning } from './host-setup.js';
import { MemoryWatch } from './memory-watch.js';
import { NodeEvents } from './node-events.js';
import { ObjectTexts } from './object-texts.js';
import { PodNetworkCheck } from './pod-network-check.js';
import { type ProcessPhases, Settling } from './settling.js';

/** Timeout in milliseconds for sending pending events when the agent ends. */
const EVENT_FLUSH_TIMEOUT = 300;

/** Parameters of {@link runAgent}. */
export interface RunContext {
  readonly composition: Composition;
  readonly settings: AgentSettings;
  readonly logger: Logger;
  /** Aborts to end the agent. */
  readonly signal: AbortSignal;
  /**
   * Called when the agent runs, with a function that ends it with an error and one that reports problems of the changed
   * configuration: as an event, and in the status until the next call.
   *
   * @returns a function that stops what the callback started.
   */
  readonly onRunning?: (
    end: (reason: ProxierError) => void,
    report: (problems: readonly string[]) => void,
  ) => () => void;
  /** Notified of the phases of a start. Default: none. */
  readonly phases?: ProcessPhases;
}

/**
 * Runs the agent until `signal` aborts.
 *
 * @throws the error that ended it otherwise.
 */
export async function runAgent({
  composition,
  settings,
  logger,
  signal,
  onRunning,
  phases,
}: RunContext): Promise<void> {
  if (signal.aborted) {
    return;
  }
  const nodeName = resolveNodeName(settings.proxier.nodeName, hostname());
  logger.info(`kube-proxier ${VERSION} is starting`, { nodeName, pid: process.pid, nodejs: process.version });
  if (composition.host) {
    await adjustOomScore(composition.host, settings, logger);
  }
  const memory = composition.host && new MemoryWatch({ files: composition.host.files, logger });
  memory?.start();
  const sink = composition.events?.(settings, nodeName, logger);
  const events = sink && new NodeEvents(sink, nodeName);
  events?.configurationProblems(settings.warnings);
  const metrics = new ProxyMetrics({ counterSeries: settings.counterSeries });
  const texts = new ObjectTexts(logger);
  const settling: Settling = new Settling(
    {
      objectsRead: () => phases?.objectsRead(),
      synced: () => {
        phases?.synced();
        void texts.compress().then(() => settling.compressed());
      },
      settled: (isOver) => phases?.settled(isOver),
      verifying: () => phases?.verifying(),
      verified: () => phases?.verified(),
    },
    settings.verifyPeriod > 0,
  );
  const plain = await composition.sources(settings, logger, () => texts.create());
  const checked = await composition.healthChecks?.(plain, settings, logger, metrics);
  const { sources, status: healthChecks } = checked ?? { sources: plain };
  if (signal.aborted) {
    memory?.stop();
    await sink?.stop(EVENT_FLUSH_TIMEOUT);
    return;
  }
  const options = serverOptions(composition, settings, logger);
  let configurationProblems: readonly string[] = [];
  const server = new ProxyServer({
    ...options,
    ...scrapeOptions(composition, settings),
    sources,
    ...(healthChecks ? { healthChecks } : {}),
    configurationProblems: () => configurationProblems,
    memoryShortage: () => memory?.shortage,
    metrics,
    observer: combineObservers([new PodNetworkCheck(settings, logger), settling, ...(events ? [events] : [])], logger),
  });
  const stop = () => {
    logger.info('kube-proxier is stopping');
    void server.stop();
  };
  signal.addEventListener('abort', stop);
  let quit = () => {};
  const ended = new Promise<never>((_resolve, reject) => {
    quit =
      onRunning?.(reject, (problems) => {
        configurationProblems = problems;
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
        ? 'kube-proxier has stopped; installed rules stay in place'
        : `kube-proxier has stopped, and all connections are closed: in mode ${selection.mode} they pass through its process`,
    );
  } catch (error) {
    events?.failed(error);
    throw error;
  } finally {
    memory?.stop();
    quit();
    signal.removeEventListener('abort', stop);
    await Promise.all([server.stop(), sink?.stop(EVENT_FLUSH_TIMEOUT)]);
  }
}

/** Runs only the setup that needs privileges (spec C-28). */
export async function prepareHost({ composition, settings, logger }: Omit<RunContext, 'signal'>): Promise<void> {
  await new ProxyServer({ ...serverOptions(composition, settings, logger), sources: [] }).prepare();
  logger.info('The host setup is complete, and the proxier can run with CAP_NET_ADMIN; exiting because of --init-only');
}

function serverOptions(
  composition: Composition,
  settings: AgentSettings,
  logger: Logger,
): Omit<ProxyServerOptions, 'sources'> {
  const { conntrack, tcpSockets, host } = composition;
  const { effective } = settings;
  const backends = composition.configure?.(settings) ?? composition.backends;
  return {
    backends,
    mode: settings.mode,
    fallback: settings.fallback,
    takeover: settings.takeover,
    ...(settings.verifyPeriod > 0 ? { verification: { period: settings.verifyPeriod } } : {}),
    exclusive: (composition.exclusive ?? false) && !settings.allowMultipleInstances,
    announce: composition.exclusive ?? false,
    proxier: settings.proxier,
    bindAddress: settings.bindAddress,
    allowLoopbackEndpoints: settings.allowLoopbackEndpoints,
    serviceExternalIPs: settings.featureGates.allowServiceExternalIPs,
    logger,
    ...(conntrack ? { conntrack } : {}),
    ...(tcpSockets ? { tcpSockets } : {}),
    ...(host ? { conntrackTuning: conntrackTuning(host, settings, logger), sysctl: host.sysctl } : {}),
    ...(settings.status ? { statusAddress: settings.status } : {}),
    ...(settings.health ? { healthAddress: settings.health } : {}),
    bindAddressHardFail: settings.bindAddressHardFail,
    ...(settings.profiling ? { profiling: profilingOf(logger) } : {}),
    ...(settings.probe ? { probe: settings.probe } : {}),
    ...(settings.recording ? { recording: settings.recording } : {}),
    configuration: () => ({
      'kubeproxy.config.k8s.io': effective.kubeProxy,
      'kube-proxier.io': effective.own,
    }),
    checkFamilies: (families, backend) => {
      const { fatal, warnings, advice } = checkFamilies(settings, families, backend);
      for (const text of advice) {
        logger.info(text);
      }
      for (const warning of warnings) {
        logger.warn(`The configuration may be incomplete or invalid: ${warning}`);
      }
      if (fatal.length > 0) {
        throw new ProxierError('CONFIGURATION_UNFIT', `the configuration is invalid: ${fatal.join('; ')}`);
      }
    },
  };
}

function scrapeOptions(composition: Composition, settings: AgentSettings): Pick<ProxyServerOptions, 'scrape'> {
  const { scrape } = settings;
  const access = scrape?.access === 'everybody' ? scrape.access : composition.accessReviewer?.(settings);
  return scrape && access ? { scrape: { ...scrape, access } } : {};
}

function profilingOf(logger: Logger | AdjustableLogger): ProfilingOptions {
  if (!('setVerbosity' in logger)) {
    return {};
  }
  return {
    setVerbosity(level) {
      logger.setVerbosity(level);
      logger.info('Set the log verbosity by request', { v: level });
    },
  };
}
