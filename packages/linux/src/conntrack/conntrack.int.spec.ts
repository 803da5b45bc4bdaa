import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { type CommandResult, type CommandRunner, createCommandRunner } from '../process/command-runner.js';
import { FakeConntrack } from '../testing/fake-conntrack.js';
import { NetworkSandbox } from '../testing/sandbox/network-sandbox.js';
import { type Conntrack, type ConntrackEntry, ConntrackError } from './conntrack.js';
import { conntrackArguments, conntrackKey, parseConntrackList } from './conntrack-text.js';
import { ConntrackTool } from './conntrack-tool.js';

/** A table to run the suite against, and a way to put flows into it from outside. */
interface Table {
  readonly conntrack: Conntrack;
  add(entry: ConntrackEntry): Promise<void>;
  clear(): Promise<void>;
}

function flow(clientPort: number, changes: Partial<ConntrackEntry> = {}): ConntrackEntry {
  return {
    family: 'IPv4',
    protocol: 'UDP',
    original: { source: '203.0.113.2', sourcePort: clientPort, destination: '10.96.0.10', destinationPort: 53 },
    reply: { source: '10.244.0.11', sourcePort: 5353, destination: '203.0.113.2', destinationPort: clientPort },
    zone: 0,
    ...changes,
  };
}

const IPV6_FLOW: ConntrackEntry = {
  family: 'IPv6',
  protocol: 'UDP',
  original: { source: '2001:db8:203::2', sourcePort: 4000, destination: 'fd00:10:96::a', destinationPort: 53 },
  reply: { source: 'fd00:10:244::11', sourcePort: 5353, destination: '2001:db8:203::2', destinationPort: 4000 },
  zone: 0,
};

const sorted = (entries: readonly ConntrackEntry[]): ConntrackEntry[] =>
  [...entries].sort((a, b) => conntrackKey(a).localeCompare(conntrackKey(b)));

function conntrackSuite(table: () => Table): void {
  beforeEach(() => table().clear());

  test('lists nothing of an empty table', async () => {
    expect(await table().conntrack.list('IPv4', 'UDP')).toEqual([]);
    expect(await table().conntrack.list('IPv6', 'TCP')).toEqual([]);
  });

  test('lists both tuples, of one family and protocol only', async () => {
    const tcp = flow(4000, { protocol: 'TCP' });
    for (const entry of [flow(4000), flow(4001), tcp, IPV6_FLOW]) {
      await table().add(entry);
    }
    expect(sorted(await table().conntrack.list('IPv4', 'UDP'))).toEqual(sorted([flow(4000), flow(4001)]));
    expect(await table().conntrack.list('IPv4', 'TCP')).toEqual([tcp]);
    expect(await table().conntrack.list('IPv6', 'UDP')).toEqual([IPV6_FLOW]);
  });

  test('deletes what it is given and nothing else', async () => {
    const inZone = flow(4000, { zone: 7 });
    for (const entry of [flow(4000), flow(4001), flow(4002), inZone, flow(4000, { protocol: 'TCP' }), IPV6_FLOW]) {
      await table().add(entry);
    }
    expect(await table().conntrack.delete([flow(4000), flow(4002), IPV6_FLOW])).toBe(3);
    expect(sorted(await table().conntrack.list('IPv4', 'UDP'))).toEqual(sorted([flow(4001), inZone]));
    expect(await table().conntrack.list('IPv4', 'TCP')).toHaveLength(1);
    expect(await table().conntrack.list('IPv6', 'UDP')).toEqual([]);
  });

  test('leaves a flow alone whose endpoint is another by now', async () => {
    const reply = { ...flow(4000).reply, source: '10.244.0.12' };
    await table().add(flow(4000, { reply }));
    expect(await table().conntrack.delete([flow(4000)])).toBe(0);
    expect(await table().conntrack.list('IPv4', 'UDP')).toHaveLength(1);
  });

  test('deleting what is gone is no error, and what comes after it is deleted', async () => {
    await table().add(flow(4001));
    expect(await table().conntrack.delete([])).toBe(0);
    expect(await table().conntrack.delete([flow(4000), flow(4001)])).toBe(1);
    expect(await table().conntrack.delete([flow(4000), flow(4001)])).toBe(0);
  });

  test('deletes a thousand at once', async () => {
    const entries = Array.from({ length: 1000 }, (_, index) => flow(10_000 + index));
    await Promise.all(entries.map((entry) => table().add(entry)));
    expect(await table().conntrack.delete(entries)).toBe(1000);
    expect(await table().conntrack.list('IPv4', 'UDP')).toEqual([]);
  });
}

describe('FakeConntrack', () => {
  let fake: FakeConntrack;
  conntrackSuite(() => ({
    get conntrack() {
      return fake;
    },
    add: async (entry) => fake.add(entry),
    clear: async () => {
      fake = new FakeConntrack();
    },
  }));

  test('fails when told to', async () => {
    const failure = new ConntrackError('CONNTRACK_FAILED', 'told to');
    fake.failWith(failure);
    await expect(fake.check()).rejects.toBe(failure);
    await expect(fake.list('IPv4', 'UDP')).rejects.toBe(failure);
    fake.failWith(undefined);
    await expect(fake.delete([])).resolves.toBe(0);
  });
});

