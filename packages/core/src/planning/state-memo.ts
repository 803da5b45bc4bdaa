import type { ProxyState } from '../model/proxy-state.js';

/**
 * Values that a planner derives from states, such as an index of all rules, so that the cost is proportional to the
 * change.
 *
 * A value follows from its state alone: a planner with an empty memo plans the same, only slower. A value may be mutable:
 * {@link advance} moves it from one state to the next, so that two states never share one.
 */
export class StateMemo<T> {
  readonly #values = new WeakMap<ProxyState, T>();

  /** @param derive computes the value of a state from scratch. */
  constructor(private readonly derive: (state: ProxyState) => T) {}

  /** The value of a state; derived when it is not in the memo. */
  of(state: ProxyState): T {
    let value = this.#values.get(state);
    if (value === undefined) {
      value = this.derive(state);
      this.#values.set(state, value);
    }
    return value;
  }

  /** The value of a state; undefined when it is not in the memo. */
  known(state: ProxyState): T | undefined {
    return this.#values.get(state);
  }

  /** Removes the value of a state from the memo and returns it: the caller moves it to another state, with {@link set}. */
  take(state: ProxyState): T {
    const value = this.of(state);
    this.#values.delete(state);
    return value;
  }

  /** Records the value of a state that was derived in another way. */
  set(state: ProxyState, value: T): void {
    this.#values.set(state, value);
  }

  /**
   * Moves the value of `previous` to `next`. The value of `previous` is derived again should it be needed.
   *
   * @param update returns the value of `next`; may change and return the value that it is passed. When it throws, neither
   *   state has a value.
   */
  advance(previous: ProxyState, next: ProxyState, update: (value: T) => T): T {
    const updated = update(this.take(previous));
    this.#values.set(next, updated);
    return updated;
  }
}
