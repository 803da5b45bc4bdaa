import { createHash } from 'node:crypto';
import {
  type Clock,
  type EndpointSlice,
  type Logger,
  messageOf,
  printable,
  type Service,
  type Source,
  type SourceContext,
  type SourceHandler,
  SourceReporter,
  silentLogger,
  systemClock,
  type Timer,
} from '@kube-proxier/core';
import { ahead, type DirectorySnapshot, type FileStamp, readFileOf, readSnapshot } from './manifest-directory.js';
import { ManifestError } from './manifest-error.js';
import type { ManifestObject } from './manifest-object.js';
import { ManifestParser } from './manifest-parser.js';
import { formatManifestProblem, type ManifestProblem } from './manifest-problem.js';
import { type Duplicate, diffObjects, type ManifestEvent, selectObjects } from './manifest-set.js';
import type { Manifest } from './read-manifest.js';
import { type DirectoryWatch, type WatchDirectory, watchDirectory } from './watch-directory.js';

/** Options of a {@link ManifestSource}. Only `path` is required. */
export interface ManifestSourceOptions {
  /** A directory (its sub-directories are not read), or one file. Symbolic links are followed. */
  readonly path: string;
  /** Default: no log. */
  readonly logger?: Logger;
  /** Default: the system clock. */
  readonly clock?: Clock;
  /**
   * Accept endpoints with loopback addresses, which the API server rejects; see `EndpointSliceReadOptions`. Default
   * false.
   */
  readonly allowLoopbackEndpoints?: boolean;
  /** Milliseconds without a change before files are read. Editors write in steps. Default 100. */
  readonly settleTime?: number;
  /**
   * Milliseconds without a change before anything is *removed*. Longer than `settleTime`, because a file that is being
   * rewritten looks empty for a moment. Default 500.
   */
  readonly removalSettleTime?: number;
  /** Milliseconds after which a directory is read even though it keeps changing. Default 5000. */
  readonly maxSettleTime?: number;
  /**
   * Poll interval of the directory in milliseconds, independent of notifications. Default 5000. Longer when there are
   * so many files that a scan takes more than a fiftieth of it.
   */
  readonly pollInterval?: number;
  /** Maximum size of a file in bytes. Default 33554432 (32 MiB). */
  readonly maxFileBytes?: number;
  /** Early notification of changes; `false` for polling only (network file systems). Default {@link watchDirectory}. */
  readonly watch?: WatchDirectory | false;
}

/** The objects in force of one file, and its problems. */
interface FileState {
  readonly name: string;
  /** Stamp of the content that was read last, valid or not. */
  readonly stamp: string;
  /** Hash of that content; empty when it could not be read. */
  readonly digest: string;
  /** It was read so soon after a change that a further change might have the same stamp. */
  readonly unsettled: boolean;
  /** The last valid objects. */
  readonly objects: readonly ManifestObject[];
  readonly problems: readonly ManifestProblem[];
  /** Time of the next attempt without a change, by the monotonic clock: parsing it took too long. */
  readonly retryAt?: number;
}

/** A file that is being parsed, or whose parsed objects are not in force yet. */
interface Parsing {
  readonly digest: string;
  readonly done: Promise<Manifest>;
  /** Set on completion. */
  manifest?: Manifest;
  /** Other files did not wait for it. */
  late: boolean;
}

/** The next state of all files, not in force yet. */
interface Reading {
  readonly files: ReadonlyMap<string, FileState>;
  /** A file changed during the read. */
  readonly incomplete: boolean;
}

/** File systems may have timestamps of this resolution (milliseconds): two writes within one step look the same. */
const STAMP_GRANULARITY = 2000;

/** Milliseconds that other files wait for a slow one. */
const PARSE_PATIENCE = 300;
/** Milliseconds before a retry of a file that took too long. */
const PARSE_AGAIN = 300_000;

/** A scan of very many files takes time; periodic scans use at most this fraction of time. */
const MIN_POLL_RATIO = 50;

/**
 * Kubernetes objects from a directory of YAML and JSON files, watched for changes.
 *
 * The files together define the objects: writing, replacing or removing a file causes the minimal events. Where a file
 * is malformed, or the whole directory cannot be read, the last valid objects stay in force, and the log reports the
 * error with its position; it also reports the recovery.
 *
 * Reads Service, EndpointSlice, Endpoints (as EndpointSlices), Node, ServiceCIDR, and lists of them; skips other kinds.
 * The default namespace is `default`. Of duplicate objects, the first by file name is used.
 */
