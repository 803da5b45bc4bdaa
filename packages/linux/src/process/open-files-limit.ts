import { type KernelFiles, kernelFiles } from './kernel-files.js';

/**
 * Maximum number of open descriptors of this process; Infinity without a limit, undefined when the system does not
 * report one. Node raises the soft limit to the hard limit at its start.
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
