import {
  type ChangeSet,
  COUNT_TRAFFIC_ANNOTATION,
  finish,
  type ProxyState,
  type ResolvedServicePort,
  readCountTraffic,
  type Slices,
  StateMemo,
  structurallyEqual,
} from '@kube-proxier/core';
import type { NftSetOrMap, NftTable } from '@kube-proxier/linux';
import { formerClients, removedAffinityClients, staleAffinityClients } from './affinity-clients.js';
import type { LayoutContext } from './chain.js';
import { renderKind } from './chain-rules.js';
import { ClaimPlanner, type CountingDefaults } from './claim-planner.js';
import { countingElements } from './counting-elements.js';
import {
  collectElements,
  diffContainers,
  diffCounters,
  diffElements,
  diffElementsInSlices,
  type Elements,
  putElement,
} from './element-diff.js';
import {
  type EndpointClaims,
  NO_SHARED_ADDRESSES,
  type SharedAddressChanges,
  type SharedAddresses,
} from './endpoint-claims.js';
import { arrangeSlotsInSlices } from './endpoint-slots.js';
import {
  balancingOf,
  COUNT_SERVICE,
  COUNT_TRAFFIC,
  ENDPOINT_COUNT_CHAINS,
  FORGET_PRIORITY,
  RESET_CHAINS,
} from './frontend-chains.js';
import type { HostFacts, InstalledNftables } from './installed-nftables.js';
import {
  AFFINITY,
  CLUSTER_IPS,
  containersOf,
  type Features,
  HAIRPIN,
  NODE_PORT_ADDRESSES,
  nftFamily,
  RANGE_CONTAINERS,
  TABLE,
  WRITTEN_BY_PACKETS,
} from './layout.js';
import {
  type ForgottenClients,
  type NftablesTransaction,
  type TableLoad,
  TransactionDraft,
} from './nftables-transaction.js';
import { type KeptElements, keptClients } from './replaced-table.js';
import { reusableTable } from './reusable-table.js';
import { hasRules } from './rule-tag.js';
import { elementsOf, type ServiceElement, type ServiceElements } from './service-elements.js';
import { readServiceOptions } from './service-options.js';
import { SharedParts } from './shared-parts.js';
import { inParts, LOAD_PART, type LoadedElement } from './table-load.js';
import { allChains, declareChain, rewriteChains, writeChain, writeChains } from './write-chains.js';

export interface NftablesPlannerOptions extends CountingDefaults {
  /** 0…31. */
  readonly masqueradeBit: number;
  /**
   * Approximate number of elements from which a new table is written in parts, and of elements in a part. Default 8192.
   */
  readonly loadPart?: number;
}

/** Data derived from a state: shared parts of its service ports, for a host. */
interface PlannedState {
  readonly facts: HostFacts;
  readonly parts: SharedParts;
  /** Undefined where no endpoint is counted. */
  readonly claims: EndpointClaims | undefined;
}

/** Minimum host capabilities; those of this host come with the installed state. */
const DEFAULT_FACTS: HostFacts = { fullyRandom: true, layout: 'constant' };
/** Number of service ports planned without pauses, and of endpoints of one that requires pauses. */
const [FEW, MANY] = [64, 1000];
const NO_SETS: ServiceElements['sets'] = new Map();
const NO_COUNTERS: ServiceElements['counters'] = [];
const NO_CLIENTS: readonly ForgottenClients[] = [];

