import type { IPFamily } from '@kube-proxier/core';
import { be32, cString, encodeAttributes, u32 } from '../../netlink/attributes.js';
import { instructions } from '../../nftables/netlink/instructions.js';
import type { MessageWriter } from '../../nftables/netlink/message-writer.js';
import { PROTOCOL_NUMBERS } from '../../nftables/netlink/value-bytes.js';
import type {
  Condition,
  IptablesMatch,
  IptablesProtocol,
  IptablesRuleParts,
  IptablesTarget,
} from '../iptables-rule-parts.js';
import {
  ADDRESS_TYPE,
  addressOrFail,
  COMMENT,
  CONNECTION,
  COUNTER,
  destinationNatOf,
  MARK,
  masqueradeOf,
  RANDOM,
  RECENT_SOURCES,
  RuleNotEncodable,
  redirectOf,
  rejectOf,
  SCTP_PORTS,
  type XtablesExtension,
} from './xtables-extensions.js';

const REGISTER = 1;
const comparison = (not: boolean | undefined) => (not ? '!=' : '==');
/** Offset and length of an address in the packet header. */
const ADDRESSES = {
  IPv4: { source: 12, destination: 16, length: 4 },
  IPv6: { source: 8, destination: 24, length: 16 },
} as const;
const TRANSPORT = { destinationPort: 2, tcpFlags: 13 } as const;
const TCP_SYN = 2;

/** Pre-encoded expressions. The value at their end is written for each rule. */
const encode = (...list: readonly ReturnType<typeof instructions.meta>[]): Buffer => encodeAttributes(list);
const COUNT = encode(instructions.count());
const PROTOCOL_IS: ReadonlyMap<IptablesProtocol, Buffer> = new Map(
  [...PROTOCOL_NUMBERS].map(([name, number]) => [
    name as IptablesProtocol,
    encode(instructions.meta(REGISTER, 'l4proto'), instructions.compare(REGISTER, '==', Buffer.of(number))),
  ]),
);
const DESTINATION_PORT = instructions.payload(REGISTER, 'transport', TRANSPORT.destinationPort, 2);
const PORT_IS = encode(DESTINATION_PORT, instructions.compare(REGISTER, '==', Buffer.alloc(2)));
const IS_NO_SYN = encode(
  instructions.payload(REGISTER, 'transport', TRANSPORT.tcpFlags, 1),
  instructions.bitwise(REGISTER, Buffer.of(TCP_SYN), Buffer.of(0)),
  instructions.compare(REGISTER, '==', Buffer.of(0)),
);
const VERDICTS = {
  ACCEPT: encode(instructions.verdict('accept')),
  DROP: encode(instructions.verdict('drop')),
  RETURN: encode(instructions.verdict('return')),
} as const;

/** An encoded extension, which ends with its structure. */
function extensionBytes(kind: 'match' | 'target', { name, revision, size }: XtablesExtension<never>): Buffer {
  return encode(instructions.extension(kind, name, revision, Buffer.alloc(size)));
}

/** An extension, and its encoding with zero fields. */
class Template<Options> {
  readonly #bytes: Buffer;

  constructor(
    kind: 'match' | 'target',
    private readonly extension: XtablesExtension<Options>,
  ) {
    this.#bytes = extensionBytes(kind, extension as XtablesExtension<never>);
  }

  write(writer: MessageWriter, options: Options): void {
    const end = writer.append(this.#bytes);
    this.extension.write(writer.buffer, end - this.extension.size, options);
  }
}

const MATCHES = {
  comment: new Template('match', COMMENT),
  sctp: new Template('match', SCTP_PORTS),
  conntrack: new Template('match', CONNECTION),
  addrtype: new Template('match', ADDRESS_TYPE),
  statistic: new Template('match', RANDOM),
  recent: new Template('match', RECENT_SOURCES),
  nfacct: new Template('match', COUNTER),
} as const;
const MARK_TARGET = new Template('target', MARK);

function targetsOf(family: IPFamily) {
  return {
    REJECT: new Template('target', rejectOf(family)),
    MASQUERADE: new Template('target', masqueradeOf(family)),
    REDIRECT: new Template('target', redirectOf(family)),
    DNAT: new Template('target', destinationNatOf(family)),
  };
}

const TARGETS = { IPv4: targetsOf('IPv4'), IPv6: targetsOf('IPv6') } as const;

/** Encoded payload comparisons by length of the value; the encoding ends with the value. */
const ADDRESS_COMPARISONS = new Map<number, Buffer>();

/**
 * Writes the expressions of rules, in the order and with the expressions of `iptables-nft` 1.8.9: `iptables-nft-save`
 * of that and later versions prints each rule unchanged. Extensions use `nft_compat`, except `tcp`, `udp` and `mark`,
 * as in that version.
 */
export class IptablesRuleEncoder {
  constructor(
    private readonly writer: MessageWriter,
    private readonly family: IPFamily,
  ) {}

  /** @throws RuleNotEncodable when a part cannot be expressed: the written bytes must not be sent. */
  write(parts: IptablesRuleParts): void {
    const { writer } = this;
    this.#interface('iifname', parts.inInterface);
    this.#interface('oifname', parts.outInterface);
    const protocol = parts.protocol && PROTOCOL_IS.get(parts.protocol);
    if (protocol !== undefined) {
      writer.append(protocol);
    }
    this.#address('source', parts.source);
    this.#address('destination', parts.destination);
    const { matches = [], comment, commentAfter = 0 } = parts;
    const commentAt = Math.min(commentAfter, matches.length);
    for (let index = 0; index <= matches.length; index++) {
      if (index === commentAt && comment !== undefined) {
        MATCHES.comment.write(writer, comment);
      }
      const match = matches[index];
      if (match !== undefined) {
        this.#match(match);
      }
    }
    writer.append(COUNT);
    this.#target(parts.target);
  }

