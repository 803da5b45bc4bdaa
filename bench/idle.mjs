#!/usr/bin/env node
// What the whole command costs while nothing happens: npm run bench:idle (as root). CPU of the agent and of the programs
// that it starts, over a minute, each mode in a network namespace of its own, with Services from a manifest.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { cpuSeconds } from './cpu-seconds.mjs';

const { values, positionals } = parseArgs({
  options: {
    services: { type: 'string', multiple: true, default: ['10', '10000'] },
    of: { type: 'string', multiple: true, default: ['iptables-nft', 'iptables-legacy', 'nftables'] },
    seconds: { type: 'string', default: '60' },
  },
  allowPositionals: true,
});
const SELF = fileURLToPath(import.meta.url);
const AGENT = fileURLToPath(new URL('../packages/agent/bin/kube-proxier.js', import.meta.url));
/** Milliseconds after the first sync in which what it left is done. */
const SETTLE = 20_000;

const wait = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

function manifest(count) {
  const documents = [];
  for (let index = 1; index <= count; index += 1) {
    const at = (network, number) => `10.${network + (number >> 16)}.${(number >> 8) & 255}.${number & 255}`;
    documents.push(
      `{apiVersion: v1, kind: Service, metadata: {name: s${index}, namespace: b}, spec: {clusterIP: ${at(96, index)}, ports: [{port: 80}]}}`,
      `{apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, metadata: {name: s${index}-a, namespace: b, ` +
        `labels: {kubernetes.io/service-name: s${index}}}, addressType: IPv4, ports: [{port: 8080}], ` +
        `endpoints: [{addresses: [${at(200, 2 * index)}]}, {addresses: [${at(200, 2 * index + 1)}]}]}`,
    );
  }
  return documents.join('\n---\n');
}

/** Prints the CPU seconds of a minute. */
async function inside(of, services) {
  spawnSync('ip', ['link', 'set', 'lo', 'up']);
  const [mode, variant] = of.split('-');
  if (variant !== undefined) {
    // The agent uses the variant in which a kubelet left its hint.
    spawnSync(`iptables-${variant}`, ['-t', 'mangle', '-N', 'KUBE-IPTABLES-HINT']);
  }
  const directory = mkdtempSync(join(tmpdir(), 'bench-idle-'));
  writeFileSync(join(directory, 'services.yaml'), manifest(services));
  const flags = [`--proxy-mode=${mode}`, `--manifests=${directory}`, '--hostname-override=node1', '-v=2'];
  const agent = spawn(process.execPath, [AGENT, ...flags], { stdio: ['ignore', 'ignore', 'pipe'] });
  try {
    let log = '';
    await new Promise((resolve, reject) => {
      agent.once('exit', () => reject(new Error(log)));
      agent.stderr.setEncoding('utf8').on('data', (text) => {
        log += text;
        if (/Synced family="IPv4"/.test(log) && /Synced family="IPv6"/.test(log)) {
          resolve();
        }
      });
    });
    agent.removeAllListeners('exit');
    await wait(SETTLE);
    const before = cpuSeconds(agent.pid);
    await wait(Number(values.seconds) * 1000);
    process.stdout.write(`${cpuSeconds(agent.pid) - before}\n`);
  } finally {
    agent.kill('SIGTERM');
    await once(agent, 'exit');
    rmSync(directory, { recursive: true });
  }
}

function main() {
  process.stdout.write(`agent, idle, node ${process.version}, ${cpus().length} x ${cpus()[0]?.model.trim()}\n`);
  const rows = [];
  for (const of of values.of) {
    for (const services of values.services) {
      const args = ['--net', process.execPath, SELF, 'inside', of, services, '--seconds', values.seconds];
      const { status, stdout } = spawnSync('unshare', args, { stdio: ['ignore', 'pipe', 'inherit'], encoding: 'utf8' });
      if (status !== 0) {
        process.exitCode = 1;
        continue;
      }
      const percent = (100 * Number(stdout)) / Number(values.seconds);
      rows.push({ mode: of, Services: Number(services), 'of one processor': `${percent.toFixed(2)} %` });
    }
  }
  console.table(rows);
}

if (positionals[0] === 'inside') {
  await inside(positionals[1], Number(positionals[2]));
} else {
  main();
}
