import { expect, test } from '@jest/globals';
import { iptablesProgram } from '../iptables/iptables-command.js';
import type { CommandRunner } from '../process/command-runner.js';
import type { KernelFiles } from '../process/kernel-files.js';
import { canMakeNamespaces, withNamespace } from '../process/network-namespace.js';
import { readNetfilterPath } from './read-netfilter-path.js';
import { becomeNode } from './test-node.js';

const on = canMakeNamespaces() ? test : test.skip;

on('packets between pods on a bridge, with and without /sys', () =>
  withNamespace(async ({ runner, files }) => {
    await becomeNode(runner, ['192.168.0.2']);
    for (const words of ['link add br0 type bridge', 'addr add 10.1.0.254/24 dev br0', 'link set br0 up']) {
      await runner.run({ command: 'ip', args: words.split(' ') });
    }
    await runner.run({
      command: iptablesProgram('IPv4', 'nft', 'restore'),
      args: ['--noflush'],
      stdin: '*nat\n-A PREROUTING -d 10.96.0.1/32 -j DNAT --to-destination 10.1.0.8\nCOMMIT\n',
    });
    // Not every kernel has br_netfilter.
    const withSetting = (path: string) => (path.includes('bridge-nf-call') ? Promise.resolve('0\n') : files.read(path));
    const whole: KernelFiles = { ...files, read: withSetting, write: files.write.bind(files) };
    const withoutSys: KernelFiles = {
      ...whole,
      read: (path) => (path.startsWith('/sys/') ? Promise.reject(new Error('ENOENT')) : withSetting(path)),
    };
    const withoutIp: CommandRunner = {
      ...runner,
      run: (request) =>
        request.args?.includes('bridge') ? Promise.reject(new Error('not installed')) : runner.run(request),
    };
    const verdicts = async (reading: { readonly files: KernelFiles; readonly runner: CommandRunner }) => {
      const path = await readNetfilterPath({ family: 'IPv4', ...reading });
      const outcomes = path.outcomesOf({
        ...{ source: '10.1.0.7', sourcePort: 40_000, destination: '10.96.0.1', protocol: 'TCP', port: 80 },
        entry: { kind: 'interface', name: 'br0' },
      });
      path.close();
      return outcomes.map(({ unknown, verdict }) => (unknown.length > 0 ? `${verdict}?` : verdict));
    };
    expect(await verdicts({ files: whole, runner })).toEqual(['dropped']);
    expect(await verdicts({ files: withoutSys, runner })).toEqual(['dropped']);
    expect(await verdicts({ files: withoutSys, runner: withoutIp })).toEqual(['accepted?', 'dropped?']);
  }),
);
