import type { Clock, Timer } from '@kube-proxier/core';

/**
 * Milliseconds. Longer than the retry interval of listening: the running proxy gets the port first, even when it has just
 * started.
 */
const HEAD_START = 8000;
/**
 * Milliseconds after which the port is closed for {@link HEAD_START}: the running proxy may have opened its ports later than
 * that, as on a busy node, and its health checks decide whether the node gets traffic.
 */
const TURN = 60_000;

/**
 * Answers health checks while this proxy waits for another one that does not use the port, so that liveness probes do
 * not fail.
 */
export class WaitingHealth {
  #timer: Timer | undefined;
  #server: { start(): Promise<void>; stop(): Promise<void> } | undefined;
  #isStopped = false;

  /** @param create creates a server that retries to listen without logging. */
  constructor(
    private readonly clock: Clock,
    private readonly create: () => { start(): Promise<void>; stop(): Promise<void> },
  ) {}

  /** Called when it waits for a different proxy, which gets the port first. */
  async restart(): Promise<void> {
    this.#timer?.cancel();
    this.#timer = this.clock.setTimer(HEAD_START, () => {
      if (!this.#isStopped) {
        this.#server = this.create();
        this.#server.start().catch(() => {});
        this.#timer = this.clock.setTimer(TURN, () => void this.restart());
      }
    });
    await this.#close();
  }

  /** Resolves when the port is closed. Idempotent. */
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
