import { assertNever } from '@kube-proxier/core';
import type { NftCounter } from './nft-counter.js';
import type { NftFamily } from './nft-family.js';
import { type NftField, type NftStatement, nftTypeOf } from './rules/nft-expression.js';
import { renderNftFields, renderNftRule } from './rules/render-rule.js';

/** A set or a map, without its elements. */
export interface NftSetOrMap {
  readonly kind: 'set' | 'map';
  /** Fields whose values are keys. Only their types matter. */
  readonly key: readonly NftField[];
  /** Data type of a map; `verdict` for a verdict map, `counter` for a map of named counters. */
  readonly value?: readonly NftField[] | 'verdict' | 'counter';
  /**
   * `interval`: addresses in keys may be networks, and ports ranges (`10-20`). `dynamic`: packets add elements. `timeout`: elements may expire. Default none.
   */
  readonly flags?: readonly ('interval' | 'dynamic' | 'timeout')[];
  /** Maximum number of elements. Default: no limit, or nft's default for dynamic sets. */
  readonly size?: number;
  /** Timeout of elements in seconds, unless they have their own. Default: no timeout. */
  readonly timeout?: number;
}

/** Hook of a base chain. Its policy is accept. */
export interface NftBaseChain {
  readonly type: 'filter' | 'nat';
  readonly hook: 'prerouting' | 'input' | 'forward' | 'output' | 'postrouting';
  readonly priority: number;
}

export interface NftRule {
  readonly statements: readonly NftStatement[];
  /** At most 128 bytes, without quotes and line breaks; returned when the rule is listed. */
  readonly comment?: string;
}

/**
 * An element to add: key and, in a map, value. Both are in nft syntax: fields joined by ` . `, addresses in canonical
 * spelling, protocols by name, other numbers decimal, classids as `abcd:12`.
 */
export type NftNewElement = readonly [key: string, value?: string | undefined, timeoutSeconds?: number];

/**
 * Flags of a table.
 * - `owner`: only the process that created it can change it, and it is deleted when that process ends.
 * - `persist`: with `owner`, the table is kept without an owner until another process claims it. Linux 6.9, nft 1.1.0.
 */
export type NftTableFlag = 'owner' | 'persist';

/** One command of a transaction, on the table that the transaction is for. */
export type NftCommand =
  /**
   * No effect when it exists with the same flags. A persistent table is claimed with `owner`; flags other than those it
   * was created with are refused as unsupported.
   */
  | { readonly do: 'add-table'; readonly flags?: readonly NftTableFlag[] }
  | { readonly do: 'delete-table' }
  /** No effect when it exists with the same hook. */
  | { readonly do: 'add-chain'; readonly chain: string; readonly base?: NftBaseChain }
  /** Removes all rules of a chain. */
  | { readonly do: 'flush-chain'; readonly chain: string }
  /** Refused while a rule or an element refers to it. */
  | { readonly do: 'delete-chain'; readonly chain: string }
  /** At the end of the chain. */
  | { readonly do: 'add-rule'; readonly chain: string; readonly rule: NftRule }
  /** No effect when an equal one exists. */
  | { readonly do: 'add-container'; readonly name: string; readonly container: NftSetOrMap }
  | { readonly do: 'flush-container'; readonly kind: 'set' | 'map'; readonly name: string }
  /** Refused while a rule refers to it. */
  | { readonly do: 'delete-container'; readonly kind: 'set' | 'map'; readonly name: string }
  /** Starts at `value`, by default 0. No effect when it exists. */
  | { readonly do: 'add-counter'; readonly name: string; readonly value?: NftCounter }
  /** Refused while an element refers to it. */
  | { readonly do: 'delete-counter'; readonly name: string }
  /** An existing element with the same value is kept; one with a different value is refused. */
  | { readonly do: 'add-elements'; readonly name: string; readonly elements: readonly NftNewElement[] }
  /** Refused when an element does not exist. */
  | { readonly do: 'delete-elements'; readonly name: string; readonly keys: readonly string[] };

/** Commands on one table, committed atomically. */
export interface NftTransaction {
  readonly family: NftFamily;
  readonly table: string;
  readonly commands: readonly NftCommand[];
}

/** Elements per line: an error names a line, and nft is slower with very long lines. */
const ELEMENTS_PER_LINE = 500;

/** The document for `nft -f -`. Every command is one line, those with many elements several. */
export function renderNftTransaction({ family, table, commands }: NftTransaction): string {
  const lines: string[] = [];
  const target = `${family} ${table}`;
  for (const command of commands) {
    renderCommand(command, target, lines);
  }
  lines.push('');
  return lines.join('\n');
}

