import { listDifference, type RuleChange, servicePortKey, structurallyEqual } from '@kube-proxier/core';
import {
  type NftBaseChain,
  type NftTable,
  nftContainerSignature,
  renderNftRule,
  renderNftSetOrMap,
} from '@kube-proxier/linux';
import { connectionsCountedBy } from './counted-endpoints.js';
import type { InstalledNftables } from './installed-nftables.js';
import { AFFINITY, idOfAffinityKey, TABLE } from './layout.js';
import { completeWrite, type NftablesTransaction } from './nftables-transaction.js';
import { countedBy } from './service-counters.js';
import { trafficCountedBy } from './traffic-counters.js';

/**
 * A chain during the evaluation of a transaction. `rules` are tags; `texts` has the rules that the transaction writes.
 */
interface ChainDraft {
  readonly base: NftBaseChain | undefined;
  readonly rules: readonly string[];
}

/** A set or map during the evaluation of a transaction. */
interface ContainerDraft {
  readonly kind: 'set' | 'map';
  /** Equal for two that can replace one another. */
  readonly signature: string;
  readonly declaration: string;
  readonly elements: Map<string, string | undefined>;
}

interface TableDraft {
  readonly chains: Map<string, ChainDraft>;
  readonly containers: Map<string, ContainerDraft>;
  readonly counters: Set<string>;
}

/**
 * The changes that writing a transaction makes to what is installed. Pure. Removed rules are identified only by the
 * tags in their comments: versions of nft print the same rule differently.
 */
export function renderChanges(transaction: NftablesTransaction, { table }: InstalledNftables): readonly RuleChange[] {
  const { forget } = transaction;
  const before = draftOf(table);
  const after = draftOf(table);
  const texts = new Map<string, string>();
  let exists = table !== undefined;
  for (const command of completeWrite(transaction).commands) {
    switch (command.do) {
      case 'add-table':
        exists = true;
        break;
      case 'delete-table':
        exists = false;
        after.chains.clear();
        after.containers.clear();
        after.counters.clear();
        break;
      case 'add-chain':
        if (!after.chains.has(command.chain)) {
          after.chains.set(command.chain, { base: command.base, rules: [] });
        }
        break;
      case 'flush-chain':
        after.chains.set(command.chain, { base: after.chains.get(command.chain)?.base, rules: [] });
        break;
      case 'delete-chain':
        after.chains.delete(command.chain);
        break;
      case 'add-rule': {
        const { base, rules = [] } = after.chains.get(command.chain) ?? {};
        const tag = command.rule.comment ?? '';
        texts.set(tag, renderNftRule(command.rule.statements));
        after.chains.set(command.chain, { base, rules: [...rules, tag] });
        break;
      }
      case 'add-container':
        if (!after.containers.has(command.name)) {
          const { kind } = command.container;
          const declaration = renderNftSetOrMap(command.container);
          const signature = nftContainerSignature(command.container);
          after.containers.set(command.name, { kind, signature, declaration, elements: new Map() });
        }
        break;
      case 'flush-container':
        after.containers.get(command.name)?.elements.clear();
        break;
      case 'delete-container':
        after.containers.delete(command.name);
        break;
      case 'add-counter':
        after.counters.add(command.name);
        break;
      case 'delete-counter':
        after.counters.delete(command.name);
        break;
      case 'add-elements':
        for (const [key, value] of command.elements) {
          after.containers.get(command.name)?.elements.set(key, value);
        }
        break;
      case 'delete-elements':
        for (const key of command.keys) {
          after.containers.get(command.name)?.elements.delete(key);
        }
        break;
    }
  }
  const forgotten = new Map(forget.map(({ id, numbers }) => [String(id), numbers]));
  const clients = after.containers.get(AFFINITY)?.elements;
  for (const [key, value = ''] of clients ?? []) {
    const id = idOfAffinityKey(key);
    if (forgotten.has(id) && (forgotten.get(id)?.has(value) ?? true)) {
      clients?.delete(key);
    }
  }
  return new Comparison(`table ${transaction.write.family} ${TABLE}`, texts).changes(
    { ...before, exists: table !== undefined },
    { ...after, exists },
  );
}

function draftOf(table: NftTable | undefined): TableDraft {
  return {
    chains: new Map(
      [...(table?.chains ?? [])].map(([name, { base, rules }]) => [
        name,
        { base, rules: rules.map((tag) => tag ?? '') },
      ]),
    ),
    containers: new Map(
      [...(table?.containers ?? [])].map(([name, { kind, signature, elements }]) => [
        name,
        {
          ...{ kind, signature, declaration: signature.replace(/^(?:set|map) /, '') },
          elements: new Map([...elements].map(([key, { value }]) => [key, value])),
        },
      ]),
    ),
    counters: new Set(table?.counters.keys()),
  };
}

