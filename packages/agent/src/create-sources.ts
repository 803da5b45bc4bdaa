import type { Logger, Source } from '@kube-proxier/core';
import { KubernetesSource } from '@kube-proxier/source-kubernetes';
import { ManifestSource } from '@kube-proxier/source-manifests';
import type { AgentSettings } from './flags/agent-settings.js';
import { VERSION } from './version.js';

/** Creates the sources: the API server first, so that it wins over a manifest with the same object. */
export function createSources(
  { kubernetes, manifests, allowLoopbackEndpoints }: AgentSettings,
  logger: Logger,
): readonly Source[] {
  return [
    ...(kubernetes ? [new KubernetesSource({ ...kubernetes, logger, userAgent: `kube-proxier/${VERSION}` })] : []),
    ...manifests.map((path) => new ManifestSource({ path, logger, allowLoopbackEndpoints })),
  ];
}
