import { hash } from 'node:crypto';
import {
  cidrContains,
  type Endpoint,
  type Frontend,
  formatPorts,
  type IPFamily,
  mayBeLocal,
  type ResolvedServicePort,
  resetsConnections,
} from '@kube-proxier/core';
import type { NftSetOrMap } from '@kube-proxier/linux';
import { type CountOptions, countingElements } from './counting-elements.js';
import { drawOf, endpointSlots } from './endpoint-slots.js';
import {
  balancingOf,
  clientsSet,
  type KindChain,
  keyScopeOf,
  layoutOf,
  pathOf,
  RESET_CHAINS,
  shiftMap,
} from './frontend-chains.js';
import {
  endpointsMap,
  fieldsOf,
  type Layout,
  LOCAL_SLOTS,
  protocolPort,
  RANGE_CONTAINERS,
  SPACE_CONTAINERS,
} from './layout.js';

/** An element; the value is undefined in sets. */
export type ServiceElement = readonly [container: string, key: string, value: string | undefined];

/** The objects of one service port in the table. */
export interface ServiceElements {
  readonly elements: readonly ServiceElement[];
  /** Chains that its frontends use, shared with others. */
  readonly chains: readonly KindChain[];
  /** Elements of the hairpin set, shared with others. */
  readonly hairpins: readonly string[];
  /** Sets and maps that only this service port uses. Packets write the dynamic ones. */
  readonly sets: ReadonlyMap<string, NftSetOrMap>;
  /** Names of the counters of its connections and packets; none when counting is not requested. */
  readonly counters: readonly string[];
  /** It has a range of ports. */
  readonly hasRanges: boolean;
}

type List = 'cluster' | 'local';

const LISTS: readonly List[] = ['cluster', 'local'];
const NO_ELEMENTS: ServiceElements = {
  ...{ elements: [], chains: [], hairpins: [], sets: new Map(), counters: [], hasRanges: false },
};

/** Further input for the elements, besides the service port. */
export interface ElementOptions extends CountOptions {
  readonly family: IPFamily;
  readonly layout: Layout;
  /** Whether slots may be omitted from the elements. Default false. */
  readonly leavesOutSlots?: boolean;
}

/**
 * All elements of a service port. Pure.
 *
 * @param except another version of the service port: elements that are equal in both may be omitted, since of the many
 *   elements of a large Service few change at once. Default: complete.
 */
export function elementsOf(
  port: ResolvedServicePort,
  { family, layout: wanted, leavesOutSlots = false, ...counting }: ElementOptions,
  except?: ResolvedServicePort,
): ServiceElements {
  const layout = layoutOf(port, wanted);
  const { ofService: counter, counters, ...counted } = countingElements(port, counting, { except });
  if (layout === 'constant' && counters.length === 0 && differsInSlotsOnly(port, except)) {
    return slotsOf(port, except);
  }
  const elements: ServiceElement[] = [...counted.elements];
  const chains: KindChain[] = [...counted.chains];
  const hairpins = new Set<string>();
  const sets = new Map<string, NftSetOrMap>();
  const balancing = balancingOf(port);
  const affinity = port.affinitySeconds === undefined ? undefined : affinityOf(port);
  const resets = resetsConnections(port);
  if (resets) {
    chains.push(...RESET_CHAINS);
  }
  for (const frontend of port.frontends) {
    const key = keyOf(frontend);
    const scope = SPACE_CONTAINERS[keyScopeOf(frontend)];
    const names = frontend.lastPort === undefined ? scope : { ...scope, ...RANGE_CONTAINERS };
    const path = pathOf(frontend, port, layout);
    chains.push(...path.chains);
    elements.push([names.dispatch, key, path.verdict]);
    if (counter !== undefined) {
      elements.push([names.counters, key, counter]);
    }
    if (frontend.routes.some(({ action }) => action === 'reject')) {
      elements.push([names.refused, key, undefined]);
    }
    if (resets && frontend.routes.some(({ action }) => action !== 'forward')) {
      elements.push([names.resets, key, undefined]);
    }
    for (const source of frontend.allowedSources === undefined ? [] : withoutContained(frontend.allowedSources)) {
      elements.push([names.allowed, `${key} . ${source}`, undefined]);
    }
    const lists = listsOf(frontend);
    if (layout === 'chain-per-service') {
      noteEndpoints(port, lists, family, sets, hairpins);
      noteShifts(port, frontend, lists, sets, elements);
      continue;
    }
    if (affinity !== undefined && lists.size > 0) {
      elements.push([names.affinityIds, key, String(affinity.id)]);
    }
    for (const list of lists) {
      noteHairpins(port[list], hairpins);
      if (affinity === undefined) {
        if (!leavesOutSlots) {
          noteSlots(frontend, list, port, hasSameKeys(port, except) ? except : undefined, elements);
        }
        continue;
      }
      const firstSlot = list === 'local' ? LOCAL_SLOTS : 0;
      const slots = endpointSlots(port[list], balancing);
      for (const [index, endpoint] of slots.entries()) {
        const number = affinity.numbers.get(endpoint.key) ?? 0;
        elements.push([names.affinityNumbers, `${key} . ${firstSlot + index}`, classid(number)]);
      }
      // A weighted endpoint has several slots.
      for (const endpoint of new Set(slots)) {
        const number = affinity.numbers.get(endpoint.key) ?? 0;
        elements.push([
          names.affinityEndpoints,
          `${key} . ${classid(list === 'local' ? number | 1 : number)}`,
          targetOf(endpoint),
        ]);
      }
    }
  }
  const hasRanges = port.frontends.some(({ lastPort }) => lastPort !== undefined);
  return { elements, chains, hairpins: [...hairpins], sets, counters, hasRanges };
}

