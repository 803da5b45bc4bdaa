import type { ObjectIdentity } from '../objects/object-problem.js';
import type { EndpointSlice, Service } from '../objects/objects.js';
import type { Proxier } from './proxier.js';

/**
 * Receiver of a source's events: the event handlers of a {@link Proxier}. A `Proxier` is one, and so is any object of a
 * host with these methods.
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

/** Objects of which a source may be asked why it cannot read them. A node never waits for ServiceCIDRs. */
export type SourceKind = 'Services' | 'EndpointSlices' | 'ServiceCIDRs';

/** Kinds of objects that are reported one by one, with their previous version. */
export type ReportedKind = Exclude<SourceKind, 'ServiceCIDRs'>;

/**
 * The objects that a source has reported, each as `current` of its last event; it need not be the same object in memory. While a handler
 * runs, they may already include changes that are reported next.
 */
export interface ReportedObjects {
  /** All of a kind, as they are at the time of the call: later changes do not show in what is returned, however late it is read. */
  all(kind: ReportedKind): Iterable<Service | EndpointSlice>;

  /** The object of this name; undefined when it is not reported, or was deleted. */
  get(kind: ReportedKind, identity: ObjectIdentity): Service | EndpointSlice | undefined;
}

/** What the host passes to a source at its start. */
export interface SourceContext {
  /** This node's name: only the Node object with this name is passed on. */
  readonly nodeName: string;
}

/**
 * Origin of cluster objects: an API server, a directory of files, a simulation.
 *
 * Rules for every implementation:
 * - **An unreadable object is never treated as deleted.** A source that cannot read (API server unavailable, file
 *   malformed, directory missing) reports no removal: the objects reported last stay valid until it can read again.
 * - **Events carry the previous object.** `previous` equals what this source last reported for that name (it need not be
 *   the same object in memory), `current` is the new one; an unchanged object causes no event.
 * - **Synced once.** `onServicesSynced` and `onEndpointsSynced` are each called exactly once, after every existing
 *   object was reported; never when the source is stopped before that.
 * - **Handlers may fail.** A handler that throws is logged, and the next event is still delivered.
 *
 * `SourceReporter` implements what these rules say about the handler.
 */
export interface Source {
  /** What is watched, for log lines: `manifests in /etc/kube-proxier`. Safe to print. */
  readonly description: string;

  /**
   * Requests the objects, and reports none of them before `start`. A host calls it when `start` follows soon: the answers then
   * arrive while the host prepares itself. Called at most once, with the context of `start`; a problem is reported by `start`.
   * `stop` may follow without `start`. Default: `start` requests the objects.
   */
  prefetch?(context: SourceContext): void;

  /** What it has reported. Default: a host that records changes keeps references to the reported objects. */
  readonly objects?: ReportedObjects;

  /**
   * Starts the source. Resolves when it is running: at the latest when both `…Synced` methods were called, earlier
   * where that can take long. Called once.
   *
   * @throws ProxierError when it can never work with its configuration (no such directory, no credentials).
   */
  start(handler: SourceHandler, context: SourceContext): Promise<void>;

  /**
   * The current obstacle to reading these objects, as text for the user: `it forbids to list endpointslices`; undefined
   * when no obstacle is known. Shown while the node waits for them, and in its status. Default: none.
   */
  obstacle?(kind: SourceKind): string | undefined;

  /** Stops it within a second: no event after it resolves, and nothing keeps the process alive. Idempotent. */
  stop(): Promise<void>;
}