export class ManifestSource implements Source {
  readonly description: string;

  private readonly path: string;
  private readonly logger: Logger;
  private readonly clock: Clock;
  private readonly allowLoopbackEndpoints: boolean;
  private readonly settleTime: number;
  private readonly removalSettleTime: number;
  private readonly maxSettleTime: number;
  private readonly pollInterval: number;
  private readonly maxFileBytes: number;
  private readonly watchWith: WatchDirectory | undefined;

  private reporter: SourceReporter | undefined;
  private nodeName = '';
  private stopped = false;
  private timer: Timer | undefined;
  private timerDue = 0;
  private working: Promise<void> | undefined;
  private workAgain = false;

  private watch: DirectoryWatch | undefined;
  private watchedStamp = '';
  private watchFailure = '';
  private watchAgainAt = 0;

  /** The last snapshot of the directory, in force or not. */
  private seen = '';
  /** Time of the last observed change. */
  private changedAt = 0;
  /** Time since when a change is pending. */
  private pendingSince: number | undefined;
  private failure = '';

  private readonly parser = new ManifestParser();
  /** By file name. */
  private readonly parsings = new Map<string, Parsing>();
  private files: ReadonlyMap<string, FileState> = new Map();
  private objects: ReadonlyMap<string, ManifestObject> = new Map();
  private duplicates: ReadonlySet<string> = new Set();
  private synced: (() => void) | undefined;

  constructor(options: ManifestSourceOptions) {
    this.path = options.path;
    this.description = `manifests in ${printable(options.path)}`;
    this.logger = options.logger ?? silentLogger;
    this.clock = options.clock ?? systemClock;
    this.allowLoopbackEndpoints = options.allowLoopbackEndpoints ?? false;
    this.settleTime = options.settleTime ?? 100;
    this.removalSettleTime = Math.max(options.removalSettleTime ?? 500, this.settleTime);
    this.maxSettleTime = options.maxSettleTime ?? 5000;
    this.pollInterval = options.pollInterval ?? 5000;
    this.maxFileBytes = options.maxFileBytes ?? 32 * 1024 * 1024;
    this.watchWith = options.watch === false ? undefined : (options.watch ?? watchDirectory);
  }

  /** The current problems of the files, by file name. */
  get problems(): readonly ManifestProblem[] {
    return [...this.files.values()].flatMap((file) => file.problems);
  }

  /**
   * Reads all files, reports their objects, and continues to watch. Resolves when both `…Synced` methods were called,
   * or when it was stopped before that. Malformed files do not make it fail; their objects are omitted.
   *
   * @throws ManifestError when `path` does not exist or cannot be read.
   */
  async start(handler: SourceHandler, context: SourceContext): Promise<void> {
    if (this.reporter) {
      throw new ManifestError('MANIFESTS_IN_USE', `${this.description} were started before; make a new ManifestSource`);
    }
    this.reporter = new SourceReporter(handler, (error) =>
      this.logger.error(
        `${this.description}: an event handler failed; continuing with the next event: ${messageOf(error)}`,
        { error },
      ),
    );
    this.nodeName = context.nodeName;
    const first = await readSnapshot(this.path).catch((error: unknown) => {
      const message = `${messageOf(error)}; manifests are read from there, so it has to exist at the start`;
      throw error instanceof ManifestError ? new ManifestError(error.code, message, { cause: error }) : error;
    });
    if (this.stopped) {
      return;
    }
    // Files that have not changed for some time need no settle time.
    const now = this.clock.monotonic();
    this.seen = fingerprint(first);
    const newest = Math.max(0, ...[...first.files.values()].map((file) => file.changedAt));
    this.changedAt = now - Math.max(0, this.clock.now() - newest);
    this.pendingSince = now;
    const done = new Promise<void>((resolve) => {
      this.synced = resolve;
    });
    this.scan();
    await done;
  }

  async stop(): Promise<void> {
    this.stopped = true;
    this.reporter?.close();
    this.timer?.cancel();
    this.closeWatch();
    await this.parser.close();
    await this.working;
    this.timer?.cancel();
    this.synced?.();
  }

