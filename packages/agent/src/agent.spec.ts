import { mkdir, mkdtemp, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { RecordingLogger, until } from '@kube-proxier/core/testing';
import type { NodeStatus } from '@kube-proxier/server';
import type { ClusterEvent } from '@kube-proxier/source-kubernetes';
import { FakeApiServer } from '@kube-proxier/source-kubernetes/testing';
import { runCommand } from './agent.js';
import type { Composition } from './compose.js';
import { fakeComposition } from './testing/fake-composition.js';

const HEAD = 'apiVersion: kubeproxy.config.k8s.io/v1alpha1\nkind: KubeProxyConfiguration\n';
const SERVICE = `apiVersion: v1
kind: Service
metadata: { name: web, namespace: work }
spec: { clusterIP: 10.96.0.10, ports: [{ port: 80 }] }
`;

/** One run of the command in this process. */
class Run {
  output = '';
  errors = '';
  readonly logger = new RecordingLogger();
  readonly abort = new AbortController();
  readonly status: Promise<number>;
  #ended = false;

  constructor(args: readonly string[], composition: Composition) {
    this.status = runCommand(args, {
      composition,
      print: (text) => {
        this.output += text;
      },
      printError: (text) => {
        this.errors += text;
      },
      createLogger: () => this.logger,
      signal: this.abort.signal,
    }).finally(() => {
      this.#ended = true;
    });
  }

  get log(): readonly string[] {
    return this.logger.linesWithFields;
  }

  async until(pattern: RegExp): Promise<void> {
    const seen = () => `a log line that matches ${pattern}:\n${this.log.join('\n')}${this.errors}`;
    await until(() => {
      if (this.#ended) {
        throw new Error(`ended without ${seen()}`);
      }
      return this.log.some((line) => pattern.test(line));
    }, seen);
  }
}

async function freePort(): Promise<number> {
  const free = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => free.once('listening', resolve));
  const address = free.address();
  await new Promise((resolve) => free.close(resolve));
  return typeof address === 'object' && address ? address.port : 0;
}

