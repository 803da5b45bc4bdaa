import { Worker } from 'node:worker_threads';
import { type EndpointSliceReadOptions, messageOf } from '@kube-proxier/core';
import type { ManifestRequest } from './manifest-thread.js';
import { type Manifest, readManifest, refusedManifest, textOf } from './read-manifest.js';

/** Limits of a {@link ManifestParser}. */
export interface ManifestParserOptions {
  /** Maximum size in bytes of a file that is parsed in the main thread, which takes milliseconds. Default 16384. */
  readonly maxInline?: number;
  /**
   * Maximum CPU time for parsing a file in milliseconds, at most that of the whole process meanwhile: a file is not refused
   * because other programs use the CPUs. Default 10000.
   */
  readonly timeLimit?: number;
  /** Maximum duration of parsing a file in milliseconds, however little CPU time it gets. Default 120000. */
  readonly maxDuration?: number;
  /** CPU time of this process in milliseconds. Default: that of the system. */
  readonly cpuTime?: () => number;
  /** Milliseconds after which other files no longer wait for this one. Default 400. */
  readonly patience?: number;
}

interface Job {
  /** Memory limit of the thread in MiB. */
  readonly heap: number;
  readonly request: ManifestRequest;
  readonly resolve: (manifest: Manifest) => void;
}

interface Lane {
  readonly worker: Worker;
  /** MiB. */
  readonly heap: number;
  job: Job | undefined;
  /** Start of the job, by the monotonic clock. */
  since: number;
  /** CPU time of the process at the start of the job, in milliseconds. */
  sinceCPU: number;
  timer: NodeJS.Timeout | undefined;
}

/** Maximum number of threads: a slow file occupies one. */
const MAX_LANES = 3;
/** Memory limit of a thread in MiB, and the addition for each MiB of the file. */
const HEAP = 32;
const HEAP_PER_MEBIBYTE = 12;
/** Bytes. */
const MEBIBYTE = 1024 * 1024;
/** Milliseconds after which an idle thread ends and frees its memory. */
const IDLE = 5000;

/**
 * Parses manifests without blocking the event loop: small ones at once, others in threads with memory and time limits.
 * For any content of a file, the process keeps running, and other files are parsed. An idle parser does not keep the
 * process alive.
 */
