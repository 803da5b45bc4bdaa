import type { EndpointSlice, Node, Service } from '../objects/objects.js';

/** Name of a way to program the node: `iptables`, `ipvs`, `nftables`, `userspace`, or a foreign one such as `ebpf`. */
export type ProxyMode = string;

/**
 * A service proxy, as a host agent drives it: events in, packets taken care of.
 *
 * Rules for every implementation:
 * - **Events only take note.** The `on…` methods and `sync` return at once, never throw on any input, and may be
 *   called at any time, also while a sync runs. The work happens in `syncLoop`.
 * - **Objects are not trusted.** They come from outside; a malformed one must not disturb the others.
 * - **Nothing before the first full lists.** Until both `onServicesSynced` and `onEndpointsSynced` were called,
 *   nothing may be programmed: what is installed from before a restart is still right, and half a list would cut
 *   connections (spec K-90).
 * - **Nothing is removed at the end.** When `syncLoop` returns, what is programmed stays and goes on working.
 *
 * To implement one from nothing, implement this. To let core do tracking, gating, throttling, retries and
 * reconciliation, implement {@link Dataplane} instead and wrap it in a `ReconcilingProxier`.
 */
export interface Proxier {
  /** The mode this proxier implements, as `--proxy-mode` spells it. */
  readonly mode: ProxyMode;

  /**
   * A Service was added (`previous` undefined), changed, or removed (`current` undefined).
   *
   * `previous` is what the source last said; an implementation that keeps its own record may use it for its name
   * only. The same event may come twice, and an update may change nothing (a resync, spec W-5).
   */
  onServiceUpdate(previous: Service | undefined, current: Service | undefined): void;

  /**
   * An EndpointSlice was added, changed or removed, as with Services. Several slices together make up the endpoints
   * of a Service, tied to it by the label `kubernetes.io/service-name`, and can come before it.
   */
  onEndpointsUpdate(previous: EndpointSlice | undefined, current: EndpointSlice | undefined): void;

  /** All Services that exist were told of. Called once. */
  onServicesSynced(): void;

  /** All EndpointSlices that exist were told of. Called once. */
  onEndpointsSynced(): void;

  /** This node's object, at first and whenever it changes: labels (zone), addresses, pod CIDRs. */
  onNodeUpdate(node: Node): void;

  /** The complete list of networks that cluster IPs are taken from, whenever it changes (spec W-3). */
  onServiceCIDRsUpdate(cidrs: readonly string[]): void;

  /** Asks for a sync soon. Never blocks; requests that come close together may become one sync. */
  sync(): void;

  /**
   * Does the work until `signal` aborts, then resolves, within a second, leaving what is programmed in place. A
   * failed sync is retried and never ends the loop. Called once.
   *
   * @throws never for a failure of the kernel; rejects only where going on makes no sense.
   */
  syncLoop(signal: AbortSignal): Promise<void>;
}
