import type { Clock, Timer } from '@kube-proxier/core';

/** A periodic task. */
export interface RepeatedTask {
  /** Milliseconds between two starts. */
  readonly interval: number;
  /** Tasks of the same pool share a limit of concurrent runs. */
  readonly pool: string;
  /** Runs once. Must call `done` once. */
  run(done: () => void): void;
}

/** Options of a {@link CheckScheduler}. */
export interface CheckSchedulerOptions {
  readonly clock: Clock;
  /** Maximum concurrent tasks of a pool. */
  readonly limitOf: (pool: string) => number;
  /** From 0 to less than 1. Default `Math.random`. */
  readonly random?: () => number;
}

interface Entry {
  readonly task: RepeatedTask;
  /** When it should have started; undefined before the first run. */
  planned: number | undefined;
  isRemoved: boolean;
  /** The pool in which the current run is counted. */
  pool: Pool | undefined;
  /** Called at the end of each run. */
  readonly done: () => void;
}

interface Pool {
  running: number;
  /** Whether it is queued, from `next` on. */
  queue: Entry[];
  next: number;
}

/** Milliseconds of one slot of the wheel: tasks that are due in it start together. */
const SLOT = 50;
/** Maximum jitter, as a fraction of the interval. */
const JITTER = 0.1;

/**
 * Starts tasks at their intervals, with one timer for all. A new task runs at once, then after a random part of its interval, and
 * from then on at its interval, with some jitter: so tasks that begin together spread evenly. A task that is still running is
 * not started again.
 */
export class CheckScheduler {
  readonly #clock: Clock;
  readonly #limitOf: (pool: string) => number;
  readonly #random: () => number;
  readonly #entries = new Map<RepeatedTask, Entry>();
  /** By number of the slot. */
  readonly #wheel = new Map<number, Entry[]>();
  readonly #pools = new Map<string, Pool>();
  #timer: Timer | undefined;
  /** The slot that the timer waits for. */
  #armed = Number.POSITIVE_INFINITY;
  /** The last slot whose tasks were started. */
  #done: number;

  constructor({ clock, limitOf, random = Math.random }: CheckSchedulerOptions) {
    this.#clock = clock;
    this.#limitOf = limitOf;
    this.#random = random;
    this.#done = this.#slotOf(clock.monotonic());
  }

  /** Due tasks that are queued by the limit. */
  get waiting(): number {
    let sum = 0;
    for (const { queue, next } of this.#pools.values()) {
      sum += queue.length - next;
    }
    return sum;
  }

  /** Adds a task, and starts it as soon as the limit allows it. */
  add(task: RepeatedTask): void {
    const entry: Entry = {
      task,
      planned: undefined,
      isRemoved: false,
      pool: undefined,
      done: () => this.#ended(entry),
    };
    this.#entries.set(task, entry);
    this.#enqueue(entry);
    this.#startWaiting(task.pool);
  }

  /** Removes a task. A running check continues. */
  remove(task: RepeatedTask): void {
    const entry = this.#entries.get(task);
    if (entry) {
      entry.isRemoved = true;
      this.#entries.delete(task);
    }
  }

  /** Removes all tasks. */
  stop(): void {
    for (const task of [...this.#entries.keys()]) {
      this.remove(task);
    }
    this.#wheel.clear();
    this.#pools.clear();
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#armed = Number.POSITIVE_INFINITY;
  }

  #slotOf(time: number): number {
    return Math.floor(time / SLOT);
  }

  #enqueue(entry: Entry): void {
    this.#poolOf(entry.task.pool).queue.push(entry);
  }

  #poolOf(name: string): Pool {
    let pool = this.#pools.get(name);
    if (!pool) {
      pool = { running: 0, queue: [], next: 0 };
      this.#pools.set(name, pool);
    }
    return pool;
  }

  #startWaiting(name: string): void {
    const pool = this.#poolOf(name);
    const limit = this.#limitOf(name);
    while (pool.running < limit && pool.next < pool.queue.length) {
      const entry = pool.queue[pool.next++];
      if (entry && !entry.isRemoved) {
        this.#start(entry, pool);
      }
    }
    if (pool.next === pool.queue.length) {
      pool.queue = [];
      pool.next = 0;
    } else if (pool.next > 10_000) {
      pool.queue = pool.queue.slice(pool.next);
      pool.next = 0;
    }
  }

  #start(entry: Entry, pool: Pool): void {
    pool.running += 1;
    const { task } = entry;
    const now = this.#clock.monotonic();
    const isFirst = entry.planned === undefined;
    // From the planned start: a late start does not shift those after it, and never are two of them due.
    const from = Math.max(entry.planned ?? now, now - task.interval);
    const part = isFirst ? this.#random() : 1 + (this.#random() * 2 - 1) * JITTER;
    entry.planned = from + part * task.interval;
    entry.pool = pool;
    task.run(entry.done);
  }

  #ended(entry: Entry): void {
    const { pool, task } = entry;
    if (pool !== undefined) {
      entry.pool = undefined;
      pool.running -= 1;
    }
    if (!entry.isRemoved) {
      this.#plan(entry);
    }
    if (pool !== undefined && pool.next < pool.queue.length) {
      this.#startWaiting(task.pool);
    }
  }

  #plan(entry: Entry): void {
    const slot = Math.max(this.#slotOf(entry.planned ?? 0), this.#slotOf(this.#clock.monotonic()) + 1, this.#done + 1);
    const entries = this.#wheel.get(slot);
    if (entries) {
      entries.push(entry);
    } else {
      this.#wheel.set(slot, [entry]);
    }
    if (slot < this.#armed) {
      this.#arm(slot);
    }
  }

  #arm(slot: number): void {
    this.#timer?.cancel();
    this.#armed = slot;
    this.#timer = this.#clock.setTimer(Math.max(0, slot * SLOT - this.#clock.monotonic()), () => this.#turn());
  }

  #turn(): void {
    this.#timer = undefined;
    this.#armed = Number.POSITIVE_INFINITY;
    const last = this.#slotOf(this.#clock.monotonic());
    const pools = new Set<string>();
    for (let slot = this.#done + 1; slot <= last; slot += 1) {
      for (const entry of this.#wheel.get(slot) ?? []) {
        if (!entry.isRemoved) {
          this.#enqueue(entry);
          pools.add(entry.task.pool);
        }
      }
      this.#wheel.delete(slot);
    }
    this.#done = Math.max(this.#done, last);
    for (const pool of pools) {
      this.#startWaiting(pool);
    }
    if (this.#wheel.size > 0) {
      let next = this.#done + 1;
      while (!this.#wheel.has(next)) {
        next += 1;
      }
      if (next < this.#armed) {
        this.#arm(next);
      }
    }
  }
}
