import { createHash } from 'node:crypto';
import type { IPFamily } from '@kube-proxier/core';
import { cString, readU16, readU32, u32 } from '../netlink/attributes.js';
import type { Libc } from '../netlink/libc.js';
import type { IptablesTable } from './iptables.js';

const SOL = { IPv4: 0, IPv6: 41 } as const;
/** `IPT_SO_GET_INFO` and `IP6T_SO_GET_INFO`. */
const SO_GET_INFO = 64;
/** `IPT_SO_GET_ENTRIES` and `IP6T_SO_GET_ENTRIES`. */
const SO_GET_ENTRIES = 65;
/** `struct ipt_getinfo`: a name of 32 bytes, begin and end of each hook, number of entries and size in bytes. */
const INFO_BYTES = 84;
const SIZE_AT = 80;
/** `struct ipt_get_entries`: a name of 32 bytes, a size, and entries, which are aligned to 8 bytes. */
const NAME_BYTES = 32;
const ENTRIES_AT = 40;
/**
 * `struct ipt_entry` and `struct ip6t_entry`: offsets of the distance to the next entry, and of the counters (16
 * bytes). Both begin with the match part, of 84 and 136 bytes.
 */
const ENTRY = { IPv4: { next: 90, counters: 96 }, IPv6: { next: 142, counters: 152 } } as const;
const COUNTERS_BYTES = 16;

/** What the kernel reports about a table without copying it: its size, and the position of each hook in it. Undefined when it fails. */
export function legacyTableInfo(libc: Libc, fd: number, family: IPFamily, table: IptablesTable): Buffer | undefined {
  const info = Buffer.alloc(INFO_BYTES);
  cString(table).copy(info);
  const failed = libc.getsockopt(fd, SOL[family], SO_GET_INFO, info, u32(INFO_BYTES)) !== 0;
  return failed ? undefined : info.subarray(NAME_BYTES);
}

/**
 * A digest of all rules of a table, without their counters. The cost is that of copying the table.
 *
 * @param limit maximum size of the table in bytes.
 * @returns undefined when it cannot be read, is larger, or is being changed.
 */
export function legacyRulesDigest(
  libc: Libc,
  fd: number,
  family: IPFamily,
  table: IptablesTable,
  limit: number,
): string | undefined {
  const info = legacyTableInfo(libc, fd, family, table);
  const size = info && readU32(info, SIZE_AT - NAME_BYTES);
  if (size === undefined || size > limit) {
    return undefined;
  }
  const answer = Buffer.alloc(ENTRIES_AT + size);
  cString(table).copy(answer);
  u32(size).copy(answer, NAME_BYTES);
  if (libc.getsockopt(fd, SOL[family], SO_GET_ENTRIES, answer, u32(answer.length)) !== 0) {
    return undefined;
  }
  const { next, counters } = ENTRY[family];
  for (let at = ENTRIES_AT; at < answer.length; ) {
    const length = at + next + 2 <= answer.length ? readU16(answer, at + next) : 0;
    if (length < counters + COUNTERS_BYTES) {
      return undefined;
    }
    answer.fill(0, at + counters, at + counters + COUNTERS_BYTES);
    at += length;
  }
  return createHash('sha256').update(answer.subarray(ENTRIES_AT)).digest('hex');
}
