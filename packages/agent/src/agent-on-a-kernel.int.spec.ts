import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { casesOf, until } from '@kube-proxier/core/testing';
import { canMakeNamespaces, makeNamespace, type TestNamespace } from '@kube-proxier/linux/testing';

const PACKAGE = fileURLToPath(new URL('..', import.meta.url));
const MAIN = join(PACKAGE, 'dist/main.js');
const FAMILIES = ['iptables', 'ip6tables'] as const;

const FOREIGN = `*filter
:MINE - [0:0]
-A INPUT -p tcp -m tcp --dport 22 -m comment --comment "KUBE-SERVICES, not" -j MINE
-A MINE -j RETURN
COMMIT
*nat
:MINE - [0:0]
-A PREROUTING -p tcp -m tcp --dport 8080 -j MINE
-A MINE -p tcp -j REDIRECT --to-ports 9090
-A POSTROUTING -o eth9 -j MASQUERADE
COMMIT
`;

function manifest(nodePort: number): string {
  return `apiVersion: v1
kind: Service
metadata: { name: saythx-redis, namespace: work }
spec:
  type: NodePort
  clusterIP: 10.96.0.10
  clusterIPs: [10.96.0.10, "fd00:96::a"]
  ipFamilies: [IPv4, IPv6]
  ports: [{ port: 6379, nodePort: ${nodePort} }]
---
apiVersion: v1
kind: Endpoints
metadata: { name: saythx-redis, namespace: work }
subsets: [{ addresses: [{ ip: 10.244.0.2 }, { ip: "fd00:244::2" }], ports: [{ port: 6379 }] }]
`;
}

const whereAllowed = canMakeNamespaces() ? describe : describe.skip;