  /** Scans the directory now; one scan at a time. */
  private scan(): void {
    if (this.stopped) {
      return;
    }
    if (this.working) {
      this.workAgain = true;
      return;
    }
    this.timer?.cancel();
    this.working = this.work()
      .catch((error: unknown): number => {
        this.logger.error(`${this.description}: the scan failed; retrying`, { error });
        return this.pollInterval;
      })
      .then((next) => {
        this.working = undefined;
        if (this.workAgain) {
          this.workAgain = false;
          this.scan();
        } else {
          this.lookIn(next);
        }
      });
  }

  private lookIn(milliseconds: number): void {
    this.timer?.cancel();
    if (!this.stopped) {
      this.timerDue = this.clock.monotonic() + milliseconds;
      this.timer = this.clock.setTimer(milliseconds, () => this.scan());
    }
  }

  /** @returns milliseconds until the next scan. */
  private async work(): Promise<number> {
    let snapshot: DirectorySnapshot;
    const begin = this.clock.monotonic();
    try {
      snapshot = await readSnapshot(this.path);
    } catch (error) {
      this.unavailable(messageOf(error));
      return Math.min(this.pollInterval, 1000);
    }
    if (this.stopped) {
      return 0;
    }
    this.available();
    this.watchOver(snapshot);

    const now = this.clock.monotonic();
    const fingerprintNow = fingerprint(snapshot);
    if (fingerprintNow !== this.seen) {
      this.seen = fingerprintNow;
      this.changedAt = now;
    }
    if (!this.differs(snapshot)) {
      this.pendingSince = undefined;
      return Math.max(this.pollInterval, (now - begin) * MIN_POLL_RATIO);
    }
    this.pendingSince ??= now;
    const quiet = now - this.changedAt;
    const overdue = now - this.pendingSince >= this.maxSettleTime;
    if (quiet < this.settleTime && !overdue) {
      return this.settleTime - quiet;
    }

    const reading = await this.read(snapshot);
    if (this.stopped) {
      return 0;
    }
    if (reading.incomplete && !overdue) {
      this.changedAt = now;
      return this.settleTime;
    }
    const selection = selectObjects(reading.files.values());
    const { objects, events } = diffObjects(this.objects, selection.objects);
    const removes = events.some(({ current }) => current === undefined);
    if (removes && quiet < this.removalSettleTime && !overdue) {
      return this.removalSettleTime - quiet;
    }

    this.reportFiles(reading.files);
    this.reportDuplicates(selection.duplicates);
    this.files = reading.files;
    for (const [name, { digest }] of this.parsings) {
      if (this.files.get(name)?.digest === digest) {
        this.parsings.delete(name);
      }
    }
    this.objects = objects;
    this.pendingSince = undefined;
    this.report(events);
    return reading.incomplete ? this.settleTime : this.pollInterval;
  }

  private differs(snapshot: DirectorySnapshot): boolean {
    if (this.synced || snapshot.files.size !== this.files.size) {
      return true;
    }
    for (const [name, { stamp }] of snapshot.files) {
      const known = this.files.get(name);
      if (!known || known.unsettled || known.stamp !== stamp || this.isDueAgain(known)) {
        return true;
      }
    }
    return false;
  }

  private async read(snapshot: DirectorySnapshot): Promise<Reading> {
    const files = new Map<string, FileState>();
    let incomplete = false;
    const isCurrent = ({ name, stamp }: FileStamp): boolean => {
      const known = this.files.get(name);
      return known?.stamp === stamp && !known.unsettled && !this.isDueAgain(known);
    };
    const contents = ahead(snapshot.files.values(), async (found) => {
      const content = isCurrent(found) ? undefined : await readFileOf(found, this.maxFileBytes);
      return content?.kind === 'bytes'
        ? { found, content, parsing: this.parse(found, content.bytes) }
        : { found, content };
    });
    // At the start, a pending file would count as removed: then all are waited for, up to the parse timeout.
    const patience = this.synced ? undefined : after(PARSE_PATIENCE);
    for (const name of this.parsings.keys()) {
      if (!snapshot.files.has(name)) {
        this.parsings.delete(name);
      }
    }
    for await (const { found, content, parsing } of contents) {
      if (this.stopped) {
        return { files, incomplete: true };
      }
      const { name } = found;
      const known = this.files.get(name);
      if (!content) {
        if (known) {
          files.set(name, known);
        }
        continue;
      }
      if (content.kind === 'changed') {
        incomplete = true;
        if (known) {
          files.set(name, known);
        }
        continue;
      }
      const unsettled = this.clock.now() - found.changedAt < STAMP_GRANULARITY;
      const state = { name, stamp: found.stamp, unsettled };
      if (content.kind === 'unreadable') {
        const place = { file: found.path, line: 0, column: 0, object: '', field: '' };
        const problem: ManifestProblem = { ...place, message: content.reason, severity: 'error' };
        files.set(name, { ...state, digest: '', objects: known?.objects ?? [], problems: [problem] });
        continue;
      }
      if (parsing === undefined) {
        // As it was read last.
        files.set(name, { ...(known as FileState), ...state });
        continue;
      }
      const manifest = parsing.manifest ?? (await (patience ? Promise.race([parsing.done, patience]) : parsing.done));
      if (manifest === undefined) {
        // The next scan follows when it is done.
        parsing.late = true;
        if (known) {
          files.set(name, known);
        }
        continue;
      }
      const { digest } = parsing;
      const broken = manifest.problems.some(({ severity }) => severity === 'error');
      files.set(name, {
        ...state,
        digest,
        objects: broken ? (known?.objects ?? []) : manifest.objects,
        problems: manifest.problems,
        ...(manifest.timedOut ? { retryAt: this.clock.monotonic() + PARSE_AGAIN } : {}),
      });
      for (const ignored of manifest.ignored) {
        this.logger.debug(4, `${printable(found.path)}: passed over ${ignored}`);
      }
    }
    return { files, incomplete };
  }

