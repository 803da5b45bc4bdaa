import { finish, type Slices } from '@kube-proxier/core';
import type { IptablesTable } from './iptables.js';

/** One chain with its whole content. */
export interface IptablesChain<Owner = never> {
  /** `ACCEPT` or `DROP` for a built-in chain, `-` for a user-defined chain. */
  readonly policy: string;
  /** Rules as `iptables-save` prints them, without `-A CHAIN `. */
  readonly rules: readonly string[];
  /** The owner of the whole chain. */
  readonly owner?: Owner;
  /** In a chain that several owners share: the owner of the rule at the same index. */
  readonly owners?: readonly (Owner | undefined)[];
}

/** A rule of a chain that is not replaced. */
export interface IptablesChainRule {
  readonly chain: string;
  /** As `iptables-save` prints it, without `-A CHAIN `. */
  readonly rule: string;
}

export interface IptablesInsertion extends IptablesChainRule {
  /** 1 for the first rule of the chain. */
  readonly position: number;
}

/**
 * The part of a document for one table: the output of `iptables-save`, which has `written` chains only, or a change for
 * `iptables-restore --noflush`. Parts are executed in the order of the fields.
 */
export interface IptablesTableDocument<Owner = never> {
  /** Chains to create or replace, with their content. */
  readonly written: ReadonlyMap<string, IptablesChain<Owner>>;
  /** Chains to create; the document is refused if one exists. */
  readonly created: readonly string[];
  readonly deletedRules: readonly IptablesChainRule[];
  /** Rules to append to chains that keep their content. */
  readonly appendedRules: readonly IptablesChainRule[];
  readonly insertedRules: readonly IptablesInsertion[];
  /** Chains to delete, with their owners. The kernel refuses to delete a chain that has rules or is a jump target. */
  readonly deletedChains: ReadonlyMap<string, Owner | undefined>;
}

/** A document of `iptables-save` or for `iptables-restore`, by table. Each table is atomic, in the order of the map. */
export type IptablesDocument<Owner = never> = ReadonlyMap<IptablesTable, IptablesTableDocument<Owner>>;

/** The content of one table by chain, in the order of the output of `iptables-save`. */
export type SavedTable = ReadonlyMap<string, IptablesChain>;

/** A document for a table that changes nothing. */
export const EMPTY_TABLE_DOCUMENT: IptablesTableDocument = {
  written: new Map(),
  created: [],
  deletedRules: [],
  appendedRules: [],
  insertedRules: [],
  deletedChains: new Map(),
};

/** A user-defined chain with these rules. Default: none. */
export function userChain(rules: readonly string[] = []): IptablesChain {
  return { policy: '-', rules };
}

/** Whether a document changes nothing in a table. */
export function isEmptyTableDocument(document: IptablesTableDocument<unknown>): boolean {
  return (
    document.written.size === 0 &&
    document.created.length === 0 &&
    document.deletedRules.length === 0 &&
    document.appendedRules.length === 0 &&
    document.insertedRules.length === 0 &&
    document.deletedChains.size === 0
  );
}

/** Merges documents for a table. If several write a chain, the last one applies. */
export function mergeTableDocuments<Owner = never>(
  ...documents: readonly IptablesTableDocument<Owner>[]
): IptablesTableDocument<Owner> {
  return {
    written: new Map(documents.flatMap(({ written }) => [...written])),
    created: documents.flatMap(({ created }) => created),
    deletedRules: documents.flatMap(({ deletedRules }) => deletedRules),
    appendedRules: documents.flatMap(({ appendedRules }) => appendedRules),
    insertedRules: documents.flatMap(({ insertedRules }) => insertedRules),
    deletedChains: new Map(documents.flatMap(({ deletedChains }) => [...deletedChains])),
  };
}

/** The operation of one line of a rendered document. `table` and `commit` begin and end a table. */
export type IptablesOperation =
  | 'table'
  | 'declare-chain'
  | 'create-chain'
  | 'delete-rule'
  | 'append-rule'
  | 'insert-rule'
  | 'delete-chain'
  | 'commit';

/** One line of a rendered document. */
export interface IptablesLine<Owner = never> {
  readonly table: IptablesTable;
  readonly operation: IptablesOperation;
  /** Undefined for `table` and `commit`. */
  readonly chain: string | undefined;
  /** The owner of the rule, or of the chain that is deleted; undefined when the document names none. */
  readonly owner: Owner | undefined;
}

/**
 * The text for `iptables-restore --noflush`; empty when nothing changes. Chains are declared before any rule, so a rule may jump
 * to each of them.
 */