function renderCommand(command: NftCommand, target: string, lines: string[]): void {
  switch (command.do) {
    case 'add-table':
      lines.push(`add table ${target}${command.flags === undefined ? '' : ` { flags ${command.flags.join(', ')}; }`}`);
      break;
    case 'delete-table':
      lines.push(`delete table ${target}`);
      break;
    case 'add-chain':
      lines.push(`add chain ${target} ${command.chain}${command.base ? ` ${renderBase(command.base)}` : ''}`);
      break;
    case 'flush-chain':
      lines.push(`flush chain ${target} ${command.chain}`);
      break;
    case 'delete-chain':
      lines.push(`delete chain ${target} ${command.chain}`);
      break;
    case 'add-rule': {
      const { statements, comment } = command.rule;
      const text = renderNftRule(statements);
      lines.push(`add rule ${target} ${command.chain} ${text}${comment === undefined ? '' : ` comment "${comment}"`}`);
      break;
    }
    case 'add-container':
      lines.push(`add ${command.container.kind} ${target} ${command.name} { ${renderNftSetOrMap(command.container)} }`);
      break;
    case 'flush-container':
      lines.push(`flush ${command.kind} ${target} ${command.name}`);
      break;
    case 'delete-container':
      lines.push(`delete ${command.kind} ${target} ${command.name}`);
      break;
    case 'add-counter':
      lines.push(`add counter ${target} ${command.name}${command.value ? ` ${renderCounter(command.value)}` : ''}`);
      break;
    case 'delete-counter':
      lines.push(`delete counter ${target} ${command.name}`);
      break;
    case 'add-elements':
      renderElements(`add element ${target} ${command.name}`, command.elements.map(renderElement), lines);
      break;
    case 'delete-elements':
      renderElements(`delete element ${target} ${command.name}`, command.keys, lines);
      break;
    default:
      assertNever(command);
  }
}

function renderCounter({ packets, bytes }: NftCounter): string {
  return `{ packets ${packets} bytes ${bytes} }`;
}

function renderBase({ type, hook, priority }: NftBaseChain): string {
  return `{ type ${type} hook ${hook} priority ${priority}; policy accept; }`;
}

/**
 * The body of a declaration. Types by name, where they have one: nft 1.0.6 rejects rules that are added later when it
 * has to derive the types of a map from expressions ("conflicting protocols specified").
 */
export function renderNftSetOrMap(container: NftSetOrMap): string {
  const { key, value, flags = [], size, timeout } = container;
  const fields = [...key, ...(typeof value === 'object' ? value : [])];
  const byExpression = fields.some((field) => nftTypeOf(field) === 'integer');
  const join = (list: readonly NftField[]) => (byExpression ? renderNftFields(list) : list.map(nftTypeOf).join(' . '));
  const data = value === undefined ? '' : ` : ${typeof value === 'object' ? join(value) : value}`;
  return [
    `${byExpression ? 'typeof' : 'type'} ${join(key)}${data};`,
    ...(flags.length > 0 ? [`flags ${flags.join(',')};`] : []),
    ...(timeout === undefined ? [] : [`timeout ${timeout}s;`]),
    ...(size === undefined ? [] : [`size ${size};`]),
  ].join(' ');
}

function renderElement([key, value, timeout]: NftNewElement): string {
  return `${key}${timeout === undefined ? '' : ` timeout ${timeout}s`}${value === undefined ? '' : ` : ${value}`}`;
}

function renderElements(command: string, elements: readonly string[], lines: string[]): void {
  for (let start = 0; start < elements.length; start += ELEMENTS_PER_LINE) {
    lines.push(`${command} { ${elements.slice(start, start + ELEMENTS_PER_LINE).join(', ')} }`);
  }
}

/**
 * Equal for two sets or maps that can replace one another. The flag `dynamic` is omitted: nft does not always list it.
 */
export function nftContainerSignature(container: NftSetOrMap): string {
  const types = (fields: readonly NftField[]) => fields.map(nftTypeOf).join(' . ');
  const { kind, key, value, flags = [], size, timeout } = container;
  const data = value === undefined ? '' : ` : ${typeof value === 'object' ? types(value) : value}`;
  const listed = flags.filter((flag) => flag !== 'dynamic').sort();
  return [
    `${kind} ${types(key)}${data}`,
    ...listed,
    ...(size === undefined ? [] : [`size ${size}`]),
    ...(timeout === undefined ? [] : [`timeout ${timeout}`]),
  ].join(', ');
}
