import { spawnSync } from 'node:child_process';
import { expect, test } from '@jest/globals';

const REPORTER = new URL('end-of-run.mjs', import.meta.url).href;

/** A process that reports the end of a run, with timers that run a hundred times as fast. */
function endOfRun(success: boolean, leavesOpen: boolean) {
  const program = `
    const { setTimeout: wait } = globalThis;
    globalThis.setTimeout = (callback, milliseconds) => wait(callback, milliseconds / 100);
    const { default: EndOfRun } = await import(${JSON.stringify(REPORTER)});
    new EndOfRun().onRunComplete([], { success: ${success} });
    ${leavesOpen ? 'setInterval(() => {}, 1000);' : ''}`;
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' });
  return { status, stderr };
}

test('a run that leaves nothing open ends by itself', () => {
  expect(endOfRun(true, false)).toEqual({ status: 0, stderr: '' });
  expect(endOfRun(false, false)).toEqual({ status: 0, stderr: '' });
});

test('a run that passed and leaves something open fails, and names it', () => {
  expect(endOfRun(true, true)).toEqual({
    status: 1,
    stderr: expect.stringMatching(/^All tests passed, but the run does not end \(.*Timeout.*\)/),
  });
});

test('a run that failed and leaves something open is ended', () => {
  expect(endOfRun(false, true)).toEqual({
    status: 1,
    stderr: expect.stringMatching(/^Ending the run, in which failed/),
  });
});
