import type { Simulation } from '@kube-proxier/core';

/** The outcome of a packet, in the format of `--expect`: `refused`, or the endpoints that can get it, sorted. */
export function outcomeText({ outcome }: Pick<Simulation, 'outcome'>): string {
  return outcome.kind === 'forwarded'
    ? outcome.choices
        .map(({ endpoint }) => endpoint.key)
        .sort()
        .join(',')
    : outcome.kind;
}
