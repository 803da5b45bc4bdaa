#!/usr/bin/env node
// The ipvs backend on a kernel with IPVS, which this boots: npm run bench:ipvs. Needs root; see scripts/prepare.mjs --ipvs.
// `--quick` leaves out what takes longest.
import { execFileSync } from 'node:child_process';
import { cpus, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import { prepare, runScript } from '../scripts/prepare.mjs';
import { runInIpvsKernel } from '../scripts/run-in-ipvs-kernel.mjs';

const quick = process.argv.includes('--quick');
const rows = [];
const milliseconds = (number) => `${number.toFixed(number < 10 ? 2 : 0)} ms`;
const percentile = (numbers, p) => [...numbers].sort((a, b) => a - b)[Math.floor((numbers.length - 1) * p)];

function report(what, measured, limit, text = milliseconds) {
  const ok = limit === undefined ? '' : measured <= limit ? 'yes' : 'NO';
  rows.push({ what, measured: text(measured), 'at most': limit === undefined ? '' : text(limit), ok });
}

async function timed(work) {
  const begin = performance.now();
  await work();
  return performance.now() - begin;
}

async function inside() {
  const core = await import('../packages/core/dist/index.js');
  const linux = await import('../packages/linux/dist/index.js');
  const { soakNetlink } = await import('../packages/linux/dist/testing/index.js');
  const { IpvsDataplane } = await import('../packages/ipvs/dist/index.js');

  const service = (index) => ({
    metadata: { name: `svc-${index}`, namespace: 'default' },
    spec: { clusterIP: `10.96.${index >> 8}.${index & 255}`, ports: [{ port: 80, protocol: 'TCP' }] },
  });
  const slice = (index, addresses) => ({
    metadata: {
      name: `svc-${index}-a`,
      namespace: 'default',
      labels: { 'kubernetes.io/service-name': `svc-${index}` },
    },
    addressType: 'IPv4',
    ports: [{ name: '', port: 8080, protocol: 'TCP' }],
    endpoints: addresses.map((address, offset) => ({
      addresses: [address],
      nodeName: `node${(index + offset) % 100}`,
    })),
  });
  const pods = (index) => [0, 1].map((offset) => `10.200.${(index * 2 + offset) >> 8}.${(index * 2 + offset) & 255}`);

  function cluster(services) {
    const resolver = new core.ProxyStateResolver({
      family: 'IPv4',
      options: {
        ...core.DEFAULT_PROXIER_OPTIONS,
        nodeName: 'node1',
        localTrafficDetection: { kind: 'source-cidr', cidr: '10.192.0.0/10' },
      },
      reader: new core.ObjectReader(),
      since: 0,
    });
    const slices = [];
    for (let index = 0; index < services; index += 1) {
      slices[index] = slice(index, pods(index));
      resolver.updateService(undefined, service(index));
      resolver.updateEndpointSlice(undefined, slices[index]);
    }
    return { resolver, slices };
  }

  async function load(services) {
    const host = {
      ipvs: new linux.IpvsNetlink(),
      links: new linux.LinksNetlink(),
      sets: new linux.IpSetsNetlink(),
      iptables: async () =>
        linux.createIptables({ family: 'IPv4', variant: 'legacy', runner: linux.createCommandRunner() }),
    };
    const dataplane = new IpvsDataplane({ family: 'IPv4', host });
    await dataplane.cleanup();
    const world = cluster(services);
    const { state } = world.resolver.applyPending();
    const installed = await dataplane.readBack();
    const elapsed = await timed(async () =>
      dataplane.apply(dataplane.plan(state, core.diffStates(undefined, state), installed)),
    );
    return { ...world, dataplane, state, elapsed };
  }

  let fresh = 0;
  async function change({ resolver, slices, dataplane }, services, rounds) {
    const times = [];
    for (let round = 0; round < rounds; round += 1) {
      const index = (round * 7) % services;
      const before = slices[index];
      const [, second] = pods(index);
      slices[index] = slice(index, [`10.199.${fresh >> 8}.${fresh & 255}`, second]);
      fresh += 1;
      times.push(
        await timed(async () => {
          resolver.updateEndpointSlice(before, slices[index]);
          const { state, changes } = resolver.applyPending();
          await dataplane.apply(dataplane.plan(state, changes));
        }),
      );
    }
    return times;
  }

  const many = quick ? 1000 : 10_000;
  for (const services of [10, many]) {
    const small = await load(services);
    await change(small, services, 50);
    const times = await change(small, services, 300);
    report(`one endpoint changes, of ${services} Services, p50`, percentile(times, 0.5), 5);
    report(`one endpoint changes, of ${services} Services, p99`, percentile(times, 0.99));
    await small.dataplane.cleanup();
  }

  let world;
  const loads = [];
  for (let round = 0; round < 3; round += 1) {
    world = await load(many);
    loads.push(world.elapsed);
  }
  const read = await timed(async () => {
    const { dataplane, state } = world;
    if (dataplane.plan(state, core.diffStates(undefined, state), await dataplane.readBack()) !== undefined) {
      throw new Error('what was written is not what was planned');
    }
  });
  const shell = (command, input) =>
    execFileSync('sh', ['-c', command], {
      input,
      encoding: 'utf8',
      maxBuffer: 1 << 28,
      stdio: ['pipe', 'pipe', 'inherit'],
    });
  const servers = shell('ipvsadm -Sn');
  const sets = shell('ipset save');
  await world.dataplane.cleanup();
  const tools = [];
  for (let round = 0; round < 3; round += 1) {
    const ipvsadm = await timed(() => shell('ipvsadm --restore', servers));
    const ipset = await timed(() => shell('ipset restore', sets));
    tools.push({ ipvsadm, ipset, both: ipvsadm + ipset });
    shell('ipvsadm -C; ipset destroy');
  }
  const [tool] = [...tools].sort((a, b) => a.both - b.both).slice(1);
  report(`${many} Services × 2: ipvsadm --restore`, tool.ipvsadm);
  report(`${many} Services × 2: ipset restore`, tool.ipset);
  report(
    `${many} Services × 2: full load, with interface, addresses and rules`,
    percentile(loads, 0.5),
    1.5 * tool.both,
  );
  report(`${many} Services × 2: everything read back and compared`, read);

  const messages = quick ? 100_000 : 1_000_000;
  const memory = [];
  const steady = new linux.IpvsNetlink();
  const overrunning = new linux.IpvsNetlink(new linux.NetlinkSocket('generic', { receiveBuffer: 1 }));
  const onProgress = (sent) => {
    if (sent % (messages / 10) === 0) {
      globalThis.gc?.();
      memory.push(process.memoryUsage().rss / 2 ** 20);
    }
  };
  let soak;
  const elapsed = await timed(async () => {
    soak = await soakNetlink({ messages, seed: 1, steady, overrunning, onProgress });
  });
  steady.close();
  overrunning.close();
  report(`${messages} netlink messages (${soak.refused} refused, ${soak.lost} batches lost)`, elapsed);
  report(
    'memory (RSS) grown from a tenth of them to the end',
    memory.at(-1) - memory[0],
    16,
    (number) => `${number.toFixed(1)} MiB`,
  );
  console.log(
    `state compared ${soak.comparisons} times, and as it should be; RSS in MiB: ${memory.map((size) => size.toFixed(0)).join(' ')}`,
  );
  console.table(rows);
  return rows.some(({ ok }) => ok === 'NO') ? 1 : 0;
}

async function outside() {
  prepare({ ipvs: true });
  const [{ model } = { model: 'unknown' }] = cpus();
  console.log(
    `${cpus().length} × ${model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.versions.node}; in User-Mode Linux, one processor`,
  );
  const self = fileURLToPath(import.meta.url);
  const args = [process.execPath, '--expose-gc', self, '--inside', ...(quick ? ['--quick'] : [])];
  return await runInIpvsKernel(args, { timeout: 1800 });
}

await runScript(process.argv.includes('--inside') ? inside : outside);
