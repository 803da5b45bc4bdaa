import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { makeService, makeSlice, runCount, until } from '@kube-proxier/core/testing';
import { replayRecording } from '@kube-proxier/server';

const AGENT = fileURLToPath(new URL('../../bin/kube-proxier.js', import.meta.url));

let directory: string;
let agent: ChildProcess | undefined;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'recording-on-disk-'));
  mkdirSync(join(directory, 'manifests'));
});
afterEach(() => {
  agent?.kill('SIGKILL');
  rmSync(directory, { recursive: true, force: true });
});

/** Writes what the agent reads: the endpoint has this number. */
function write(number: number): void {
  const objects = [makeService('shop/web'), makeSlice('shop/web', [`127.0.0.${number}`])];
  const text = objects.map((object) => JSON.stringify(object)).join('\n---\n');
  writeFileSync(join(directory, 'next'), text);
  renameSync(join(directory, 'next'), join(directory, 'manifests', 'web.yaml'));
}

/** The number of the endpoint that was in force at the end of the last file. */
async function recordedNumber(): Promise<number> {
  const files = readdirSync(join(directory, 'recording')).sort();
  const data = readFileSync(join(directory, 'recording', files.at(-1) ?? ''));
  async function* once() {
    yield data;
  }
  const { replay } = await replayRecording(once());
  const [port] = replay.inForce('IPv4')?.servicePorts.values() ?? [];
  return Number(port?.cluster[0]?.address.split('.')[3] ?? 0);
}

test('a recording on disk survives SIGKILL, except for the last second', async () => {
  const port = 20_000 + (process.pid % 10_000);
  const numberInForce = async () => {
    const answer = await fetch(`http://127.0.0.1:${port}/debug/state`).catch(() => undefined);
    const state = (await answer?.json()) as
      | { families: { IPv4?: { servicePorts: { cluster: string[] }[] } } }
      | undefined;
    return Number(/127\.0\.0\.(\d+)/.exec(state?.families.IPv4?.servicePorts[0]?.cluster[0] ?? '')?.[1] ?? 0);
  };
  for (let round = 0; round < runCount(2, 20); round += 1) {
    const first = 10 + round * 10;
    write(first);
    agent = spawn(process.execPath, [
      ...[AGENT, '--proxy-mode=userspace', '--userspace-redirect=none', '--allow-multiple-instances'],
      ...[`--manifests=${join(directory, 'manifests')}`, '--healthz-bind-address=', '--iptables-min-sync-period=0s'],
      ...[`--metrics-bind-address=127.0.0.1:${port}`, `--recording-directory=${join(directory, 'recording')}`],
    ]);
    const ended = new Promise((resolve) => agent?.once('exit', resolve));
    const programmed: { readonly number: number; readonly time: number }[] = [];
    for (let number = first; number < first + 6; number += 1) {
      write(number);
      await until(async () => (await numberInForce()) === number);
      programmed.push({ number, time: Date.now() });
    }
    const killed = Date.now();
    agent.kill('SIGKILL');
    await ended;
    const due = programmed.filter(({ time }) => time <= killed - 1000).map(({ number }) => number);
    expect(due.length).toBeGreaterThan(0);
    expect(await recordedNumber()).toBeGreaterThanOrEqual(Math.max(...due));
  }
});
