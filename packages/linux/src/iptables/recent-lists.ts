import { readdir, writeFile } from 'node:fs/promises';
import { parseAddress } from '@kube-proxier/core';
import { loadLibc } from '../netlink/libc.js';
import type { CommandRunner } from '../process/command-runner.js';
import { kernelFiles, kernelFilesOf, systemErrorCode } from '../process/kernel-files.js';

/** Where the kernel has the lists of the iptables match `recent`, for the network namespace of the reader. */
const DIRECTORY = '/proc/net/xt_recent';

/** A client in a list of the iptables match `recent`. */
export interface RecentClient {
  /** In canonical spelling. */
  readonly address: string;
  /** Seconds since its last packet; undefined when the kernel's clock rate is unknown. */
  readonly idleSeconds: number | undefined;
}

/** Access to the lists. */
export interface RecentFiles {
  /** Names of the lists; empty when the kernel has none. */
  names(): Promise<readonly string[]>;
  /** The text of a list. */
  read(name: string): Promise<string>;
}

/** A client to be added to a list. */
export interface RecentAddition {
  /** Name of the list. */
  readonly list: string;
  readonly address: string;
}

/** Adds clients to lists in the network namespace that it works in; see {@link addToRecentLists}. */
export type AddToRecentLists = (additions: readonly RecentAddition[]) => Promise<number>;

/** {@link RecentFiles} of this process, or of the network namespace that `runner` works in, by `ls` and `cat`. */
export function recentFiles(runner?: CommandRunner): RecentFiles {
  const files = runner === undefined ? kernelFiles : kernelFilesOf(runner);
  const list =
    runner === undefined
      ? () => readdir(DIRECTORY)
      : async () => (await runner.run({ command: 'ls', args: ['-1', DIRECTORY] })).stdout.split('\n').filter(Boolean);
  return {
    names: () => list().catch(() => []),
    read: (name) => files.read(`${DIRECTORY}/${name}`),
  };
}

/**
 * Reads lists of the iptables match `recent`. A list that goes away meanwhile is left out.
 *
 * @param prefix of the names of the lists.
 * @throws Error of the system when a list cannot be read.
 */
export async function readRecentLists(
  prefix: string,
  files: RecentFiles = recentFiles(),
): Promise<ReadonlyMap<string, readonly RecentClient[]>> {
  const names = (await files.names()).filter((name) => name.startsWith(prefix));
  if (names.length === 0) {
    return new Map();
  }
  const rate = await ticksPerSecond();
  const lists = new Map<string, readonly RecentClient[]>();
  for (const name of names) {
    let text: string;
    try {
      text = await files.read(name);
    } catch (error) {
      if (systemErrorCode(error) === 'ENOENT') {
        continue;
      }
      throw error;
    }
    const now = rate === undefined ? undefined : { rate, ticks: ticksAt(process.hrtime.bigint(), rate) };
    lists.set(name, parseRecentList(text, now));
  }
  return lists;
}

/** `list address` lines on standard input. Prints a line for each that was added. */
const ADD = `while read -r list address; do
if test -e "${DIRECTORY}/$list" && echo "+$address" >"${DIRECTORY}/$list"; then echo; fi
done`;

/**
 * Adds clients to lists of the iptables match `recent`, as if a packet of each arrived now, in this order. A list that
 * does not exist is left out, and one that is full forgets the clients that were added first.
 *
 * @param runner of the network namespace to write in. Default: that of this process.
 * @returns number of added clients.
 * @throws Error of the system, or CommandError, when a list cannot be written.
 */
export async function addToRecentLists(additions: readonly RecentAddition[], runner?: CommandRunner): Promise<number> {
  if (additions.length === 0) {
    return 0;
  }
  if (runner !== undefined) {
    const stdin = additions.map(({ list, address }) => `${list} ${address}\n`).join('');
    const { stdout } = await runner.run({ command: 'sh', args: ['-c', ADD], stdin });
    return stdout.length;
  }
  let added = 0;
  for (const { list, address } of additions) {
    try {
      await writeFile(`${DIRECTORY}/${list}`, `+${address}`, { flag: 'r+' });
      added += 1;
    } catch (error) {
      if (systemErrorCode(error) !== 'ENOENT') {
        throw error;
      }
    }
  }
  return added;
}

/**
 * Parses a list as the kernel prints it. Pure.
 *
 * @param now the kernel's ticks (jiffies) at present, and their rate per second.
 */
export function parseRecentList(
  text: string,
  now: { readonly ticks: bigint; readonly rate: number } | undefined,
): readonly RecentClient[] {
  return [...text.matchAll(/^src=(\S+) .*?last_seen: (\d+)/gm)].flatMap(([, source = '', seen = '']) => {
    const address = parseAddress(source)?.text;
    return address === undefined ? [] : [{ address, idleSeconds: now && idleSeconds(BigInt(seen), now) }];
  });
}

const WORD = 1n << 32n;

/** Ticks are compared as 32-bit numbers, so that it does not matter whether the kernel prints 32 or 64 bits. */
function idleSeconds(seen: bigint, { ticks, rate }: { readonly ticks: bigint; readonly rate: number }): number {
  const passed = Number((((ticks - seen) % WORD) + WORD) % WORD);
  // Negative: seen after the clock was read.
  return passed >= 2 ** 31 ? 0 : passed / rate;
}

/** The kernel's ticks: they start 300 seconds before their 32-bit overflow, and follow the monotonic clock. */
function ticksAt(nanoseconds: bigint, rate: number): bigint {
  return WORD + (BigInt(rate) * (nanoseconds - 300_000_000_000n)) / 1_000_000_000n;
}

const CLOCK_REALTIME_COARSE = 5;

/** The kernel's CONFIG_HZ: the coarse clock advances once per tick. Undefined without `koffi`. */
async function ticksPerSecond(): Promise<number | undefined> {
  const libc = await loadLibc().catch(() => undefined);
  const resolution = Buffer.alloc(16);
  if (libc === undefined || libc.clockGetres(CLOCK_REALTIME_COARSE, resolution) !== 0) {
    return undefined;
  }
  const nanoseconds = resolution.readBigInt64LE(8);
  return nanoseconds > 0n ? Math.round(1e9 / Number(nanoseconds)) : undefined;
}
