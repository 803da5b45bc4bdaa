import type { Logger } from './logger.js';
import type { ProxyMode } from './proxier.js';

/** Objects of one kind, in one place, that a clean-up removed or would remove. */
export interface RemovedObjects {
  /**
   * Kind of the object, in a word or two: `table`, `chain`, `rule`, `set`, `virtual server`, `address`, `interface`.
   */
  readonly kind: string;
  /** Location of the objects: `nat table, IPv4, nft`. Absent where the kind and the names suffice. */
  readonly location?: string;
  /** One name for each object, as the tools of the host print it. */
  readonly names: readonly string[];
}

/** Result of a clean-up. */
export interface CleanupReport {
  /** What was removed; empty when nothing was found. */
  readonly removed: readonly RemovedObjects[];
  /**
   * What is kept for now because open connections use it, as text. The clean-up is then called again, until this is
   * absent. Only when a mode is in force.
   */
  readonly remaining?: string;
}

/** The circumstances of a clean-up. */
export interface CleanupContext {
  /** The mode in force. Absent: no mode is in force, and everything is removed at once. */
  readonly inForce?: ProxyMode;
}

/**
 * Removes everything that a backend has installed, for both IP families, and nothing else. Idempotent.
 *
 * Never called for the mode in force, so an implementation may ignore the context. While another mode is in force,
 * objects that open connections still use may be kept for now.
 *
 * @returns what was removed; an implementation without this information may return nothing.
 * @throws ProxierError when something could not be removed.
 */
export type Cleanup = (logger: Logger, context: CleanupContext) => Promise<CleanupReport> | Promise<void>;

/**
 * Removes what kube-proxy has installed in its mode of the same name, for both IP families, and nothing else.
 * Idempotent.
 *
 * Called for the mode in force too (`context.inForce` is this backend's mode then). What that mode has adopted or
 * installed must be kept; everything else, such as rules in the variant of iptables that it does not use, is removed.
 *
 * @returns what was removed; an implementation without this information may return nothing.
 * @throws ProxierError when something could not be removed.
 */
export type KubeProxyCleanup = (logger: Logger, context: CleanupContext) => Promise<CleanupReport> | Promise<void>;

/** The circumstances in which leftovers are listed. */
export interface LeftoverContext extends CleanupContext {
  /** Calls with the same object may share what they read of the host. Absent: the host is read. */
  readonly reading?: object;
}

/** Owner of the leftovers to find: the backend, or kube-proxy in the mode of the same name. */
export type LeftoverOwner = 'backend' | 'kube-proxy';

/**
 * Finds what {@link Cleanup} (or, for `kube-proxy`, {@link KubeProxyCleanup}) would remove in this context. Changes
 * nothing on the host.
 *
 * @throws ProxierError when the host cannot be read.
 */
export type FindLeftovers = (
  owner: LeftoverOwner,
  logger: Logger,
  context: LeftoverContext,
) => Promise<readonly RemovedObjects[]>;
