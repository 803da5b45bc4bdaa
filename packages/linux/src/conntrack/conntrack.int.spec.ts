import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { attributeMap } from '../netlink/attributes.js';
import type { Netlink } from '../netlink/netlink.js';
import { NetlinkError, NetlinkRefused } from '../netlink/netlink-error.js';
import { NetlinkSocket } from '../netlink/netlink-socket.js';
import { type CommandResult, type CommandRunner, createCommandRunner } from '../process/command-runner.js';
import { makeNamespace, type TestNamespace } from '../process/network-namespace.js';
import { type Conntrack, type ConntrackEntry, ConntrackError, type ConntrackTranslation } from './conntrack.js';
import { ConntrackNetlink } from './conntrack-netlink.js';
import { conntrackArguments, conntrackKey, parseConntrackList } from './conntrack-text.js';
import { ConntrackTool } from './conntrack-tool.js';
import { FakeConntrack } from './fake-conntrack.js';

/** A table to run the suite against, and a way to add flows from outside. */
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

/** A program: the pod answers one datagram of the client, each with the source that it sees. */
const EXCHANGE = `
  const { createSocket } = require('node:dgram');
  const pod = createSocket('udp4').on('message', (_message, { address, port }) => {
    pod.send(\`seen from \${address}:\${port}\`, port, address);
  });
  const client = createSocket('udp4').on('message', (message, { address, port }) => {
    process.stdout.write(\`\${message}, answered by \${address}:\${port}\`);
    pod.close();
    client.close();
  });
  pod.bind(5353, '10.244.0.11', () => client.bind(4000, '203.0.113.2', () => client.send('hello', 53, '10.96.0.10')));
`;

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

  test('returns an empty list for an empty table', async () => {
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

  test('lists only the wanted entries', async () => {
    for (const port of [4000, 4001, 4002]) {
      await table().add(flow(port));
    }
    const wanted = ({ original }: ConntrackEntry) => original.sourcePort === 4001;
    expect(await table().conntrack.list('IPv4', 'UDP', wanted)).toEqual([flow(4001)]);
  });

  test.each(['IPv4', 'IPv6'] as const)(
    'lists only entries whose replies come from an address and port (%s)',
    async (family) => {
      const base = family === 'IPv4' ? flow(4000) : IPV6_FLOW;
      const one = (clientPort: number, { source, sourcePort }: { source?: string; sourcePort?: number } = {}) => ({
        ...base,
        protocol: 'TCP' as const,
        original: { ...base.original, sourcePort: clientPort },
        reply: {
          ...base.reply,
          destinationPort: clientPort,
          source: source ?? base.reply.source,
          sourcePort: sourcePort ?? base.reply.sourcePort,
        },
      });
      const other = family === 'IPv4' ? '10.244.0.12' : 'fd00:10:244::12';
      for (const entry of [one(1), one(2), one(3, { source: other }), one(4, { sourcePort: 5354 }), base]) {
        await table().add(entry);
      }
      const { source, sourcePort } = base.reply;
      const from = (at: { source: string; sourcePort: number }) => table().conntrack.list(family, 'TCP', undefined, at);
      expect(sorted(await from({ source, sourcePort }))).toEqual(sorted([one(1), one(2)]));
      expect(await from({ source: other, sourcePort })).toEqual([one(3, { source: other })]);
      expect(await from({ source: other, sourcePort: 1 })).toEqual([]);
    },
  );

  test('lists and deletes SCTP', async () => {
    const sctp = (port: number) => flow(port, { protocol: 'SCTP' });
    for (const entry of [sctp(4000), sctp(4001), flow(4000)]) {
      await table().add(entry);
    }
    expect(await table().conntrack.delete([sctp(4000)])).toBe(1);
    expect(await table().conntrack.list('IPv4', 'SCTP')).toEqual([sctp(4001)]);
    expect(await table().conntrack.list('IPv4', 'UDP')).toEqual([flow(4000)]);
  });

  test('deletes all flows of a translation, and no other', async () => {
    const to = (address: string, port: number, changes: Partial<ConntrackEntry> = {}) => {
      const entry = flow(port, changes);
      return { ...entry, reply: { ...entry.reply, source: address } };
    };
    const original = (port: number, changes: Partial<ConntrackEntry['original']>) => ({
      original: { ...flow(port).original, ...changes },
    });
    const stale = [to('10.244.0.12', 4000), to('10.244.0.12', 4001, { zone: 7 })];
    const others = [
      to('10.244.0.11', 4002),
      to('10.244.0.12', 4003, original(4003, { destination: '10.96.0.11' })),
      to('10.244.0.12', 4004, original(4004, { destinationPort: 54 })),
      to('10.244.0.12', 4005, { protocol: 'SCTP' }),
      to('10.244.0.12', 4006, { reply: { ...flow(4006).reply, sourcePort: 5354 } }),
      IPV6_FLOW,
    ];
    for (const entry of [...stale, ...others]) {
      await table().add(entry);
    }
    const { conntrack } = table();
    const all = async () =>
      (
        await Promise.all([
          conntrack.list('IPv4', 'UDP'),
          conntrack.list('IPv4', 'SCTP'),
          conntrack.list('IPv6', 'UDP'),
        ])
      ).flat();
    const translation = {
      ...{ destination: '10.96.0.10', destinationPort: 53 },
      ...{ source: '10.244.0.12', sourcePort: 5353 },
    };
    const count = await conntrack.deleteTranslated?.('IPv4', 'UDP', [
      translation,
      { ...translation, source: '10.244.0.99' },
    ]);
    if (count === undefined) {
      // Not supported by this host: nothing was deleted.
      expect(sorted(await all())).toEqual(sorted([...stale, ...others]));
      return;
    }
    expect(count).toBe(2);
    expect(sorted(await all())).toEqual(sorted(others));
    // For IPv6 addresses, kernels delete all other entries instead.
    const { original: sent, reply } = IPV6_FLOW;
    for (const source of [reply.source, 'fd00:10:244::99']) {
      const ipv6 = { ...translation, destination: sent.destination, source };
      expect(await conntrack.deleteTranslated?.('IPv6', 'UDP', [ipv6])).toBeUndefined();
    }
    expect(sorted(await all())).toEqual(sorted(others));
  });

  test.each(['IPv4', 'IPv6'] as const)(
    'deletes flows by group while they are listed, and no other (%s)',
    async (family) => {
      const base = family === 'IPv4' ? flow(0) : IPV6_FLOW;
      const to = (endpoint: string, clientPort: number, changes: Partial<ConntrackEntry> = {}): ConntrackEntry => ({
        ...base,
        original: { ...base.original, sourcePort: clientPort },
        reply: { ...base.reply, source: endpoint, destinationPort: clientPort },
        ...changes,
      });
      const [one, two, three] =
        family === 'IPv4'
          ? (['10.244.0.11', '10.244.0.12', '10.244.0.13'] as const)
          : (['fd00:10:244::11', 'fd00:10:244::12', 'fd00:10:244::13'] as const);
      const stale = [to(two, 1), to(two, 2, { zone: 7 }), to(three, 3)];
      const otherFamily = family === 'IPv4' ? IPV6_FLOW : flow(4000);
      const others = [to(one, 4), to(two, 5, { protocol: 'SCTP' }), otherFamily];
      for (const entry of [...stale, ...others]) {
        await table().add(entry);
      }
      const { conntrack } = table();
      const seen = new Set<string>();
      const deleted = await conntrack.deleteMatching(family, 'UDP', (translation) => {
        seen.add(JSON.stringify(translation));
        return { [two]: 'second', [three]: 'third' }[translation.source];
      });
      expect(deleted).toEqual(
        new Map([
          ['second', 2],
          ['third', 1],
        ]),
      );
      const { destination } = base.original;
      expect(seen).toEqual(
        new Set(
          [one, two, three].map((source) =>
            JSON.stringify({ destination, destinationPort: 53, source, sourcePort: 5353 }),
          ),
        ),
      );
      expect(await conntrack.list(family, 'UDP')).toEqual([to(one, 4)]);
      expect(await conntrack.list(family, 'SCTP')).toHaveLength(1);
      expect(await conntrack.list(otherFamily.family, 'UDP')).toHaveLength(1);
      expect(await conntrack.deleteMatching(family, 'UDP', () => undefined)).toEqual(new Map());
      expect(await conntrack.list(family, 'UDP')).toHaveLength(1);
    },
  );

  test('distinguishes the same ports in several zones', async () => {
    const zones = [0, 7, 65_535].map((zone) => flow(4000, { zone }));
    for (const entry of zones) {
      await table().add(entry);
    }
    expect(sorted(await table().conntrack.list('IPv4', 'UDP'))).toEqual(sorted(zones));
    expect(await table().conntrack.delete([flow(4000, { zone: 7 }), flow(4000, { zone: 8 })])).toBe(1);
    expect(sorted(await table().conntrack.list('IPv4', 'UDP'))).toEqual(
      sorted([flow(4000), flow(4000, { zone: 65_535 })]),
    );
  });

  test('deletes flows whose client is translated too', async () => {
    const reply = { ...flow(4000).reply, destination: '192.168.0.2', destinationPort: 61_000 };
    const masqueraded = flow(4000, { reply });
    await table().add(masqueraded);
    expect(await table().conntrack.list('IPv4', 'UDP')).toEqual([masqueraded]);
    expect(await table().conntrack.delete([flow(4000)])).toBe(0);
    expect(await table().conntrack.delete([masqueraded])).toBe(1);
  });

  test('does not delete the flow of the opposite direction', async () => {
    const { original, reply } = flow(4000);
    await table().add(flow(4000, { original: reply, reply: original }));
    expect(await table().conntrack.delete([flow(4000)])).toBe(0);
    expect(await table().conntrack.list('IPv4', 'UDP')).toHaveLength(1);
  });

  test('deletes the given flows and no other', async () => {
    const inZone = flow(4000, { zone: 7 });
    for (const entry of [flow(4000), flow(4001), flow(4002), inZone, flow(4000, { protocol: 'TCP' }), IPV6_FLOW]) {
      await table().add(entry);
    }
    expect(await table().conntrack.delete([flow(4000), flow(4002), IPV6_FLOW])).toBe(3);
    expect(sorted(await table().conntrack.list('IPv4', 'UDP'))).toEqual(sorted([flow(4001), inZone]));
    expect(await table().conntrack.list('IPv4', 'TCP')).toHaveLength(1);
    expect(await table().conntrack.list('IPv6', 'UDP')).toEqual([]);
  });

  test('keeps a flow whose endpoint has changed since', async () => {
    const reply = { ...flow(4000).reply, source: '10.244.0.12' };
    await table().add(flow(4000, { reply }));
    expect(await table().conntrack.delete([flow(4000)])).toBe(0);
    expect(await table().conntrack.list('IPv4', 'UDP')).toHaveLength(1);
  });

  test('deleting a missing flow is not an error, and the following flows are deleted', async () => {
    await table().add(flow(4001));
    expect(await table().conntrack.delete([])).toBe(0);
    expect(await table().conntrack.delete([flow(4000), flow(4001)])).toBe(1);
    expect(await table().conntrack.delete([flow(4000), flow(4001)])).toBe(0);
  });

  test('deletes many at once', async () => {
    // The tool reads the table for each entry.
    const length = table().conntrack instanceof ConntrackTool ? 300 : 1200;
    const entries = Array.from({ length }, (_, index) => flow(10_000 + index));
    await Promise.all(entries.map((entry) => table().add(entry)));
    expect(await table().conntrack.delete(entries)).toBe(length);
    expect(await table().conntrack.list('IPv4', 'UDP')).toEqual([]);
  });

  test('deletes a flow that is given twice once', async () => {
    await table().add(flow(4000));
    expect(await table().conntrack.delete([flow(4000), flow(4000)])).toBe(1);
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

  test('fails on request', async () => {
    const failure = new ConntrackError('CONNTRACK_FAILED', 'requested failure');
    fake.failWith(failure);
    await expect(fake.check()).rejects.toBe(failure);
    await expect(fake.list('IPv4', 'UDP')).rejects.toBe(failure);
    fake.failWith(undefined);
    await expect(fake.delete([])).resolves.toBe(0);
  });
});

describe('in the kernel', () => {
  let namespace: TestNamespace;
  const exec = ([command = '', ...args]: readonly string[], stdin = '') =>
    namespace.runner.run({ command, args, stdin });
  beforeAll(async () => {
    namespace = makeNamespace();
    await exec(['ip', 'link', 'set', 'lo', 'up']);
  });
  afterAll(() => namespace.remove());

  const netlinkOfNode = (): Netlink => new NetlinkSocket('netfilter', { namespace: namespace.path });
  /** Why an access path to the table is unavailable, or how it fails. */
  const changed = (change: (real: Netlink) => Partial<Netlink>): ConntrackNetlink =>
    new ConntrackNetlink(() => {
      const real = netlinkOfNode();
      return {
        execute: (requests) => real.execute(requests),
        request: (request) => real.request(request),
        requestEach: (requests) => real.requestEach(requests),
        dump: (request, take) => real.dump(request, take),
        close: () => real.close(),
        ...change(real),
      };
    });

  /** Additions in one batch, by one process. */
  let waiting: { lines: string[]; done: Promise<CommandResult> } | undefined;
  const insert = (line: string): Promise<CommandResult> => {
    if (!waiting) {
      const batch: string[] = [];
      const done = Promise.resolve().then(() => {
        waiting = undefined;
        return exec(['sh', '-c', 'cat | conntrack -R -'], batch.join(''));
      });
      waiting = { lines: batch, done };
    }
    waiting.lines.push(line);
    return waiting.done;
  };
  const STATES: Readonly<Record<ConntrackEntry['protocol'], string>> = {
    TCP: ' --state ESTABLISHED',
    UDP: '',
    SCTP: ' --state ESTABLISHED --orig-vtag 1 --reply-vtag 2',
  };
  const add = async (entry: ConntrackEntry): Promise<void> => {
    await insert(`-I ${conntrackArguments(entry).join(' ')} -t 600${STATES[entry.protocol]}\n`);
  };
  const clear = async (): Promise<void> => {
    await exec(['conntrack', '-F']);
  };

  describe.each<[string, () => Conntrack]>([
    ['ConntrackTool', () => new ConntrackTool(namespace.runner)],
    ['ConntrackNetlink', () => new ConntrackNetlink(netlinkOfNode)],
    [
      'ConntrackNetlink, through the package netlink',
      () =>
        new ConntrackNetlink(
          () => new NetlinkSocket('netfilter', { namespace: namespace.path, transport: 'netlink', receiveBuffer: 1 }),
        ),
    ],
  ])('%s', (_name, create) => {
    conntrackSuite(() => ({ conntrack: create(), add, clear }));

    test('lists the flows of real packets, with the translation of both ends', async () => {
      // All hosts are in one namespace: the client, the cluster IP, the pod, and the address of the node.
      for (const address of ['203.0.113.2', '10.96.0.10', '10.244.0.11', '192.168.0.2']) {
        await exec(['ip', 'address', 'replace', `${address}/32`, 'dev', 'lo']);
      }
      await clear();
      const rules = [
        ['OUTPUT', '-d', '10.96.0.10', '-p', 'udp', '--dport', '53', '-j', 'DNAT', '--to', '10.244.0.11:5353'],
        ['POSTROUTING', '-p', 'udp', '--dport', '5353', '-j', 'SNAT', '--to-source', '192.168.0.2:61000'],
      ];
      for (const rule of rules) {
        await exec(['iptables', '-t', 'nat', '-A', ...rule]);
      }
      try {
        const { stdout } = await exec([process.execPath, '-e', EXCHANGE]);
        expect(stdout).toBe('seen from 192.168.0.2:61000, answered by 10.96.0.10:53');
        const reply = { ...flow(4000).reply, destination: '192.168.0.2', destinationPort: 61_000 };
        expect(await create().list('IPv4', 'UDP')).toEqual([flow(4000, { reply })]);
        expect(await create().delete([flow(4000)])).toBe(0);
        expect(await create().delete([flow(4000, { reply })])).toBe(1);
      } finally {
        await exec(['iptables', '-t', 'nat', '-F']);
      }
    });

    test('reports that it is available', async () => {
      await expect(create().check?.()).resolves.toBeUndefined();
    });
  });

  describe('ConntrackTool', () => {
    test('reports that it is not installed', async () => {
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

    test('reports missing permission', async () => {
      const prefix = ['setpriv', '--bounding-set=-all', '--inh-caps=-all'];
      const conntrack = new ConntrackTool(createCommandRunner({ prefix }));
      await expect(conntrack.list('IPv4', 'UDP')).rejects.toMatchObject({ code: 'CONNTRACK_NOT_PERMITTED' });
      await expect(conntrack.delete([flow(1)])).rejects.toMatchObject({ code: 'CONNTRACK_NOT_PERMITTED' });
    });

    test('other failures have a cause', async () => {
      const conntrack = new ConntrackTool(createCommandRunner({ prefix: ['sh', '-c', 'echo odd >&2; exit 4'] }));
      await expect(conntrack.delete([flow(1)])).rejects.toMatchObject({
        code: 'CONNTRACK_FAILED',
        message: expect.stringContaining('odd'),
        cause: expect.objectContaining({ exitCode: 4 }),
      });
    });
  });

  describe('ConntrackNetlink', () => {
    beforeEach(clear);
    const lost = () => new NetlinkError('NETLINK_LOST', 'injected fault');
    /** The first time, two requests are processed, and their answers are lost. */
    const losingFirstAnswers = () => {
      let times = 0;
      const conntrack = changed((real) => ({
        execute: async (requests) => {
          const results = await real.execute(times === 0 ? requests.slice(0, 2) : requests);
          if (++times === 1) {
            throw lost();
          }
          return results;
        },
      }));
      return { conntrack, times: () => times };
    };

    test('deletes flows with a zone in one direction only, which the tool cannot identify', async () => {
      const entry = flow(4000, { zone: 7 });
      const words = ['-I', ...conntrackArguments(entry).slice(0, -2), '--orig-zone', '7', '-t', '600'];
      await exec(['conntrack', ...words]);
      const conntrack = new ConntrackNetlink(netlinkOfNode);
      expect(await conntrack.list('IPv4', 'UDP')).toEqual([entry]);
      expect(await conntrack.delete([entry])).toBe(1);
      expect(await conntrack.list('IPv4', 'UDP')).toEqual([]);
    });

    test('keeps a flow that is replaced between its lookup and its deletion', async () => {
      const others = [
        flow(4000, { reply: { ...flow(4000).reply, source: '10.244.0.12' } }),
        flow(4001, { original: { ...flow(4001).original, destination: '10.96.0.11' } }),
      ];
      const entries = [flow(4000), flow(4001)];
      await Promise.all(entries.map(add));
      const conntrack = changed((real) => ({
        execute: async (requests) => {
          await new ConntrackTool(namespace.runner).delete(entries);
          await Promise.all(others.map(add));
          return real.execute(requests);
        },
      }));
      expect(await conntrack.delete(entries)).toBe(0);
      expect(sorted(await conntrack.list('IPv4', 'UDP'))).toEqual(sorted(others));
    });

    test('keeps a flow that is replaced between its listing and its deletion', async () => {
      const other = flow(4000, { reply: { ...flow(4000).reply, source: '10.244.0.12' } });
      const successor = flow(4001);
      await Promise.all([flow(4000), successor].map(add));
      const conntrack = changed((real) => ({
        execute: async (requests) => {
          await new ConntrackTool(namespace.runner).delete([flow(4000), successor]);
          await Promise.all([other, successor].map(add));
          return real.execute(requests);
        },
      }));
      expect(await conntrack.deleteMatching('IPv4', 'UDP', () => 'stale')).toEqual(new Map());
      expect(sorted(await conntrack.list('IPv4', 'UDP'))).toEqual(sorted([other, successor]));
    });

    test('has few of many entries in memory: deletes them while the list is read', async () => {
      const stale = Array.from({ length: 2500 }, (_, index) => flow(10_000 + index));
      const others = stale.map((entry) => {
        const port = entry.original.sourcePort + 10_000;
        return flow(port, { reply: { ...flow(port).reply, source: '10.244.0.12' } });
      });
      await Promise.all([...stale, ...others].map(add));
      const batches: number[] = [];
      let isListed = false;
      let whileListed = 0;
      const conntrack = changed((real) => ({
        dump: async (...parameters) => {
          await real.dump(...parameters);
          isListed = true;
        },
        execute: (requests) => {
          batches.push(requests.length);
          whileListed += isListed ? 0 : requests.length;
          return real.execute(requests);
        },
      }));
      const groupOf = ({ source }: ConntrackTranslation) => (source === '10.244.0.11' ? 'stale' : undefined);
      expect(await conntrack.deleteMatching('IPv4', 'UDP', groupOf)).toEqual(new Map([['stale', 2500]]));
      expect(Math.max(...batches)).toBeLessThan(1000);
      expect(whileListed).toBeGreaterThan(1500);
      expect(sorted(await conntrack.list('IPv4', 'UDP'))).toEqual(sorted(others));
    });

    test('counts deletions of listed flows whose answers were lost', async () => {
      await Promise.all([4000, 4001, 4002].map((port) => add(flow(port))));
      const { conntrack } = losingFirstAnswers();
      expect(await conntrack.deleteMatching('IPv4', 'UDP', () => 'stale')).toEqual(new Map([['stale', 3]]));
      expect(await conntrack.list('IPv4', 'UDP')).toEqual([]);
    });

    test('reads the list again when a part was lost, without counting twice', async () => {
      await Promise.all([4000, 4001, 4002].map((port) => add(flow(port))));
      let dumps = 0;
      const conntrack = changed((real) => ({
        dump: async (...parameters) => {
          await real.dump(...parameters);
          if (++dumps === 1) {
            throw lost();
          }
        },
      }));
      expect(await conntrack.deleteMatching('IPv4', 'UDP', () => 'stale')).toEqual(new Map([['stale', 3]]));
      expect(dumps).toBe(2);
    });

    test('an entry that cannot be deleted fails the call', async () => {
      await add(flow(4000));
      const conntrack = changed(() => ({ execute: async (requests) => requests.map(() => 16) }));
      await expect(conntrack.deleteMatching('IPv4', 'UDP', () => 'stale')).rejects.toMatchObject({
        code: 'CONNTRACK_FAILED',
      });
    });

    test('the event loop runs while a long list is read', async () => {
      const entries = Array.from({ length: 5000 }, (_, index) => flow(10_000 + index));
      await Promise.all(entries.map(add));
      let turns = 0;
      let reading = true;
      const count = (): void => {
        turns++;
        if (reading) {
          setImmediate(count);
        }
      };
      setImmediate(count);
      const found = await new ConntrackNetlink(netlinkOfNode).list('IPv4', 'UDP');
      reading = false;
      expect(sorted(found)).toEqual(sorted(entries));
      // The kernel returns 32 KiB at a time.
      expect(turns).toBeGreaterThan(10);
    });

    test('filters other protocols itself where the kernel does not support the filter', async () => {
      await Promise.all([flow(4000), flow(4001, { protocol: 'TCP' })].map(add));
      const asked: boolean[] = [];
      const conntrack = changed((real) => ({
        dump: (request, take) => {
          const filtered = attributeMap(Buffer.from(request.payload.subarray(4))).size > 0;
          asked.push(filtered);
          return filtered ? Promise.reject(new NetlinkRefused(95, 'list')) : real.dump(request, take);
        },
      }));
      expect(await conntrack.list('IPv4', 'UDP')).toEqual([flow(4000)]);
      expect(asked).toEqual([true, false]);
      const unread = changed((real) => ({
        dump: (request, take) => real.dump({ ...request, payload: request.payload.subarray(0, 4) }, take),
      }));
      expect(await unread.list('IPv4', 'TCP')).toEqual([flow(4001, { protocol: 'TCP' })]);
    });

    test('the kernel filters other protocols', async () => {
      await Promise.all([flow(4000), flow(4001, { protocol: 'TCP' })].map(add));
      let messages = 0;
      const conntrack = changed((real) => ({
        dump: (request, take) =>
          real.dump(request, (answer) => {
            messages++;
            take(answer);
          }),
      }));
      expect(await conntrack.list('IPv4', 'UDP')).toEqual([flow(4000)]);
      expect(messages).toBe(1);
    });

    test('the kernel filters other sources of replies', async () => {
      const tcp = (port: number, source: string) => {
        const { reply } = flow(port);
        return flow(port, { protocol: 'TCP', reply: { ...reply, source } });
      };
      await Promise.all([tcp(4000, '10.244.0.11'), tcp(4001, '10.244.0.12'), tcp(4002, '10.244.0.13')].map(add));
      let messages = 0;
      const conntrack = changed((real) => ({
        dump: (request, take) =>
          real.dump(request, (answer) => {
            messages++;
            take(answer);
          }),
      }));
      const found = await conntrack.list('IPv4', 'TCP', undefined, { source: '10.244.0.12', sourcePort: 5353 });
      expect(found).toEqual([tcp(4001, '10.244.0.12')]);
      expect(messages).toBe(1);
    });

    test('where the kernel cannot delete by translation, nothing is deleted, and the result is undefined', async () => {
      await add(flow(4000));
      const conntrack = changed(() => ({ execute: async (requests) => requests.map(() => 22) }));
      const translation = {
        ...{ destination: '10.96.0.10', destinationPort: 53 },
        ...{ source: '10.244.0.11', sourcePort: 5353 },
      };
      expect(await conntrack.deleteTranslated('IPv4', 'UDP', [translation])).toBeUndefined();
      expect(await conntrack.list('IPv4', 'UDP')).toEqual([flow(4000)]);
    });

    test('a request to delete by translation always has a tuple: without one, a kernel flushes the whole table', async () => {
      const payloads: Uint8Array[] = [];
      const conntrack = changed(() => ({
        execute: async (requests) => requests.map(({ payload }) => payloads.push(payload) && 22),
      }));
      await conntrack.deleteTranslated('IPv4', 'UDP', [
        { destination: '10.96.0.10', destinationPort: 53, source: '10.244.0.11', sourcePort: 5353 },
      ]);
      expect(payloads).toHaveLength(1);
      expect([...attributeMap(Buffer.from((payloads[0] as Uint8Array).subarray(4))).keys()]).toEqual([1, 2, 25]);
    });

    test('restarts a dump when part of it was lost, and fails after several attempts', async () => {
      await Promise.all([flow(4000), flow(4001)].map(add));
      let times = 0;
      const losing = (often: number) =>
        changed((real) => ({
          dump: async (request, take) => {
            await real.dump(request, take);
            if (++times <= often) {
              throw lost();
            }
          },
        }));
      expect(await losing(4).list('IPv4', 'UDP')).toHaveLength(2);
      expect(times).toBe(5);
      times = 0;
      await expect(losing(99).list('IPv4', 'UDP')).rejects.toMatchObject({
        code: 'CONNTRACK_FAILED',
        cause: expect.objectContaining({ code: 'NETLINK_LOST' }),
      });
      expect(times).toBe(5);
    });

    test('counts deletions whose answers were lost', async () => {
      const entries = [4000, 4001, 4002].map((port) => flow(port));
      await Promise.all(entries.map(add));
      const { conntrack, times } = losingFirstAnswers();
      expect(await conntrack.delete(entries)).toBe(3);
      expect(times()).toBe(2);
      expect(await conntrack.list('IPv4', 'UDP')).toEqual([]);
    });

    test('reports a socket overrun as an error', async () => {
      const entries = Array.from({ length: 100 }, (_, index) => flow(4000 + index));
      await Promise.all(entries.map(add));
      const narrow = new ConntrackNetlink(
        () => new NetlinkSocket('netfilter', { namespace: namespace.path, receiveBuffer: 1, transport: 'koffi' }),
      );
      await expect(narrow.delete(entries)).rejects.toMatchObject({
        code: 'CONNTRACK_FAILED',
        message: expect.stringContaining('ENOBUFS'),
      });
      expect(await narrow.list('IPv4', 'UDP')).toHaveLength(100);
    });

    test.each([22, 95])('reports that the kernel lacks conntrack netlink (error %i)', async (errno) => {
      const refuse = () => Promise.reject(new NetlinkRefused(errno, 'answer'));
      const conntrack = changed(() => ({
        request: refuse,
        dump: refuse,
        requestEach: async (all) => all.map(() => errno),
      }));
      const error = { code: 'CONNTRACK_NO_NETLINK', message: expect.stringContaining('nf_conntrack_netlink') };
      await expect(conntrack.check()).rejects.toMatchObject(error);
      await expect(conntrack.list('IPv4', 'UDP')).rejects.toMatchObject(error);
      await expect(conntrack.delete([flow(4000)])).rejects.toMatchObject(error);
    });

    test('reports that the socket cannot be created', async () => {
      const conntrack = new ConntrackNetlink(
        () => new NetlinkSocket('netfilter', { namespace: '/run/netns/none-such' }),
      );
      await expect(conntrack.check()).rejects.toMatchObject({
        code: 'CONNTRACK_NO_NETLINK',
        cause: expect.objectContaining({ code: 'NETLINK_UNAVAILABLE' }),
      });
    });

    test.each(['koffi', 'netlink'])(
      'reports that permission is missing, also for many requests at once: %s',
      async (transport) => {
        const library = new URL('../../dist/index.js', import.meta.url);
        const entries = [4000, 4001, 4002].map((port) => flow(port));
        const program = `
        const { ConntrackNetlink, NetlinkSocket } = await import(${JSON.stringify(library.href)});
        const conntrack = new ConntrackNetlink(() => new NetlinkSocket('netfilter', { transport: '${transport}' }));
        for (const work of [
          () => conntrack.check(),
          () => conntrack.list('IPv4', 'UDP'),
          () => conntrack.delete(${JSON.stringify(entries)}),
        ]) {
          await work().catch(({ code, cause, message }) => console.log(code, cause.errnoName, message));
        }`;
        const prefix = ['setpriv', '--bounding-set=-all', '--inh-caps=-all'];
        const { stdout } = await createCommandRunner({ prefix }).run({
          command: process.execPath,
          args: ['--input-type=module', '--eval', program],
        });
        expect(stdout.trim().split('\n')).toEqual(
          Array(3).fill(
            'CONNTRACK_NOT_PERMITTED EPERM changing tracked connections needs root or the capability NET_ADMIN',
          ),
        );
      },
    );
  });
});

describe('parseConntrackList', () => {
  test('parses states, flags, counters and zones, and skips the rest', () => {
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
