import { createHash } from 'node:crypto';
import { type ChangeSet, formatServicePortName, type ProxyState, type ResolvedServicePort } from '@kube-proxier/core';
import {
  type NftBaseChain,
  type NftSetOrMap,
  type NftTable,
  type NftTableFlag,
  nftContainerSignature,
} from '@kube-proxier/linux';
import { type Chain, fixedChains, type LayoutContext } from './fixed-chains.js';
import { COUNT_CHAINS, FORGET_PRIORITY, renderKind } from './frontend-chains.js';
import {
  AFFINITY,
  CLUSTER_IPS,
  containersOf,
  type Features,
  HAIRPIN,
  idOfAffinityKey,
  type Layout,
  NODE_PORT_ADDRESSES,
  nftFamily,
  TABLE,
  WRITTEN_BY_PACKETS,
} from './layout.js';
import { type ForgottenClients, type NftablesTransaction, TransactionDraft } from './nftables-transaction.js';
import { affinityOf, classid, elementsOf, type ServiceElements } from './service-elements.js';
import { readServiceOptions } from './service-options.js';
import { SharedParts } from './shared-parts.js';

/** What the kernel holds. */
export interface InstalledNftables {
  /** Undefined when our table is not there. */
  readonly table: NftTable | undefined;
  readonly facts: HostFacts;
  /** Flags that the table is to have. Default none. */
  readonly flags?: readonly NftTableFlag[];
  /** Whether it is there without them. It cannot be given them, so it is made anew. Default false. */
  readonly lacksFlags?: boolean;
}

/** What the host can do that decides about rules. */
export interface HostFacts {
  /** `masquerade` knows `fully-random`. */
  readonly fullyRandom: boolean;
}

export interface NftablesPlannerOptions {
  /** 0…31. */
  readonly masqueradeBit: number;
  /** Count connections to every Service that does not say otherwise. Default false. */
  readonly countConnections?: boolean;
  /** Default `constant`. */
  readonly layout?: Layout;
}

type Elements = Map<string, string | undefined>;
const NO_SETS: ServiceElements['sets'] = new Map();
type Chains = ReadonlyMap<string, Chain>;

/**
 * Plans what to write. Pure: what it remembers of a state (`SharedParts`) follows from that state, and changes
 * nothing but the time that planning takes.
 */
export class NftablesPlanner {
  readonly #parts = new WeakMap<ProxyState, SharedParts>();

  constructor(private readonly options: NftablesPlannerOptions) {}

  plan(next: ProxyState, changes: ChangeSet, installed?: InstalledNftables): NftablesTransaction | undefined {
    const draft = new TransactionDraft();
    const forget =
      installed === undefined && changes.previous !== undefined
        ? this.#planChanges(next, changes.previous, changes, draft)
        : this.#planAll(next, installed ?? { table: undefined, facts: { fullyRandom: true } }, draft);
    const commands = draft.commands();
    return commands.length === 0 && forget.length === 0
      ? undefined
      : {
          write: { family: nftFamily(next.family), table: TABLE, commands },
          forget,
          problems: problemsOf(next, changes),
        };
  }