describe('runCommand', () => {
  let directory: string;
  let manifests: string;
  let runs: Run[];
  const quiet = ['--metrics-bind-address=', '--healthz-bind-address=', '--hostname-override=n1'];

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'agent-'));
    manifests = join(directory, 'manifests');
    await mkdir(manifests);
    await writeFile(join(manifests, 'web.yaml'), SERVICE);
    runs = [];
  });

  afterEach(async () => {
    for (const run of runs) {
      run.abort.abort();
      await run.status;
    }
    await rm(directory, { recursive: true, force: true });
  });

  function run(args: readonly string[], composition: Composition = fakeComposition()): Run {
    const started = new Run(args, composition);
    runs.push(started);
    return started;
  }

  /** Replaces a file in one step. */
  async function write(name: string, text: string): Promise<string> {
    const path = join(directory, name);
    await writeFile(`${path}.tmp`, text);
    await rename(`${path}.tmp`, path);
    return path;
  }

  describe('with a configuration file', () => {
    const config = (rest = '') =>
      `${HEAD}mode: iptables\nhealthzBindAddress: 127.0.0.1:1\nmetricsBindAddress: 127.0.0.1:1\nnodePortAddresses: ` +
      `[primary]\n${rest}`;

    async function started(text: string): Promise<{ agent: Run; path: string }> {
      const path = await write('config.conf', text);
      const agent = run([`--config=${path}`, `--manifests=${manifests}`, '--hostname-override=n1']);
      await agent.until(/is running/);
      return { agent, path };
    }

    test('exits with 1 when the configuration changes, so that it is restarted (spec C-29)', async () => {
      const { agent } = await started(config());
      await write('config.conf', config('clusterCIDR: 10.0.0.0/8\n'));
      expect(await agent.status).toBe(1);
      expect(agent.log.at(-1)).toMatch(
        /^E kube-proxier cannot continue: content of the proxy server's configuration file was updated: /,
      );
    });

    test('keeps the previous configuration when the changed one is invalid, and reports all problems', async () => {
      const port = await freePort();
      const served = (rest = '') =>
        config(rest).replace('metricsBindAddress: 127.0.0.1:1\n', `metricsBindAddress: 127.0.0.1:${port}\n`);
      const problems = async () => {
        const status = await (await fetch(`http://127.0.0.1:${port}/debug/status`)).json();
        return (status as NodeStatus).problems.map(({ found }) => found).filter((found) => /configuration/.test(found));
      };
      const { agent } = await started(served());
      expect(await problems()).toEqual([]);
      await write('config.conf', served('clusterCIDR: nonsense\niptables: {masqueradeBit: 99}\n'));
      await agent.until(/config\.conf:7: clusterCIDR: "nonsense" is not a network/);
      await agent.until(/stays in force: .*config\.conf:8: iptables\.masqueradeBit: "99"/);
      expect(await problems()).toEqual([
        expect.stringMatching(/^the changed configuration is invalid: .*clusterCIDR: "nonsense" is not a network/),
        expect.stringMatching(/^the changed configuration is invalid: .*masqueradeBit: "99"/),
      ]);
      await write('config.conf', `# as before\n${served()}`);
      await agent.until(/was rewritten without an effective change/);
      expect(await problems()).toEqual([]);
      agent.abort.abort();
      expect(await agent.status).toBe(0);
    });

    test('detects the update of a mounted ConfigMap', async () => {
      for (const [version, text] of [
        ['1', config()],
        ['2', config('iptables: {masqueradeAll: true}\n')],
      ] as const) {
        await mkdir(join(directory, version));
        await writeFile(join(directory, version, 'config.conf'), text);
      }
      await symlink('1', join(directory, '..data'));
      await symlink('..data/config.conf', join(directory, 'config.conf'));
      const agent = run([`--config=${directory}/config.conf`, `--manifests=${manifests}`]);
      await agent.until(/is running/);
      await symlink('2', join(directory, '..data_tmp'));
      await rename(join(directory, '..data_tmp'), join(directory, '..data'));
      expect(await agent.status).toBe(1);
    });
  });

  test('writes the effective configuration, and starts nothing', async () => {
    const path = join(directory, 'out.yaml');
    const wrote = run(['--proxy-mode=iptables', '--masquerade-all', '--vmodule=a=1', `--write-config-to=${path}`]);
    expect(await wrote.status).toBe(0);
    expect(wrote.errors).toMatch(/warning: --vmodule: has no effect/);
    expect(await readFile(path, 'utf8')).toMatch(/^ {2}masqueradeAll: true$/m);
    const refused = run([`--write-config-to=${directory}/none/out.yaml`]);
    expect(await refused.status).toBe(1);
    expect(refused.errors).toMatch(
      /^kube-proxier: --write-config-to: .*ENOENT.*none\/out\.yaml'; give the path of a file/,
    );
  });

  test('does the privileged setup and exits, with --init-only', async () => {
    const composition = fakeComposition();
    expect(await run(['--init-only', '--proxy-mode=iptables'], composition).status).toBe(0);
    expect(composition.backend.prepared).toBe(1);
    expect(composition.backend.dataplanes.size).toBe(0);
    expect(Object.fromEntries(composition.sysctl.writes)).toEqual({
      'net/netfilter/nf_conntrack_max': '131072',
      'net/netfilter/nf_conntrack_tcp_timeout_established': '86400',
      'net/netfilter/nf_conntrack_tcp_timeout_close_wait': '3600',
    });
  });

  test.each([
    [undefined, /^I kube-proxier has stopped; installed rules stay in place/],
    [
      { servesWithoutProcess: false },
      /^I kube-proxier has stopped, and all connections are closed: in mode iptables they pass through its process/,
    ],
  ])('logs when it stops what stays, with capabilities %j', async (capabilities, line) => {
    const composition = fakeComposition();
    Object.assign(composition.backend, { capabilities });
    const agent = run([`--manifests=${manifests}`, ...quiet], composition);
    await agent.until(/is running/);
    agent.abort.abort();
    expect(await agent.status).toBe(0);
    expect(agent.log.at(-1)).toMatch(line);
  });

  test('sets its OOM score; a failure is a warning only if the score was set explicitly', async () => {
    const composition = fakeComposition();
    await run([`--manifests=${manifests}`, '--oom-score-adj=-500', ...quiet], composition).until(/is running/);
    expect(composition.files.contents.get('/proc/self/oom_score_adj')).toBe('-500');
    composition.files.readOnly.add('/proc/self/oom_score_adj');
    const asked = run([`--manifests=${manifests}`, '--oom-score-adj=-600', ...quiet], composition);
    await asked.until(/^W Cannot set .* to -600; the OOM score of this process is unchanged: EACCES.*CAP_SYS_RESOURCE/);
    const silent = run([`--manifests=${manifests}`, ...quiet], composition);
    await silent.until(/is running/);
    expect(silent.log.join('\n')).not.toMatch(/OOM/);
  });

  test('exits when a port is in use, with --bind-address-hard-fail', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => taken.once('listening', resolve));
    const address = taken.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const args = [`--manifests=${manifests}`, `--healthz-bind-address=127.0.0.1:${port}`, '--metrics-bind-address='];
    const events: ClusterEvent[] = [];
    const sink = { record: (event: ClusterEvent) => void events.push(event), stop: async () => {} };
    try {
      const tolerant = run(args);
      await tolerant.until(/^E The health server cannot listen on 127\.0\.0\.1:\d+; retrying/);
      await tolerant.until(/is running/);
      const strict = run([...args, '--bind-address-hard-fail'], fakeComposition({ events: () => sink }));
      expect(await strict.status).toBe(1);
      expect(strict.log.at(-1)).toMatch(
        /cannot continue: the health server cannot listen on .*EADDRINUSE.*\(see --healthz-bind-address, .*--bind-address-hard-fail\)/,
      );
      expect(events.map(({ reason }) => reason)).toContain('FailedToStartProxierHealthcheck');
    } finally {
      taken.close();
    }
  });

  test('rejects pods of an IP family that is not served, before it programs anything (spec K-111)', async () => {
    const composition = fakeComposition();
    const only4 = Object.assign(composition.backend, { probe: async () => ({ usable: true, families: ['IPv4'] }) });
    const refused = run([`--manifests=${manifests}`, '--cluster-cidr=fd00::/8', ...quiet], composition);
    expect(await refused.status).toBe(1);
    expect(refused.log.at(-1)).toMatch(/the configuration is invalid: --cluster-cidr fd00::\/8 has no IPv4 network/);
    expect(only4.dataplanes.size).toBe(0);
  });

  test('records events about its start, a mode that it cannot run, repairs and configuration problems', async () => {
    const events: ClusterEvent[] = [];
    const sink = { record: (event: ClusterEvent) => void events.push(event), stop: async () => {} };
    const composition = fakeComposition({ events: () => sink });
    const agent = run([`--manifests=${manifests}`, '--proxy-mode=ipvs', '--vmodule=a=1', ...quiet], composition);
    await agent.until(/is running/);
    const eventOf = (reason: string) => events.find((event) => event.reason === reason);
    expect(eventOf('ProxyModeFallback')).toMatchObject({
      type: 'Warning',
      note: 'This node cannot run proxy mode ipvs: the kernel has no ip_vs. It runs iptables instead.',
      regarding: { apiVersion: 'v1', kind: 'Node', name: 'n1' },
    });
    expect(eventOf('ConfigurationProblem')?.note).toMatch(/--vmodule: has no effect/);
    const plain = run([`--manifests=${manifests}`, ...quiet], composition);
    await plain.until(/is running/);
    expect(eventOf('Starting')).toMatchObject({ type: 'Normal', action: 'StartKubeProxy' });
  });

  test('reconciles foreign changes, counts them and records an event; serves its configuration', async () => {
    const events: ClusterEvent[] = [];
    const sink = { record: (event: ClusterEvent) => void events.push(event), stop: async () => {} };
    const composition = fakeComposition({ events: () => sink });
    const port = await freePort();
    const get = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).text();

    const flags = [
      `--metrics-bind-address=127.0.0.1:${port}`,
      '--healthz-bind-address=',
      '--iptables-min-sync-period=0',
    ];
    const agent = run(
      [`--manifests=${manifests}`, '--hostname-override=n1', '--masquerade-all', ...flags],
      composition,
    );
    await agent.until(/is running/);
    const installed = () => composition.backend.dataplanes.get('IPv4')?.contents.size ?? 0;
    while (installed() === 0) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    composition.backend.flush();
    await agent.until(/^W Drift repaired: everything is gone/);
    expect(installed()).toBe(1);
    expect(await get('/metrics')).toMatch(/^kube_proxier_drift_repairs_total\{ip_family="IPv4"\} 1$/m);
    expect(events.find(({ reason }) => reason === 'DriftRepaired')?.note).toMatch(
      /^IPv4 rules drifted and are being reconciled/,
    );
    expect(JSON.parse(await get('/configz'))).toMatchObject({
      'kubeproxy.config.k8s.io': {
        apiVersion: 'kubeproxy.config.k8s.io/v1alpha1',
        kind: 'KubeProxyConfiguration',
        mode: 'iptables',
        iptables: { masqueradeAll: true, minSyncPeriod: '0s' },
        conntrack: { maxPerCore: 32_768 },
        metricsBindAddress: `127.0.0.1:${port}`,
      },
    });
  });

  describe('doctor', () => {
    const facts = {
      kernel: '6.1.0',
      tools: { iptables: 'iptables v1.8.9 (nf_tables)', conntrack: 'conntrack v1.4.7' },
      brokenTools: {},
      netlink: { transport: 'koffi' as const },
      conntrackByNetlink: undefined,
      iptables: { legacy: undefined, nft: undefined },
      nftTables: [],
      interfaces: ['lo'],
      forwarded: { IPv4: { result: 'passed' as const }, IPv6: { result: 'passed' as const } },
      knowsPods: { IPv4: true, IPv6: true },
      unreadable: {},
      instance: undefined,
      kubeProxy: { status: 'not-found' } as const,
      listening: new Set<number>(),
      sysctls: {
        'net/ipv4/ip_forward': '1',
        'net/ipv4/conf/all/rp_filter': '0',
        'net/ipv4/conf/all/route_localnet': '0',
      },
      capabilities: 1n << 12n,
    };

    test('finds no problem, and exits with 0', async () => {
      const found = run(['doctor'], fakeComposition({ inspect: async () => facts }));
      expect(await found.status).toBe(0);
      expect(found.output).toMatch(/^ok {7}mode iptables +can be used$/m);
      expect(found.output).toMatch(/^warning {2}mode ipvs +cannot be used: the kernel has no ip_vs$/m);
      expect(found.output).toMatch(/\n\n0 problems, 1 warning, \d+ ok\n$/);
    });

    test('reports problems, and exits with 1', async () => {
      const off = { ...facts, sysctls: { ...facts.sysctls, 'net/ipv4/ip_forward': '0' } };
      const args = ['doctor', '--proxy-mode=ipvs', '--proxy-mode-fallback=none', '-o', 'json'];
      const found = run(args, fakeComposition({ inspect: async () => off }));
      expect(await found.status).toBe(1);
      const { healthy, checks } = JSON.parse(found.output);
      expect(healthy).toBe(false);
      const problems = checks.filter(({ status }: { status: string }) => status === 'problem');
      expect(problems.map(({ check }: { check: string }) => check)).toEqual(['mode ipvs', 'IPv4 forwarding']);
    });

    test('rejects an unknown output format before it checks anything', async () => {
      const found = run(['doctor', '-o', 'xml']);
      expect(await found.status).toBe(1);
      expect(found.output).toBe('');
      expect(found.errors).toBe('kube-proxier: --output: "xml" must be text, json, yaml or wide\n');
    });

    test('reports configuration problems together with everything else', async () => {
      const path = await write('config.conf', `${HEAD}mode: magic\nclusterCIDR: x\n`);
      const found = run(['doctor', `--config=${path}`]);
      expect(await found.status).toBe(1);
      expect(found.output).toMatch(/^problem {2}configuration +.*config\.conf:3: mode: unknown proxy mode/m);
      expect(found.output).toMatch(/^problem {2}configuration +.*config\.conf:4: clusterCIDR: "x" is not a network/m);
      expect(found.output).toMatch(/^ok {7}mode iptables/m);
    });

    test('checks access to the API server', async () => {
      const server = await FakeApiServer.start();
      try {
        server.forbidden.add('endpointslices');
        server.forbidden.add('servicecidrs');
        const found = run(['doctor', `--master=${server.url}`, '--hostname-override=n1']);
        expect(await found.status).toBe(1);
        expect(found.output).toMatch(/^ok {7}API services /m);
        expect(found.output).toMatch(/^problem {2}API endpointslices .* 403 Forbidden: endpointslices/m);
        expect(found.output).toMatch(/^warning {2}API servicecidrs .* 403 Forbidden/m);
        expect(found.output).toMatch(/^warning {2}API nodes +Node n1 does not exist$/m);
      } finally {
        await server.stop();
      }
      const away = run(['doctor', `--master=${server.url}`]);
      expect(await away.status).toBe(1);
      expect(away.output).toMatch(/^problem {2}API server .*ECONNREFUSED/m);
      expect(away.output).not.toMatch(/API services/);
    });
  });
});
