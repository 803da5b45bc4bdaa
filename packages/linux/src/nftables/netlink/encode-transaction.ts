import { assertNever, finish, type Slices } from '@kube-proxier/core';
import { type Attribute, be32, cString, encodeAttributes } from '../../netlink/attributes.js';
import { NETLINK_FLAGS } from '../../netlink/netlink.js';
import { HEADER } from '../../netlink/request-batches.js';
import type { NftFamily } from '../nft-family.js';
import type { NftBaseChain, NftCommand, NftTransaction } from '../nft-transaction.js';
import { ANONYMOUS_SET_NAME, compileNftRule } from './compile-rule.js';
import { be64, verdictData } from './instructions.js';
import { MessageWriter } from './message-writer.js';
import {
  NFNL_BATCH,
  NFT_ELEMENT_CATCH_ALL,
  NFT_FAMILIES,
  NFT_HOOKS,
  NFT_OBJECT_COUNTER,
  NFT_POLICY_ACCEPT,
  NFT_TABLE_FLAGS,
  NFT_USER_DATA,
  type NFT_VERDICTS,
  NFTA_CHAIN,
  NFTA_COUNTER,
  NFTA_DATA,
  NFTA_ELEMENT,
  NFTA_ELEMENTS,
  NFTA_HOOK,
  NFTA_LIST_ELEMENT,
  NFTA_OBJECT,
  NFTA_RULE,
  NFTA_SET,
  NFTA_TABLE,
  NFTABLES_SUBSYSTEM,
  type NftMessage,
  nftMessageType,
} from './nf-tables.js';
import {
  type NftElementTypes,
  nftAnonymousSetAttributes,
  nftElementTypes,
  nftSetAttributes,
} from './set-attributes.js';
import { CATCH_ALL, NftValueInvalid, nftFieldsLength, PROTOCOL_NUMBERS, writeNftFields } from './value-bytes.js';

/** A command that cannot be written as bytes. */
export class NftNotEncodable extends Error {
  constructor(
    readonly refusal: 'missing' | 'other',
    /** Index of the command. */
    readonly command: number,
    message: string,
  ) {
    super(message);
  }
}

/** One message of an encoded transaction. */
export interface NftEncodedMessage {
  /** Offset in {@link NftEncodedTransaction.bytes}. */
  readonly start: number;
  /** Index of the command that it is for; -1 for the beginning and the end. */
  readonly command: number;
  /** Elements in the message: index of the first, and the offset of each. */
  readonly elements?: { readonly first: number; readonly starts: readonly number[] };
}

/** A transaction as netlink messages. Their sequence numbers are not set. */
export interface NftEncodedTransaction {
  readonly bytes: Buffer;
  readonly messages: readonly NftEncodedMessage[];
}

/** The begin of a transaction: header, structure, and the attribute with the generation. */
const GENERATION_AT = HEADER + 4 + 4;

/** Sets the generation that a transaction is based on: the kernel refuses it in any other generation. */
export function setNftGeneration({ bytes }: NftEncodedTransaction, generation: number): void {
  bytes.writeUInt32BE(generation, GENERATION_AT);
}

export interface NftEncodeOptions {
  /** The types of elements of sets and maps that the transaction does not declare. */
  readonly typesOf: (name: string) => NftElementTypes | undefined;
  /** Whether the transaction is committed; otherwise the kernel only validates it. Default true. */
  readonly isCommitted?: boolean;
  /**
   * Reused buffer for small transactions: its bytes are valid until the next one is written. Default: a new buffer for
   * each.
   */
  readonly writer?: MessageWriter;
}

/** Maximum size of a message: that of an attribute, which has all elements, is below 64 KiB. */
const MAX_MESSAGE = 60_000;

/**
 * The messages of a transaction. Pure. {@link setNftGeneration} completes it.
 *
 * @throws NftNotEncodable
 */
