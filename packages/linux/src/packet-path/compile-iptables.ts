import { type PathRule, parseAddress } from '@kube-proxier/core';
import type { IptablesVariant } from '../iptables/iptables.js';
import type { IptablesChain, SavedTable } from '../iptables/iptables-document.js';
import { NOT_DECODED } from '../iptables/netlink/decode-iptables-rule.js';
import { splitWords } from '../iptables/rule-text.js';
import type { BaseChain } from './base-chain.js';
import { allOf, anyVerdict, assuming, UNKNOWN } from './chance.js';
import {
  type Branch,
  CONTINUE,
  type CompiledChain,
  type CompiledRule,
  type RuleNetworks,
  type RuleVerdict,
} from './compiled-rule.js';
import { networkOf } from './ip-bits.js';
import { readConditions } from './iptables-matches.js';
import type { PathHost } from './path-host.js';
import { type Hook, translated, type Walker, withChanges } from './walker.js';

/** The action of a target. */
type Effect = (walker: Walker, rule: PathRule) => readonly Branch[];

const HOOKS: Readonly<Record<string, Hook>> = {
  PREROUTING: 'prerouting',
  INPUT: 'input',
  FORWARD: 'forward',
  OUTPUT: 'output',
  POSTROUTING: 'postrouting',
};

/** Hook priorities of the tables (`NF_IP_PRI_…`). */
const PRIORITY: Readonly<Record<string, number>> = { raw: -300, mangle: -150, filter: 0, security: 50 };

/** Targets without an effect on the path of a packet. */
export const WITHOUT_EFFECT: ReadonlySet<string> = new Set([
  ...['LOG', 'NFLOG', 'ULOG', 'TRACE', 'AUDIT', 'TEE', 'TCPMSS', 'TCPOPTSTRIP', 'CHECKSUM', 'CLASSIFY', 'DSCP', 'TOS'],
  ...['TTL', 'HL', 'ECN', 'LED', 'SECMARK', 'CONNSECMARK', 'IDLETIMER', 'RATEEST', 'SYSRQ', 'ECHO'],
]);

/** Number of chains between two pauses. */
const SLICE = 1000;
/** Chains with more rules are prepared: their rules are read in advance, with pauses. */
export const LONG = 1000;
/** Number of rules of a long chain between two pauses. */
const RULES_SLICE = 100;

/** The rules of one table of iptables as base chains. Yields periodically, so that a caller can pause. */
export function* compileIptablesTable(
  name: string,
  table: SavedTable,
  variant: IptablesVariant,
  host: PathHost,
): Generator<void, readonly BaseChain[]> {
  const system = variant === 'legacy' ? 'iptables-legacy' : 'iptables';
  const chains = new Map<string, CompiledChain>();
  const cache = new CompiledCache();
  for (const [chain, { rules }] of table) {
    const place = { system, table: name, chain };
    const compiled = new ChainOnDemand(
      chain,
      name,
      rules,
      (text) => new RuleOnDemand(text, place, table, host, cache),
      cache,
    );
    chains.set(chain, compiled);
    if (chains.size % SLICE === 0) {
      yield;
    }
    if (rules.length > LONG) {
      yield* compiled.prepare();
    }
  }
  const found: BaseChain[] = [];
  for (const [chain, { policy }] of table) {
    const compiled = chains.get(chain);
    const base = policy === '-' || compiled === undefined ? undefined : baseChain(system, name, compiled, policy, host);
    if (base !== undefined) {
      found.push({ ...base, chains });
    }
  }
  return found;
}

/** Compiles single rules and chains of a table of iptables-nft, for lookups on demand. */
export function iptablesRuleCompiler(name: string, host: PathHost) {
  const system = 'iptables';
  const cache = new CompiledCache();
  return {
    /** Compiles the rules of a chain. `jump` is the chain that the rule jumps or goes to. */
    ruleOf: (chain: string): ((text: string, jump: string | undefined) => CompiledRule) => {
      const place = { system, table: name, chain };
      return (text, jump) => new RuleOnDemand(text, place, jump, host, cache);
    },
    /** Undefined for a chain that is not built in. */
    base: (chain: CompiledChain, policy: 'ACCEPT' | 'DROP') => baseChain(system, name, chain, policy, host),
  };
}

