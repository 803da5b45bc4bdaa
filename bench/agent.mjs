#!/usr/bin/env node
// Memory of the whole command with a large cluster, a minute after the load: npm run bench:agent (as root). It runs in
// a separate network namespace, with the API server of bench/source-kubernetes.mjs. `--mode nftables` measures one
// mode, `--settle 9` waits for 9 seconds, `--rounds 1` starts it once, `--verify` lets it verify in the background, as
// it does by default, and `--node-flag=--expose-gc` is a flag for Node.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createCommandRunner } from '../packages/linux/dist/index.js';
import { becomeNode } from '../packages/linux/dist/testing/index.js';
import { cleanUpAgent, runInNewNetwork, startAgent, writeKubeconfig } from './lib/child-processes.mjs';
import { memoryOf, proportionalMemoryOf, wait } from './lib/process-usage.mjs';
import { Report } from './lib/report.mjs';
import { median } from './lib/statistics.mjs';

const { values } = parseArgs({
  options: {
    mode: { type: 'string', multiple: true, default: ['nftables', 'iptables'] },
    settle: { type: 'string', default: '60' },
    rounds: { type: 'string', default: '3' },
    verify: { type: 'boolean', default: false },
    'node-flag': { type: 'string', multiple: true, default: [] },
  },
  allowPositionals: true,
});
const ROUNDS = Number(values.rounds);
const SELF = fileURLToPath(import.meta.url);
const SERVER = fileURLToPath(new URL('./source-kubernetes.mjs', import.meta.url));

/**
 * @param {string} mode
 * @param {string} kubeconfig
 */
async function run(mode, kubeconfig) {
  const flags = [
    `--proxy-mode=${mode}`,
    `--kubeconfig=${kubeconfig}`,
    ...(values.verify ? ['--verify-period=10m'] : []),
  ];
  const agent = await startAgent(flags, ['IPv4'], values['node-flag']);
  await wait(Number(values.settle) * 1000);
  const memory = { ...memoryOf(agent.pid), proportional: proportionalMemoryOf(agent.pid) };
  await agent.stop();
  cleanUpAgent();
  return { ...memory, synced: agent.synced };
}

async function main() {
  // Packets are routed, so that a verification works as on a node.
  await becomeNode(createCommandRunner(), ['192.168.1.10']);
  const server = fork(SERVER, ['serve']);
  const [endpoint] = /** @type {[{url: string, ca: string}]} */ (await once(server, 'message'));
  const directory = mkdtempSync(join(tmpdir(), 'bench-agent-'));
  try {
    const kubeconfig = writeKubeconfig(directory, endpoint);
    const report = new Report(
      'agent',
      `10,000 Services of 2 endpoints from an API server, ${values.settle} s after the load`,
    );
    for (const mode of values.mode) {
      const runs = [];
      for (let round = 0; round < ROUNDS; round += 1) {
        runs.push(await run(mode, kubeconfig));
      }
      report.add(`${mode}: peak resident`, median(runs.map(({ peak }) => peak)), 'MB', { atMost: 150 });
      report.add(`${mode}: resident`, median(runs.map(({ resident }) => resident)), 'MB', { atMost: 100 });
      report.add(`${mode}: proportional set size (PSS)`, median(runs.map((one) => one.proportional)), 'MB');
      report.add(`${mode}: process start to rules in the kernel`, median(runs.map(({ synced }) => synced)), 'ms');
    }
    report.finish();
  } finally {
    server.kill();
    rmSync(directory, { recursive: true });
  }
}

if (process.argv.includes('inside')) {
  await main();
} else {
  process.exitCode = runInNewNetwork(SELF, process.argv.slice(2)).status;
}
