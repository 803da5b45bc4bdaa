import { isBuiltinTarget } from './builtin-targets.js';
import { IptablesRule } from './iptables-rule.js';
import { splitWords, targetOf } from './rule-text.js';

/** One chain of a {@link FakeTable}. */
export interface FakeChain {
  /** `-` for a user-defined chain. */
  readonly policy: string;
  readonly rules: string[];
}

/** Chains of one table by name. */
export type FakeTable = Map<string, FakeChain>;

const MAX_NAME_LENGTH = 28;

/** The kernel, or the tool, rejects a line. */
export class Refused extends Error {}

/** Chains are replaced, never changed in place, except in a private copy. */
export function copyTable(table: FakeTable): FakeTable {
  return new Map([...table].map(([name, chain]) => [name, { policy: chain.policy, rules: [...chain.rules] }]));
}

/** A rule as `iptables-save` prints it. */
export function canonicalRule(rule: string): string {
  return IptablesRule.parse(rule)?.text ?? rule;
}

/**
 * Executes one line of a document, other than `*table` and `COMMIT`.
 *
 * @throws Refused as the kernel or the tool would reject it.
 */
export function executeLine(table: FakeTable, line: string): void {
  if (line.startsWith(':')) {
    const [name = '', policy = '-'] = line.slice(1).split(' ');
    declare(table, name, policy);
    return;
  }
  const match = /^(-[ADINXF])(?: (\S+))?(?: (.*))?$/.exec(line);
  const [, operation, name, rest = ''] = match ?? [];
  if (operation === undefined || name === undefined) {
    throw new Refused(`unknown line "${line}"`);
  }
  if (operation === '-N') {
    if (table.has(name)) {
      throw new Refused('Chain already exists.');
    }
    declare(table, name, '-');
    return;
  }
  const chain = table.get(name);
  if (chain === undefined) {
    throw new Refused('No chain/target/match by that name.');
  }
  switch (operation) {
    case '-F':
      chain.rules.length = 0;
      return;
    case '-X':
      remove(table, name, chain);
      return;
    case '-A':
      chain.rules.push(checked(table, rest));
      return;
    case '-I':
      insert(table, chain, rest);
      return;
    default: {
      const at = chain.rules.indexOf(canonicalRule(rest));
      if (at < 0) {
        throw new Refused('Bad rule (does a matching rule exist in that chain?).');
      }
      chain.rules.splice(at, 1);
    }
  }
}

function declare(table: FakeTable, name: string, policy: string): void {
  const chain = table.get(name);
  if (chain !== undefined) {
    // Declaring a built-in chain sets its policy; --noflush keeps its rules.
    if (chain.policy === '-') {
      chain.rules.length = 0;
    } else if (policy !== '-') {
      table.set(name, { policy, rules: chain.rules });
    }
    return;
  }
  if (name.length > MAX_NAME_LENGTH || isBuiltinTarget(name)) {
    throw new Refused(`Invalid chain name '${name}' (${MAX_NAME_LENGTH} chars max)`);
  }
  table.set(name, { policy: '-', rules: [] });
}

function remove(table: FakeTable, name: string, chain: FakeChain): void {
  if (chain.policy !== '-' || chain.rules.length > 0 || isJumpedTo(table, name)) {
    throw new Refused('Device or resource busy');
  }
  table.delete(name);
}

function isJumpedTo(table: FakeTable, name: string): boolean {
  for (const chain of table.values()) {
    for (const rule of chain.rules) {
      if (rule.endsWith(name) && targetOf(rule) === name) {
        return true;
      }
    }
  }
  return false;
}

function insert(table: FakeTable, chain: FakeChain, rest: string): void {
  const [, position, rule = rest] = /^(\d+) (.*)$/.exec(rest) ?? [];
  const at = position === undefined ? 0 : Number(position) - 1;
  if (at > chain.rules.length) {
    throw new Refused('Index of insertion too big.');
  }
  chain.rules.splice(at, 0, checked(table, rule));
}

function checked(table: FakeTable, rule: string): string {
  const words = splitWords(rule);
  if (words === undefined) {
    throw new Refused('open quote');
  }
  const target = targetOf(rule);
  if (target !== undefined && !isBuiltinTarget(target) && !table.has(target)) {
    throw new Refused(`Chain '${target}' does not exist`);
  }
  const text = canonicalRule(rule);
  if (/--dport|--to-destination \S*:\d+$/.test(text) && !/-p (tcp|udp|sctp)/.test(text)) {
    throw new Refused('a port needs a protocol');
  }
  return text;
}

/**
 * A table whose chains form a loop is rejected when it is committed.
 *
 * @throws Refused for such a table.
 */
export function checkJumps(table: FakeTable): void {
  const done = new Set<string>();
  const open = new Set<string>();
  const visit = (name: string): void => {
    const chain = table.get(name);
    if (chain === undefined || done.has(name)) {
      return;
    }
    if (open.has(name)) {
      throw new Refused('Too many links');
    }
    open.add(name);
    for (const rule of chain.rules) {
      const target = targetOf(rule);
      if (target !== undefined) {
        visit(target);
      }
    }
    open.delete(name);
    done.add(name);
  };
  for (const [name, chain] of table) {
    if (chain.policy !== '-') {
      visit(name);
    }
  }
}