/** Undefined for a chain that is not built in. */
function baseChain(
  system: string,
  table: string,
  chain: CompiledChain,
  policy: string,
  host: PathHost,
): Omit<BaseChain, 'chains'> | undefined {
  const place = iptablesBaseChain(table, chain.name);
  return (
    place && {
      ...place,
      type: table === 'nat' ? 'nat' : 'filter',
      chain,
      policy: policy === 'DROP' ? 'drop' : 'accept',
      policyRule: policyRule(system, table, chain.name, { policy, rules: [] }, host),
    }
  );
}

/** Where the kernel calls a built-in chain; undefined for another name. */
export function iptablesBaseChain(table: string, chain: string): Pick<BaseChain, 'hook' | 'priority'> | undefined {
  const hook = HOOKS[chain];
  const isSource = hook === 'postrouting' || hook === 'input';
  return hook && { hook, priority: table === 'nat' ? (isSource ? 100 : -100) : (PRIORITY[table] ?? 0) };
}

function policyRule(system: string, table: string, chain: string, { policy }: IptablesChain, host: PathHost): PathRule {
  const text = `policy ${policy}`;
  return { system, table, chain, text, foreign: host.isForeign({ system, table, chain, text }) };
}

/** Cache of values compiled from text; compiles again after an eviction. */
interface Evictable {
  evict(): void;
}

/** Maximum number of compiled chains and rules in the cache. A Service has a dozen. */
const MAX_COMPILED = 4096;

/** Maximum number of rules that are kept because each packet passes them. */
const MOST_KEPT = 50_000;

/**
 * FIFO eviction: the compiled rules of all Services of a large cluster would take several times the memory of their
 * text.
 */
class CompiledCache {
  readonly #ring: Evictable[] = [];
  #next = 0;
  #kept = 0;

  /** Whether another one may be kept, without eviction. */
  canKeep(): boolean {
    if (this.#kept >= MOST_KEPT) {
      return false;
    }
    this.#kept += 1;
    return true;
  }

  add(compiled: Evictable): void {
    this.#ring[this.#next]?.evict();
    this.#ring[this.#next] = compiled;
    this.#next = (this.#next + 1) % MAX_COMPILED;
  }
}

/** A chain whose rules are compiled on first use. */
class ChainOnDemand implements CompiledChain, Evictable {
  #rules: readonly CompiledRule[] | undefined;

  constructor(
    readonly name: string,
    readonly table: string,
    private readonly texts: readonly string[],
    private readonly ruleOf: (text: string) => CompiledRule,
    private readonly cache: CompiledCache,
  ) {}

  get rules(): readonly CompiledRule[] {
    if (this.#rules === undefined) {
      this.#rules = this.texts.map(this.ruleOf);
      this.cache.add(this);
    }
    return this.#rules;
  }

  evict(): void {
    this.#rules = undefined;
  }

  /** Compiles the rules of a long chain, with pauses. They are never evicted: each packet uses them. */
  *prepare(): Generator<void, void> {
    const rules: CompiledRule[] = [];
    for (const text of this.texts) {
      rules.push(this.ruleOf(text));
      if (rules.length % SLICE === 0) {
        yield;
      }
    }
    yield* prepareRules(rules);
    this.#rules = rules;
  }
}

/** Does in advance what the first packet through a long chain would have to wait for. */
export function* prepareRules(rules: readonly CompiledRule[]): Generator<void, void> {
  for (const [index, rule] of rules.entries()) {
    rule.prepare?.();
    if (index % RULES_SLICE === 0) {
      yield;
    }
  }
}

