import type { Logger } from '@kube-proxier/core';
import { EventRecorder } from '@kube-proxier/source-kubernetes';
import type { AgentSettings } from './flags/agent-settings.js';
import { VERSION } from './version.js';

const CONTROLLER = 'kube-proxier';

/** Events are sent to the API server that provides Services; without one, no events are sent. */
export function createEvents(
  { kubernetes }: Pick<AgentSettings, 'kubernetes'>,
  nodeName: string,
  logger: Logger,
): EventRecorder | undefined {
  return kubernetes
    ? new EventRecorder({
        ...kubernetes,
        controller: CONTROLLER,
        instance: `${CONTROLLER}-${nodeName}`,
        userAgent: `${CONTROLLER}/${VERSION}`,
        logger,
      })
    : undefined;
}
