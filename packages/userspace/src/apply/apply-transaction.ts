import { messageOf, PartlyAppliedError } from '@kube-proxier/core';
import type { ListenerId, UserspaceTransaction } from '../plan/userspace-transaction.js';
import type { ProxyEngine } from '../proxy/proxy-engine.js';
import type { LocalAddresses } from './local-addresses.js';
import type { Redirects } from './redirects.js';

/** What a transaction changes. */
export interface ApplyTarget {
  readonly engine: ProxyEngine;
  readonly addresses: LocalAddresses;
  readonly redirects: Redirects;
}

/**
 * Opens and closes sockets, and writes the rules that lead to them.
 *
 * @throws PartlyAppliedError `USERSPACE_PARTLY_APPLIED` when some sockets could not be opened; everything else is in force.
 */
export async function applyTransaction(transaction: UserspaceTransaction, target: ApplyTarget): Promise<void> {
  const { engine, redirects } = target;
  engine.tidy();
  const failed = new Map<ListenerId, unknown>();
  const touched = new Set<ListenerId>([
    ...[...transaction.open, ...transaction.change].map(({ id }) => id),
    ...transaction.close,
    ...redirects.updateEndpoints(transaction),
  ]);
  for (const service of transaction.set) {
    engine.setService(service);
  }
  for (const listener of transaction.change) {
    engine.change(listener);
  }
  // A port that moves between service ports must be closed first; proxy ports stay open until no rule refers to them.
  const closeLater = new Set(transaction.close.filter((id) => engine.spec(id)?.place.kind === 'proxy-port'));
  const reopened = new Set(transaction.open.map(({ id }) => id));
  for (const id of transaction.close) {
    if (!closeLater.has(id) || reopened.has(id)) {
      await engine.close(id);
    }
  }
  await settleNode(transaction, target, touched, failed);
  for (const listener of transaction.open) {
    try {
      await engine.open(listener);
    } catch (error) {
      failed.set(listener.id, error);
    }
  }
  await redirects.apply(transaction, touched, closeLater);
  for (const id of closeLater) {
    if (!reopened.has(id)) {
      await engine.close(id);
    }
  }
  for (const key of transaction.remove) {
    engine.removeService(key);
  }
  if (failed.size > 0) {
    throw partlyApplied(engine, failed);
  }
}

/** Moves sockets when the node or its addresses have changed. */
async function settleNode(
  { node }: UserspaceTransaction,
  { engine, addresses }: ApplyTarget,
  touched: Set<ListenerId>,
  failed: Map<ListenerId, unknown>,
): Promise<void> {
  const current = await addresses.read();
  const next = node ?? engine.node;
  if (!next || (node === undefined && addresses.isApplied(current))) {
    return;
  }
  const settled = await engine.setNode(next, current);
  addresses.markApplied(current);
  for (const id of settled.moved) {
    touched.add(id);
  }
  for (const [id, error] of settled.failed) {
    failed.set(id, error);
  }
}

function partlyApplied(engine: ProxyEngine, failed: ReadonlyMap<ListenerId, unknown>): PartlyAppliedError {
  const refused = new Map<string, string>();
  for (const [id, error] of failed) {
    refused.set(engine.spec(id)?.servicePort ?? id, messageOf(error));
  }
  return new PartlyAppliedError('USERSPACE_PARTLY_APPLIED', refused, { cause: [...failed.values()][0] });
}
