#!/usr/bin/env node
// The userspace proxy beside haproxy in one run, on loopback: npm run bench:userspace. Without haproxy, itself only.
import { fork, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const SELF = fileURLToPath(import.meta.url);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 3);
const IDLE = 2000;
const role = process.argv[2];

/** Endpoint: a client that begins with "s" is sent bytes for ever, any other gets back what it sends. */
function runEndpoint() {
  const chunk = Buffer.alloc(256 * 1024);
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
    socket.on('error', () => {});
    socket.once('data', (first) => {
      if (first[0] !== 0x73) {
        socket.write(first);
        socket.pipe(socket);
        return;
      }
      const more = () => {
        while (!socket.destroyed && socket.write(chunk));
        socket.once('drain', more);
      };
      more();
    });
  });
  server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, () => process.send(server.address().port));
}

/** The proxy, as a process of its own. */
async function runProxy(port, nodePort, highWaterMark) {
  const core = await import('../packages/core/dist/index.js');
  const { UserspaceDataplane } = await import('../packages/userspace/dist/index.js');
  const reader = new core.ObjectReader(undefined, { allowLoopbackEndpoints: true });
  const options = { ...core.DEFAULT_PROXIER_OPTIONS, nodeName: 'bench' };
  const resolver = new core.ProxyStateResolver({ family: 'IPv4', options, reader, since: 0 });
  resolver.updateService(undefined, {
    metadata: { name: 'bench', namespace: 'default' },
    spec: { type: 'NodePort', clusterIP: '10.96.0.1', ports: [{ port: 80, protocol: 'TCP', nodePort }] },
  });
  resolver.updateEndpointSlice(undefined, {
    metadata: { name: 'bench', namespace: 'default', labels: { 'kubernetes.io/service-name': 'bench' } },
    addressType: 'IPv4',
    ports: [{ name: '', port, protocol: 'TCP' }],
    endpoints: [{ addresses: ['127.0.0.1'] }],
  });
  const { state } = resolver.checkout();
  const dataplane = new UserspaceDataplane({
    family: 'IPv4',
    localAddresses: async () => ['127.0.0.1'],
    ...(highWaterMark ? { highWaterMark } : {}),
  });
  const installed = await dataplane.readBack();
  await dataplane.apply(dataplane.plan(state, core.diffStates(undefined, state), installed));
  process.send('ready');
}

function open(port) {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true }, () => resolve(socket));
    socket.once('error', reject);
  });
}

async function throughput(port, connections) {
  let bytes = 0;
  const buffer = Buffer.alloc(256 * 1024);
  const sockets = Array.from({ length: connections }, () => {
    const callback = (size) => {
      bytes += size;
      return true;
    };
    const onread = { buffer, callback };
    const socket = connect({ port, host: '127.0.0.1', onread });
    socket.on('error', () => {});
    socket.write('s');
    return socket;
  });
  while (bytes === 0) {
    await new Promise(setImmediate);
  }
  bytes = 0;
  const begin = performance.now();
  await new Promise((resolve) => setTimeout(resolve, SECONDS * 1000));
  const result = (bytes * 8) / ((performance.now() - begin) / 1000) / 1e9;
  for (const socket of sockets) {
    socket.destroy();
  }
  return result;
}

async function connectionRate(port) {
  let count = 0;
  const end = performance.now() + SECONDS * 1000;
  const one = async () => {
    while (performance.now() < end) {
      const socket = await open(port);
      socket.write('x');
      await once(socket, 'data');
      socket.destroy();
      count++;
    }
  };
  await Promise.all(Array.from({ length: 32 }, one));
  return count / SECONDS;
}

