import type { Logger } from '@kube-proxier/core';
import { EventRecorder } from '@kube-proxier/source-kubernetes';
import type { AgentSettings } from './flags/settings.js';
import { VERSION } from './version.js';

const CONTROLLER = 'kube-proxier';

/** Events go to the API server that Services come from; where there is none, nobody is told. */
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
