import {
  type IpvsCommand,
  type NetlinkRefused,
  type VirtualServerAddress,
  virtualServerKey,
} from '@kube-proxier/linux';
import type { InstalledVirtualServer } from '../plan/installed-ipvs.js';

/** Virtual servers that should exist. The watch checks one of them to detect the removal of all. */
export class ExpectedServers {
  readonly #servers = new Map<string, VirtualServerAddress>();

  /** Any of them; undefined when there is none. */
  get sentinel(): VirtualServerAddress | undefined {
    return this.#servers.values().next().value;
  }

  /** Must be called before servers are deleted, so that their absence is not drift. */
  deleting(servers: Iterable<VirtualServerAddress>): void {
    for (const at of servers) {
      this.#servers.delete(virtualServerKey(at));
    }
  }

  /** @param results of the commands, in the same order. */
  executed(commands: readonly IpvsCommand[], results: readonly (NetlinkRefused | undefined)[]): void {
    for (const [index, command] of commands.entries()) {
      const result = results[index];
      if (command.do === 'add-virtual' && (result === undefined || result.errnoName === 'EEXIST')) {
        this.#servers.set(virtualServerKey(command.virtual.at), command.virtual.at);
      }
    }
  }

  /** Replaces all by what was read back. */
  found(servers: readonly InstalledVirtualServer[]): void {
    this.#servers.clear();
    for (const { virtual, reals } of servers) {
      // A virtual server whose real servers all have weight 0 may be draining.
      if (reals.length === 0 || reals.some(({ weight }) => weight > 0)) {
        this.#servers.set(virtualServerKey(virtual.at), virtual.at);
      }
    }
  }

  clear(): void {
    this.#servers.clear();
  }
}