/** Names of the chains that a rule can jump to; other names are targets. */
type ChainNames = Pick<ReadonlySet<string>, 'has'>;

type RulePlace = Pick<Required<PathRule>, 'system' | 'table' | 'chain'>;

/**
 * A rule that is compiled on first use.
 *
 * @param chains instead of the names of all chains, that of the chain which the rule jumps or goes to, if any.
 */
class RuleOnDemand implements CompiledRule, Evictable {
  readonly destination?: string;
  readonly port?: number;
  #compiled: CompiledRule | undefined;
  #networks: RuleNetworks | undefined;

  constructor(
    private readonly text: string,
    private readonly place: RulePlace,
    private readonly chains: ChainNames | string | undefined,
    private readonly host: PathHost,
    private readonly cache: CompiledCache,
  ) {
    const destination = onlyDestination(text);
    if (destination !== undefined) {
      this.destination = destination;
    }
    const port = onlyPort(text);
    if (port !== undefined) {
      this.port = port;
    }
  }

  get rule(): PathRule {
    return this.#rule.rule;
  }

  get networks(): RuleNetworks | undefined {
    if (this.destination !== undefined) {
      return undefined;
    }
    this.#networks ??= networksOf(this.text);
    return this.#networks;
  }

  /** Only for a rule that every packet passes: others are found by an index. */
  prepare(): void {
    const { destination, networks, port } = this;
    const isIndexed = destination !== undefined || port !== undefined || networks?.source || networks?.destination;
    if (!isIndexed && this.#compiled === undefined && this.cache.canKeep()) {
      this.#compiled = this.#compile();
    }
  }

  evaluate(walker: Walker): readonly Branch[] | undefined {
    return this.#rule.evaluate(walker);
  }

  get #rule(): CompiledRule {
    if (this.#compiled === undefined) {
      this.#compiled = this.#compile();
      this.cache.add(this);
    }
    return this.#compiled;
  }

  #compile(): CompiledRule {
    const { chains } = this;
    const names = typeof chains === 'object' ? chains : new Set(chains === undefined ? [] : [chains]);
    return compileRule(this.text, this.place, names, this.host);
  }

  evict(): void {
    this.#compiled = undefined;
  }
}

/** iptables-save prints addresses first: `-s 10.0.0.0/8 -d 10.96.0.1/32 …`. */
const NETWORKS = /^(?:(! )?-s (\S+))?(?: ?(! )?-d (\S+))?/;
const ONE_DESTINATION = /^(?:(?:! )?-s \S+ )?-d (?:([\d.]+)\/32|([\da-fA-F:.]+)\/128)(?: |$)/;
const ONE_PORT = / --dport (\d+)(?: |$)/;
const QUOTED = /"(?:[^"\\]|\\.)*"/g;

function onlyDestination(text: string): string | undefined {
  const [, four, six] = ONE_DESTINATION.exec(text) ?? [];
  return six === undefined ? four : (parseAddress(six)?.text ?? six);
}

function networksOf(text: string): RuleNetworks {
  const [, notSource, source, notDestination, destination] = NETWORKS.exec(text) ?? [];
  return {
    source: source === undefined || notSource ? undefined : networkOf(source),
    destination: destination === undefined || notDestination ? undefined : networkOf(destination),
  };
}

function onlyPort(text: string): number | undefined {
  if (!text.includes(' --dport ')) {
    return undefined;
  }
  // A comment may contain anything.
  const plain = text.includes('"') ? text.replace(QUOTED, '""') : text;
  const [found, port] = ONE_PORT.exec(plain) ?? [];
  return found === undefined || plain.includes(' !') ? undefined : Number(port);
}

