import { MetricsAccessReviewer } from '@kube-proxier/source-kubernetes';
import type { AgentSettings } from './flags/agent-settings.js';
import { VERSION } from './version.js';

/** The API server that provides Services decides who may read metrics. */
export function createAccessReviewer({
  kubernetes,
}: Pick<AgentSettings, 'kubernetes'>): MetricsAccessReviewer | undefined {
  return kubernetes && new MetricsAccessReviewer({ ...kubernetes, userAgent: `kube-proxier/${VERSION}` });
}
