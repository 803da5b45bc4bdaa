import type { IPFamily } from '@kube-proxier/core';
import type { IpSetCommand, NetlinkRefused } from '@kube-proxier/linux';
import { kubeProxySets } from '../plan/layout.js';

/** Sets of kube-proxy that foreign rules reference, so that they cannot be destroyed: ignored until the next start. */
export class ReferencedSets {
  readonly #names = new Set<string>();
  readonly #kubeProxySets: readonly string[];

  constructor(
    family: IPFamily,
    private readonly warn: (problem: string) => void,
  ) {
    this.#kubeProxySets = kubeProxySets(family);
  }

  has(name: string): boolean {
    return this.#names.has(name);
  }

  /**
   * Records the sets of kube-proxy that are in use.
   *
   * @param results of the commands, in the same order.
   * @returns the results, without these refusals.
   */
  executed(
    commands: readonly IpSetCommand[],
    results: readonly (NetlinkRefused | undefined)[],
  ): readonly (NetlinkRefused | undefined)[] {
    return results.map((refused, index) => {
      const command = commands[index];
      const name = command?.do === 'destroy-set' ? command.name : undefined;
      if (refused?.errnoName !== 'IPSET_BUSY' || name === undefined || !this.#kubeProxySets.includes(name)) {
        return refused;
      }
      this.#names.add(name);
      this.warn(`The set ${name} of kube-proxy is kept: foreign rules reference it, although it is no longer updated`);
      return undefined;
    });
  }
}
