import { isProxierError } from '@kube-proxier/core';
import type { CommandRunner } from './command-runner.js';

/** Runs everything in a new network namespace, which is removed afterwards: probes leave no trace. */
export function inNewNamespace(runner: CommandRunner): CommandRunner {
  return {
    run: (request) => runner.run({ ...request, command: 'unshare', args: ['--net', request.command, ...request.args] }),
  };
}

/**
 * Checks whether a runner can start programs: a prefix such as `unshare --net` may be missing or not permitted.
 *
 * @throws Error that is not a `ProxierError`: a programming error.
 */
export async function canRun(runner: CommandRunner): Promise<boolean> {
  try {
    await runner.run({ command: 'true', args: [] });
    return true;
  } catch (error) {
    if (isProxierError(error)) {
      return false;
    }
    throw error;
  }
}