  #interface(key: 'iifname' | 'oifname', condition: Condition | undefined): void {
    if (condition === undefined) {
      return;
    }
    const { value, not = false } = condition;
    const name = value.endsWith('+') ? Buffer.from(value.slice(0, -1), 'latin1') : cString(value);
    if (name.length === 0) {
      throw new RuleNotEncodable(value);
    }
    this.writer.attributes([instructions.meta(REGISTER, key), instructions.compare(REGISTER, comparison(not), name)]);
  }

  /** If the prefix ends at a byte boundary, only its bytes are loaded. */
  #address(side: 'source' | 'destination', condition: Condition | undefined): void {
    if (condition === undefined) {
      return;
    }
    const { value, not = false } = condition;
    const { [side]: offset, length } = ADDRESSES[this.family];
    const slash = value.indexOf('/');
    const address = addressOrFail(slash < 0 ? value : value.slice(0, slash));
    const mask = slash < 0 ? '' : value.slice(slash + 1);
    const prefix = mask === '' ? length * 8 : Number(mask);
    if (address.length !== length || (Number.isInteger(prefix) && (prefix < 1 || prefix > length * 8))) {
      throw new RuleNotEncodable(value);
    }
    if (prefix % 8 === 0) {
      const size = prefix / 8;
      const end = this.writer.append(addressComparison(offset, size, not));
      address.copy(this.writer.buffer, end - ((size + 3) & ~3), 0, size);
      return;
    }
    const bits = Number.isInteger(prefix) ? prefixMask(prefix, length) : addressOrFail(mask);
    this.writer.attributes([
      instructions.payload(REGISTER, 'network', offset, length),
      instructions.bitwise(REGISTER, bits, Buffer.alloc(length)),
      instructions.compare(
        REGISTER,
        comparison(not),
        address.map((byte, index) => byte & (bits[index] ?? 0)),
      ),
    ]);
  }

  #match(match: IptablesMatch): void {
    const { writer } = this;
    switch (match.match) {
      case 'port':
        this.#port(match);
        return;
      case 'no-syn':
        writer.append(IS_NO_SYN);
        return;
      case 'conntrack':
        MATCHES.conntrack.write(writer, match);
        return;
      case 'nfacct':
        MATCHES.nfacct.write(writer, match);
        return;
      case 'addrtype':
        MATCHES.addrtype.write(writer, match);
        return;
      case 'statistic':
        MATCHES.statistic.write(writer, match);
        return;
      case 'recent':
        MATCHES.recent.write(writer, match);
        return;
      case 'mark':
        writer.attributes([
          instructions.meta(REGISTER, 'mark'),
          instructions.bitwise(REGISTER, u32(match.mask), u32(0)),
          instructions.compare(REGISTER, comparison(match.not), u32(match.value)),
        ]);
        return;
      case 'set':
        // The kernel identifies a set by an index, which the program queries.
        throw new RuleNotEncodable(match.match);
    }
  }

  #port({ protocol, first, last = first, noSyn }: Extract<IptablesMatch, { match: 'port' }>): void {
    const { writer } = this;
    if (protocol === 'sctp') {
      MATCHES.sctp.write(writer, { first, last });
      return;
    }
    if (noSyn) {
      writer.append(IS_NO_SYN);
    }
    if (first === last) {
      const end = writer.append(PORT_IS);
      writer.buffer.writeUInt16BE(first, end - 4);
      return;
    }
    writer.attributes([
      DESTINATION_PORT,
      instructions.range(REGISTER, be32(first).subarray(2), be32(last).subarray(2)),
    ]);
  }

  #target(target: IptablesTarget | undefined): void {
    const { writer } = this;
    const targets = TARGETS[this.family];
    switch (target?.target) {
      case undefined:
        return;
      case 'jump':
      case 'goto':
        writer.attributes([instructions.verdict(target.target, target.chain)]);
        return;
      case 'ACCEPT':
      case 'DROP':
      case 'RETURN':
        writer.append(VERDICTS[target.target]);
        return;
      case 'MARK':
        MARK_TARGET.write(writer, target);
        return;
      case 'REJECT':
        targets.REJECT.write(writer, target);
        return;
      case 'MASQUERADE':
        targets.MASQUERADE.write(writer, target);
        return;
      case 'REDIRECT':
        targets.REDIRECT.write(writer, target);
        return;
      case 'DNAT':
        targets.DNAT.write(writer, target);
        return;
      case 'SET':
        throw new RuleNotEncodable(target.target);
    }
  }
}

function addressComparison(offset: number, size: number, not: boolean): Buffer {
  const key = (offset * 32 + size) * 2 + Number(not);
  let bytes = ADDRESS_COMPARISONS.get(key);
  if (bytes === undefined) {
    bytes = encode(
      instructions.payload(REGISTER, 'network', offset, size),
      instructions.compare(REGISTER, comparison(not), Buffer.alloc(size)),
    );
    ADDRESS_COMPARISONS.set(key, bytes);
  }
  return bytes;
}

function prefixMask(prefix: number, length: number): Buffer {
  return Buffer.from(
    Array.from({ length }, (_, index) => (0xff << Math.max(0, 8 - Math.max(0, prefix - 8 * index))) & 0xff),
  );
}
