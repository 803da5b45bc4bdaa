import { describe, expect, test } from '@jest/globals';
import { CommandError, type CommandFailure, type CommandRunner } from '../process/command-runner.js';
import type { KernelFiles } from '../process/kernel-files.js';
import { probeIpvs } from './probe-ipvs.js';

const absent = (): Promise<never> => Promise.reject(Object.assign(new Error('none'), { code: 'ENOENT' }));
const present = (): Promise<string> => Promise.resolve('IP Virtual Server version 1.2.1 (size=4096)\n');
const files = (read: () => Promise<string>): KernelFiles => ({ read, write: absent });
const succeeds: CommandRunner = { run: async () => ({ stdout: '', stderr: '' }) };
const fails = (error: unknown): CommandRunner => ({ run: () => Promise.reject(error) });
const commandError = (failure: CommandFailure, stderr = ''): CommandError =>
  new CommandError(failure, 'modprobe', 1, undefined, stderr, 'modprobe failed');

describe('probeIpvs', () => {
  test('succeeds when the kernel has IPVS, and loads nothing', async () => {
    expect(await probeIpvs(fails(new Error('must not be called')), files(present))).toEqual({ usable: true });
  });

  test('loads the module', async () => {
    let loaded = false;
    const runner: CommandRunner = {
      run: async ({ command, args }) => {
        expect([command, ...args]).toEqual(['modprobe', 'ip_vs']);
        loaded = true;
        return { stdout: '', stderr: '' };
      },
    };
    const result = await probeIpvs(
      runner,
      files(() => (loaded ? present() : absent())),
    );
    expect(result).toEqual({ usable: true, detail: 'the module ip_vs was loaded' });
  });

  test.each<[string, CommandRunner, string]>([
    ['modprobe that changes nothing', succeeds, 'loading its module did not help'],
    [
      'a module that is not there',
      fails(commandError('exit-code', 'modprobe: FATAL: Module ip_vs not found.\n')),
      'its module ip_vs could not be loaded (modprobe: FATAL: Module ip_vs not found)',
    ],
    ['no modprobe', fails(commandError('not-found')), 'its module cannot be loaded because modprobe is not installed'],
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
