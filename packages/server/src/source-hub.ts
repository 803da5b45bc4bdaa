import {
  type EndpointSlice,
  type Logger,
  messageOf,
  type Node,
  type Proxier,
  type Service,
  type SourceHandler,
} from '@kube-proxier/core';
import { withBindAddress } from './node-addresses.js';

/**
 * Brings the events of several sources to one proxier: "synced" when all of them are, service CIDRs put together.
 * Sources must not name the same objects; where they do, the last word counts.
 */
export class SourceHub {
  private readonly unsyncedServices = new Set<SourceHandler>();
  private readonly unsyncedEndpoints = new Set<SourceHandler>();
  private readonly cidrs = new Map<SourceHandler, readonly string[]>();
  private closed = false;

  /** @param bindAddress takes the place of the Node's address of its family (spec W-28); empty for none. */
  constructor(
    private readonly proxier: Proxier,
    private readonly bindAddress: string,
    private readonly logger: Logger,
  ) {}

  /** A handler for one more source. All are to be made before the first source starts. */
  handler(): SourceHandler {
    const handler: SourceHandler = {
      onServiceUpdate: (previous: Service | undefined, current: Service | undefined) =>
        this.pass(() => this.proxier.onServiceUpdate(previous, current)),
      onEndpointsUpdate: (previous: EndpointSlice | undefined, current: EndpointSlice | undefined) =>
        this.pass(() => this.proxier.onEndpointsUpdate(previous, current)),
      onNodeUpdate: (node: Node) =>
        this.pass(() =>
          this.proxier.onNodeUpdate(this.bindAddress === '' ? node : withBindAddress(node, this.bindAddress)),
        ),
      onServicesSynced: () => {
        if (this.unsyncedServices.delete(handler) && this.unsyncedServices.size === 0) {
          this.pass(() => this.proxier.onServicesSynced());
        }
      },
      onEndpointsSynced: () => {
        if (this.unsyncedEndpoints.delete(handler) && this.unsyncedEndpoints.size === 0) {
          this.pass(() => this.proxier.onEndpointsSynced());
        }
      },
      onServiceCIDRsUpdate: (cidrs: readonly string[]) => {
        this.cidrs.set(handler, cidrs);
        const all = [...new Set([...this.cidrs.values()].flat())].sort();
        this.pass(() => this.proxier.onServiceCIDRsUpdate(all));
      },
    };
    this.unsyncedServices.add(handler);
    this.unsyncedEndpoints.add(handler);
    return handler;
  }

  /** No event is passed on from now on. */
  close(): void {
    this.closed = true;
  }

  private pass(call: () => void): void {
    if (this.closed) {
      return;
    }
    try {
      call();
    } catch (error) {
      // A proxier must not throw; one that does loses this event and no other.
      this.logger.error(`The proxier did not take an event: ${messageOf(error)}`, { error });
    }
  }
}
