#!/usr/bin/env node
import { fork, spawn, spawnSync } from 'node:child_process';
// The userspace proxy beside haproxy, in turns, on loopback: npm run bench:userspace [-- --variants kernel,loop,2].
// A number of variants is one of processes that share the listening sockets. Without haproxy, itself only.
import cluster from 'node:cluster';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, Server } from 'node:net';
import { cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const SELF = fileURLToPath(import.meta.url);
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '2' },
    variants: { type: 'string', default: 'kernel' },
  },
  allowPositionals: true,
});
const ROUNDS = Number(values.rounds);
const SECONDS = Number(values.seconds);
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

/** The proxy, as a process of its own, or as several that share what they listen on. */
async function runProxy(port, nodePort, variant) {
  const processes = Number(variant);
  if (!(processes > 0)) {
    await serve(port, nodePort, variant === 'loop' ? { bulkAfter: Number.POSITIVE_INFINITY } : {});
    process.send([process.pid]);
    return;
  }
  if (cluster.isWorker) {
    // The proxy's own are exclusive.
    const { listen } = Server.prototype;
    Server.prototype.listen = function shared(options, ...rest) {
      return listen.call(this, { ...options, exclusive: false }, ...rest);
    };
    await serve(port, nodePort, {});
    process.send('ready');
    return;
  }
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  const workers = Array.from({ length: processes }, () => cluster.fork().process);
  process.on('disconnect', () => process.exit());
  await Promise.all(workers.map((worker) => once(worker, 'message')));
  process.send(workers.map(({ pid }) => pid));
}

async function serve(port, nodePort, settings) {
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
  const { state } = resolver.applyPending();
  const dataplane = new UserspaceDataplane({
    family: 'IPv4',
    localAddresses: async () => ['127.0.0.1'],
    ...settings,
  });
  const installed = await dataplane.readBack();
  await dataplane.apply(dataplane.plan(state, core.diffStates(undefined, state), installed));
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

async function memoryPerConnection(port, pids) {
  const resident = () => pids.reduce((sum, pid) => sum + residentKilobytes(pid), 0);
  const before = resident();
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
  const result = (resident() - before) / IDLE;
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

/** What is measured in turns, and how it is reported. `ratio` says what the aim bounds: ours by haproxy's. */
const MEASURES = [
  {
    what: 'throughput, 1 connection',
    measure: ({ port }) => throughput(port, 1),
    text: (value) => `${value.toFixed(1)} Gbit/s`,
    atLeast: 0.9,
  },
  {
    what: 'throughput, 8 connections',
    measure: ({ port }) => throughput(port, 8),
    text: (value) => `${value.toFixed(1)} Gbit/s`,
    atLeast: 0.9,
  },
  {
    what: 'new connections',
    measure: ({ port }) => connectionRate(port),
    text: (value) => `${value.toFixed(0)}/s`,
    atLeast: 0.7,
  },
  {
    what: 'p99 of 1,000 connections',
    measure: ({ port }) => latency(port),
    text: (value) => `${value.toFixed(1)} ms`,
    atMost: 1.5,
  },
];

const median = (numbers) => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)];

function verdict({ atLeast, atMost }, ratio) {
  return atLeast === undefined
    ? [`<= ${atMost}`, ratio <= atMost ? 'yes' : 'no']
    : [`>= ${atLeast}`, ratio >= atLeast ? 'yes' : 'no'];
}

function table(rows) {
  const [head, ...body] = rows.map((row) => `| ${row.join(' | ')} |`);
  return [head, `|${' --- |'.repeat(rows[0].length)}`, ...body].join('\n');
}

async function startHaproxy(port, directory) {
  const front = await freePort();
  const config = join(directory, 'haproxy.cfg');
  writeFileSync(
    config,
    `global\n  maxconn 4000\n  nbthread 1\ndefaults\n  mode tcp\n  timeout connect 5s\n  timeout client 60s\n  timeout server 60s\n  option splice-auto\nlisten bench\n  bind 127.0.0.1:${front}\n  server one 127.0.0.1:${port}\n`,
  );
  const child = spawn('haproxy', ['-db', '-f', config], { stdio: 'ignore' });
  await waitFor(front);
  return { name: 'haproxy, 1 thread', port: front, child, pids: [child.pid] };
}

/** One of our proxies: `variant` is `kernel`, `loop` (nothing is handed to the kernel), or a number of processes. */
async function startOurs(port, variant) {
  const nodePort = await freePort();
  const child = fork(SELF, ['proxy', port, nodePort, variant]);
  const [pids] = await once(child, 'message');
  const names = { kernel: 'userspace', loop: 'userspace, event loop only' };
  return { name: names[variant] ?? `userspace, ${variant} processes`, port: nodePort, child, pids };
}

async function main() {
  const children = [];
  const directory = mkdtempSync(join(tmpdir(), 'bench-userspace-'));
  try {
    const endpoint = fork(SELF, ['endpoint']);
    children.push(endpoint);
    const [port] = await once(endpoint, 'message');
    const subjects = [];
    for (const variant of values.variants.split(',')) {
      subjects.push(await startOurs(port, variant));
      children.push(subjects.at(-1).child);
    }
    const compared = spawnSync('haproxy', ['-v']).status === 0;
    if (compared) {
      subjects.push(await startHaproxy(port, directory));
      children.push(subjects.at(-1).child);
    } else {
      console.log('haproxy is not installed, so there is nothing to compare with (apt-get install haproxy)\n');
    }
    console.log(
      `${cpus().length} × ${cpus()[0]?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.versions.node}, ${ROUNDS} rounds in turns, medians\n`,
    );
    // First of all, as memory that was used once stays.
    const memory = [];
    for (const { port: front, pids } of subjects) {
      memory.push(await memoryPerConnection(front, pids));
    }
    const results = subjects.map(() => MEASURES.map(() => []));
    for (let round = 0; round <= ROUNDS; round++) {
      for (const [which, { measure }] of MEASURES.entries()) {
        for (const index of round % 2 === 0 ? subjects.keys() : [...subjects.keys()].reverse()) {
          const value = await measure(subjects[index]);
          // The first round warms up.
          if (round > 0) {
            results[index][which].push(value);
          }
        }
      }
    }
    const last = results.at(-1);
    for (const [index, { name }] of subjects.slice(0, compared ? -1 : undefined).entries()) {
      const rows = MEASURES.map((measure, which) => {
        const mine = results[index][which];
        const row = [measure.what, measure.text(median(mine))];
        if (compared) {
          const ratio = median(mine.map((value, round) => value / last[which][round]));
          row.push(measure.text(median(last[which])), ratio.toFixed(2), ...verdict(measure, ratio));
        }
        return row;
      });
      const idle = ['memory, idle connection', `${memory[index].toFixed(1)} KB`];
      const head = ['what', name];
      if (compared) {
        idle.push(`${memory.at(-1).toFixed(1)} KB`, (memory[index] / memory.at(-1)).toFixed(2), '', '');
        head.push('haproxy', 'ratio', 'aim', 'met');
      }
      console.log(`${table([head, ...rows, idle])}\n`);
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
  const [port, nodePort, variant] = process.argv.slice(3);
  await runProxy(Number(port), Number(nodePort), variant);
} else {
  await main();
}
