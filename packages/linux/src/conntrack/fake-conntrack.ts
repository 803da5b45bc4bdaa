import type { IPFamily, Protocol } from '@kube-proxier/core';
import {
  type Conntrack,
  type ConntrackEntry,
  type ConntrackError,
  type ConntrackTranslation,
  type GroupOfTranslation,
  type ReplySource,
  repliesComeFrom,
} from './conntrack.js';
import { conntrackKey } from './conntrack-text.js';
import { deleteListed } from './delete-listed.js';

/** A connection tracking table in memory. */
export class FakeConntrack implements Conntrack {
  readonly #entries = new Map<string, ConntrackEntry>();
  #failure: ConntrackError | undefined;

  /** Adds a flow, as a packet would; adding an existing flow has no effect. */
  add(entry: ConntrackEntry): void {
    this.#entries.set(conntrackKey(entry), entry);
  }

  /** All flows of all families and protocols. */
  get entries(): readonly ConntrackEntry[] {
    return [...this.#entries.values()];
  }

  /** Makes every call fail from now on; undefined restores normal operation. */
  failWith(error: ConntrackError | undefined): void {
    this.#failure = error;
  }

  async check(): Promise<void> {
    this.#check();
  }

  async list(
    family: IPFamily,
    protocol: Protocol,
    wanted: (entry: ConntrackEntry) => boolean = () => true,
    repliesFrom?: ReplySource,
  ): Promise<readonly ConntrackEntry[]> {
    this.#check();
    return this.entries.filter(
      (entry) =>
        entry.family === family && entry.protocol === protocol && repliesComeFrom(entry, repliesFrom) && wanted(entry),
    );
  }

  async delete(entries: readonly ConntrackEntry[]): Promise<number> {
    this.#check();
    return entries.filter((entry) => this.#entries.delete(conntrackKey(entry))).length;
  }

  deleteMatching<Group>(
    family: IPFamily,
    protocol: Protocol,
    groupOf: GroupOfTranslation<Group>,
  ): Promise<ReadonlyMap<Group, number>> {
    return deleteListed(this, family, protocol, groupOf);
  }

  /** As in the kernel, which cannot filter by IPv6 addresses. */
  async deleteTranslated(
    family: IPFamily,
    protocol: Protocol,
    translations: readonly ConntrackTranslation[],
  ): Promise<number | undefined> {
    if (family === 'IPv6') {
      return undefined;
    }
    return this.delete(
      await this.list(family, protocol, ({ original, reply }) =>
        translations.some(
          ({ destination, destinationPort, source, sourcePort }) =>
            original.destination === destination &&
            original.destinationPort === destinationPort &&
            reply.source === source &&
            reply.sourcePort === sourcePort,
        ),
      ),
    );
  }

  #check(): void {
    if (this.#failure) {
      throw this.#failure;
    }
  }
}
