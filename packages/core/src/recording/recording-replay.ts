import type { IPFamily } from '../model/address.js';
import { assertNever } from '../model/assert-never.js';
import type { ChangeSet } from '../model/change-set.js';
import type { ProxyState } from '../model/proxy-state.js';
import { ObjectReader } from '../objects/object-reader.js';
import type { EndpointSlice, Node, Service } from '../objects/objects.js';
import { isRecord } from '../objects/unknown-record.js';
import { diffStates } from '../resolution/diff-states.js';
import { ProxyStateResolver, type Resolution } from '../resolution/proxy-state-resolver.js';
import type { SimulationHost } from '../simulator/simulate-packet.js';
import { DEFAULT_PROXIER_OPTIONS } from '../sync/proxier-options.js';
import { printable } from '../text/printable.js';
import {
  type BeginEntry,
  type FamilyEntry,
  type ObjectEntry,
  RECORDING_FORMAT,
  RECORDING_VERSION,
  type RecordedEntry,
  type RecordedKind,
  RecordingError,
  type ResolvedEntry,
  type SyncEntry,
} from './recorded-entry.js';
import { applyDelta } from './structural-delta.js';

/** A replayed sync. */
export interface ReplayedSync {
  readonly entry: SyncEntry;
  /** Milliseconds since the epoch. */
  readonly time: number;
  /** Milliseconds by the monotonic clock of the recording: later changes were not part of it. */
  readonly resolvedAt: number;
  readonly state: ProxyState;
  /** The change from the state in force; `previous` is undefined for a full sync, as for a `Dataplane`. */
  readonly changes: ChangeSet;
}

/** A recorded change of an object, with its versions. */
export interface ReplayedChange {
  readonly entry: ObjectEntry;
  readonly kind: RecordedKind;
  readonly name: string;
  /** Milliseconds since the epoch. */
  readonly time: number;
  /** Undefined: it did not exist. */
  readonly previous: unknown;
  /** Undefined: it is gone. */
  readonly current: unknown;
  /** Part of the checkpoint, not a change. */
  readonly isInitial: boolean;
  /** Families whose states it may change: each needs a sync. */
  readonly needsSync: readonly IPFamily[];
}

/** The effect of an entry. */
export interface ReplayStep {
  /** Milliseconds since the epoch, by the clock of the recorded host. */
  readonly time: number;
  readonly change?: ReplayedChange;
  readonly sync?: ReplayedSync;
}

/** Maximum number of objects of a recording: a hostile one must not exhaust memory. */
const MAX_OBJECTS = 2_000_000;

/**
 * Replays a recording with the resolver of the agent, entry by entry, up to any time. Time is that of the recording.
 *
 * @example
 * const replay = new RecordingReplay();
 * for await (const entry of entries) {
 *   replay.apply(entry);
 * }
 * replay.inForce('IPv4'); // what the kernel had at the end
 */
export class RecordingReplay {
  readonly #families = new Map<IPFamily, FamilyReplay>();
  readonly #objects = new Map<
    string,
    { readonly kind: RecordedKind; readonly name: string; readonly value: unknown }
  >();
  #begin: BeginEntry | undefined;
  #reader = new ObjectReader();
  /** Milliseconds since the epoch at 0 of the monotonic clock. */
  #epoch = 0;
  #isInitial = true;
  #mode: string | undefined;
  #now = 0;

  /** The first entry. @throws RecordingError before it was applied. */
  get begin(): BeginEntry {
    if (this.#begin === undefined) {
      throw new RecordingError('NOT_A_RECORDING', 'the recording is empty');
    }
    return this.#begin;
  }

  /** The mode in force; undefined when it is not known yet. */
  get mode(): string | undefined {
    return this.#mode;
  }

