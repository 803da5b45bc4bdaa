import { getSystemErrorMap } from 'node:util';
import { align, readU16, readU32 } from '../../netlink/attributes.js';
import { errnoName } from '../../netlink/netlink-error.js';
import { HEADER } from '../../netlink/request-batches.js';
import { whyNftNotPermitted } from '../nft-diagnostics.js';
import { NftError, type NftRefusal, NftRefused } from '../nft-error.js';
import { type NftCommand, type NftTransaction, renderNftTransaction } from '../nft-transaction.js';
import type { NftEncodedTransaction } from './encode-transaction.js';
import {
  NFT_MESSAGE_HEAD,
  NFT_MESSAGES,
  NFTA_CHAIN,
  NFTA_ELEMENTS,
  NFTA_OBJECT,
  NFTA_RULE,
  NFTA_SET,
  NFTA_TABLE,
} from './nf-tables.js';
import { isNotPermitted, type NftKernelError } from './nft-socket.js';

const REFUSALS: Readonly<Record<string, NftRefusal>> = {
  ENOENT: 'missing',
  EEXIST: 'exists',
  EBUSY: 'busy',
  ENOTSUP: 'unsupported',
  EPROTONOSUPPORT: 'unsupported',
  EAFNOSUPPORT: 'unsupported',
};

/** Maximum number of characters of a command that an error keeps. */
const MAX_LENGTH = 200;

/** The error for a transaction that the kernel refused: names the command, and the element and attribute in it. */
export function refusalOfKernel(
  transaction: NftTransaction,
  encoded: NftEncodedTransaction,
  error: NftKernelError,
): NftError {
  if (isNotPermitted(error)) {
    return new NftError('NFT_PERMISSION_DENIED', `the kernel does not permit this: ${whyNftNotPermitted('process')}`);
  }
  const message = encoded.messages[error.message];
  const command = message === undefined ? undefined : transaction.commands[message.command];
  const element = message === undefined || error.offset === undefined ? undefined : elementAt(message, error.offset);
  const text = command === undefined ? undefined : spell(transaction, command, element);
  const attribute =
    message === undefined || error.offset === undefined
      ? undefined
      : attributeName(encoded.bytes, message.start, error.offset);
  const name = errnoName(error.errno);
  const meaning = getSystemErrorMap().get(-error.errno)?.[1];
  const reason = [
    meaning === undefined ? name : `${name}, ${meaning}`,
    ...(attribute === undefined ? [] : [`because of ${attribute}`]),
    ...(error.text === undefined ? [] : [`the kernel says "${error.text}"`]),
  ].join('; ');
  return new NftRefused(REFUSALS[name] ?? 'other', undefined, text, reason);
}

/** The error for a command that cannot be sent. */
export function refusalOfCommand(
  transaction: NftTransaction,
  index: number,
  refusal: NftRefusal,
  reason: string,
): NftRefused {
  const command = transaction.commands[index];
  return new NftRefused(refusal, undefined, command && spell(transaction, command, undefined), reason);
}

/** The index of the element that has an attribute. */
function elementAt(message: NftEncodedTransaction['messages'][number], offset: number): number | undefined {
  const { elements, start } = message;
  if (elements === undefined) {
    return undefined;
  }
  const within = elements.starts.findLastIndex((at) => at <= start + offset);
  return within < 0 ? undefined : elements.first + within;
}

/** A command in nft syntax, with the rejected element only. */
function spell({ family, table }: NftTransaction, command: NftCommand, element: number | undefined): string {
  let only = command;
  if (command.do === 'add-elements') {
    const found = command.elements[element ?? 0];
    only = { ...command, elements: found === undefined ? [] : [found] };
  } else if (command.do === 'delete-elements') {
    const found = command.keys[element ?? 0];
    only = { ...command, keys: found === undefined ? [] : [found] };
  }
  return renderNftTransaction({ family, table, commands: [only] })
    .trim()
    .slice(0, MAX_LENGTH);
}

const { newTable, newChain, newRule, newSet, newElements, newObject } = NFT_MESSAGES;
const { deleteTable, deleteChain, deleteRule, deleteSet, deleteElements, deleteObject } = NFT_MESSAGES;
const ATTRIBUTE_NAMES: ReadonlyMap<number, Readonly<Record<string, number>>> = new Map(
  [
    [[newTable, deleteTable], NFTA_TABLE],
    [[newChain, deleteChain], NFTA_CHAIN],
    [[newRule, deleteRule], NFTA_RULE],
    [[newSet, deleteSet], NFTA_SET],
    [[newElements, deleteElements], NFTA_ELEMENTS],
    [[newObject, deleteObject], NFTA_OBJECT],
  ].flatMap(([messages, names]) => (messages as number[]).map((message) => [message, names as Record<string, number>])),
);

/** The purpose of the top-level attribute at an offset of a message. */
function attributeName(bytes: Buffer, start: number, offset: number): string | undefined {
  const names = ATTRIBUTE_NAMES.get(readU16(bytes, start + 4) & 0xff);
  const end = start + readU32(bytes, start);
  for (let at = start + HEADER + NFT_MESSAGE_HEAD; at + 4 <= end; ) {
    const length = readU16(bytes, at);
    if (offset + start >= at && offset + start < at + length) {
      const type = readU16(bytes, at + 2) & 0x3fff;
      return Object.entries(names ?? {}).find(([, number]) => number === type)?.[0];
    }
    at += align(Math.max(length, 4));
  }
  return undefined;
}
