import { readFile } from 'node:fs/promises';
import { loadLibc } from '../netlink/libc.js';

const MADV_DONTNEED = 4;

/** A range of addresses of this process. */
export interface MemoryRange {
  readonly address: number;
  /** Bytes. */
  readonly length: number;
}

/** Result of {@link releaseUnusedMemory}. */
export interface ReleasedMemory {
  /** Ranges of the program file whose pages are no longer mapped. */
  readonly ranges: number;
  /** Whether the C library returned freed memory; false if it had none or lacks the function. */
  readonly isTrimmed: boolean;
}

/**
 * Returns unused memory to the system: freed memory that the C library retains (malloc_trim(3)), and mapped pages of
 * the program file, most of them code that runs at start only (madvise(2), MADV_DONTNEED). Accessed pages are mapped
 * again from the page cache. About 30 MB for Node.js.
 *
 * @returns undefined when nothing can be released: without `koffi` or procfs.
 */
export async function releaseUnusedMemory(): Promise<ReleasedMemory | undefined> {
  const libc = await loadLibc().catch(() => undefined);
  if (libc === undefined) {
    return undefined;
  }
  const isTrimmed = (await libc.mallocTrimInBackground?.(0)) === 1;
  const mappings = await readFile('/proc/self/smaps', 'utf8').catch(() => undefined);
  if (mappings === undefined) {
    return undefined;
  }
  const released = unchangedFileRanges(mappings, process.execPath).filter(
    ({ address, length }) => libc.madvise(address, length, MADV_DONTNEED) === 0,
  );
  return { ranges: released.length, isTrimmed };
}

/**
 * Ranges of unmodified file pages: private, not writable, and without copy-on-write pages, such as a debugger's
 * breakpoints or relocations of the dynamic linker.
 *
 * @param mappings the text of `/proc/self/smaps` (proc_pid_smaps(5)).
 * @param file the path of the program: it stays mapped, while another thread may unload a library at any time.
 */
export function unchangedFileRanges(mappings: string, file: string): readonly MemoryRange[] {
  const ranges: MemoryRange[] = [];
  for (const [, from = '', to = '', permissions = '', path = '', fields = ''] of mappings.matchAll(
    /^([0-9a-f]+)-([0-9a-f]+) (\S{4}) [0-9a-f]+ \S+ \d+(?: +(.*))?\n((?:\w+: .*\n?)*)/gm,
  )) {
    // The file may have been replaced by an upgrade.
    const isFile = path.replace(/ \(deleted\)$/, '') === file && /^r-[x-]p$/.test(permissions);
    if (isFile && kilobytes(fields, 'Anonymous') === 0 && kilobytes(fields, 'Private_Dirty') === 0) {
      const address = Number.parseInt(from, 16);
      ranges.push({ address, length: Number.parseInt(to, 16) - address });
    }
  }
  return ranges;
}

/** NaN when the kernel does not report it. */
function kilobytes(fields: string, name: string): number {
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(fields)?.[1] ?? Number.NaN);
}