/** Compiles one rule as `iptables-save` prints it, without `-A CHAIN `. */
export function compileRule(text: string, place: RulePlace, chains: ChainNames, host: PathHost): CompiledRule {
  const { system, table, chain } = place;
  const rule: PathRule = { system, table, chain, text, foreign: host.isForeign({ system, table, chain, text }) };
  if (host.ignores(rule)) {
    return { rule, evaluate: () => undefined };
  }
  const words = splitWords(text);
  if (words === undefined) {
    return { rule, evaluate: (walker) => anyVerdict(walker, rule) };
  }
  const { tests, target } = readConditions(words, host);
  if (target === undefined || WITHOUT_EFFECT.has(target.name)) {
    return { rule, evaluate: () => undefined };
  }
  const effect = effectOf(target.name, target.isGoto, target.options, chains, host);
  return {
    rule,
    evaluate(walker) {
      const probability = allOf(tests, walker);
      if (probability === 0) {
        return undefined;
      }
      if (probability === 1) {
        return effect(walker, rule);
      }
      if (probability === UNKNOWN) {
        const assumed = assuming(walker, rule);
        return [...effect(assumed, rule), { walker: assumed, verdict: CONTINUE }];
      }
      const hit = withChanges(walker, { probability: walker.probability * probability });
      const miss = withChanges(walker, { probability: walker.probability * (1 - probability) });
      return [...effect(hit, rule), { walker: miss, verdict: CONTINUE }];
    },
  };
}

function effectOf(
  name: string,
  isGoto: boolean,
  options: readonly string[],
  chains: ChainNames,
  host: PathHost,
): Effect {
  const ends =
    (verdict: RuleVerdict): Effect =>
    (walker) => [{ walker, verdict }];
  const option = (flag: string) => {
    const at = options.indexOf(flag);
    return at < 0 ? undefined : (options[at + 1] ?? '');
  };
  if (isGoto || chains.has(name)) {
    return ends({ do: isGoto ? 'goto' : 'jump', chain: name });
  }
  if (options.includes(NOT_DECODED) && (name === 'CT' || name === 'REDIRECT' || name === 'SET')) {
    return anyVerdict;
  }
  switch (name) {
    case 'ACCEPT':
      return ends({ do: 'accept' });
    case 'DROP':
      return ends({ do: 'drop' });
    case 'REJECT':
      return ends({ do: 'refuse' });
    case 'RETURN':
      return ends({ do: 'return' });
    case 'MARK':
      return markEffect(options);
    case 'CONNMARK':
      return connectionMarkEffect(options);
    case 'SET': {
      const [set, sides = ''] = options.slice(options.indexOf('--map-set') + 1);
      if (!options.includes('--map-set') || set === undefined) {
        return ends(CONTINUE);
      }
      return (walker, rule) => {
        const found = host.set(set)?.markOf(walker, sides.split(','));
        return [
          {
            walker:
              found === undefined
                ? assuming(walker, rule)
                : found === null
                  ? walker
                  : withChanges(walker, { mark: found, markedBy: rule }),
            verdict: CONTINUE,
          },
        ];
      };
    }
    case 'DNAT':
      return destinationEffect(option('--to-destination'));
    case 'REDIRECT':
      return redirectEffect(option('--to-ports'), host);
    case 'MASQUERADE':
    case 'SNAT':
      return (walker, rule) => [
        { walker: withChanges(walker, { masqueradedBy: rule, sourceDecided: true }), verdict: { do: 'accept' } },
      ];
    case 'NOTRACK':
      return (walker) => [{ walker: withChanges(walker, { untracked: true }), verdict: CONTINUE }];
    case 'CT':
      return options.includes('--notrack')
        ? (walker) => [{ walker: withChanges(walker, { untracked: true }), verdict: CONTINUE }]
        : ends(CONTINUE);
    default:
      return anyVerdict;
  }
}

function numbersOf(text: string | undefined): readonly [value: number, mask: number] | undefined {
  const [value, mask = 0xffffffff] = (text ?? '').split('/').map(Number);
  return text === undefined || text === '' || value === undefined || Number.isNaN(value) || Number.isNaN(mask)
    ? undefined
    : [value, mask];
}

