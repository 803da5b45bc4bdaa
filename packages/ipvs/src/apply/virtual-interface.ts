import type { Links } from '@kube-proxier/linux';
import { INTERFACE } from '../plan/layout.js';

/** The interface with the virtual addresses. Both families share it. */
export class VirtualInterface {
  #index: number | undefined;

  constructor(private readonly links: Links) {}

  /** Index that it had when it was last read or created; undefined when it did not exist. */
  get index(): number | undefined {
    return this.#index;
  }

  /** Reads its index; undefined when it does not exist. */
  async read(): Promise<number | undefined> {
    this.#index = (await this.links.find(INTERFACE))?.index;
    return this.#index;
  }

  /**
   * Creates it unless it exists.
   *
   * @returns its index.
   */
  async create(): Promise<number> {
    if ((await this.links.find(INTERFACE)) === undefined) {
      try {
        await this.links.addDummy(INTERFACE);
      } catch (error) {
        // The proxier of the other family has created it.
        if ((await this.links.find(INTERFACE)) === undefined) {
          throw error;
        }
      }
    }
    return (await this.read()) ?? 0;
  }

  /** Called when it was removed. */
  forget(): void {
    this.#index = undefined;
  }
}
