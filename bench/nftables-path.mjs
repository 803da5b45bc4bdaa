#!/usr/bin/env node
// The way of a packet through the nftables backend's table beside that through a table laid out as kube-proxy's, same
// Services: npm run bench:nftables-path [-- --services N --rounds N]. Needs root; sets of namespaces of its own, in turns.
// kube-proxy's layout is there twice: how much the two differ says how small a difference is significant. Of each round the
// best of many short stretches counts: what else the machine does disturbs some of them, and makes none better.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpus, totalmem } from 'node:os';
import { parseArgs } from 'node:util';
import { diffStates } from '../packages/core/dist/index.js';
import { makeService, makeSlice, resolveObjects } from '../packages/core/dist/testing/index.js';
import { createNft } from '../packages/linux/dist/index.js';
import { NetworkSandbox, SANDBOX_NETWORK } from '../packages/network-sandbox/dist/index.js';
import { NftablesDataplane } from '../packages/nftables/dist/index.js';

const { values } = parseArgs({
  options: { services: { type: 'string', default: '10000' }, rounds: { type: 'string', default: '40' } },
});
const SERVICES = Number(values.services);
const ROUNDS = Number(values.rounds);
const CONNECTIONS = 200;
const BATCHES = 10;
const SECONDS = 1;
const STRETCH = 0.02;
const BULK_PORT = 9000;
const PACKET_PORT = 9001;
const BURST = 200;
const BURSTS = 400;
const [PODS] = SANDBOX_NETWORK.clusterCIDRs;

const sorted = (numbers) => [...numbers].sort((a, b) => a - b);
const median = (numbers) => sorted(numbers)[Math.floor(numbers.length / 2)];
/** Between which two the median lies with 95 %, whatever the distribution: from the ranks of the binomial one. */
const interval = (numbers) => {
  const half = 0.98 * Math.sqrt(numbers.length);
  const at = (rank) => sorted(numbers)[Math.min(Math.max(rank, 0), numbers.length - 1)];
  return [at(Math.floor(numbers.length / 2 - half)), at(Math.ceil(numbers.length / 2 + half))];
};
const clusterIP = (index) => `10.${96 + (index >> 16)}.${(index >> 8) & 255}.${index & 255}`;
/** Service 1 leads to real pods, port 80 for connections, port 81 for bulk, and port 82 for packets of one UDP flow. */
const endpointsOf = (index, pods) =>
  index === 1
    ? pods
    : [0, 1].map((which) => `10.${200 + (index >> 15)}.${(index >> 7) & 255}.${(index * 2 + which) & 255}`);

function ours(pods) {
  const services = [];
  const slices = [];
  for (let index = 1; index <= SERVICES; index += 1) {
    const ports =
      index === 1
        ? [
            { name: 'a', port: 80, protocol: 'TCP' },
            { name: 'b', port: 81, protocol: 'TCP' },
            { name: 'c', port: 82, protocol: 'UDP' },
          ]
        : [{ name: 'a', port: 80, protocol: 'TCP' }];
    const targets = { a: 8080, b: BULK_PORT, c: PACKET_PORT };
    const slicePorts = ports.map(({ name, protocol }) => ({ name, port: targets[name], protocol }));
    services.push(
      makeService(`bench/s${index}`, { clusterIP: clusterIP(index), clusterIPs: [clusterIP(index)], ports }),
    );
    slices.push(makeSlice(`bench/s${index}`, endpointsOf(index, pods), { ports: slicePorts }));
  }
  return resolveObjects(
    { services, slices },
    { localTrafficDetection: { kind: 'source-cidr', cidr: PODS }, localhostNodePorts: false },
  );
}