export function encodeNftTransaction(transaction: NftTransaction, options: NftEncodeOptions): NftEncodedTransaction {
  return finish(encodeNftTransactionInSlices(transaction, options));
}

/** {@link encodeNftTransaction}. Yields often, so that a caller can pause. */
export function encodeNftTransactionInSlices(
  transaction: NftTransaction,
  options: NftEncodeOptions,
): Slices<NftEncodedTransaction> {
  return new TransactionEncoder(transaction, options).encode();
}

const ADD = NETLINK_FLAGS.create;
/** `NLM_F_APPEND`, for a new object. */
const APPEND = 0x800;

/**
 * Number of commands, and of elements, between two pauses. Few, as V8 may continue a collection for 5 ms after each 64 KB that
 * the work has allocated.
 */
const BETWEEN_PAUSES = 16;
/**
 * Estimated maximum bytes of an element without long names. A growing buffer is copied, which is slow when it is large.
 */
const ELEMENT_SIZE: Readonly<Record<NftFamily, number>> = { ip: 112, ip6: 160 };

function elementCount({ commands }: NftTransaction): number {
  let count = 0;
  for (const command of commands) {
    count +=
      command.do === 'add-elements'
        ? command.elements.length
        : command.do === 'delete-elements'
          ? command.keys.length
          : 0;
  }
  return count;
}

/** The structures that messages begin with. */
const BATCH_HEAD = Buffer.of(0, 0, 0, NFTABLES_SUBSYSTEM);
const HEADS: Readonly<Record<NftFamily, Buffer>> = {
  ip: Buffer.of(NFT_FAMILIES.ip, 0, 0, 0),
  ip6: Buffer.of(NFT_FAMILIES.ip6, 0, 0, 0),
};
const NO_GENERATION: readonly Attribute[] = [{ type: NFNL_BATCH.generation, value: be32(0) }];
const NO_ATTRIBUTES: readonly Attribute[] = [];

type ElementCommand = Extract<NftCommand, { do: 'add-elements' | 'delete-elements' }>;

class TransactionEncoder {
  readonly #writer: MessageWriter;
  readonly #messages: NftEncodedMessage[] = [];
  readonly #head: Buffer;
  #verdicts: Map<string, Buffer> | undefined;
  /** Types of sets and maps that the transaction declares or deletes. */
  #declared: Map<string, NftElementTypes | undefined> | undefined;
  readonly #table: Buffer;
  #command = -1;
  #setId = 0;
  /** Whether the current message is the first after the batch begin. */
  #isFirst = false;

  constructor(
    private readonly transaction: NftTransaction,
    private readonly options: NftEncodeOptions,
  ) {
    const size = elementCount(transaction) * ELEMENT_SIZE[transaction.family];
    const { writer } = options;
    if (writer !== undefined && size <= writer.capacity) {
      writer.clear();
      this.#writer = writer;
    } else {
      this.#writer = new MessageWriter(size);
    }
    this.#head = HEADS[transaction.family];
    this.#table = cString(transaction.table);
  }

