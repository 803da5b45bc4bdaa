import { finish, type IPFamily } from '@kube-proxier/core';
import { asText, attributeEnd, attributeMap, findAttribute, readAttributes } from '../../netlink/attributes.js';
import { NETLINK_FLAGS } from '../../netlink/netlink.js';
import type { NetlinkSocketOptions } from '../../netlink/open-socket.js';
import {
  NFT_FAMILIES,
  NFT_MESSAGE_HEAD,
  NFTA_CHAIN,
  NFTA_EXPRESSION,
  NFTA_RULE,
  nftMessageType,
} from '../../nftables/netlink/nf-tables.js';
import {
  chainIdentity,
  encodeNftRequest,
  NftConsistentLists,
  type NftTableName,
  withSynchronousSocket,
} from '../../nftables/netlink/nft-consistent-lists.js';
import type { NftSocket } from '../../nftables/netlink/nft-socket.js';
import { messageAttributes, type ReadChain, readChain } from '../../nftables/netlink/read-table.js';
import type { CommandRunner } from '../../process/command-runner.js';
import { type DecodedIptablesRule, decodeIptablesRule } from './decode-iptables-rule.js';

const QUOTED = /"(?:[^"\\]|\\.)*"/g;
/** Number of rules of a long chain: many packets pass it, and decoding it takes a while. */
const LONG = 1000;
/**
 * Number of cached rules and chains, in short chains, after which those that were used for one Service only are evicted. Chains of a
 * dispatch tree, which many Services use, stay: twice their number is the next limit.
 */
const MOST_SHORT = 16_384;
/** Maximum number of cached rules and chains, in short and in long chains. A rule takes about 600 bytes. */
const MOST_CACHED = { short: 131_072, long: 65_536 } as const;
/** A long chain is read again when this many times the duration of its last read has passed since then. */
const REUSE_FACTOR = 10;

const NO_EXPRESSIONS = Buffer.alloc(0);

/** A rule of a table of iptables-nft. It is decoded when it is first used. */
export class IptablesFoundRule {
  #expressions: Buffer;
  #decoded: DecodedIptablesRule | undefined;
  #identity: string | undefined;

  /**
   * @param expressions as the kernel lists them.
   * @param printed texts that the program has printed, by the identity of rules.
   */
  constructor(
    /** Unique in its table, also after the rule was deleted. */
    readonly handle: bigint,
    expressions: Buffer,
    private readonly family: IPFamily,
    private readonly printed: Map<string, string>,
  ) {
    this.#expressions = expressions;
  }

  /** As the kernel lists them; empty once they are decoded completely. */
  get expressions(): Buffer {
    return this.#expressions;
  }

  /** @see DecodedIptablesRule.text */
  get text(): string {
    return this.#printedText ?? this.#rule.text;
  }

  /** @see DecodedIptablesRule.jump */
  get jump(): string | undefined {
    return this.#rule.jump;
  }

  /** Names of matches and targets whose options are missing in the text. */
  get notDecoded(): readonly string[] {
    return this.#printedText === undefined ? this.#rule.notDecoded : [];
  }

  /** @see DecodedIptablesRule.isForeignToIptables */
  get isForeignToIptables(): boolean {
    return this.#rule.isForeignToIptables ?? false;
  }

  /**
   * Takes the text that the program prints for this rule, also for later rules with the same expressions. Takes nothing
   * when the text does not have each extension that is not decoded.
   */
  takePrinted(text: string): void {
    const words = ` ${text.replace(QUOTED, '""')} `;
    const isComplete = this.notDecoded.every(
      (name) => words.includes(` -m ${name} `) || words.includes(` -j ${name} `),
    );
    if (isComplete && !this.isForeignToIptables && !/unsupported|\[/.test(words)) {
      this.printed.set(this.#id, text);
    }
  }

  get #printedText(): string | undefined {
    return this.#rule.notDecoded.length === 0 || this.printed.size === 0 ? undefined : this.printed.get(this.#id);
  }

  /** The expressions without counters. A set is identified by a number, which later sets may have. */
  get #id(): string {
    if (this.#identity === undefined) {
      const parts = readAttributes(this.#expressions)
        .map(([, expression]) => expression)
        .filter((expression) => asText(attributeMap(expression).get(NFTA_EXPRESSION.name)) !== 'counter')
        .map((expression) => expression.toString('latin1'));
      const hasSet = this.#rule.notDecoded.some((name) => name === 'set' || name === 'SET');
      this.#identity = [...(hasSet ? [`${this.handle}`] : []), ...parts].join(' ');
    }
    return this.#identity;
  }

  get #rule(): DecodedIptablesRule {
    if (this.#decoded === undefined) {
      this.#decoded = decodeIptablesRule(this.#expressions, this.family);
      if (this.#decoded.notDecoded.length === 0 && !this.#decoded.isForeignToIptables) {
        // They take most of the memory of a rule.
        this.#expressions = NO_EXPRESSIONS;
      }
    }
    return this.#decoded;
  }
}

