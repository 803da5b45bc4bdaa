import ipaddr from 'ipaddr.js';
import { cidrContains, familyOf, type IPFamily } from '../model/address.js';
import type { Frontend } from '../model/frontend.js';
import type { ProxyState, ResolvedServicePort } from '../model/proxy-state.js';
import type { Packet, SimulationHost } from '../simulator/simulate-packet.js';

/** The properties of a client that an answer depends on. */
export type ClientKind = 'address' | 'pod' | 'local-pod' | 'remote-pod' | 'node' | 'outside';

/** A client; its address is a sample of its kind when none was given. */
export interface Client extends Pick<Packet, 'entry'> {
  readonly kind: ClientKind;
  /** `pod shop/web-1`, `pod on this node`, `client outside the cluster`. */
  readonly name: string;
  /** Canonical. */
  readonly address: string;
}

/** Addresses for documentation (RFC 5737, RFC 3849): no cluster has them. */
const OUTSIDE: Readonly<Record<IPFamily, readonly string[]>> = {
  IPv4: ['203.0.113.1', '198.51.100.1', '192.0.2.1'],
  IPv6: ['2001:db8:ffff::1', '2001:db8:fffe::1', '2001:db8:fffd::1'],
};
const ANY_POD: Readonly<Record<IPFamily, string>> = { IPv4: '192.0.2.200', IPv6: '2001:db8:fff0::1' };

/** A pod of this node that is no endpoint of the service port. */
export function localPod(state: ProxyState, port: ResolvedServicePort): Client {
  const own = new Set(port.candidates.map(({ address }) => address));
  const known = firstEndpoint(
    state,
    ({ address, isLocal }) => isLocal && !own.has(address) && !isNodeAddress(state, address),
  );
  const address = known ?? podAddress(state, 200, own);
  return { kind: 'local-pod', name: 'pod on this node', address, ...podEntry(state) };
}

/** A pod of another node. Its packets arrive from the network. */
export function remotePod(state: ProxyState): Client {
  const known = firstEndpoint(
    state,
    ({ address, isLocal, nodeName }) => !isLocal && nodeName !== undefined && isLikeAPod(state, address),
  );
  return {
    kind: 'remote-pod',
    name: 'pod on another node',
    address: known ?? podAddress(state, 201, new Set()),
    entry: { kind: 'interface' },
  };
}

/** The node itself; undefined when no address of it is known. */
export function nodeItself(state: ProxyState, host: SimulationHost): Client | undefined {
  const address = nodeAddress(state, host);
  return address === undefined ? undefined : { kind: 'node', name: 'this node', address, entry: { kind: 'host' } };
}

/** Clients outside the cluster: one that the source ranges of the frontend allow, and one that they do not. */
export function outsideClients({ family }: ProxyState, allowedSources: Frontend['allowedSources']): readonly Client[] {
  const client = (address: string, name = 'client outside the cluster'): Client => ({
    kind: 'outside',
    name,
    address,
    entry: { kind: 'interface' },
  });
  const [first = ''] = OUTSIDE[family];
  if (allowedSources === undefined) {
    return [client(first)];
  }
  const isAllowed = (address: string) => allowedSources.some((cidr) => cidrContains(cidr, address));
  const [range] = allowedSources;
  const refused = OUTSIDE[family].find((address) => !isAllowed(address));
  return [
    ...(range === undefined ? [] : [client(addressIn(range, 1n), `client in ${range}`)]),
    ...(refused === undefined ? [] : [client(refused)]),
  ];
}

/** How packets of pods of this node arrive. */
export function podEntry({ node }: ProxyState): Pick<Packet, 'entry'> {
  switch (node.detector.kind) {
    case 'interface':
      return { entry: { kind: 'interface', name: node.detector.name } };
    case 'interface-prefix':
      return { entry: { kind: 'interface', name: `${node.detector.prefix}0` } };
    default:
      return { entry: { kind: 'interface' } };
  }
}

/** An address of this node, its primary one if known; undefined when none is known. */
export function nodeAddress({ family, node }: ProxyState, { localAddresses = [] }: SimulationHost): string | undefined {
  const isUsable = (address: string) =>
    familyOf(address) === family && !address.startsWith('127.') && address !== '::1' && !address.startsWith('fe80:');
  return [...node.addresses, ...localAddresses].find(isUsable);
}

function podAddress(state: ProxyState, offset: number, taken: ReadonlySet<string>): string {
  const { detector } = state.node;
  if (detector.kind !== 'source-cidr') {
    return ANY_POD[state.family];
  }
  for (let index = offset; index < offset + 256; index++) {
    const address = addressIn(detector.cidr, BigInt(index));
    if (!taken.has(address) && !isNodeAddress(state, address)) {
      return address;
    }
  }
  return addressIn(detector.cidr, BigInt(offset));
}

function firstEndpoint(
  state: ProxyState,
  matches: (endpoint: ResolvedServicePort['candidates'][number]) => boolean,
): string | undefined {
  for (const port of state.servicePorts.values()) {
    const found = port.candidates.find(matches);
    if (found) {
      return found.address;
    }
  }
  return undefined;
}

function isNodeAddress({ node }: ProxyState, address: string): boolean {
  return node.addresses.includes(address);
}

/** Endpoints of host networks have the addresses of nodes. A detector by address does not count these as pods. */
function isLikeAPod({ node }: ProxyState, address: string): boolean {
  return node.detector.kind !== 'source-cidr' || cidrContains(node.detector.cidr, address);
}

/** Address number `index` of a network, from its first one; that of a smaller network wraps around. */
function addressIn(cidr: string, index: bigint): string {
  const [network, prefix] = ipaddr.parseCIDR(cidr);
  const bytes = network.toByteArray();
  const bits = BigInt(bytes.length * 8 - prefix);
  const first = bytes.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
  let rest = first + (index % (1n << bits));
  const result = bytes.map(() => 0);
  for (let place = bytes.length - 1; place >= 0; place--) {
    result[place] = Number(rest & 0xffn);
    rest >>= 8n;
  }
  const address = ipaddr.fromByteArray(result);
  return address instanceof ipaddr.IPv6 ? address.toRFC5952String() : address.toString();
}
