import { statSync } from 'node:fs';
import { type Logger, messageOf, ProxierError, printable, type Source } from '@kube-proxier/core';
import { HealthCheckedSource, HealthChecks } from '@kube-proxier/health-checks';
import { HealthCheckMetrics, type ProxyMetrics } from '@kube-proxier/server';
import { ManifestSource } from '@kube-proxier/source-manifests';
import type { AgentSettings } from './flags/agent-settings.js';

/**
 * Wraps the sources whose Services can ask for health checks.
 *
 * @throws ProxierError when the directory of scripts cannot be used.
 */
export function withHealthChecks(
  sources: readonly Source[],
  { healthChecks, allowLoopbackEndpoints }: Pick<AgentSettings, 'healthChecks' | 'allowLoopbackEndpoints'>,
  logger: Logger,
  metrics: Pick<ProxyMetrics, 'registry'>,
): readonly Source[] {
  const { of, scripts } = healthChecks;
  const isFromManifests = (source: Source) => source instanceof ManifestSource;
  const isChecked = (source: Source) => of === 'all' || (of === 'manifests' && isFromManifests(source));
  if (!sources.some(isChecked)) {
    return sources;
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
  return sources.map((source) =>
    // Who writes manifests has this host; who writes to the API server may have only a Service.
    isChecked(source) ? new HealthCheckedSource(source, checks, { allowNamespaces: isFromManifests(source) }) : source,
  );
}

const WRITABLE_BY_OTHERS = 0o022;

/** Scripts run with the privileges of this process, so only those who have them may write one. */
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
