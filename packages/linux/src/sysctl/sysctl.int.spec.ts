import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { makeNamespace, type TestNamespace } from '../process/network-namespace.js';
import { FakeSysctl } from './fake-sysctl.js';
import { ProcSysctl, type Sysctl } from './sysctl.js';

const SETTING = 'net/ipv4/conf/lo/route_localnet';
const RANGE = 'net/ipv4/ip_local_port_range';
const READ_ONLY = 'net/netfilter/nf_conntrack_count';

function sysctlSuite(sysctl: () => Sysctl): void {
  test('writes only what differs', async () => {
    expect(await sysctl().read(SETTING)).toBe('0');
    expect(await sysctl().write(SETTING, 1)).toBe(true);
    expect(await sysctl().read(SETTING)).toBe('1');
    expect(await sysctl().write(SETTING, '1')).toBe(false);
  });

  test('accepts several numbers with any separator', async () => {
    expect(await sysctl().write(RANGE, '20000 30000')).toBe(true);
    expect(await sysctl().write(RANGE, '20000\t30000')).toBe(false);
  });

  test('reports a missing setting', async () => {
    const absent = { code: 'SYSCTL_ABSENT', sysctl: 'net/ipv4/conf/none/rp_filter' };
    await expect(sysctl().read('net/ipv4/conf/none/rp_filter')).rejects.toMatchObject(absent);
    await expect(sysctl().write('net/ipv4/conf/none/rp_filter', 1)).rejects.toMatchObject(absent);
    for (const name of ['', '/etc/passwd', '../../etc/passwd', 'net//ipv4']) {
      await expect(sysctl().read(name)).rejects.toMatchObject({ code: 'SYSCTL_ABSENT' });
    }
  });

  test('reports a read-only setting, unless it already has the value', async () => {
    await expect(sysctl().write(READ_ONLY, 77)).rejects.toMatchObject({ code: 'SYSCTL_READ_ONLY' });
    expect(await sysctl().write(READ_ONLY, await sysctl().read(READ_ONLY))).toBe(false);
  });

  test('reports a value that the kernel rejects', async () => {
    await expect(sysctl().write(SETTING, 'many')).rejects.toMatchObject({ code: 'SYSCTL_INVALID' });
    expect(await sysctl().read(SETTING)).toBe('1');
  });
}

describe('FakeSysctl', () => {
  const fake = new FakeSysctl({ [SETTING]: 0, [RANGE]: '32768\t60999', [READ_ONLY]: 0 }, [READ_ONLY]);
  sysctlSuite(() => fake);

  test('records what was written', () => {
    expect(fake.writes).toEqual([
      [SETTING, '1'],
      [RANGE, '20000 30000'],
    ]);
  });
});

describe('ProcSysctl, in the kernel', () => {
  let namespace: TestNamespace;
  beforeAll(() => {
    namespace = makeNamespace();
  });
  afterAll(() => namespace.remove());
  sysctlSuite(() => new ProcSysctl(namespace.files));

  test('reads the settings of this process by default', async () => {
    expect(await new ProcSysctl().read('net/ipv4/ip_forward')).toMatch(/^[01]$/);
  });
});
