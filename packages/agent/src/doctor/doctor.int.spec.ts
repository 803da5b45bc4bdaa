import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { Diagnosis } from '@kube-proxier/core';
import { seesAllProcesses } from '@kube-proxier/linux';
import { canMakeNamespaces, makeNamespace, type TestNamespace } from '@kube-proxier/linux/testing';
import { NOBODY } from '../testing/nobody.js';

const AGENT = fileURLToPath(new URL('../../bin/kube-proxier.js', import.meta.url));

interface Findings {
  readonly status: number | null;
  readonly healthy: boolean;
  readonly complete: boolean;
  readonly checks: readonly Diagnosis[];
}

const whereAllowed = canMakeNamespaces() ? describe : describe.skip;

whereAllowed('kube-proxier doctor', () => {
  let namespace: TestNamespace;
  let directory: string;
  let namespaces: TestNamespace[];
  let children: ChildProcess[];

  beforeEach(() => {
    namespaces = [];
    children = [];
    namespace = another();
    directory = mkdtempSync(join(tmpdir(), 'doctor-'));
    execFileSync('chmod', ['755', directory]);
    copyFileSync('/bin/sleep', join(directory, 'kube-proxy'));
    writeFileSync(
      join(directory, 'web.yaml'),
      'apiVersion: v1\nkind: Service\nmetadata: {name: web, namespace: work}\nspec: {clusterIP: 10.96.0.10, ports: ' +
        '[{port: 80}]}\n',
    );
  });

  afterEach(() => {
    for (const child of children) {
      child.kill('SIGKILL');
    }
    for (const one of namespaces) {
      one.remove();
    }
    rmSync(directory, { recursive: true, force: true });
  });

  function another(): TestNamespace {
    const made = makeNamespace();
    execFileSync('nsenter', [
      ...made.prefix.slice(1),
      'sh',
      '-c',
      'ip link set lo up; echo 1 > /proc/sys/net/ipv4/ip_forward',
    ]);
    namespaces.push(made);
    return made;
  }

  async function start({ prefix: [command = '', ...args] }: TestNamespace, ...rest: readonly string[]) {
    const child = spawn(command, [...args, ...rest], { stdio: ['pipe', 'ignore', 'pipe'] });
    children.push(child);
    await once(child, 'spawn');
    return child;
  }

  function doctor(before: readonly string[] = [], ...flags: readonly string[]): Findings {
    const [command = '', ...args] = [...namespace.prefix, ...before, process.execPath, AGENT, 'doctor', '-o', 'json'];
    const { status, stdout } = spawnSync(command, [...args, '--proxy-mode=nftables', ...flags], { encoding: 'utf8' });
    return { status, ...(JSON.parse(stdout) as Omit<Findings, 'status'>) };
  }

  const row = ({ checks }: Findings, check: string) => checks.find((one) => one.check === check);

  test('as root it checks everything; without privileges the other checks are "unknown"', async () => {
    const asRoot = doctor();
    expect(row(asRoot, 'iptables variants')).toMatchObject({ status: 'ok' });
    expect(row(asRoot, 'leftovers')).toMatchObject({ status: 'ok' });
    expect(row(asRoot, 'stale flows')).toMatchObject({ status: 'ok' });
    expect(row(asRoot, 'other proxies')?.status).toBe((await seesAllProcesses()) ? 'ok' : 'unknown');

    // A leftover that only root can list.
    await namespace.runner.run({ command: 'nft', args: ['add', 'table', 'ip', 'kube-proxy'] });
    expect(row(doctor(), 'leftovers')).toMatchObject({ status: 'warning' });
    const asNobody = doctor(NOBODY);
    for (const check of ['iptables variants', 'leftovers', 'stale flows']) {
      expect(row(asNobody, check)).toMatchObject({ status: 'unknown', advice: expect.stringMatching(/as root/) });
    }
    expect(row(asNobody, 'capabilities')).toMatchObject({ status: 'problem' });
    expect(asNobody).toMatchObject({ status: 1, healthy: false, complete: false });
    expect(row(doctor(NOBODY, '--proxy-mode=userspace'), 'leftovers')?.status).toBe('unknown');
  });

  test('it reports proxies of this network namespace only, and no shell', async () => {
    const elsewhere = another();
    await start(elsewhere, join(directory, 'kube-proxy'), '3600');
    // A shell that runs doctor in a script.
    await start(namespace, 'sh', '-c', 'read line; : kube-proxy; : kube-proxier doctor');
    const others = row(doctor(), 'other proxies');
    expect(others?.status).not.toMatch(/problem|warning/);
    expect(others?.found).toMatch(/^(none runs|no kube-proxier runs)/);
    // Without permission to read the namespace, the result is unknown.
    expect(row(doctor(NOBODY), 'other proxies')).toMatchObject({ status: 'unknown' });

    const here = await start(namespace, join(directory, 'kube-proxy'), '3600');
    const deadline = Date.now() + 60_000;
    let found = doctor();
    while (row(found, 'other proxies')?.status !== 'problem' && Date.now() < deadline) {
      found = doctor();
    }
    expect(row(found, 'other proxies')?.found).toBe(`kube-proxy (pid ${here.pid}) runs in this network namespace`);
    expect(found.status).toBe(1);
  });

  test('while a kube-proxier runs, it is reported, and no cleanup is advised', async () => {
    const agent = await start(
      namespace,
      ...[process.execPath, AGENT, `--manifests=${directory}`, '--proxy-mode=iptables', '--hostname-override=n1'],
    );
    await new Promise<void>((resolve, reject) => {
      let log = '';
      agent.stderr?.setEncoding('utf8').on('data', (text: string) => {
        log += text;
        if (log.includes('First sync')) {
          resolve();
        }
      });
      agent.once('exit', () => reject(new Error(log)));
    });
    // For another mode than the one in force, its chains would be leftovers.
    for (const before of [[], NOBODY]) {
      const found = doctor(before);
      expect(row(found, 'other proxies')?.found).toContain(`kube-proxier runs: pid ${agent.pid} (kube-proxier `);
      expect(row(found, 'port 10256')).toMatchObject({ status: 'ok', found: 'is in use while a kube-proxier runs' });
      expect(JSON.stringify(found.checks)).not.toMatch(/--cleanup|kube-proxier cleanup/);
    }
    expect(row(doctor(), 'leftovers')?.status).toBe('ok');
  });
});
