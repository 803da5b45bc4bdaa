import {
  type ChangeSet,
  type Endpoint,
  type Frontend,
  type ProxyState,
  portRangeSpace,
  type ResolvedServicePort,
  type ServicePortKey,
  type Slices,
} from '@kube-proxier/core';

/** The identity of an endpoint beyond its service port: protocol, address and port, `TCP/10.0.0.1:80`. */
export function claimOf(
  { name: { protocol } }: Pick<ResolvedServicePort, 'name'>,
  { key }: Pick<Endpoint, 'key'>,
): string {
  return `${protocol}/${key}`;
}

/**
 * By claim, the addresses that do not tell whose a connection to the endpoint is, so that the port of its frontend has
 * to. Without an entry, there are none.
 */
export interface SharedAddresses {
  get(claim: string): ReadonlySet<string> | undefined;
}

/** No address is shared. */
export const NO_SHARED_ADDRESSES: SharedAddresses = new Map();

/** The difference that a change of service ports makes to shared addresses. */
export interface SharedAddressChanges {
  readonly before: SharedAddresses;
  readonly after: SharedAddresses;
  /** Whether there were any, and are. */
  readonly hadSome: boolean;
  readonly hasSome: boolean;
  /** Claims with other shared addresses than before, by each service port that has them now, changed or not. */
  readonly claims: ReadonlyMap<ServicePortKey, ReadonlySet<string>>;
}

/** Nothing was, and nothing is shared. */
export const NEVER_SHARED: SharedAddressChanges = {
  before: NO_SHARED_ADDRESSES,
  after: NO_SHARED_ADDRESSES,
  hadSome: false,
  hasSome: false,
  claims: new Map(),
};

/** Most endpoints have one service port. */
type Claimants = ServicePortKey | Set<ServicePortKey>;

const NONE: ReadonlySet<string> = new Set();
/** Endpoints processed between two pauses. */
const BETWEEN_PAUSES = 64;

/**
 * Which service ports lead to each endpoint, counted or not, including endpoints that only have established connections.
 *
 * The original destination of a connection and its endpoint identify a service port, as only one has the address and the
 * port. The address without the port, which costs the kernel less, does so too unless it is shared: another service port
 * that leads to the endpoint has the address as well, or a NodePort, which may be reached at any address of the node, or
 * a service port has a range of ports at the address.
 */
export class EndpointClaims {
  readonly #claimants = new Map<string, Claimants>();
  readonly #shared = new Map<string, ReadonlySet<string>>();

  /** @param isCounted whether it matters which connections are those of a service port. */
  private constructor(private readonly isCounted: (port: ResolvedServicePort) => boolean) {}

  /** The claims of all service ports of a state. */
  static *of(state: ProxyState, isCounted: (port: ResolvedServicePort) => boolean): Slices<EndpointClaims> {
    const claims = new EndpointClaims(isCounted);
    let count = 0;
    for (const port of state.servicePorts.values()) {
      for (const endpoint of port.candidates) {
        if (++count % BETWEEN_PAUSES === 0) {
          yield;
        }
        claims.#add(claimOf(port, endpoint), port.key);
      }
    }
    yield* claims.#update(claims.#claimants.keys(), state);
    return claims;
  }

  /** Addresses by claim, none of them empty. Changes with {@link advance}. */
  get shared(): ReadonlyMap<string, ReadonlySet<string>> {
    return this.#shared;
  }

