/** The address families that tables of one IP family have. */
export type NftFamily = 'ip' | 'ip6';

/** One part of the key or of the value of a set or map: what a packet gives for it, and the type that this has. */
export interface NftField {
  /** For example `ip daddr` or `th dport`. */
  readonly expression: string;
  /** As `nft -j` names the type, for example `ipv4_addr`. */
  readonly type: string;
}

/** A set or a map, without its elements. */
export interface NftSetOrMap {
  readonly kind: 'set' | 'map';
  readonly key: readonly NftField[];
  /** Of a map; `verdict` for one whose elements say where to go, `counter` for one that leads to counters by name. */
  readonly value?: readonly NftField[] | 'verdict' | 'counter';
  /** `interval`: keys may be networks. `dynamic`: packets add elements. `timeout`: elements may end. Default none. */
  readonly flags?: readonly ('interval' | 'dynamic' | 'timeout')[];
  /** Elements at most. Default: no limit, or what nft has for dynamic ones. */
  readonly size?: number;
  /** Seconds that elements live, unless they say otherwise. Default: for ever. */
  readonly timeout?: number;
}

/** How a chain hangs on the kernel's path of packets. Its policy is to accept. */
export interface NftBaseChain {
  readonly type: 'filter' | 'nat';
  readonly hook: 'prerouting' | 'input' | 'forward' | 'output' | 'postrouting';
  readonly priority: number;
}

export interface NftRule {
  /** In nft's language, on one line. */
  readonly text: string;
  /** At most 128 bytes, without quotes and line breaks; comes back when the rule is listed. */
  readonly comment?: string;
}

/**
 * An element to add: key and, in a map, value. Both are written as nft writes them: fields joined by ` . `, addresses in
 * canonical spelling, protocols by name, other numbers decimal, classids as `abcd:12`.
 */
export type NftNewElement = readonly [key: string, value?: string, timeoutSeconds?: number];

/**
 * What a table is, beside its contents.
 * - `owner`: only the process that made it can change it, and it goes when that process ends.
 * - `persist`: with `owner`, it stays then, and belongs to nobody until the next one claims it. Linux 6.9, nft 1.1.0.
 */
export type NftTableFlag = 'owner' | 'persist';

/** One step of a transaction, on the table that the transaction is for. */
export type NftCommand =
  /**
   * Nothing happens when it is there with the same flags. One that persisted is claimed by `owner`; other flags than
   * those it was made with are refused as unsupported.
   */
  | { readonly do: 'add-table'; readonly flags?: readonly NftTableFlag[] }
  | { readonly do: 'delete-table' }
  /** Nothing happens when it is there and hangs where it should. */
  | { readonly do: 'add-chain'; readonly chain: string; readonly base?: NftBaseChain }
  /** Removes all rules of a chain. */
  | { readonly do: 'flush-chain'; readonly chain: string }
  /** Refused as long as something leads there. */
  | { readonly do: 'delete-chain'; readonly chain: string }
  /** At the end of the chain. */
  | { readonly do: 'add-rule'; readonly chain: string; readonly rule: NftRule }
  /** Nothing happens when there is one just like it. */
  | { readonly do: 'add-container'; readonly name: string; readonly container: NftSetOrMap }
  | { readonly do: 'flush-container'; readonly kind: 'set' | 'map'; readonly name: string }
  /** Refused as long as a rule uses it. */
  | { readonly do: 'delete-container'; readonly kind: 'set' | 'map'; readonly name: string }
  /** Begins at 0. Nothing happens when it is there. */
  | { readonly do: 'add-counter'; readonly name: string }
  /** Refused as long as an element leads to it. */
  | { readonly do: 'delete-counter'; readonly name: string }
  /** What is there with the same value stays; one that is there with another is refused. */
  | { readonly do: 'add-elements'; readonly name: string; readonly elements: readonly NftNewElement[] }
  /** Refused when one is not there. */
  | { readonly do: 'delete-elements'; readonly name: string; readonly keys: readonly string[] };

/** Commands on one table, carried out all or none. */
export interface NftTransaction {
  readonly family: NftFamily;
  readonly table: string;
  readonly commands: readonly NftCommand[];
}

/** Elements per line: a refusal names a line, and nft is slower with very long ones. */
const ELEMENTS_PER_LINE = 500;

/** The document for `nft -f -`. Every command takes a line, those with many elements several. */
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
      const { text, comment } = command.rule;
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
      lines.push(`add counter ${target} ${command.name}`);
      break;
    case 'delete-counter':
      lines.push(`delete counter ${target} ${command.name}`);
      break;
    case 'add-elements':
      renderElements(`add element ${target} ${command.name}`, command.elements.map(renderElement), lines);
      break;
    case 'delete-elements':
      renderElements(`delete element ${target} ${command.name}`, command.keys, lines);
  }
}

function renderBase({ type, hook, priority }: NftBaseChain): string {
  return `{ type ${type} hook ${hook} priority ${priority}; policy accept; }`;
}

/**
 * What stands between the braces of a declaration. Types by name, where they have one: nft 1.0.6 takes rules that are
 * added later amiss when it has to work out the types of a map from expressions ("conflicting protocols specified").
 */
export function renderNftSetOrMap(container: NftSetOrMap): string {
  const { key, value, flags = [], size, timeout } = container;
  const fields = [...key, ...(typeof value === 'object' ? value : [])];
  const how = fields.some(({ type }) => type === 'integer') ? 'expression' : 'type';
  const join = (list: readonly NftField[]) => list.map((field) => field[how]).join(' . ');
  const data = value === undefined ? '' : ` : ${typeof value === 'object' ? join(value) : value}`;
  return [
    `${how === 'type' ? 'type' : 'typeof'} ${join(key)}${data};`,
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
 * What two containers have in common when one may stand for the other. That packets add elements is left out: nft does
 * not list it everywhere.
 */
export function nftContainerSignature(container: NftSetOrMap): string {
  const types = (fields: readonly NftField[]) => fields.map(({ type }) => type).join(' . ');
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