/** The rules of a chain as last read. */
interface CachedChain {
  readonly rules: readonly IptablesFoundRule[];
  /** {@link IptablesRuleLookup.forget} was called so often before. */
  readonly epoch: number;
  /** End and duration of the read in milliseconds. */
  readonly at: number;
  readonly duration: number;
  /** Number of calls of {@link IptablesRuleLookup.forget} at that time. Packets to a Service are mostly evaluated between two calls. */
  readonly round: number;
  /** Whether it was used in a later round. */
  isReused: boolean;
}

type ChainKind = keyof typeof MOST_CACHED;

function kindOf({ rules }: Pick<CachedChain, 'rules'>): ChainKind {
  return rules.length < LONG ? 'short' : 'long';
}

/**
 * Looks up the rules of single chains of the tables of iptables-nft, as currently in the kernel. The cost does not
 * depend on the size of the tables, and commits do not interrupt it: `iptables-nft-save` restarts after each commit.
 */
export class IptablesRuleLookup {
  readonly #lists: NftConsistentLists;
  readonly #number: number;
  /** By table, and by name. */
  readonly #chains = new Map<string, Map<string, CachedChain>>();
  /** @see IptablesFoundRule.takePrinted */
  readonly #printed = new Map<string, string>();
  /** Handles of tables, by name. */
  readonly #tables = new Map<string, bigint | undefined>();
  /** Numbers of cached rules and chains. */
  readonly #count = { short: 0, long: 0 };
  #mostShort = MOST_SHORT;
  #round = 0;
  #generation = 0;
  #epoch = 0;
  #isUrgent = true;

  private constructor(
    private readonly socket: NftSocket,
    private readonly family: IPFamily,
  ) {
    this.#lists = new NftConsistentLists(socket);
    this.#number = family === 'IPv4' ? NFT_FAMILIES.ip : NFT_FAMILIES.ip6;
  }

  /**
   * @returns undefined when synchronous requests are not supported (without the package `koffi`).
   * @throws NftError when the kernel refuses, NetlinkError when no socket can be opened.
   */
  static open(family: IPFamily, options: NetlinkSocketOptions = {}): Promise<IptablesRuleLookup | undefined> {
    return withSynchronousSocket(options, (socket) => {
      const lookup = new IptablesRuleLookup(socket, family);
      lookup.forget();
      return lookup;
    });
  }

  /** @see NftConsistentLists.tables */
  tables(): readonly NftTableName[] {
    return this.#lists.tables();
  }

  /**
   * The chains that the kernel calls for packets, of all tables of the family.
   *
   * @throws NftError when the kernel refuses, or chains change all the time.
   */
  async baseChains(): Promise<ReadonlyMap<string, readonly ReadChain[]>> {
    const found = new Map<string, ReadChain[]>();
    const take = (payload: Buffer) => {
      if (findAttribute(payload, NFTA_CHAIN.hook, NFT_MESSAGE_HEAD, payload.length) >= 0) {
        const attributes = messageAttributes(payload);
        const table = asText(attributes.get(NFTA_CHAIN.table));
        found.set(table, [...(found.get(table) ?? []), readChain(attributes)]);
      }
    };
    const request = encodeNftRequest('getChain', [], this.#number, NETLINK_FLAGS.dump);
    // There may be many chains: the event loop runs between parts of the list, unless it is interrupted.
    const { errno, isInterrupted } = await this.socket.request(
      { type: nftMessageType('getChain'), flags: NETLINK_FLAGS.dump, payload: Buffer.of(this.#number, 0, 0, 0) },
      ({ payload }) => take(payload),
    );
    if (errno !== 0 || isInterrupted) {
      this.#lists.list(request, () => {
        found.clear();
        return (payload) => {
          take(payload);
          return chainIdentity(payload);
        };
      });
    }
    return found;
  }

  /**
   * The rules of a chain; none when it does not exist. Cached until {@link forget}.
   * The result is the same object while the chain is unchanged, and so is each rule.
   *
   * @throws NftError when the kernel refuses, or the chain changes all the time.
   */
  rules(table: string, chain: string): readonly IptablesFoundRule[] {
    return this.#cached(table, chain) ?? finish(this.rulesInSlices(table, chain));
  }

  /** {@link rules} that can pause; no other method may be called in a pause. */
  *rulesInSlices(table: string, chain: string): Generator<undefined, readonly IptablesFoundRule[]> {
    const cached = this.#cached(table, chain);
    if (cached !== undefined) {
      return cached;
    }
    const start = performance.now();
    let rules = yield* this.#read(table, chain, this.#chains.get(table)?.get(chain)?.rules ?? []);
    if (this.#isNewTable(table)) {
      // Its rules may have the handles of the cached ones.
      rules = yield* this.#read(table, chain, []);
    }
    const at = performance.now();
    this.#cache(table, chain, { rules, epoch: this.#epoch, at, duration: at - start });
    return rules;
  }

  /**
   * Later calls of {@link rules} read the kernel again.
   *
   * @param isUrgent default true. Otherwise, not if the ruleset is unchanged; and a long chain only after a while, as
   * reading it takes milliseconds.
   */
  forget(isUrgent = true): void {
    this.#round += 1;
    const generation = this.#lists.generation();
    if (isUrgent || generation !== this.#generation) {
      this.#epoch += 1;
    }
    this.#isUrgent = isUrgent;
    this.#generation = generation;
  }

  close(): void {
    this.socket.close();
  }

  /** On a busy machine, also the read of a short chain may take long, which says nothing about its cost. */
  #isRecent(chain: CachedChain): boolean {
    return !this.#isUrgent && kindOf(chain) === 'long' && performance.now() - chain.at < REUSE_FACTOR * chain.duration;
  }

