import type { PacketAnswer, ServicePortPage } from '@kube-proxier/core';
import type { NodeStatus } from '../../src/status/node-status.js';
import type { SyncRecord } from '../../src/status/sync-history.js';

/** Milliseconds to wait for an answer. */
const TIMEOUT = 5000;

/** Queries the status server that the page is from. Paths are relative, so the page also works behind the API server's proxy. */
async function query<T>(path: string, parameters: Readonly<Record<string, string>> = {}): Promise<T> {
  const search = new URLSearchParams(parameters);
  const response = await fetch(`${path}?${search}`, { signal: AbortSignal.timeout(TIMEOUT), cache: 'no-cache' });
  if (!response.ok) {
    throw new Error((await response.text()).trim());
  }
  return (await response.json()) as T;
}

export const queryStatus = () => query<NodeStatus>('debug/status');

export const querySyncs = async () => (await query<{ readonly syncs: readonly SyncRecord[] }>('debug/syncs')).syncs;

/** @param search part of `namespace/name`; empty for all. */
export const queryServices = (search: string, limit: number) =>
  query<ServicePortPage>('debug/services', { limit: String(limit), ...(search === '' ? {} : { search }) });

/** @param source empty for every kind of client. */
export const queryExplanation = (source: string, destination: string) =>
  query<PacketAnswer>('debug/explain', { destination, ...(source === '' ? {} : { source }) });
