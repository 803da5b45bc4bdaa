import { isProxierError } from '@kube-proxier/core';
import type { CommandRunner } from './command-runner.js';

/** Runs everything in a network namespace of its own, which is gone afterwards: probes leave no trace. */
export function inNewNamespace(runner: CommandRunner): CommandRunner {
  return {
    run: (request) => runner.run({ ...request, command: 'unshare', args: ['--net', request.command, ...request.args] }),
  };
}

/**
 * Whether a runner can start programs at all: a prefix such as `unshare --net` may be missing or not permitted.
 *
 * @throws Error what is no `ProxierError`: a mistake in the program.
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
