import type { IPFamily, Protocol } from '@kube-proxier/core';
import {
  jhashOf,
  type NftFamily,
  type NftField,
  type NftHash,
  type NftPayload,
  type NftSetOrMap,
  nftFields,
} from '@kube-proxier/linux';

/** Our table, one in each family. No other is ever touched. */
export const TABLE = 'kube-proxier';

export function nftFamily(family: IPFamily): NftFamily {
  return family === 'IPv4' ? 'ip' : 'ip6';
}

/**
 * Address spaces of frontends: Service addresses, and ports of the node. Each has separate maps and chains, as the keys
 * differ.
 */
export type KeyScope = 'address' | 'node-port';

export const SPACES: readonly KeyScope[] = ['address', 'node-port'];

/** The maps and sets of a space. */
export type SpaceContainer =
  /** The dispatch of packets to a frontend: a chain or a verdict. One element per frontend. */
  | 'dispatch'
  /** Allowed sources of restricted frontends. */
  | 'allowed'
  /** Frontends that reject packets. Cluster IPs are not in it: they reject all that is not forwarded. */
  | 'refused'
  /** Frontends that reset packets of unknown connections, where they refuse or drop the first of new ones (spec R-4). */
  | 'resets'
  /** The counter of its connections, where counting is requested. */
  | 'counters'
  /** The service port that it belongs to, as a number: session affinity spans all frontends. */
  | 'affinityIds'
  /** The number of the endpoint in a slot. */
  | 'affinityNumbers'
  /** The endpoint of a number. */
  | 'affinityEndpoints';

export const SPACE_CONTAINERS: Readonly<Record<KeyScope, Readonly<Record<SpaceContainer, string>>>> = {
  address: {
    dispatch: 'services',
    allowed: 'allowed-sources',
    refused: 'refused-services',
    resets: 'reset-services',
    counters: 'service-counters',
    affinityIds: 'affinity-ids',
    affinityNumbers: 'affinity-numbers',
    affinityEndpoints: 'affinity-endpoints',
  },
  'node-port': {
    dispatch: 'node-ports',
    allowed: 'node-port-allowed-sources',
    refused: 'refused-node-ports',
    resets: 'reset-node-ports',
    counters: 'node-port-counters',
    affinityIds: 'node-port-affinity-ids',
    affinityNumbers: 'node-port-affinity-numbers',
    affinityEndpoints: 'node-port-affinity-endpoints',
  },
};

/** Which packets of a connection: those to the endpoint, or those to the client. */
export type TrafficDirection = 'to-endpoints' | 'to-clients';

export const TRAFFIC_DIRECTIONS: readonly TrafficDirection[] = ['to-endpoints', 'to-clients'];

/** What is counted of each endpoint: connections, or their packets in one direction. */
export type EndpointQuantity = 'connections' | TrafficDirection;

/**
 * How the counter of a connection to an endpoint is looked up: `any-port` by the address of its frontend and the
 * endpoint, `address` also by the port of the frontend, which only a shared address needs.
 */
export type CountScope = 'any-port' | KeyScope | 'range';

const COUNT_PREFIXES: Readonly<Record<CountScope, string>> = {
  'any-port': 'any-port-',
  address: '',
  'node-port': 'node-port-',
  range: 'range-',
};

/** The map from frontends and their endpoints to counters. */
export function endpointCounters(scope: CountScope, quantity: EndpointQuantity): string {
  return `${COUNT_PREFIXES[scope]}${quantity === 'connections' ? 'endpoint-counters' : `traffic-${quantity}`}`;
}

/** The same for port ranges (addresses only), if any: their keys contain the whole range. */
export const RANGE_CONTAINERS: Readonly<Record<'dispatch' | 'refused' | 'resets' | 'counters', string>> = {
  dispatch: 'service-ranges',
  refused: 'refused-service-ranges',
  resets: 'reset-service-ranges',
  counters: 'service-range-counters',
};

export const PROTOCOLS: readonly Protocol[] = ['TCP', 'UDP', 'SCTP'];

/**
 * The endpoints of slots: one element per frontend, list and endpoint. One map per protocol, as nft 1.0.6 accepts
 * lookup rules only after a protocol match.
 */
export function endpointsMap(space: KeyScope, protocol: Protocol): string {
  return `${space === 'address' ? '' : 'node-port-'}endpoints-${protocol.toLowerCase()}`;
}

/** The destination port of packets of one protocol. */
export function protocolPort(protocol: Protocol): NftPayload {
  return nftFields.port(protocol.toLowerCase() as 'tcp' | 'udp' | 'sctp');
}

