import { describe, expect, test } from '@jest/globals';
import type { KernelFiles } from '../process/kernel-files.js';
import { CommandError, type RunCommand } from '../process/run-command.js';
import { probeIpvs } from './probe-ipvs.js';

const absent = (): Promise<never> => Promise.reject(Object.assign(new Error('none'), { code: 'ENOENT' }));
const present = (): Promise<string> => Promise.resolve('IP Virtual Server version 1.2.1 (size=4096)\n');
const files = (read: () => Promise<string>): KernelFiles => ({ read, write: absent });
const succeeds: RunCommand = async () => ({ stdout: '', stderr: '' });
const fails =
  (error: unknown): RunCommand =>
  () =>
    Promise.reject(error);

describe('probeIpvs', () => {
  test('is content when the kernel answers, and loads nothing', async () => {
    expect(await probeIpvs(fails(new Error('must not be called')), files(present))).toEqual({ usable: true });
  });

  test('loads the module', async () => {
    let loaded = false;
    const run: RunCommand = async (...command) => {
      expect(command.slice(0, 2)).toEqual(['modprobe', ['ip_vs']]);
      loaded = true;
      return { stdout: '', stderr: '' };
    };
    const result = await probeIpvs(
      run,
      files(() => (loaded ? present() : absent())),
    );
    expect(result).toEqual({ usable: true, detail: 'the module ip_vs was loaded' });
  });

  test.each<[string, RunCommand, string]>([
    ['modprobe that changes nothing', succeeds, 'loading its module did not help'],
    [
      'a module that is not there',
      fails(
        new CommandError('COMMAND_FAILED', 'x', { exitCode: 1, stderr: 'modprobe: FATAL: Module ip_vs not found.\n' }),
      ),
      'its module ip_vs could not be loaded (modprobe: FATAL: Module ip_vs not found)',
    ],
    [
      'no modprobe',
      fails(new CommandError('COMMAND_NOT_FOUND', 'x', {})),
      'its module cannot be loaded because modprobe is not installed',
    ],
    ['anything else', fails(new Error('odd')), 'its module ip_vs could not be loaded'],
  ])('gives %s as the reason, in one sentence', async (_name, run, reason) => {
    expect(await probeIpvs(run, files(absent))).toEqual({
      usable: false,
      reason: `the kernel has no IPVS, and ${reason}`,
    });
  });

  test('never rejects on this host', async () => {
    expect(typeof (await probeIpvs()).usable).toBe('boolean');
  });
});