export function renderDocument(document: IptablesDocument<unknown>): string {
  return finish(renderDocumentInSlices(document));
}

/** {@link renderDocument}. Yields often, so that a caller can pause. */
export function* renderDocumentInSlices(document: IptablesDocument<unknown>): Slices<string> {
  // Only the text of the whole document is created: a large one has many lines.
  const pieces: string[] = [];
  yield* eachLine(document, (command, rest) => pieces.push(command, rest, '\n'));
  return pieces.join('');
}

/** Line `number` (from 1) of the rendered document; undefined when it has no such line. */
export function lineOfDocument<Owner>(
  document: IptablesDocument<Owner>,
  number: number,
): IptablesLine<Owner> | undefined {
  let at = 0;
  let found: IptablesLine<Owner> | undefined;
  const lines = eachLine(document, (_command, _rest, operation, table, chain, owner) => {
    if (++at === number) {
      found = { table, operation, chain, owner };
    }
  });
  finish(lines);
  return found;
}

/** A line is `command` and `rest`. */
type LineVisitor<Owner> = (
  command: string,
  rest: string,
  operation: IptablesOperation,
  table: IptablesTable,
  chain?: string,
  owner?: Owner,
) => void;

/** Number of chains between two pauses of {@link eachLine}. */
const CHAINS_SLICE = 16;

/** Yields after some chains each. */
function* eachLine<Owner>(document: IptablesDocument<Owner>, visit: LineVisitor<Owner>): Slices<void> {
  let chains = 0;
  for (const [table, content] of document) {
    if (isEmptyTableDocument(content)) {
      continue;
    }
    visit('*', table, 'table', table);
    for (const chain of declarationOrder(content.written)) {
      if (++chains % CHAINS_SLICE === 0) {
        yield;
      }
      const policy = content.written.get(chain)?.policy ?? '-';
      visit(`:${chain}`, policy === '-' ? ' - [0:0]' : ` ${policy} [0:0]`, 'declare-chain', table, chain);
    }
    for (const chain of content.created) {
      visit('-N ', chain, 'create-chain', table, chain);
    }
    for (const { chain, rule } of content.deletedRules) {
      visit(commandOf(`-D ${chain}`, rule), rule, 'delete-rule', table, chain);
    }
    for (const [chain, { rules, owner, owners }] of content.written) {
      if (++chains % CHAINS_SLICE === 0) {
        yield;
      }
      const append = `-A ${chain} `;
      let index = 0;
      for (const rule of rules) {
        const command = rule === '' ? append.trimEnd() : append;
        visit(command, rule, 'append-rule', table, chain, owner ?? owners?.[index++]);
      }
    }
    for (const { chain, rule } of content.appendedRules) {
      visit(commandOf(`-A ${chain}`, rule), rule, 'append-rule', table, chain);
    }
    for (const { chain, position, rule } of content.insertedRules) {
      visit(commandOf(`-I ${chain} ${position}`, rule), rule, 'insert-rule', table, chain);
    }
    for (const [chain, owner] of content.deletedChains) {
      visit('-X ', chain, 'delete-chain', table, chain, owner);
    }
    visit('COMMIT', '', 'commit', table);
  }
}

/** A command that a rule follows; a rule may be empty. */
function commandOf(operation: string, rule: string): string {
  return rule === '' ? operation : `${operation} `;
}

/**
 * The nft variant searches its sorted list of chains from the head for each declaration: with descending names, the
 * search ends at the first entry.
 */
function declarationOrder(written: ReadonlyMap<string, unknown>): readonly string[] {
  return [...written.keys()].sort().reverse();
}

/** Parser state of a table. */
class TableDraft implements IptablesTableDocument {
  readonly written = new Map<string, IptablesChain & { rules: readonly string[] }>();
  /** Rules of one chain, which are contiguous in the output of `iptables-save`. */
  readonly #rules: string[] = [];
  #chain: string | undefined;
  readonly created: string[] = [];
  readonly deletedRules: IptablesChainRule[] = [];
  readonly appendedRules: IptablesChainRule[] = [];
  readonly insertedRules: IptablesInsertion[] = [];
  readonly deletedChains = new Map<string, undefined>();

  append(chain: string, rule: string): void {
    if (this.#chain === chain) {
      this.#rules.push(rule);
      return;
    }
    this.finishChain();
    if (this.written.has(chain)) {
      this.#chain = chain;
      this.#rules.push(rule);
    } else {
      this.appendedRules.push({ chain, rule });
    }
  }