whereAllowed('the kube-proxier command on a kernel', () => {
  let namespace: TestNamespace;
  let directory: string;
  let agent: ChildProcess | undefined;
  let log = '';
  /** First directory in the agent's PATH. */
  let tools: string;

  beforeEach(async () => {
    namespace = makeNamespace();
    directory = await mkdtemp(join(tmpdir(), 'agent-'));
    tools = await mkdtemp(join(tmpdir(), 'agent-tools-'));
    log = '';
  });

  afterEach(async () => {
    agent?.kill('SIGKILL');
    agent = undefined;
    namespace.remove();
    await rm(directory, { recursive: true, force: true });
    await rm(tools, { recursive: true, force: true });
  });

  function run(command: string, args: readonly string[], input?: string): string {
    const [enter = '', ...prefix] = namespace.prefix;
    return execFileSync(enter, [...prefix, command, ...args], {
      encoding: 'utf8',
      input,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
  }

  /** Rules and chains of a family, without counters and comments of the tool. */
  function rules(tool: (typeof FAMILIES)[number]): string {
    return run(`${tool}-save`, [])
      .split('\n')
      .filter((line) => !line.startsWith('#'))
      .map((line) => line.replace(/ \[\d+:\d+\]$/, ''))
      .join('\n');
  }

  function foreignOf(text: string): readonly string[] {
    return text.split('\n').filter((line) => !/KUBE-/.test(line) || line.includes('not"'));
  }

  async function start(...args: readonly string[]): Promise<void> {
    const [enter = '', ...prefix] = namespace.prefix;
    const flags = [
      '--manifests',
      directory,
      '--iptables-min-sync-period=0',
      '--metrics-bind-address=',
      '-v=2',
      ...args,
    ];
    const child = spawn(enter, [...prefix, process.execPath, MAIN, ...flags], {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...process.env, PATH: `${tools}:${process.env.PATH}` },
    });
    agent = child;
    log = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      log += text;
    });
    await reached(() => /is running/.test(log) && /Synced family="IPv4"/.test(log) && /Synced family="IPv6"/.test(log));
  }

  async function reached(condition: () => boolean): Promise<void> {
    await until(
      () => {
        if (agent && agent.exitCode !== null) {
          throw new Error(`the agent ended before ${condition}:\n${log}`);
        }
        return condition();
      },
      () => `${condition}:\n${log}`,
    );
  }

  async function end(): Promise<void> {
    const ended = agent && once(agent, 'exit');
    agent?.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
  }

  const everywhere = (text: string) => FAMILIES.every((tool) => rules(tool).includes(text));

  async function write(text: string): Promise<void> {
    await writeFile(join(directory, '.tmp'), text);
    await rename(join(directory, '.tmp'), join(directory, 'redis.yaml'));
  }

  test('follows the files, survives an error in them, leaves rules in place, and cleans up completely', async () => {
    for (const tool of FAMILIES) {
      run(`${tool}-restore`, [], FOREIGN);
    }
    const before = FAMILIES.map(rules);
    await write(manifest(31269));
    await start('--proxy-mode=ipvs');
    expect(log.split('\n').filter((line) => line.includes('falling back to iptables'))).toHaveLength(1);
    await reached(() => everywhere('--dport 31269'));

    await write(manifest(70_000));
    await reached(() => log.includes('redis.yaml:9:35: Service work/saythx-redis: spec.ports[0].nodePort: 70000'));
    expect(everywhere('--dport 31269')).toBe(true);

    await write(manifest(31270));
    await reached(() => everywhere('--dport 31270') && !rules('iptables').includes('31269'));

    await end();
    expect(everywhere('--dport 31270')).toBe(true);
    const left = FAMILIES.map(rules);

    await start('--proxy-mode=iptables');
    expect(FAMILIES.map(rules)).toEqual(left);
    await end();
    FAMILIES.forEach((tool, index) => {
      expect(foreignOf(rules(tool))).toEqual(foreignOf(before[index] ?? ''));
    });

    run(process.execPath, [MAIN, 'cleanup']);
    expect(FAMILIES.map(rules)).toEqual(before);
    run(process.execPath, [MAIN, '--cleanup']);
    expect(FAMILIES.map(rules)).toEqual(before);
  });

  test('deletes UDP flows to removed endpoints, and no others, by netlink', async () => {
    const conntrack = join(tools, 'conntrack');
    await writeFile(conntrack, '#!/bin/sh\necho "$@" >> "$0.started"; exit 1\n', { mode: 0o755 });
    const insert = (client: string, endpoint: string) =>
      run('conntrack', [
        ...['-I', '-p', 'udp', '-t', '600', '-s', client, '-d', '10.96.0.10', '--sport', '4000', '--dport', '53'],
        ...['--reply-src', endpoint, '--reply-dst', client, '--reply-port-src', '53', '--reply-port-dst', '4000'],
      ]);
    const clients = () =>
      [...run('conntrack', ['-L', '-p', 'udp']).matchAll(/src=(192\.0\.2\.\d+) dst=10\.96/g)].map(
        ([, client]) => client,
      );
    insert('192.0.2.1', '10.244.0.2');
    insert('192.0.2.2', '10.244.0.9');
    await write(
      manifest(31053)
        .replace('port: 6379,', 'protocol: UDP, port: 53,')
        .replace('port: 6379 }]', 'protocol: UDP, port: 53 }]'),
    );
    await start('--proxy-mode=iptables');
    await reached(() => clients().length === 1);
    expect(clients()).toEqual(['192.0.2.1']);
    expect(existsSync(`${conntrack}.started`)).toBe(false);
    await end();
  });

  test('deletes SCTP flows to removed endpoints and to a removed Service', async () => {
    const port = 2905;
    const insert = (client: string, endpoint: string) =>
      run('conntrack', [
        ...['-I', '-p', 'sctp', '-t', '600', '--state', 'ESTABLISHED', '-s', client, '-d', '10.96.0.10'],
        ...['--orig-port-src', '4000', '--orig-port-dst', `${port}`, '--orig-vtag', '1', '--reply-vtag', '2'],
        ...['--reply-src', endpoint, '--reply-dst', client],
        ...['--reply-port-src', `${port}`, '--reply-port-dst', '4000'],
      ]);
    const clients = () =>
      [...run('conntrack', ['-L', '-p', 'sctp']).matchAll(/src=(192\.0\.2\.\d+) dst=10\.96/g)].map(
        ([, client]) => client,
      );
    insert('192.0.2.1', '10.244.0.2');
    insert('192.0.2.2', '10.244.0.9');
    expect(clients()).toHaveLength(2);
    await write(
      manifest(31_053)
        .replace('port: 6379,', `protocol: SCTP, port: ${port},`)
        .replace('port: 6379 }]', `protocol: SCTP, port: ${port} }]`),
    );
    await start('--proxy-mode=iptables');
    await reached(() => clients().length === 1);
    expect(clients()).toEqual(['192.0.2.1']);
    await rm(join(directory, 'redis.yaml'));
    await reached(() => clients().length === 0);
    await end();
  });

  // The kernel of these tests has no SCTP sockets: conntrack entries simulate associations.
  test.each(casesOf(['udp'], ['sctp']))(
    'keeps %s flows of an endpoint that terminates, and cuts them off when it is deleted',
    async (protocol) => {
      const sctp = protocol === 'sctp';
      const insert = (client: string, endpoint: string) =>
        run('conntrack', [
          ...[
            '-I',
            '-p',
            protocol,
            '-t',
            '600',
            '-s',
            client,
            '-d',
            '10.96.0.11',
            ...(sctp ? ['--state', 'ESTABLISHED'] : []),
          ],
          ...[sctp ? '--orig-port-src' : '--sport', '4000', sctp ? '--orig-port-dst' : '--dport', '2905'],
          ...(sctp ? ['--orig-vtag', '1', '--reply-vtag', '2'] : []),
          ...['--reply-src', endpoint, '--reply-dst', client],
          ...['--reply-port-src', '2905', '--reply-port-dst', '4000'],
        ]);
      const clients = () =>
        [...run('conntrack', ['-L', '-p', protocol]).matchAll(/src=(192\.0\.2\.\d+) dst=10\.96\.0\.11/g)].map(
          ([, client]) => client,
        );
      const port = `protocol: ${protocol.toUpperCase()}, port: 2905`;
      const cluster = (...endpoints: readonly string[]) => `apiVersion: v1
kind: Service
metadata: { name: life, namespace: work }
spec: { clusterIP: 10.96.0.11, ports: [{ ${port}, targetPort: 2905 }] }
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: { name: life-1, namespace: work, labels: { kubernetes.io/service-name: life } }
addressType: IPv4
ports: [{ ${port} }]
endpoints: [${endpoints.join(', ')}]
`;
      const ready = (address: string) => `{ addresses: [${address}] }`;
      const terminating = '{ addresses: [10.244.0.2], conditions: { ready: false, serving: true, terminating: true } }';
      await write(cluster(ready('10.244.0.2')));
      await start('--proxy-mode=iptables');
      await reached(() => rules('iptables').includes('10.244.0.2:2905'));
      insert('192.0.2.1', '10.244.0.2');
      await write(cluster(terminating, ready('10.244.0.3')));
      await reached(() => !rules('iptables').includes('10.244.0.2:2905'));
      // Another flow is deleted by the same sync, so the first one was checked and kept.
      insert('192.0.2.2', '10.244.0.3');
      await write(cluster(terminating, ready('10.244.0.4')));
      await reached(() => clients().length === 1);
      expect(clients()).toEqual(['192.0.2.1']);
      await write(cluster(ready('10.244.0.4')));
      await reached(() => clients().length === 0);
      expect(rules('iptables')).toContain('10.244.0.4:2905');
      await end();
    },
  );

  test('sets up the host with --init-only, and installs no rules of Services', async () => {
    const setting = (name: string) => run('cat', [`/proc/sys/net/${name}`]).trim();
    const closeWait = 'netfilter/nf_conntrack_tcp_timeout_close_wait';
    expect([setting(closeWait), setting('ipv4/conf/all/route_localnet')]).toEqual(['60', '0']);
    run(process.execPath, [MAIN, '--init-only', '--proxy-mode=iptables', '--conntrack-max-per-core=0']);
    expect([setting(closeWait), setting('ipv4/conf/all/route_localnet')]).toEqual(['3600', '1']);
    expect(rules('iptables')).toMatch(/^-A KUBE-FIREWALL .*-j DROP$/m);
    expect(rules('iptables')).not.toMatch(/KUBE-SERVICES/);
    run(process.execPath, [MAIN, 'cleanup']);
    expect(setting('ipv4/conf/all/route_localnet')).toBe('0');
  });
});
