import { type Logger, messageOf } from '@kube-proxier/core';
import type { KernelFiles, Sysctl } from '@kube-proxier/linux';
import { ConntrackTuning } from '@kube-proxier/server';
import type { AgentSettings } from '../flags/settings.js';

/** The host as far as the agent sets it up, beside what backends do. */
export interface HostAccess {
  readonly sysctl: Sysctl;
  readonly files: KernelFiles;
  /** CPUs of this host. */
  readonly cpus: number;
}

const OOM_SCORE = '/proc/self/oom_score_adj';

/** Sets how readily the kernel ends this process (spec H-71). What cannot be set is told, and nothing more. */
export async function adjustOomScore(
  { files }: Pick<HostAccess, 'files'>,
  { oomScoreAdj, explicit }: Pick<AgentSettings, 'oomScoreAdj' | 'explicit'>,
  logger: Logger,
): Promise<void> {
  try {
    if (Number((await files.read(OOM_SCORE)).trim()) !== oomScoreAdj) {
      await files.write(OOM_SCORE, String(oomScoreAdj));
      logger.debug(2, 'Set how readily the kernel ends this process', { oomScoreAdj });
    }
  } catch (error) {
    const text = `The OOM score of this process stays as it is: ${OOM_SCORE} cannot be set to ${oomScoreAdj}: ${messageOf(error)}`;
    if (explicit.oomScoreAdj) {
      logger.warn(`${text}; lowering it needs CAP_SYS_RESOURCE`);
    } else {
      logger.debug(1, text);
    }
  }
}

/** The set-up of connection tracking that the settings ask for. */
export function conntrackTuning(host: HostAccess, settings: AgentSettings, logger: Logger): ConntrackTuning {
  const { conntrack: options, explicit } = settings;
  return new ConntrackTuning({ ...host, options, isExplicit: explicit.conntrack, logger });
}