  /** Moves to the next state. The cost follows the change, unless a range of ports comes or goes. */
  *advance(next: ProxyState, { previous, resolvedServicePorts }: ChangeSet): Slices<SharedAddressChanges> {
    const hadSome = this.#shared.size > 0;
    const touched = new Set<string>();
    for (const [key, { previous: was, current }] of resolvedServicePorts) {
      yield;
      const isSame =
        was !== undefined && was.frontends === current?.frontends && was.servicePort === current.servicePort;
      for (const claim of claimsWithout(was, isSame ? current : undefined)) {
        this.#remove(claim, key);
        touched.add(claim);
      }
      for (const claim of claimsWithout(current, isSame ? was : undefined)) {
        this.#add(claim, key);
        touched.add(claim);
      }
    }
    const hasOtherRanges = previous?.portRanges !== next.portRanges;
    const claimsToUpdate = hasOtherRanges ? new Set([...touched, ...this.#claimants.keys()]) : touched;
    const changed = yield* this.#update(claimsToUpdate, next);
    const claims = new Map<ServicePortKey, Set<string>>();
    for (const claim of changed.keys()) {
      for (const key of listOf(this.#claimants.get(claim))) {
        const found = claims.get(key);
        if (found === undefined) {
          claims.set(key, new Set([claim]));
        } else {
          found.add(claim);
        }
      }
    }
    const { shared } = this;
    const before = { get: (claim: string) => (changed.has(claim) ? changed.get(claim) : shared.get(claim)) };
    return { before, after: shared, hadSome, hasSome: shared.size > 0, claims };
  }

  #add(claim: string, key: ServicePortKey): void {
    const found = this.#claimants.get(claim);
    if (found === undefined) {
      this.#claimants.set(claim, key);
    } else if (typeof found === 'object') {
      found.add(key);
    } else if (found !== key) {
      this.#claimants.set(claim, new Set([found, key]));
    }
  }

  #remove(claim: string, key: ServicePortKey): void {
    const found = this.#claimants.get(claim);
    if (found === key) {
      this.#claimants.delete(claim);
    } else if (typeof found === 'object') {
      found.delete(key);
      const [first] = found;
      if (found.size === 1 && first !== undefined) {
        this.#claimants.set(claim, first);
      }
    }
  }

  /** Determines the shared addresses of some claims again. Returns the claims with others, and what they had before. */
  *#update(claims: Iterable<string>, state: ProxyState): Slices<ReadonlyMap<string, ReadonlySet<string> | undefined>> {
    const changed = new Map<string, ReadonlySet<string> | undefined>();
    let count = 0;
    for (const claim of claims) {
      if (++count % BETWEEN_PAUSES === 0) {
        yield;
      }
      const was = this.#shared.get(claim);
      const is = this.#sharedAt(claim, state);
      if (areEqual(was ?? NONE, is)) {
        continue;
      }
      changed.set(claim, was);
      if (is.size === 0) {
        this.#shared.delete(claim);
      } else {
        this.#shared.set(claim, is);
      }
    }
    return changed;
  }

  #sharedAt(claim: string, { portRanges, servicePorts }: ProxyState): ReadonlySet<string> {
    const claimants = this.#claimants.get(claim);
    if (typeof claimants !== 'object' && portRanges === undefined) {
      return NONE;
    }
    const ports = listOf(claimants).flatMap((key) => servicePorts.get(key) ?? []);
    return sharedAddresses(ports, portRanges, this.isCounted);
  }
}

/** The addresses of counted service ports that are shared, where these service ports have one endpoint. */
function sharedAddresses(
  ports: readonly ResolvedServicePort[],
  ranges: ProxyState['portRanges'],
  isCounted: (port: ResolvedServicePort) => boolean,
): ReadonlySet<string> {
  const owners = new Map<string, number>();
  let nodePorts = 0;
  for (const { frontends } of ports) {
    nodePorts += hasNodePort(frontends) ? 1 : 0;
    for (const address of new Set(frontends.map((frontend) => frontend.address))) {
      if (address !== undefined) {
        owners.set(address, (owners.get(address) ?? 0) + 1);
      }
    }
  }
  const shared = new Set<string>();
  for (const { frontends } of ports.filter(isCounted)) {
    const othersHaveNodePorts = nodePorts > (hasNodePort(frontends) ? 1 : 0);
    for (const { address, lastPort, protocol } of frontends) {
      if (
        address !== undefined &&
        lastPort === undefined &&
        (othersHaveNodePorts || owners.get(address) !== 1 || ranges?.has(portRangeSpace(protocol, address)))
      ) {
        shared.add(address);
      }
    }
  }
  return shared;
}

function hasNodePort(frontends: readonly Frontend[]): boolean {
  return frontends.some(({ address }) => address === undefined);
}

function listOf(claimants: Claimants | undefined): readonly ServicePortKey[] {
  return claimants === undefined ? [] : typeof claimants === 'object' ? [...claimants] : [claimants];
}

function areEqual(some: ReadonlySet<string>, others: ReadonlySet<string>): boolean {
  return some.size === others.size && [...some].every((one) => others.has(one));
}

/** Claims of a service port that another version does not have. */
function claimsWithout(
  port: ResolvedServicePort | undefined,
  other: ResolvedServicePort | undefined,
): readonly string[] {
  if (port === undefined || port.candidates === other?.candidates) {
    return [];
  }
  const others = new Set(other?.candidates.map(({ key }) => key));
  return port.candidates.filter(({ key }) => !others.has(key)).map((endpoint) => claimOf(port, endpoint));
}