  /** Starts parsing a file; undefined when its content is unchanged. */
  private parse({ name, path }: FileStamp, bytes: Uint8Array<ArrayBuffer>): Parsing | undefined {
    const digest = createHash('sha256').update(bytes).digest('base64');
    const known = this.files.get(name);
    if (known?.digest === digest && !this.isDueAgain(known)) {
      return undefined;
    }
    const under = this.parsings.get(name);
    if (under?.digest === digest) {
      return under;
    }
    const options = { allowLoopbackEndpoints: this.allowLoopbackEndpoints };
    const parsing: Parsing = { digest, done: this.parser.parse(path, bytes, options), late: false };
    this.parsings.set(name, parsing);
    void parsing.done.then((manifest) => {
      parsing.manifest = manifest;
      if (parsing.late && this.parsings.get(name) === parsing) {
        this.scan();
      }
    });
    return parsing;
  }

  private isDueAgain({ retryAt }: FileState): boolean {
    return retryAt !== undefined && this.clock.monotonic() >= retryAt;
  }

  private reportFiles(files: ReadonlyMap<string, FileState>): void {
    for (const file of files.values()) {
      const known = this.files.get(file.name);
      if (known && known.digest === file.digest && describe(known) === describe(file)) {
        continue;
      }
      for (const problem of file.problems) {
        this.logger[problem.severity === 'error' ? 'error' : 'warn'](formatManifestProblem(problem));
      }
      const name = printable(file.name);
      const count = file.objects.length;
      if (isBroken(file)) {
        const inForce =
          count === 0 ? 'none of its objects is in force' : `its last good objects (${count}) stay in force`;
        this.logger.error(`manifest ${name} is malformed: until it is fixed, ${inForce}`);
      } else if (known && isBroken(known)) {
        this.logger.info(`manifest ${name} is good again: its objects (${count}) are in force`);
      }
    }
    for (const [name, known] of this.files) {
      if (isBroken(known) && !files.has(name)) {
        this.logger.info(`manifest ${printable(name)}, which was malformed, is gone`);
      }
    }
  }

  private reportDuplicates(duplicates: readonly Duplicate[]): void {
    const texts = new Set<string>();
    for (const { key, winner, winnerLine, loser, loserLine } of duplicates) {
      const text = `${printable(loser)}:${loserLine}: ${key} is already defined in ${printable(winner)}, which has precedence`;
      // Line numbers change with every edit; the precedence does not.
      const identity = `${key}\n${winner}\n${loser}`;
      if (!this.duplicates.has(identity)) {
        this.logger.warn(`${text} (line ${winnerLine}); this one is ignored`);
      }
      texts.add(identity);
    }
    this.duplicates = texts;
  }