type ExistingDraft = TableDraft & { readonly exists: boolean };

/** Compares a table before and after a transaction. */
class Comparison {
  constructor(
    private readonly table: string,
    /** Rules that the transaction writes, by their tags. */
    private readonly texts: ReadonlyMap<string, string>,
  ) {}

  changes(before: ExistingDraft, after: ExistingDraft): readonly RuleChange[] {
    const whole = (action: RuleChange['action']): RuleChange => ({
      action,
      table: this.table,
      kind: 'table',
      text: this.table,
    });
    return [
      ...(after.exists && !before.exists ? [whole('add')] : []),
      ...this.#containers(before, after),
      ...this.#counters(before, after),
      ...this.#chains(before, after),
      ...(before.exists && !after.exists ? [whole('remove')] : []),
    ];
  }

  #containers(before: TableDraft, after: TableDraft): readonly RuleChange[] {
    return union(before.containers, after.containers).flatMap((name) => {
      const [old, fresh] = [before.containers.get(name), after.containers.get(name)];
      const declared = (action: RuleChange['action'], { kind, declaration }: ContainerDraft): RuleChange => ({
        ...{ action, table: this.table, kind, text: `${kind} ${name} { ${declaration} }` },
      });
      const noElements: ContainerDraft['elements'] = new Map();
      const isReplaced = old?.signature !== fresh?.signature;
      return [
        ...(fresh !== undefined && isReplaced ? [declared('add', fresh)] : []),
        ...this.#elements(name, old?.elements ?? noElements, fresh?.elements ?? noElements),
        ...(old !== undefined && isReplaced ? [declared('remove', old)] : []),
      ];
    });
  }

  #elements(
    container: string,
    before: ContainerDraft['elements'],
    after: ContainerDraft['elements'],
  ): readonly RuleChange[] {
    const change = (action: RuleChange['action'], key: string, value: string | undefined): RuleChange => ({
      ...{ action, table: this.table, kind: 'element', container },
      text: `element ${container} { ${key}${value === undefined ? '' : ` : ${value}`} }`,
    });
    return union(before, after).flatMap((key) => {
      const [had, has] = [before.has(key), after.has(key)];
      if (had && has && before.get(key) === after.get(key)) {
        return [];
      }
      return [
        ...(had ? [change('remove', key, before.get(key))] : []),
        ...(has ? [change('add', key, after.get(key))] : []),
      ];
    });
  }

  #counters(before: TableDraft, after: TableDraft): readonly RuleChange[] {
    const names = (table: TableDraft) => new Map([...table.counters].map((name) => [name, undefined]));
    return union(names(before), names(after)).flatMap((name): RuleChange[] => {
      const [had, has] = [before.counters.has(name), after.counters.has(name)];
      const action = has ? 'add' : 'remove';
      return had === has
        ? []
        : [{ action, table: this.table, kind: 'counter', text: `counter ${name}`, ...ownerOf(name) }];
    });
  }

  #chains(before: TableDraft, after: TableDraft): readonly RuleChange[] {
    return union(before.chains, after.chains).flatMap((name) => {
      const [old, fresh] = [before.chains.get(name), after.chains.get(name)];
      const declared = (action: RuleChange['action'], { base }: ChainDraft): RuleChange => ({
        ...{ action, table: this.table, kind: 'chain' },
        text: `chain ${name}${base ? ` { type ${base.type} hook ${base.hook} priority ${base.priority}; }` : ''}`,
      });
      const rules = listDifference(old?.rules ?? [], fresh?.rules ?? []).map(
        ({ action, position, text: tag }): RuleChange => ({
          ...{ action, table: this.table, kind: 'rule', container: name, position },
          text: `rule ${name} ${this.#ruleText(tag, position)}`,
        }),
      );
      const isReplaced = old === undefined || fresh === undefined || !structurallyEqual(old.base, fresh.base);
      return [
        ...(fresh !== undefined && isReplaced ? [declared('add', fresh)] : []),
        ...rules,
        ...(old !== undefined && isReplaced ? [declared('remove', old)] : []),
      ];
    });
  }

  #ruleText(tag: string, position: number): string {
    const comment = tag === '' ? 'without comment' : `comment "${tag}"`;
    const text = this.texts.get(tag);
    return `${text ?? `number ${position},`} ${comment}`;
  }
}

function ownerOf(counter: string): { readonly owner?: string } {
  const name = countedBy(counter) ?? (connectionsCountedBy(counter) ?? trafficCountedBy(counter))?.servicePort;
  return name === undefined ? {} : { owner: servicePortKey(name) };
}

/** The keys of both, sorted. */
function union(left: ReadonlyMap<string, unknown>, right: ReadonlyMap<string, unknown>): readonly string[] {
  return [...new Set([...left.keys(), ...right.keys()])].sort();
}
