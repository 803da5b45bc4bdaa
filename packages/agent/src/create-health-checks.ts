import { statSync } from 'node:fs';
import { joinHostPort, type Logger, messageOf, ProxierError, printable, type Source } from '@kube-proxier/core';
import type { HealthChecks } from '@kube-proxier/health-checks';
import {
  HealthCheckMetrics,
  type HealthCheckStatus,
  MAX_FAILING_ENDPOINTS,
  type ProxyMetrics,
} from '@kube-proxier/server';
import type { AgentSettings } from './flags/agent-settings.js';

/** Sources, and the results of health checks of their endpoints; undefined without checks. */
export interface CheckedSources {
  readonly sources: readonly Source[];
  readonly status?: () => HealthCheckStatus;
}

/**
 * Wraps the sources whose Services can request health checks. The modules of checks are loaded on demand.
 *
 * @throws ProxierError when the directory of scripts cannot be used.
 */
export async function withHealthChecks(
  sources: readonly Source[],
  {
    healthChecks,
    allowLoopbackEndpoints,
    manifests,
  }: Pick<AgentSettings, 'healthChecks' | 'allowLoopbackEndpoints' | 'manifests'>,
  logger: Logger,
  metrics: Pick<ProxyMetrics, 'registry'>,
): Promise<CheckedSources> {
  const { of, scripts } = healthChecks;
  if (of === 'none' || (of === 'manifests' && manifests.length === 0)) {
    return { sources };
  }
  const [{ HealthCheckedSource, HealthChecks }, { ManifestSource }] = await Promise.all([
    import('@kube-proxier/health-checks'),
    import('@kube-proxier/source-manifests'),
  ]);
  const isFromManifests = (source: Source) => source instanceof ManifestSource;
  const isChecked = (source: Source) => of === 'all' || (of === 'manifests' && isFromManifests(source));
  if (!sources.some(isChecked)) {
    return { sources };
  }
  if (scripts !== '') {
    checkScriptDirectory(scripts);
  }
  const checks: HealthChecks = new HealthChecks({
    logger,
    allowLoopbackEndpoints,
    observer: new HealthCheckMetrics(metrics.registry, () => checks.summary()),
    ...(scripts === '' ? {} : { scriptDirectory: scripts }),
  });
  const checked = sources.map((source) =>
    // Authors of manifests control this host; clients of the API server may control only a Service.
    isChecked(source) ? new HealthCheckedSource(source, checks, { allowNamespaces: isFromManifests(source) }) : source,
  );
  return { sources: checked, status: () => statusOf(checks) };
}

/** Cost is proportional to the number of checks. */
function statusOf(checks: Pick<HealthChecks, 'summary' | 'services'>): HealthCheckStatus {
  const { endpoints, invalidServices } = checks.summary();
  const failing = checks
    .services()
    .flatMap(({ service, endpoints: all }) => all.map((one) => ({ ...one, service })))
    .filter(({ state }) => state.verdict === 'down')
    .sort((one, other) => one.state.since - other.state.since)
    .slice(0, MAX_FAILING_ENDPOINTS)
    .map(({ service, address, port, state }) => ({
      service,
      endpoint: joinHostPort(address, port),
      // The last check passed, but more successes are required.
      reason: state.reason ?? 'passes again, not yet often enough',
      since: new Date(state.since).toISOString(),
    }));
  return { ...endpoints, invalidServices, failing };
}

const WRITABLE_BY_OTHERS = 0o022;

/** Scripts run with the privileges of this process, so only users with these privileges may have write access. */
function checkScriptDirectory(path: string): void {
  const wrong = (what: string, cause?: unknown) =>
    new ProxierError(
      'HEALTH_CHECK_SCRIPTS_UNUSABLE',
      `--health-check-scripts: ${printable(path)} ${what}`,
      cause === undefined ? {} : { cause },
    );
  let found: { readonly uid: number; readonly mode: number; isDirectory(): boolean };
  try {
    found = statSync(path);
  } catch (error) {
    throw wrong(`cannot be read: ${messageOf(error)}; create it, or omit the flag`, error);
  }
  if (!found.isDirectory()) {
    throw wrong('is not a directory; give the directory that contains the scripts');
  }
  if (found.uid !== 0 && found.uid !== process.getuid?.()) {
    throw wrong(`belongs to user ${found.uid}, who could have this process run anything; change its owner to root`);
  }
  if ((found.mode & WRITABLE_BY_OTHERS) !== 0) {
    throw wrong(
      'can be written to by other users, who could have this process run anything; remove that with chmod go-w',
    );
  }
}
