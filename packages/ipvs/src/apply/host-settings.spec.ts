import { expect, test } from '@jest/globals';
import { silentLogger } from '@kube-proxier/core';
import { RecordingLogger } from '@kube-proxier/core/testing';
import { FakeSysctl } from '@kube-proxier/linux/testing';
import { HostSettings } from './host-settings.js';

const READY = {
  'net/ipv4/vs/conntrack': 1,
  'net/ipv4/vs/expire_nodest_conn': 1,
  'net/ipv4/vs/expire_quiescent_template': 1,
  'net/ipv4/ip_forward': 1,
};

test.each([
  ['3.10.0-1160.el7', 1],
  ['4.1.0', 0],
  ['4.18.0-553.el8', 0],
  ['5.4.0-200-generic', 0],
  ['5.8.18', 0],
  ['5.9.0', 1],
  ['5.15.0-91-generic', 1],
  ['6.1.0', 1],
  ['unheard of', 1],
])('in kernel %s, conn_reuse_mode is %i', async (release, expected) => {
  const sysctl = new FakeSysctl({ ...READY, 'kernel/osrelease': release, 'net/ipv4/vs/conn_reuse_mode': 1 });
  const settings = new HostSettings(sysctl, silentLogger, false);
  expect(await settings.areRight()).toBe(expected === 1);
  await settings.write();
  expect(await settings.areRight()).toBe(true);
  expect(await sysctl.read('net/ipv4/vs/conn_reuse_mode')).toBe(`${expected}`);
});

test('an unwritable setting is reported once and not checked again; conntrack is required', async () => {
  const logger = new RecordingLogger();
  const wrong = { ...READY, 'net/ipv4/ip_forward': 0 };
  const settings = new HostSettings(new FakeSysctl(wrong, ['net/ipv4/ip_forward']), logger, false);
  await settings.write();
  expect(await settings.areRight()).toBe(true);
  expect(logger.messages('warn')).toEqual([expect.stringContaining('net/ipv4/ip_forward')]);
  const without = { ...READY, 'net/ipv4/vs/conntrack': 0 };
  const readOnly = new HostSettings(new FakeSysctl(without, ['net/ipv4/vs/conntrack']), logger, false);
  await expect(readOnly.write()).rejects.toMatchObject({ code: 'SYSCTL_READ_ONLY' });
});
