import { join } from 'node:path';
import { type KernelFiles, kernelFiles } from './kernel-files.js';

/** Memory of the cgroup of this process, in bytes. */
export interface MemoryUse {
  /** Without pages of files, which the kernel drops before it kills a process. Includes kernel memory, such as rules. */
  readonly used: number;
  readonly limit: number;
}

interface CgroupFiles {
  readonly limit: string;
  readonly used: string;
  /** Keys of `memory.stat` whose memory the kernel can free. */
  readonly reclaimable: readonly string[];
}

const V2: CgroupFiles = {
  limit: 'memory.max',
  used: 'memory.current',
  reclaimable: ['inactive_file', 'active_file', 'slab_reclaimable'],
};
const V1: CgroupFiles = {
  limit: 'memory.limit_in_bytes',
  used: 'memory.usage_in_bytes',
  reclaimable: ['total_inactive_file', 'total_active_file'],
};
/** Larger limits are none: version 1 has a number of pages for "no limit". */
const NO_LIMIT = 2 ** 60;

/**
 * Memory use and memory limit of the cgroup of this process, of version 1 or 2. Limits of its parents do not count.
 *
 * @returns undefined without a limit, and where the cgroup cannot be read.
 */
export async function readMemoryUse(files: KernelFiles = kernelFiles): Promise<MemoryUse | undefined> {
  let cgroups: string;
  try {
    cgroups = await files.read('/proc/self/cgroup');
  } catch {
    return undefined;
  }
  const v1 = /^\d+:(?:[^:]*,)?memory(?:,[^:]*)?:(.*)$/m.exec(cgroups)?.[1];
  const v2 = /^0::(.*)$/m.exec(cgroups)?.[1];
  // A container may see its own cgroup at the root, with the path of the host.
  const candidates: readonly (readonly [string, CgroupFiles])[] = [
    ...(v1 === undefined ? [] : ([v1, '/'] as const).map((path) => [join('/sys/fs/cgroup/memory', path), V1] as const)),
    ...(v2 === undefined ? [] : ([v2, '/'] as const).map((path) => [join('/sys/fs/cgroup', path), V2] as const)),
  ];
  for (const [directory, names] of candidates) {
    try {
      const [limit, used, stat] = await Promise.all(
        [names.limit, names.used, 'memory.stat'].map((name) => files.read(join(directory, name))),
      );
      return memoryUse(Number(limit), Number(used), stat ?? '', names.reclaimable);
    } catch {
      // There is no such cgroup here.
    }
  }
  return undefined;
}

function memoryUse(limit: number, used: number, stat: string, reclaimable: readonly string[]): MemoryUse | undefined {
  // `max` is not a number.
  if (!(limit > 0 && limit < NO_LIMIT) || !(used > 0)) {
    return undefined;
  }
  const free = reclaimable.map((key) => Number(new RegExp(`^${key} (\\d+)$`, 'm').exec(stat)?.[1] ?? 0));
  return { used: Math.max(0, used - free.reduce((sum, bytes) => sum + bytes, 0)), limit };
}
