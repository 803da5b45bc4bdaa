import type { IPFamily, Slices } from '@kube-proxier/core';
import { type Attribute, be32, cString } from '../../netlink/attributes.js';
import { NETLINK_FLAGS } from '../../netlink/netlink.js';
import type { NftEncodedMessage, NftEncodedTransaction } from '../../nftables/netlink/encode-transaction.js';
import type { MessageWriter } from '../../nftables/netlink/message-writer.js';
import {
  NFNL_BATCH,
  NFT_FAMILIES,
  NFTA_CHAIN,
  NFTA_RULE,
  NFTABLES_SUBSYSTEM,
  type NftMessage,
  nftMessageType,
} from '../../nftables/netlink/nf-tables.js';
import { PROTOCOL_NUMBERS } from '../../nftables/netlink/value-bytes.js';
import { isBuiltinChain } from '../builtin-chains.js';
import { readRule } from '../read-rule.js';
import { IptablesRuleEncoder } from './encode-iptables-rule.js';
import { RuleNotEncodable } from './xtables-extensions.js';

/** One table of a document as a transaction of nf_tables. */
export interface EncodedIptablesSection extends NftEncodedTransaction {
  /** Position of the next section in the document. */
  readonly end: number;
}

/** `NLM_F_APPEND`. */
const APPEND = 0x800;
const BATCH_HEAD = Buffer.of(0, 0, 0, NFTABLES_SUBSYSTEM);
/** Maximum length of a chain name in the iptables tools. */
const MAX_NAME = 28;
/** Number of lines between two pauses. */
const SLICE = 64;

/**
 * The transaction that is equivalent to `iptables-nft-restore --noflush` with one section of a document, from `*TABLE`
 * to `COMMIT`: chains to create or flush, rules to append, and chains to delete. Pure; pauses often.
 *
 * @param start position of the section.
 * @returns undefined when the section has anything else, such as an inserted rule or an unsupported extension.
 */
export function* encodeIptablesSection(
  document: string,
  start: number,
  family: IPFamily,
  writer: MessageWriter,
): Slices<EncodedIptablesSection | undefined> {
  const section = new SectionEncoder(family, writer);
  let lines = 0;
  for (let at = start; at < document.length; ) {
    const found = document.indexOf('\n', at);
    const end = found < 0 ? document.length : found;
    const line = document.slice(at, end);
    at = end + 1;
    if (line === 'COMMIT') {
      return { ...section.finish(), end: at };
    }
    if (!section.add(line)) {
      return undefined;
    }
    if (++lines % SLICE === 0) {
      yield;
    }
  }
  return undefined;
}

class SectionEncoder {
  readonly #messages: NftEncodedMessage[] = [];
  readonly #rules: IptablesRuleEncoder;
  readonly #head: Buffer;
  /** Chains that the section creates or flushes, by encoded name. */
  readonly #chains = new Map<string, Buffer>();
  #table: Buffer | undefined;

  constructor(
    family: IPFamily,
    private readonly writer: MessageWriter,
  ) {
    writer.clear();
    this.#rules = new IptablesRuleEncoder(writer, family);
    this.#head = Buffer.of(family === 'IPv4' ? NFT_FAMILIES.ip : NFT_FAMILIES.ip6, 0, 0, 0);
    this.#batch(NFNL_BATCH.begin);
  }

  /** @returns false where the line is not supported. */
  add(line: string): boolean {
    switch (line.charAt(0)) {
      case '*':
        if (this.#table !== undefined) {
          return false;
        }
        this.#table = cString(line.slice(1));
        return true;
      case ':':
        return this.#declare(line);
      case '-':
        return line.startsWith('-A ') ? this.#append(line) : line.startsWith('-X ') && this.#delete(line.slice(3));
      default:
        return false;
    }
  }

  finish(): NftEncodedTransaction {
    this.#batch(NFNL_BATCH.end);
    return { bytes: this.writer.bytes, messages: this.#messages };
  }

  /** `:CHAIN - [0:0]` creates a chain, or flushes it. */
  #declare(line: string): boolean {
    const end = line.indexOf(' ');
    const chain = line.slice(1, end);
    if (end < 0 || !line.startsWith(' - ', end) || chain.length > MAX_NAME || isBuiltinChain(chain)) {
      return false;
    }
    const name = cString(chain);
    this.#chains.set(chain, name);
    this.#message('newChain', NETLINK_FLAGS.create, NFTA_CHAIN.name, name);
    this.#message('deleteRule', 0, NFTA_RULE.chain, name);
    return true;
  }

  #append(line: string): boolean {
    const end = line.indexOf(' ', 3);
    const chain = this.#chains.get(end < 0 ? line.slice(3) : line.slice(3, end));
    const parts = readRule(end < 0 ? '' : line.slice(end + 1));
    if (chain === undefined || parts === undefined) {
      return false;
    }
    const { writer } = this;
    this.#begin('newRule', NETLINK_FLAGS.create | APPEND);
    writer.bytesValue(NFTA_RULE.chain, chain);
    const protocol = PROTOCOLS.get(parts.protocol ?? '');
    if (protocol !== undefined) {
      writer.attributes([protocol]);
    }
    const expressions = writer.beginNested(NFTA_RULE.expressions);
    try {
      this.#rules.write(parts);
    } catch (error) {
      if (error instanceof RuleNotEncodable) {
        return false;
      }
      throw error;
    }
    writer.endNested(expressions);
    writer.end();
    return true;
  }

  /** The kernel would delete a chain with its rules, which the program refuses. So the section must have flushed it. */
  #delete(chain: string): boolean {
    const name = this.#chains.get(chain);
    if (name === undefined) {
      return false;
    }
    this.#message('deleteChain', 0, NFTA_CHAIN.name, name);
    return true;
  }

  #message(message: NftMessage, flags: number, type: number, name: Buffer): void {
    this.#begin(message, flags);
    this.writer.bytesValue(type, name);
    this.writer.end();
  }

  #begin(message: NftMessage, flags: number): void {
    // The kernel answers the first message with the new generation.
    const isAnswered = this.#messages.length === 1 && message === 'newChain';
    this.writer.begin(nftMessageType(message), isAnswered ? flags | NETLINK_FLAGS.echo : flags, this.#head);
    this.#messages.push({ start: this.writer.messageStart, command: this.#messages.length });
    // `NFTA_CHAIN_TABLE` and `NFTA_RULE_TABLE`.
    this.writer.bytesValue(NFTA_RULE.table, this.#table ?? Buffer.of(0));
  }

  #batch(type: number): void {
    this.writer.begin(type, 0, BATCH_HEAD);
    this.#messages.push({ start: this.writer.messageStart, command: -1 });
    this.writer.end();
  }
}

/** `NFTA_RULE_COMPAT`: the protocol of a rule, which extensions require. */
const PROTOCOLS: ReadonlyMap<string, Attribute> = new Map(
  [...PROTOCOL_NUMBERS].map(([name, number]) => [name, compatOf(number)]),
);

function compatOf(protocol: number): Attribute {
  return {
    type: NFTA_RULE.compat,
    value: [
      { type: 1, value: be32(protocol) },
      { type: 2, value: be32(0) },
    ],
  };
}
