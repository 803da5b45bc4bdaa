import {
  type ChangeSet,
  finish,
  type LocalTrafficDetector,
  type NodeState,
  type ProxyState,
  type ResolvedServicePort,
  type ServiceKey,
  type Slices,
  structurallyEqual,
} from '@kube-proxier/core';
import type { VirtualServerAddress } from '@kube-proxier/linux';
import type { RangeChains } from './fixed-chains.js';
import type { HostFacts } from './installed-ipvs.js';
import { MARK_NUMBERS, type MarkLayout } from './layout.js';
import { readScheduler } from './scheduler-choice.js';
import { type HostAddresses, healthCheckItems, type Item, itemsOf, needsMark } from './service-items.js';

/** Input of items besides the state. */
export interface ItemTableContext {
  /** Scheduler of Services without an annotation. */
  readonly scheduler: string;
  readonly marks: MarkLayout;
}

/** An item before and after; never both undefined. */
export interface ItemChange {
  readonly before: Item | undefined;
  readonly after: Item | undefined;
}

interface Counted {
  item: Item;
  count: number;
}

/**
 * Everything that the kernel must contain for a state: items by key, with the number of service ports that share each.
 * Mutable: {@link ItemTable.advance} moves it to the next state.
 */
export class ItemTable {
  readonly #counted = new Map<string, Counted>();
  readonly #byOwner = new Map<string, readonly Item[]>();
  readonly #numbers = new Map<string, number>();
  readonly #taken = new Set<number>();
  readonly #ranges = new Map<string, Item>();
  #addresses: HostAddresses;
  #detector: LocalTrafficDetector;
  /** By key: previous versions of items touched by `advance`. */
  #before: Map<string, Item | undefined> | undefined;

  private constructor(
    private current: ProxyState,
    private readonly context: ItemTableContext,
    /** The host that the items are for. */
    readonly facts: HostFacts,
  ) {
    this.#addresses = hostAddresses(current.node);
    this.#detector = current.node.detector;
  }

  /** The table of a state. Yields after each service port. */
  static *of(state: ProxyState, context: ItemTableContext, facts: HostFacts): Slices<ItemTable> {
    const table = new ItemTable(state, context, facts);
    // Sorted, so that collisions are resolved deterministically.
    for (const key of [...state.servicePorts.keys()].sort()) {
      yield;
      table.#add(key, table.#itemsOf(state.servicePorts.get(key) as ResolvedServicePort));
    }
    for (const [key, check] of state.healthCheckNodePorts) {
      yield;
      table.#add(`health ${key}`, healthCheckItems(check, table.#addresses));
    }
    return table;
  }

  get(key: string): Item | undefined {
    return this.#counted.get(key)?.item;
  }

  /** Virtual servers of a service port. */
  virtualServersOf(port: ResolvedServicePort): readonly VirtualServerAddress[] {
    return (this.#byOwner.get(port.key) ?? []).flatMap((item) => (item.kind === 'virtual' ? [item.virtual.at] : []));
  }

  /** The rules that ranges of ports need. */
  get ranges(): RangeChains {
    const items = [...this.#ranges.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
    return {
      marking: items.flatMap((item) => (item.kind === 'range' ? item.rules : [])),
      hairpins: items.flatMap((item) => (item.kind === 'range-hairpin' ? [item.address] : [])),
    };
  }

  *items(): IterableIterator<Item> {
    for (const { item } of this.#counted.values()) {
      yield item;
    }
  }

  /** Addresses of the host that the state of the table was made with. */
  get addresses(): HostAddresses {
    return this.#addresses;
  }

  /**
   * Advances to the next state, in time proportional to the change. Of a change of the node, only host addresses are
   * relevant, for service ports on added or removed ones.
   */
  advance(next: ProxyState, changes: ChangeSet): readonly ItemChange[] {
    const touched = new Map<string, Item | undefined>();
    this.#before = touched;
    this.#detector = next.node.detector;
    const addresses = changes.nodeChanged ? hostAddresses(next.node) : this.#addresses;
    const follows = followsChange(this.#addresses, addresses);
    const isRedetected = !structurallyEqual(this.current.node.detector, next.node.detector);
    this.#addresses = addresses;
    const ports = new Map<string, ResolvedServicePort | undefined>();
    if (follows !== undefined) {
      for (const [key, port] of next.servicePorts) {
        if (follows(port)) {
          ports.set(key, port);
        }
      }
    }
    for (const ranges of (isRedetected ? next.portRanges?.values() : undefined) ?? []) {
      for (const { owner } of ranges) {
        ports.set(owner, next.servicePorts.get(owner));
      }
    }
    for (const [key, { previous, current }] of changes.resolvedServicePorts) {
      // For other protocols, only endpoints with new connections have items.
      if (changes.servicePorts.has(key) || (current ?? previous)?.name.protocol === 'UDP') {
        ports.set(key, current);
      }
    }
    const checks = follows === undefined ? changes.healthCheckNodePorts : allKeys(this.current, next);
    for (const key of ports.keys()) {
      this.#remove(key);
    }
    for (const key of checks) {
      this.#remove(`health ${key}`);
    }
    for (const [key, port] of ports) {
      if (port === undefined) {
        for (const name of [key, ...RANGE_LISTS.map((list) => rangeNumberKey(key, list))]) {
          this.#taken.delete(this.#numbers.get(name) ?? -1);
          this.#numbers.delete(name);
        }
      } else {
        this.#add(key, this.#itemsOf(port));
      }
    }
    for (const key of checks) {
      const check = next.healthCheckNodePorts.get(key);
      if (check !== undefined) {
        this.#add(`health ${key}`, healthCheckItems(check, this.#addresses));
      }
    }
    this.#before = undefined;
    this.current = next;
    return finish(differences(touched, (key) => this.get(key)));
  }

  #itemsOf(port: ResolvedServicePort): readonly Item[] {
    const { marks, scheduler } = this.context;
    const { choice } = readScheduler(port.servicePort, scheduler, this.facts.schedulers);
    return itemsOf(port, {
      family: this.current.family,
      addresses: this.#addresses,
      scheduler: choice,
      marks,
      markNumber: needsMark(port) ? this.#number(port.key) : 0,
      detector: this.#detector,
      rangeNumber: (list) => this.#number(rangeNumberKey(port.key, list)),
    });
  }

  /**
   * The same in every process, unless two collide, so marks survive a restart. When one of two colliding numbers is
   * removed, the other one is kept: changing the mark of an unchanged Service would interrupt its flows.
   */
  #number(key: string): number {
    let number = this.#numbers.get(key);
    if (number === undefined) {
      number = hash(key) % MARK_NUMBERS;
      while (this.#taken.has(number)) {
        number = (number + 1) % MARK_NUMBERS;
      }
      this.#numbers.set(key, number);
      this.#taken.add(number);
    }
    return number;
  }

  #add(owner: string, items: readonly Item[]): void {
    this.#byOwner.set(owner, items);
    for (const item of items) {
      const found = this.#counted.get(item.key);
      this.#note(item.key, found?.item);
      if (item.kind === 'range' || item.kind === 'range-hairpin') {
        this.#ranges.set(item.key, item);
      }
      if (found === undefined) {
        this.#counted.set(item.key, { item, count: 1 });
      } else {
        found.item = item;
        found.count += 1;
      }
    }
  }

