import { assertNever, PartlyAppliedError } from '@kube-proxier/core';
import { type Iptables, renderDocument } from '@kube-proxier/linux';
import type { IpvsHost } from '../ipvs-host.js';
import type { IpvsStep, IpvsTransaction } from '../plan/ipvs-transaction.js';
import type { HostSettings } from './host-settings.js';
import type { TimeoutSettings } from './ipvs-timeouts.js';
import type { ReferencedSets } from './referenced-sets.js';
import { type Refusal, reasonsOf, refusedSets } from './refusal.js';
import { type AddressTarget, setAddresses } from './virtual-addresses.js';
import { drainServers, type ServerTarget, writeServers } from './write-servers.js';

/** Where a transaction is written. */
export interface ApplyTarget extends AddressTarget, ServerTarget {
  readonly host: IpvsHost;
  readonly draining: ServerTarget['draining'];
  readonly iptables: () => Promise<Iptables>;
  readonly settings: HostSettings;
  readonly timeouts: TimeoutSettings;
  readonly referencedSets: ReferencedSets;
  /** Called after each write of rules. */
  readonly onRulesWritten: () => void;
}

/**
 * Writes a transaction, step by step. A refused object does not stop the others.
 *
 * @throws PartlyAppliedError (`IPVS_PARTLY_APPLIED`) when objects were refused.
 * @throws ProxierError when a step failed as a whole; the following steps are skipped.
 */
export async function applyTransaction({ steps }: IpvsTransaction, target: ApplyTarget): Promise<void> {
  const refused: Refusal[] = [];
  for (const step of steps) {
    refused.push(...(await applyStep(step, target)));
  }
  if (refused.length > 0) {
    throw new PartlyAppliedError('IPVS_PARTLY_APPLIED', reasonsOf(refused), { cause: refused[0]?.error });
  }
}

async function applyStep(step: IpvsStep, target: ApplyTarget): Promise<readonly Refusal[]> {
  switch (step.to) {
    case 'settings':
      await target.settings.write();
      await target.timeouts.write();
      return [];
    case 'interface':
      await target.virtualInterface.create();
      return [];
    case 'rules':
      await (await target.iptables()).restore(renderDocument(step.document));
      target.onRulesWritten();
      return [];
    case 'sets': {
      const results = await target.host.sets.execute(step.commands);
      return refusedSets(step.commands, target.referencedSets.executed(step.commands, results));
    }
    case 'ipvs':
      return await writeServers(target, step.commands);
    case 'addresses':
      return await setAddresses(target, step.add, step.remove);
    case 'draining':
      return await drainServers(target, step.servers);
    case 'retirement':
      target.expected.deleting(step.servers);
      return await target.draining.retire(step);
    default:
      return assertNever(step);
  }
}