  private report(events: readonly ManifestEvent[]): void {
    const { reporter } = this;
    if (!reporter) {
      return;
    }
    if (events.length > 0) {
      this.logger.debug(2, `${this.description}: ${events.length} objects changed`);
    }
    reporter.onServiceCIDRsUpdate(
      [...this.objects.values()].flatMap((object) => (object.kind === 'ServiceCIDR' ? object.cidrs : [])),
    );
    for (const event of events) {
      this.emitEvent(reporter, event);
    }
    if (this.synced) {
      const resolve = this.synced;
      this.synced = undefined;
      this.logger.info(`${this.description}: read ${this.objects.size} objects in ${this.files.size} files`);
      this.adviseOnNodes();
      reporter.onServicesSynced();
      reporter.onEndpointsSynced();
      resolve();
    }
  }

  /** Warns of a Node name mismatch: then no endpoint is local, an error that is easy to make and hard to see. */
  private adviseOnNodes(): void {
    const names = [...this.objects.values()].flatMap((object) =>
      object.kind === 'Node' ? [String(object.value.metadata?.name)] : [],
    );
    if (names.length > 0 && !names.includes(this.nodeName)) {
      const listed = printable(names.sort().join(', '), 120);
      this.logger.warn(
        `${this.description}: there are Nodes (${listed}), and none is called ${printable(this.nodeName)} as this one is; no endpoint counts as local unless it says that name; if this is one of them, give its name as nodeName (the hostname override)`,
      );
    }
  }

  private emitEvent(reporter: SourceReporter, { previous, current }: ManifestEvent): void {
    switch ((current ?? previous)?.kind) {
      case 'Service':
        reporter.onServiceUpdate(serviceOf(previous), serviceOf(current));
        return;
      case 'EndpointSlice':
        reporter.onEndpointsUpdate(sliceOf(previous), sliceOf(current));
        return;
      case 'Node':
        // The last known object of a removed Node stays in force (spec W-26).
        if (current?.kind === 'Node' && current.value.metadata?.name === this.nodeName) {
          reporter.onNodeUpdate(current.value);
        }
        return;
      default:
        return;
    }
  }

  private unavailable(reason: string): void {
    this.closeWatch();
    if (this.failure !== reason) {
      this.failure = reason;
      this.logger.error(`${this.description}: ${reason}; what was read last stays in force until it is back`);
    }
  }

  private available(): void {
    if (this.failure !== '') {
      this.failure = '';
      this.logger.info(`${this.description}: can be read again`);
    }
  }

  private watchOver(snapshot: DirectorySnapshot): void {
    const unchanged = this.watch !== undefined && this.watchedStamp === snapshot.watchedStamp;
    if (!this.watchWith || unchanged || this.clock.monotonic() < this.watchAgainAt) {
      return;
    }
    this.closeWatch();
    try {
      this.watch = this.watchWith(
        snapshot.watched,
        () => this.noticed(),
        (error) => this.watchFailed(error),
      );
      this.watchedStamp = snapshot.watchedStamp;
      // A change between the scan and the start of the watch was seen by neither.
      this.workAgain = true;
    } catch (error) {
      this.watchFailed(error);
    }
  }

  private noticed(): void {
    // Even when the scan finds the same stamps: a write is in progress.
    this.changedAt = this.clock.monotonic();
    this.watchFailure = '';
    if (this.working) {
      this.workAgain = true;
    } else if (this.timerDue > this.changedAt + this.settleTime) {
      this.lookIn(this.settleTime);
    }
  }

  private watchFailed(error: unknown): void {
    this.closeWatch();
    this.watchAgainAt = this.clock.monotonic() + this.pollInterval;
    const reason = printable(messageOf(error));
    if (this.watchFailure !== reason) {
      this.watchFailure = reason;
      this.logger.warn(
        `${this.description}: changes are seen only every ${this.pollInterval} ms, since watching failed: ${reason}`,
      );
    }
  }

  private closeWatch(): void {
    this.watch?.close();
    this.watch = undefined;
  }
}

function after(milliseconds: number): Promise<undefined> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds, undefined).unref();
  });
}

function fingerprint(snapshot: DirectorySnapshot): string {
  return [...snapshot.files.values()].map(({ name, stamp }) => `${name}\0${stamp}`).join('\n');
}

function serviceOf(object: ManifestObject | undefined): Service | undefined {
  return object?.kind === 'Service' ? object.value : undefined;
}

function sliceOf(object: ManifestObject | undefined): EndpointSlice | undefined {
  return object?.kind === 'EndpointSlice' ? object.value : undefined;
}

function isBroken(file: FileState): boolean {
  return file.problems.some(({ severity }) => severity === 'error');
}

function describe(file: FileState): string {
  return JSON.stringify(file.problems);
}