  #remove(owner: string): void {
    for (const { key } of this.#byOwner.get(owner) ?? []) {
      const found = this.#counted.get(key);
      this.#note(key, found?.item);
      if (found !== undefined) {
        found.count -= 1;
        if (found.count === 0) {
          this.#counted.delete(key);
          this.#ranges.delete(key);
        }
      }
    }
    this.#byOwner.delete(owner);
  }

  #note(key: string, item: Item | undefined): void {
    if (this.#before !== undefined && !this.#before.has(key)) {
      this.#before.set(key, item);
    }
  }
}

const RANGE_LISTS = ['cluster', 'local'] as const;

function rangeNumberKey(key: string, list: (typeof RANGE_LISTS)[number]): string {
  return `${key} range ${list}`;
}

/** The differences of two tables. Yields after each item. */
export function* differences(
  before: ReadonlyMap<string, Item | undefined>,
  after: (key: string) => Item | undefined,
): Slices<readonly ItemChange[]> {
  const changes: ItemChange[] = [];
  for (const [key, old] of before) {
    yield;
    const now = after(key);
    if (old === undefined ? now !== undefined : now === undefined || !sameItem(old, now)) {
      changes.push({ before: old, after: now });
    }
  }
  return changes;
}

/** Whether two items with equal keys are equal in the kernel. */
export function sameItem(left: Item, right: Item): boolean {
  if (left.kind === 'virtual' && right.kind === 'virtual') {
    return (
      left.virtual.scheduler === right.virtual.scheduler &&
      left.virtual.schedulerFlags === right.virtual.schedulerFlags &&
      left.virtual.persistence === right.virtual.persistence
    );
  }
  if (left.kind === 'real' && right.kind === 'real') {
    return left.real.weight === right.real.weight;
  }
  if (left.kind === 'entry' && right.kind === 'entry') {
    return left.entry.mark === right.entry.mark;
  }
  if (left.kind === 'range' && right.kind === 'range') {
    return (
      left.rules.length === right.rules.length &&
      left.rules.every((rule, index) => rule.text === right.rules[index]?.text)
    );
  }
  return left.kind === right.kind;
}

/** Which service ports have other items with other addresses; undefined when none has. */
function followsChange(
  before: HostAddresses,
  after: HostAddresses,
): ((port: ResolvedServicePort) => boolean) | undefined {
  const changed = new Set([
    ...[...before.others].filter((address) => !after.others.has(address)),
    ...[...after.others].filter((address) => !before.others.has(address)),
  ]);
  const nodePorts = before.nodePorts.join(' ') !== after.nodePorts.join(' ');
  return changed.size === 0 && !nodePorts
    ? undefined
    : ({ frontends }) => frontends.some(({ address }) => (address === undefined ? nodePorts : changed.has(address)));
}

function allKeys(before: ProxyState, after: ProxyState): ReadonlySet<ServiceKey> {
  return new Set([...before.healthCheckNodePorts.keys(), ...after.healthCheckNodePorts.keys()]);
}

/** Spec V-29: loopback and link-local addresses serve no NodePorts, nor do virtual ones. */
export function hostAddresses(node: NodeState): HostAddresses {
  const { localAddresses: local, nodePortAddresses: wanted } = node;
  const others = new Set(local);
  const candidates =
    wanted.kind === 'all'
      ? (local ?? node.addresses)
      : wanted.addresses.filter((address) => local === undefined || others.has(address));
  return {
    nodePorts: candidates.filter((address) => !/^(?:127\.|::1$|fe[89ab][0-9a-f]:)/.test(address)),
    others,
  };
}

/** FNV-1a. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193) >>> 0;
  }
  return value;
}
