#!/usr/bin/env node
// The way of a packet through the nftables backend's table beside that through a table laid out as kube-proxy's, same
// Services: npm run bench:nftables-path [-- --services N]. Needs root; two sets of namespaces of its own, in turns.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpus, totalmem } from 'node:os';
import { parseArgs } from 'node:util';
import { diffStates } from '../packages/core/dist/index.js';
import { makeService, makeSlice, resolveObjects } from '../packages/core/dist/testing/index.js';
import { createNft } from '../packages/linux/dist/index.js';
import { NetworkSandbox, SANDBOX_NETWORK } from '../packages/linux/dist/testing/index.js';
import { NftablesDataplane } from '../packages/nftables/dist/index.js';

const { values } = parseArgs({
  options: { services: { type: 'string', default: '10000' }, rounds: { type: 'string', default: '15' } },
});
const SERVICES = Number(values.services);
const ROUNDS = Number(values.rounds);
const CONNECTIONS = 2000;
const SECONDS = 1;
const BULK_PORT = 9000;
const [PODS] = SANDBOX_NETWORK.clusterCIDRs;

const median = (numbers) => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)];
const clusterIP = (index) => `10.${96 + (index >> 16)}.${(index >> 8) & 255}.${index & 255}`;
/** Service 1 leads to real pods, port 80 for connections and port 81 for bulk. */
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
            { name: 'a', port: 80 },
            { name: 'b', port: 81 },
          ]
        : [{ name: 'a', port: 80 }];
    const slicePorts = ports.map(({ name }) => ({ name, port: name === 'a' ? 8080 : BULK_PORT, protocol: 'TCP' }));
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
    for (const [port, target] of index === 1
      ? [
          [80, 8080],
          [81, BULK_PORT],
        ]
      : [[80, 8080]]) {
      const chain = `service-ABCDEFGH-bench/s${index}/tcp/p${port}`;
      elements.push(`${clusterIP(index)} . tcp . ${port} : goto ${chain}`);
      const slots = endpointsOf(index, pods).map((address, slot) => `${slot} : ${address} . ${target}`);
      chains.push(
        `chain ${chain} {\n meta l4proto tcp dnat ip addr . port to numgen random mod ${slots.length} map { ${slots.join(', ')} }\n}`,
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
const more = () => { while (socket.write(chunk)) { sent += chunk.length; } sent += chunk.length; };
socket.on('drain', more).on('connect', () => {
  const begin = process.hrtime.bigint();
  more();
  setTimeout(() => { console.log(sent * 1e9 / Number(process.hrtime.bigint() - begin)); process.exit(); }, ${SECONDS * 1000});
});
`;

async function makeWorld(name, install) {
  const sandbox = await NetworkSandbox.create({ pods: 3 });
  const pods = [sandbox.pod(1), sandbox.pod(2)];
  await Promise.all(pods.map((pod) => pod.serve({ port: 8080 })));
  const servers = pods.map((pod) =>
    spawn('nsenter', [`--net=${pod.namespacePath}`, process.execPath, '-e', SERVER], {
      stdio: ['ignore', 'pipe', 'inherit'],
    }),
  );
  await Promise.all(servers.map((server) => once(server.stdout, 'data')));
  await install(
    sandbox,
    pods.map(({ ipv4 }) => ipv4),
  );
  return {
    name,
    async connectionsPerSecond() {
      const begin = performance.now();
      const { answeredBy } = await sandbox.pod(3).connectMany({ to: clusterIP(1), port: 80 }, CONNECTIONS, 1);
      const answered = Object.values(answeredBy).reduce((sum, count) => sum + count, 0);
      if (answered !== CONNECTIONS) {
        throw new Error(`${name}: ${answered} of ${CONNECTIONS} connections were answered`);
      }
      return CONNECTIONS / ((performance.now() - begin) / 1000);
    },
    async bytesPerSecond() {
      const client = spawn('nsenter', [`--net=${sandbox.pod(3).namespacePath}`, process.execPath, '-e', CLIENT], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const [text] = await once(client.stdout, 'data');
      return Number(text);
    },
    async close() {
      for (const server of servers) {
        server.kill('SIGKILL');
      }
      await sandbox.close();
    },
  };
}

const worlds = [];
try {
  worlds.push(
    await makeWorld('kube-proxier', async (sandbox, pods) => {
      const dataplane = new NftablesDataplane({ family: 'IPv4', nft: createNft({ runner: sandbox.node.runner }) });
      const state = ours(pods);
      await dataplane.apply(dataplane.plan(state, diffStates(undefined, state), await dataplane.readBack()));
      dataplane.close();
    }),
    await makeWorld("kube-proxy's layout", async (sandbox, pods) => {
      await sandbox.node.exec(['nft', '-f', '-'], { stdin: kubeProxyLayout(pods), timeout: 300_000 });
    }),
  );
  const results = worlds.map(() => ({ connections: [], bytes: [] }));
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const [index, world] of [...worlds.entries()].sort(() => (round % 2 === 0 ? 1 : -1))) {
      const [connections, bytes] = [await world.connectionsPerSecond(), await world.bytesPerSecond()];
      // The first round warms up.
      if (round > 0) {
        results[index].connections.push(connections);
        results[index].bytes.push(bytes);
      }
    }
  }
  const [mine, theirs] = results;
  const ratios = (what) => mine[what].map((value, round) => value / theirs[what][round]);
  process.stdout.write(
    `nftables, way of packets, ${SERVICES} Services x 2, ${ROUNDS} rounds in turns, node ${process.version}, ${cpus().length} x ${cpus()[0]?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB\n`,
  );
  const row = (what, name, text) => ({
    what,
    [worlds[0].name]: text(median(mine[name])),
    [worlds[1].name]: text(median(theirs[name])),
    'ratio (median)': median(ratios(name)).toFixed(2),
  });
  console.table([
    row('new connections a second, one after another', 'connections', (value) => value.toFixed(0)),
    row('bytes a second, one connection', 'bytes', (value) => `${(value / 1e9).toFixed(2)} GB`),
  ]);
} finally {
  await Promise.allSettled(worlds.map((world) => world.close()));
}
process.exit();
