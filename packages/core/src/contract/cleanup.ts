import type { Logger } from './logger.js';
import type { ProxyMode } from './proxier.js';

/** Objects of one kind, in one place, that a clean-up removed or would remove. */
export interface RemovedObjects {
  /** One of them, in a word or two: `table`, `chain`, `rule`, `set`, `virtual server`, `address`, `interface`. */
  readonly kind: string;
  /** Where they were: `nat table, IPv4, nft`. Absent where the kind and the names say enough. */
  readonly location?: string;
  /** One name for each object, as the tools of the host print it. */
  readonly names: readonly string[];
}

/** What a clean-up did. */
export interface CleanupReport {
  /** What was removed; empty when nothing was found. */
  readonly removed: readonly RemovedObjects[];
  /**
   * What stays for now because open connections go through it, in words. The clean-up is then called again, until it is
   * absent. Only when a mode is in force.
   */
  readonly remaining?: string;
}

/** Under which circumstances a clean-up runs. */
export interface CleanupContext {
  /** The mode that is in force and stays. Absent: none is, and everything goes at once. */
  readonly inForce?: ProxyMode;
}

/**
 * Removes everything that a backend has installed, both IP families, and nothing else. Idempotent.
 *
 * Never called for the mode that is in force, so an implementation may ignore the context. What it may use it for: while
 * another mode is in force, what open connections still go through may stay for now.
 *
 * @returns what was removed; an implementation that does not know may return nothing.
 * @throws ProxierError when something is left.
 */
export type Cleanup = (logger: Logger, context: CleanupContext) => Promise<CleanupReport> | Promise<void>;

/**
 * Removes what kube-proxy has installed in its mode of the same name, both IP families, and nothing else. Idempotent.
 *
 * Called for the mode in force too (`context.inForce` is this backend's mode then). What that mode has adopted, or has
 * installed itself, must stay; what it has not, such as rules in the variant of iptables that it does not use, goes.
 *
 * @returns what was removed; an implementation that does not know may return nothing.
 * @throws ProxierError when something is left.
 */
export type KubeProxyCleanup = (logger: Logger, context: CleanupContext) => Promise<CleanupReport> | Promise<void>;

/** Whose leftovers to look for: those of the backend, or those of kube-proxy in the mode of the same name. */
export type LeftoverOwner = 'backend' | 'kube-proxy';

/**
 * Finds what {@link Cleanup} (or, for `kube-proxy`, {@link KubeProxyCleanup}) would remove while no mode is in force.
 * Changes nothing on the host.
 *
 * @throws ProxierError when the host does not let it look.
 */
export type FindLeftovers = (owner: LeftoverOwner, logger: Logger) => Promise<readonly RemovedObjects[]>;