export const CLUSTER_IPS = 'cluster-ips';
export const NODE_PORT_ADDRESSES = 'node-port-addresses';
/** Local endpoints as `address . address`: matches packets of an endpoint to itself. */
export const HAIRPIN = 'hairpin';
/** Which endpoint number a client has for a service port. Packets write it. */
export const AFFINITY = 'affinity';
/** The id of the service port in a key of the map {@link AFFINITY}, `address . id`. */
export function idOfAffinityKey(key: string): string {
  return key.slice(key.lastIndexOf(' ') + 1);
}

/** Marks of packets that are being processed, while the packet mark holds another value. */
export const AFFINITY_MARKS = 'affinity-marks';

/** Plans ignore elements that packets add. */
export const WRITTEN_BY_PACKETS: ReadonlySet<string> = new Set([AFFINITY, AFFINITY_MARKS]);

/** Maximum number of affinity entries, over all service ports. Further clients are served without affinity. */
export const MAX_REMEMBERED = 262_144;
/** Maximum number of packets processed concurrently; each is in the map for some microseconds. */
const MAX_MARKS = 16_384;

/** Slots of the local list begin here, those of the cluster list at 0. */
export const LOCAL_SLOTS = 1 << 24;

/** A packet's own fields in one family. */
export interface PacketFields {
  readonly family: NftFamily;
  readonly saddr: NftPayload;
  readonly daddr: NftPayload;
  /** The protocol of the transport header. */
  readonly protocol: NftField;
  /** The client's key in the affinity map. */
  readonly client: NftField;
  /** Distinguishes packets that are processed concurrently. */
  readonly flow: readonly NftField[];
  /** The key of a frontend. */
  readonly key: Readonly<Record<KeyScope, readonly NftField[]>>;
}

/** Seed of all hashes. */
export const HASH_SEED = 0x6b70;
const HASH_MODULUS = 4_294_967_295;

/**
 * For maps written by packets, nft 1.0.6 limits the key to 16 bytes, the size of an IPv6 address. Clients with the same
 * hash (two of 65,000 with a probability of 1/2) share an endpoint, as with one address.
 */
function hashed(...of: readonly NftPayload[]): NftHash {
  return { kind: 'jhash', of, modulus: HASH_MODULUS, seed: HASH_SEED };
}

/** The key of a client in the map {@link AFFINITY}. */
export function clientKey(address: string, family: IPFamily): string {
  return family === 'IPv4' ? address : String(jhashOf(address, HASH_MODULUS, HASH_SEED));
}

export function fieldsOf(family: IPFamily): PacketFields {
  const nft = nftFamily(family);
  const saddr = nftFields.address(nft, 'saddr');
  const daddr = nftFields.address(nft, 'daddr');
  const portKey = [nftFields.protocol, nftFields.port('th')];
  return {
    ...{ family: nft, saddr, daddr },
    // The header of IPv6 has the protocol only without extension headers.
    protocol: family === 'IPv4' ? nftFields.protocolOfIPv4 : nftFields.protocol,
    client: family === 'IPv4' ? saddr : hashed(saddr),
    flow: [
      ...(family === 'IPv4' ? [saddr, daddr] : [hashed(saddr, daddr)]),
      nftFields.port('th', 'sport'),
      nftFields.port('th'),
    ],
    key: { address: [daddr, ...portKey], 'node-port': portKey },
  };
}

/** Every way in which an endpoint can be found. */
export const LAYOUTS = ['constant', 'chain-per-service'] as const;

/**
 * How an endpoint is found: by a map lookup in a chain that all Services of a kind share, or by a chain for each list
 * of endpoints, with a rule for each of them, if the host does not support the former.
 */
export type Layout = (typeof LAYOUTS)[number];

/** Optional features of a table. */
export interface Features {
  /** Whether a service port has session affinity. */
  readonly affinity: boolean;
  /** Whether connections to a service port are counted. */
  readonly counters: boolean;
  /** Whether connections to a service port are counted per endpoint. */
  readonly endpointCounters: boolean;
  /** Whether packets of a service port are counted per endpoint. */
  readonly traffic: boolean;
  /** Whether a service port that is counted per endpoint has a shared address. */
  readonly sharedAddresses: boolean;
  /** Whether a service port requests resets of connections to removed endpoints. */
  readonly resets: boolean;
  /** Whether a service port has a range of ports. */
  readonly ranges: boolean;
}

