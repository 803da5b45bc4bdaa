import { Worker } from 'node:worker_threads';
import { type EndpointSliceReadOptions, messageOf } from '@kube-proxier/core';
import type { ManifestRequest } from './manifest-thread.js';
import { type Manifest, readManifest, refusedManifest, textOf } from './read-manifest.js';

/** How much a {@link ManifestParser} may take. */
export interface ManifestParserOptions {
  /** Bytes of a file up to which it is read at once, in this thread: that is a matter of milliseconds. Default 16384. */
  readonly maxInline?: number;
  /** Milliseconds that reading a file may take. Default 10000. */
  readonly timeLimit?: number;
  /** Milliseconds after which other files do not wait any longer. Default 400. */
  readonly patience?: number;
}

interface Job {
  /** MiB of memory that the thread has. */
  readonly heap: number;
  readonly request: ManifestRequest;
  readonly resolve: (manifest: Manifest) => void;
}

interface Lane {
  readonly worker: Worker;
  /** MiB. */
  readonly heap: number;
  job: Job | undefined;
  /** When the job began, by the monotonic clock. */
  since: number;
  timer: NodeJS.Timeout | undefined;
}

/** Threads at most: a file that takes long keeps one busy. */
const MAX_LANES = 3;
/** MiB of memory for a thread, and for each MiB of the file on top of that. */
const HEAP = 32;
const HEAP_PER_MEBIBYTE = 12;
/** Bytes. */
const MEBIBYTE = 1024 * 1024;
/** Milliseconds after which a thread without work ends, and its memory is free. */
const IDLE = 5000;

/**
 * Reads manifests without holding up the event loop: small ones at once, others in threads with a limit of memory and of time.
 * Whatever a file holds, the process goes on, and other files are read. Keeps no process alive while it has nothing to do.
 */
export class ManifestParser {
  readonly #maxInline: number;
  readonly #timeLimit: number;
  readonly #patience: number;
  readonly #lanes = new Set<Lane>();
  readonly #queue: Job[] = [];
  #again: NodeJS.Timeout | undefined;
  #closed = false;

  constructor({ maxInline = 16_384, timeLimit = 10_000, patience = 400 }: ManifestParserOptions = {}) {
    this.#maxInline = maxInline;
    this.#timeLimit = timeLimit;
    this.#patience = patience;
  }

  /**
   * Reads one file, whose bytes are its own from then on. Never rejects: what cannot be read is a problem of the manifest.
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

  /** Ends all threads. What is under way is refused. */
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
      // One thread does for all files that take no time.
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
    // From the sources, which tests run, the thread is that of the build.
    const sources = import.meta.url.endsWith('.ts');
    const script = new URL(sources ? '../dist/manifest-thread.js' : './manifest-thread.js', import.meta.url);
    const worker = new Worker(script, {
      name: 'manifests',
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: job.heap, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 },
    });
    const lane: Lane = { worker, heap: job.heap, job: undefined, since: 0, timer: undefined };
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
    lane.timer = setTimeout(
      () => void this.#end(lane, `it took more than ${this.#timeLimit} ms; it is read again later`, true),
      this.#timeLimit,
    );
    lane.worker.ref();
    lane.worker.postMessage(job.request, [job.request.bytes.buffer]);
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

/** MiB. */
function heapFor(bytes: Uint8Array): number {
  return HEAP + Math.ceil(bytes.length / MEBIBYTE) * HEAP_PER_MEBIBYTE;
}
