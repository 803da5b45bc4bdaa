import type { IPFamily, Protocol } from '@kube-proxier/core';
import type { GroupOfTranslation } from './conntrack.js';
import { findTranslation, readTranslation, type TranslationFields } from './conntrack-messages.js';

/** 8192 translations are remembered: each needs its slot, which another translation may take. */
const SLOTS = 8192;
/** Two IPv6 addresses and two ports. */
const KEY_SIZE = 36;

/**
 * Groups of the entries of one family and protocol, by their translations. The flows of a host share few translations, so
 * that most entries take no memory: the group of a translation is remembered by the bytes of the message.
 */
export class TranslationGroups<Group> {
  readonly #fields: TranslationFields = {
    ...{ destination: 0, destinationPort: 0, source: 0, sourcePort: 0, addressLength: 0 },
  };
  /** The key of the translation that is looked up. */
  readonly #key = new Uint8Array(KEY_SIZE);
  /** By slot: the key that has it. */
  readonly #keys = new Uint8Array(SLOTS * KEY_SIZE);
  readonly #isTaken = new Uint8Array(SLOTS);
  readonly #groups = new Array<Group | undefined>(SLOTS).fill(undefined);

  constructor(
    private readonly family: IPFamily,
    private readonly protocol: Protocol,
    private readonly groupOf: GroupOfTranslation<Group>,
  ) {}

  /**
   * The group of an entry; undefined where it has none, and for entries of another family or protocol, and entries that
   * cannot be decoded.
   */
  ofEntry(payload: Buffer): Group | undefined {
    if (!findTranslation(payload, this.family, this.protocol, this.#fields)) {
      return undefined;
    }
    const length = this.#readKey(payload);
    const slot = this.#slot(length);
    if (this.#isTaken[slot] === 1 && this.#hasKey(slot, length)) {
      return this.#groups[slot];
    }
    const group = this.groupOf(readTranslation(payload, this.family, this.#fields));
    this.#keys.set(this.#key, slot * KEY_SIZE);
    this.#isTaken[slot] = 1;
    this.#groups[slot] = group;
    return group;
  }

  /** @returns the length of the key. */
  #readKey(payload: Buffer): number {
    const key = this.#key;
    const { destination, destinationPort, source, sourcePort, addressLength } = this.#fields;
    let length = 0;
    for (let index = 0; index < addressLength; index++) {
      key[length++] = payload[destination + index] ?? 0;
      key[length++] = payload[source + index] ?? 0;
    }
    for (let index = 0; index < 2; index++) {
      key[length++] = payload[destinationPort + index] ?? 0;
      key[length++] = payload[sourcePort + index] ?? 0;
    }
    return length;
  }

  /** FNV-1a, with its upper bits folded in. */
  #slot(length: number): number {
    let hash = 0x811c9dc5;
    for (let index = 0; index < length; index++) {
      hash = Math.imul(hash ^ (this.#key[index] ?? 0), 0x01000193);
    }
    return (hash ^ (hash >>> 15)) & (SLOTS - 1);
  }

  #hasKey(slot: number, length: number): boolean {
    const start = slot * KEY_SIZE;
    for (let index = 0; index < length; index++) {
      if (this.#keys[start + index] !== this.#key[index]) {
        return false;
      }
    }
    return true;
  }
}
