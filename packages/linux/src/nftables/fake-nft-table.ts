import { assertNever, cidrContains } from '@kube-proxier/core';
import type { NftCounter } from './nft-counter.js';
import type { NftRefusal } from './nft-error.js';
import type { NftElement } from './nft-table.js';
import {
  type NftBaseChain,
  type NftCommand,
  type NftRule,
  type NftSetOrMap,
  type NftTableFlag,
  nftContainerSignature,
} from './nft-transaction.js';

interface FakeChain {
  readonly base: NftBaseChain | undefined;
  readonly rules: readonly NftRule[];
}

interface FakeContainer {
  readonly declaration: NftSetOrMap;
  readonly elements: ReadonlyMap<string, NftElement>;
}

/** One table during a transaction. */
export interface FakeTable {
  readonly flags: readonly NftTableFlag[];
  readonly chains: Map<string, FakeChain>;
  readonly containers: Map<string, FakeContainer>;
  readonly counters: Map<string, NftCounter>;
  /** Sets and maps whose elements were copied in the current transaction and are mutable. */
  readonly owned: Set<string>;
}

/** The kernel, or nft, rejects a command. */
export class Refused extends Error {
  constructor(
    readonly refusal: NftRefusal,
    message: string,
  ) {
    super(message);
  }
}

/** An object does not exist. */
export const missing = (what: string) =>
  new Refused('missing', `Could not process rule: No such file or directory: ${what}`);
const exists = (what: string) => new Refused('exists', `Could not process rule: File exists: ${what}`);
const busy = (what: string) => new Refused('busy', `Could not process rule: Device or resource busy: ${what}`);

/** A copy to change: sets and maps are copied when their elements change. */
export function copyTable(table: FakeTable | undefined): FakeTable | undefined {
  return (
    table && {
      flags: table.flags,
      chains: new Map(table.chains),
      containers: new Map(table.containers),
      counters: new Map(table.counters),
      owned: new Set(),
    }
  );
}

/**
 * Executes one command on a table.
 *
 * @throws Refused as the kernel would reject it.
 */
export function executeCommand(
  table: FakeTable,
  command: Exclude<NftCommand, { do: 'add-table' | 'delete-table' }>,
): void {
  switch (command.do) {
    case 'add-chain': {
      const there = table.chains.get(command.chain);
      if (there === undefined) {
        table.chains.set(command.chain, { base: command.base, rules: [] });
      } else if (command.base !== undefined && JSON.stringify(there.base) !== JSON.stringify(command.base)) {
        throw new Refused('unsupported', `Could not process rule: Operation not supported: ${command.chain}`);
      }
      break;
    }
    case 'flush-chain':
      table.chains.set(command.chain, { ...chainOf(table, command.chain), rules: [] });
      break;
    case 'delete-chain': {
      const { chain } = command;
      chainOf(table, chain);
      table.chains.delete(chain);
      if (isLedTo(table, chain)) {
        throw busy(chain);
      }
      break;
    }
    case 'add-rule': {
      const chain = chainOf(table, command.chain);
      for (const target of chainsOf(command.rule)) {
        chainOf(table, target);
      }
      for (const name of setsOf(command.rule)) {
        containerOf(table, name);
      }
      table.chains.set(command.chain, { ...chain, rules: [...chain.rules, command.rule] });
      break;
    }
    case 'add-container': {
      const there = table.containers.get(command.name);
      if (there === undefined) {
        table.containers.set(command.name, { declaration: command.container, elements: new Map() });
      } else if (nftContainerSignature(there.declaration) !== nftContainerSignature(command.container)) {
        throw exists(command.name);
      }
      break;
    }
    case 'flush-container':
      table.containers.set(command.name, { ...containerOf(table, command.name, command.kind), elements: new Map() });
      break;
    case 'delete-container': {
      containerOf(table, command.name, command.kind);
      const users = [...table.chains.values()].flatMap(({ rules }) => rules.flatMap(setsOf));
      if (users.includes(command.name)) {
        throw busy(command.name);
      }
      table.containers.delete(command.name);
      break;
    }
    case 'add-counter':
      if (!table.counters.has(command.name)) {
        table.counters.set(command.name, command.value ?? { packets: 0, bytes: 0 });
      }
      break;
    case 'delete-counter': {
      if (!table.counters.delete(command.name)) {
        throw missing(command.name);
      }
      const led = [...table.containers.values()].some(
        ({ declaration, elements }) =>
          declaration.value === 'counter' && [...elements.values()].some(({ value }) => value === command.name),
      );
      if (led) {
        throw busy(command.name);
      }
      break;
    }
    case 'add-elements': {
      const elements = elementsToChange(table, command.name);
      const { declaration } = containerOf(table, command.name);
      for (const [key, value, timeout] of command.elements) {
        addElement(table, declaration, elements, key, value, timeout);
      }
      break;
    }
    case 'delete-elements': {
      const elements = elementsToChange(table, command.name);
      for (const key of command.keys) {
        if (!elements.delete(key)) {
          throw missing(key);
        }
      }
      break;
    }
    default:
      assertNever(command);
  }
}

