import type { ProbeResult } from '@kube-proxier/core';
import { CommandError, type CommandRunner, createCommandRunner } from '../process/command-runner.js';
import { type KernelFiles, kernelFiles } from '../process/kernel-files.js';

/** Exists in a network namespace exactly when the kernel has IPVS in it. */
const IPVS_TABLE = '/proc/net/ip_vs';

/**
 * Probes whether the kernel has IPVS; tries to load its module first. Never rejects.
 *
 * Reading `/proc` instead of a netlink request is sufficient: the file and the netlink family exist under the same
 * condition.
 *
 * @param runner where to run `modprobe`; default is this host.
 * @param files access to `/proc`; default is that of this process.
 */
export async function probeIpvs(
  runner: CommandRunner = createCommandRunner(),
  files: KernelFiles = kernelFiles,
): Promise<ProbeResult> {
  if (await answers(files)) {
    return { usable: true };
  }
  const obstacle = await loadModule(runner);
  if (await answers(files)) {
    return { usable: true, detail: 'the module ip_vs was loaded' };
  }
  return { usable: false, reason: `the kernel has no IPVS, and ${obstacle ?? 'loading its module did not help'}` };
}

async function answers(files: KernelFiles): Promise<boolean> {
  try {
    await files.read(IPVS_TABLE);
    return true;
  } catch {
    return false;
  }
}

/** @returns why it could not be loaded, as part of a sentence; undefined when modprobe succeeded. */
async function loadModule(runner: CommandRunner): Promise<string | undefined> {
  try {
    await runner.run({ command: 'modprobe', args: ['ip_vs'], timeout: 10_000 });
    return undefined;
  } catch (error) {
    if (!(error instanceof CommandError)) {
      return 'its module ip_vs could not be loaded';
    }
    if (error.failure === 'not-found') {
      return 'its module cannot be loaded because modprobe is not installed';
    }
    const output = error.stderr.trim().split('\n')[0]?.replace(/\.$/, '');
    return `its module ip_vs could not be loaded${output ? ` (${output})` : ''}`;
  }
}
