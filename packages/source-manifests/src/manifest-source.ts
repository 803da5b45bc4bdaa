import {
  assertNever,
  type Clock,
  checkSourceStart,
  countOf,
  type EndpointSlice,
  findOptionProblem,
  type Logger,
  messageOf,
  type OptionRule,
  OptionRules,
  printable,
  type Service,
  type Source,
  type SourceContext,
  type SourceHandler,
  SourceReporter,
  silentLogger,
  systemClock,
} from '@kube-proxier/core';
import { DirectoryWatcher } from './directory-watcher.js';
import { type DirectorySnapshot, readSnapshot } from './manifest-directory.js';
import { ManifestError } from './manifest-error.js';
import type { ManifestObject } from './manifest-object.js';
import { formatManifestProblem, type ManifestProblem } from './manifest-problem.js';
import { type FileStates, isMalformed, ManifestReader, type Reading } from './manifest-reader.js';
import { nodeNameWarning, type ReportLine, reportDuplicates, reportFiles } from './manifest-report.js';
import { type Duplicate, diffObjects, type ManifestEvent, selectObjects } from './manifest-set.js';
import { ScanLoop } from './scan-loop.js';
import { isOverdue, type SettleTimes, settleDelay } from './settle-policy.js';
import { type WatchDirectory, watchDirectory } from './watch-directory.js';

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

const RULES: { readonly [Name in keyof Required<ManifestSourceOptions>]: OptionRule } = {
  path: OptionRules.string,
  logger: OptionRules.having('error', 'warn', 'info', 'debug', 'v'),
  clock: OptionRules.having('now', 'monotonic', 'setTimer'),
  allowLoopbackEndpoints: OptionRules.boolean,
  settleTime: OptionRules.wholeNumberFrom(0),
  removalSettleTime: OptionRules.wholeNumberFrom(0),
  maxSettleTime: OptionRules.wholeNumberFrom(0),
  pollInterval: OptionRules.milliseconds,
  maxFileBytes: OptionRules.wholeNumberFrom(1),
  watch: {
    expected: 'a function, or false',
    accepts: (value) => value === false || OptionRules.function.accepts(value),
  },
};

/** A scan of very many files takes time; periodic scans use at most this fraction of time. */
const MIN_POLL_RATIO = 50;

/** The arguments of `start`. */
interface Start {
  readonly reporter: SourceReporter;
  readonly nodeName: string;
}

/**
 * Kubernetes objects from a directory of YAML and JSON files, watched for changes.
 *
 * The files together define the objects: writing, replacing or removing a file causes the minimal events. Where a file
 * is malformed, or the whole directory cannot be read, the last valid objects stay in force, and the log reports the
 * error with its position; it also reports the recovery. At the start there are no last valid objects: then the
 * objects of a malformed file are in force without their invalid fields, since a restart would remove what was served.
 *
 * Reads Service, EndpointSlice, Endpoints (as EndpointSlices), Node, ServiceCIDR, and lists of them; skips other kinds.
 * The default namespace is `default`. Of duplicate objects, the first by file name is used.
 */
export class ManifestSource implements Source {
  readonly description: string;

  readonly #path: string;
  readonly #logger: Logger;
  readonly #clock: Clock;
  readonly #times: SettleTimes;
  readonly #pollInterval: number;
  readonly #watcher: DirectoryWatcher;
  readonly #reader: ManifestReader;
  readonly #loop: ScanLoop;

  #started: Start | undefined;
  #stopped = false;
  /** Resolves the start; undefined once all objects were reported. */
  #synced: (() => void) | undefined;

  /** The last snapshot of the directory, in force or not. */
  #seen = '';
  /** Time of the last observed change. */
  #changedAt = 0;
  /** Time since when a change is pending. */
  #pendingSince: number | undefined;
  /** Why the directory cannot be read; empty when it can. */
  #failure = '';

  /** The objects in force. */
  #files: FileStates = new Map();
  #objects: ReadonlyMap<string, ManifestObject> = new Map();
  #duplicates: readonly Duplicate[] = [];