  *encode(): Slices<NftEncodedTransaction> {
    const { commands } = this.transaction;
    const { isCommitted = true } = this.options;
    this.#raw(NFNL_BATCH.begin, 0, BATCH_HEAD, NO_GENERATION);
    for (let index = 0; index < commands.length; index++) {
      if (index % BETWEEN_PAUSES === BETWEEN_PAUSES - 1) {
        yield;
      }
      this.#command = index;
      const command = commands[index] as NftCommand;
      if (command.do !== 'add-elements' && command.do !== 'delete-elements') {
        this.#encode(command);
        continue;
      }
      const count = command.do === 'add-elements' ? command.elements.length : command.keys.length;
      for (let element = 0; element < count; ) {
        element = yield* this.#elements(command, element, count);
      }
    }
    this.#command = -1;
    if (isCommitted) {
      this.#raw(NFNL_BATCH.end, 0, BATCH_HEAD, NO_ATTRIBUTES);
    }
    return { bytes: this.#writer.bytes, messages: this.#messages };
  }

  #encode(command: Exclude<NftCommand, ElementCommand>): void {
    switch (command.do) {
      case 'add-table': {
        const flags = (command.flags ?? []).reduce((sum, flag) => sum | NFT_TABLE_FLAGS[flag], 0);
        this.#message('newTable', ADD, [
          { type: NFTA_TABLE.name, value: this.#table },
          { type: NFTA_TABLE.flags, value: be32(flags) },
        ]);
        break;
      }
      case 'delete-table':
        this.#declared?.clear();
        this.#message('deleteTable', 0, [{ type: NFTA_TABLE.name, value: this.#table }]);
        break;
      case 'add-chain':
        this.#message('newChain', ADD, [
          { type: NFTA_CHAIN.table, value: this.#table },
          { type: NFTA_CHAIN.name, value: cString(command.chain) },
          ...(command.base === undefined ? [] : baseAttributes(command.base)),
        ]);
        break;
      case 'flush-chain':
        this.#message('deleteRule', 0, [
          { type: NFTA_RULE.table, value: this.#table },
          { type: NFTA_RULE.chain, value: cString(command.chain) },
        ]);
        break;
      case 'delete-chain':
        this.#message('deleteChain', 0, [
          { type: NFTA_CHAIN.table, value: this.#table },
          { type: NFTA_CHAIN.name, value: cString(command.chain) },
        ]);
        break;
      case 'add-rule':
        this.#addRule(command);
        break;
      case 'add-container':
        this.#setId++;
        this.#declare(command.name, nftElementTypes(command.container));
        this.#message('newSet', ADD, [
          ...this.#set(command.name),
          { type: NFTA_SET.id, value: be32(this.#setId) },
          ...nftSetAttributes(command.container),
        ]);
        break;
      case 'flush-container':
        this.#message('deleteElements', 0, [
          { type: NFTA_ELEMENTS.table, value: this.#table },
          { type: NFTA_ELEMENTS.set, value: cString(command.name) },
        ]);
        break;
      case 'delete-container':
        this.#declare(command.name, undefined);
        this.#message('deleteSet', 0, this.#set(command.name));
        break;
      case 'add-counter':
        this.#message('newObject', ADD, [
          ...this.#counter(command.name),
          {
            type: NFTA_OBJECT.data,
            value: [
              { type: NFTA_COUNTER.bytes, value: be64(command.value?.bytes ?? 0) },
              { type: NFTA_COUNTER.packets, value: be64(command.value?.packets ?? 0) },
            ],
          },
        ]);
        break;
      case 'delete-counter':
        this.#message('deleteObject', 0, this.#counter(command.name));
        break;
      default:
        assertNever(command);
    }
  }

  #addRule({ chain, rule }: Extract<NftCommand, { do: 'add-rule' }>): void {
    const { sets, instructions } = compileNftRule(rule.statements, this.transaction.family, () => ++this.#setId);
    for (const { id, values } of sets) {
      this.#message('newSet', ADD, [
        ...this.#set(ANONYMOUS_SET_NAME),
        { type: NFTA_SET.id, value: be32(id) },
        ...nftAnonymousSetAttributes(values.length),
      ]);
      this.#message('newElements', ADD, [
        { type: NFTA_ELEMENTS.table, value: this.#table },
        { type: NFTA_ELEMENTS.set, value: cString(ANONYMOUS_SET_NAME) },
        { type: NFTA_ELEMENTS.setId, value: be32(id) },
        { type: NFTA_ELEMENTS.elements, value: values.map(protocolElement) },
      ]);
    }
    this.#message('newRule', ADD | APPEND, [
      { type: NFTA_RULE.table, value: this.#table },
      { type: NFTA_RULE.chain, value: cString(chain) },
      { type: NFTA_RULE.expressions, value: instructions },
      ...(rule.comment === undefined ? [] : [{ type: NFTA_RULE.userData, value: commentData(rule.comment) }]),
    ]);
  }

  #declare(name: string, types: NftElementTypes | undefined): void {
    this.#declared ??= new Map();
    this.#declared.set(name, types);
  }

  /**
   * One message with elements from an index on.
   *
   * @returns the index of the first element that did not fit.
   */
  *#elements(command: ElementCommand, first: number, count: number): Slices<number> {
    const { name } = command;
    const types = this.#declared?.has(name) ? this.#declared.get(name) : this.options.typesOf(name);
    if (types === undefined) {
      throw new NftNotEncodable('missing', this.#command, `No such file or directory: set or map ${name}`);
    }
    const writer = this.#writer;
    const length = nftFieldsLength(types.key);
    const starts: number[] = [];
    const isAdded = command.do === 'add-elements';
    this.#begin(isAdded ? 'newElements' : 'deleteElements', isAdded ? ADD : 0, { first, starts });
    writer.bytesValue(NFTA_ELEMENTS.table, this.#table);
    writer.textValue(NFTA_ELEMENTS.set, name);
    const list = writer.beginNested(NFTA_ELEMENTS.elements);
    const limit = this.#isFirst ? 1 : count;
    let index = first;
    for (; index < count && starts.length < limit && writer.length - writer.messageStart < MAX_MESSAGE; index++) {
      if (starts.push(writer.length) % BETWEEN_PAUSES === 0) {
        yield;
      }
      if (isAdded) {
        const [key, value, timeoutSeconds] = command.elements[index] ?? [''];
        this.#element(key, value, timeoutSeconds, types, length, false);
      } else {
        this.#element(command.keys[index] ?? '', undefined, undefined, types, length, true);
      }
    }
    writer.endNested(list);
    writer.end();
    return index;
  }

  #element(
    key: string,
    value: string | undefined,
    timeoutSeconds: number | undefined,
    types: NftElementTypes,
    length: number,
    isKeyOnly: boolean,
  ): void {
    const writer = this.#writer;
    const element = writer.beginNested(NFTA_LIST_ELEMENT);
    try {
      if (key === CATCH_ALL) {
        writer.attributes([{ type: NFTA_ELEMENT.flags, value: be32(NFT_ELEMENT_CATCH_ALL) }]);
      } else {
        const start = this.#data(NFTA_ELEMENT.key, length);
        const end = types.isInterval ? this.#data(NFTA_ELEMENT.keyEnd, length) : undefined;
        writeNftFields(key, types.key, writer.buffer, start, end);
      }
      if (!isKeyOnly) {
        this.#elementValue(key, value, types.value);
      }
    } catch (error) {
      throw error instanceof NftValueInvalid ? new NftNotEncodable('other', this.#command, error.message) : error;
    }
    if (timeoutSeconds !== undefined) {
      writer.attributes([{ type: NFTA_ELEMENT.timeout, value: be64(timeoutSeconds * 1000) }]);
    }
    writer.endNested(element);
  }

  #elementValue(key: string, value: string | undefined, types: NftElementTypes['value']): void {
    const writer = this.#writer;
    if ((value === undefined) !== (types === undefined)) {
      throw new NftNotEncodable(
        'other',
        this.#command,
        types === undefined ? `an element of a set has no value: ${key}` : `an element of a map needs a value: ${key}`,
      );
    }
    if (value === undefined || types === undefined) {
      return;
    }
    if (types === 'counter') {
      writer.textValue(NFTA_ELEMENT.object, value);
    } else if (types === 'verdict') {
      const bytes = this.#verdict(value);
      const at = writer.reserve(bytes.length);
      writer.buffer.set(bytes, at);
    } else {
      const at = this.#data(NFTA_ELEMENT.data, nftFieldsLength(types));
      writeNftFields(value, types, writer.buffer, at);
    }
  }

  /** The attribute with a verdict, cached: there are few distinct ones. */
  #verdict(text: string): Buffer {
    this.#verdicts ??= new Map();
    const known = this.#verdicts.get(text);
    if (known !== undefined) {
      return known;
    }
    const [verdict = '', chain] = text.split(' ', 2);
    const isJump = verdict === 'goto' || verdict === 'jump';
    if (isJump !== (chain !== undefined) || !(isJump || ['accept', 'drop', 'return'].includes(verdict))) {
      throw new NftValueInvalid(text, 'verdict');
    }
    const data = verdictData(verdict as keyof typeof NFT_VERDICTS, chain);
    const bytes = encodeAttributes([{ type: NFTA_ELEMENT.data, value: [data] }]);
    this.#verdicts.set(text, bytes);
    return bytes;
  }

  /** An attribute with data of a known length. @returns the position of the data. */
  #data(type: number, length: number): number {
    const nested = this.#writer.beginNested(type);
    const at = this.#writer.value(NFTA_DATA.value, length);
    this.#writer.endNested(nested);
    return at;
  }

  #set(name: string): readonly Attribute[] {
    return [
      { type: NFTA_SET.table, value: this.#table },
      { type: NFTA_SET.name, value: cString(name) },
    ];
  }

  #counter(name: string): readonly Attribute[] {
    return [
      { type: NFTA_OBJECT.table, value: this.#table },
      { type: NFTA_OBJECT.name, value: cString(name) },
      { type: NFTA_OBJECT.type, value: be32(NFT_OBJECT_COUNTER) },
    ];
  }

  #message(message: NftMessage, flags: number, attributes: readonly Attribute[]): void {
    this.#begin(message, flags);
    this.#writer.attributes(attributes);
    this.#writer.end();
  }

  #begin(message: NftMessage, flags: number, elements?: NftEncodedMessage['elements']): void {
    const { commands } = this.transaction;
    const { do: what } = commands[this.#command] ?? {};
    this.#isFirst = this.#messages.length === 1;
    // The kernel echoes the first message with its changes and the new generation. So the first message has one element
    // only, and a message that removes any number of objects is not echoed.
    const isAnswered = this.#isFirst && what !== 'delete-table' && what !== 'flush-container';
    this.#writer.begin(nftMessageType(message), isAnswered ? flags | NETLINK_FLAGS.echo : flags, this.#head);
    this.#note(elements);
  }

  #raw(type: number, flags: number, head: Uint8Array, attributes: readonly Attribute[]): void {
    this.#writer.begin(type, flags, head);
    this.#note();
    this.#writer.attributes(attributes);
    this.#writer.end();
  }

  #note(elements?: NftEncodedMessage['elements']): void {
    const start = this.#writer.messageStart;
    this.#messages.push({ start, command: this.#command, ...(elements === undefined ? {} : { elements }) });
  }
}

function baseAttributes({ type, hook, priority }: NftBaseChain): readonly Attribute[] {
  return [
    { type: NFTA_CHAIN.type, value: cString(type) },
    { type: NFTA_CHAIN.policy, value: be32(NFT_POLICY_ACCEPT) },
    {
      type: NFTA_CHAIN.hook,
      value: [
        { type: NFTA_HOOK.number, value: be32(NFT_HOOKS[hook]) },
        { type: NFTA_HOOK.priority, value: be32(priority) },
      ],
    },
  ];
}

function protocolElement(name: string): Attribute {
  const value = Buffer.of(PROTOCOL_NUMBERS.get(name) ?? Number(name));
  return {
    type: NFTA_LIST_ELEMENT,
    value: [{ type: NFTA_ELEMENT.key, value: [{ type: NFTA_DATA.value, value }] }],
  };
}

/** A comment in nft's format: user data with one NUL-terminated item. */
function commentData(comment: string): Buffer {
  const text = Buffer.from(`${comment}\0`);
  return Buffer.concat([Buffer.of(NFT_USER_DATA.rule.comment, text.length), text]);
}
