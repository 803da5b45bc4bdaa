import {
  type EndpointSlice,
  type Logger,
  messageOf,
  type Node,
  printable,
  type ReportedKind,
  type ReportedObjects,
  type Service,
  type Source,
  type SourceHandler,
  SourceReporter,
} from '@kube-proxier/core';
import { withBindAddress } from '../node/node-addresses.js';
import type { ServerObserver } from '../server-observer.js';
import { ObjectClaims } from './object-claims.js';

/** What a {@link SourceHub} uses of a source. */
type HubSource = Pick<Source, 'description' | 'obstacle' | 'objects'>;

/** Options of a {@link SourceHub}. */
export interface SourceHubOptions {
  /** Replaces the Node's address of its family (spec W-28); empty for none. */
  readonly bindAddress: string;
  /** Whether {@link SourceHub.objects} is used. References to the objects of a source that cannot list them are then kept. */
  readonly isRecorded: boolean;
  readonly logger: Logger;
  /** Default: none. */
  readonly observer?: ServerObserver;
}

/**
 * Passes the events of several sources to one handler, the proxier: "synced" when all of them are, ServiceCIDRs merged.
 * If two sources contain the same Service or EndpointSlice, the first has precedence; when it removes the object, that
 * of the other applies.
 */
export class SourceHub {
  /** The objects of all sources, merged. */
  readonly objects: ReportedObjects;
  readonly #unsyncedServices = new Set<object>();
  readonly #unsyncedEndpoints = new Set<object>();
  readonly #sources = new Map<object, HubSource>();
  readonly #cidrs = new Map<SourceHandler, readonly string[]>();
  readonly #services = new ObjectClaims<Service>();
  readonly #slices = new ObjectClaims<EndpointSlice>();
  readonly #reporter: SourceReporter;
  #handlers = 0;

  constructor(
    proxier: SourceHandler,
    private readonly options: SourceHubOptions,
  ) {
    const { bindAddress, logger, observer = {} } = options;
    this.#reporter = new SourceReporter(observedProxier(proxier, bindAddress, observer), (error) =>
      // A proxier must not throw; one that does loses this event and no other.
      logger.error(`The proxier failed to handle an event: ${messageOf(error)}`, { error }),
    );
    this.objects = {
      all: (kind) => this.#listed?.all(kind) ?? this.#claimsOf(kind).all(),
      get: (kind, identity) => (this.#listed ? this.#listed.get(kind, identity) : this.#claimsOf(kind).get(identity)),
    };
  }

  /**
   * Creates a handler for one more source. Create all before the first source starts.
   *
   * @param source named by {@link missing}. Default: an anonymous source.
   */
  handler(source: HubSource = { description: 'a source' }): SourceHandler {
    const place = this.#handlers++;
    const handler: SourceHandler = {
      onServiceUpdate: (previous: Service | undefined, current: Service | undefined) =>
        this.#claim(this.#services, place, previous, current, (...change) => this.#reporter.onServiceUpdate(...change)),
      onEndpointsUpdate: (previous: EndpointSlice | undefined, current: EndpointSlice | undefined) =>
        this.#claim(this.#slices, place, previous, current, (...change) => this.#reporter.onEndpointsUpdate(...change)),
      onNodeUpdate: (node: Node) => this.#reporter.onNodeUpdate(node),
      onServicesSynced: () => this.#servicesSynced(handler),
      onEndpointsSynced: () => this.#endpointsSynced(handler),
      onServiceCIDRsUpdate: (cidrs: readonly string[]) => {
        this.#cidrs.set(handler, cidrs);
        this.#reporter.onServiceCIDRsUpdate([...this.#cidrs.values()].flat());
      },
    };
    this.#sources.set(handler, source);
    this.#unsyncedServices.add(handler);
    this.#unsyncedEndpoints.add(handler);
    return handler;
  }

