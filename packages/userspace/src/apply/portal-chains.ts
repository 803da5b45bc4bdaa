import { LeftoversError, messageOf } from '@kube-proxier/core';
import { type Iptables, type IptablesDocument, renderDocument } from '@kube-proxier/linux';
import { removalDocument } from '../plan/portal-document.js';
import { readUsedPortals } from '../read-back/saved-portals.js';

/** What {@link removePortalChains} would remove. Changes nothing. */
export async function findPortalChains(iptables: Iptables): Promise<IptablesDocument> {
  return removalDocument(await readUsedPortals(iptables));
}

/**
 * Removes the chains of the userspace mode and every jump into one, also those of other processes (spec U-54). Tables
 * that are not in use are not brought into use.
 *
 * @returns what was removed.
 * @throws LeftoversError `USERSPACE_LEFTOVERS` when a foreign rule keeps a chain.
 */
export async function removePortalChains(iptables: Iptables): Promise<IptablesDocument> {
  const document = await findPortalChains(iptables);
  const text = renderDocument(document);
  if (text === '') {
    return document;
  }
  try {
    await iptables.restore(text);
  } catch (error) {
    const chains = `the ${iptables.family} chains of mode userspace (${messageOf(error)})`;
    throw new LeftoversError('USERSPACE_LEFTOVERS', [chains], { cause: error });
  }
  return document;
}
