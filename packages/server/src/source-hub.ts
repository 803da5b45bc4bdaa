import {
  type EndpointSlice,
  type Logger,
  messageOf,
  type Node,
  printable,
  type Service,
  type Source,
  type SourceHandler,
} from '@kube-proxier/core';
import { withBindAddress } from './node-addresses.js';
import { ObjectClaims } from './object-claims.js';
import type { ServerObserver } from './server-observer.js';

/**
 * Passes the events of several sources to one handler, the proxier: "synced" when all of them are, ServiceCIDRs merged.
 * If two sources contain the same Service or EndpointSlice, the first wins, and the other takes over when the first drops
 * it.
 */
export class SourceHub {
  private readonly unsyncedServices = new Set<object>();
  private readonly unsyncedEndpoints = new Set<object>();
  private readonly sources = new Map<object, Pick<Source, 'description' | 'obstacle'>>();
  private readonly cidrs = new Map<SourceHandler, readonly string[]>();
  private readonly services = new ObjectClaims<Service>();
  private readonly slices = new ObjectClaims<EndpointSlice>();
  private handlers = 0;
  private closed = false;

  /** @param bindAddress replaces the Node's address of its family (spec W-28); empty for none. */
  constructor(
    private readonly proxier: SourceHandler,
    private readonly bindAddress: string,
    private readonly logger: Logger,
    private readonly observer: ServerObserver = {},
  ) {}

  /**
   * Creates a handler for one more source. Create all before the first source starts.
   *
   * @param source named by {@link missing}. Default: an anonymous source.
   */
  handler(source: Pick<Source, 'description' | 'obstacle'> = { description: 'a source' }): SourceHandler {
    const place = this.handlers++;
    const handler: SourceHandler = {
      onServiceUpdate: (previous: Service | undefined, current: Service | undefined) =>
        this.claim(this.services, place, previous, current, (before, after) =>
          this.forward(
            () => this.observer.serviceEvent?.(),
            () => this.proxier.onServiceUpdate(before, after),
          ),
        ),
      onEndpointsUpdate: (previous: EndpointSlice | undefined, current: EndpointSlice | undefined) =>
        this.claim(this.slices, place, previous, current, (before, after) =>
          this.forward(
            () => this.observer.endpointsEvent?.(),
            () => this.proxier.onEndpointsUpdate(before, after),
          ),
        ),
      onNodeUpdate: (node: Node) =>
        this.pass(() =>
          this.forward(
            () => this.observer.nodeEvent?.(node),
            () => this.proxier.onNodeUpdate(this.bindAddress === '' ? node : withBindAddress(node, this.bindAddress)),
          ),
        ),
      onServicesSynced: () => this.servicesSynced(handler),
      onEndpointsSynced: () => this.endpointsSynced(handler),
      onServiceCIDRsUpdate: (cidrs: readonly string[]) => {
        this.cidrs.set(handler, cidrs);
        const all = [...new Set([...this.cidrs.values()].flat())].sort();
        this.pass(() => this.proxier.onServiceCIDRsUpdate(all));
      },
    };
    this.sources.set(handler, source);
    this.unsyncedServices.add(handler);
    this.unsyncedEndpoints.add(handler);
    return handler;
  }

  /**
   * Withholds "synced" from the proxier, so that it does not begin, until the returned function is called. Call it before
   * the first source starts.
   */
  hold(): () => void {
    const host = {};
    this.unsyncedServices.add(host);
    this.unsyncedEndpoints.add(host);
    return () => {
      this.servicesSynced(host);
      this.endpointsSynced(host);
    };
  }

  private servicesSynced(origin: object): void {
    if (this.unsyncedServices.delete(origin) && this.unsyncedServices.size === 0) {
      this.pass(() => this.proxier.onServicesSynced());
    }
  }

  private endpointsSynced(origin: object): void {
    if (this.unsyncedEndpoints.delete(origin) && this.unsyncedEndpoints.size === 0) {
      this.pass(() => this.proxier.onEndpointsSynced());
    }
  }

  /** The incomplete lists, and why: `EndpointSlices from https://…: it forbids …`; undefined when all are complete. */
  missing(): string | undefined {
    const texts = [...this.sources].flatMap(([handler, source]) => {
      const kinds = [
        ...(this.unsyncedServices.has(handler) ? (['Services'] as const) : []),
        ...(this.unsyncedEndpoints.has(handler) ? (['EndpointSlices'] as const) : []),
      ];
      const reasons = new Set(kinds.flatMap((kind) => source.obstacle?.(kind) ?? []));
      const why = reasons.size === 0 ? '' : `: ${[...reasons].join('; ')}`;
      return kinds.length === 0 ? [] : [`${kinds.join(' and ')} from ${source.description}${why}`];
    });
    if (texts.length === 0) {
      return this.unsyncedServices.size + this.unsyncedEndpoints.size > 0 ? 'the set-up of this host' : undefined;
    }
    return texts.join('; ');
  }

  /** Stops passing on events. */
  close(): void {
    this.closed = true;
  }

  private claim<T extends Service | EndpointSlice>(
    claims: ObjectClaims<T>,
    place: number,
    previous: T | undefined,
    current: T | undefined,
    notify: (previous: T | undefined, current: T | undefined) => void,
  ): void {
    if (this.handlers < 2) {
      this.pass(() => notify(previous, current));
      return;
    }
    const change = claims.update(place, previous, current);
    if (change.contested) {
      const { kind = 'Object', metadata } = current ?? {};
      const name = printable(`${kind} ${metadata?.namespace}/${metadata?.name}`);
      this.logger.warn(`${name} comes from two sources; the first configured source wins`);
    }
    if (change.previous !== change.current) {
      this.pass(() => notify(change.previous, change.current));
    }
  }

  private forward(notify: () => void, pass: () => void): void {
    pass();
    notify();
  }

  private pass(call: () => void): void {
    if (this.closed) {
      return;
    }
    try {
      call();
    } catch (error) {
      // A proxier must not throw; one that does loses this event and no other.
      this.logger.error(`The proxier failed to handle an event: ${messageOf(error)}`, { error });
    }
  }
}
