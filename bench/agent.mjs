#!/usr/bin/env node
// What the whole command holds of memory with a large cluster: npm run bench:agent (as root). It runs in a network
// namespace of its own, in mode iptables, with the API server of bench/source-kubernetes.mjs. Medians of three runs.
import { fork, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROUNDS = Number(process.env.ROUNDS ?? 3);
const SELF = fileURLToPath(import.meta.url);
const AGENT = fileURLToPath(new URL('../packages/agent/bin/kube-proxier.js', import.meta.url));
const SERVER = fileURLToPath(new URL('./source-kubernetes.mjs', import.meta.url));
/** Milliseconds after the first sync in which memory settles; SETTLE for others. */
const SETTLE = Number(process.env.SETTLE ?? 9000);

const median = (numbers) => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)];

function memoryOf(pid) {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const megabytes = (field) => Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) / 1024;
  return { peak: megabytes('VmHWM'), resident: megabytes('VmRSS') };
}

async function run(kubeconfig) {
  const flags = ['--proxy-mode=iptables', `--kubeconfig=${kubeconfig}`, '--hostname-override=node1', '-v=2'];
  const begin = performance.now();
  const nodeFlags = (process.env.AGENT_NODE_FLAGS ?? '').split(' ').filter(Boolean);
  const agent = spawn(process.execPath, [...nodeFlags, AGENT, ...flags], { stdio: ['ignore', 'ignore', 'pipe'] });
  let log = '';
  let synced = 0;
  await new Promise((resolve, reject) => {
    agent.once('exit', () => reject(new Error(log)));
    agent.stderr.setEncoding('utf8').on('data', (text) => {
      log += text;
      if (synced === 0 && /Synced family="IPv4".*/.test(log)) {
        synced = performance.now() - begin;
        resolve();
      }
    });
  });
  await new Promise((resolve) => setTimeout(resolve, SETTLE));
  const memory = memoryOf(agent.pid);
  agent.removeAllListeners('exit');
  agent.kill('SIGTERM');
  await once(agent, 'exit');
  spawnSync(process.execPath, [AGENT, 'cleanup'], { stdio: 'ignore' });
  return { ...memory, synced };
}

async function main() {
  spawnSync('ip', ['link', 'set', 'lo', 'up']);
  const server = fork(SERVER, ['serve']);
  const [{ url, ca }] = await once(server, 'message');
  const directory = mkdtempSync(join(tmpdir(), 'bench-agent-'));
  const kubeconfig = join(directory, 'kubeconfig');
  const cluster = { server: url, 'certificate-authority-data': Buffer.from(ca).toString('base64') };
  const contexts = [{ name: 'c', context: { cluster: 'k' } }];
  writeFileSync(kubeconfig, JSON.stringify({ 'current-context': 'c', contexts, clusters: [{ name: 'k', cluster }] }));
  try {
    const runs = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      runs.push(await run(kubeconfig));
    }
    const of = (field) => median(runs.map((one) => one[field]));
    process.stdout.write(
      `agent, mode iptables, 10000 Services of 2 endpoints from an API server, node ${process.version}, ` +
        `${cpus().length} x ${cpus()[0]?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB\n`,
    );
    const rows = [
      { what: 'peak resident', measured: of('peak'), unit: 'MB', 'at most': '' },
      { what: 'resident when it has settled', measured: of('resident'), unit: 'MB', 'at most': 160 },
      { what: 'process start to rules in the kernel', measured: of('synced') / 1000, unit: 's', 'at most': '' },
    ].map((row) => ({
      ...row,
      measured: Number(row.measured.toFixed(1)),
      ok: row['at most'] === '' || row.measured <= row['at most'] ? 'yes' : 'NO',
    }));
    console.table(rows);
    process.exitCode = rows.every(({ ok }) => ok === 'yes') ? 0 : 1;
  } finally {
    server.kill();
    rmSync(directory, { recursive: true });
  }
}

if (process.argv[2] === 'inside') {
  await main();
} else {
  const { status } = spawnSync('unshare', ['--net', process.execPath, SELF, 'inside'], { stdio: 'inherit' });
  process.exitCode = status ?? 1;
}
