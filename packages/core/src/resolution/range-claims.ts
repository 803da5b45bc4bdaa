import { type Frontend, frontendKey } from '../model/frontend.js';
import { portRangeSpace } from '../model/port-range.js';
import type { ServicePort } from '../model/service-port.js';
import { type Protocol, type ServicePortKey, serviceKey } from '../model/service-port-name.js';
import { byPrecedence, type FrontendClaims } from './frontend-claims.js';

/** A claim to ports of one address. */
interface Claim {
  readonly kind: 'port' | 'range' | 'node-port';
  readonly first: number;
  readonly last: number;
  readonly servicePort: ServicePort;
}

/** The decided ownership of the ports of one address. */
interface Decision {
  readonly granted: readonly Claim[];
  /** Rejected claims, each with the claim that has precedence. */
  readonly lost: readonly { readonly claim: Claim; readonly to: Claim }[];
}

/** One address and protocol at which at least one service port has a range. */
interface Space {
  readonly protocol: Protocol;
  readonly address: string;
  /** The ranges after their first ports, by service port. */
  readonly ranges: Map<ServicePortKey, Claim>;
  /** Single ports that are claimed there, as far as they were in a range when they were claimed. */
  readonly ports: Set<number>;
  decision: Decision | undefined;
}

/** The outcome of a claim to a port or range. `unconcerned`: no range overlaps; {@link FrontendClaims} decides. */
export type ClaimOutcome = 'unconcerned' | 'held' | { readonly lostTo: ServicePort; readonly port: number };

/**
 * Decides between ranges and overlapping claims (spec PR-4): claims are granted in the order of precedence, and a claim
 * that overlaps with a granted claim of another Service is rejected. A range is granted as a whole, or only at its
 * first port.
 *
 * Addresses without ranges cost nothing here: {@link FrontendClaims} decides about them.
 */
export class RangeClaims {
  readonly #spaces = new Map<string, Space>();
  readonly #nodePorts = new Map<Protocol, Set<number>>();

  constructor(
    private readonly claims: FrontendClaims,
    /** Whether NodePorts are served on an address, and so claim ports of it. */
    private readonly servesNodePorts: (address: string) => boolean,
  ) {}

  /** After {@link FrontendClaims.claim}. @returns service ports whose claims may have a different outcome. */
  claim(frontend: Frontend, servicePort: ServicePort): ReadonlySet<ServicePortKey> {
    const { address, protocol, port, lastPort } = frontend;
    if (address === undefined) {
      const ports = this.#nodePorts.get(protocol) ?? new Set();
      this.#nodePorts.set(protocol, ports.add(port));
      return this.#concernedByNodePort(protocol, port);
    }
    if (lastPort === undefined && this.#spaces.size === 0) {
      return NO_ONE;
    }
    const key = portRangeSpace(protocol, address);
    let space = this.#spaces.get(key);
    if (space === undefined && lastPort === undefined) {
      return NO_ONE;
    }
    space ??= { protocol, address, ranges: new Map(), ports: new Set(), decision: undefined };
    this.#spaces.set(key, space);
    space.ports.add(port);
    const before = space.ranges.get(servicePort.key);
    if (lastPort === undefined) {
      space.ranges.delete(servicePort.key);
    } else {
      space.ranges.set(servicePort.key, { kind: 'range', first: port + 1, last: lastPort, servicePort });
      for (let other = (before?.last ?? port) + 1; other <= lastPort; other++) {
        if (this.claims.holder(frontendKey(protocol, address, other)) !== undefined) {
          space.ports.add(other);
        }
      }
    }
    return this.#changed(key, space);
  }

  /** After {@link FrontendClaims.release}. @returns service ports whose claims may have a different outcome. */
  release(frontend: Frontend, servicePort: ServicePort): ReadonlySet<ServicePortKey> {
    const { address, protocol, port } = frontend;
    const isClaimed = this.claims.holder(frontend.key) !== undefined;
    if (address === undefined) {
      if (!isClaimed) {
        this.#nodePorts.get(protocol)?.delete(port);
      }
      return this.#concernedByNodePort(protocol, port);
    }
    const key = portRangeSpace(protocol, address);
    const space = this.#spaces.get(key);
    if (space === undefined) {
      return NO_ONE;
    }
    if (!isClaimed) {
      space.ports.delete(port);
    }
    if (space.ranges.get(servicePort.key)?.first === port + 1) {
      space.ranges.delete(servicePort.key);
    }
    return this.#changed(key, space);
  }