/** Plans transactions. Pure. */
export class NftablesPlanner {
  readonly #claims: ClaimPlanner;
  readonly #planned = new StateMemo<PlannedState>((state) => {
    const parts = new SharedParts();
    for (const port of state.servicePorts.values()) {
      parts.add(this.#elementsOf(port, state, DEFAULT_FACTS));
    }
    return { facts: DEFAULT_FACTS, parts, claims: finish(this.#claims.claimsOf(state, DEFAULT_FACTS)) };
  });

  constructor(private readonly options: NftablesPlannerOptions) {
    this.#claims = new ClaimPlanner(options);
  }

  /** See `Dataplane.plan`. */
  plan(next: ProxyState, changes: ChangeSet, installed?: InstalledNftables): NftablesTransaction | undefined {
    return finish(this.planInSlices(next, changes, installed));
  }

  /** See `Dataplane.planInSlices`. */
  *planInSlices(
    next: ProxyState,
    changes: ChangeSet,
    installed?: InstalledNftables,
  ): Slices<NftablesTransaction | undefined> {
    const draft = new TransactionDraft();
    const { previous } = changes;
    let load: TableLoad | undefined;
    let keptClients = 0;
    let forget: readonly ForgottenClients[] = [];
    let facts = installed?.facts ?? DEFAULT_FACTS;
    if (installed === undefined && previous !== undefined) {
      const planned = this.#planned.take(previous);
      ({ facts } = planned);
      const { claims, shared } = yield* this.#claims.moveClaims(next, changes, planned);
      forget = yield* this.#planChanges(next, previous, planned, changes, shared, draft);
      const isCounted = countsSomeEndpoints(planned.parts);
      this.#planned.set(next, { ...planned, claims: isCounted ? claims : undefined });
    } else if (installed === undefined || isEmptyTable(installed.table)) {
      ({ load, keptClients } = yield* this.#planLoad(next, facts, installed, draft));
    } else {
      forget = yield* this.#planAll(next, installed, draft);
    }
    const commands = draft.commands();
    return commands.length === 0 && forget.length === 0
      ? undefined
      : {
          write: { family: nftFamily(next.family), table: TABLE, commands },
          ...(load === undefined ? {} : { load }),
          ...(keptClients === 0 ? {} : { keptClients }),
          forget,
          problems: yield* problemsOf(changes, facts),
        };
  }

  #elementsOf(
    port: ResolvedServicePort,
    { family }: ProxyState,
    facts: HostFacts,
    {
      except,
      leavesOutSlots = false,
      sharedAddresses = NO_SHARED_ADDRESSES,
    }: {
      except?: ResolvedServicePort | undefined;
      leavesOutSlots?: boolean;
      sharedAddresses?: SharedAddresses | undefined;
    } = {},
  ): ServiceElements {
    const options = { family, layout: facts.layout, ...this.#countOptions(facts), leavesOutSlots, sharedAddresses };
    return elementsOf(port, options, except);
  }

  #countOptions({ endpointCounters: canCountEndpoints = true }: HostFacts) {
    const { countConnections: countAll = false, countTraffic: countAllTraffic = false } = this.options;
    return { countAll, countAllTraffic, canCountEndpoints };
  }

  #context(state: ProxyState, { fullyRandom }: HostFacts, features: Features): LayoutContext {
    const { masqueradeBit } = this.options;
    return { family: state.family, node: state.node, masqueradeBit, fullyRandom, features };
  }

