import { constants, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import { getHeapSpaceStatistics, getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { ProcessPhases } from './settling.js';

/**
 * Growth of the heap between two collections during a start, in percent. With 30, a start with 10,000 Services has one or two collections more, of
 * 30 ms each and as much beside the program.
 */
const GROWTH_OF_START = 60;
/** The same in a heap that is collected beside the program, as it is large. */
const GROWTH_OF_LARGE_HEAP = 30;
/** Bytes of the heap, and of memory that its objects hold outside of it, at which V8 collects garbage for the first time after the first modules were loaded. */
const FIRST_COLLECTION = 60 * 1024 * 1024;
/** Arrays of 32 KB: more than a young generation of 1 MB, with which V8 starts. */
const MORE_THAN_YOUNG_GENERATION = 40;
const ELEMENTS = 4000;

/**
 * Makes V8 collect garbage more often instead of growing the heap. Reading a large cluster creates much garbage once; V8
 * returns the memory late or never. V8 reads these flags at each decision, so they can be set at runtime instead of on
 * the command line of node. Measured by bench/agent.mjs and bench/scale.mjs. `--optimize-for-size` needs as little memory during the load, but
 * compacts the heap at each collection: with 50,000 Services, a quarter of all CPU time.
 */
export function holdMemory(): void {
  // While V8 marks beside the program, it does not collect the young generation: the heap grows by all that the program creates
  // in a tenth of a second, 20 MB. Collecting at once also takes less CPU time, and pauses for 10 to 40 ms.
  setFlagsFromString('--no-incremental-marking');
  if (isNode26) {
    // Pages of collected memory return to the system at once, not after 8 seconds.
    setFlagsFromString('--no-memory-pool');
  }
  if (hasMaglev) {
    // Maglev optimizes the code of a start. As it runs for a second, optimizing it once more takes a tenth of all CPU time, and 6 MB.
    setFlagsFromString('--no-turbofan');
  }
  growYoungGeneration();
  growHeapBy(GROWTH_OF_START);
  watch = setInterval(favorTimeInLargeHeap, WATCH_PERIOD).unref();
}

/** Milliseconds between two checks of the size of the heap. */
const WATCH_PERIOD = 100;
/** Heap size in bytes from which a larger young generation is a small part of the total: 30,000 Services. */
const VERY_LARGE = 200 * 1024 * 1024;
/** Heap size in bytes from which a collection at once would take more than 50 ms: 10,000 Services, while their rules are planned. */
const LONG_PAUSE = 100 * 1024 * 1024;
/** The same while objects are read, which at this size are more than those of 10,000 Services: the heap will grow further. */
const LONG_PAUSE_WHILE_READING = 48 * 1024 * 1024;
/** Heap size in bytes from which the young generation grows while objects are read: more than {@link FIRST_COLLECTION}. */
const VERY_LARGE_WHILE_READING = 80 * 1024 * 1024;
/** Growth of the heap between two collections after the start, in percent. With less, continuous changes take more CPU time; with more, memory. */
const SETTLED_GROWTH = 25;
/** The same until the first verification has ended, and during each: these are the peaks of memory after a start. */
const VERIFYING_GROWTH = 15;
/** The same in a very large heap, which is collected beside the program. */
const SETTLED_GROWTH_OF_VERY_LARGE_HEAP = 15;
/**
 * Bytes of the young generation in a very large heap: a collection copies what has survived in its pause, and a start takes as long as with
 * V8's 64 MB.
 */
const YOUNG_GENERATION = 16_000_000;
/** Milliseconds between two checks of it after the start. */
const YOUNG_GENERATION_PERIOD = 1000;
/** Collections beside the program in a large heap which move objects together. Each returns a part of the memory. */
const COMPACTIONS = 4;
/** Milliseconds in which a collection beside the program should end. */
const PATIENCE = 1500;
/** Milliseconds in which V8 frees objects beside the program after a collection. If another one begins earlier, V8 waits for the rest, and blocks. */
const SWEEPING = 1000;
/** MB of objects that one of them moves, where V8 has a limit. */
const COMPACTED = 2;
/** V8's default. In a large heap, it pauses for 70 to 100 ms, also in collections that V8 begins when the program is idle. */
const COMPACTED_BY_DEFAULT = 12;
/** Milliseconds between two allocations of 32 KB meanwhile. */
const ALLOCATION_PERIOD = 5;
/** Other versions of V8 lack flags for the pool of pages, and for the amount that a compaction moves, and report that on standard error. */
const isNode26 = process.versions.node.startsWith('26.');
const isNode20 = process.versions.node.startsWith('20.');
/** Whether V8 has a compiler besides TurboFan that optimizes. */
const hasMaglev = Number.parseInt(process.versions.node, 10) >= 24;
let watch: NodeJS.Timeout | undefined;
let isReading = true;

/**
 * In a large heap, a small young generation (measured with 2 MB, and growth by 30 %) costs a third of all CPU time: with 100,000 Services, 3,500 collections of
 * the young generation and 25 of the heap. V8 doubles the young generation from now on, to {@link YOUNG_GENERATION}.
 */
function favorTimeInLargeHeap(): void {
  const { total_heap_size: size } = getHeapStatistics();
  if (size > (isReading ? LONG_PAUSE_WHILE_READING : LONG_PAUSE)) {
    growHeapBy(GROWTH_OF_LARGE_HEAP);
    setFlagsFromString('--incremental-marking');
    setFlagsFromString('--turbofan');
    // Moving objects together is a third of the time of a pause, and is left to the collections after the start.
    setFlagsFromString('--no-compact');
    if (isNode26) {
      setFlagsFromString('--memory-pool');
    }
  }
  if (size > (isReading ? VERY_LARGE_WHILE_READING : VERY_LARGE)) {
    limitYoungGeneration();
  }
}

/** V8 has no flag for the size of the young generation that can be changed at runtime, but one for its growth. */
function limitYoungGeneration(): void {
  const young = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space');
  setFlagsFromString(`--semi-space-growth-factor=${(young?.space_size ?? 0) < YOUNG_GENERATION ? 2 : 1}`);
}

/** Bytes of the heap: one that is larger has thousands of objects of a cluster. */
const LARGE = 40 * 1024 * 1024;

/**
 * Called when all objects are read, before the first sync, which is the memory peak: collects what reading has left, and
 * releases the memory of code that runs at start only, about 20 MB. Takes 20 ms; skipped for a small cluster, and not collected in
 * a heap where that would pause for long.
 */
async function releaseCodeOfStart(): Promise<void> {
  isReading = false;
  const { total_heap_size: size } = getHeapStatistics();
  growHeapBy(size > LONG_PAUSE ? GROWTH_OF_LARGE_HEAP : GROWTH_OF_START);
  if (size > LARGE) {
    await releaseUnused();
  }
}

/**
 * Called when the first syncs have ended, before anything else uses memory. V8 collects what they have left beside the program: at once,
 * that pauses for 30 to 50 ms with 10,000 Services. Skipped for a small cluster, and done already for a larger one.
 */
async function collectBesideProgramFromNow(): Promise<void> {
  const { total_heap_size: size } = getHeapStatistics();
  if (size > LARGE && size < LONG_PAUSE) {
    setFlagsFromString('--incremental-marking');
    await releaseUnused();
  }
}

/**
 * Called when the initial state is programmed, and when it is verified: returns memory to the system, including that of
 * code which runs at start only, and lets V8 optimize for memory.
 *
 * @param isOver whether the start is over. V8 then collects garbage as usual again, beside the program, with a young generation of normal
 * size: until then, that costs memory, and in a large heap it is done anyway.
 */
async function settleMemory(isOver: boolean): Promise<void> {
  const { total_heap_size: size } = getHeapStatistics();
  if (isOver || size > LARGE) {
    // The checks of a start would change the flags below.
    clearInterval(watch);
  }
  if (size > VERY_LARGE) {
    watch = setInterval(limitYoungGeneration, YOUNG_GENERATION_PERIOD).unref();
  }
  if (isOver) {
    setFlagsFromString('--turbofan');
    setFlagsFromString('--semi-space-growth-factor=2');
    setFlagsFromString('--incremental-marking');
  }
  // Compiled code is removed now, not after six collections: about 2 MB. What is used again is compiled again.
  setFlagsFromString('--flush-baseline-code');
  setFlagsFromString('--stress-flush-code');
  setFlagsFromString('--optimize-for-size');
  if (size > LARGE) {
    await compactBesideProgram();
    if (size > LONG_PAUSE) {
      // Each collection would move objects again, and pause for up to 120 ms.
      setFlagsFromString('--no-optimize-for-size');
    } else {
      moveAtMost(COMPACTED_BY_DEFAULT);
    }
  } else {
    setFlagsFromString('--compact');
    collectGarbage('major', 'last-resort');
    setFlagsFromString('--no-stress-flush-code');
  }
  isSettled = true;
  hasVerified = isOver;
  growSettledHeap();
  if (isOver) {
    gc = undefined;
  }
  await releaseUnused();
}

let isSettled = false;
/** Nothing is to be verified before the start is over. */
let hasVerified = false;
let isVerifying = false;

function growSettledHeap(): void {
  if (isSettled) {
    const { total_heap_size: size } = getHeapStatistics();
    const growth = hasVerified && !isVerifying ? SETTLED_GROWTH : VERIFYING_GROWTH;
    growHeapBy(size > VERY_LARGE ? SETTLED_GROWTH_OF_VERY_LARGE_HEAP : growth);
  }
}

/** Several collections, as each moves only some objects together. */
async function compactBesideProgram(): Promise<void> {
  growHeapBy(0);
  if (isNode26) {
    setFlagsFromString('--no-memory-pool');
  }
  moveAtMost(COMPACTED);
  // The first collection returns the memory of the young generation, which takes 20 ms of its pause. So it moves no objects.
  setFlagsFromString('--no-compact');
  await collectBesideProgram();
  setFlagsFromString('--no-stress-flush-code');
  setFlagsFromString('--compact');
  for (let compactions = 0; compactions < COMPACTIONS; compactions += 1) {
    await collectBesideProgram();
  }
}

/** Limits what one collection moves to MB of objects, where V8 has such a limit. */
function moveAtMost(megabytes: number): void {
  if (isNode26) {
    setFlagsFromString(`--compaction-max-evacuated-bytes-mb-for-reduce-memory=${megabytes}`);
  }
}

/** Milliseconds between two releases of memory after the start. */
const RELEASE_PERIOD = 30_000;
let isReleasing = false;

/**
 * Returns memory to the system periodically, from the first call on. V8's compilers leave freed memory with the C library, and their code
 * in the program file is rarely used again.
 *
 * @param period milliseconds.
 */
export function releasePeriodically(period = RELEASE_PERIOD): void {
  if (!isReleasing) {
    isReleasing = true;
    setInterval(() => void releaseUnused(), period).unref();
  }
}

/** The last call of {@link settleMemory}: a later one begins when it has ended, as both set the same flags. */
let settling: Promise<void> = Promise.resolve();

/** What each phase does with the memory of this process. */
export const MEMORY_OF_PHASES: ProcessPhases = {
  objectsRead: () => void releaseCodeOfStart(),
  synced: () => void collectBesideProgramFromNow(),
  settled: (isOver) => {
    settling = settling.then(() => settleMemory(isOver));
    if (isOver) {
      releasePeriodically();
    }
  },
  verifying: () => {
    isVerifying = true;
    growSettledHeap();
  },
  verified: () => {
    isVerifying = false;
    growSettledHeap();
  },
};

/** A collection beside the program: one at once would take half a second in a very large heap. Resolves when the memory is free. */
async function collectBesideProgram(): Promise<void> {
  const end = performance.now() + PATIENCE;
  let hasEnded = false;
  const observer = new PerformanceObserver((list) => {
    hasEnded ||= list.getEntries().some(isMajorCollection);
  });
  observer.observe({ entryTypes: ['gc'] });
  // With this flag, V8 begins a collection beside the program soon.
  setFlagsFromString('--stress-marking=1');
  while (!hasEnded && performance.now() < end) {
    // V8 marks while the program allocates. When the work of a start, or a verification, is done, it hardly does.
    new Array<number>(ELEMENTS).fill(0);
    await setTimeout(ALLOCATION_PERIOD, undefined, { ref: false });
  }
  setFlagsFromString('--stress-marking=0');
  observer.disconnect();
  await setTimeout(SWEEPING, undefined, { ref: false });
}

function isMajorCollection(entry: PerformanceEntry): boolean {
  const { detail } = entry as PerformanceEntry & { readonly detail?: { readonly kind?: number } };
  return detail?.kind === constants.NODE_PERFORMANCE_GC_MAJOR;
}

/** Growth of the heap between two collections in percent, from the next collection on; 0 is V8's own. */
function growHeapBy(percent: number): void {
  setFlagsFromString(`--heap-growing-percent=${percent}`);
}

async function releaseUnused(): Promise<void> {
  try {
    // Not imported at start, as this is one of the first modules.
    const { releaseUnusedMemory } = await import('@kube-proxier/linux');
    await releaseUnusedMemory();
  } catch {
    // A failure must not end the process, for example without descriptors: it only uses more memory.
  }
}

/**
 * 4 MB: V8 enlarges it when more than its size has survived. With 1 MB, it is collected 700 times in a start with 10,000
 * Services, and with 4 MB a quarter as often: less CPU time, for 3 to 7 MB at the peak. With 16 MB, the default, a start
 * needs 50 MB more.
 *
 * A major collection, as it also determines when the next one begins. Without, V8 begins one with 20 MB, whatever the growth.
 */
function growYoungGeneration(): void {
  setFlagsFromString('--semi-space-growth-factor=2');
  const survivors: number[][] = [];
  while (survivors.length < MORE_THAN_YOUNG_GENERATION) {
    survivors.push(new Array<number>(ELEMENTS).fill(0));
  }
  collectGarbage('minor');
  const { used_heap_size: used } = getHeapStatistics();
  growHeapBy(Math.round((100 * FIRST_COLLECTION) / used - 100));
  collectGarbage('major');
  // They must not be garbage before.
  survivors.length = 0;
  setFlagsFromString('--semi-space-growth-factor=1');
}

/** V8's `gc`, available in contexts created with a flag. Creating one takes 2 ms; kept until the start is over. */
let gc: unknown;

/** @param flavor which V8 of Node.js 22 and later knows. */
function collectGarbage(type: 'major' | 'minor', flavor?: 'last-resort'): void {
  setFlagsFromString('--expose-gc');
  gc ??= runInNewContext('gc');
  if (typeof gc !== 'function') {
    return;
  }
  if (type === 'major' && isNode20) {
    // With any options, it collects the young generation only.
    gc();
  } else {
    gc({ type, execution: 'sync', ...(flavor === undefined ? {} : { flavor }) });
  }
}
