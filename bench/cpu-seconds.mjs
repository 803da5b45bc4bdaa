// What a process has used, with the children that it waited for and those that still run.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const TICKS = Number(spawnSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }).stdout) || 100;

/** CPU seconds, user and system, to a hundredth. Default: those of this process. */
export function cpuSeconds(pid = process.pid) {
  const running = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean);
  const ticks = [pid, ...running].map((one) => {
    const fields = readFileSync(`/proc/${one}/stat`, 'utf8').split(') ')[1].split(' ');
    return fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  });
  return ticks.reduce((sum, count) => sum + count, 0) / TICKS;
}
