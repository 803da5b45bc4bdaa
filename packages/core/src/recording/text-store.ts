import { flatText } from '../text/flat-text.js';

/** Texts by key. An implementation may keep them in any form. */
export interface TextStore {
  /** Number of texts. */
  readonly count: number;
  has(key: string): boolean;
  get(key: string): string | undefined;
  set(key: string, text: string): void;
  delete(key: string): void;
  /** All keys. The store must not change while they are read. */
  keys(): Iterable<string>;
  /** All texts as they are at the time of the call, in any order; later changes do not show in it. */
  entries(): Iterable<readonly [key: string, text: string]>;
}

/** Texts as they are. */
export class PlainTextStore implements TextStore {
  readonly #texts = new Map<string, string>();

  get count(): number {
    return this.#texts.size;
  }

  has(key: string): boolean {
    return this.#texts.has(key);
  }

  get(key: string): string | undefined {
    return this.#texts.get(key);
  }

  set(key: string, text: string): void {
    // Results of `JSON.stringify` are trees.
    this.#texts.set(key, flatText(text));
  }

  delete(key: string): void {
    this.#texts.delete(key);
  }

  keys(): Iterable<string> {
    return this.#texts.keys();
  }

  entries(): Iterable<readonly [key: string, text: string]> {
    return [...this.#texts];
  }
}