  /** Keeps the rules of the last chain in an array of their number: one that has grown has room for 16 further elements. */
  finishChain(): void {
    const written = this.#chain === undefined ? undefined : this.written.get(this.#chain);
    if (written !== undefined) {
      written.rules = written.rules.length === 0 ? this.#rules.slice() : [...written.rules, ...this.#rules];
    }
    this.#chain = undefined;
    this.#rules.length = 0;
  }

  readCommand(operation: string, chain: string, rule: string): void {
    switch (operation) {
      case '-N':
        this.created.push(chain);
        return;
      case '-D':
        this.deletedRules.push({ chain, rule });
        return;
      case '-I': {
        const [, position, text = ''] = /^(\d+)(?: |$)(.*)$/.exec(rule) ?? [undefined, '1', rule];
        this.insertedRules.push({ chain, position: Number(position), rule: text });
        return;
      }
      case '-X':
        this.deletedChains.set(chain, undefined);
    }
  }
}

const TABLES: readonly string[] = ['filter', 'nat', 'mangle', 'raw', 'security'] satisfies IptablesTable[];

function isTable(name: string): name is IptablesTable {
  return TABLES.includes(name);
}

/**
 * Parses the output of `iptables-save`, or a rendered document. Owners are not part of the text. Comments, and counters of
 * chains and rules, are skipped.
 *
 * @param only the table to parse. Default: all.
 */
export function parseDocument(text: string, only?: IptablesTable): IptablesDocument {
  return finish(parseDocumentInSlices(text, only));
}

const NO_RULES: readonly string[] = [];

/** Lines between two pauses of {@link parseDocumentInSlices}. */
const SLICE = 500;

/** {@link parseDocument}. Yields after some lines each, so that a caller can pause. */
export function* parseDocumentInSlices(text: string, only?: IptablesTable): Generator<void, IptablesDocument> {
  const document = new Map<IptablesTable, TableDraft>();
  let draft: TableDraft | undefined;
  let lines = 0;
  for (let start = 0; start < text.length; ) {
    const found = text.indexOf('\n', start);
    const end = found < 0 ? text.length : found;
    const line = text.slice(start, end);
    start = end + 1;
    if (++lines % SLICE === 0) {
      yield;
    }
    if (line.startsWith('*')) {
      const name = line.slice(1).trim();
      draft = undefined;
      if (isTable(name) && (only === undefined || name === only)) {
        draft = document.get(name) ?? new TableDraft();
        document.set(name, draft);
      }
    } else if (draft === undefined) {
      // Outside a table, or in a table that is not parsed.
    } else if (line.startsWith(':')) {
      const [chain = '', policy = '-'] = line.slice(1).split(' ');
      draft.finishChain();
      draft.written.set(chain, { policy, rules: NO_RULES });
    } else {
      readCommand(line, draft);
    }
  }
  for (const table of document.values()) {
    table.finishChain();
  }
  return document;
}

/** Reads a line such as `-A CHAIN …`, which may have counters before it: `[1:60] -A …`. */
function readCommand(line: string, draft: TableDraft): void {
  const text = line.startsWith('[') ? line.slice(line.indexOf(' ') + 1) : line;
  if (!text.startsWith('-')) {
    return;
  }
  const end = text.indexOf(' ', 3);
  const chain = end < 0 ? text.slice(3) : text.slice(3, end);
  const rule = end < 0 ? '' : text.slice(end + 1);
  if (text.startsWith('-A')) {
    draft.append(chain, rule);
  } else {
    draft.readCommand(text.slice(0, 2), chain, rule);
  }
}

/** {@link parseSavedTable}. Yields after some lines each, so that a caller can pause. */
export function* parseSavedTableInSlices(output: string, table: IptablesTable): Slices<SavedTable> {
  return (yield* parseDocumentInSlices(output, table)).get(table)?.written ?? new Map();
}

/** The content of one table in the output of `iptables-save`; empty when the output does not have the table. */
export function parseSavedTable(output: string, table: IptablesTable): SavedTable {
  return finish(parseSavedTableInSlices(output, table));
}

/**
 * Whether the output of `iptables-save` has one of these chains, in any table. Much cheaper than parsing it, where rules are many. Yields
 * after some lines each, so that a caller can pause.
 */
export function* declaresAnyInSlices(output: string, chains: readonly string[]): Slices<boolean> {
  const lines = chains.map((chain) => `:${chain} `);
  let looked = 0;
  for (let start = 0; start < output.length; ) {
    // Nothing is copied: of many short texts, V8 keeps all that are looked up.
    if (lines.some((line) => output.startsWith(line, start))) {
      return true;
    }
    const end = output.indexOf('\n', start);
    start = end < 0 ? output.length : end + 1;
    if (++looked % SLICE === 0) {
      yield;
    }
  }
  return false;
}
