import {
  type ChangeSet,
  type Endpoint,
  joinHostPort,
  type ProxyState,
  type ResolvedServicePort,
  resetsConnections,
  type ServicePortKey,
} from '@kube-proxier/core';
import { type VirtualServerAddress, virtualServerKey } from '@kube-proxier/linux';
import type { DrainingServer } from '../plan/ipvs-transaction.js';

/**
 * The draining servers whose endpoint was removed, so that their connections must be reset (spec ). For a
 * service port without endpoints, only if it had some since the start of this process (spec R-5).
 */
export class LostServers {
  #state: ProxyState | undefined;
  /** Service ports to reset connections of, by the keys of their virtual servers; derived when it is needed. */
  #ports: ReadonlyMap<string, ResolvedServicePort> | undefined;
  readonly #hadEndpoints = new Set<ServicePortKey>();

  constructor(
    private readonly virtualServersOf: (
      state: ProxyState,
      port: ResolvedServicePort,
    ) => readonly VirtualServerAddress[],
  ) {}

  /** The state that is about to be in force. Cost is proportional to the change. */
  advance(state: ProxyState, { resolvedServicePorts }: ChangeSet): void {
    this.#state = state;
    this.#ports = undefined;
    for (const [key, { current }] of resolvedServicePorts) {
      if (current === undefined || !resetsConnections(current)) {
        this.#hadEndpoints.delete(key);
      } else if (current.candidates.length > 0) {
        this.#hadEndpoints.add(key);
      }
    }
  }

  has({ at, address, port: number }: DrainingServer): boolean {
    const port = this.#byVirtualServer().get(virtualServerKey(at));
    const endpoint = joinHostPort(address, number);
    // Servers of a range of ports have none of their own.
    const isThere = (one: Endpoint) => (number === 0 ? one.address === address : one.key === endpoint);
    return port !== undefined && this.#hadEndpoints.has(port.key) && !port.candidates.some(isThere);
  }

  #byVirtualServer(): ReadonlyMap<string, ResolvedServicePort> {
    const state = this.#state;
    if (this.#ports === undefined) {
      const ports = new Map<string, ResolvedServicePort>();
      for (const key of this.#hadEndpoints) {
        const port = state?.servicePorts.get(key);
        for (const at of port === undefined || state === undefined ? [] : this.virtualServersOf(state, port)) {
          ports.set(virtualServerKey(at), port as ResolvedServicePort);
        }
      }
      this.#ports = ports;
    }
    return this.#ports;
  }
}
