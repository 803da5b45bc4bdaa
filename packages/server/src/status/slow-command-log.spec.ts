import { expect, test } from '@jest/globals';
import { silentLogger } from '@kube-proxier/core';
import { slowCommands } from '@kube-proxier/linux';
import { SlowCommandLog } from './slow-command-log.js';

test('a command that syncs have been waiting for is named in one line, until the log is stopped', async () => {
  const lines: string[] = [];
  const log = new SlowCommandLog({
    ...silentLogger,
    warn: (message, fields) => lines.push(`${message} ${JSON.stringify(fields)}`),
  });
  const slow = { command: 'iptables-restore', pid: 12, elapsed: 30_004, timeout: 60_000 };
  slowCommands.publish(slow);
  expect(lines).toEqual([
    'iptables-restore has been running for 30 s; syncs wait for it, and it is killed after 60 s: find out what blocks ' +
      'it {"pid":12}',
  ]);
  await log.stop();
  slowCommands.publish(slow);
  expect(lines).toHaveLength(1);
});