/** One vmap of all cluster IPs, and a chain of one rule for each Service, as kube-proxy 1.36 has it without affinity. */
function kubeProxyLayout(pods) {
  const [elements, addresses, chains] = [[], [], []];
  for (let index = 1; index <= SERVICES; index += 1) {
    addresses.push(clusterIP(index));
    for (const [port, target, protocol] of index === 1
      ? [
          [80, 8080, 'tcp'],
          [81, BULK_PORT, 'tcp'],
          [82, PACKET_PORT, 'udp'],
        ]
      : [[80, 8080, 'tcp']]) {
      const chain = `service-ABCDEFGH-bench/s${index}/${protocol}/p${port}`;
      elements.push(`${clusterIP(index)} . ${protocol} . ${port} : goto ${chain}`);
      const slots = endpointsOf(index, pods).map((address, slot) => `${slot} : ${address} . ${target}`);
      chains.push(
        `chain ${chain} {\n meta l4proto ${protocol} dnat ip addr . port to numgen random mod ${slots.length} map { ${slots.join(', ')} }\n}`,
      );
    }
  }
  return `table ip kube-proxy {
set hairpin-connections { type ipv4_addr . ipv4_addr . inet_proto . inet_service; }
set cluster-ips { type ipv4_addr; elements = { ${addresses.join(', ')} }; }
map no-endpoint-services { type ipv4_addr . inet_proto . inet_service : verdict; }
map no-endpoint-nodeports { type inet_proto . inet_service : verdict; }
map firewall-ips { type ipv4_addr . inet_proto . inet_service : verdict; }
map service-nodeports { type inet_proto . inet_service : verdict; }
${chains.join('\n')}
map service-ips { type ipv4_addr . inet_proto . inet_service : verdict; elements = { ${elements.join(', ')} }; }
chain firewall-check { ip daddr . meta l4proto . th dport vmap @firewall-ips; }
chain service-endpoints-check { ip daddr . meta l4proto . th dport vmap @no-endpoint-services; }
chain nodeport-endpoints-check { fib daddr type local ip daddr != 127.0.0.0/8 meta l4proto . th dport vmap @no-endpoint-nodeports; }
chain cluster-ips-check { ip daddr @cluster-ips reject; }
chain services {
 ip daddr @cluster-ips ip saddr != ${PODS} meta mark set meta mark | 0x4000
 ip daddr . meta l4proto . th dport vmap @service-ips
 fib daddr type local ip daddr != 127.0.0.0/8 meta l4proto . th dport vmap @service-nodeports
}
chain filter-prerouting-pre-dnat { type filter hook prerouting priority -110; ct state new jump firewall-check; }
chain filter-output-pre-dnat { type filter hook output priority -110; ct state new jump firewall-check; }
chain filter-input { type filter hook input priority 0; ct state new jump nodeport-endpoints-check; ct state new jump service-endpoints-check; }
chain filter-forward { type filter hook forward priority 0; ct state new jump service-endpoints-check; ct state new jump cluster-ips-check; }
chain filter-output { type filter hook output priority 0; ct state new jump service-endpoints-check; ct state new jump cluster-ips-check; }
chain nat-prerouting { type nat hook prerouting priority -100; jump services; }
chain nat-output { type nat hook output priority -100; jump services; }
chain nat-postrouting {
 type nat hook postrouting priority 100
 meta mark & 0x4000 != 0 meta mark set meta mark ^ 0x4000 masquerade fully-random
 ct status dnat ip saddr . ip daddr . meta l4proto . th dport @hairpin-connections masquerade fully-random
}
}
`;
}

const SERVER = `
require('node:net').createServer((socket) => socket.resume().on('error', () => {})).listen(${BULK_PORT}, () => console.log('up'));
`;
const CLIENT = `
const chunk = Buffer.alloc(262144);
const socket = require('node:net').connect(81, '${clusterIP(1)}');
let sent = 0;
const rates = [];
let begin;
const look = () => {
  const took = Number(process.hrtime.bigint() - begin) / 1e9;
  if (took > ${STRETCH}) { rates.push(sent / took); begin = process.hrtime.bigint(); sent = 0; }
};
const more = () => { do { sent += chunk.length; look(); } while (socket.write(chunk)); };
socket.on('drain', more).on('connect', () => {
  begin = process.hrtime.bigint();
  more();
  setTimeout(() => {
    console.log(rates.sort((a, b) => b - a)[Math.floor(rates.length / 10)]);
    process.exit();
  }, ${SECONDS * 1000});
});
`;

/** Answers once, which is when a UDP flow counts as established; then reads no more. */
const PACKET_SERVER = `
const socket = require('node:dgram').createSocket('udp4');
socket.on('message', (_, { port, address }) => socket.send('', port, address, () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)));
socket.bind(${PACKET_PORT}, () => console.log('up'));
`;
/** For each line of input: the least that a packet took, over short bursts; those that were interrupted took longer. */
const PACKET_CLIENT = `
const socket = require('node:dgram').createSocket('udp4');
const packet = Buffer.alloc(64);
const burst = () => new Promise((resolve) => {
  const begin = process.hrtime.bigint();
  for (let count = 1; count < ${BURST}; count += 1) { socket.send(packet); }
  socket.send(packet, () => resolve(Number(process.hrtime.bigint() - begin) / ${BURST}));
});
socket.connect(82, '${clusterIP(1)}', () => {
  socket.once('message', () => console.log('up'));
  socket.send('hello');
});
process.stdin.on('data', async () => {
  const took = [];
  while (took.length < ${BURSTS}) { took.push(await burst()); }
  console.log(Math.min(...took));
});
`;

