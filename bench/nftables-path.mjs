#!/usr/bin/env node
// The packet path through the nftables backend's table, compared with a table in kube-proxy's layout with the same
// Services: npm run bench:nftables-path [-- --services N --rounds N]. Needs root; sets of namespaces of its own, in
// turns. kube-proxy's layout is there twice: how much the two differ says how small a difference is significant. Of
// each round the best of many short stretches counts: what else the machine does disturbs some of them, and makes none
// better.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { makeService, makeSlice, resolveObjects } from '../packages/core/dist/testing/index.js';
import { createNft } from '../packages/linux/dist/index.js';
import { NetworkSandbox, SANDBOX_NETWORK } from '../packages/network-sandbox/dist/index.js';
import { NftablesDataplane } from '../packages/nftables/dist/index.js';
import { clusterIP, install, podsOf } from './lib/cluster.mjs';
import { formatQuantity, Report } from './lib/report.mjs';
import { median, medianInterval } from './lib/statistics.mjs';

/** @typedef {ReturnType<NetworkSandbox['pod']>} SandboxPod */

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

/**
 * Addresses of endpoints. Service 1 leads to real pods: port 80 for connections, port 81 for bulk, and port 82 for
 * packets of one UDP flow.
 *
 * @param {number} index
 * @param {readonly string[]} pods
 */
const endpointsOf = (index, pods) => (index === 1 ? pods : podsOf(index, 2).map(({ address }) => address));

/**
 * @typedef {object} PortOfService
 * @property {string} name
 * @property {number} port
 * @property {'TCP' | 'UDP'} protocol
 * @property {number} target
 */

/**
 * @param {number} index
 * @returns {PortOfService[]}
 */
function portsOf(index) {
  /** @type {PortOfService} */
  const connections = { name: 'a', port: 80, protocol: 'TCP', target: 8080 };
  return index === 1
    ? [
        connections,
        { name: 'b', port: 81, protocol: 'TCP', target: BULK_PORT },
        { name: 'c', port: 82, protocol: 'UDP', target: PACKET_PORT },
      ]
    : [connections];
}

/** @param {readonly string[]} pods */
function ours(pods) {
  const services = [];
  const slices = [];
  for (let index = 1; index <= SERVICES; index += 1) {
    const ports = portsOf(index);
    const slicePorts = ports.map(({ name, protocol, target }) => ({ name, port: target, protocol }));
    services.push(
      makeService(`bench/s${index}`, {
        clusterIP: clusterIP(index),
        clusterIPs: [clusterIP(index)],
        ports: ports.map(({ name, port, protocol }) => ({ name, port, protocol })),
      }),
    );
    slices.push(makeSlice(`bench/s${index}`, endpointsOf(index, pods), { ports: slicePorts }));
  }
  return resolveObjects(
    { services, slices },
    { localTrafficDetection: { kind: 'source-cidr', cidr: PODS }, localhostNodePorts: false },
  );
}

/**
 * One vmap of all cluster IPs, and a chain of one rule for each Service, as kube-proxy 1.36 has it without affinity.
 *
 * @param {readonly string[]} pods
 */
function kubeProxyLayout(pods) {
  /** @type {string[]} */
  const elements = [];
  /** @type {string[]} */
  const addresses = [];
  /** @type {string[]} */
  const chains = [];
  for (let index = 1; index <= SERVICES; index += 1) {
    addresses.push(clusterIP(index));
    for (const { port, target, protocol: upper } of portsOf(index)) {
      const protocol = upper.toLowerCase();
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
/** For each line of input: the minimum duration of a packet, over short bursts; interrupted bursts take longer. */
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

/**
 * @callback Install
 * @param {NetworkSandbox} sandbox
 * @param {readonly string[]} pods addresses of the real pods
 * @returns {Promise<void>}
 */

/** @param {Install} installRules */
async function makeFixture(installRules) {
  const sandbox = await NetworkSandbox.create({ pods: 3 });
  const pods = [sandbox.pod(1), sandbox.pod(2)];
  await Promise.all(pods.map((pod) => pod.serve({ port: 8080 })));
  const run = (/** @type {SandboxPod} */ pod, /** @type {string} */ program) =>
    spawn('nsenter', [`--net=${pod.namespacePath}`, process.execPath, '-e', program], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
  const servers = pods.flatMap((pod) => [run(pod, SERVER), run(pod, PACKET_SERVER)]);
  await Promise.all(servers.map((server) => once(server.stdout, 'data')));
  await installRules(
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

/** @type {Install} */
const asKubeProxy = async (sandbox, pods) => {
  await sandbox.node.exec(['nft', '-f', '-'], { stdin: kubeProxyLayout(pods), timeout: 300_000 });
};
/** @type {Awaited<ReturnType<typeof makeFixture>>[]} */
const fixtures = [];
try {
  fixtures.push(
    await makeFixture(asKubeProxy),
    await makeFixture(async (sandbox, pods) => {
      const dataplane = new NftablesDataplane({ family: 'IPv4', nft: createNft({ runner: sandbox.node.runner }) });
      await install(dataplane, ours(pods));
      dataplane.close();
    }),
    await makeFixture(asKubeProxy),
  );
  /** @typedef {{packets: number, connections: number, bytes: number}} Round */
  const results = fixtures.map(() => /** @type {Round[]} */ ([]));
  for (let round = 0; round <= ROUNDS; round += 1) {
    // There and back: what drifts, drifts for all.
    const inTurn = [...fixtures.entries()];
    for (const [index, fixture] of round % 2 === 0 ? inTurn : inTurn.reverse()) {
      const measured = {
        packets: await fixture.packetsPerSecond(),
        connections: await fixture.connectionsPerSecond(),
        bytes: await fixture.bytesPerSecond(),
      };
      // The first round warms up.
      if (round > 0) {
        results[index]?.push(measured);
      }
    }
  }
  const [theirs = [], mine = [], again = []] = results;
  const report = new Report('nftables-path', `${SERVICES} Services × 2, ${ROUNDS} rounds in turns`);
  /** @type {[what: string, name: keyof Round, scale: number, unit: '/s' | 'Gbit/s'][]} */
  const rows = [
    ['new connections, one after another', 'connections', 1, '/s'],
    ['packets of 64 bytes, one flow', 'packets', 1, '/s'],
    ['throughput, one connection', 'bytes', 8 / 1e9, 'Gbit/s'],
  ];
  for (const [what, name, scale, unit] of rows) {
    /** @param {readonly Round[]} those */
    const against = (those) => {
      const ratios = those.map((round, index) => round[name] / (theirs[index]?.[name] ?? Number.NaN));
      const [low, high] = medianInterval(ratios);
      return `${median(ratios).toFixed(3)} (${low.toFixed(3)} to ${high.toFixed(3)})`;
    };
    /** @param {readonly Round[]} those */
    const figure = (those) => median(those.map((round) => round[name])) * scale;
    report.add(what, figure(mine), unit, {
      columns: {
        "kube-proxy's layout": formatQuantity(figure(theirs), unit),
        'ratio: median (95 %)': against(mine),
        'control: the latter against itself': against(again),
      },
    });
  }
  report.finish();
} finally {
  await Promise.allSettled(fixtures.map((fixture) => fixture.close()));
}
process.exit();
