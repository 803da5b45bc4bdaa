import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { canMakeNamespaces, makeNamespace, type TestNamespace } from '@kube-proxier/linux/testing';
import { NOBODY } from './testing/nobody.js';

const AGENT = fileURLToPath(new URL('../bin/kube-proxier.js', import.meta.url));
const MANIFEST = `apiVersion: v1
kind: Service
metadata: { name: web, namespace: work }
spec: { clusterIP: 10.96.0.10, ports: [{ port: 80 }] }
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: { name: web-1, namespace: work, labels: { kubernetes.io/service-name: web } }
addressType: IPv4
ports: [{ port: 8080 }]
endpoints: [{ addresses: [10.244.0.5] }, { addresses: [10.244.0.6] }]
`;
/** Lines that are logged only once on a host, when it is changed for the first time. */
const FIRST_TIME = /INFO {2}(Set conntrack sysctls|set route_localnet=1) /;

const whereAllowed = canMakeNamespaces() ? describe : describe.skip;

whereAllowed('the log of a start', () => {
  let namespace: TestNamespace;
  let directory: string;
  let child: ChildProcess | undefined;

  beforeEach(() => {
    namespace = makeNamespace();
    execFileSync('nsenter', [...namespace.prefix.slice(1), 'ip', 'link', 'set', 'lo', 'up']);
    directory = mkdtempSync(join(tmpdir(), 'start-log-'));
    execFileSync('chmod', ['755', directory]);
    writeFileSync(join(directory, 'web.yaml'), MANIFEST, { mode: 0o644 });
  });

  afterEach(() => {
    child?.kill('SIGKILL');
    namespace.remove();
    rmSync(directory, { recursive: true, force: true });
  });

  /** The log up to the matching line, with variable parts replaced. */
  function start(
    last: RegExp,
    flags: readonly string[],
    { before = [], env = {} }: { readonly before?: readonly string[]; readonly env?: Record<string, string> } = {},
  ): Promise<readonly string[]> {
    const [command = '', ...args] = [
      ...namespace.prefix,
      ...before,
      ...[process.execPath, AGENT, `--manifests=${directory}`, '--hostname-override=worker-1', ...flags],
    ];
    const started = spawn(command, args, { stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, ...env } });
    child = started;
    return new Promise((resolve, reject) => {
      let log = '';
      started.stderr?.setEncoding('utf8').on('data', (text: string) => {
        log += text;
        if (last.test(log)) {
          resolve(log.trimEnd().split('\n').map(normalised));
        }
      });
      started.once('close', () => reject(new Error(`it ended without ${last}:\n${log}`)));
    });
  }

  const normalised = (line: string) =>
    line
      .replace(/^\S+Z /, '')
      .replace(/pid=\d+/, 'pid=PID')
      .replace(/nodejs="v[\d.]+"/, 'nodejs="VERSION"')
      .replace(/kube-proxier \d+\.\d+\.\d+\S*/, 'kube-proxier VERSION')
      .replace(/detail="[^"]+"/, 'detail="DETAIL"')
      .replace(/milliseconds=\d+/, 'milliseconds=N')
      .replace(/families="IPv4(,IPv6)?"/, 'families="FAMILIES"')
      .replaceAll(directory, 'DIRECTORY');

  const FIRST_SYNC = /First sync.*\n/;

  test('of a plain agent with a cluster CIDR has six lines', async () => {
    const log = await start(FIRST_SYNC, ['--cluster-cidr=10.244.0.0/16', '--proxy-mode=iptables']);
    expect(log.filter((line) => !FIRST_TIME.test(line))).toEqual([
      'INFO  kube-proxier VERSION is starting nodeName="worker-1" pid=PID nodejs="VERSION"',
      'INFO  Using proxy mode iptables detail="DETAIL"',
      'INFO  NodePorts are served on all addresses of this node; consider --nodeport-addresses=primary, to serve them ' +
        "on the node's own only",
      'INFO  manifests in DIRECTORY: read 2 objects in 1 file',
      'INFO  kube-proxier VERSION is running mode="iptables" nodeName="worker-1" families="FAMILIES" ' +
        'watching="manifests in DIRECTORY"',
      'INFO  First sync: this node is programmed services=1 endpoints=2 families="FAMILIES" milliseconds=N',
    ]);
  });

  test('of one without warns that pods cannot be distinguished from external clients', async () => {
    const log = await start(FIRST_SYNC, ['--proxy-mode=nftables']);
    expect(log.filter((line) => !/^INFO /.test(line))).toEqual([
      expect.stringMatching(/^WARN {2}The configuration may be incomplete or invalid: --cluster-cidr is not set, /),
    ]);
    expect(log.filter((line) => /^INFO /.test(line)).length).toBeLessThanOrEqual(7);
  });

  test('without privileges gives the reason of a fallback once', async () => {
    const flags = ['--proxy-mode=nftables', '--proxy-mode-fallback=userspace', '--cluster-cidr=10.244.0.0/16'];
    const log = (await start(FIRST_SYNC, flags, { before: NOBODY })).join('\n');
    expect(log.match(/the kernel does not permit this/g)).toHaveLength(1);
    expect(log.match(/Cluster IPs are not redirected/g)).toHaveLength(1);
    expect(log).toMatch(/is running mode="userspace" why="in place of nftables"/);
    expect(log).not.toMatch(/OOM|Connection tracking keeps/);
    expect(log).not.toMatch(/the nat table cannot be listed/);
  });

  test('of one that lacks a capability names it', async () => {
    const flags = ['--proxy-mode=nftables', '--proxy-mode-fallback=none'];
    const root = ['setpriv', '--bounding-set=-net_admin'];
    const log = start(/ERROR .*\n/, flags, { before: root });
    expect((await log).at(-1)).toMatch(
      /cannot use proxy mode nftables: the kernel does not permit this: this process has no CAP_NET_ADMIN; run it/,
    );
  });

  test('contains warnings of Node as log lines', async () => {
    // Sent when the process has its own listeners: Node may take long to start.
    const emit = "process.emitWarning('something is odd', 'OddWarning')";
    const when = `process.listenerCount('uncaughtException') > 0 && (clearInterval(timer), ${emit})`;
    const warn = `data:text/javascript,const timer = setInterval(() => ${when}, 10)`;
    const log = await start(/something is odd.*\n/, ['--cluster-cidr=10.244.0.0/16', '--proxy-mode=nftables'], {
      env: { NODE_OPTIONS: `--import="${warn}"` },
    });
    expect(log).toContain('WARN  Node.js warning (OddWarning): something is odd');
    expect(log.filter((line) => !/^(INFO|WARN) /.test(line))).toEqual([]);
  });
});
