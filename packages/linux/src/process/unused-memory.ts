import { readFile } from 'node:fs/promises';
import { loadLibc } from '../netlink/libc.js';

const MADV_DONTNEED = 4;

/** A range of addresses of this process. */
export interface MemoryRange {
  readonly address: number;
  /** Bytes. */
  readonly length: number;
}

/** What {@link releaseUnusedMemory} did. */
export interface ReleasedMemory {
  /** Ranges of the program file whose pages are no longer mapped. */
  readonly ranges: number;
  /** Whether the C library returned memory that was freed; false too where it had none, or cannot. */
  readonly isTrimmed: boolean;
}

/**
 * Returns memory to the system that this process does not use: what the C library keeps after it was freed (malloc_trim(3)), and
 * mapped pages of the program file, most of which are code that runs at start only (madvise(2), MADV_DONTNEED). What is needed again is
 * mapped again from the page cache. Of Node.js these are some 30 MB.
 *
 * @returns undefined where nothing can be released: without `koffi`, or without procfs.
 */
export async function releaseUnusedMemory(): Promise<ReleasedMemory | undefined> {
  const libc = await loadLibc().catch(() => undefined);
  if (libc === undefined) {
    return undefined;
  }
  const isTrimmed = libc.mallocTrim?.(0) === 1;
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
 * Ranges that have nothing but pages of a file as the file has them: private, not writable, and without a page of which this process
 * has a copy of its own. A debugger's breakpoint is such a copy, and so is what the dynamic linker has written before it took the
 * permission away.
 *
 * @param mappings the text of `/proc/self/smaps` (proc_pid_smaps(5)).
 * @param file the path of the program: it stays mapped where it is, while another thread may unload a library at any time.
 */
export function unchangedFileRanges(mappings: string, file: string): readonly MemoryRange[] {
  const ranges: MemoryRange[] = [];
  for (const [, from = '', to = '', permissions = '', path = '', fields = ''] of mappings.matchAll(
    /^([0-9a-f]+)-([0-9a-f]+) (\S{4}) [0-9a-f]+ \S+ \d+(?: +(.*))?\n((?:\w+: .*\n?)*)/gm,
  )) {
    // It may have been replaced by an upgrade.
    const isFile = path.replace(/ \(deleted\)$/, '') === file && /^r-[x-]p$/.test(permissions);
    if (isFile && kilobytes(fields, 'Anonymous') === 0 && kilobytes(fields, 'Private_Dirty') === 0) {
      const address = Number.parseInt(from, 16);
      ranges.push({ address, length: Number.parseInt(to, 16) - address });
    }
  }
  return ranges;
}

/** NaN where the kernel does not tell. */
function kilobytes(fields: string, name: string): number {
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(fields)?.[1] ?? Number.NaN);
}