async function makeWorld(install) {
  const sandbox = await NetworkSandbox.create({ pods: 3 });
  const pods = [sandbox.pod(1), sandbox.pod(2)];
  await Promise.all(pods.map((pod) => pod.serve({ port: 8080 })));
  const run = (pod, program) =>
    spawn('nsenter', [`--net=${pod.namespacePath}`, process.execPath, '-e', program], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
  const servers = pods.flatMap((pod) => [run(pod, SERVER), run(pod, PACKET_SERVER)]);
  await Promise.all(servers.map((server) => once(server.stdout, 'data')));
  await install(
    sandbox,
    pods.map(({ ipv4 }) => ipv4),
  );
  const packets = run(sandbox.pod(3), PACKET_CLIENT);
  await once(packets.stdout, 'data');
  return {
    async packetsPerSecond() {
      packets.stdin.write('\n');
      const [text] = await once(packets.stdout, 'data');
      return 1e9 / Number(text);
    },
    async connectionsPerSecond() {
      const rates = [];
      while (rates.length < BATCHES) {
        const begin = performance.now();
        const { answeredBy } = await sandbox.pod(3).connectMany({ to: clusterIP(1), port: 80 }, CONNECTIONS, 1);
        const answered = Object.values(answeredBy).reduce((sum, count) => sum + count, 0);
        if (answered !== CONNECTIONS) {
          throw new Error(`${answered} of ${CONNECTIONS} connections were answered`);
        }
        rates.push(CONNECTIONS / ((performance.now() - begin) / 1000));
      }
      return Math.max(...rates);
    },
    async bytesPerSecond() {
      const client = run(sandbox.pod(3), CLIENT);
      const [text] = await once(client.stdout, 'data');
      return Number(text);
    },
    async close() {
      for (const program of [...servers, packets]) {
        program.kill('SIGKILL');
      }
      await sandbox.close();
    },
  };
}

const asKubeProxy = async (sandbox, pods) => {
  await sandbox.node.exec(['nft', '-f', '-'], { stdin: kubeProxyLayout(pods), timeout: 300_000 });
};
const worlds = [];
try {
  worlds.push(
    await makeWorld(asKubeProxy),
    await makeWorld(async (sandbox, pods) => {
      const dataplane = new NftablesDataplane({ family: 'IPv4', nft: createNft({ runner: sandbox.node.runner }) });
      const state = ours(pods);
      await dataplane.apply(dataplane.plan(state, diffStates(undefined, state), await dataplane.readBack()));
      dataplane.close();
    }),
    await makeWorld(asKubeProxy),
  );
  const results = worlds.map(() => ({ packets: [], connections: [], bytes: [] }));
  for (let round = 0; round <= ROUNDS; round += 1) {
    // There and back: what drifts, drifts for all.
    const inTurn = [...worlds.entries()];
    for (const [index, world] of round % 2 === 0 ? inTurn : inTurn.reverse()) {
      const measured = {
        packets: await world.packetsPerSecond(),
        connections: await world.connectionsPerSecond(),
        bytes: await world.bytesPerSecond(),
      };
      // The first round warms up.
      for (const [what, value] of round > 0 ? Object.entries(measured) : []) {
        results[index][what].push(value);
      }
    }
  }
  const [theirs, mine, again] = results;
  process.stdout.write(
    `nftables, way of packets, ${SERVICES} Services x 2, ${ROUNDS} rounds in turns, node ${process.version}, ${cpus().length} x ${cpus()[0]?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB\n`,
  );
  const against = (those, what) => {
    const ratios = those[what].map((value, round) => value / theirs[what][round]);
    const [low, high] = interval(ratios);
    return `${median(ratios).toFixed(3)} (${low.toFixed(3)} to ${high.toFixed(3)})`;
  };
  const row = (what, name, text) => ({
    what,
    'kube-proxier': text(median(mine[name])),
    "kube-proxy's layout": text(median(theirs[name])),
    'ratio: median (95 %)': against(mine, name),
    'control: the latter against itself': against(again, name),
  });
  console.table([
    row('new connections a second, one after another', 'connections', (value) => value.toFixed(0)),
    row('packets a second, one flow, 64 bytes', 'packets', (value) => value.toFixed(0)),
    row('bytes a second, one connection', 'bytes', (value) => `${(value / 1e9).toFixed(2)} GB`),
  ]);
} finally {
  await Promise.allSettled(worlds.map((world) => world.close()));
}
process.exit();
