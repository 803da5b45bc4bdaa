import type { Clock, Timer } from '@kube-proxier/core';

/**
 * Milliseconds. Longer than the pause between two attempts to listen: the proxy that is waited for gets the port first,
 * also when it has only just started.
 */
const HEAD_START = 8000;

/**
 * Answers health checks while this proxy waits for another one, where that leaves the port free: a kubelet must not take
 * a proxy that waits for one that is dead.
 */
export class WaitingHealth {
  #timer: Timer | undefined;
  #server: { start(): Promise<void>; stop(): Promise<void> } | undefined;
  #isStopped = false;

  /** @param create makes a server that tries until it can listen, and says nothing of it. */
  constructor(
    private readonly clock: Clock,
    private readonly create: () => { start(): Promise<void>; stop(): Promise<void> },
  ) {}

  /** It waits, from now on for another proxy than before: that gets the port. */
  async restart(): Promise<void> {
    this.#timer?.cancel();
    this.#timer = this.clock.setTimer(HEAD_START, () => {
      if (!this.#isStopped) {
        this.#server = this.create();
        this.#server.start().catch(() => {});
      }
    });
    await this.#close();
  }

  /** Resolves when the port is free again, as far as this is concerned. Idempotent. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#timer?.cancel();
    await this.#close();
  }

  async #close(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    await server?.stop();
  }
}
