import { type Logger, messageOf } from '@kube-proxier/core';
import type { KernelFiles, Sysctl } from '@kube-proxier/linux';
import { ConntrackTuning } from '@kube-proxier/server';
import type { AgentSettings } from '../flags/agent-settings.js';

/** Access to the host settings that the agent manages, besides those of backends. */
export interface HostAccess {
  readonly sysctl: Sysctl;
  readonly files: KernelFiles;
  /** CPUs of this host. */
  readonly cpus: number;
}

const OOM_SCORE = '/proc/self/oom_score_adj';

/** Sets the OOM score of this process (spec H-71). A failure is only logged. */
export async function adjustOomScore(
  { files }: Pick<HostAccess, 'files'>,
  { oomScoreAdj, explicit }: Pick<AgentSettings, 'oomScoreAdj' | 'explicit'>,
  logger: Logger,
): Promise<void> {
  try {
    if (Number((await files.read(OOM_SCORE)).trim()) !== oomScoreAdj) {
      await files.write(OOM_SCORE, String(oomScoreAdj));
      logger.debug(2, 'Set the OOM score of this process', { oomScoreAdj });
    }
  } catch (error) {
    const text = `Cannot set ${OOM_SCORE} to ${oomScoreAdj}; the OOM score of this process is unchanged: ${messageOf(error)}`;
    if (explicit.oomScoreAdj) {
      logger.warn(`${text}; lowering it needs CAP_SYS_RESOURCE`);
    } else {
      logger.debug(1, text);
    }
  }
}

/** Creates the conntrack tuning of the settings. */
export function conntrackTuning(host: HostAccess, settings: AgentSettings, logger: Logger): ConntrackTuning {
  const { conntrack: options, explicit } = settings;
  return new ConntrackTuning({ ...host, options, isExplicit: explicit.conntrack, logger });
}
