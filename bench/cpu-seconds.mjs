// What this process has used, with the children that it waited for and those that still run.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const TICKS = Number(spawnSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }).stdout) || 100;

/** CPU seconds, user and system, to a hundredth. */
export function cpuSeconds() {
  const running = readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').trim().split(' ').filter(Boolean);
  const ticks = ['self', ...running].map((pid) => {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
    return fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  });
  return ticks.reduce((sum, count) => sum + count, 0) / TICKS;
}
