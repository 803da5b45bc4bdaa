import { type KernelFiles, kernelFiles } from './kernel-files.js';

/**
 * How many descriptors this process may have open; Infinity for no limit, undefined where the system does not report one.
 * Node raises it at its start as far as it may.
 */
export async function openFilesLimit(files: KernelFiles = kernelFiles): Promise<number | undefined> {
  let limits: string;
  try {
    limits = await files.read('/proc/self/limits');
  } catch {
    return undefined;
  }
  const soft = /^Max open files\s+(\d+|unlimited)/m.exec(limits)?.[1];
  if (soft === undefined) {
    return undefined;
  }
  return soft === 'unlimited' ? Number.POSITIVE_INFINITY : Number(soft);
}
