import { type Frontend, frontendKey } from '../model/frontend.js';
import type { NodePortAddresses } from '../model/node-port-addresses.js';
import type { ServicePort } from '../model/service-port.js';
import { type ServicePortKey, serviceKey } from '../model/service-port-name.js';
import { type ClusterAddresses, hasExternalAddress } from './address-overlaps.js';
import { byPrecedence, FrontendClaims } from './frontend-claims.js';
import { RangeClaims } from './range-claims.js';

/**
 * Decides which service port owns a frontend that several claim: by the same address and port, by a NodePort and an
 * external address of this node, or by a range of ports. The older Service owns it, and the first by name among equals.
 *
 * When a claim changes the ownership of other service ports, their keys are added to the caller's set: they must be
 * resolved again.
 */
export class FrontendOwnership {
  readonly #claims = new FrontendClaims();
  readonly #ranges = new RangeClaims(this.#claims, (address) => this.#servesNodePorts(address));
  /** Service ports by the external addresses that they claim. */
  readonly #external = new Map<string, Set<ServicePortKey>>();
  #addresses: ClusterAddresses;
  #nodePortAddresses: NodePortAddresses;

  constructor(addresses: ClusterAddresses, nodePortAddresses: NodePortAddresses) {
    this.#addresses = addresses;
    this.#nodePortAddresses = nodePortAddresses;
  }

  /** Addresses of the last {@link changeAddresses}. */
  get addresses(): ClusterAddresses {
    return this.#addresses;
  }

  /** Decides about ranges of ports. */
  get ranges(): Pick<RangeClaims, 'range'> {
    return this.#ranges;
  }

  /** Whether a Service claims an external address, which may be one of this host. */
  get hasExternalAddresses(): boolean {
    return this.#external.size > 0;
  }

  /** Where NodePorts are served, from the next decision on. */
  set nodePortAddresses(nodePortAddresses: NodePortAddresses) {
    this.#nodePortAddresses = nodePortAddresses;
  }

  /**
   * The addresses that external addresses may overlap with. Costs nothing when the object is unchanged.
   *
   * @param frontendsOf what a service port claims.
   */
  changeAddresses(
    addresses: ClusterAddresses,
    frontendsOf: (key: ServicePortKey) => readonly Frontend[],
    revisit: Set<ServicePortKey>,
  ): void {
    if (this.#addresses === addresses) {
      return;
    }
    this.#addresses = addresses;
    addAll(this.#ranges.addressesChanged(), revisit);
    for (const keys of this.#external.values()) {
      for (const key of keys) {
        revisit.add(key);
        for (const frontend of frontendsOf(key)) {
          if (hasExternalAddress(frontend)) {
            addKeys(this.#claims.claimants(frontendKey(frontend.protocol, undefined, frontend.port)), revisit);
          }
        }
      }
    }
  }

  /** Idempotent. */
  claim(frontend: Frontend, port: ServicePort, revisit: Set<ServicePortKey>): void {
    addKeys(this.#claims.claim(frontend.key, port), revisit);
    addAll(this.#ranges.claim(frontend, port), revisit);
    if (hasExternalAddress(frontend)) {
      const keys = this.#external.get(frontend.address) ?? new Set();
      this.#external.set(frontend.address, keys.add(port.key));
    }
    this.#revisitOverlapping(frontend, revisit);
  }

  /** Releases a claim. */
  release(frontend: Frontend, port: ServicePort, revisit: Set<ServicePortKey>): void {
    addKeys(this.#claims.release(frontend.key, port), revisit);
    addAll(this.#ranges.release(frontend, port), revisit);
    this.#revisitOverlapping(frontend, revisit);
    if (hasExternalAddress(frontend)) {
      const keys = this.#external.get(frontend.address);
      if (keys?.delete(port.key) && keys.size === 0) {
        this.#external.delete(frontend.address);
      }
    }
  }

  /** The service port that owns a frontend instead of the claimant; undefined when the claimant owns it. */
  holderBefore(frontend: Frontend, port: ServicePort): ServicePort | undefined {
    const outcome = this.#ranges.port(frontend, port);
    if (outcome !== 'unconcerned') {
      return outcome === 'held' ? undefined : outcome.lostTo;
    }
    const holder = this.#claims.holder(frontend.key);
    if (holder !== undefined && holder.key !== port.key) {
      return holder;
    }
    // A NodePort is a claim to that port on every address of this node that serves NodePorts.
    if (!hasExternalAddress(frontend) || !this.#servesNodePorts(frontend.address)) {
      return undefined;
    }
    const nodePort = this.#claims.holder(frontendKey(frontend.protocol, undefined, frontend.port));
    const isOther = nodePort !== undefined && serviceKey(nodePort.name) !== serviceKey(port.name);
    return isOther && byPrecedence(nodePort, port) < 0 ? nodePort : undefined;
  }

  /** The part of a frontend that its owner serves: the same object, unless other service ports own a part of it. */
  ownedPart(frontend: Frontend, port: ServicePort): Frontend {
    return this.#withoutLostRange(this.#withoutTakenAddresses(frontend, port), port);
  }

  /** For a changed NodePort claim, the claimants of that port on addresses of this node; and vice versa. */
  #revisitOverlapping(frontend: Frontend, revisit: Set<ServicePortKey>): void {
    if (hasExternalAddress(frontend) && this.#addresses.node.has(frontend.address)) {
      addKeys(this.#claims.claimants(frontendKey(frontend.protocol, undefined, frontend.port)), revisit);
    }
    if (frontend.kind !== 'NodePort' || this.#external.size === 0) {
      return;
    }
    for (const address of this.#addresses.node) {
      if (this.#external.has(address)) {
        addKeys(this.#claims.claimants(frontendKey(frontend.protocol, address, frontend.port)), revisit);
      }
    }
  }

  /** A NodePort is not served on addresses of this node on which an older Service has the same port. */
  #withoutTakenAddresses(frontend: Frontend, port: ServicePort): Frontend {
    if (frontend.kind !== 'NodePort' || this.#external.size === 0) {
      return frontend;
    }
    const exceptAddresses = [...this.#addresses.node].filter((address) => {
      const outcome = this.#ranges.port(frontend, port, address);
      if (outcome !== 'unconcerned') {
        return outcome !== 'held';
      }
      const holder = this.#external.has(address)
        ? this.#claims.holder(frontendKey(frontend.protocol, address, frontend.port))
        : undefined;
      return (
        holder !== undefined && serviceKey(holder.name) !== serviceKey(port.name) && byPrecedence(holder, port) < 0
      );
    });
    return exceptAddresses.length === 0 ? frontend : { ...frontend, exceptAddresses: exceptAddresses.sort() };
  }

  /** A range that overlaps with a port of an older Service is not served beyond its first port (spec PR-4). */
  #withoutLostRange(frontend: Frontend, port: ServicePort): Frontend {
    if (frontend.lastPort === undefined || typeof this.#ranges.range(frontend, port) === 'string') {
      return frontend;
    }
    const { lastPort: _lost, ...single } = frontend;
    return single;
  }

  #servesNodePorts(address: string): boolean {
    const nodePortAddresses = this.#nodePortAddresses;
    return (
      this.#addresses.node.has(address) &&
      (nodePortAddresses.kind === 'all' || nodePortAddresses.addresses.includes(address))
    );
  }
}

function addKeys(ports: readonly ServicePort[], to: Set<ServicePortKey>): void {
  for (const port of ports) {
    to.add(port.key);
  }
}

function addAll<Item>(items: Iterable<Item>, to: Set<Item>): void {
  for (const item of items) {
    to.add(item);
  }
}