  /** A new or empty table. Without a comparison, elements are generated on demand during the write. */
  *#planLoad(
    next: ProxyState,
    facts: HostFacts,
    installed: InstalledNftables | undefined,
    draft: TransactionDraft,
  ): Slices<{ readonly load: TableLoad | undefined; readonly keptClients: number }> {
    const parts = new SharedParts();
    const counters = new Set<string>();
    const sets = new Map<string, NftSetOrMap>();
    // A pass over the persistent map is as expensive as processing its entries.
    const ports: ResolvedServicePort[] = [];
    let count = 0;
    for (const port of next.servicePorts.values()) {
      yield;
      ports.push(port);
      yield* arrangeSlots(port);
      noteContainers(parts.add(this.#elementsOf(port, next, facts, { leavesOutSlots: true })), counters, sets);
      count += port.frontends.length * (1 + port.cluster.length);
    }
    const claims = yield* this.#claims.claimsOf(next, facts);
    this.#planned.set(next, { facts, parts, claims });
    // Claims move to other states, but the elements are generated later.
    const shared = new Map(claims?.shared);
    const features = featuresOf(parts, shared.size > 0);
    const containers = new Map([...containersOf(next.family, features), ...sets]);
    const chains = allChains(this.#context(next, facts, features), parts);
    reusableTable(installed ?? { table: undefined, facts }, containers, chains, draft);
    for (const [name, container] of containers) {
      draft.first({ do: 'add-container', name, container });
    }
    for (const name of counters) {
      draft.addCounter(name);
    }
    const former = yield* formerClients(next, facts.layout, installed?.formerAffinity);
    const kept = former.filter(([container]) => containers.has(container));
    const keptClients = kept.length;
    const hairpins = [...parts.hairpins.keys()];
    const elements = () => this.#allElements(next, ports, facts, shared, hairpins, kept);
    const { loadPart = LOAD_PART } = this.options;
    if (count + keptClients <= loadPart) {
      const sorted = new Map([...containers.keys()].map((name): [string, LoadedElement[]] => [name, []]));
      for (const some of elements()) {
        for (const element of some) {
          sorted.get(element[0])?.push(element);
        }
      }
      for (const element of [...sorted.values()].flat()) {
        draft.addElement(element);
      }
      writeChains(chains, draft);
      return { load: undefined, keptClients };
    }
    const end = new TransactionDraft();
    writeChains(new Map([...chains].filter(([, { base }]) => base === undefined)), draft);
    writeChains(new Map([...chains].filter(([, { base }]) => base !== undefined)), end);
    return { load: { elements: () => inParts(elements(), loadPart), end: end.commands() }, keptClients };
  }

  /** All elements of a state, each once. */
  *#allElements(
    next: ProxyState,
    ports: readonly ResolvedServicePort[],
    facts: HostFacts,
    sharedAddresses: SharedAddresses,
    hairpins: readonly string[],
    kept: readonly LoadedElement[],
  ): Generator<Iterable<LoadedElement>> {
    yield kept;
    for (const port of ports) {
      yield this.#elementsOf(port, next, facts, { sharedAddresses }).elements;
    }
    yield sharedElements(next, hairpins);
  }

  *#planAll(next: ProxyState, installed: InstalledNftables, draft: TransactionDraft): Slices<ForgottenClients[]> {
    const { facts } = installed;
    const claims = yield* this.#claims.claimsOf(next, facts);
    const parts = new SharedParts();
    const elements = new Map<string, Elements>();
    const counters = new Set<string>();
    const sets = new Map<string, NftSetOrMap>();
    const note = ([container, key, value]: ServiceElement) => {
      let found = elements.get(container);
      if (found === undefined) {
        found = new Map();
        elements.set(container, found);
      }
      found.set(key, value);
    };
    for (const port of next.servicePorts.values()) {
      yield;
      yield* arrangeSlots(port);
      const wanted = parts.add(this.#elementsOf(port, next, facts, { sharedAddresses: claims?.shared }));
      noteContainers(wanted, counters, sets);
      for (const element of wanted.elements) {
        yield;
        note(element);
      }
    }
    this.#planned.set(next, { facts, parts, claims });
    for (const element of sharedElements(next, parts.hairpins.keys())) {
      yield;
      note(element);
    }
    const features = featuresOf(parts, claims !== undefined && claims.shared.size > 0);
    const containers = new Map([...containersOf(next.family, features), ...sets]);
    const chains = allChains(this.#context(next, facts, features), parts);
    const standing = reusableTable(installed, containers, chains, draft);

    for (const [name, container] of containers) {
      const found = standing?.containers.get(name);
      if (found === undefined) {
        draft.first({ do: 'add-container', name, container });
      }
      if (!WRITTEN_BY_PACKETS.has(name) && !sets.get(name)?.flags?.includes('dynamic')) {
        yield* diffElementsInSlices(name, found?.elements, elements.get(name) ?? new Map(), draft);
      }
    }
    for (const [name, { kind, elements: found }] of standing?.containers ?? []) {
      if (!containers.has(name)) {
        if (name === RANGE_CONTAINERS.dispatch) {
          // They lead to chains, which are deleted before it is.
          diffElements(name, found, new Map(), draft);
        }
        draft.deleteContainer(kind, name);
      }
    }
    const replaced = standing === undefined ? installed.table : undefined;
    for (const name of counters) {
      if (!standing?.counters.has(name)) {
        draft.addCounter(name, replaced?.counters.get(name));
      }
    }
    if (replaced !== undefined) {
      for (const kept of keptClients(next, replaced, containers)) {
        yield* addKeptClients(kept, draft);
      }
    }
    for (const name of standing?.counters.keys() ?? []) {
      if (!counters.has(name)) {
        draft.deleteCounter(name);
      }
    }
    for (const [name, chain] of chains) {
      const found = standing?.chains.get(name);
      if (found?.dropsByPolicy) {
        declareChain(name, chain.base, draft);
      }
      if (found === undefined || !hasRules(found, chain.rules, nftFamily(next.family))) {
        writeChain(name, chain, found !== undefined, draft);
      }
    }
    for (const name of standing?.chains.keys() ?? []) {
      if (!chains.has(name)) {
        draft.deleteChain(name);
      }
    }
    return features.affinity ? staleAffinityClients(next, standing?.containers.get(AFFINITY)?.elements) : [];
  }

  *#planChanges(
    next: ProxyState,
    previous: ProxyState,
    { facts, parts }: PlannedState,
    changes: ChangeSet,
    shared: SharedAddressChanges,
    draft: TransactionDraft,
  ): Slices<readonly ForgottenClients[]> {
    const old = new Map<string, Elements>();
    const wanted = new Map<string, Elements>();
    const forget: ForgottenClients[] = [];
    parts.begin();
    for (const [key, { previous: was, current }] of changes.resolvedServicePorts) {
      // Endpoints without new connections have only counters.
      if (
        !changes.servicePorts.has(key) &&
        !this.#claims.countsEndpoints(was) &&
        !this.#claims.countsEndpoints(current)
      ) {
        continue;
      }
      const isLong = changes.resolvedServicePorts.size > FEW || Math.max(endpointsOf(was), endpointsOf(current)) > MANY;
      if (isLong) {
        yield* arrangeSlots(was);
        yield* arrangeSlots(current, was);
        yield;
      }
      const oldOptions = { except: current, sharedAddresses: shared.before };
      const oldElements = was && parts.remove(this.#elementsOf(was, next, facts, oldOptions));
      if (isLong) {
        yield;
      }
      const newOptions = { except: was, sharedAddresses: shared.after };
      const newElements = current && parts.add(this.#elementsOf(current, next, facts, newOptions));
      collectElements(old, oldElements);
      collectElements(wanted, newElements);
      diffCounters(oldElements?.counters ?? NO_COUNTERS, newElements?.counters ?? NO_COUNTERS, draft);
      diffContainers(oldElements?.sets ?? NO_SETS, newElements?.sets ?? NO_SETS, draft);
      forget.push(...removedAffinityClients(was, current));
    }
    for (const [key, claims] of shared.claims) {
      yield;
      const options = this.#countOptions(facts);
      const [was, is] = [previous.servicePorts.get(key), next.servicePorts.get(key)];
      collectElements(old, was && countingElements(was, { ...options, sharedAddresses: shared.before }, { claims }));
      collectElements(wanted, is && countingElements(is, { ...options, sharedAddresses: shared.after }, { claims }));
    }
    const { chains, hairpins, hadRanges } = parts.end();
    for (const [name, elements] of old) {
      yield* diffElementsInSlices(name, elements, wanted.get(name), draft);
    }
    for (const [name, elements] of wanted) {
      if (!old.has(name)) {
        yield* diffElementsInSlices(name, undefined, elements, draft);
      }
    }
    for (const [key, isThere] of hairpins) {
      putElement(HAIRPIN, key, isThere, draft);
    }
    for (const address of changes.clusterIPs) {
      const isThere = next.clusterIPs.has(address);
      if (isThere !== previous.clusterIPs.has(address)) {
        putElement(CLUSTER_IPS, address, isThere, draft);
      }
    }
    const { hadSome: hadShared, hasSome: hasShared } = shared;
    if (chains.size === 0 && hadRanges === parts.hasRanges && hadShared === hasShared && !changes.nodeChanged) {
      // The common case: endpoints were added or removed.
      return parts.has(FORGET_PRIORITY.name) ? forget : NO_CLIENTS;
    }
    const features = featuresOf(parts, hasShared);
    const context = this.#context(next, facts, features);
    const toggled = (name: string, now: boolean) => (chains.get(name)?.isThere === undefined ? now : !now);
    const hadFeatures: Features = {
      affinity: toggled(FORGET_PRIORITY.name, features.affinity),
      counters: toggled(COUNT_SERVICE.name, features.counters),
      endpointCounters: toggled(ENDPOINT_COUNT_CHAINS[0].name, features.endpointCounters),
      traffic: toggled(COUNT_TRAFFIC.name, features.traffic),
      sharedAddresses: hadShared,
      resets: toggled(RESET_CHAINS[0].name, features.resets),
      ranges: hadRanges,
    };
    const hasOtherFeatures = !structurallyEqual(hadFeatures, features);
    if (hasOtherFeatures) {
      diffContainers(containersOf(next.family, hadFeatures), containersOf(next.family, features), draft);
    }
    for (const [name, { kind, isThere }] of chains) {
      if (isThere) {
        writeChain(name, renderKind(kind, context), false, draft);
      } else {
        draft.deleteChain(name);
      }
    }
    if (changes.nodeChanged || hasOtherFeatures) {
      const was = this.#context(previous, facts, hadFeatures);
      rewriteChains(was, context, parts, new Set(chains.keys()), draft);
    }
    if (changes.nodeChanged) {
      putNodePortAddresses(next, previous, draft);
    }
    return features.affinity ? forget : NO_CLIENTS;
  }
}

function* addKeptClients({ container, elements }: KeptElements, draft: TransactionDraft): Slices<void> {
  for (const [key, value, timeoutSeconds] of elements) {
    yield;
    draft.addElement([container, key, value, timeoutSeconds]);
  }
}

/** Whether a table does not exist, or was claimed with the flag `owner`, but not written yet. */
export function isEmptyTable(table: NftTable | undefined): boolean {
  return table === undefined || (table.chains.size === 0 && table.containers.size === 0 && table.counters.size === 0);
}

function endpointsOf(port: ResolvedServicePort | undefined): number {
  return port === undefined ? 0 : Math.max(port.cluster.length, port.local.length);
}

/** Precomputed, as it takes long for a Service with many endpoints. */
function* arrangeSlots(port: ResolvedServicePort | undefined, previous?: ResolvedServicePort): Slices<void> {
  if (port !== undefined) {
    const balancing = () => balancingOf(port);
    yield* arrangeSlotsInSlices(port.cluster, balancing, previous?.cluster);
    yield* arrangeSlotsInSlices(port.local, balancing, previous?.local);
  }
}

function putNodePortAddresses(next: ProxyState, previous: ProxyState, draft: TransactionDraft): void {
  const addresses = new Set(nodePortAddresses(next));
  const oldAddresses = new Set(nodePortAddresses(previous));
  for (const address of new Set([...addresses, ...oldAddresses])) {
    if (addresses.has(address) !== oldAddresses.has(address)) {
      putElement(NODE_PORT_ADDRESSES, address, addresses.has(address), draft);
    }
  }
}

function countsSomeEndpoints(parts: SharedParts): boolean {
  return parts.has(ENDPOINT_COUNT_CHAINS[0].name) || parts.has(COUNT_TRAFFIC.name);
}

function featuresOf(parts: SharedParts, sharedAddresses: boolean): Features {
  return {
    affinity: parts.has(FORGET_PRIORITY.name),
    counters: parts.has(COUNT_SERVICE.name),
    endpointCounters: parts.has(ENDPOINT_COUNT_CHAINS[0].name),
    traffic: parts.has(COUNT_TRAFFIC.name),
    sharedAddresses,
    resets: parts.has(RESET_CHAINS[0].name),
    ranges: parts.hasRanges,
  };
}

function nodePortAddresses({ node }: ProxyState): readonly string[] {
  return node.nodePortAddresses.kind === 'listed' ? node.nodePortAddresses.addresses.filter(isNoLoopback) : [];
}

function isNoLoopback(address: string): boolean {
  return !address.startsWith('127.') && address !== '::1';
}

function noteContainers(wanted: ServiceElements, counters: Set<string>, sets: Map<string, NftSetOrMap>): void {
  for (const name of wanted.counters) {
    counters.add(name);
  }
  for (const [name, container] of wanted.sets) {
    sets.set(name, container);
  }
}

/** Elements that belong to no service port alone. */
function* sharedElements(next: ProxyState, hairpins: Iterable<string>): Generator<ServiceElement> {
  for (const key of hairpins) {
    yield [HAIRPIN, key, undefined];
  }
  for (const address of next.clusterIPs.keys()) {
    yield [CLUSTER_IPS, address, undefined];
  }
  for (const address of new Set(nodePortAddresses(next))) {
    yield [NODE_PORT_ADDRESSES, address, undefined];
  }
}

/** Unsupported requests of changed service ports, once for each Service; a changed endpoint does not repeat them. */
function* problemsOf(
  changes: ChangeSet,
  { endpointCounters: canCountEndpoints = true }: HostFacts,
): Slices<readonly string[]> {
  const problems = new Set<string>();
  for (const { previous, current: port } of changes.servicePorts.values()) {
    if (changes.servicePorts.size > FEW) {
      yield;
    }
    if (port !== undefined && port.servicePort.annotations !== previous?.servicePort.annotations) {
      const { annotations } = port.servicePort;
      const uncounted =
        !canCountEndpoints && readCountTraffic(annotations) === true
          ? [`${COUNT_TRAFFIC_ANNOTATION}: this host can count connections only`]
          : [];
      for (const problem of [...readServiceOptions(annotations).problems, ...uncounted]) {
        problems.add(`Service ${port.name.namespace}/${port.name.name}: ${problem}`);
      }
    }
  }
  return [...problems];
}
