import { hostname } from 'node:os';
import { type HealthCheckNodePort, type Logger, systemClock } from '@kube-proxier/core';
import { openFilesLimit } from '@kube-proxier/linux';
import { descriptorShares } from './health/descriptor-shares.js';
import { HealthServer } from './health/health-server.js';
import { OwnAddresses } from './health/own-addresses.js';
import { ProxyHealth } from './health/proxy-health.js';
import type { Readiness } from './health/readiness.js';
import { ServiceHealthServers } from './health/service-health-servers.js';
import { thisHost } from './node/host-network.js';
import type { DataPlaneProbe } from './probe/data-plane-probe.js';
import type { ProxyServerOptions } from './proxy-server-options.js';
import type { FlightRecorder } from './recorder/flight-recorder.js';
import { ScrapeServer } from './scrape/scrape-server.js';
import type { ServerObserver } from './server-observer.js';
import { NodeStatusReport } from './status/node-status-report.js';
import { StatusPage } from './status/status-page.js';
import { StatusServer } from './status/status-server.js';
import { SyncHistory } from './status/sync-history.js';
import type { BackgroundVerification } from './verification/background-verification.js';

/** Dependencies of listeners, in addition to the options of the server. */
export interface ListenerContext {
  readonly nodeName: string;
  /** Sync period of the proxier, in milliseconds. */
  readonly syncPeriod: number;
  readonly readiness: Readiness;
  /** The mode carries connections through sockets of this process. */
  readonly proxiesInProcess: boolean;
  readonly logger: Logger;
  readonly verification: BackgroundVerification;
  /** Default: nothing is recorded. */
  readonly recorder: FlightRecorder | undefined;
  /** Default: no probe. */
  readonly probe: DataPlaneProbe | undefined;
  /** See `NodeStatus.leftovers`. */
  readonly leftovers: () => string | undefined;
  /** A health check node port of a Service could not be opened. */
  readonly onServiceHealthFailed: (service: HealthCheckNodePort, error: unknown) => void;
  /** Called with each listener before it starts, also when a later one fails to. */
  readonly onCreated: (listener: { stop(): Promise<void> }) => void;
}

/**
 * Starts the configured health, status and metrics servers, and those of Services.
 *
 * @returns their observers.
 * @throws ListenError when a port cannot be opened, and that is fatal.
 */
export async function startListeners(
  options: ProxyServerOptions,
  {
    nodeName,
    syncPeriod,
    readiness,
    proxiesInProcess,
    logger,
    verification,
    recorder,
    probe,
    leftovers,
    onServiceHealthFailed,
    onCreated,
  }: ListenerContext,
): Promise<readonly ServerObserver[]> {
  const { clock = systemClock, network = thisHost, metrics, healthAddress, statusAddress, scrape } = options;
  const own = new OwnAddresses(() => network.localAddresses(), clock);
  void own.refresh();
  const isOwnAddress = (address: string) => own.has(address);
  const hardFail = options.bindAddressHardFail ?? false;
  const health = new ProxyHealth(2 * syncPeriod, clock);
  // Listeners that do not depend on Services start first: health checks must not fail for lack of descriptors.
  const shares = descriptorShares((await openFilesLimit()) ?? Number.POSITIVE_INFINITY, proxiesInProcess);
  const { connections } = shares;
  const serviceHealth = new ServiceHealthServers({
    health,
    shares,
    logger,
    clock,
    isOwnAddress,
    onFailure: (service, error) => {
      metrics?.partFailed('service health check');
      onServiceHealthFailed(service, error);
    },
  });
  const healthServer =
    healthAddress &&
    new HealthServer({
      ...healthAddress,
      health,
      notReady: () => readiness.reason() ?? probe?.notReady(),
      logger,
      clock,
      hardFail,
      isOwnAddress,
      connections,
      onFailure: () => metrics?.partFailed('health server'),
      onAnswer: (path, status) => metrics?.healthAnswered(path, status),
    });
  const report = new NodeStatusReport({
    nodeName,
    clock,
    readiness,
    sources: options.sources,
    maxPending: 2 * syncPeriod,
    verification,
    leftovers,
    ineligible: () => health.ineligible,
    listenerObstacles: () => [...servers.flatMap(({ obstacle }) => obstacle ?? []), ...serviceHealth.obstacles],
    descriptorShortage: () => serviceHealth.shortage,
    recordingObstacle: () => recorder?.obstacle,
    ...(probe ? { probe: () => probe.status() } : {}),
    ...(options.healthChecks ? { healthChecks: options.healthChecks } : {}),
    ...(options.configurationProblems ? { configurationProblems: options.configurationProblems } : {}),
    ...(options.memoryShortage ? { memoryShortage: options.memoryShortage } : {}),
    ...(metrics ? { metrics } : {}),
  });
  const history = new SyncHistory(clock);
  const statusServer =
    statusAddress &&
    new StatusServer({
      ...statusAddress,
      logger,
      clock,
      hardFail,
      isOwnAddress,
      connections,
      nodeName,
      hostNames: [nodeName, hostname(), ...(options.statusHostNames ?? [])],
      onFailure: () => metrics?.partFailed('status server'),
      localAddresses: () => network.localAddresses(),
      nodeStatus: () => report.status(),
      verification,
      syncs: () => history.syncs,
      page: new StatusPage(),
      ...(recorder ? { recording: () => recorder.dump() } : {}),
      ...(metrics
        ? { metrics: metrics.registry, counts: () => metrics.counts(), isReadingCounts: () => metrics.isReadingCounts }
        : {}),
      ...(options.configuration ? { configuration: options.configuration } : {}),
      ...(options.profiling ? { profiling: options.profiling } : {}),
    });
  const scrapeServer =
    scrape &&
    metrics &&
    new ScrapeServer({
      ...scrape,
      metrics: metrics.registry,
      hostName: nodeName,
      logger,
      clock,
      hardFail,
      isOwnAddress,
      connections,
      onFailure: () => metrics.partFailed('metrics server'),
    });
  const servers = [healthServer, statusServer, scrapeServer].filter((server) => server !== undefined);
  for (const listener of [serviceHealth, verification, ...servers]) {
    onCreated(listener);
  }
  await Promise.all(servers.map((server) => server.start()));
  return [
    health,
    serviceHealth,
    verification,
    ...(metrics ? [metrics] : []),
    ...(statusServer ? [statusServer, report, history] : []),
  ];
}
