import {
  type ChangeSet,
  countsConnections,
  countsTraffic,
  type ProxyState,
  type ResolvedServicePort,
  type Slices,
} from '@kube-proxier/core';
import { EndpointClaims, NEVER_SHARED, type SharedAddressChanges } from './endpoint-claims.js';
import type { HostFacts } from './installed-nftables.js';

/** What is counted for Services without an annotation for it. */
export interface CountingDefaults {
  /** Connections to every Service. Default false. */
  readonly countConnections?: boolean;
  /** Packets per endpoint of every Service. Default false. */
  readonly countTraffic?: boolean;
}

/** Plans the {@link EndpointClaims} of states, which are needed where an endpoint is counted. */
export class ClaimPlanner {
  constructor(private readonly defaults: CountingDefaults) {}

  /** The claims of a state, if an endpoint is counted. */
  *claimsOf(state: ProxyState, { endpointCounters = true }: HostFacts): Slices<EndpointClaims | undefined> {
    return endpointCounters && (yield* this.#countsSome(state.servicePorts.values()))
      ? yield* EndpointClaims.of(state, (port) => this.countsEndpoints(port))
      : undefined;
  }

  /** Moves the claims to the next state; where none were needed, they are determined if they are now. */
  *moveClaims(
    next: ProxyState,
    changes: ChangeSet,
    {
      claims,
      facts: { endpointCounters = true },
    }: { readonly claims: EndpointClaims | undefined; readonly facts: HostFacts },
  ): Slices<{ readonly claims: EndpointClaims | undefined; readonly shared: SharedAddressChanges }> {
    if (claims !== undefined) {
      return { claims, shared: yield* claims.advance(next, changes) };
    }
    const changed = [...changes.resolvedServicePorts.values()].map(({ current }) => current);
    if (!endpointCounters || !(yield* this.#countsSome(changed))) {
      return { claims, shared: NEVER_SHARED };
    }
    const fresh = yield* EndpointClaims.of(next, (port) => this.countsEndpoints(port));
    return { claims: fresh, shared: { ...NEVER_SHARED, after: fresh.shared, hasSome: fresh.shared.size > 0 } };
  }

  *#countsSome(ports: Iterable<ResolvedServicePort | undefined>): Slices<boolean> {
    for (const port of ports) {
      if (this.countsEndpoints(port)) {
        return true;
      }
      yield;
    }
    return false;
  }

  /** Whether packets or connections to each endpoint of a service port are counted. */
  countsEndpoints(port: ResolvedServicePort | undefined): boolean {
    const { countConnections = false, countTraffic = false } = this.defaults;
    const annotations = port?.servicePort.annotations ?? {};
    return (
      port !== undefined &&
      (countsConnections(annotations, countConnections) || countsTraffic(annotations, countTraffic))
    );
  }
}
