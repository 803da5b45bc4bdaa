import type { ProbeResult } from '@kube-proxier/core';
import { CommandError, type CommandRunner, createCommandRunner } from '../process/command-runner.js';
import { type KernelFiles, kernelFiles } from '../process/kernel-files.js';

/** Present in a network namespace exactly when the kernel has IPVS there. */
const IPVS_TABLE = '/proc/net/ip_vs';

/**
 * Whether the kernel has IPVS, found by asking it; loading its module is tried first. Never rejects.
 *
 * Reading `/proc` rather than asking by netlink is enough here: the file and the netlink family come and go together.
 *
 * @param runner where to try `modprobe`; default is this host.
 * @param files whose view of `/proc`; default is that of this process.
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

/** @returns why it could not be loaded, as part of a sentence; undefined when modprobe was content. */
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
    const said = error.stderr.trim().split('\n')[0]?.replace(/\.$/, '');
    return `its module ip_vs could not be loaded${said ? ` (${said})` : ''}`;
  }
}
