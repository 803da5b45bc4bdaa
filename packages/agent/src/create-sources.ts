import type { Logger, Source, TextStore } from '@kube-proxier/core';
import type { AgentSettings } from './flags/agent-settings.js';
import { VERSION } from './version.js';

/**
 * Creates the sources: the API server first, so that it has precedence over a manifest with the same object. The
 * modules of a source are loaded on demand.
 *
 * @param textStore creates the store of the objects of one kind. Default: that of the source.
 */
export async function createSources(
  { kubernetes, manifests, allowLoopbackEndpoints }: AgentSettings,
  logger: Logger,
  textStore?: () => TextStore,
): Promise<readonly Source[]> {
  const sources: Source[] = [];
  if (kubernetes) {
    const { KubernetesSource } = await import('@kube-proxier/source-kubernetes');
    const store = textStore === undefined ? {} : { textStore };
    sources.push(new KubernetesSource({ ...kubernetes, ...store, logger, userAgent: `kube-proxier/${VERSION}` }));
  }
  if (manifests.length > 0) {
    const { ManifestSource } = await import('@kube-proxier/source-manifests');
    sources.push(...manifests.map((path) => new ManifestSource({ path, logger, allowLoopbackEndpoints })));
  }
  return sources;
}
