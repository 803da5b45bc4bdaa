import { align, writeU16, writeU32, zeroes } from './attributes.js';
import { NETLINK_FLAGS, type NetlinkRequest } from './netlink.js';

/** Maximum number of requests in flight: their answers must fit into the socket's buffer. */
export const MAX_IN_FLIGHT = 100;
/** Maximum number of bytes that are sent, or received, in one call. */
export const MAX_BYTES = 64 * 1024;
/** Bytes of the header of a message. */
export const HEADER = 16;

/** Maximum bytes of an answer with one object in the kernel. */
export const ANSWER_SIZE = 8192 + 512;

/** Maximum bytes of the refusal of a message in the kernel: it contains the message. */
export function refusalSize(message: number): number {
  const content = 384 + message;
  return 2 ** Math.ceil(Math.log2(content)) + 512;
}

/**
 * The requests from an index on to send in one call.
 *
 * @param capacity maximum bytes of their answers in the kernel. Default: unlimited.
 */
export function nextBatch(
  requests: readonly NetlinkRequest[],
  from: number,
  capacity = Number.POSITIVE_INFINITY,
): readonly NetlinkRequest[] {
  let bytes = 0;
  // The last one is acknowledged as well.
  let answers = refusalSize(0);
  let end = from;
  while (end < requests.length && end - from < MAX_IN_FLIGHT) {
    const size = HEADER + align((requests[end] as NetlinkRequest).payload.length);
    bytes += size;
    answers += Math.max(ANSWER_SIZE, refusalSize(size));
    if (end > from && (bytes > MAX_BYTES || answers > capacity)) {
      break;
    }
    end++;
  }
  return requests.slice(from, end);
}

/**
 * The messages of requests in one buffer, with ascending sequence numbers.
 *
 * @param lastFlags flags of the last request, in addition to its own.
 */
export function encodeMessages(requests: readonly NetlinkRequest[], first: number, lastFlags: number): Buffer {
  const length = requests.reduce((sum, { payload }) => sum + HEADER + align(payload.length), 0);
  const buffer = zeroes(length);
  let at = 0;
  for (const [index, { type, flags, payload }] of requests.entries()) {
    const isLast = index === requests.length - 1;
    writeU32(buffer, HEADER + payload.length, at);
    writeU16(buffer, type, at + 4);
    writeU16(buffer, flags | NETLINK_FLAGS.request | (isLast ? lastFlags : 0), at + 6);
    writeU32(buffer, first + index, at + 8);
    buffer.set(payload, at + HEADER);
    at += HEADER + align(payload.length);
  }
  return buffer;
}
