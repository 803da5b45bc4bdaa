import {
  type EndpointSlice,
  type Logger,
  messageOf,
  type Node,
  type Service,
  type Source,
  type SourceHandler,
} from '@kube-proxier/core';
import { withBindAddress } from './node-addresses.js';
import { ObjectClaims } from './object-claims.js';
import type { ServerObserver } from './server-observer.js';

/** Names come from outside. */
function printable(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, '?').slice(0, 300);
}

/**
 * Brings the events of several sources to one handler, the proxier: "synced" when all of them are, service CIDRs put together. Where
 * two sources name the same Service or EndpointSlice, the first of them counts, and the other takes over when it goes.
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

  /** @param bindAddress takes the place of the Node's address of its family (spec W-28); empty for none. */
  constructor(
    private readonly proxier: SourceHandler,
    private readonly bindAddress: string,
    private readonly logger: Logger,
    private readonly observer: ServerObserver = {},
  ) {}

  /**
   * A handler for one more source. All are to be made before the first source starts.
   *
   * @param source for saying what is missing. Default: that is said without it.
   */
  handler(source: Pick<Source, 'description' | 'obstacle'> = { description: 'a source' }): SourceHandler {
    const place = this.handlers++;
    const handler: SourceHandler = {
      onServiceUpdate: (previous: Service | undefined, current: Service | undefined) =>
        this.claim(this.services, place, previous, current, (before, after) =>
          this.taken(
            () => this.observer.serviceEvent?.(),
            () => this.proxier.onServiceUpdate(before, after),
          ),
        ),
      onEndpointsUpdate: (previous: EndpointSlice | undefined, current: EndpointSlice | undefined) =>
        this.claim(this.slices, place, previous, current, (before, after) =>
          this.taken(
            () => this.observer.endpointsEvent?.(),
            () => this.proxier.onEndpointsUpdate(before, after),
          ),
        ),
      onNodeUpdate: (node: Node) =>
        this.pass(() =>
          this.taken(
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
   * The proxier is not told that all is known, and so begins nothing, until the function that this returns is called.
   * To be called before the first source starts.
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

  private servicesSynced(who: object): void {
    if (this.unsyncedServices.delete(who) && this.unsyncedServices.size === 0) {
      this.pass(() => this.proxier.onServicesSynced());
    }
  }

  private endpointsSynced(who: object): void {
    if (this.unsyncedEndpoints.delete(who) && this.unsyncedEndpoints.size === 0) {
      this.pass(() => this.proxier.onEndpointsSynced());
    }
  }

  /** What is not known yet, and why: `EndpointSlices from https://…: it forbids …`; undefined when all is. */
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

  /** No event is passed on from now on. */
  close(): void {
    this.closed = true;
  }

  private claim<T extends Service | EndpointSlice>(
    claims: ObjectClaims<T>,
    place: number,
    previous: T | undefined,
    current: T | undefined,
    tell: (previous: T | undefined, current: T | undefined) => void,
  ): void {
    if (this.handlers < 2) {
      this.pass(() => tell(previous, current));
      return;
    }
    const change = claims.update(place, previous, current);
    if (change.contested) {
      const { kind = 'Object', metadata } = current ?? {};
      const name = printable(`${kind} ${metadata?.namespace}/${metadata?.name}`);
      this.logger.warn(`${name} comes from two sources; the one that was given first counts`);
    }
    if (change.previous !== change.current) {
      this.pass(() => tell(change.previous, change.current));
    }
  }

  private taken(tell: () => void, pass: () => void): void {
    pass();
    tell();
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
