import type { EndpointSlice, Node, Service } from '../objects/objects.js';

/** Name of a proxy mode: `iptables`, `ipvs`, `nftables`, `userspace`, or a third-party one such as `ebpf`. */
export type ProxyMode = string;

/**
 * A service proxy, as driven by a host agent: it receives events and programs the node.
 *
 * Rules for every implementation:
 * - **Event handlers only record.** The `on…` methods and `sync` return at once, never throw on any input, and may be
 *   called at any time, also while a sync runs. The work happens in `syncLoop`.
 * - **Objects are not trusted.** They come from outside; a malformed one must not affect the others.
 * - **No writes before the first full lists.** Until both `onServicesSynced` and `onEndpointsSynced` were called,
 *   nothing may be programmed: what was installed before a restart is still correct, and a partial list would break
 *   connections (spec K-90).
 * - **No clean-up at the end.** When `syncLoop` returns, the programmed rules stay installed and keep working.
 *
 * Implement this interface to write a proxier from scratch. To let core do tracking, gating, throttling, retries and
 * reconciliation, implement {@link Dataplane} instead and wrap it in a `ReconcilingProxier`.
 */
export interface Proxier {
  /** The mode this proxier implements, as `--proxy-mode` spells it. */
  readonly mode: ProxyMode;

  /**
   * A Service was added (`previous` undefined), changed, or removed (`current` undefined).
   *
   * `previous` is the object that the source reported last; an implementation with its own record should use only its
   * name. The same event may arrive twice, and an update may change nothing (a resync, spec W-5).
   */
  onServiceUpdate(previous: Service | undefined, current: Service | undefined): void;

  /**
   * An EndpointSlice was added, changed or removed, as with Services. Several slices together form the endpoints of a
   * Service, linked by the label `kubernetes.io/service-name`, and can arrive before it.
   */
  onEndpointsUpdate(previous: EndpointSlice | undefined, current: EndpointSlice | undefined): void;

  /** All existing Services were reported. Called once. */
  onServicesSynced(): void;

  /** All existing EndpointSlices were reported. Called once. */
  onEndpointsSynced(): void;

  /** The object of this node, initially and whenever it changes: labels (zone), addresses, pod CIDRs. */
  onNodeUpdate(node: Node): void;

  /** The complete list of cluster IP networks (service CIDRs), whenever it changes (spec W-3). */
  onServiceCIDRsUpdate(cidrs: readonly string[]): void;

  /** Requests a sync soon. Never blocks; requests in quick succession may be merged into one sync. */
  sync(): void;

  /**
   * Runs syncs until `signal` aborts, then resolves within a second and leaves the programmed rules in place. A failed
   * sync is retried and never ends the loop. Called once.
   *
   * @throws never for a failure of the kernel; rejects only where continuing makes no sense.
   */
  syncLoop(signal: AbortSignal): Promise<void>;
}
