import type { Proxier } from './proxier.js';

/**
 * Where a source tells its events to: the half of a {@link Proxier} that takes note of things. A `Proxier` is one,
 * and so is any object of a host's own with these methods.
 */
export type SourceHandler = Pick<
  Proxier,
  | 'onServiceUpdate'
  | 'onEndpointsUpdate'
  | 'onServicesSynced'
  | 'onEndpointsSynced'
  | 'onNodeUpdate'
  | 'onServiceCIDRsUpdate'
>;

/** What a source is told by the host that starts it. */
export interface SourceContext {
  /** This node's name: of all Node objects, only the one with this name is handed on. */
  readonly nodeName: string;
}

/**
 * Where cluster objects come from: an API server, a directory of files, a simulation.
 *
 * Rules for every implementation:
 * - **What is not known is not gone.** A source that cannot read (API server away, file broken, directory missing)
 *   reports no removal: what it said last stays true until it knows better.
 * - **Events carry what was said last.** `previous` is the very object that this source last handed out for that
 *   name, `current` the new one; an object that did not change causes no event.
 * - **Synced once.** `onServicesSynced` and `onEndpointsSynced` are each called exactly once, after everything that
 *   exists was handed out; never when the source is stopped before that.
 * - **Handlers may fail.** One that throws is logged, and the next event goes out all the same.
 */
export interface Source {
  /** What is watched, for log lines: `manifests in /etc/kube-proxier`. Safe to print. */
  readonly description: string;

  /**
   * Begins. Resolves when the source is under way: at the latest when both `…Synced` methods were called, earlier
   * where that can take long. Called once.
   *
   * @throws ProxierError when it can never work as it is configured (no such directory, no credentials).
   */
  start(handler: SourceHandler, context: SourceContext): Promise<void>;

  /**
   * What keeps it from reading these objects now, in words for the user: `it forbids to list endpointslices`; undefined
   * when nothing is known to. Shown while the node waits for them. Default: nothing is known.
   */
  obstacle?(kind: 'Services' | 'EndpointSlices'): string | undefined;

  /** Ends it within a second: no event after it resolves, nothing left that keeps the process alive. Idempotent. */
  stop(): Promise<void>;
}