function markEffect(options: readonly string[]): Effect {
  const [flag = '', text] = options;
  const numbers = numbersOf(text);
  return (walker, rule) => {
    const mark = numbers && newMark(flag, walker.mark, ...numbers);
    return [
      {
        walker: mark === undefined ? assuming(walker, rule) : withChanges(walker, { mark, markedBy: rule }),
        verdict: CONTINUE,
      },
    ];
  };
}

function newMark(flag: string, mark: number, value: number, mask: number): number | undefined {
  switch (flag) {
    case '--set-xmark':
      return ((mark & ~mask) ^ value) >>> 0;
    case '--set-mark':
      return ((mark & ~mask) | value) >>> 0;
    case '--and-mark':
      return (mark & value) >>> 0;
    case '--or-mark':
      return (mark | value) >>> 0;
    case '--xor-mark':
      return (mark ^ value) >>> 0;
    default:
      return undefined;
  }
}

function connectionMarkEffect(options: readonly string[]): Effect {
  const [flag = '', text] = options;
  const maskOf = (name: string) => {
    const at = options.indexOf(name);
    return at < 0 ? 0xffffffff : Number(options[at + 1]);
  };
  const fromMask = maskOf(flag === '--restore-mark' ? '--ctmask' : '--nfmask');
  const toMask = maskOf(flag === '--restore-mark' ? '--nfmask' : '--ctmask');
  return (walker, rule) => {
    const { mark, connectionMark } = walker;
    if (flag === '--restore-mark') {
      const restored = ((mark & ~toMask) ^ (connectionMark & fromMask)) >>> 0;
      return [{ walker: withChanges(walker, { mark: restored }), verdict: CONTINUE }];
    }
    if (flag === '--save-mark') {
      const saved = ((connectionMark & ~toMask) ^ (mark & fromMask)) >>> 0;
      return [{ walker: withChanges(walker, { connectionMark: saved }), verdict: CONTINUE }];
    }
    const numbers = numbersOf(text);
    const changed = numbers && newMark(flag, connectionMark, ...numbers);
    return [
      {
        walker: changed === undefined ? assuming(walker, rule) : withChanges(walker, { connectionMark: changed }),
        verdict: CONTINUE,
      },
    ];
  };
}

const DESTINATION = /^(?:\[([^\]]+)\]|([^[\]:-]+)|([^[\]-]+))?(?::(\d+)(?:-(\d+)\/(\d+))?)?$/;

function destinationEffect(to: string | undefined): Effect {
  const parts = to === undefined ? null : /^[^[]*:[^[]*:/.exec(to) ? [to, to] : DESTINATION.exec(to);
  return (walker, rule) => {
    // Not a range of addresses or ports.
    if (parts === null) {
      return [{ walker: { ...assuming(walker, rule), destinationDecided: true }, verdict: { do: 'accept' } }];
    }
    const address = parts[1] ?? parts[2] ?? parts[3];
    const port = parts[4] === undefined ? undefined : shiftedPort(Number(parts[4]), parts[5], parts[6], walker.port);
    return [{ walker: translated(walker, address, port, rule), verdict: { do: 'accept' } }];
  };
}

/** `first-last/base`: the port of the packet keeps its distance from the base. */
function shiftedPort(first: number, last: string | undefined, base: string | undefined, port: number): number {
  return last === undefined ? first : first + ((port - Number(base)) % (Number(last) - first + 1));
}

function redirectEffect(ports: string | undefined, host: PathHost): Effect {
  return (walker, rule) => {
    const address = host.redirectAddress(walker);
    const port = ports === undefined ? undefined : Number(ports);
    const known = address !== undefined && !Number.isNaN(port ?? 0) ? walker : assuming(walker, rule);
    return [
      {
        walker: translated(known, address, Number.isNaN(port ?? 0) ? undefined : port, rule),
        verdict: { do: 'accept' },
      },
    ];
  };
}