  /** The addresses on which NodePorts are served have changed. @returns as {@link claim}. */
  addressesChanged(): ReadonlySet<ServicePortKey> {
    return new Set([...this.#spaces].flatMap(([key, space]) => [...this.#changed(key, space)]));
  }

  /** Whether a service port has the first port of a frontend; of a NodePort, whether it has it on an address of the node. */
  port(frontend: Frontend, servicePort: ServicePort, address = frontend.address): ClaimOutcome {
    const { protocol, port } = frontend;
    const space =
      address === undefined || this.#spaces.size === 0
        ? undefined
        : this.#spaces.get(portRangeSpace(protocol, address));
    if (
      space === undefined ||
      ![...space.ranges.values()].some(({ first, last }) => first - 1 <= port && port <= last)
    ) {
      return 'unconcerned';
    }
    return this.#outcome(space, servicePort, frontend.address === undefined ? 'node-port' : 'port');
  }

  /** Whether a service port has the range of a frontend. */
  range(frontend: Frontend, servicePort: ServicePort): ClaimOutcome {
    const { protocol, address = '' } = frontend;
    const space = this.#spaces.get(portRangeSpace(protocol, address));
    return space === undefined ? 'unconcerned' : this.#outcome(space, servicePort, 'range');
  }

  #outcome(space: Space, { key }: ServicePort, kind: Claim['kind']): ClaimOutcome {
    space.decision ??= this.#decide(space);
    const found = space.decision.lost.find(({ claim }) => claim.kind === kind && claim.servicePort.key === key);
    return found === undefined
      ? 'held'
      : { lostTo: found.to.servicePort, port: Math.max(found.to.first, found.claim.first) };
  }

  #decide({ protocol, address, ranges, ports }: Space): Decision {
    const claims: Claim[] = [...ranges.values()];
    for (const port of ports) {
      for (const servicePort of this.claims.claimants(frontendKey(protocol, address, port))) {
        claims.push({ kind: 'port', first: port, last: port, servicePort });
      }
    }
    if (this.servesNodePorts(address)) {
      for (const port of this.#nodePorts.get(protocol) ?? []) {
        const servicePort = this.claims.holder(frontendKey(protocol, undefined, port));
        if (
          servicePort !== undefined &&
          [...ranges.values()].some(({ first, last }) => first - 1 <= port && port <= last)
        ) {
          claims.push({ kind: 'node-port', first: port, last: port, servicePort });
        }
      }
    }
    // A port precedes the range that begins at it; when the port is rejected, so is the range.
    claims.sort((a, b) => byPrecedence(a.servicePort, b.servicePort) || KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind));
    const granted: Claim[] = [];
    const lost: { claim: Claim; to: Claim }[] = [];
    for (const claim of claims) {
      const start = lost.find((other) => other.claim.kind === 'port' && isStartOf(other.claim, claim));
      const to = start?.to ?? granted.find((other) => conflict(other, claim));
      if (to === undefined) {
        granted.push(claim);
      } else {
        lost.push({ claim, to });
      }
    }
    return { granted, lost };
  }

  #concernedByNodePort(protocol: Protocol, port: number): ReadonlySet<ServicePortKey> {
    if (this.#spaces.size === 0) {
      return NO_ONE;
    }
    const concerned = [...this.#spaces].filter(
      ([, space]) =>
        space.protocol === protocol &&
        [...space.ranges.values()].some(({ first, last }) => first - 1 <= port && port <= last) &&
        this.servesNodePorts(space.address),
    );
    return new Set(concerned.flatMap(([key, space]) => [...this.#changed(key, space)]));
  }

  /** All claimants of ports there. */
  #changed(key: string, space: Space): ReadonlySet<ServicePortKey> {
    const { protocol, address, ranges, ports } = space;
    space.decision = undefined;
    if (ranges.size === 0) {
      this.#spaces.delete(key);
    }
    const keys = new Set<ServicePortKey>(ranges.keys());
    const addAll = (of: string | undefined, port: number) => {
      for (const claimant of this.claims.claimants(frontendKey(protocol, of, port))) {
        keys.add(claimant.key);
      }
    };
    for (const port of ports) {
      addAll(address, port);
    }
    if (this.servesNodePorts(address)) {
      for (const port of this.#nodePorts.get(protocol) ?? []) {
        addAll(undefined, port);
      }
    }
    return keys;
  }
}

const NO_ONE: ReadonlySet<ServicePortKey> = new Set();
const KINDS: readonly Claim['kind'][] = ['port', 'range', 'node-port'];

function isStartOf(port: Claim, range: Claim): boolean {
  return range.kind === 'range' && port.servicePort.key === range.servicePort.key && port.first === range.first - 1;
}

/** Two ports of one Service conflict only when they are equal: while a port is renamed. */
function conflict(one: Claim, other: Claim): boolean {
  const overlap = one.first <= other.last && other.first <= one.last;
  const sameService = serviceKey(one.servicePort.name) === serviceKey(other.servicePort.name);
  return overlap && (!sameService || (one.kind === 'port' && other.kind === 'port'));
}
