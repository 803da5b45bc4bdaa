import type { SourceHandler } from '../contract/source.js';
import type { EndpointSlice, Node, Service } from '../objects/objects.js';
import { eventsOfSliceChange } from './address-type-change.js';

/**
 * Delivers events to a handler by the rules of `Source`:
 *
 * - An error of the handler does not reach the source, and the next event is delivered.
 * - An EndpointSlice whose address type changed is deleted and added.
 * - ServiceCIDRs are sorted and without duplicates, and reported only when they changed.
 * - "Synced" is reported once.
 * - Nothing is reported after `close`.
 */
export class SourceReporter implements SourceHandler {
  #closed = false;
  #servicesSynced = false;
  #endpointsSynced = false;
  /** The reported networks. */
  #cidrs: readonly string[] | undefined;

  /** @param failed called with each error of the handler. */
  constructor(
    private readonly handler: SourceHandler,
    private readonly failed: (error: unknown) => void,
  ) {}

  onServiceUpdate(previous: Service | undefined, current: Service | undefined): void {
    this.#report(() => this.handler.onServiceUpdate(previous, current));
  }

  onEndpointsUpdate(previous: EndpointSlice | undefined, current: EndpointSlice | undefined): void {
    for (const event of eventsOfSliceChange(previous, current)) {
      this.#report(() => this.handler.onEndpointsUpdate(...event));
    }
  }

  onNodeUpdate(node: Node): void {
    this.#report(() => this.handler.onNodeUpdate(node));
  }

  /** @param cidrs the networks of all ServiceCIDRs, in any order. */
  onServiceCIDRsUpdate(cidrs: readonly string[]): void {
    const sorted = [...new Set(cidrs)].sort();
    if (this.#cidrs?.join() !== sorted.join()) {
      this.#cidrs = sorted;
      this.#report(() => this.handler.onServiceCIDRsUpdate(sorted));
    }
  }

  onServicesSynced(): void {
    if (!this.#servicesSynced) {
      this.#servicesSynced = true;
      this.#report(() => this.handler.onServicesSynced());
    }
  }

  onEndpointsSynced(): void {
    if (!this.#endpointsSynced) {
      this.#endpointsSynced = true;
      this.#report(() => this.handler.onEndpointsSynced());
    }
  }

  /** Stops reporting. Idempotent. */
  close(): void {
    this.#closed = true;
  }

  #report(call: () => void): void {
    if (this.#closed) {
      return;
    }
    try {
      call();
    } catch (error) {
      this.failed(error);
    }
  }
}
