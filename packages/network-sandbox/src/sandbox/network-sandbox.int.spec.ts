import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createCommandRunner } from '@kube-proxier/linux';
import { NetworkSandbox } from './network-sandbox.js';
import { answersOf, failuresOf, type SandboxProtocol } from './outcome.js';
import type { SandboxHost } from './sandbox-host.js';
import { listNamespaces, processesIn, sweepLeftovers } from './sandbox-namespaces.js';
import { canSendSctp } from './sctp-support.js';

/** For scripts that run outside jest, which alone can run the sources. */
const BUILT = fileURLToPath(new URL('../../dist/index.js', import.meta.url));

const PROTOCOLS: readonly SandboxProtocol[] = canSendSctp() ? ['TCP', 'UDP', 'SCTP'] : ['TCP', 'UDP'];
const whereSctp = canSendSctp() ? test : test.skip;

describe('NetworkSandbox', () => {
  let sandbox: NetworkSandbox;
  beforeAll(async () => {
    sandbox = await NetworkSandbox.create({ pods: 2, remotePods: 1 });
    await Promise.all(
      [...sandbox.pods, ...sandbox.remotePods, sandbox.node].flatMap((host) => [
        host.serve({ port: 80 }),
        host.serve({ port: 53, protocol: 'UDP' }),
        ...(canSendSctp() ? [host.serve({ port: 2905, protocol: 'SCTP' })] : []),
      ]),
    );
  });
  afterAll(() => sandbox.close());

  const paths: [string, (s: NetworkSandbox) => SandboxHost, (s: NetworkSandbox) => SandboxHost][] = [
    ['pod → pod', (s) => s.pod(2), (s) => s.pod(1)],
    ['pod → remote pod', (s) => s.pod(2), (s) => s.remotePod(1)],
    ['remote pod → pod', (s) => s.remotePod(1), (s) => s.pod(1)],
    ['node → pod', (s) => s.node, (s) => s.pod(1)],
    ['node → remote pod', (s) => s.node, (s) => s.remotePod(1)],
    ['pod → node', (s) => s.pod(1), (s) => s.node],
    ['client → node', (s) => s.client, (s) => s.node],
    ['client → pod', (s) => s.client, (s) => s.pod(1)],
    ['client → remote pod', (s) => s.client, (s) => s.remotePod(1)],
  ];
  for (const [name, from, to] of paths) {
    for (const family of ['IPv4', 'IPv6'] as const) {
      test.each<[SandboxProtocol, number]>([
        ['TCP', 80],
        ['UDP', 53],
        ...(canSendSctp() ? [['SCTP', 2905] as [SandboxProtocol, number]] : []),
      ])(`${name}, ${family}, %s: answered, and the source is kept`, async (protocol, port) => {
        const outcome = await from(sandbox).connect({ protocol, to: to(sandbox).address(family), port });
        expect(outcome).toMatchObject({
          kind: 'answered',
          by: to(sandbox).name,
          sourceSeen: from(sandbox).address(family),
        });
      });
    }
  }

  test('every address of the node answers', async () => {
    for (const to of sandbox.node.addresses) {
      expect(await sandbox.client.connect({ to, port: 80 })).toMatchObject({ kind: 'answered', by: 'node' });
    }
  });

  test('a source address and port can be chosen', async () => {
    const [, second] = sandbox.client.addresses;
    const target = { to: sandbox.node.ipv4, from: second as string, fromPort: 40_001 };
    const seen = { kind: 'answered', sourceSeen: '203.0.113.130', sourcePortSeen: 40_001 };
    expect(await sandbox.client.connect({ ...target, port: 80 })).toMatchObject(seen);
    expect(await sandbox.client.connect({ ...target, port: 53, protocol: 'UDP' })).toMatchObject(seen);
  });

  test('sockets of other programs get none of the source ports of probes', async () => {
    const open = `
      const sockets = Array.from({ length: 300 }, () => require('node:dgram').createSocket('udp4').bind(0));
      Promise.all(sockets.map((socket) => require('node:events').once(socket, 'listening'))).then(() => {
        console.log(Math.max(...sockets.map((socket) => socket.address().port)));
        process.exit();
      });`;
    const { stdout } = await sandbox.node.runner.run({ command: process.execPath, args: ['-e', open] });
    const outcome = await sandbox.node.connect({ to: sandbox.pod(1).ipv4, port: 53, protocol: 'UDP' });
    expect(outcome).toMatchObject({ kind: 'answered' });
    expect(Number(stdout)).toBeGreaterThan(32_767);
    expect(Number(stdout)).toBeLessThan((outcome as { sourcePortSeen: number }).sourcePortSeen);
  });

  test('a closed port refuses connections, in all protocols and both families', async () => {
    for (const protocol of PROTOCOLS) {
      for (const to of [sandbox.node.ipv4, sandbox.node.ipv6]) {
        expect(await sandbox.client.connect({ protocol, to, port: 9 })).toMatchObject({ kind: 'refused' });
      }
    }
  });

  test('refusals are not rate-limited', async () => {
    const target = { protocol: 'UDP', to: sandbox.node.ipv4, port: 9 } as const;
    expect(await sandbox.client.connectMany(target, 200)).toMatchObject({ refused: 200, timeout: 0 });
  });

  test('an address of no host is not answered, from anywhere', async () => {
    const hosts = [sandbox.client, sandbox.pod(1), sandbox.node, sandbox.remotePod(1)];
    const outcomes = await Promise.all(
      hosts.flatMap((host) => ['10.96.0.1', 'fd00:10:96::1'].map((to) => host.connect({ to, port: 80, timeout: 300 }))),
    );
    expect(outcomes.map((outcome) => outcome.kind)).toEqual(outcomes.map(() => 'timeout'));
  });

  test('packets to such addresses reach the node, where rules can handle them', async () => {
    const node = sandbox.node;
    await node.exec(['iptables', '-t', 'nat', '-A', 'PREROUTING', '-d', '10.96.0.9', '-p', 'tcp', '--dport', '80',
      '-j', 'DNAT', '--to-destination', `${sandbox.pod(1).ipv4}:80`]); // biome-ignore format: one command
    await node.exec(['iptables', '-t', 'nat', '-A', 'POSTROUTING', '-o', 'veth-pod1', '-j', 'MASQUERADE']);
    for (const host of [sandbox.client, sandbox.remotePod(1), sandbox.pod(2), sandbox.pod(1)]) {
      expect(await host.connect({ to: '10.96.0.9', port: 80 })).toMatchObject({
        kind: 'answered',
        by: 'pod1',
        sourceSeen: node.ipv4,
      });
    }
  });

  test('packets masqueraded by the node have its primary IPv6 address', async () => {
    const node = sandbox.node;
    await node.exec(['ip6tables', '-t', 'nat', '-A', 'POSTROUTING', '-j', 'MASQUERADE']);
    for (const to of [sandbox.pod(1), sandbox.remotePod(1)]) {
      const outcome = await sandbox.client.connect({ to: to.ipv6, port: 80 });
      expect(outcome).toMatchObject({ kind: 'answered', by: to.name });
    }
    // The remote pod is reached without the node; what the node forwards shows its own address.
    expect(await sandbox.client.connect({ to: sandbox.pod(1).ipv6, port: 80 })).toMatchObject({
      sourceSeen: node.ipv6,
    });
    await node.exec(['ip6tables', '-t', 'nat', '-F', 'POSTROUTING']);
  });

  test('after a server closes, its port refuses connections', async () => {
    const server = await sandbox.pod(2).serve({ port: 0, name: 'elsewhere' });
    const target = { to: sandbox.pod(2).ipv4, port: server.port };
    expect(await sandbox.pod(1).connect(target)).toMatchObject({ by: 'elsewhere' });
    await server.close();
    expect(await sandbox.pod(1).connect(target)).toMatchObject({ kind: 'refused' });
  });

  test('serving a port twice reports the reason of the failure', async () => {
    await expect(sandbox.pod(1).serve({ port: 80 })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });

  test('a long-lived connection echoes until it is closed', async () => {
    const server = await sandbox.pod(2).serve({ port: 0 });
    const connection = await sandbox.client.open({ to: sandbox.pod(2).ipv6, port: server.port });
    expect(connection).toMatchObject({ by: 'pod2', sourceSeen: sandbox.client.ipv6 });
    expect(await connection.send('one')).toEqual({ kind: 'echoed', text: 'one' });
    expect(await connection.send('two')).toEqual({ kind: 'echoed', text: 'two' });
    await server.close();
    expect(await connection.send('three')).toEqual({ kind: 'closed' });
    await connection.close();
  });

  whereSctp.each(['ipv4', 'ipv6'] as const)('an SCTP association echoes until it ends, %s', async (family) => {
    const server = await sandbox.pod(2).serve({ protocol: 'SCTP', port: 4000 });
    const target = { protocol: 'SCTP', to: sandbox.pod(2)[family], port: 4000 } as const;
    const shut = await sandbox.client.open(target);
    const aborted = await sandbox.client.open(target);
    expect(aborted).toMatchObject({ by: 'pod2', sourceSeen: sandbox.client[family] });
    for (const association of [shut, aborted]) {
      expect(await association.send('one')).toEqual({ kind: 'echoed', text: 'one' });
      expect(await association.send('two words')).toEqual({ kind: 'echoed', text: 'two words' });
    }
    await shut.close();
    expect(await shut.send('three')).toEqual({ kind: 'closed' });
    await server.close();
    expect(await aborted.send('three')).toEqual({ kind: 'closed', code: 'ECONNRESET' });
    await aborted.close();
    const twice = sandbox.pod(1).serve({ protocol: 'SCTP', port: 2905 });
    await expect(twice).rejects.toMatchObject({ code: 'EADDRINUSE' });
    const many = { protocol: 'SCTP', to: sandbox.pod(1)[family], port: 2905 } as const;
    expect((await sandbox.client.connectMany(many, 100)).answeredBy).toEqual({ pod1: 100 });
  });

  whereSctp('an SCTP packet with a wrong checksum is noticed', async () => {
    // The checksum, addressed from the IP header: nftables would correct it after a change of an SCTP field.
    const target = { protocol: 'SCTP', to: sandbox.pod(2).ipv4, port: 2905, timeout: 300 } as const;
    const corrupt = (chunk: string) => `table ip corrupt {
      chain output { type filter hook output priority 0; sctp chunk ${chunk} exists @nh,224,32 set 1; }
    }
    `;
    await sandbox.pod(2).exec(['nft', '-f', '-'], { stdin: corrupt('init-ack') });
    await expect(sandbox.pod(1).connect(target)).rejects.toThrow('received a packet with a wrong checksum');
    await sandbox.pod(2).exec(['nft', 'delete', 'table', 'ip', 'corrupt']);
    await sandbox.pod(1).exec(['nft', '-f', '-'], { stdin: corrupt('cookie-echo') });
    expect(await sandbox.pod(1).connect(target)).toMatchObject({ kind: 'timeout' });
    await sandbox.pod(1).exec(['nft', 'delete', 'table', 'ip', 'corrupt']);
    expect(await sandbox.pod(1).connect(target)).toMatchObject({ kind: 'answered', by: 'pod2' });
  });

  test('counts many connections by server', async () => {
    const tally = await sandbox.client.connectMany({ to: sandbox.pod(1).ipv4, port: 80 }, 500);
    expect(tally.answeredBy).toEqual({ pod1: 500 });
    expect([answersOf(tally), failuresOf(tally)]).toEqual([500, 0]);
  });

  test('a continuous client counts failures', async () => {
    const server = await sandbox.pod(2).serve({ port: 0 });
    const client = await sandbox.client.startClient({ to: sandbox.pod(2).ipv4, port: server.port });
    expect(failuresOf(await client.moreAttempts(20))).toBe(0);
    await server.close();
    await client.moreAttempts(20);
    const end = await client.stop();
    expect(end.answeredBy.pod2).toBeGreaterThanOrEqual(20);
    expect(end.refused).toBeGreaterThanOrEqual(18);
    expect(answersOf(end) + failuresOf(end)).toBe(end.attempts);
  });

  test('files of /proc are those of the host', async () => {
    expect(await sandbox.node.files.read('/proc/sys/net/ipv4/ip_forward')).toBe('1\n');
    expect(await sandbox.pod(1).files.read('/proc/sys/net/ipv4/ip_forward')).toBe('0\n');
    await expect(sandbox.node.files.read('/proc/sys/net/nothing')).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test('a second sandbox has the same addresses and is isolated from the first', async () => {
    const other = await NetworkSandbox.create({ pods: 1, remotePods: 0 });
    try {
      const target = { to: other.pod(1).ipv4, port: 80 };
      expect(await other.client.connect(target)).toMatchObject({ kind: 'refused' });
      expect(await sandbox.client.connect(target)).toMatchObject({ kind: 'answered' });
    } finally {
      await other.close();
    }
  });
});

describe('leftovers of a sandbox', () => {
  test('none: no namespaces, no processes', async () => {
    const sandbox = await NetworkSandbox.create();
    await sandbox.pod(1).serve({ port: 80 });
    await sandbox.client.connect({ to: sandbox.pod(1).ipv4, port: 80 });
    const own = sandbox.node.spawn(['sleep', '600']);
    const grandchild = sandbox.node.spawn(['sh', '-c', 'sleep 601 & wait'], { detached: true });
    await Promise.all([once(own, 'spawn'), once(grandchild, 'spawn')]);
    const names = sandbox.hosts.map((host) => host.namespace);
    expect(await listNamespaces(sandbox.namespacePrefix)).toEqual([...names].sort());
    // A process enters its namespace, and forks, some time after it was spawned.
    await untilRunning(names, ['sleep 600', 'sleep 601']);
    const before = await processesIn(names);
    await sandbox.close();
    await sandbox.close();
    const { stdout } = await createCommandRunner().run({ command: 'ip', args: ['netns', 'list'] });
    expect(stdout).not.toContain(sandbox.namespacePrefix);
    await untilGone(before);
    await expect(async () => sandbox.client.connect({ to: '127.0.0.1', port: 80 })).rejects.toMatchObject({
      code: 'SANDBOX_CLOSED',
    });
  });

  test('none after its process is killed, once another sandbox is created', async () => {
    const child = await startElsewhere('process.stdout.write("ready");');
    const prefix = `kpx-${child.pid}-`;
    expect(await listNamespaces(prefix)).not.toEqual([]);
    child.kill('SIGKILL');
    await once(child, 'close');
    expect(await listNamespaces(prefix)).not.toEqual([]);
    await sweepLeftovers();
    expect(await listNamespaces(prefix)).toEqual([]);
  });

  test('none after its process ends without closing it', async () => {
    const child = await startElsewhere('process.stdout.write("ready"); process.exit(3);');
    if (child.exitCode === null) {
      await once(child, 'close');
    }
    expect(child.exitCode).toBe(3);
    expect(await listNamespaces(`kpx-${child.pid}-`)).toEqual([]);
  });
});

describe('without root', () => {
  test('works in a user namespace', async () => {
    const unshare = ['--user', '--map-root-user', '--net', '--mount'];
    try {
      await createCommandRunner().run({ command: 'unshare', args: [...unshare, 'true'] });
    } catch {
      console.warn('not tested: this kernel or container does not allow user namespaces');
      return;
    }
    const script = `
      import { NetworkSandbox } from ${JSON.stringify(builtModule())};
      const sandbox = await NetworkSandbox.create();
      await sandbox.pod(1).serve({ port: 80 });
      const outcome = await sandbox.client.connect({ to: sandbox.pod(1).ipv6, port: 80 });
      await sandbox.node.exec(['iptables', '-t', 'nat', '-A', 'POSTROUTING', '-j', 'MASQUERADE']);
      await sandbox.close();
      console.log(outcome.by);
    `;
    // A file system that this root may not write to, as for a user who is not root outside.
    const asStranger = `mount -t tmpfs -o ro tmpfs /run && exec "$0" --input-type=module -e "$1"`;
    const { stdout } = await createCommandRunner().run({
      command: 'unshare',
      args: [...unshare, 'sh', '-c', asStranger, process.execPath, script],
    });
    expect(stdout).toBe('pod1\n');
  });
});

function builtModule(): string {
  if (!existsSync(BUILT)) {
    throw new Error('this test runs the build: run "npx tsc -b" before it');
  }
  return BUILT;
}

/** Starts a process that creates a sandbox and then runs `statement`; resolves on its first output. */
async function startElsewhere(statement: string): Promise<ReturnType<typeof spawn>> {
  const script = `
    import { NetworkSandbox } from ${JSON.stringify(builtModule())};
    await NetworkSandbox.create();
    setInterval(() => {}, 1000);
    ${statement}
  `;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  return child;
}

/** Resolves when each of these command lines runs in one of the namespaces. */
async function untilRunning(names: readonly string[], commandLines: readonly string[]): Promise<void> {
  const deadline = Date.now() + 60_000;
  for (;;) {
    const running = (await processesIn(names)).map(commandLineOf);
    const missing = commandLines.filter((commandLine) => !running.includes(commandLine));
    if (missing.length === 0) {
      return;
    }
    if (Date.now() > deadline) {
      throw new Error(`not started: ${missing.join(', ')}`);
    }
    await delay(10);
  }
}

function commandLineOf(processId: number): string {
  try {
    return readFileSync(`/proc/${processId}/cmdline`, 'utf8').split('\0').join(' ').trim();
  } catch {
    return '';
  }
}

/** A killed process stays in the process table until its parent has reaped it. */
async function untilGone(processIds: readonly number[]): Promise<void> {
  const deadline = Date.now() + 60_000;
  const alive = (): number[] =>
    processIds.filter((processId) => existsSync(`/proc/${processId}`) && existsSync(`/proc/${processId}/exe`));
  while (alive().length > 0) {
    if (Date.now() > deadline) {
      throw new Error(`still running: ${alive().join(', ')}`);
    }
    await delay(10);
  }
}