  /** Undefined when the chain must be read. */
  #cached(table: string, name: string): readonly IptablesFoundRule[] | undefined {
    const chain = this.#chains.get(table)?.get(name);
    if (chain === undefined) {
      return undefined;
    }
    chain.isReused ||= chain.round !== this.#round;
    return chain.epoch === this.#epoch || this.#isRecent(chain) ? chain.rules : undefined;
  }

  #cache(table: string, name: string, read: Omit<CachedChain, 'round' | 'isReused'>): void {
    const kind = kindOf(read);
    const known = this.#chains.get(table)?.get(name);
    if (known === undefined && this.#count[kind] >= (kind === 'long' ? MOST_CACHED.long : this.#mostShort)) {
      this.#evict(kind);
    }
    if (known !== undefined) {
      this.#count[kindOf(known)] -= known.rules.length + 1;
    }
    this.#count[kind] += read.rules.length + 1;
    let chains = this.#chains.get(table);
    if (chains === undefined) {
      chains = new Map();
      this.#chains.set(table, chains);
    }
    // A chain that is read again, as the ruleset has changed, was used before.
    chains.set(name, { ...read, round: this.#round, isReused: known !== undefined });
  }

  /** Short chains that were used again since the last eviction stay. */
  #evict(kind: ChainKind): void {
    let kept = 0;
    for (const chains of this.#chains.values()) {
      for (const [name, chain] of chains) {
        if (kindOf(chain) !== kind) {
          continue;
        }
        if (kind === 'short' && chain.isReused && kept < MOST_CACHED.short / 2) {
          chain.isReused = false;
          kept += chain.rules.length + 1;
        } else {
          chains.delete(name);
        }
      }
    }
    this.#count[kind] = kept;
    this.#mostShort = Math.max(MOST_SHORT, kept * 2);
  }

  #isNewTable(table: string): boolean {
    const handle = this.#lists.tableHandle(this.#number, table);
    const isKnown = this.#tables.has(table);
    const isNew = isKnown && handle !== this.#tables.get(table);
    this.#tables.set(table, handle);
    if (isNew) {
      this.#chains.clear();
      this.#count.short = 0;
      this.#count.long = 0;
    }
    return isNew;
  }

  *#read(
    table: string,
    chain: string,
    before: readonly IptablesFoundRule[],
  ): Generator<undefined, readonly IptablesFoundRule[]> {
    let found: IptablesFoundRule[] = [];
    let known: Map<bigint, IptablesFoundRule> | undefined;
    yield* this.#lists.rulesInSlices(this.#number, table, chain, () => {
      found = [];
      return (payload, handle) => {
        let rule = before[found.length];
        if (rule?.handle !== handle && before.length > 0) {
          known ??= new Map(before.map((one) => [one.handle, one]));
          rule = known.get(handle);
        }
        found.push(rule ?? new IptablesFoundRule(handle, expressionsOf(payload), this.family, this.#printed));
      };
    });
    const isSame = found.length === before.length && found.every((rule, index) => rule === before[index]);
    return isSame && before.length > 0 ? before : found;
  }
}

/**
 * Looks up rules in the network namespace of a runner.
 *
 * @returns undefined when it is not known, or synchronous requests are not supported.
 * @throws NftError when the kernel refuses, NetlinkError when no socket can be opened.
 */
export async function openIptablesRules(
  family: IPFamily,
  { networkNamespace: place }: Pick<CommandRunner, 'networkNamespace'>,
): Promise<IptablesRuleLookup | undefined> {
  return place === undefined ? undefined : IptablesRuleLookup.open(family, place === 'own' ? {} : { namespace: place });
}

function expressionsOf(payload: Buffer): Buffer {
  const at = findAttribute(payload, NFTA_RULE.expressions, NFT_MESSAGE_HEAD, payload.length);
  return at < 0 ? Buffer.alloc(0) : Buffer.from(payload.subarray(at + 4, attributeEnd(payload, at)));
}
