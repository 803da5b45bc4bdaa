import {
  type BeginEntry,
  type Clock,
  type FamilyEntry,
  type HealthCheckNodePort,
  type IPFamily,
  type Logger,
  type ModeEntry,
  type ModeSelection,
  messageOf,
  type ObjectChange,
  ObjectJournal,
  type ObjectReader,
  type ProxierOptions,
  type ProxyState,
  printable,
  RECORDING_FORMAT,
  RECORDING_VERSION,
  type ReadyEntry,
  type RecordedEntry,
  type RecordedOptions,
  type ReportedObjects,
  type SourceHandler,
  type SyncEntry,
  type SyncFailure,
  type SyncSuccess,
} from '@kube-proxier/core';
import type { FinishedTakeover, ServerObserver } from '../server-observer.js';
import { VERSION } from '../version.js';
import { RecordingDirectory } from './recording-directory.js';
import { DEFAULT_RECORDING_AGE, DEFAULT_RECORDING_BYTES, type RecordingOptions } from './recording-options.js';
import { checkpointLines, type RecordingContext, RecordingWindow } from './recording-window.js';

/** Dependencies of a {@link FlightRecorder}. */
export interface FlightRecorderContext {
  readonly nodeName: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Shared with the proxiers, so that an object is read once. */
  readonly reader: ObjectReader;
  /** What the sources have reported. Changed before {@link FlightRecorder.sourceHandler} receives an event. */
  readonly objects: ReportedObjects;
  readonly allowLoopbackEndpoints: boolean;
  /** Why the node is not ready; undefined when it is. */
  readonly notReady: () => string | undefined;
  /** The recording cannot be written to its directory. Default: nothing. */
  readonly onFailure?: (error: unknown) => void;
}

/** Tolerance in milliseconds between the host's clock and the recorded one. */
const CLOCK_TOLERANCE = 20;
/** Maximum characters of an error message. */
const MAX_ERROR = 500;

type Unstamped<Entry> = Entry extends RecordedEntry ? Omit<Entry, 'at'> : never;

/**
 * Records the inputs and actions of the agent: changes of objects, syncs, failures, drift and readiness, of the last
 * hour or less. A recording starts with a checkpoint of all objects, followed by deltas. Objects are recorded as the
 * proxier reads them, without any other field.
 *
 * Called with each event after the proxiers. Costs as much as the change.
 */
export class FlightRecorder implements ServerObserver {
  /** Receives the events of the sources. */
  readonly sourceHandler: Partial<SourceHandler>;
  readonly #context: FlightRecorderContext;
  readonly #journal: ObjectJournal;
  readonly #window: RecordingWindow;
  readonly #directory: RecordingDirectory | undefined;
  readonly #zero: number;
  /** Milliseconds since the epoch at `at` 0. */
  #epoch: number;
  readonly #options = new Map<IPFamily, RecordedOptions>();
  readonly #families = new Map<IPFamily, FamilyEntry>();
  readonly #lastSyncs = new Map<IPFamily, SyncEntry>();
  /** Families with changes that no sync covers yet. */
  readonly #pending = new Set<IPFamily>();
  /** Families with a sync that has begun. */
  readonly #running = new Set<IPFamily>();
  readonly #unsynced = new Set(['Services', 'EndpointSlices']);
  #mode: ModeEntry | undefined;
  #ready: ReadyEntry | undefined;

