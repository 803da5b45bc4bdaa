/**
 * The command as it is, but for the time of its source, which runs KUBE_PROXIER_SOAK_FASTER times as fast: the pauses
 * and patience of a client of an API server are up to minutes, which is too long for a short soak.
 */
import { KubernetesSource } from '@kube-proxier/source-kubernetes';
import { FastClock } from '@kube-proxier/source-kubernetes/testing';
import { compose } from '../../packages/agent/dist/compose.js';
import { runProcess } from '../../packages/agent/dist/run-process.js';
import { holdMemory, MEMORY_OF_PHASES } from '../../packages/agent/dist/running/process-memory.js';

holdMemory();
const clock = new FastClock(Number(process.env.KUBE_PROXIER_SOAK_FASTER));
await runProcess(
  async () => ({
    ...compose(),
    sources: ({ kubernetes }, logger) => [new KubernetesSource({ ...kubernetes, logger, clock })],
  }),
  MEMORY_OF_PHASES,
);
