import { type AddressChange, type Clock, type Logger, messageOf, type ProxierContext } from '@kube-proxier/core';
import { type AddressEvents, watchAddresses } from '@kube-proxier/linux';

export interface AddressWatchOptions {
  readonly events: () => AddressEvents;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Stops watching. */
  readonly signal: AbortSignal;
  /** Called once per outage when watching fails. Watching is retried automatically. */
  readonly onFailure: () => void;
}

type Listener = Parameters<NonNullable<ProxierContext['watchAddresses']>>[0];

/** Watches the addresses of the host once for all listeners, from the first listener on. */
export class AddressWatch {
  readonly #listeners = new Set<Listener>();
  #watching: Promise<void> | undefined;

  constructor(private readonly options: AddressWatchOptions) {}

  /** As `ProxierContext.watchAddresses`. A listener added after the first is notified immediately, to read addresses. */
  async watch(onChange: Listener, signal: AbortSignal): Promise<void> {
    this.#listeners.add(onChange);
    signal.addEventListener('abort', () => this.#listeners.delete(onChange), { once: true });
    if (this.#watching !== undefined) {
      await onChange(undefined);
    }
    this.#watching ??= this.#watch();
    await this.#watching;
  }

  #watch(): Promise<void> {
    const { events, clock, logger, signal, onFailure } = this.options;
    return watchAddresses({
      open: events,
      clock,
      signal,
      onChange: (changes) => this.#notify(changes),
      onFailure: (reason, failures) => {
        const text = 'Cannot watch the addresses of this host; polling them instead';
        if (failures === 1) {
          onFailure();
          logger.warn(text, { reason });
        } else {
          logger.debug(2, text, { reason, failures });
        }
      },
      onRecovery: () => logger.info('Watching the addresses of this host again'),
    });
  }

  async #notify(changes: readonly AddressChange[] | undefined): Promise<void> {
    const { logger, onFailure } = this.options;
    for (const listener of this.#listeners) {
      try {
        await listener(changes);
      } catch (error) {
        onFailure();
        logger.error(`An address listener failed: ${messageOf(error)}`);
      }
    }
  }
}
