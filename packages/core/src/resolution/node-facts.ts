import { familyOf, type IPFamily, parseCIDR } from '../model/address.js';
import { assertNever } from '../model/assert-never.js';
import { dependsOnLocalAddresses, resolveNodePortAddresses } from '../model/node-port-addresses.js';
import type { LocalTrafficDetector, NodeState } from '../model/proxy-state.js';
import { structurallyEqual } from '../model/structurally-equal.js';
import type { NodeDefinition } from '../objects/definitions.js';
import type { ProxierOptions } from '../sync/proxier-options.js';
import type { ClusterAddresses } from './address-overlaps.js';

/** Derives the node part of a state from the options, the Node object and the addresses of the host. */
export class NodeFacts {
  #node: NodeDefinition | undefined;
  #serviceCIDRs: readonly string[] = [];
  #localAddresses: readonly string[] = [];
  #current: NodeState;
  #known: ClusterAddresses;

  constructor(
    private readonly family: IPFamily,
    private readonly options: ProxierOptions,
    /** The state includes the addresses of interfaces. */
    private readonly includesLocalAddresses = false,
  ) {
    this.#current = this.#resolve();
    this.#known = this.#resolveAddresses();
  }

  /** The same object while it is unchanged. */
  get clusterAddresses(): ClusterAddresses {
    return this.#known;
  }

  get state(): NodeState {
    return this.#current;
  }

  /** Whether local addresses have to be read for the node port addresses (spec K-72). */
  get needsLocalAddresses(): boolean {
    return dependsOnLocalAddresses(this.options.nodePortAddresses, this.family);
  }

  /** @returns whether the state has changed. */
  setNode(node: NodeDefinition): boolean {
    this.#node = node;
    return this.#refresh();
  }

  /** @returns whether the state has changed. */
  setServiceCIDRs(cidrs: readonly string[]): boolean {
    this.#serviceCIDRs = [
      ...new Set(
        cidrs
          .flatMap((text) => parseCIDR(text) ?? [])
          .filter((cidr) => cidr.family === this.family)
          .map((cidr) => cidr.text),
      ),
    ].sort();
    return this.#refresh();
  }

  /** @returns whether the state has changed. */
  setLocalAddresses(addresses: readonly string[]): boolean {
    this.#localAddresses = [...new Set(addresses.filter((address) => familyOf(address) === this.family))].sort();
    return this.#refresh();
  }

  #refresh(): boolean {
    const next = this.#resolve();
    const isSame = structurallyEqual(next, this.#current);
    this.#current = isSame ? this.#current : next;
    const known = this.#resolveAddresses();
    const knowsSame = sameAddresses(known, this.#known);
    this.#known = knowsSame ? this.#known : known;
    return !isSame || !knowsSame;
  }

  #resolveAddresses(): ClusterAddresses {
    const { family, options } = this;
    const node = this.#node;
    const detection = options.localTrafficDetection;
    const pods = [
      ...(node?.podCIDRs ?? []),
      ...(detection.kind === 'cluster-cidr'
        ? detection.cidrs
        : detection.kind === 'source-cidr'
          ? [detection.cidr]
          : []),
    ];
    const networks = pods.flatMap((text) => parseCIDR(text) ?? []).filter((cidr) => cidr.family === family);
    return {
      node: new Set([...this.#current.addresses, ...this.#localAddresses]),
      podNetworks: [...new Set(networks.map(({ text }) => text))],
      serviceNetworks: this.#serviceCIDRs,
    };
  }

  #resolve(): NodeState {
    const { family, options } = this;
    const node = this.#node;
    const known = node && node.addresses.length > 0 ? node.addresses : options.nodeAddresses;
    return {
      name: options.nodeName,
      zone: node?.zone,
      addresses: known.filter((address) => familyOf(address) === family),
      detector: this.#detector(),
      nodePortAddresses: resolveNodePortAddresses(options.nodePortAddresses, {
        family,
        nodeAddresses: known,
        localAddresses: this.#localAddresses,
        localhostNodePorts: options.localhostNodePorts,
      }),
      serviceCIDRs: this.#serviceCIDRs,
      ...(this.includesLocalAddresses
        ? { localAddresses: this.#localAddresses.filter((address) => !isLinkLocal(address)) }
        : {}),
    };
  }

  /** Spec K-60…K-62. */
  #detector(): LocalTrafficDetector {
    const detection = this.options.localTrafficDetection;
    switch (detection.kind) {
      case 'cluster-cidr':
        return this.#sourceDetector(detection.cidrs);
      case 'node-cidr':
        return this.#sourceDetector(this.#node?.podCIDRs ?? []);
      case 'source-cidr':
        return this.#sourceDetector([detection.cidr]);
      case 'none':
      case 'interface':
      case 'interface-prefix':
        return detection;
      default:
        return assertNever(detection);
    }
  }

  #sourceDetector(cidrs: readonly string[]): LocalTrafficDetector {
    const cidr = cidrs.flatMap((text) => parseCIDR(text) ?? []).find((candidate) => candidate.family === this.family);
    return cidr ? { kind: 'source-cidr', cidr: cidr.text } : { kind: 'none' };
  }
}

function sameAddresses(left: ClusterAddresses, right: ClusterAddresses): boolean {
  return (
    left.node.size === right.node.size &&
    [...left.node].every((address) => right.node.has(address)) &&
    structurallyEqual(left.podNetworks, right.podNetworks) &&
    structurallyEqual(left.serviceNetworks, right.serviceNetworks)
  );
}

/** IPv6 only: other link-local addresses are served like any other address. */
export function isLinkLocal(address: string): boolean {
  return /^fe[89ab][0-9a-f]:/.test(address);
}
