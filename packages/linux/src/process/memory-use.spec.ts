import { expect, test } from '@jest/globals';
import { readMemoryUse } from './memory-use.js';

const filesOf = (contents: Readonly<Record<string, string>>) => ({
  async read(path: string): Promise<string> {
    const text = contents[path];
    if (text === undefined) {
      throw Object.assign(new Error(`ENOENT: ${path}`), { code: 'ENOENT' });
    }
    return text;
  },
  async write(): Promise<void> {},
});

const V2 = {
  '/proc/self/cgroup': '0::/system.slice/kube-proxier.service\n',
  '/sys/fs/cgroup/system.slice/kube-proxier.service/memory.max': '100000000\n',
  '/sys/fs/cgroup/system.slice/kube-proxier.service/memory.current': '90000000\n',
  '/sys/fs/cgroup/system.slice/kube-proxier.service/memory.stat':
    'anon 1\ninactive_file 10000000\nactive_file 5000000\n',
};
const V1 = {
  '/proc/self/cgroup': '4:memory:/docker/abc\n3:cpu,cpuacct:/x\n0::/\n',
  '/sys/fs/cgroup/memory/memory.limit_in_bytes': '100000000\n',
  '/sys/fs/cgroup/memory/memory.usage_in_bytes': '90000000\n',
  '/sys/fs/cgroup/memory/memory.stat': 'active_file 7\ntotal_inactive_file 10000000\ntotal_active_file 5000000\n',
};

test.each([
  ['of version 2', V2],
  ['of version 1, at the root of a container', V1],
])('the memory of a cgroup %s, without pages of files', async (_, contents) => {
  expect(await readMemoryUse(filesOf(contents))).toEqual({ used: 75_000_000, limit: 100_000_000 });
});

test.each([
  ['no limit in version 2', { ...V2, '/sys/fs/cgroup/system.slice/kube-proxier.service/memory.max': 'max\n' }],
  ['no limit in version 1', { ...V1, '/sys/fs/cgroup/memory/memory.limit_in_bytes': '9223372036854771712\n' }],
  ['a cgroup that cannot be seen', { '/proc/self/cgroup': '0::/elsewhere\n' }],
  ['no /proc', {}],
])('undefined with %s', async (_, contents) => {
  expect(await readMemoryUse(filesOf(contents))).toBeUndefined();
});
