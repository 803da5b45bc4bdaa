#!/usr/bin/env node
// The cost of the whole command while idle: npm run bench:idle (as root). CPU of the agent and of the programs that it
// starts, over a minute, each mode in a network namespace of its own, with Services from a manifest.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { bringLoopbackUp, runInNewNetwork, startAgent } from './lib/child-processes.mjs';
import { podsOf, service, slice } from './lib/cluster.mjs';
import { cpuSeconds, wait } from './lib/process-usage.mjs';
import { Report } from './lib/report.mjs';

const { values, positionals } = parseArgs({
  options: {
    services: { type: 'string', multiple: true, default: ['10', '10000'] },
    of: { type: 'string', multiple: true, default: ['iptables-nft', 'iptables-legacy', 'nftables'] },
    seconds: { type: 'string', default: '60' },
  },
  allowPositionals: true,
});
const SELF = fileURLToPath(import.meta.url);
/** Milliseconds after the first sync until its follow-up work is done. */
const SETTLE = 20_000;

/** @param {number} count */
function manifest(count) {
  const objects = Array.from({ length: count }, (_, index) => [service(index), slice(index, podsOf(index, 2))]).flat();
  return JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects });
}

/**
 * Prints the CPU seconds.
 *
 * @param {string} subject mode, and for iptables its variant
 * @param {number} services
 */
async function inside(subject, services) {
  bringLoopbackUp();
  const [mode, variant] = subject.split('-');
  if (variant !== undefined) {
    // The agent uses the variant in which a kubelet left its hint.
    spawnSync(`iptables-${variant}`, ['-t', 'mangle', '-N', 'KUBE-IPTABLES-HINT']);
  }
  const directory = mkdtempSync(join(tmpdir(), 'bench-idle-'));
  writeFileSync(join(directory, 'services.json'), manifest(services));
  try {
    const agent = await startAgent([`--proxy-mode=${mode}`, `--manifests=${directory}`], ['IPv4', 'IPv6']);
    try {
      await wait(SETTLE);
      const before = cpuSeconds(agent.pid);
      await wait(Number(values.seconds) * 1000);
      process.stdout.write(`${cpuSeconds(agent.pid) - before}\n`);
    } finally {
      await agent.stop();
    }
  } finally {
    rmSync(directory, { recursive: true });
  }
}

function main() {
  const report = new Report('idle', `the agent for ${values.seconds} s without events, of one processor`);
  let failed = false;
  for (const subject of values.of) {
    for (const services of values.services) {
      const { status, stdout } = runInNewNetwork(SELF, [subject, services, '--seconds', values.seconds], 'pipe');
      if (status !== 0) {
        failed = true;
        continue;
      }
      report.add(`${subject}, ${services} Services`, (100 * Number(stdout)) / Number(values.seconds), '%');
    }
  }
  report.finish();
  if (failed) {
    process.exitCode = 1;
  }
}

const [role, subject = '', services] = positionals;
if (role === 'inside') {
  await inside(subject, Number(services));
} else {
  main();
}
