import type { Socket } from 'node:net';
import type { Clock, Timer } from '@kube-proxier/core';

/** Idle milliseconds after which the kernel sends keepalive probes. */
const KEEP_ALIVE_DELAY = 15_000;
/** Milliseconds after which a connection counts as one that lasts, at most. */
const SWEEP_EVERY = 5000;

/**
 * Enables TCP keepalive for long-lived connections. Most connections are short, and its four system calls per socket
 * are a large part of their cost.
 */
export class KeepAlive {
  readonly #fresh = new Set<Socket>();
  #timer: Timer | undefined;

  constructor(private readonly clock: Clock) {}

  /** To be called once it is connected. */
  watch(socket: Socket): void {
    this.#fresh.add(socket);
    this.#timer ??= this.clock.setTimer(SWEEP_EVERY, () => this.#sweep());
  }

  /** To be called when it is closed. */
  forget(socket: Socket): void {
    if (this.#fresh.delete(socket) && this.#fresh.size === 0) {
      this.#timer?.cancel();
      this.#timer = undefined;
    }
  }

  /** Enables it now, if due. */
  settle(socket: Socket): void {
    if (this.#fresh.has(socket)) {
      socket.setKeepAlive(true, KEEP_ALIVE_DELAY);
      this.forget(socket);
    }
  }

  #sweep(): void {
    this.#timer = undefined;
    for (const socket of this.#fresh) {
      socket.setKeepAlive(true, KEEP_ALIVE_DELAY);
    }
    this.#fresh.clear();
  }
}