  /** @throws ManifestError `MANIFESTS_OPTION` when an option is missing, unknown or invalid. */
  constructor(options: ManifestSourceOptions) {
    const problem = findOptionProblem('ManifestSource', options, RULES, ['path']);
    if (problem !== undefined) {
      throw new ManifestError('MANIFESTS_OPTION', problem.message);
    }
    const { logger = silentLogger, clock = systemClock, settleTime = 100 } = options;
    this.#path = options.path;
    this.description = `manifests in ${printable(options.path)}`;
    this.#logger = logger;
    this.#clock = clock;
    this.#times = {
      settleTime,
      removalSettleTime: options.removalSettleTime ?? 500,
      maxSettleTime: options.maxSettleTime ?? 5000,
    };
    this.#pollInterval = options.pollInterval ?? 5000;
    this.#watcher = new DirectoryWatcher({
      description: this.description,
      watch: options.watch === false ? undefined : (options.watch ?? watchDirectory),
      pollInterval: this.#pollInterval,
      clock,
      logger,
      onChange: () => {
        // Even when the scan finds the same stamps: a write is in progress.
        this.#changedAt = clock.monotonic();
        this.#loop.runWithin(settleTime);
      },
    });
    this.#loop = new ScanLoop(clock, () =>
      this.#scan().catch((error: unknown) => {
        logger.error(`${this.description}: the scan failed; retrying`, { error });
        return this.#pollInterval;
      }),
    );
    this.#reader = new ManifestReader({
      clock,
      logger,
      maxFileBytes: options.maxFileBytes ?? 32 * 1024 * 1024,
      allowLoopbackEndpoints: options.allowLoopbackEndpoints ?? false,
      onParsed: () => this.#loop.run(),
    });
  }

  /** The current problems of the files, by file name. */
  get problems(): readonly ManifestProblem[] {
    return [...this.#files.values()].flatMap((file) => file.problems);
  }

  /** Why the objects in force may be outdated: the directory cannot be read, or files are malformed. */
  obstacle(): string | undefined {
    if (this.#failure !== '') {
      return this.#failure;
    }
    const malformed = [...this.#files.values()].filter((file) => isMalformed(file));
    const [problem] = malformed.flatMap((file) => file.problems.filter(({ severity }) => severity === 'error'));
    if (problem === undefined) {
      return undefined;
    }
    const others =
      malformed.length > 1 ? `, and ${countOf(malformed.length - 1, 'more file is', 'more files are')} malformed` : '';
    return `${formatManifestProblem(problem)}${others}`;
  }

  /**
   * Reads all files, reports their objects, and continues to watch. Resolves when both `…Synced` methods were called,
   * or when it was stopped before that. Malformed files do not make it fail; their invalid objects are omitted.
   *
   * @throws ManifestError when `path` does not exist or cannot be read; ProxierError `SOURCE_START` when an argument is missing.
   */
  async start(handler: SourceHandler, context: SourceContext): Promise<void> {
    checkSourceStart('ManifestSource', handler, context);
    if (this.#started) {
      throw new ManifestError('MANIFESTS_IN_USE', `${this.description} were started before; make a new ManifestSource`);
    }
    const reporter = new SourceReporter(handler, (error) =>
      this.#logger.error(
        `${this.description}: an event handler failed; continuing with the next event: ${messageOf(error)}`,
        { error },
      ),
    );
    this.#started = { reporter, nodeName: context.nodeName };
    const first = await readSnapshot(this.#path).catch((error: unknown) => {
      const message = `${messageOf(error)}; manifests are read from there, so it has to exist at the start`;
      throw error instanceof ManifestError ? new ManifestError(error.code, message, { cause: error }) : error;
    });
    if (this.#stopped) {
      return;
    }
    // Files that have not changed for some time need no settle time.
    const now = this.#clock.monotonic();
    this.#seen = fingerprint(first);
    const newest = Math.max(0, ...[...first.files.values()].map((file) => file.changedAt));
    this.#changedAt = now - Math.max(0, this.#clock.now() - newest);
    this.#pendingSince = now;
    const done = new Promise<void>((resolve) => {
      this.#synced = resolve;
    });
    this.#loop.run();
    await done;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#started?.reporter.close();
    this.#loop.cancel();
    this.#watcher.close();
    await this.#reader.close();
    await this.#loop.idle();
    this.#synced?.();
  }

  /** @returns milliseconds until the next scan. */
  async #scan(): Promise<number> {
    const begin = this.#clock.monotonic();
    let snapshot: DirectorySnapshot;
    try {
      snapshot = await readSnapshot(this.#path);
    } catch (error) {
      this.#unavailable(messageOf(error));
      return Math.min(this.#pollInterval, 1000);
    }
    if (this.#stopped) {
      return 0;
    }
    this.#available();
    if (this.#watcher.follow(snapshot)) {
      this.#loop.run();
    }
    return this.#readWhenSettled(snapshot, begin);
  }

  /** @returns milliseconds until the next scan. */
  async #readWhenSettled(snapshot: DirectorySnapshot, begin: number): Promise<number> {
    const now = this.#clock.monotonic();
    const fingerprintNow = fingerprint(snapshot);
    if (fingerprintNow !== this.#seen) {
      this.#seen = fingerprintNow;
      this.#changedAt = now;
    }
    if (this.#synced === undefined && !this.#reader.differs(snapshot, this.#files)) {
      this.#pendingSince = undefined;
      return Math.max(this.#pollInterval, (now - begin) * MIN_POLL_RATIO);
    }
    this.#pendingSince ??= now;
    const change = { changedAt: this.#changedAt, pendingSince: this.#pendingSince };
    const delay = settleDelay(change, now, this.#times, 'read');
    if (delay > 0) {
      return delay;
    }
    // At the start, a pending file would count as removed: then all are waited for, up to the parse timeout.
    const reading = await this.#reader.read(snapshot, this.#files, this.#synced ? 'start' : 'later');
    if (this.#stopped) {
      return 0;
    }
    if (reading.incomplete && !isOverdue(change, now, this.#times)) {
      this.#changedAt = now;
      return this.#times.settleTime;
    }
    const selection = selectObjects(reading.files.values());
    const difference = diffObjects(this.#objects, selection.objects);
    const removes = difference.events.some(({ current }) => current === undefined);
    const removalDelay = removes ? settleDelay(change, now, this.#times, 'remove') : 0;
    if (removalDelay > 0) {
      return removalDelay;
    }
    this.#putInForce(reading, selection.duplicates, difference);
    return reading.incomplete ? this.#times.settleTime : this.#pollInterval;
  }

  #putInForce(
    { files }: Reading,
    duplicates: readonly Duplicate[],
    { objects, events }: ReturnType<typeof diffObjects>,
  ): void {
    this.#log([...reportFiles(this.#files, files), ...reportDuplicates(this.#duplicates, duplicates)]);
    this.#files = files;
    this.#duplicates = duplicates;
    this.#objects = objects;
    this.#pendingSince = undefined;
    this.#reader.release(files);
    if (this.#started) {
      this.#report(this.#started, events);
    }
  }

  #report({ reporter, nodeName }: Start, events: readonly ManifestEvent[]): void {
    if (events.length > 0) {
      this.#logger.debug(2, `${this.description}: ${countOf(events.length, 'object')} changed`);
    }
    reporter.onServiceCIDRsUpdate(
      [...this.#objects.values()].flatMap((object) => (object.kind === 'ServiceCIDR' ? object.cidrs : [])),
    );
    for (const event of events) {
      reportEvent(reporter, nodeName, event);
    }
    if (this.#synced) {
      const resolve = this.#synced;
      this.#synced = undefined;
      this.#logger.info(
        `${this.description}: read ${countOf(this.#objects.size, 'object')} in ${countOf(this.#files.size, 'file')}`,
      );
      const warning = nodeNameWarning(this.#objects.values(), nodeName);
      if (warning !== undefined) {
        this.#logger.warn(`${this.description}: ${warning}`);
      }
      reporter.onServicesSynced();
      reporter.onEndpointsSynced();
      resolve();
    }
  }

  #log(lines: readonly ReportLine[]): void {
    for (const { level, message } of lines) {
      this.#logger[level](message);
    }
  }

  #unavailable(reason: string): void {
    this.#watcher.close();
    if (this.#failure !== reason) {
      this.#failure = reason;
      this.#logger.error(
        `${this.description}: ${reason}; the objects that were read last stay in force until it can be read again`,
      );
    }
  }

  #available(): void {
    if (this.#failure !== '') {
      this.#failure = '';
      this.#logger.info(`${this.description}: can be read again`);
    }
  }
}

function reportEvent(reporter: SourceReporter, nodeName: string, { previous, current }: ManifestEvent): void {
  const kind = (current ?? previous)?.kind;
  switch (kind) {
    case 'Service':
      reporter.onServiceUpdate(serviceOf(previous), serviceOf(current));
      return;
    case 'EndpointSlice':
      reporter.onEndpointsUpdate(sliceOf(previous), sliceOf(current));
      return;
    case 'Node':
      // The last known object of a removed Node stays in force (spec W-26).
      if (current?.kind === 'Node' && current.value.metadata?.name === nodeName) {
        reporter.onNodeUpdate(current.value);
      }
      return;
    case 'ServiceCIDR':
    case undefined:
      // ServiceCIDRs are reported as one list.
      return;
    default:
      assertNever(kind);
  }
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
