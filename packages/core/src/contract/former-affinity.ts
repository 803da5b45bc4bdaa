import type { IPFamily } from '../model/address.js';
import type { Endpoint } from '../model/endpoint.js';
import type { ResolvedServicePort } from '../model/proxy-state.js';
import type { Logger } from './logger.js';
import { messageOf } from './proxier-error.js';

/** A client of session affinity. */
export interface AffinityClient {
  /** In canonical spelling. */
  readonly address: string;
  /** Seconds for which it keeps its endpoint without a further connection. At least 1. */
  readonly seconds: number;
}

/**
 * The clients of session affinity that other rules than those of a backend hold in the kernel: of another mode, or of
 * kube-proxy. A backend that takes over from them keeps these clients at their endpoints, where it can.
 */
export interface FormerAffinity {
  /** Clients that use an endpoint of a service port with session affinity; empty when there are none. */
  clientsOf(port: ResolvedServicePort, endpoint: Endpoint): readonly AffinityClient[];
}

/** A client with the endpoint that it keeps. */
export interface KeptClient extends AffinityClient {
  /** Key of the endpoint. */
  readonly endpoint: string;
}

/**
 * The clients that a service port keeps, each at one endpoint: at the one that it used last. Pure.
 *
 * @returns nothing for a service port without session affinity.
 */
export function keptClientsOf(port: ResolvedServicePort, former: FormerAffinity): readonly KeptClient[] {
  if (port.affinitySeconds === undefined) {
    return [];
  }
  const kept = new Map<string, KeptClient>();
  for (const endpoint of new Set([...port.cluster, ...port.local])) {
    for (const client of former.clientsOf(port, endpoint)) {
      const seconds = Math.min(client.seconds, port.affinitySeconds);
      if (seconds > (kept.get(client.address)?.seconds ?? 0)) {
        kept.set(client.address, { address: client.address, seconds, endpoint: endpoint.key });
      }
    }
  }
  return [...kept.values()];
}

/** The clients of several. Pure. */
export function combinedAffinity(parts: readonly FormerAffinity[]): FormerAffinity {
  return { clientsOf: (port, endpoint) => parts.flatMap((part) => part.clientsOf(port, endpoint)) };
}

/**
 * Reads the clients of other rules. Without them, clients get new endpoints, so a failure is logged as a warning and
 * does not delay the sync.
 *
 * @param read undefined: there are no other rules.
 * @returns undefined when they cannot be read.
 */
export async function readFormerAffinity(
  read: (() => Promise<FormerAffinity>) | undefined,
  family: IPFamily,
  logger: Logger,
): Promise<FormerAffinity | undefined> {
  try {
    return await read?.();
  } catch (error) {
    logLostClients(logger, family, error);
    return undefined;
  }
}

/** Logs how many clients of other rules keep their endpoints. */
export function logKeptClients(logger: Logger, family: IPFamily, clients: number): void {
  logger.info('Session affinity: clients of the previous rules keep their endpoints', { family, clients });
}

/** Warns that clients of other rules do not keep their endpoints. */
export function logLostClients(logger: Logger, family: IPFamily, error: unknown): void {
  logger.warn(`Session affinity: clients of the previous rules get new endpoints: ${messageOf(error)}`, { family });
}
