import { countOf, type Diagnosis, messageOf, type ProxyMode, type RemovedObjects } from '@kube-proxier/core';
import { type FoundLeftovers, nameOfLeftoverOwner } from '@kube-proxier/server';
import type { HostFacts } from './host-facts.js';

/** The mode whose rules are not leftovers: the running one, else the one to run. */
export function modeInForce(instance: HostFacts['instance'], mode: ProxyMode): ProxyMode {
  return instance?.known && instance.mode !== '' ? instance.mode : mode;
}

/**
 * Evaluates leftovers of other modes and of kube-proxy. Pure.
 *
 * @param leftovers of every backend, while {@link modeInForce} is in force.
 */
export function checkLeftovers(
  { found, unlisted, failures }: FoundLeftovers,
  { instance, kubeProxy }: Pick<HostFacts, 'instance' | 'kubeProxy'>,
): Diagnosis {
  const check = 'leftovers';
  if (found.length > 0) {
    const owners = found.map((one) => `${nameOfLeftoverOwner(one.owner, one.mode)} (${countKinds(one.objects)})`);
    return { check, status: 'warning', found: `of ${owners.join(', of ')}`, advice: adviceFor(instance, kubeProxy) };
  }
  const reasons = new Set(failures.map((failure) => `${failure.mode}: ${messageOf(failure.error)}`));
  for (const one of unlisted) {
    reasons.add(`${one}: its backend does not list them`);
  }
  return reasons.size > 0
    ? {
        check,
        status: 'unknown',
        found: `not everything could be listed: ${[...reasons].join('; ')}`,
        advice: 'run doctor as root, on the host',
      }
    : { check, status: 'ok', found: 'no rules of another mode or of kube-proxy found' };
}

function adviceFor(instance: HostFacts['instance'], kubeProxy: HostFacts['kubeProxy']): string {
  if (kubeProxy.status === 'found') {
    return 'the running kube-proxy may use them: keep them while it runs';
  }
  return instance === undefined
    ? 'they affect the path of packets: if nothing uses them, run kube-proxier cleanup --kube-proxy'
    : 'a proxy runs on this node: its --takeover removes them; do not clean up while it runs';
}

/** `14 chains, 30 rules`. */
function countKinds(objects: readonly RemovedObjects[]): string {
  const counts = new Map<string, number>();
  for (const { kind, names } of objects) {
    counts.set(kind, (counts.get(kind) ?? 0) + names.length);
  }
  return [...counts].map(([kind, count]) => countOf(count, kind)).join(', ');
}
