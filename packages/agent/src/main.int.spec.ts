import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { casesOf } from '@kube-proxier/core/testing';
import { FakeApiServer, TestCertificateAuthority } from '@kube-proxier/source-kubernetes/testing';

const PACKAGE = fileURLToPath(new URL('..', import.meta.url));
const ROOT = join(PACKAGE, '../..');
const MAIN = join(PACKAGE, 'dist/main.js');
/** The same process with a map instead of the kernel. */
const FAKE = join(PACKAGE, 'test/fake-agent.mjs');

const SERVICE = `apiVersion: v1
kind: Service
metadata: { name: web, namespace: work }
spec: { clusterIP: 10.96.0.10, ports: [{ port: 80 }] }
`;

class Running {
  output = '';
  log = '';
  readonly ended: Promise<{ readonly status: number | null; readonly signal: string | null }>;
  readonly #waiting = new Set<() => void>();

  constructor(readonly child: ChildProcess) {
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.output += text;
      this.#wake();
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.log += text;
      this.#wake();
    });
    this.ended = new Promise((resolve) => {
      child.on('close', (status, signal) => {
        resolve({ status, signal });
        this.#wake();
      });
    });
  }

  async until(pattern: RegExp): Promise<void> {
    while (!pattern.test(this.output + this.log)) {
      if (this.child.exitCode !== null) {
        throw new Error(`it ended without ${pattern}:\n${this.output}${this.log}`);
      }
      await new Promise<void>((resolve) => this.#waiting.add(resolve));
    }
  }

  #wake(): void {
    for (const resolve of this.#waiting) {
      resolve();
    }
    this.#waiting.clear();
  }
}

/** A port of the loopback address that is free now. */
async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