/** Whether the slots of two versions of a service port have the same keys, so that equal slots are equal elements. */
function hasSameKeys(port: ResolvedServicePort, other: ResolvedServicePort | undefined): other is ResolvedServicePort {
  return (
    other !== undefined &&
    port.frontends === other.frontends &&
    port.servicePort === other.servicePort &&
    port.affinitySeconds === undefined
  );
}

/**
 * Whether two versions of a service port, whose slots have the same keys, use the same chains, which depend on the draw
 * range.
 */
function differsInSlotsOnly(
  port: ResolvedServicePort,
  other: ResolvedServicePort | undefined,
): other is ResolvedServicePort {
  if (!hasSameKeys(port, other)) {
    return false;
  }
  const balancing = balancingOf(port);
  return LISTS.every((list) => {
    if (port[list] === other[list]) {
      return true;
    }
    const [next, previous] = [drawOf(port[list], balancing), drawOf(other[list], balancing)];
    return next.count === previous.count && next.isRepeated === previous.isRepeated;
  });
}

/** The slots that another version, which {@link differsInSlotsOnly}, does not have equally. */
function slotsOf(port: ResolvedServicePort, other: ResolvedServicePort): ServiceElements {
  const elements: ServiceElement[] = [];
  const hairpins = new Set<string>();
  for (const frontend of port.frontends) {
    for (const list of listsOf(frontend)) {
      noteHairpins(port[list], hairpins);
      noteSlots(frontend, list, port, other, elements);
    }
  }
  return hairpins.size === 0 ? { ...NO_ELEMENTS, elements } : { ...NO_ELEMENTS, elements, hairpins: [...hairpins] };
}

/**
 * The slots of a list.
 *
 * @param except a version of the service port whose slots have the same keys: slots that are equal in both are omitted.
 */
function noteSlots(
  frontend: Frontend,
  list: List,
  port: ResolvedServicePort,
  except: ResolvedServicePort | undefined,
  elements: ServiceElement[],
): void {
  if (except !== undefined && except[list] === port[list]) {
    return;
  }
  const balancing = balancingOf(port);
  const slots = endpointSlots(port[list], balancing);
  const previousSlots = except && endpointSlots(except[list], balancing);
  const map = endpointsMap(keyScopeOf(frontend), frontend.protocol);
  const key = frontend.address === undefined ? `${frontend.port}` : `${frontend.address} . ${frontend.port}`;
  const firstSlot = list === 'local' ? LOCAL_SLOTS : 0;
  for (const slot of changedSlots(slots, previousSlots)) {
    elements.push([map, `${key} . ${firstSlot + slot}`, targetOf(slots[slot] as Endpoint)]);
  }
}

/** The numbers of slots whose endpoint changed: few of many, as most are the same object in both lists. */
function changedSlots(slots: readonly Endpoint[], previous: readonly Endpoint[] = []): readonly number[] {
  const changed: number[] = [];
  for (let slot = 0; slot < slots.length; slot++) {
    const endpoint = slots[slot] as Endpoint;
    if (endpoint !== previous[slot] && endpoint.key !== previous[slot]?.key) {
      changed.push(slot);
    }
  }
  return changed;
}

function targetOf({ address, port }: Endpoint): string {
  return `${address} . ${port}`;
}

/** Number of endpoints below which computing is faster than caching. */
const FEW = 64;
/** Cache for long lists, which are read before and after each change. */
const HAIRPINS = new WeakMap<readonly Endpoint[], readonly string[]>();

function noteHairpins(endpoints: readonly Endpoint[], hairpins: Set<string>): void {
  let found = HAIRPINS.get(endpoints);
  if (found === undefined) {
    // Not `flatMap`, which creates an array for each endpoint.
    found = endpoints.filter(mayBeLocal).map(({ address }) => `${address} . ${address}`);
    if (endpoints.length > FEW) {
      HAIRPINS.set(endpoints, found);
    }
  }
  for (const hairpin of found) {
    hairpins.add(hairpin);
  }
}

/** Maximum number of clients of an endpoint, if each has its own set. */
const MAX_CLIENTS = 65_536;

