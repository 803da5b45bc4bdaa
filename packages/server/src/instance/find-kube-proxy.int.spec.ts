import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import { until } from '@kube-proxier/core/testing';
import { seesAllProcesses } from '@kube-proxier/linux';
import { canMakeNamespaces, makeNamespace, type TestNamespace } from '@kube-proxier/linux/testing';
import type { KubeProxyFinding } from './find-kube-proxy.js';

const SERVER = new URL('../../dist/index.js', import.meta.url).href;
const LOOK = `import { findKubeProxy } from ${JSON.stringify(SERVER)}; console.log(JSON.stringify(await findKubeProxy()))`;
const ANSWER = `
import { createServer } from 'node:http';
const headers = process.argv[1] === 'ours' ? { Server: 'kube-proxier' } : {};
createServer((request, response) => response.writeHead(200, headers).end('ipvs')).listen(10249, '127.0.0.1', () => console.log('up'));
`;
const directory = mkdtempSync(join(tmpdir(), 'find-kube-proxy-'));
const whereAllowed = canMakeNamespaces() ? describe : describe.skip;

whereAllowed('kube-proxy in a network namespace', () => {
  const namespaces: TestNamespace[] = [];
  const children: ChildProcess[] = [];
  const namespace = () => {
    const made = makeNamespace();
    execFileSync('nsenter', [...made.prefix.slice(1), 'ip', 'link', 'set', 'lo', 'up']);
    namespaces.push(made);
    return made;
  };
  const start = async ({ prefix: [command = '', ...args] }: TestNamespace, ...rest: readonly string[]) => {
    const child = spawn(command, [...args, ...rest], { stdio: ['pipe', 'pipe', 'ignore'] });
    children.push(child);
    await once(child, 'spawn');
    return child;
  };
  const look = ({ prefix: [command = '', ...args] }: TestNamespace, before: readonly string[] = []) => {
    const node = [...before, process.execPath, '--input-type=module', '-e', LOOK];
    return JSON.parse(execFileSync(command, [...args, ...node], { encoding: 'utf8' })) as KubeProxyFinding;
  };
  afterEach(() => {
    for (const child of children.splice(0)) {
      child.kill('SIGKILL');
    }
    for (const made of namespaces.splice(0)) {
      made.remove();
    }
  });
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  test('is found in its own network namespace only, and a shell with its name as an argument is not', async () => {
    const program = join(directory, 'kube-proxy');
    copyFileSync('/bin/sleep', program);
    const here = namespace();
    const elsewhere = namespace();
    const shell = await start(here, 'sh', '-c', 'read line; : kube-proxy --proxy-mode=iptables');
    // If this test runs in its own PID namespace, "not found" is reported as "unknown".
    const nothing = (await seesAllProcesses()) ? 'not-found' : 'unknown';
    expect(look(here).status).toBe(nothing);
    const child = await start(here, program, '600');
    // nsenter executes the program slightly later.
    await until(() => look(here).status === 'found');
    expect(look(here)).toEqual({ status: 'found', pid: child.pid, how: `process ${child.pid}` });
    expect(look(elsewhere).status).toBe(nothing);
    expect(shell.exitCode).toBeNull();
    // For a user without permission to read its namespace, the result is "unknown".
    // It may still read all files, as the clone may be in a private directory.
    const caps = ['--bounding-set', '--inh-caps', '--ambient-caps'].map((option) => `${option}=-all,+dac_read_search`);
    const nobody = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', ...caps];
    expect(look(elsewhere, nobody).status).toBe('unknown');
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(look(here).status).toBe(nothing);
  });

  test('is found by its HTTP response where its processes are hidden; kube-proxier is not mistaken for it', async () => {
    const here = namespace();
    const hidden = ['unshare', '--pid', '--fork', '--mount-proc'];
    expect(look(here, hidden).status).toBe('unknown');
    const program = join(directory, 'answering');
    symlinkSync(process.execPath, program);
    for (const [who, found] of [
      ['ours', { status: 'unknown' }],
      ['kube-proxy', { status: 'found', mode: 'ipvs', how: 'http://127.0.0.1:10249/proxyMode' }],
    ] as const) {
      const child = await start(here, program, '--input-type=module', '-e', ANSWER, who);
      if (child.stdout) {
        await once(child.stdout, 'data');
      }
      expect(look(here, hidden)).toMatchObject(found);
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
  });
});