describe('the kube-proxier command', () => {
  let directory: string;
  let running: Running[];

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'agent-'));
    running = [];
  });

  afterEach(async () => {
    for (const { child, ended } of running) {
      child.kill('SIGKILL');
      await ended;
    }
    await rm(directory, { recursive: true, force: true });
  });

  interface StartOptions {
    readonly script?: string;
    readonly fault?: string;
    /** To start it in. */
    readonly directory?: string;
  }

  function start(
    args: readonly string[],
    { script = FAKE, fault = '', directory: cwd = ROOT }: StartOptions = {},
  ): Running {
    const env = { ...process.env, FAKE_FAULT: fault, KUBERNETES_SERVICE_HOST: '' };
    const child = spawn(process.execPath, [script, ...args], { env, cwd, stdio: ['ignore', 'pipe', 'pipe'] });
    const started = new Running(child);
    running.push(started);
    return started;
  }

  async function ends(args: readonly string[], options?: StartOptions) {
    const started = start(args, options);
    const { status } = await started.ended;
    return { status, output: started.output, log: started.log };
  }

  test('prints its version and its help', async () => {
    expect(await ends(['--version'], { script: MAIN })).toMatchObject({
      status: 0,
      output: expect.stringMatching(/^kube-proxier \d+\.\d+\.\d+\n$/),
      log: '',
    });
    const help = await ends(['--help'], { script: MAIN });
    expect(help).toMatchObject({ status: 0, log: '' });
    expect(help.output).toMatch(/^Usage: kube-proxier --kubeconfig <path> \| --manifests <path>/);
  });

  test.each(casesOf([32, 255], [64, 96, 120]))('reports in one line that %d open files are too few', (limit) => {
    const script = 'ulimit -n "$1"; exec "$2" "$3" --help';
    const { status, stderr, stdout } = spawnSync('sh', ['-c', script, 'sh', `${limit}`, process.execPath, MAIN], {
      encoding: 'utf8',
    });
    const advice = 'raise it (ulimit -n, LimitNOFILE)';
    expect([status, stdout, stderr]).toEqual([
      1,
      '',
      `kube-proxier cannot start: the open files limit is ${limit}, but must be at least 256; ${advice}\n`,
    ]);
  });

  test('a full disk is an error, and a reader that closes early is not', () => {
    const run = (script: string) =>
      spawnSync('bash', ['-c', script, 'bash', process.execPath, MAIN], { encoding: 'utf8' });
    const full = run('"$1" "$2" help >/dev/full');
    expect(full.stderr).toMatch(/^kube-proxier: the output is incomplete: ENOSPC/);
    expect(full.status).toBe(1);
    const first = run('"$1" "$2" help | head -n 1; exit "$PIPESTATUS"');
    expect([first.status, first.stderr]).toEqual([0, '']);
  });

  test('reports all problems of its flags, and exits with 1', async () => {
    const wrong = ['--manifest=m', '--proxy-mode=magic', '--v=x', 'extra'];
    const { status, output, log } = await ends(wrong, { script: MAIN });
    expect({ status, output }).toEqual({ status: 1, output: '' });
    // A missing Service source is not reported when a flag is misspelt.
    expect(log.trim().split('\n')).toEqual([
      'kube-proxier: unknown flag --manifest; did you mean --manifests?',
      'kube-proxier: kube-proxier takes no arguments except flags, but got "extra"; see kube-proxier --help',
      expect.stringMatching(/^kube-proxier: --proxy-mode: unknown proxy mode "magic"; available modes: .*ipvs/),
      'kube-proxier: --v: "x" must be a verbosity level from 0, such as 2',
    ]);
    expect(await ends([], { script: MAIN })).toMatchObject({
      status: 1,
      log: expect.stringMatching(/^kube-proxier: no Service source configured: give --kubeconfig .*\n$/),
    });
  });

  test('uses the API server of a kubeconfig, survives an outage, and stops in time', async () => {
    const authority = new TestCertificateAuthority();
    const { certificate, key } = authority.issue({ commonName: 'api', hosts: ['127.0.0.1'], use: 'server' });
    const server = await FakeApiServer.start({ tls: { certificate, key }, tokens: new Set(['good']) });
    const put = (name: string, clusterIP: string) =>
      server.store.put('services', {
        metadata: { name, namespace: 'work' },
        spec: { clusterIP, ports: [{ port: 80 }] },
      });
    put('web', '10.96.0.10');
    const kubeconfig = join(directory, 'kubeconfig.conf');
    await writeFile(join(directory, 'token'), 'good\n');
    await writeFile(join(directory, 'ca.crt'), authority.certificate);
    // As kubeadm writes it for kube-proxy.
    await writeFile(
      kubeconfig,
      `apiVersion: v1
kind: Config
clusters:
- cluster: { certificate-authority: ca.crt, server: "${server.url}" }
  name: default
contexts:
- context: { cluster: default, namespace: default, user: default }
  name: default
current-context: default
users:
- name: default
  user: { tokenFile: token }
`,
    );
    try {
      const agent = start([`--kubeconfig=${kubeconfig}`, '--hostname-override=n1', '--iptables-min-sync-period=0']);
      await agent.until(/IPv4 .*work\/web/);
      expect(agent.log).toMatch(/is running .*watching="the API server https:\/\/127\.0\.0\.1:\d+"/);
      await server.goAway();
      await agent.until(/does not answer correctly/);
      put('api', '10.96.0.11');
      await server.comeBack();
      await agent.until(/IPv4 .*work\/api/);
      agent.child.kill('SIGTERM');
      expect(await agent.ended).toEqual({ status: 0, signal: null });
      const refused = await ends([`--kubeconfig=${directory}/none`]);
      expect(refused.status).toBe(1);
      expect(refused.log).toMatch(/cannot continue: the kubeconfig cannot be read: .*ENOENT/);
    } finally {
      await server.stop();
    }
  });

  test('reports that the directory is missing', async () => {
    const { status, log } = await ends([`--manifests=${directory}/none`, '--proxy-mode=iptables']);
    expect(status).toBe(1);
    expect(log).toMatch(/ERROR kube-proxier cannot continue: .*none does not exist \(ENOENT\)/);
  });

  test.each(casesOf<'SIGTERM' | 'SIGINT'>(['SIGTERM'], ['SIGINT']))(
    'runs, follows changes, and stops in time on %s',
    async (signal) => {
      await writeFile(join(directory, 'web.yaml'), SERVICE);
      const agent = start([`--manifests=${directory}`, '--hostname-override=N1', '--iptables-min-sync-period=0']);
      await agent.until(/^IPv4 work\/web:\/TCP$/m);
      await agent.until(/is running/);
      expect(agent.log).toMatch(/WARN {2}No proxy mode configured; using iptables/);
      expect(agent.log).toMatch(
        /is running mode="iptables" why="the default" nodeName="n1" families="IPv4[^"]*" watching="manifests in /,
      );
      await writeFile(join(directory, 'tmp'), SERVICE.replace('port: 80', 'port: 81, name: http'));
      await rename(join(directory, 'tmp'), join(directory, 'web.yaml'));
      await agent.until(/^IPv4 work\/web:http\/TCP$/m);
      agent.child.kill(signal);
      expect(await agent.ended).toEqual({ status: 0, signal: null });
      expect(agent.log).toMatch(/kube-proxier has stopped; installed rules stay in place/);
    },
  );

  test('serves a heap snapshot, and changes the log verbosity on request, with --profiling', async () => {
    await writeFile(join(directory, 'web.yaml'), SERVICE);
    const status = `127.0.0.1:${await freePort()}`;
    const agent = start([
      ...[`--manifests=${directory}`, '--proxy-mode=iptables', '--iptables-min-sync-period=0', '--profiling'],
      ...[`--metrics-bind-address=${status}`, '--healthz-bind-address='],
    ]);
    await agent.until(/^IPv4 work\/web:\/TCP$/m);
    await agent.until(/is running/);
    const heap = await (await fetch(`http://${status}/debug/pprof/heap`)).text();
    expect(heap.slice(0, 200)).toContain('"snapshot":{"meta":{"node_fields"');
    expect(heap.slice(-10)).toMatch(/\}\s*$/);
    const answer = await fetch(`http://${status}/debug/flags/v`, { method: 'PUT', body: '2' });
    expect(await answer.text()).toBe('successfully set klog.logging.verbosity to 2');
    await agent.until(/INFO {2}Set the log verbosity by request v=2/);
    expect(agent.log).not.toContain('DEBUG');
    await writeFile(join(directory, 'tmp'), SERVICE.replace('port: 80', 'port: 81, name: http'));
    await rename(join(directory, 'tmp'), join(directory, 'web.yaml'));
    await agent.until(/DEBUG Synced family="IPv4"/);
  });

  test('stops in time even if something hangs, and immediately on a second signal', async () => {
    const hanging = start([`--manifests=${directory}`], { fault: 'hang' });
    await hanging.until(/is running/);
    hanging.child.kill('SIGTERM');
    expect(await hanging.ended).toEqual({ status: 0, signal: null });

    const again = start([`--manifests=${directory}`], { fault: 'hang' });
    await again.until(/is running/);
    again.child.kill('SIGTERM');
    await again.until(/is stopping/);
    again.child.kill('SIGTERM');
    expect(await again.ended).toEqual({ status: 0, signal: null });
  });

  test('falls back from ipvs, and logs the reason in one line', async () => {
    const agent = start([`--manifests=${directory}`, '--proxy-mode=ipvs']);
    await agent.until(/is running/);
    const lines = agent.log.split('\n').filter((line) => line.includes('falling back'));
    expect(lines).toEqual([
      expect.stringMatching(
        /WARN {2}Cannot use proxy mode ipvs: the kernel has no ip_vs; falling back to iptables detail="a map"$/,
      ),
    ]);
    const refused = await ends([`--manifests=${directory}`, '--proxy-mode=ipvs', '--proxy-mode-fallback=none']);
    expect(refused.status).toBe(1);
    expect(refused.log).toMatch(/cannot use proxy mode ipvs: the kernel has no ip_vs/);
  });

  test('runs a third-party backend, whose package is installed next to it', async () => {
    const home = join(directory, 'node_modules/kube-proxier-backend-acme');
    await mkdir(join(directory, 'manifests'));
    await writeFile(join(directory, 'manifests/web.yaml'), SERVICE);
    await mkdir(home, { recursive: true });
    await writeFile(
      join(home, 'package.json'),
      JSON.stringify({ name: 'kube-proxier-backend-acme', type: 'module', exports: './index.js' }),
    );
    // A third-party package has its own dependencies.
    await symlink(join(ROOT, 'node_modules'), join(home, 'node_modules'));
    await writeFile(
      join(home, 'index.js'),
      `import { ReconcilingProxier, Tokens } from '@kube-proxier/core';
import { FakeDataplane } from '@kube-proxier/core/testing';
import { ContainerModule } from 'inversify';
export const acme = {
  mode: 'acme',
  description: 'Programs a map of its own',
  probe: async () => ({ usable: true }),
  module: new ContainerModule(({ bind }) => {
    bind(Tokens.ProxierFactory).toConstantValue((context) => {
      const dataplane = new FakeDataplane();
      const observer = { synced: () => console.log(\`acme \${context.family} \${[...dataplane.contents.keys()]}\`) };
      return new ReconcilingProxier({ mode: 'acme', context: { ...context, observer }, dataplane });
    });
    bind(Tokens.Cleanup).toConstantValue(async () => console.log('acme is cleaned up'));
  }),
};
`,
    );
    const flags = ['--backend=kube-proxier-backend-acme', `--manifests=${join(directory, 'manifests')}`];
    const agent = start(flags, { directory });
    await agent.until(/^acme IPv4 work\/web:\/TCP$/m);
    await agent.until(/is running mode="acme"/);
    expect((await ends(['cleanup', ...flags], { directory })).output).toMatch(/acme is cleaned up/);
    const unknown = await ends([...flags, '--backend=./none.js', '--proxy-mode=acme', '--v=x'], { directory });
    expect(unknown.log.trim().split('\n')).toEqual([
      expect.stringMatching(
        /^kube-proxier: --backend: "\.\/none\.js" cannot be loaded: .*; install it next to kube-proxier/,
      ),
      expect.stringMatching(/^kube-proxier: --v: "x" must be/),
    ]);
  });

  test.each(casesOf(['cleanup'], ['--cleanup']))('cleans up with %s', async (argument) => {
    expect(await ends([argument])).toMatchObject({
      status: 0,
      output:
        'cleaned up\nCleaned up after mode iptables; its backend does not report what it removed\n' +
        'Cleaned up after mode ipvs; its backend does not report what it removed\n',
    });
    const dry = await ends([argument, '--dry-run', '--proxy-mode=iptables']);
    expect(dry).toMatchObject({
      status: 0,
      output: 'Cannot list what would be removed of mode iptables: its backend does not support it\n',
    });
    expect(await ends([argument, '--proxy-mode=ipvs'])).toMatchObject({
      status: 0,
      output: 'Cleaned up after mode ipvs; its backend does not report what it removed\n',
    });
    const failed = await ends([argument], { fault: 'cleanup' });
    expect(failed.status).toBe(1);
    expect(failed.log).toMatch(/encountered an error while tearing down rules \(iptables: injected fault\)/);
  });

  test.each(casesOf(['throw', 'give-up'], ['reject']))('never ends silently (%s)', async (fault) => {
    const { status, log } = await ends([`--manifests=${directory}`, '--logging-format=json'], { fault });
    expect(status).toBe(1);
    expect(log.trim().split('\n').at(-1)).toMatch(/injected(\\n| )fault/);
  });
});
