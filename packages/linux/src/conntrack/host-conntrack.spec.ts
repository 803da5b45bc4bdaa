import { execFileSync } from 'node:child_process';
import { describe, expect, test } from '@jest/globals';
import { CommandError, type CommandRunner, createCommandRunner } from '../process/command-runner.js';
import { type ConntrackEntry, ConntrackError } from './conntrack.js';
import { conntrackArguments } from './conntrack-text.js';
import { FakeConntrack } from './fake-conntrack.js';
import { HostConntrack } from './host-conntrack.js';

const FLOW: ConntrackEntry = {
  family: 'IPv4',
  protocol: 'UDP',
  original: { source: '203.0.113.2', sourcePort: 4000, destination: '10.96.0.10', destinationPort: 53 },
  reply: { source: '10.244.0.11', sourcePort: 5353, destination: '203.0.113.2', destinationPort: 4000 },
  zone: 0,
};
const NO_NETLINK = new ConntrackError('CONNTRACK_NO_NETLINK', 'the kernel has no such netlink');
const LISTED =
  'ipv4 2 udp 17 9 src=203.0.113.2 dst=10.96.0.10 sport=4000 dport=53 src=10.244.0.11 dst=203.0.113.2 sport=5353 dport=4000 use=1';

/** A host with or without netlink and the tool. */
function hostOf({ netlink, tool }: { netlink: boolean; tool: boolean }) {
  const table = new FakeConntrack();
  table.add(FLOW);
  table.failWith(netlink ? undefined : NO_NETLINK);
  const started: string[] = [];
  const runner: CommandRunner = {
    networkNamespace: 'own',
    run: async ({ command }) => {
      started.push(command);
      if (!tool) {
        throw new CommandError('not-found', command, undefined, undefined, '', `${command} was not found`);
      }
      return { stdout: LISTED, stderr: '' };
    },
  };
  const findTool = async (name: string) => (tool ? `/usr/sbin/${name}` : undefined);
  return { table, started, conntrack: new HostConntrack({ runner, netlink: table, findTool }) };
}

describe('HostConntrack', () => {
  test('uses netlink, and starts no program', async () => {
    const { conntrack, started, table } = hostOf({ netlink: true, tool: true });
    await conntrack.check();
    expect(await conntrack.list('IPv4', 'UDP', () => false)).toEqual([]);
    expect(await conntrack.list('IPv4', 'UDP')).toEqual([FLOW]);
    expect(await conntrack.delete([FLOW])).toBe(1);
    expect(table.entries).toEqual([]);
    expect(started).toEqual([]);
  });

  test('needs no tool where netlink is available', async () => {
    const { conntrack } = hostOf({ netlink: true, tool: false });
    await expect(conntrack.check()).resolves.toBeUndefined();
    expect(await conntrack.delete([FLOW])).toBe(1);
  });

  test('uses the tool where netlink is unavailable', async () => {
    const { conntrack, started } = hostOf({ netlink: false, tool: true });
    await conntrack.check();
    expect(started).toEqual([]);
    expect(await conntrack.list('IPv4', 'UDP')).toEqual([FLOW]);
    expect(await conntrack.list('IPv4', 'UDP', () => false)).toEqual([]);
    expect(await conntrack.delete([FLOW])).toBe(1);
    expect(started).toEqual(['conntrack', 'conntrack', 'sh']);
  });

  test('without both, reports the reasons of both', async () => {
    const { conntrack } = hostOf({ netlink: false, tool: false });
    const error = {
      code: 'CONNTRACK_MISSING_TOOL',
      message: expect.stringMatching(/^the kernel has no such netlink; .*install the package conntrack/),
      cause: NO_NETLINK,
    };
    await expect(conntrack.check()).rejects.toMatchObject(error);
    await expect(conntrack.list('IPv4', 'UDP')).rejects.toMatchObject(error);
    await expect(conntrack.delete([FLOW])).rejects.toMatchObject(error);
  });

  test('reports other failures of netlink, and does not fall back to the tool', async () => {
    const { conntrack, started, table } = hostOf({ netlink: true, tool: true });
    const refused = new ConntrackError('CONNTRACK_NOT_PERMITTED', 'needs NET_ADMIN');
    table.failWith(refused);
    await expect(conntrack.list('IPv4', 'UDP')).rejects.toBe(refused);
    await expect(conntrack.delete([FLOW])).rejects.toBe(refused);
    expect(started).toEqual([]);
  });

  test('does not use netlink in an unknown network namespace', async () => {
    const prefix = ['echo', conntrackArguments(FLOW).join(' '), LISTED];
    const conntrack = new HostConntrack({ runner: createCommandRunner({ prefix }) });
    await conntrack.check();
    expect(await conntrack.list('IPv4', 'UDP')).toEqual([]);
  });

  test('does not load netlink before its first use, nor for the availability check when the tool is installed', () => {
    const library = new URL('../../dist/index.js', import.meta.url);
    const program = `
      import { readFileSync } from 'node:fs';
      const { HostConntrack } = await import(${JSON.stringify(library.href)});
      const loaded = () => readFileSync('/proc/self/maps', 'utf8').includes('koffi');
      const conntrack = new HostConntrack({ findTool: async () => '/usr/sbin/conntrack' });
      await conntrack.check();
      const before = loaded();
      await conntrack.list('IPv4', 'UDP').catch(() => {});
      console.log(before, loaded());`;
    const args = ['--input-type=module', '--eval', program];
    expect(execFileSync(process.execPath, args, { encoding: 'utf8' }).trim()).toBe('false true');
  });
});