  /**
   * Withholds "synced" from the proxier, so that it does not start, until the returned function is called. Call it
   * before the first source starts.
   */
  hold(): () => void {
    const host = {};
    this.#unsyncedServices.add(host);
    this.#unsyncedEndpoints.add(host);
    return () => {
      this.#servicesSynced(host);
      this.#endpointsSynced(host);
    };
  }

  /** The objects of the only source; undefined for several, and for one that cannot list them. */
  get #listed(): ReportedObjects | undefined {
    const [only] = this.#sources.values();
    return this.#sources.size === 1 ? only?.objects : undefined;
  }

  #claimsOf(kind: ReportedKind): Pick<ObjectClaims<Service | EndpointSlice>, 'all' | 'get'> {
    return kind === 'Services' ? this.#services : this.#slices;
  }

  #servicesSynced(origin: object): void {
    if (this.#unsyncedServices.delete(origin) && this.#unsyncedServices.size === 0) {
      this.#reporter.onServicesSynced();
    }
  }

  #endpointsSynced(origin: object): void {
    if (this.#unsyncedEndpoints.delete(origin) && this.#unsyncedEndpoints.size === 0) {
      this.#reporter.onEndpointsSynced();
    }
  }

  /** The incomplete lists, and why: `EndpointSlices from https://…: it forbids …`; undefined when all are complete. */
  missing(): string | undefined {
    const texts = [...this.#sources].flatMap(([handler, source]) => {
      const kinds = [
        ...(this.#unsyncedServices.has(handler) ? (['Services'] as const) : []),
        ...(this.#unsyncedEndpoints.has(handler) ? (['EndpointSlices'] as const) : []),
      ];
      const reasons = new Set(kinds.flatMap((kind) => source.obstacle?.(kind) ?? []));
      const why = reasons.size === 0 ? '' : `: ${[...reasons].join('; ')}`;
      return kinds.length === 0 ? [] : [`${kinds.join(' and ')} from ${source.description}${why}`];
    });
    if (texts.length === 0) {
      return this.#unsyncedServices.size + this.#unsyncedEndpoints.size > 0 ? 'the set-up of this host' : undefined;
    }
    return texts.join('; ');
  }

  /** Stops delivering events. */
  close(): void {
    this.#reporter.close();
  }

  #claim<T extends Service | EndpointSlice>(
    claims: ObjectClaims<T>,
    place: number,
    previous: T | undefined,
    current: T | undefined,
    notify: (previous: T | undefined, current: T | undefined) => void,
  ): void {
    const isKept = this.#handlers > 1 || (this.options.isRecorded && this.#listed === undefined);
    if (!isKept) {
      notify(previous, current);
      return;
    }
    const change = claims.update(place, previous, current);
    if (change.contested) {
      const { kind = 'Object', metadata } = current ?? {};
      const name = printable(`${kind} ${metadata?.namespace}/${metadata?.name}`);
      this.options.logger.warn(`${name} comes from two sources; the first configured source wins`);
    }
    if (change.previous !== change.current) {
      notify(change.previous, change.current);
    }
  }
}

/** The proxier, with the observer notified of each event that the proxier handled. */
function observedProxier(proxier: SourceHandler, bindAddress: string, observer: ServerObserver): SourceHandler {
  return {
    onServiceUpdate(previous, current) {
      proxier.onServiceUpdate(previous, current);
      observer.serviceEvent?.();
    },
    onEndpointsUpdate(previous, current) {
      proxier.onEndpointsUpdate(previous, current);
      observer.endpointsEvent?.();
    },
    onNodeUpdate(node) {
      proxier.onNodeUpdate(bindAddress === '' ? node : withBindAddress(node, bindAddress));
      observer.nodeEvent?.(node);
    },
    onServicesSynced: () => proxier.onServicesSynced(),
    onEndpointsSynced: () => proxier.onEndpointsSynced(),
    onServiceCIDRsUpdate: (cidrs) => proxier.onServiceCIDRsUpdate(cidrs),
  };
}
