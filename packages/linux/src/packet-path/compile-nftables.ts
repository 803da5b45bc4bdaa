import { isRecord, type UnknownRecord } from '@kube-proxier/core';
import type { NftObject } from '../nftables/nft-table.js';
import type { BaseChain } from './base-chain.js';
import type { CompiledChain, CompiledRule } from './compiled-rule.js';
import { type LiveElements, NftElements } from './nft-elements.js';
import { mapWrittenBy } from './nft-map-statement.js';
import { NftRuleCompiler } from './nft-rule-compiler.js';
import type { PathHost } from './path-host.js';
import type { Hook } from './walker.js';

const HOOKS: Readonly<Record<string, Hook>> = {
  prerouting: 'prerouting',
  input: 'input',
  forward: 'forward',
  output: 'output',
  postrouting: 'postrouting',
};

/** The containers and rules of one table as listed. */
export interface NftTableListing {
  /** `ip`, `ip6`, `inet`. */
  readonly family: string;
  readonly name: string;
  readonly objects: readonly NftObject[];
  /** Lookup of chains, sets and maps that are not listed. Default: all are listed. */
  readonly live?: LiveTableParts;
}

/** Looks up parts of a table in the kernel, on demand. */
export interface LiveTableParts extends LiveElements {
  /** The rules of a chain, empty when it does not exist; the same object while unchanged. */
  rules(chain: string): readonly { readonly statements: readonly UnknownRecord[]; readonly handle: number }[];
}

/** Chains with more rules are compiled in advance, with pauses. */
const LONG = 1000;
/** Number of rules between two pauses. */
const RULES_SLICE = 100;

/** The rules of one table of nftables as base chains. Yields periodically, so that a caller can pause. */
export function* compileNftTable(
  { family, live, name, objects }: NftTableListing,
  host: PathHost,
): Generator<void, readonly BaseChain[]> {
  const table = `${family} ${name}`;
  const rulesOf = new Map<string, UnknownRecord[]>();
  for (const [kind, fields] of objects) {
    if (kind === 'rule') {
      const chain = String(fields.chain);
      const rules = rulesOf.get(chain);
      if (rules === undefined) {
        rulesOf.set(chain, [fields]);
      } else {
        rules.push(fields);
      }
    }
  }
  const owned = (text: string, chain?: string): boolean =>
    !host.isForeign({ system: 'nftables', table, text, ...(chain === undefined ? {} : { chain }) });
  const containers = new NftElements(objects, writtenByPackets(objects), () => owned(''), live);
  const compiler = new NftRuleCompiler(table, host, containers);
  const chains = live === undefined ? new Map<string, CompiledChain>() : new LiveChains(table, live, compiler);
  const bases: BaseChain[] = [];
  for (const [kind, fields] of objects) {
    if (kind !== 'chain') {
      continue;
    }
    const chain = String(fields.name);
    let one: CompiledChain;
    if (chains instanceof LiveChains) {
      one = chains.get(chain);
    } else {
      const listed = rulesOf.get(chain) ?? [];
      let compiled: readonly CompiledRule[] | undefined;
      if (listed.length > LONG) {
        const rules: CompiledRule[] = [];
        for (const rule of listed) {
          rules.push(compiler.compile(chain, rule));
          if (rules.length % RULES_SLICE === 0) {
            yield;
          }
        }
        compiled = rules;
      }
      one = {
        name: chain,
        table,
        get rules() {
          compiled ??= listed.map((rule) => compiler.compile(chain, rule));
          return compiled;
        },
      };
      chains.set(chain, one);
    }
    const hook = HOOKS[String(fields.hook)];
    if (hook !== undefined) {
      const policy = fields.policy === 'drop' ? 'drop' : 'accept';
      const text = `policy ${policy}`;
      bases.push({
        hook,
        type: fields.type === 'nat' ? 'nat' : fields.type === 'route' ? 'route' : 'filter',
        priority: Number(fields.prio),
        chain: one,
        chains,
        policy,
        policyRule: { system: 'nftables', table, chain, text, foreign: !owned(text, chain) },
        ...(live === undefined ? {} : { isLive: true }),
      });
    }
  }
  return bases;
}

/** Compiles single rules of a table, without its sets and maps. */
export function nftRuleCompiler(
  table: string,
  host: PathHost,
): (chain: string, rule: { readonly expr: readonly UnknownRecord[]; readonly handle: number }) => CompiledRule {
  const compiler = new NftRuleCompiler(table, host, new NftElements([], new Set(), () => false, undefined));
  return (chain, rule) => compiler.compile(chain, rule);
}

/** Chains whose rules are read on demand. */
class LiveChains {
  readonly #chains = new Map<string, CompiledChain>();
  readonly #compiled = new WeakMap<object, readonly CompiledRule[]>();

  constructor(
    private readonly table: string,
    private readonly live: LiveTableParts,
    private readonly compiler: NftRuleCompiler,
  ) {}

  get(name: string): CompiledChain {
    let chain = this.#chains.get(name);
    if (chain === undefined) {
      const rules = () => this.#rules(name);
      chain = {
        ...{ name, table: this.table },
        get rules() {
          return rules();
        },
      };
      this.#chains.set(name, chain);
    }
    return chain;
  }

  #rules(chain: string): readonly CompiledRule[] {
    const found = this.live.rules(chain);
    let compiled = this.#compiled.get(found);
    if (compiled === undefined) {
      compiled = found.map(({ handle, statements }) => this.compiler.compile(chain, { expr: statements, handle }));
      this.#compiled.set(found, compiled);
    }
    return compiled;
  }
}

/** Sets and maps to which rules add elements. */
function writtenByPackets(objects: readonly NftObject[]): ReadonlySet<string> {
  const names = new Set<string>();
  for (const [kind, { expr }] of objects) {
    if (kind === 'rule' && Array.isArray(expr)) {
      for (const statement of expr) {
        const text = typeof statement === 'string' ? mapWrittenBy(statement) : undefined;
        if (text !== undefined) {
          names.add(text);
        }
        const write = isRecord(statement) ? (statement.set ?? statement.map) : undefined;
        const name = isRecord(write) ? (write.set ?? write.map) : undefined;
        if (typeof name === 'string') {
          names.add(name.replace(/^@/, ''));
        }
      }
    }
  }
  return names;
}
