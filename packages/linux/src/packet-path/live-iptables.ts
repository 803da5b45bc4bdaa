import type { IptablesFoundRule } from '../iptables/netlink/iptables-rule-lookup.js';
import { decodeNftRule, type NftRuleSets } from '../nftables/netlink/decode-rule.js';
import type { ReadChain } from '../nftables/netlink/read-table.js';
import type { BaseChain } from './base-chain.js';
import { iptablesRuleCompiler, LONG } from './compile-iptables.js';
import { nftRuleCompiler } from './compile-nftables.js';
import type { ChainTable, CompiledChain, CompiledRule } from './compiled-rule.js';
import type { PathHost } from './path-host.js';

/** A table of iptables-nft whose chains are looked up on demand. */
export interface LiveIptablesTable {
  readonly name: string;
  /** The chains that the kernel calls for packets. */
  readonly bases: readonly ReadChain[];
  /** Names of chains with many rules, as known before any packet was evaluated. */
  readonly longChains: ReadonlySet<string>;
  /** The rules of a chain, empty when it does not exist; the same objects while unchanged. */
  rules(chain: string): readonly IptablesFoundRule[];
  /** {@link rules} that can pause; nothing else may be called in a pause. */
  rulesInSlices(chain: string): Generator<undefined, readonly IptablesFoundRule[]>;
}

/** Number of rules between two pauses. */
const SLICE = 100;

/** The sets of rules that iptables does not write are not known. */
const NO_SETS: NftRuleSets = { keyFields: () => undefined, anonymousElements: () => undefined };

/** A table whose chains are looked up on demand. */
export interface CompiledLiveTable {
  readonly bases: readonly BaseChain[];
  /** Reads long chains again where they have changed, with pauses. */
  prepareInSlices(): Generator<undefined, void>;
}

/** Compiles a table whose chains are looked up on demand. */
export function compileLiveIptablesTable(table: LiveIptablesTable, host: PathHost): CompiledLiveTable {
  const chains = new LiveIptablesChains(table, host);
  const bases = table.bases.flatMap(({ name, dropsByPolicy }) => {
    const base = chains.base(name, dropsByPolicy === true);
    return base === undefined ? [] : [base];
  });
  return { bases, prepareInSlices: () => chains.prepareInSlices() };
}

class LiveChain implements CompiledChain {
  constructor(
    readonly name: string,
    readonly table: string,
    private readonly read: (chain: string) => readonly CompiledRule[],
  ) {}

  get rules(): readonly CompiledRule[] {
    return this.read(this.name);
  }
}

class LiveIptablesChains implements ChainTable {
  readonly #compiledChains = new WeakMap<readonly IptablesFoundRule[], readonly CompiledRule[]>();
  /** Of long chains: a change leaves most of their rules as they are. */
  readonly #compiledRules = new WeakMap<IptablesFoundRule, CompiledRule>();
  readonly #long: Set<string>;
  readonly #family: 'ip' | 'ip6';
  readonly #iptables;
  readonly #nft;

  constructor(
    private readonly table: LiveIptablesTable,
    host: PathHost,
  ) {
    this.#iptables = iptablesRuleCompiler(table.name, host);
    this.#long = new Set(table.longChains);
    this.#family = host.facts.family === 'IPv4' ? 'ip' : 'ip6';
    this.#nft = nftRuleCompiler(`${this.#family} ${table.name}`, host);
  }

  base(name: string, drops: boolean): BaseChain | undefined {
    const base = this.#iptables.base(this.get(name), drops ? 'DROP' : 'ACCEPT');
    return base && { ...base, chains: this, isLive: true };
  }

  /** A new object for each call: tens of thousands of chains would take megabytes, and most are entered by few packets. */
  get(name: string): CompiledChain {
    return new LiveChain(name, this.table.name, (chain) => this.#rules(chain));
  }

  *prepareInSlices(): Generator<undefined, void> {
    for (const chain of this.#long) {
      const found = yield* this.#found(chain);
      if (found === undefined || this.#compiledChains.has(found)) {
        continue;
      }
      const compiled: CompiledRule[] = [];
      const compile = this.#compilerOf(chain);
      for (const rule of found) {
        const one = this.#ruleOfLongChain(rule, compile);
        one.prepare?.();
        compiled.push(one);
        if (compiled.length % SLICE === 0) {
          yield;
        }
      }
      this.#compiledChains.set(found, compiled);
    }
  }

  /** Undefined when the chain cannot be read now: packets that reach it cannot be evaluated then. */
  *#found(chain: string): Generator<undefined, readonly IptablesFoundRule[] | undefined> {
    try {
      return yield* this.table.rulesInSlices(chain);
    } catch {
      return undefined;
    }
  }

  #rules(chain: string): readonly CompiledRule[] {
    const found = this.table.rules(chain);
    let compiled = this.#compiledChains.get(found);
    if (compiled === undefined) {
      const compile = this.#compilerOf(chain);
      if (found.length > LONG) {
        this.#long.add(chain);
        compiled = found.map((rule) => this.#ruleOfLongChain(rule, compile));
      } else {
        compiled = found.map(compile);
      }
      this.#compiledChains.set(found, compiled);
    }
    return compiled;
  }

  #ruleOfLongChain(rule: IptablesFoundRule, compile: (rule: IptablesFoundRule) => CompiledRule): CompiledRule {
    let compiled = this.#compiledRules.get(rule);
    if (compiled === undefined) {
      compiled = compile(rule);
      this.#compiledRules.set(rule, compiled);
    }
    return compiled;
  }

  #compilerOf(chain: string): (rule: IptablesFoundRule) => CompiledRule {
    const ruleOf = this.#iptables.ruleOf(chain);
    return (rule) =>
      rule.isForeignToIptables
        ? this.#nft(chain, {
            expr: decodeNftRule(rule.expressions, this.#family, NO_SETS),
            handle: Number(rule.handle),
          })
        : ruleOf(rule.text, rule.jump);
  }
}
