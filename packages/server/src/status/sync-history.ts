import type { IPFamily, SyncFailure, SyncSuccess } from '@kube-proxier/core';
import { type Clock, systemClock } from '@kube-proxier/core';
import type { ServerObserver } from '../server-observer.js';

/** Maximum number of syncs. */
const MAX_SYNCS = 600;

/** One sync: plain data for JSON. */
export interface SyncRecord {
  /** End time. ISO 8601, in UTC. */
  readonly time: string;
  readonly family: IPFamily;
  readonly milliseconds: number;
  /** Service ports that it wrote; 0 when it failed. */
  readonly servicePorts: number;
  readonly failed: boolean;
}

/** The last syncs of all IP families, for the status page. */
export class SyncHistory implements ServerObserver {
  readonly #syncs: SyncRecord[] = [];

  constructor(private readonly clock: Clock = systemClock) {}

  synced({ family, duration, changes }: SyncSuccess): void {
    this.#add({ family, milliseconds: rounded(duration), servicePorts: changes.servicePorts.size, failed: false });
  }

  failed({ family, duration }: SyncFailure): void {
    this.#add({ family, milliseconds: rounded(duration), servicePorts: 0, failed: true });
  }

  /** The oldest first; at most 600. */
  get syncs(): readonly SyncRecord[] {
    return this.#syncs;
  }

  #add(sync: Omit<SyncRecord, 'time'>): void {
    this.#syncs.push({ time: new Date(this.clock.now()).toISOString(), ...sync });
    if (this.#syncs.length > MAX_SYNCS) {
      this.#syncs.shift();
    }
  }
}

function rounded(milliseconds: number): number {
  return Math.round(milliseconds * 100) / 100;
}
