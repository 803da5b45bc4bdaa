import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { processOfThread } from './process-of-thread.js';

const commOf = (id: number) => readFileSync(`/proc/${id}/comm`, 'utf8').trimEnd();

test('a thread of this process is reported as the process', () => {
  const threads = readdirSync('/proc/self/task').map(Number);
  expect(threads.length).toBeGreaterThan(1);
  for (const pid of threads) {
    expect(processOfThread({ pid, program: commOf(pid) })).toEqual({ pid: process.pid, program: commOf(process.pid) });
  }
});

test('a process is reported as it is, also when it has ended or the number belongs to another program', () => {
  for (const reported of [
    { pid: process.ppid, program: commOf(process.ppid) },
    { pid: 2 ** 31 - 1, program: 'nft' },
    { pid: process.pid, program: 'another program' },
    { pid: undefined, program: undefined },
  ]) {
    expect(processOfThread(reported)).toEqual(reported);
  }
});