  /** Families that are served. */
  get families(): readonly IPFamily[] {
    return [...this.#families.keys()];
  }

  /** Milliseconds since the epoch of the last entry. */
  get now(): number {
    return this.#now;
  }

  /** The number of objects of this kind. */
  countOf(kind: RecordedKind): number {
    let count = 0;
    for (const object of this.#objects.values()) {
      count += object.kind === kind ? 1 : 0;
    }
    return count;
  }

  /** All objects as they are now, in the form in which an API server sends them. */
  objects(): readonly { readonly kind: RecordedKind; readonly name: string; readonly value: unknown }[] {
    return [...this.#objects.values()];
  }

  /** The state of the last successful sync: what the kernel had. Undefined when there was none. */
  inForce(family: IPFamily): ProxyState | undefined {
    return this.#families.get(family)?.inForce;
  }

  /** The facts about the recorded host for `simulatePacket`. */
  hostOf(family: IPFamily): SimulationHost {
    const localAddresses = textsOf(this.#objects.get(`Addresses ${family}`)?.value);
    return localAddresses.length === 0 ? {} : { localAddresses };
  }

  /** The sync that led to {@link inForce}. */
  lastSync(family: IPFamily): Omit<ReplayedSync, 'changes' | 'state'> | undefined {
    return this.#families.get(family)?.lastSync;
  }

  /** Whether the last sync failed: the kernel may then have parts of a later state. */
  isFailing(family: IPFamily): boolean {
    return this.#families.get(family)?.isFailing ?? false;
  }

  /** Milliseconds since the epoch of the next entry. */
  timeOf(entry: RecordedEntry): number {
    return entry.entry === 'begin' || entry.entry === 'clock' ? Date.parse(entry.time) : this.#epoch + entry.at;
  }

  /**
   * Applies the next entry.
   *
   * @throws RecordingError when it is not a recording, has another version, or is damaged.
   */
  apply(entry: RecordedEntry): ReplayStep {
    if (this.#begin === undefined && entry.entry !== 'begin') {
      throw new RecordingError('NOT_A_RECORDING', 'this is no recording of kube-proxier: the first entry is missing');
    }
    const done = this.#apply(entry);
    this.#now = this.timeOf(entry);
    return { time: this.#now, ...done };
  }

  #apply(entry: RecordedEntry): Omit<ReplayStep, 'time'> {
    switch (entry.entry) {
      case 'begin':
        return this.#start(entry);
      case 'clock':
        this.#epoch = Date.parse(entry.time) - entry.at;
        return {};
      case 'mode':
        this.#mode = entry.mode;
        return {};
      case 'family':
        return this.#serve(entry);
      case 'object':
        return { change: this.#change(entry) };
      case 'checkpoint':
        this.#isInitial = false;
        return {};
      case 'resolved':
        this.#families.get(entry.family)?.resolve(entry);
        return {};
      case 'sync':
        return this.#sync(entry);
      case 'failed':
        this.#families.get(entry.family)?.fail();
        return {};
      case 'drift':
      case 'ready':
      case 'failure':
        return {};
      default:
        return assertNever(entry);
    }
  }

  #start(begin: BeginEntry): Omit<ReplayStep, 'time'> {
    if (begin.format !== RECORDING_FORMAT) {
      throw new RecordingError('NOT_A_RECORDING', `this is no recording of kube-proxier: ${printable(begin.format)}`);
    }
    if (begin.version !== RECORDING_VERSION) {
      throw new RecordingError(
        'RECORDING_VERSION',
        `the recording has version ${begin.version}, and this program reads version ${RECORDING_VERSION}; use the kube-proxier that recorded it (${printable(begin.program)}), or a newer one`,
      );
    }
    this.#epoch = Date.parse(begin.time) - begin.at;
    if (this.#begin === undefined) {
      this.#begin = begin;
      this.#reader = new ObjectReader(undefined, { allowLoopbackEndpoints: begin.allowLoopbackEndpoints });
    }
    return {};
  }

  #serve(entry: FamilyEntry): Omit<ReplayStep, 'time'> {
    if (this.#families.has(entry.family)) {
      return {};
    }
    const family = new FamilyReplay(entry, this.#reader);
    this.#families.set(entry.family, family);
    for (const { kind, name, value } of this.#objects.values()) {
      family.update(kind, name, undefined, value);
    }
    return {};
  }

  #change(entry: ObjectEntry): ReplayedChange {
    const { kind, name } = entry;
    const key = `${kind} ${name}`;
    const previous = this.#objects.get(key)?.value;
    const current = currentOf(entry, previous);
    if (current === undefined) {
      this.#objects.delete(key);
    } else {
      this.#objects.set(key, { kind, name, value: current });
    }
    if (this.#objects.size > MAX_OBJECTS) {
      throw new RecordingError('RECORDING_DAMAGED', `the recording has more than ${MAX_OBJECTS} objects`);
    }
    const needsSync = [...this.#families]
      .filter(([, replay]) => replay.update(kind, name, previous, current))
      .map(([family]) => family);
    return { entry, kind, name, time: this.timeOf(entry), previous, current, isInitial: this.#isInitial, needsSync };
  }

  #sync(entry: SyncEntry): Omit<ReplayStep, 'time'> {
    const done = this.#families.get(entry.family)?.sync(entry, this.timeOf(entry));
    return done === undefined ? {} : { sync: done };
  }
}

function currentOf({ is, to, gone, kind, name }: ObjectEntry, previous: unknown): unknown {
  if (gone) {
    return undefined;
  }
  if (to === undefined) {
    return is;
  }
  try {
    return applyDelta(previous, to);
  } catch (error) {
    const what = `a change of ${kind} ${printable(name)} does not fit what it was`;
    throw new RecordingError('RECORDING_DAMAGED', `the recording is damaged: ${what}`, error);
  }
}

/** The resolver of one family, and the recorded state of the kernel. */
class FamilyReplay {
  inForce: ProxyState | undefined;
  lastSync: Omit<ReplayedSync, 'changes' | 'state'> | undefined;
  isFailing = false;
  readonly #resolver: ProxyStateResolver;
  readonly #family: IPFamily;
  /** The state known to be in the kernel. */
  #applied: ProxyState | undefined;
  #resolved: { readonly resolution: Resolution; readonly at: number } | undefined;

  constructor({ family, options, includesLocalAddresses }: FamilyEntry, reader: ObjectReader) {
    this.#family = family;
    this.#resolver = new ProxyStateResolver({
      family,
      options: { ...DEFAULT_PROXIER_OPTIONS, ...options },
      reader,
      since: 0,
      includesLocalAddresses,
    });
  }

  /** @returns whether a sync is needed. */
  update(kind: RecordedKind, name: string, previous: unknown, current: unknown): boolean {
    switch (kind) {
      case 'Service':
        return this.#resolver.updateService(previous as Service | undefined, current as Service | undefined);
      case 'EndpointSlice':
        return this.#resolver.updateEndpointSlice(
          previous as EndpointSlice | undefined,
          current as EndpointSlice | undefined,
        );
      case 'Node':
        return isRecord(current) && this.#resolver.updateNode(current as Node);
      case 'ServiceCIDRs':
        return this.#resolver.updateServiceCIDRs(textsOf(current));
      case 'Addresses':
        return name === this.#family && this.#resolver.updateLocalAddresses(textsOf(current));
      default:
        return assertNever(kind);
    }
  }

  resolve({ at }: ResolvedEntry): void {
    this.#resolved = { resolution: this.#resolver.applyPending(at), at };
  }

  fail(): void {
    this.#applied = undefined;
    this.#resolved = undefined;
    this.isFailing = true;
  }

  sync(entry: SyncEntry, time: number): ReplayedSync {
    const { resolution, at } = this.#resolved ?? { resolution: this.#resolver.applyPending(entry.at), at: entry.at };
    const { state, changes: step } = resolution;
    const previous = entry.full ? undefined : this.#applied;
    const changes = previous !== undefined && step.previous === previous ? step : diffStates(previous, state);
    this.#applied = state;
    this.inForce = state;
    this.isFailing = false;
    this.#resolved = undefined;
    const sync = { entry, time, resolvedAt: at };
    this.lastSync = sync;
    return { ...sync, state, changes };
  }
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];
}
