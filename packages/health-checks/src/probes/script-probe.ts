import { statSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf, printable } from '@kube-proxier/core';
import { CommandError, createCommandRunner } from '@kube-proxier/linux';
import type { HealthProbe, ProbeResult, ProbeTarget } from './health-probe.js';

/**
 * Passes when a program ends with exit status 0. It gets the address and the port as arguments and in the environment
 * (`HEALTH_CHECK_ADDRESS`, `HEALTH_CHECK_PORT`, `HEALTH_CHECK_SERVICE`), and is killed with all it started when the time is over.
 *
 * @param directory that contains it.
 * @param name of its file in there.
 */
export function scriptProbe(
  { address, port, service, settings }: ProbeTarget,
  directory: string,
  name: string,
): HealthProbe {
  const { timeout, namespace } = settings;
  const runner = createCommandRunner(
    namespace === undefined ? {} : { prefix: ['nsenter', `--net=${namespace}`, '--'] },
  );
  const request = {
    command: join(directory, name),
    args: [address, String(port)],
    stdout: 'ignore' as const,
    timeout,
    env: { HEALTH_CHECK_ADDRESS: address, HEALTH_CHECK_PORT: String(port), HEALTH_CHECK_SERVICE: service },
  };
  return (callback) => {
    const begin = performance.now();
    const finish = (result: Omit<ProbeResult, 'milliseconds'>) =>
      callback({ ...result, milliseconds: performance.now() - begin });
    if (isWritableByOthers(request.command)) {
      const reason = `the script ${name} can be written to by other users; remove that with chmod go-w`;
      queueMicrotask(() => finish({ outcome: 'error', reason }));
      return;
    }
    runner.run(request).then(
      () => finish({ outcome: 'passed', reason: '' }),
      (error: unknown) => finish(scriptFailure(error, name, timeout)),
    );
  };
}

/** It runs with the privileges of this process. */
function isWritableByOthers(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return found !== undefined && (found.mode & 0o022) !== 0;
}

function scriptFailure(error: unknown, name: string, timeout: number): Omit<ProbeResult, 'milliseconds'> {
  if (!(error instanceof CommandError)) {
    return { outcome: 'error', reason: messageOf(error) };
  }
  switch (error.failure) {
    case 'timeout':
      return { outcome: 'timeout', reason: `the script ${name} did not end within ${timeout} ms` };
    case 'exit-code': {
      if (/^nsenter: /.test(error.stderr)) {
        // The script did not start.
        return { outcome: 'error', reason: printable(error.stderr.trim(), 200) };
      }
      const text = printable(error.stderr.trim().replace(/\s*\n\s*/g, '; '), 200);
      return {
        outcome: 'script',
        reason: `the script ${name} ended with status ${error.exitCode}${text === '' ? '' : `: ${text}`}`,
      };
    }
    default:
      // It cannot be run, or another process killed it.
      return { outcome: 'error', reason: error.message };
  }
}
