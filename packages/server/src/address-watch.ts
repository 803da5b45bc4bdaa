import { type AddressChange, type Clock, type Logger, messageOf, type ProxierContext } from '@kube-proxier/core';
import { type AddressEvents, watchAddresses } from '@kube-proxier/linux';

export interface AddressWatchOptions {
  readonly events: () => AddressEvents;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Ends it. */
  readonly signal: AbortSignal;
  /** Told when watching fails, once until it works again. It is tried again by itself. */
  readonly onFailure: () => void;
}

type Listener = Parameters<NonNullable<ProxierContext['watchAddresses']>>[0];

/** Watches the addresses of the host once for all who want to know, from the time that somebody does. */
export class AddressWatch {
  readonly #listeners = new Set<Listener>();
  #watching: Promise<void> | undefined;

  constructor(private readonly options: AddressWatchOptions) {}

  /** As `ProxierContext.watchAddresses`. Who comes later than others is told at once to look addresses up. */
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
      onChange: (changes) => this.#tell(changes),
      onFailure: (reason, failures) => {
        const text = 'Addresses of this host cannot be watched; they are looked up now and then';
        if (failures === 1) {
          onFailure();
          logger.warn(text, { reason });
        } else {
          logger.debug(2, text, { reason, failures });
        }
      },
      onRecovery: () => logger.info('Addresses of this host are watched again'),
    });
  }

  async #tell(changes: readonly AddressChange[] | undefined): Promise<void> {
    const { logger, onFailure } = this.options;
    for (const listener of this.#listeners) {
      try {
        await listener(changes);
      } catch (error) {
        onFailure();
        logger.error(`A listener for addresses failed: ${messageOf(error)}`);
      }
    }
  }
}
