import { type KernelFiles, kernelFiles } from '../process/kernel-files.js';

/** Whether the kernel supports IPv6: it is built in, and is not disabled for all interfaces (spec M-6). */
export async function supportsIPv6(files: KernelFiles = kernelFiles): Promise<boolean> {
  try {
    await files.read('/proc/net/if_inet6');
    return (await files.read('/proc/sys/net/ipv6/conf/all/disable_ipv6')).trim() !== '1';
  } catch {
    return false;
  }
}