/** Objects for endpoints in rules, besides the rules. */
function noteEndpoints(
  port: ResolvedServicePort,
  lists: ReadonlySet<List>,
  family: IPFamily,
  sets: Map<string, NftSetOrMap>,
  hairpins: Set<string>,
): void {
  for (const list of lists) {
    noteHairpins(port[list], hairpins);
    for (const endpoint of port[list]) {
      if (port.affinitySeconds !== undefined) {
        const key = [fieldsOf(family).saddr];
        const container = { kind: 'set', key, flags: ['dynamic', 'timeout'], size: MAX_CLIENTS } as const;
        sets.set(clientsSet(port, endpoint), container);
      }
    }
  }
}

/** Rules cannot calculate, so an endpoint with other ports than the range needs a map with each of them. */
function noteShifts(
  port: ResolvedServicePort,
  frontend: Frontend,
  lists: ReadonlySet<List>,
  sets: Map<string, NftSetOrMap>,
  elements: ServiceElement[],
): void {
  const { port: first, lastPort: last } = frontend;
  for (const endpoint of [...lists].flatMap((list) => port[list])) {
    const name = last === undefined || endpoint.port === first ? undefined : shiftMap(port, frontend, endpoint);
    if (name === undefined || last === undefined || sets.has(name)) {
      continue;
    }
    const known = [protocolPort(frontend.protocol)];
    sets.set(name, { kind: 'map', key: known, value: known });
    for (let from = first; from <= last; from++) {
      elements.push([name, String(from), String(endpoint.port + from - first)]);
    }
  }
}

const [NO_LIST, ONE_LIST]: [ReadonlySet<List>, Readonly<Record<List, ReadonlySet<List>>>] = [
  new Set(),
  { cluster: new Set(['cluster']), local: new Set(['local']) },
];

function listsOf({ routes }: Frontend): ReadonlySet<List> {
  const [first] = routes;
  if (routes.length === 1 && first !== undefined) {
    return first.action === 'forward' ? ONE_LIST[first.endpoints] : NO_LIST;
  }
  return new Set(routes.flatMap((route) => (route.action === 'forward' ? [route.endpoints] : [])));
}

function keyOf(frontend: Frontend): string {
  const { address, protocol } = frontend;
  const ports = formatPorts(frontend);
  const rest = `${protocol.toLowerCase()} . ${ports}`;
  return address === undefined ? rest : `${address} . ${rest}`;
}

/** Networks without those that lie in another one, which the kernel would refuse; whole addresses without a length. */
function withoutContained(networks: readonly string[]): readonly string[] {
  const lengthOf = (network: string) => Number(network.slice(network.indexOf('/') + 1));
  const kept: string[] = [];
  for (const network of [...new Set(networks)].sort((a, b) => lengthOf(a) - lengthOf(b))) {
    const [base = ''] = network.split('/');
    if (!kept.some((other) => cidrContains(other, base))) {
      kept.push(network);
    }
  }
  return kept.map((network) => network.replace(/^(.*:.*)\/128$|^([^:]*)\/32$/, '$1$2'));
}

/** The numbers of a service port and its endpoints in session affinity. */
export interface AffinityNumbers {
  /** 1…2³²-1. Two service ports may collide: their clients then only lose their affinity to each other. */
  readonly id: number;
  /** By endpoint key; even, distinct, and independent of other endpoints (except in one of 10⁹ cases). */
  readonly numbers: ReadonlyMap<string, number>;
}

export function affinityOf(port: ResolvedServicePort): AffinityNumbers {
  const numbers = new Map<string, number>();
  const taken = new Set<number>();
  const addAll = (endpoints: readonly Endpoint[]) => {
    for (const { key } of endpoints) {
      if (!numbers.has(key)) {
        let number = endpointNumber(key);
        while (taken.has(number)) {
          number = next(number);
        }
        taken.add(number);
        numbers.set(key, number);
      }
    }
  };
  addAll(port.cluster);
  addAll(port.local);
  return { id: numberOf(port.key) || 1, numbers };
}

function numberOf(text: string): number {
  return Number.parseInt(hash('sha256', text, 'hex').slice(0, 8), 16);
}

/** nft has names for classids without a major or a minor part, so both are there; the last bit is for the list. */
function endpointNumber(key: string): number {
  const number = numberOf(key);
  const major = (number >>> 16) % 0xfffe;
  const minor = (number & 0xffff) % 0x7ffe;
  return (((major + 1) << 16) | ((minor + 1) << 1)) >>> 0;
}

function next(number: number): number {
  const minor = (number & 0xffff) + 2;
  return ((number & 0xffff0000) | (minor >= 0xfffe ? 2 : minor)) >>> 0;
}

/** In nft syntax. */
export function classid(number: number): string {
  return `${(number >>> 16).toString(16)}:${(number & 0xffff).toString(16)}`;
}