  #elementsOf(port: ResolvedServicePort, { family }: ProxyState): ServiceElements {
    const { layout = 'constant', countConnections = false } = this.options;
    return elementsOf(port, { family, layout, countAll: countConnections });
  }

  #context(state: ProxyState, fullyRandom: boolean): LayoutContext {
    return { family: state.family, node: state.node, masqueradeBit: this.options.masqueradeBit, fullyRandom };
  }

  #planAll(next: ProxyState, installed: InstalledNftables, draft: TransactionDraft): ForgottenClients[] {
    const { facts } = installed;
    const parts = new SharedParts();
    const elements = new Map<string, Elements>();
    const counters = new Set<string>();
    const sets = new Map<string, NftSetOrMap>();
    const into = (container: string) => {
      let found = elements.get(container);
      if (found === undefined) {
        found = new Map();
        elements.set(container, found);
      }
      return found;
    };
    for (const port of next.servicePorts.values()) {
      const wanted = this.#elementsOf(port, next);
      parts.add(wanted);
      if (wanted.counter !== undefined) {
        counters.add(wanted.counter);
      }
      for (const [name, container] of wanted.sets) {
        sets.set(name, container);
      }
      for (const [container, key, value] of wanted.elements) {
        into(container).set(key, value);
      }
    }
    this.#parts.set(next, parts);
    for (const key of parts.hairpins.keys()) {
      into(HAIRPIN).set(key, undefined);
    }
    for (const address of next.clusterIPs.keys()) {
      into(CLUSTER_IPS).set(address, undefined);
    }
    for (const address of nodePortAddresses(next)) {
      into(NODE_PORT_ADDRESSES).set(address, undefined);
    }
    const features = featuresOf(parts);
    const containers = new Map([...containersOf(next.family, features), ...sets]);
    const chains = allChains(this.#context(next, facts.fullyRandom), parts);
    const standing = reusableTable(installed, containers, chains, draft);

    for (const [name, container] of containers) {
      const found = standing?.containers.get(name);
      if (found === undefined) {
        draft.first({ do: 'add-container', name, container });
      }
      if (!WRITTEN_BY_PACKETS.has(name) && !sets.has(name)) {
        diffElements(name, found?.elements, elements.get(name) ?? new Map(), draft);
      }
    }
    for (const [name, { kind }] of standing?.containers ?? []) {
      if (!containers.has(name)) {
        draft.deleteContainer(kind, name);
      }
    }
    for (const name of counters) {
      if (!standing?.counters.has(name)) {
        draft.addCounter(name);
      }
    }
    for (const name of standing?.counters.keys() ?? []) {
      if (!counters.has(name)) {
        draft.deleteCounter(name);
      }
    }
    for (const [name, chain] of chains) {
      const found = standing?.chains.get(name);
      if (found === undefined || !sameTags(found.rules, chain.rules)) {
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

  #planChanges(
    next: ProxyState,
    previous: ProxyState,
    changes: ChangeSet,
    draft: TransactionDraft,
  ): ForgottenClients[] {
    const before = this.#partsOf(previous);
    // Moved, not copied: the previous state is hardly ever needed again, and then it is rebuilt.
    this.#parts.delete(previous);
    this.#parts.set(next, before);
    const old = new Map<string, Elements>();
    const wanted = new Map<string, Elements>();
    const forget: ForgottenClients[] = [];
    before.begin();
    for (const { previous: was, current } of changes.servicePorts.values()) {
      const oldElements = was && before.remove(this.#elementsOf(was, next));
      const newElements = current && before.add(this.#elementsOf(current, next));
      collect(old, oldElements);
      collect(wanted, newElements);
      planCounter(oldElements?.counter, newElements?.counter, draft);
      changeContainers(oldElements?.sets ?? NO_SETS, newElements?.sets ?? NO_SETS, draft);
      forget.push(...forgotten(was, current));
    }
    const { chains, hairpins } = before.end();
    for (const name of new Set([...old.keys(), ...wanted.keys()])) {
      diffElements(name, valuesOnly(old.get(name)), wanted.get(name) ?? new Map(), draft);
    }
    for (const [key, isThere] of hairpins) {
      put(HAIRPIN, key, isThere, draft);
    }
    for (const address of changes.clusterIPs) {
      const isThere = next.clusterIPs.has(address);
      if (isThere !== previous.clusterIPs.has(address)) {
        put(CLUSTER_IPS, address, isThere, draft);
      }
    }
    // Rules that depend on what the host can do do not change with the state, so whatever is said here is fine.
    const context = this.#context(next, true);
    const features = featuresOf(before);
    const toggled = (name: string, now: boolean) => (chains.get(name)?.isThere === undefined ? now : !now);
    const hadFeatures: Features = {
      affinity: toggled(FORGET_PRIORITY.name, features.affinity),
      counters: toggled(COUNT_CHAINS[0].name, features.counters),
    };
    if (hadFeatures.affinity !== features.affinity || hadFeatures.counters !== features.counters) {
      changeContainers(containersOf(next.family, hadFeatures), containersOf(next.family, features), draft);
    }
    for (const [name, { kind, isThere }] of chains) {
      if (isThere) {
        writeChain(name, renderKind(kind, context), false, draft);
      } else {
        draft.deleteChain(name);
      }
    }
    if (changes.nodeChanged) {
      this.#planNode(next, previous, before, new Set(chains.keys()), draft);
    }
    return features.affinity ? forget : [];
  }

  /** Rules that say what the node is like: which packets are from pods, where NodePorts are served. */
  #planNode(
    next: ProxyState,
    previous: ProxyState,
    parts: SharedParts,
    written: ReadonlySet<string>,
    draft: TransactionDraft,
  ): void {
    const was = allChains(this.#context(previous, true), parts);
    for (const [name, chain] of allChains(this.#context(next, true), parts)) {
      if (!written.has(name) && JSON.stringify(was.get(name)?.rules) !== JSON.stringify(chain.rules)) {
        writeChain(name, chain, true, draft);
      }
    }
    const addresses = new Set(nodePortAddresses(next));
    const oldAddresses = new Set(nodePortAddresses(previous));
    for (const address of new Set([...addresses, ...oldAddresses])) {
      if (addresses.has(address) !== oldAddresses.has(address)) {
        put(NODE_PORT_ADDRESSES, address, addresses.has(address), draft);
      }
    }
  }

  #partsOf(state: ProxyState): SharedParts {
    let parts = this.#parts.get(state);
    if (parts === undefined) {
      parts = new SharedParts();
      for (const port of state.servicePorts.values()) {
        parts.add(this.#elementsOf(port, state));
      }
    }
    return parts;
  }
}

function allChains(context: LayoutContext, parts: SharedParts): Chains {
  const chains = new Map(fixedChains(context));
  for (const [name, kind] of parts.chains) {
    chains.set(name, renderKind(kind, context));
  }
  return chains;
}

function featuresOf({ chains }: SharedParts): Features {
  return { affinity: chains.has(FORGET_PRIORITY.name), counters: chains.has(COUNT_CHAINS[0].name) };
}

function nodePortAddresses({ node }: ProxyState): readonly string[] {
  return node.nodePortAddresses.kind === 'listed' ? node.nodePortAddresses.addresses.filter(isNoLoopback) : [];
}

function isNoLoopback(address: string): boolean {
  return !address.startsWith('127.') && address !== '::1';
}

/** The table to start from. One that is made differently (by another version of this program) is made anew. */
function reusableTable(
  { table, flags, lacksFlags = false }: InstalledNftables,
  containers: ReadonlyMap<string, NftSetOrMap>,
  chains: Chains,
  draft: TransactionDraft,
): NftTable | undefined {
  const addTable = { do: 'add-table', ...(flags === undefined ? {} : { flags }) } as const;
  if (table === undefined) {
    draft.first(addTable);
    return undefined;
  }
  const fits =
    !lacksFlags &&
    [...containers].every(([name, container]) => {
      const found = table.containers.get(name);
      return found === undefined || found.signature === nftContainerSignature(container);
    }) &&
    [...chains].every(([name, { base }]) => {
      const found = table.chains.get(name);
      return found === undefined || sameBase(found.base, base);
    });
  if (fits) {
    return table;
  }
  draft.first({ do: 'delete-table' });
  draft.first(addTable);
  return undefined;
}

function sameBase(a: NftBaseChain | undefined, b: NftBaseChain | undefined): boolean {
  return a?.type === b?.type && a?.hook === b?.hook && a?.priority === b?.priority;
}

/**
 * How a rule that is listed is known again: nft spells rules differently from version to version, but it keeps
 * comments.
 */
export function ruleTag(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}

function sameTags(found: readonly (string | undefined)[], rules: readonly string[]): boolean {
  return found.length === rules.length && rules.every((text, index) => found[index] === ruleTag(text));
}

function writeChain(name: string, { base, rules }: Chain, isThere: boolean, draft: TransactionDraft): void {
  if (isThere) {
    draft.flushChain(name);
  } else {
    draft.declareChain({ do: 'add-chain', chain: name, ...(base === undefined ? {} : { base }) });
  }
  for (const text of rules) {
    draft.addRule({ do: 'add-rule', chain: name, rule: { text, comment: ruleTag(text) } });
  }
}

function collect(into: Map<string, Elements>, wanted: ServiceElements | undefined): void {
  for (const [container, key, value] of wanted?.elements ?? []) {
    let found = into.get(container);
    if (found === undefined) {
      found = new Map();
      into.set(container, found);
    }
    found.set(key, value);
  }
}

type Valued = ReadonlyMap<string, { readonly value: string | undefined }>;

function valuesOnly(elements: Elements | undefined): Valued {
  return new Map([...(elements ?? [])].map(([key, value]) => [key, { value }]));
}

function diffElements(name: string, found: Valued | undefined, wanted: Elements, draft: TransactionDraft): void {
  for (const [key, { value }] of found ?? []) {
    if (!wanted.has(key) || wanted.get(key) !== value) {
      draft.deleteElement(name, key);
    }
  }
  for (const [key, value] of wanted) {
    const there = found?.get(key);
    if (there === undefined || there.value !== value) {
      draft.addElement([name, key, value]);
    }
  }
}

function put(container: string, key: string, isThere: boolean, draft: TransactionDraft): void {
  if (isThere) {
    draft.addElement([container, key, undefined]);
  } else {
    draft.deleteElement(container, key);
  }
}

function changeContainers(
  before: ReadonlyMap<string, NftSetOrMap>,
  after: ReadonlyMap<string, NftSetOrMap>,
  draft: TransactionDraft,
): void {
  for (const [name, container] of after) {
    if (!before.has(name)) {
      draft.first({ do: 'add-container', name, container });
    }
  }
  for (const [name, { kind }] of before) {
    if (!after.has(name)) {
      draft.deleteContainer(kind, name);
    }
  }
}

function planCounter(before: string | undefined, after: string | undefined, draft: TransactionDraft): void {
  if (before === after) {
    return;
  }
  if (after !== undefined) {
    draft.addCounter(after);
  }
  if (before !== undefined) {
    draft.deleteCounter(before);
  }
}

/** Clients of endpoints that a change takes away. */
function forgotten(was: ResolvedServicePort | undefined, current: ResolvedServicePort | undefined): ForgottenClients[] {
  if (was?.affinitySeconds === undefined) {
    return [];
  }
  const old = affinityOf(was);
  if (current?.affinitySeconds === undefined) {
    return [{ id: old.id, numbers: undefined }];
  }
  const kept = new Set(affinityOf(current).numbers.values());
  const numbers = new Set([...old.numbers.values()].filter((number) => !kept.has(number)).map(classid));
  return numbers.size === 0 ? [] : [{ id: old.id, numbers }];
}

/** Clients of service ports and endpoints that a state does not have. */
function staleAffinityClients(state: ProxyState, remembered: Valued | undefined): ForgottenClients[] {
  if (remembered === undefined || remembered.size === 0) {
    return [];
  }
  const known = new Map<string, Set<string>>();
  for (const port of state.servicePorts.values()) {
    if (port.affinitySeconds !== undefined) {
      const { id, numbers } = affinityOf(port);
      const found = known.get(String(id)) ?? new Set();
      known.set(String(id), found);
      for (const number of numbers.values()) {
        found.add(classid(number));
      }
    }
  }
  const unknown = new Map<string, Set<string>>();
  for (const [key, { value }] of remembered) {
    const id = idOfAffinityKey(key);
    if (value !== undefined && !known.get(id)?.has(value)) {
      unknown.set(id, (unknown.get(id) ?? new Set()).add(value));
    }
  }
  return [...unknown].map(([id, numbers]) => ({ id: Number(id), numbers }));
}

/** What changed service ports request and do not get. */
function problemsOf({ servicePorts }: ProxyState, changes: ChangeSet): readonly string[] {
  return [...changes.servicePorts.keys()].flatMap((key) => {
    const port = servicePorts.get(key);
    return port === undefined
      ? []
      : readServiceOptions(port.servicePort.annotations).problems.map(
          (problem) => `Service port ${formatServicePortName(port.name)}: ${problem}`,
        );
  });
}