function quantitiesOf({ endpointCounters, traffic }: Features): readonly EndpointQuantity[] {
  return [...(endpointCounters ? (['connections'] as const) : []), ...(traffic ? TRAFFIC_DIRECTIONS : [])];
}

/** Every set and map of the table by name. */
export function containersOf(family: IPFamily, features: Features): ReadonlyMap<string, NftSetOrMap> {
  const { saddr: source, daddr: destination } = fieldsOf(family);
  const { protocol } = nftFields;
  const port = nftFields.port('th');
  const sourcePort = nftFields.port('th', 'sport');
  const slot: NftField = { kind: 'numgen', modulus: 2 };
  // Only packet fields can be concatenated to a key, and only the mark and the priority can be set from a map. So these
  // two temporarily carry the service port and the endpoint number.
  const { mark: id, priority: number } = nftFields;
  const endpoint = [destination, port];
  const protocolAndEndpoint = [protocol, ...endpoint];
  // The endpoint of a connection, and the port of its frontend.
  const connection = [...protocolAndEndpoint, port];
  const hash = slot;
  const client = family === 'IPv4' ? source : hash;
  const hosts = family === 'IPv4' ? [source, destination] : [hash];

  const containers = new Map<string, NftSetOrMap>();
  for (const space of SPACES) {
    const key = space === 'address' ? [destination, protocol, port] : [protocol, port];
    const names = SPACE_CONTAINERS[space];
    containers.set(names.dispatch, { kind: 'map', key, value: 'verdict' });
    for (const protocol of PROTOCOLS) {
      const known = protocolPort(protocol);
      const slotKey = space === 'address' ? [destination, known, slot] : [known, slot];
      containers.set(endpointsMap(space, protocol), { kind: 'map', key: slotKey, value: [destination, known] });
    }
    containers.set(names.allowed, { kind: 'set', key: [...key, source], flags: ['interval'] });
    containers.set(names.refused, { kind: 'set', key });
    if (features.resets) {
      containers.set(names.resets, { kind: 'set', key });
    }
    if (features.counters) {
      containers.set(names.counters, { kind: 'map', key, value: 'counter' });
    }
    for (const quantity of quantitiesOf(features)) {
      if (space === 'address') {
        const counted = [destination, ...protocolAndEndpoint];
        containers.set(endpointCounters('any-port', quantity), { kind: 'map', key: counted, value: 'counter' });
      }
      if (space === 'node-port' || features.sharedAddresses) {
        const counted = space === 'address' ? [destination, ...connection] : connection;
        containers.set(endpointCounters(space, quantity), { kind: 'map', key: counted, value: 'counter' });
      }
    }
    if (features.affinity) {
      containers.set(names.affinityIds, { kind: 'map', key, value: [id] });
      containers.set(names.affinityNumbers, { kind: 'map', key: [...key, slot], value: [number] });
      containers.set(names.affinityEndpoints, { kind: 'map', key: [...key, number], value: endpoint });
    }
  }
  if (features.ranges) {
    const key = [destination, protocol, port];
    containers.set(RANGE_CONTAINERS.dispatch, { kind: 'map', key, value: 'verdict', flags: ['interval'] });
    containers.set(RANGE_CONTAINERS.refused, { kind: 'set', key, flags: ['interval'] });
    if (features.resets) {
      containers.set(RANGE_CONTAINERS.resets, { kind: 'set', key, flags: ['interval'] });
    }
    if (features.counters) {
      containers.set(RANGE_CONTAINERS.counters, { kind: 'map', key, value: 'counter', flags: ['interval'] });
    }
    for (const quantity of quantitiesOf(features)) {
      const counted = [destination, ...connection];
      const container = { kind: 'map', key: counted, value: 'counter', flags: ['interval'] } as const;
      containers.set(endpointCounters('range', quantity), container);
    }
  }
  containers.set(CLUSTER_IPS, { kind: 'set', key: [destination] });
  containers.set(NODE_PORT_ADDRESSES, { kind: 'set', key: [destination] });
  containers.set(HAIRPIN, { kind: 'set', key: [source, destination] });
  if (features.affinity) {
    containers.set(AFFINITY, {
      kind: 'map',
      key: [client, id],
      value: [number],
      flags: ['dynamic', 'timeout'],
      size: MAX_REMEMBERED,
    });
    containers.set(AFFINITY_MARKS, {
      kind: 'map',
      key: [...hosts, sourcePort, port],
      value: [id],
      flags: ['dynamic', 'timeout'],
      timeout: 10,
      size: MAX_MARKS,
    });
  }
  return containers;
}
