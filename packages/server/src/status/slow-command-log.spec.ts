import { expect, test } from '@jest/globals';
import { RecordingLogger } from '@kube-proxier/core/testing';
import { slowCommands } from '@kube-proxier/linux';
import { SlowCommandLog } from './slow-command-log.js';

test('a command that blocks for long is named in one line, until the log is stopped', async () => {
  const logger = new RecordingLogger();
  const log = new SlowCommandLog(logger);
  const slow = { command: 'iptables-restore', pid: 12, elapsed: 30_004, timeout: 60_000 };
  slowCommands.publish(slow);
  expect(logger.linesWithFields).toEqual([
    'W iptables-restore has been running for 30 s; kube-proxier waits for it, and it is killed after 60 s: find out what ' +
      'blocks it {"pid":12}',
  ]);
  await log.stop();
  slowCommands.publish(slow);
  expect(logger.entries).toHaveLength(1);
});