  constructor(
    { maxAge = DEFAULT_RECORDING_AGE, maxBytes = DEFAULT_RECORDING_BYTES, directory }: RecordingOptions,
    context: FlightRecorderContext,
  ) {
    this.#context = context;
    const { clock, logger, reader, objects, onFailure } = context;
    this.#zero = clock.monotonic();
    this.#epoch = clock.now();
    this.#journal = new ObjectJournal(reader, objects);
    this.#window = new RecordingWindow(this.#journal, { maxAge, maxBytes }, this.#now());
    this.#directory =
      directory === undefined
        ? undefined
        : new RecordingDirectory({
            ...{ directory, maxAge, maxBytes, clock, logger },
            checkpoint: () => checkpointLines(this.#now(), this.#journal.current()),
            isSettled: () => this.#isSettled,
            ...(onFailure ? { onFailure } : {}),
          });
    this.sourceHandler = {
      onServiceUpdate: (previous, current) => this.#changed(this.#journal.updateService(previous, current)),
      onEndpointsUpdate: (previous, current) => this.#changed(this.#journal.updateEndpointSlice(previous, current)),
      onNodeUpdate: (node) => this.#changed(this.#journal.updateNode(node, context.nodeName)),
      onServiceCIDRsUpdate: (cidrs) => this.#changed(this.#journal.updateServiceCIDRs(cidrs)),
      onServicesSynced: () => this.#listed('Services'),
      onEndpointsSynced: () => this.#listed('EndpointSlices'),
    };
  }

  /** Bytes of memory in use for recorded changes. */
  get bytes(): number {
    return this.#window.bytes;
  }

  /** Why it is kept in memory only although it has a directory; undefined otherwise. */
  get obstacle(): string | undefined {
    return this.#directory?.obstacle;
  }

  /** A proxier of this family is created with these options. */
  familyServed(family: IPFamily, options: ProxierOptions): void {
    this.#options.set(family, recordedOptions(options));
  }

  /** A proxier of this family has read the addresses of the host. */
  addressesRead(family: IPFamily, addresses: readonly string[]): void {
    this.#changed(this.#journal.updateAddresses(family, addresses));
  }

  modeSelected({ mode }: Pick<ModeSelection, 'mode'>): void {
    this.#mode = { at: this.#at(), entry: 'mode', mode };
    this.#write({ entry: 'mode', mode });
    this.checkReadiness();
  }

  queued(family: IPFamily): void {
    this.#pending.add(family);
  }

  resolving(family: IPFamily, latest: Pick<ProxyState, 'node'>): void {
    if (!this.#families.has(family)) {
      const options = this.#options.get(family);
      if (options === undefined) {
        return;
      }
      const includesLocalAddresses = latest.node.localAddresses !== undefined;
      const entry = { entry: 'family', family, options, includesLocalAddresses } as const;
      this.#families.set(family, { at: this.#at(), ...entry });
      this.#write(entry);
    }
    this.#pending.delete(family);
    this.#running.add(family);
    this.#write({ entry: 'resolved', family });
  }

  synced({ family, full, duration, changes, state }: SyncSuccess): void {
    const entry = {
      entry: 'sync',
      family,
      full,
      duration: rounded(duration),
      changes: changes.servicePorts.size,
      revision: state.revision,
    } as const;
    this.#running.delete(family);
    this.#lastSyncs.set(family, { at: this.#at(), ...entry });
    this.#write(entry);
  }

  failed({ family, full, duration, failures, error }: SyncFailure): void {
    // The resolved state was not programmed.
    this.#pending.add(family);
    this.#running.delete(family);
    this.#write({ entry: 'failed', family, full, duration: rounded(duration), failures, error: textOf(error) });
  }

  repaired({ family, what }: { readonly family: IPFamily; readonly what: string }): void {
    this.#write({ entry: 'drift', family, what: printable(what, MAX_ERROR) });
  }

  serviceHealthFailed({ namespace, name }: Pick<HealthCheckNodePort, 'namespace' | 'name'>, error: unknown): void {
    this.#write({ entry: 'failure', part: `health check node port of ${namespace}/${name}`, error: textOf(error) });
  }

  takenOver({ error }: Pick<FinishedTakeover, 'error'>): void {
    if (error !== undefined) {
      this.#write({ entry: 'failure', part: 'takeover', error: textOf(error) });
    }
  }

  /** Records whether the node is ready, if that has changed. */
  checkReadiness(): void {
    const reason = this.#context.notReady();
    const text = reason === undefined ? {} : { reason: printable(reason, MAX_ERROR) };
    const entry = { entry: 'ready', ready: reason === undefined, ...text } as const;
    if (this.#ready?.ready === entry.ready && this.#ready.reason === text.reason) {
      return;
    }
    this.#ready = { at: this.#at(), ...entry };
    this.#write(entry);
  }

  /** The recording as a file: gzip of one JSON object per line. */
  dump(): AsyncGenerator<Buffer> {
    this.#window.expire(this.#at());
    return this.#window.dump();
  }

  /** Resolves when everything recorded so far is on disk; immediately without a directory. */
  async flush(): Promise<void> {
    await this.#directory?.flush();
  }

  /** Writes what is not on disk yet, and ends. Idempotent. */
  async stop(): Promise<void> {
    await this.#directory?.stop();
  }

  #listed(kind: string): void {
    this.#unsynced.delete(kind);
    if (this.#unsynced.size === 0) {
      this.#journal.begin();
      this.#directory?.beginFile();
    }
    this.checkReadiness();
  }

  #changed(changes: readonly ObjectChange[]): void {
    for (const change of changes) {
      this.#write({ entry: 'object', ...change });
    }
  }

  #write(entry: Unstamped<RecordedEntry>): void {
    const at = this.#at();
    const now = this.#context.clock.now();
    if (Math.abs(now - this.#epoch - at) > CLOCK_TOLERANCE) {
      this.#epoch = now - at;
      this.#add({ at, entry: 'clock', time: isoTime(now) }, at);
    }
    this.#add({ at, ...entry } as RecordedEntry, at);
  }

  #add(entry: RecordedEntry, at: number): void {
    const line = JSON.stringify(entry);
    const isSettled = this.#isSettled;
    this.#window.add(line, at, isSettled, () => this.#now());
    this.#directory?.add(line);
  }

  #now(): RecordingContext {
    const { nodeName, allowLoopbackEndpoints } = this.#context;
    const at = this.#at();
    const begin: BeginEntry = {
      at,
      entry: 'begin',
      format: RECORDING_FORMAT,
      version: RECORDING_VERSION,
      time: isoTime(this.#epoch + at),
      ...{ nodeName, program: `kube-proxier ${VERSION}`, allowLoopbackEndpoints },
      ...(this.#isSettled ? {} : { unsettled: true }),
    };
    return {
      ...{ begin, mode: this.#mode, ready: this.#ready },
      ...{ families: new Map(this.#families), lastSyncs: new Map(this.#lastSyncs) },
    };
  }

  /** Whether all recorded changes are programmed. */
  get #isSettled(): boolean {
    return this.#pending.size === 0 && this.#running.size === 0;
  }

  /** Milliseconds, rounded to 0.1. */
  #at(): number {
    return rounded(this.#context.clock.monotonic() - this.#zero);
  }
}

function recordedOptions({
  nodeName,
  nodeAddresses,
  localTrafficDetection,
  masqueradeAll,
  nodePortAddresses,
  localhostNodePorts,
  nodeTopologyHints,
  overlappingExternalAddresses,
}: ProxierOptions): RecordedOptions {
  return {
    ...{ nodeName, nodeAddresses, localTrafficDetection, masqueradeAll, nodePortAddresses },
    ...{ localhostNodePorts, nodeTopologyHints, overlappingExternalAddresses },
  };
}

function textOf(error: unknown): string {
  return printable(messageOf(error), MAX_ERROR);
}

function rounded(milliseconds: number): number {
  return Math.round(milliseconds * 10) / 10;
}

function isoTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
