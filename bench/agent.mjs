#!/usr/bin/env node
// What the whole command holds of memory with a large cluster: npm run bench:agent (as root). It runs in a network
// namespace of its own, in mode iptables, with the API server of bench/source-kubernetes.mjs. Medians of three runs.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bringLoopbackUp, cleanUpAgent, runInNewNetwork, startAgent, writeKubeconfig } from './lib/child-processes.mjs';
import { memoryOf, wait } from './lib/process-usage.mjs';
import { Report } from './lib/report.mjs';
import { median } from './lib/statistics.mjs';

const ROUNDS = Number(process.env.ROUNDS ?? 3);
const SELF = fileURLToPath(import.meta.url);
const SERVER = fileURLToPath(new URL('./source-kubernetes.mjs', import.meta.url));
/** Milliseconds after the first sync in which memory settles; SETTLE for others. */
const SETTLE = Number(process.env.SETTLE ?? 9000);

/** @param {string} kubeconfig */
async function run(kubeconfig) {
  const nodeFlags = (process.env.AGENT_NODE_FLAGS ?? '').split(' ').filter(Boolean);
  const agent = await startAgent(['--proxy-mode=iptables', `--kubeconfig=${kubeconfig}`], ['IPv4'], nodeFlags);
  await wait(SETTLE);
  const memory = memoryOf(agent.pid);
  await agent.stop();
  cleanUpAgent();
  return { ...memory, synced: agent.synced };
}

async function main() {
  bringLoopbackUp();
  const server = fork(SERVER, ['serve']);
  const [endpoint] = /** @type {[{url: string, ca: string}]} */ (await once(server, 'message'));
  const directory = mkdtempSync(join(tmpdir(), 'bench-agent-'));
  try {
    const kubeconfig = writeKubeconfig(directory, endpoint);
    const runs = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      runs.push(await run(kubeconfig));
    }
    const report = new Report('agent', 'mode iptables, 10,000 Services of 2 endpoints from an API server');
    report.add('peak resident', median(runs.map(({ peak }) => peak)), 'MB');
    report.add('resident when it has settled', median(runs.map(({ resident }) => resident)), 'MB', { atMost: 160 });
    report.add('process start to rules in the kernel', median(runs.map(({ synced }) => synced)), 'ms');
    report.finish();
  } finally {
    server.kill();
    rmSync(directory, { recursive: true });
  }
}

if (process.argv[2] === 'inside') {
  await main();
} else {
  process.exitCode = runInNewNetwork(SELF).status;
}
