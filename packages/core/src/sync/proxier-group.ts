import type { Proxier, ProxyMode } from '../contract/proxier.js';
import type { EndpointSlice, Node, Service } from '../objects/objects.js';

/** Combines several proxiers. Every event goes to all of them, in order. */
export abstract class ProxierGroup implements Proxier {
  protected constructor(
    readonly mode: ProxyMode,
    protected readonly members: readonly Proxier[],
  ) {}

  onServiceUpdate(previous: Service | undefined, current: Service | undefined): void {
    for (const member of this.members) {
      member.onServiceUpdate(previous, current);
    }
  }

  onEndpointsUpdate(previous: EndpointSlice | undefined, current: EndpointSlice | undefined): void {
    for (const member of this.members) {
      member.onEndpointsUpdate(previous, current);
    }
  }

  onServicesSynced(): void {
    for (const member of this.members) {
      member.onServicesSynced();
    }
  }

  onEndpointsSynced(): void {
    for (const member of this.members) {
      member.onEndpointsSynced();
    }
  }

  onNodeUpdate(node: Node): void {
    for (const member of this.members) {
      member.onNodeUpdate(node);
    }
  }

  onServiceCIDRsUpdate(cidrs: readonly string[]): void {
    for (const member of this.members) {
      member.onServiceCIDRsUpdate(cidrs);
    }
  }

  sync(): void {
    for (const member of this.members) {
      member.sync();
    }
  }

  abstract syncLoop(signal: AbortSignal): Promise<void>;
}
