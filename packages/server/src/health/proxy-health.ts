import { type Clock, type IPFamily, type Node, type NodeDefinition, readNode, systemClock } from '@kube-proxier/core';
import type { ServerObserver } from '../server-observer.js';
import { type KeptTime, keepTime, presentTime } from '../status/kept-time.js';

/** The taint by which the cluster autoscaler marks a node for deletion (spec H-6). */
const TO_BE_DELETED_TAINT = 'ToBeDeletedByClusterAutoscaler';

interface FamilyHealth {
  /** The last sync that succeeded; undefined before the first. */
  lastUpdated: KeptTime | undefined;
  /** When the oldest pending change was queued, by the monotonic clock; undefined when none is pending. */
  pendingSince: number | undefined;
}

/** What `/healthz` reports (spec H-2). Times are milliseconds since the epoch. */
export interface ProxyHealthStatus {
  readonly healthy: boolean;
  readonly nodeEligible: boolean;
  /** The newest of all families; 0 before the first sync. */
  readonly lastUpdated: number;
  readonly families: Readonly<Partial<Record<IPFamily, { readonly lastUpdated: number; readonly healthy: boolean }>>>;
}

/**
 * Whether changes are applied in time (spec H-3…H-10): a family is unhealthy when a change has been pending for longer
 * than the timeout. Without pending changes it is always healthy.
 */
export class ProxyHealth implements ServerObserver {
  readonly #families = new Map<IPFamily, FamilyHealth>();
  #node: NodeDefinition | undefined;

  /**
   * @param timeout milliseconds that a change may be pending: twice the sync period.
   * @param clock default: the system's.
   */
  constructor(
    private readonly timeout: number,
    private readonly clock: Clock = systemClock,
  ) {}

  started(family: IPFamily): void {
    this.#families.set(family, { lastUpdated: undefined, pendingSince: undefined });
  }

  queued(family: IPFamily): void {
    const health = this.#families.get(family);
    if (health) {
      health.pendingSince ??= this.clock.monotonic();
    }
  }

  synced({ family }: { readonly family: IPFamily }): void {
    this.#families.set(family, { lastUpdated: keepTime(this.clock), pendingSince: undefined });
  }

  nodeEvent(node: Node): void {
    this.#node = readNode(node).definition ?? this.#node;
  }

  status(): ProxyHealthStatus {
    const now = this.clock.monotonic();
    const families: Partial<Record<IPFamily, { lastUpdated: number; healthy: boolean }>> = {};
    let healthy = true;
    let lastUpdated = 0;
    for (const [family, health] of this.#families) {
      const isOnTime = health.pendingSince === undefined || now - health.pendingSince < this.timeout;
      const updated = health.lastUpdated === undefined ? 0 : presentTime(health.lastUpdated, this.clock);
      families[family] = { lastUpdated: updated, healthy: isOnTime };
      healthy &&= isOnTime;
      lastUpdated = Math.max(lastUpdated, updated);
    }
    return { healthy, nodeEligible: this.#nodeEligible, lastUpdated, families };
  }

  /**
   * Why `/healthz` answers 503, so that load balancers send no new connections to this node; undefined when it does
   * not, or while the Node is unknown.
   */
  get ineligible(): string | undefined {
    if (this.#node?.taintKeys.includes(TO_BE_DELETED_TAINT)) {
      return `the Node has the taint ${TO_BE_DELETED_TAINT}`;
    }
    return this.#node?.deleting ? 'the Node is being deleted' : undefined;
  }

  /** A node that is being deleted should get no new connections from load balancers (spec H-6, KEP-3836). */
  get #nodeEligible(): boolean {
    return this.#node !== undefined && this.ineligible === undefined;
  }
}
