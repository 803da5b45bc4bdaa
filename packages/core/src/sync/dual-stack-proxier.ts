import type { Proxier, ProxyMode } from '../contract/proxier.js';
import type { EndpointSlice, Node, Service } from '../objects/objects.js';

/**
 * Two single-family proxiers behind one (spec K-100…K-102). Everything goes to both, IPv4 first; each takes what is of
 * its family. A failure of one never keeps an event from the other.
 */
export class DualStackProxier implements Proxier {
  readonly mode: ProxyMode;

  /** @throws RangeError when the two are of different modes. */
  constructor(
    private readonly ipv4: Proxier,
    private readonly ipv6: Proxier,
  ) {
    if (ipv4.mode !== ipv6.mode) {
      throw new RangeError(`both proxiers must be of one mode, not "${ipv4.mode}" and "${ipv6.mode}"`);
    }
    this.mode = ipv4.mode;
  }

  onServiceUpdate(previous: Service | undefined, current: Service | undefined): void {
    this.ipv4.onServiceUpdate(previous, current);
    this.ipv6.onServiceUpdate(previous, current);
  }

  onEndpointsUpdate(previous: EndpointSlice | undefined, current: EndpointSlice | undefined): void {
    this.ipv4.onEndpointsUpdate(previous, current);
    this.ipv6.onEndpointsUpdate(previous, current);
  }

  onServicesSynced(): void {
    this.ipv4.onServicesSynced();
    this.ipv6.onServicesSynced();
  }

  onEndpointsSynced(): void {
    this.ipv4.onEndpointsSynced();
    this.ipv6.onEndpointsSynced();
  }

  onNodeUpdate(node: Node): void {
    this.ipv4.onNodeUpdate(node);
    this.ipv6.onNodeUpdate(node);
  }

  onServiceCIDRsUpdate(cidrs: readonly string[]): void {
    this.ipv4.onServiceCIDRsUpdate(cidrs);
    this.ipv6.onServiceCIDRsUpdate(cidrs);
  }

  sync(): void {
    this.ipv4.sync();
    this.ipv6.sync();
  }

  /** Ends when both have ended; when one rejects, the other is ended too and the error is passed on. */
  async syncLoop(signal: AbortSignal): Promise<void> {
    const failed = new AbortController();
    const either = AbortSignal.any([signal, failed.signal]);
    const run = async (proxier: Proxier) => {
      try {
        await proxier.syncLoop(either);
      } catch (error) {
        failed.abort();
        throw error;
      }
    };
    const results = await Promise.allSettled([run(this.ipv4), run(this.ipv6)]);
    const rejected = results.find((result) => result.status === 'rejected');
    if (rejected) {
      throw rejected.reason;
    }
  }
}
