#!/usr/bin/env node
// The ipvs backend on a kernel with IPVS, which this boots: npm run bench:ipvs. Needs root; see scripts/prepare.mjs --ipvs.
// `--quick` leaves out what takes longest.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { prepare, runScript } from '../scripts/prepare.mjs';
import { runInIpvsKernel } from '../scripts/run-in-ipvs-kernel.mjs';
import { applyChanges, BenchCluster, install, verifyInstalled } from './lib/cluster.mjs';
import { describeMachine } from './lib/machine.mjs';
import { timed, toMegabytes } from './lib/process-usage.mjs';
import { Report } from './lib/report.mjs';
import { median, percentile } from './lib/statistics.mjs';

const quick = process.argv.includes('--quick');

/**
 * @param {string} command
 * @param {string} [input]
 */
function shell(command, input) {
  return execFileSync('sh', ['-c', command], {
    ...(input === undefined ? {} : { input }),
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
}

async function inside() {
  const linux = await import('../packages/linux/dist/index.js');
  const { soakNetlink } = await import('../packages/linux/dist/testing/index.js');
  const { IpvsDataplane } = await import('../packages/ipvs/dist/index.js');
  const report = new Report('ipvs', 'in User-Mode Linux, one processor');

  /** @param {number} services */
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
    const cluster = new BenchCluster(services, 2, {
      localTrafficDetection: { kind: 'source-cidr', cidr: '10.192.0.0/10' },
    });
    const { state } = cluster.resolve();
    return { services, cluster, dataplane, state, elapsed: await timed(() => install(dataplane, state)) };
  }

  /**
   * @param {Awaited<ReturnType<typeof load>>} loaded
   * @param {number} rounds
   */
  async function change({ services, cluster, dataplane }, rounds) {
    const times = [];
    for (let round = 0; round < rounds; round += 1) {
      times.push(
        await timed(async () => {
          cluster.replaceEndpoint((round * 7) % services);
          await applyChanges(dataplane, cluster.resolve());
        }),
      );
    }
    return times;
  }

  const many = quick ? 1000 : 10_000;
  for (const services of [10, many]) {
    const loaded = await load(services);
    await change(loaded, 50);
    const times = await change(loaded, 300);
    report.add(`one endpoint changes, of ${services} Services, p50`, median(times), 'ms', { atMost: 5 });
    report.add(`one endpoint changes, of ${services} Services, p99`, percentile(times, 0.99), 'ms');
    await loaded.dataplane.cleanup();
  }

  let loaded = await load(many);
  const loads = [loaded.elapsed];
  while (loads.length < 3) {
    loaded = await load(many);
    loads.push(loaded.elapsed);
  }
  const { dataplane, state } = loaded;
  const read = await timed(() => verifyInstalled(dataplane, state));
  const servers = shell('ipvsadm -Sn');
  const sets = shell('ipset save');
  await dataplane.cleanup();
  const tools = { ipvsadm: /** @type {number[]} */ ([]), ipset: /** @type {number[]} */ ([]) };
  for (let round = 0; round < 3; round += 1) {
    tools.ipvsadm.push(await timed(() => shell('ipvsadm --restore', servers)));
    tools.ipset.push(await timed(() => shell('ipset restore', sets)));
    shell('ipvsadm -C; ipset destroy');
  }
  const both = median(tools.ipvsadm.map((ipvsadm, round) => ipvsadm + (tools.ipset[round] ?? Number.NaN)));
  const size = `${many} Services × 2`;
  report.add(`${size}: ipvsadm --restore`, median(tools.ipvsadm), 'ms');
  report.add(`${size}: ipset restore`, median(tools.ipset), 'ms');
  report.add(`${size}: full load, with interface, addresses and rules`, median(loads), 'ms', { atMost: 1.5 * both });
  report.add(`${size}: everything read back and compared`, read, 'ms');

  const messages = quick ? 100_000 : 1_000_000;
  /** @type {number[]} */
  const memory = [];
  const steady = new linux.IpvsNetlink();
  const overrunning = new linux.IpvsNetlink(new linux.NetlinkSocket('generic', { receiveBuffer: 1 }));
  const onProgress = (/** @type {number} */ sent) => {
    if (sent % (messages / 10) === 0) {
      globalThis.gc?.();
      memory.push(toMegabytes(process.memoryUsage().rss));
    }
  };
  const begin = performance.now();
  const soak = await soakNetlink({ messages, seed: 1, steady, overrunning, onProgress });
  const elapsed = performance.now() - begin;
  steady.close();
  overrunning.close();
  report.add(`${messages} netlink messages (${soak.refused} refused, ${soak.lost} batches lost)`, elapsed, 'ms');
  const grown = (memory.at(-1) ?? Number.NaN) - (memory[0] ?? Number.NaN);
  report.add('memory (RSS) grown from a tenth of them to the end', grown, 'MB', { atMost: 16 });
  console.log(
    `state compared ${soak.comparisons} times, and as it should be; RSS in MB: ${memory.map((mb) => mb.toFixed(0)).join(' ')}`,
  );
  return report.finish();
}

async function outside() {
  prepare({ ipvs: true });
  console.log(`host: ${describeMachine()}`);
  const self = fileURLToPath(import.meta.url);
  const args = [process.execPath, '--expose-gc', self, '--inside', ...(quick ? ['--quick'] : [])];
  return await runInIpvsKernel(args, { timeout: 1800 });
}

await runScript(process.argv.includes('--inside') ? inside : outside);