function addElement(
  table: FakeTable,
  declaration: NftSetOrMap,
  elements: Map<string, NftElement>,
  key: string,
  value: string | undefined,
  timeout: number | undefined,
): void {
  if ((declaration.kind === 'map') !== (value !== undefined)) {
    throw new Refused('other', `syntax error: ${key}`);
  }
  for (const target of value === undefined ? [] : targetsOf(value)) {
    chainOf(table, target);
  }
  if (declaration.value === 'counter' && !table.counters.has(value ?? '')) {
    throw missing(`counter ${value}`);
  }
  const there = elements.get(key);
  if (there !== undefined && there.value !== value) {
    throw exists(key);
  }
  if (there === undefined && declaration.flags?.includes('interval')) {
    const overlapping = [...elements.keys()].find((other) => overlaps(other, key));
    if (overlapping !== undefined) {
      throw exists(key);
    }
  }
  if (there === undefined) {
    const lifetime = timeout ?? declaration.timeout;
    elements.set(key, { value, ...(lifetime === undefined ? {} : { timeout: lifetime, expires: lifetime }) });
  }
}

/**
 * Whether the kernel detects an overlap of a new key: it looks up the first and the last value of the new interval. A
 * new interval that fully contains an existing one is not detected.
 */
function overlaps(other: string, key: string): boolean {
  const fields = other.split(' . ');
  const ends = key.split(' . ').map(endsOf);
  return ([0, 1] as const).some((end) => fields.every((field, index) => hasValue(field, ends[index]?.[end] ?? '')));
}

function endsOf(field: string): readonly [string, string] {
  const [, first, last] = /^(\d+)-(\d+)$/.exec(field) ?? [];
  if (first !== undefined && last !== undefined) {
    return [first, last];
  }
  // The last address of a network is in another network if the first one is, or if it contains that network.
  const [base = ''] = field.split('/');
  return [base, base];
}

function hasValue(field: string, value: string): boolean {
  const [, first, last] = /^(\d+)-(\d+)$/.exec(field) ?? [];
  return first !== undefined && last !== undefined
    ? Number(first) <= Number(value) && Number(value) <= Number(last)
    : field.includes('/')
      ? cidrContains(field, value)
      : field === value;
}

function chainOf(table: FakeTable, name: string): FakeChain {
  const chain = table.chains.get(name);
  if (chain === undefined) {
    throw missing(`chain ${name}`);
  }
  return chain;
}

function containerOf(table: FakeTable, name: string, kind?: 'set' | 'map'): FakeContainer {
  const container = table.containers.get(name);
  if (container === undefined || (kind !== undefined && container.declaration.kind !== kind)) {
    throw missing(`${kind ?? 'set'} ${name}`);
  }
  return container;
}

function elementsToChange(table: FakeTable, name: string): Map<string, NftElement> {
  const container = containerOf(table, name);
  const elements = table.owned.has(name)
    ? (container.elements as Map<string, NftElement>)
    : new Map(container.elements);
  table.owned.add(name);
  table.containers.set(name, { ...container, elements });
  return elements;
}

function isLedTo(table: FakeTable, chain: string): boolean {
  for (const { rules } of table.chains.values()) {
    if (rules.some((rule) => chainsOf(rule).includes(chain))) {
      return true;
    }
  }
  for (const { declaration, elements } of table.containers.values()) {
    if (declaration.value === 'verdict') {
      for (const { value } of elements.values()) {
        if (value === `goto ${chain}` || value === `jump ${chain}`) {
          return true;
        }
      }
    }
  }
  return false;
}

function targetsOf(text: string): readonly string[] {
  return [...text.matchAll(/\b(?:goto|jump) (\S+)/g)].map((match) => match[1] ?? '');
}

/** Chains that a rule leads to. */
function chainsOf({ statements }: NftRule): readonly string[] {
  return statements.flatMap((statement) =>
    statement.kind === 'goto' || statement.kind === 'jump' ? [statement.chain] : [],
  );
}

/** Sets and maps that a rule uses. */
function setsOf({ statements }: NftRule): readonly string[] {
  return statements.flatMap((statement): readonly string[] => {
    switch (statement.kind) {
      case 'member':
      case 'write-element':
        return [statement.set];
      case 'vmap':
      case 'count':
        return [statement.map];
      case 'assign':
        return typeof statement.value === 'object' && statement.value.kind === 'lookup' ? [statement.value.map] : [];
      case 'dnat':
        return statement.to.kind === 'lookup'
          ? [statement.to.map]
          : typeof statement.to.port === 'object'
            ? [statement.to.port.map]
            : [];
      default:
        return [];
    }
  });
}