export class ManifestParser {
  readonly #maxInline: number;
  readonly #timeLimit: number;
  readonly #maxDuration: number;
  readonly #cpuTime: () => number;
  readonly #patience: number;
  readonly #lanes = new Set<Lane>();
  readonly #queue: Job[] = [];
  #again: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: ManifestParserOptions = {}) {
    const { maxInline = 16_384, timeLimit = 10_000, maxDuration = 120_000, patience = 400 } = options;
    this.#maxInline = maxInline;
    this.#timeLimit = timeLimit;
    this.#patience = patience;
    this.#maxDuration = maxDuration;
    this.#cpuTime = options.cpuTime ?? processCPUTime;
  }

  /**
   * Parses one file, and takes over its bytes. Never rejects: a failure is a problem of the manifest.
   */
  async parse(file: string, bytes: Uint8Array<ArrayBuffer>, options: EndpointSliceReadOptions): Promise<Manifest> {
    if (bytes.length <= this.#maxInline) {
      return readManifest(file, textOf(bytes), options);
    }
    return await new Promise((resolve) => {
      this.#queue.push({ request: { file, bytes, options }, heap: heapFor(bytes), resolve });
      this.#next();
    });
  }

  /** Stops all threads. Pending files are refused. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#again);
    for (const { request, resolve } of this.#queue.splice(0)) {
      resolve(refusedManifest(request.file, 'reading was ended'));
    }
    await Promise.all([...this.#lanes].map((lane) => this.#end(lane, 'reading was ended')));
  }

  #next(): void {
    clearTimeout(this.#again);
    while (!this.#closed) {
      const [job] = this.#queue;
      if (job === undefined) {
        return;
      }
      const lanes = [...this.#lanes];
      const free = lanes.find((lane) => lane.job === undefined && lane.heap >= job.heap);
      if (free === undefined && lanes.length >= MAX_LANES) {
        const idle = lanes.find((lane) => lane.job === undefined);
        if (idle === undefined) {
          return;
        }
        void this.#end(idle, '');
        continue;
      }
      // One thread is enough while files are parsed quickly.
      const wait = Math.max(0, ...lanes.map((lane) => lane.since + this.#patience - performance.now()));
      if (free === undefined && wait > 0 && lanes.some((lane) => lane.job !== undefined)) {
        this.#again = setTimeout(() => this.#next(), wait);
        return;
      }
      this.#queue.shift();
      this.#begin(free ?? this.#open(job), job);
    }
  }

  #open(job: Job): Lane {
    // When run from the sources, as in tests, the thread is that of the build.
    const sources = import.meta.url.endsWith('.ts');
    const script = new URL(sources ? '../dist/manifest-thread.js' : './manifest-thread.js', import.meta.url);
    const worker = new Worker(script, {
      name: 'manifests',
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: job.heap, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 },
    });
    const lane: Lane = { worker, heap: job.heap, job: undefined, since: 0, sinceCPU: 0, timer: undefined };
    worker.on('message', (manifest: Manifest) => this.#done(lane, manifest));
    worker.on('error', (error: unknown) => this.#failed(lane, error));
    worker.on('exit', () => void this.#end(lane, 'the thread that reads it ended'));
    this.#lanes.add(lane);
    return lane;
  }

  #begin(lane: Lane, job: Job): void {
    clearTimeout(lane.timer);
    lane.job = job;
    lane.since = performance.now();
    lane.sinceCPU = this.#cpuTime();
    this.#limitTime(lane, Math.min(this.#timeLimit, this.#maxDuration));
    lane.worker.ref();
    lane.worker.postMessage(job.request, [job.request.bytes.buffer]);
  }

  /** Ends the job when its time is over, checked after these milliseconds. */
  #limitTime(lane: Lane, milliseconds: number): void {
    lane.timer = setTimeout(() => {
      const spareCPU = this.#timeLimit - (this.#cpuTime() - lane.sinceCPU);
      const spare = this.#maxDuration - (performance.now() - lane.since);
      if (spareCPU <= 0 || spare <= 0) {
        const limit = spareCPU <= 0 ? `${this.#timeLimit} ms of CPU time` : `${this.#maxDuration} ms`;
        void this.#end(lane, `it took more than ${limit}; it is read again later`, true);
        return;
      }
      this.#limitTime(lane, Math.ceil(Math.min(spareCPU, spare)));
    }, milliseconds);
  }

  #done(lane: Lane, manifest: Manifest): void {
    const { job } = lane;
    clearTimeout(lane.timer);
    lane.job = undefined;
    lane.since = 0;
    lane.worker.unref();
    lane.timer = setTimeout(() => void this.#end(lane, ''), IDLE);
    lane.timer.unref();
    job?.resolve(manifest);
    this.#next();
  }

  #failed(lane: Lane, error: unknown): void {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    const { job } = lane;
    if (code === 'ERR_WORKER_OUT_OF_MEMORY' || job === undefined) {
      void this.#end(lane, 'it takes too much memory');
      return;
    }
    void this.#end(lane, messageOf(error));
  }

  /** @param reason why its job is refused. */
  async #end(lane: Lane, reason: string, timedOut = false): Promise<void> {
    if (!this.#lanes.delete(lane)) {
      return;
    }
    clearTimeout(lane.timer);
    const { job } = lane;
    lane.job = undefined;
    if (job !== undefined) {
      job.resolve(refusedManifest(job.request.file, reason, timedOut));
    }
    this.#next();
    await lane.worker.terminate();
  }
}

/** Milliseconds. */
function processCPUTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** MiB. */
function heapFor(bytes: Uint8Array): number {
  return HEAP + Math.ceil(bytes.length / MEBIBYTE) * HEAP_PER_MEBIBYTE;
}