/** 1,000 connections that all send and wait, one question at a time each. */
async function latency(port) {
  const sockets = [];
  for (let first = 0; first < 1000; first += 100) {
    sockets.push(...(await Promise.all(Array.from({ length: 100 }, () => open(port)))));
  }
  const times = [];
  const end = performance.now() + SECONDS * 1000;
  await Promise.all(
    sockets.map(async (socket) => {
      while (performance.now() < end) {
        const begin = performance.now();
        socket.write('x');
        await once(socket, 'data');
        times.push(performance.now() - begin);
      }
      socket.destroy();
    }),
  );
  times.sort((a, b) => a - b);
  return times[Math.floor(times.length * 0.99)];
}

function residentKilobytes(pid) {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
}

async function memoryPerConnection(port, pid) {
  const before = residentKilobytes(pid);
  const sockets = [];
  for (let first = 0; first < IDLE; first += 100) {
    const batch = await Promise.all(Array.from({ length: 100 }, () => open(port)));
    sockets.push(...batch);
    await Promise.all(
      batch.map((socket) => {
        socket.write('x');
        return once(socket, 'data');
      }),
    );
  }
  const result = (residentKilobytes(pid) - before) / IDLE;
  for (const socket of sockets) {
    socket.destroy();
  }
  return result;
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

async function waitFor(port) {
  for (const end = performance.now() + 5000; performance.now() < end; ) {
    try {
      (await open(port)).destroy();
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
  throw new Error(`nothing listens on port ${port}`);
}

async function main() {
  const children = [];
  const directory = mkdtempSync(join(tmpdir(), 'bench-userspace-'));
  try {
    const endpoint = fork(SELF, ['endpoint']);
    children.push(endpoint);
    const [port] = await once(endpoint, 'message');
    const subjects = [];
    for (const size of (process.env.BENCH_WATER_MARKS ?? '0').split(',').map(Number)) {
      const nodePort = await freePort();
      const proxy = fork(SELF, ['proxy', port, nodePort, size]);
      children.push(proxy);
      await once(proxy, 'message');
      subjects.push({ name: size ? `userspace, ${size / 1024} KiB` : 'userspace', port: nodePort, pid: proxy.pid });
    }
    if (spawnSync('haproxy', ['-v']).status === 0) {
      const front = await freePort();
      const config = join(directory, 'haproxy.cfg');
      writeFileSync(
        config,
        `global\n  maxconn 4000\n  nbthread 1\ndefaults\n  mode tcp\n  timeout connect 5s\n  timeout client 60s\n  timeout server 60s\n  option splice-auto\nlisten bench\n  bind 127.0.0.1:${front}\n  server one 127.0.0.1:${port}\n`,
      );
      const haproxy = spawn('haproxy', ['-db', '-f', config], { stdio: 'ignore' });
      children.push(haproxy);
      await waitFor(front);
      subjects.push({ name: 'haproxy, 1 thread', port: front, pid: haproxy.pid });
    } else {
      console.log('haproxy is not installed, so there is nothing to compare with (apt-get install haproxy)\n');
    }
    console.log(
      `${cpus().length} × ${cpus()[0]?.model}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.versions.node}\n`,
    );
    console.log('| proxy | 1 connection | 8 connections | new connections | p99 at 1,000 | memory, idle connection |');
    console.log('| --- | --- | --- | --- | --- | --- |');
    for (const { name, port: front, pid } of subjects) {
      const memory = await memoryPerConnection(front, pid);
      const one = await throughput(front, 1);
      const eight = await throughput(front, 8);
      const rate = await connectionRate(front);
      const p99 = await latency(front);
      console.log(
        `| ${name} | ${one.toFixed(1)} Gbit/s | ${eight.toFixed(1)} Gbit/s | ${rate.toFixed(0)}/s | ${p99.toFixed(1)} ms | ${memory.toFixed(1)} KB |`,
      );
    }
  } finally {
    for (const child of children) {
      child.kill('SIGKILL');
    }
    rmSync(directory, { recursive: true, force: true });
  }
}

if (role === 'endpoint') {
  runEndpoint();
} else if (role === 'proxy') {
  const [port, nodePort, size] = process.argv.slice(3).map(Number);
  await runProxy(port, nodePort, size);
} else {
  await main();
}