describe('ConntrackTool, in the kernel', () => {
  let sandbox: NetworkSandbox;
  beforeAll(async () => {
    sandbox = await NetworkSandbox.create({ pods: 1, remotePods: 0 });
  });
  afterAll(() => sandbox.close());

  /** Additions of one moment, made by one process. */
  let waiting: { lines: string[]; done: Promise<CommandResult> } | undefined;
  const insert = (line: string): Promise<CommandResult> => {
    if (!waiting) {
      const batch: string[] = [];
      const done = Promise.resolve().then(() => {
        waiting = undefined;
        return sandbox.node.exec(['sh', '-c', 'cat | conntrack -R -'], { stdin: batch.join('') });
      });
      waiting = { lines: batch, done };
    }
    waiting.lines.push(line);
    return waiting.done;
  };

  conntrackSuite(() => ({
    conntrack: new ConntrackTool(sandbox.node.runner),
    add: async (entry) => {
      const state = entry.protocol === 'TCP' ? ' --state ESTABLISHED' : '';
      await insert(`-I ${conntrackArguments(entry).join(' ')} -t 60${state}\n`);
    },
    clear: async () => {
      await sandbox.node.exec(['conntrack', '-F']);
    },
  }));

  test('sees the flows of real packets, and their DNAT', async () => {
    const node = sandbox.node;
    await node.exec(['conntrack', '-F']);
    const dnat = ['-d', '10.96.0.10', '-p', 'udp', '--dport', '53', '-j', 'DNAT', '--to-destination'];
    await node.exec(['iptables', '-t', 'nat', '-A', 'PREROUTING', ...dnat, '10.244.0.11:5353']);
    await sandbox.pod(1).serve({ protocol: 'UDP', port: 5353 });
    const outcome = await sandbox.client.connect({ protocol: 'UDP', to: '10.96.0.10', port: 53, fromPort: 4000 });
    expect(outcome).toMatchObject({ kind: 'answered', by: 'pod1' });
    const conntrack = new ConntrackTool(node.runner);
    expect(await conntrack.list('IPv4', 'UDP')).toEqual([flow(4000)]);
    expect(await conntrack.delete([flow(4000)])).toBe(1);
  });

  test('says that it is not installed', async () => {
    const runner = createCommandRunner();
    const elsewhere: CommandRunner = {
      run: (request) => runner.run({ ...request, command: `/nowhere/${request.command}` }),
    };
    await expect(new ConntrackTool(runner).check()).resolves.toBeUndefined();
    await expect(new ConntrackTool(elsewhere).check()).rejects.toMatchObject({ code: 'CONNTRACK_MISSING_TOOL' });
    await expect(new ConntrackTool(elsewhere).list('IPv4', 'UDP')).rejects.toMatchObject({
      code: 'CONNTRACK_MISSING_TOOL',
      message: expect.stringContaining('install'),
    });
    const withoutTool: CommandRunner = {
      run: (request) => runner.run({ ...request, args: ['-c', 'cat | /nowhere/conntrack -R -'] }),
    };
    await expect(new ConntrackTool(withoutTool).delete([flow(1)])).rejects.toMatchObject({
      code: 'CONNTRACK_MISSING_TOOL',
    });
  });

  test('says that it is not permitted', async () => {
    const prefix = ['setpriv', '--bounding-set=-all', '--inh-caps=-all'];
    const conntrack = new ConntrackTool(createCommandRunner({ prefix }));
    await expect(conntrack.list('IPv4', 'UDP')).rejects.toMatchObject({ code: 'CONNTRACK_NOT_PERMITTED' });
    await expect(conntrack.delete([flow(1)])).rejects.toMatchObject({ code: 'CONNTRACK_NOT_PERMITTED' });
  });

  test('other failures keep their cause', async () => {
    const conntrack = new ConntrackTool(createCommandRunner({ prefix: ['sh', '-c', 'echo odd >&2; exit 4'] }));
    await expect(conntrack.delete([flow(1)])).rejects.toMatchObject({
      code: 'CONNTRACK_FAILED',
      message: expect.stringContaining('odd'),
      cause: expect.objectContaining({ exitCode: 4 }),
    });
  });
});

describe('parseConntrackList', () => {
  test('reads states, flags, counters and zones, and leaves out the rest', () => {
    const text = [
      'ipv4     2 tcp      6 86399 ESTABLISHED src=10.0.0.1 dst=10.96.0.10 sport=1001 dport=53 packets=3 bytes=164 src=10.244.0.12 dst=10.0.0.1 sport=5353 dport=1001 packets=2 bytes=112 [ASSURED] mark=0 zone=9 use=1 id=157',
      'ipv4     2 icmp     1 29 src=10.0.0.1 dst=10.0.0.2 type=8 code=0 id=1 src=10.0.0.2 dst=10.0.0.1 type=0 code=0 id=1 use=1',
      'ipv4     2 unknown  47 599 src=10.0.0.1 dst=10.0.0.2 src=10.0.0.2 dst=10.0.0.1 use=1',
      'udp      17 29 src=FD00:0::1 dst=fd00::2 sport=1 dport=2 [UNREPLIED] src=fd00::2 dst=fd00::1 sport=2 dport=1 use=1',
      'udp      17 29 src=nonsense dst=fd00::2 sport=1 dport=2 src=fd00::2 dst=fd00::1 sport=2 dport=1 use=1',
      '',
    ].join('\n');
    expect(parseConntrackList(text)).toEqual([
      {
        family: 'IPv4',
        protocol: 'TCP',
        original: { source: '10.0.0.1', sourcePort: 1001, destination: '10.96.0.10', destinationPort: 53 },
        reply: { source: '10.244.0.12', sourcePort: 5353, destination: '10.0.0.1', destinationPort: 1001 },
        zone: 9,
      },
      {
        family: 'IPv6',
        protocol: 'UDP',
        original: { source: 'fd00::1', sourcePort: 1, destination: 'fd00::2', destinationPort: 2 },
        reply: { source: 'fd00::2', sourcePort: 2, destination: 'fd00::1', destinationPort: 1 },
        zone: 0,
      },
    ]);
  });
});
