#!/usr/bin/env node
// The iptables backend at 10,000 Services x 2 endpoints, both variants: npm run bench:iptables [-- --services N]
// In network namespaces of its own, as root. Medians of one run; compare with kube-proxy's figures as ratios only.
import { parseArgs } from 'node:util';
import {
  DEFAULT_PROXIER_OPTIONS,
  ReconcilingProxier,
  servicePortKey,
  silentLogger,
  systemClock,
} from '../packages/core/dist/index.js';
import { IptablesDataplane } from '../packages/iptables/dist/index.js';
import { createIptables, ProcSysctl } from '../packages/linux/dist/index.js';
import { NetworkSandbox } from '../packages/network-sandbox/dist/index.js';
import { applyChanges, BenchCluster, clusterIP, install, podsOf, service, slice } from './lib/cluster.mjs';
import { cpuSeconds, timed, wait } from './lib/process-usage.mjs';
import { Report } from './lib/report.mjs';
import { median } from './lib/statistics.mjs';

const { values } = parseArgs({ options: { services: { type: 'string', default: '10000' } } });
const SERVICES = Number(values.services);

/** @type {import('../packages/core/dist/index.js').ProxierOptions} */
const OPTIONS = {
  ...DEFAULT_PROXIER_OPTIONS,
  nodeName: 'node1',
  localTrafficDetection: { kind: 'cluster-cidr', cidrs: ['10.244.0.0/16'] },
  localhostNodePorts: false,
};

/** Service 0 leads to real pods. */
const REAL_PODS = ['10.244.0.11', '10.244.7.11'];

/** @param {number} index of the Service */
const pods = (index) => (index === 0 ? REAL_PODS : podsOf(index, 2));

/** @param {number} count */
const makeCluster = (count) => new BenchCluster(count, 2, OPTIONS, pods);

/** @param {number} round */
const otherService = (round) => 1 + ((round * 7919) % (SERVICES - 1));

/**
 * A whole proxier, fed with 100 changes a second for 20 s: CPU seconds and how old a change is when it is in force.
 *
 * @param {IptablesDataplane} dataplane
 * @param {number} minSyncPeriod in milliseconds
 */
async function churn(dataplane, minSyncPeriod) {
  /** @type {{index: number, address: string, at: number}[]} */
  let waiting = [];
  /** @type {number[]} */
  const lags = [];
  let synced = () => {};
  const first = new Promise((resolve) => {
    synced = () => resolve(undefined);
  });
  const proxier = new ReconcilingProxier({
    mode: 'iptables',
    dataplane,
    context: {
      family: 'IPv4',
      options: { ...OPTIONS, minSyncPeriod },
      logger: silentLogger,
      clock: systemClock,
      localAddresses: async () => [],
      observer: {
        synced({ state }) {
          synced();
          const now = performance.now();
          const done = waiting.filter((change) =>
            state.servicePorts
              .get(
                servicePortKey({ namespace: 'bench', name: `svc-${change.index}`, portName: 'http', protocol: 'TCP' }),
              )
              ?.cluster.some(({ address }) => address === change.address),
          );
          lags.push(...done.map(({ at }) => now - at));
          waiting = waiting.filter((change) => !done.includes(change));
        },
      },
    },
  });
  for (let index = 0; index < SERVICES; index += 1) {
    proxier.onServiceUpdate(undefined, service(index));
    proxier.onEndpointsUpdate(undefined, slice(index, pods(index)));
  }
  const abort = new AbortController();
  const keepAlive = setInterval(() => {}, 1000);
  const loop = proxier.syncLoop(abort.signal);
  proxier.onServicesSynced();
  proxier.onEndpointsSynced();
  await first;
  const cpuBefore = cpuSeconds();
  const begin = performance.now();
  for (let sent = 0; sent < 2000; ) {
    await wait(2);
    for (; sent < Math.min(2000, Math.floor((performance.now() - begin) / 10)); sent += 1) {
      const index = otherService(sent);
      const address = `10.251.${sent >> 8}.${sent & 255}`;
      const [unchanged = ''] = pods(index);
      waiting.push({ index, address, at: performance.now() });
      proxier.onEndpointsUpdate(undefined, slice(index, [unchanged, { address, node: 'node2' }]));
    }
  }
  while (waiting.length > 0) {
    await wait(2);
  }
  const cpu = cpuSeconds() - cpuBefore;
  abort.abort();
  await loop;
  clearInterval(keepAlive);
  return { cpu, lag: median(lags) };
}

/** Figures that were measured of kube-proxy, and what is aimed at. */
const VARIANTS = /** @type {const} */ ([
  {
    variant: 'nft',
    kubeProxy: { load: '47-66 s', single: '1.1-1.4 s', cpu: '19 s', lag: '2.1-3.1 s' },
    aims: { load: 6000, single: 30, cpu: 4 },
  },
  {
    variant: 'legacy',
    kubeProxy: { load: '2.1 s', single: '623 ms', cpu: '18.5 s', lag: '' },
    aims: { load: 1000, single: 200, cpu: undefined },
  },
]);

const report = new Report('iptables', `${SERVICES} Services of 2 endpoints`);

for (const { variant, kubeProxy, aims } of VARIANTS) {
  const sandbox = await NetworkSandbox.create({ pods: 2, remotePods: 1 });
  try {
    const iptables = createIptables({ family: 'IPv4', variant, runner: sandbox.node.runner });
    const dataplane = new IptablesDataplane({
      family: 'IPv4',
      iptables: async () => iptables,
      sysctl: new ProcSysctl(sandbox.node.files),
    });
    await Promise.all([sandbox.pod(1), sandbox.remotePod(1)].map((pod) => pod.serve({ port: 8080 })));

    // First packets: from a pod to Service 0, with few and with many Services around it.
    const firstPacket = async () => {
      await sandbox.pod(2).connectMany({ to: clusterIP(0), port: 80 }, 200, 1);
      const times = [];
      for (let round = 0; round < 1500; round += 1) {
        const outcome = await sandbox.pod(2).connect({ to: clusterIP(0), port: 80 });
        times.push(outcome.kind === 'answered' ? outcome.milliseconds : Number.NaN);
      }
      return median(times);
    };
    await install(dataplane, makeCluster(10).resolve().state);
    const few = await firstPacket();

    const loads = [];
    let cluster = makeCluster(0);
    for (let round = 0; round < 3; round += 1) {
      await dataplane.cleanup();
      cluster = makeCluster(SERVICES);
      loads.push(await timed(async () => install(dataplane, cluster.resolve().state)));
    }
    const many = await firstPacket();

    const single = [];
    for (let round = 0; round < 41; round += 1) {
      single.push(
        await timed(async () => {
          cluster.replaceEndpoint(otherService(round));
          await applyChanges(dataplane, cluster.resolve());
        }),
      );
    }

    await dataplane.cleanup();
    const churned = await churn(dataplane, 0);
    await dataplane.cleanup();
    const throttled = await churn(dataplane, 1000);

    const columns = (/** @type {string} */ text = '') => ({ variant, 'kube-proxy': text });
    report.add('full load (median of 3)', median(loads), 'ms', { atMost: aims.load, columns: columns(kubeProxy.load) });
    report.add('one endpoint changed, event to kernel, p50', median(single), 'ms', {
      atMost: aims.single,
      columns: columns(kubeProxy.single),
    });
    report.add('100 changes/s for 20 s: CPU', churned.cpu, 's', { columns: columns(kubeProxy.cpu) });
    report.add('100 changes/s for 20 s: lag, p50', churned.lag, 'ms', { columns: columns(kubeProxy.lag) });
    report.add('the same, syncs 1 s apart (default): CPU', throttled.cpu, 's', {
      atMost: aims.cpu,
      columns: columns(),
    });
    report.add('the same, syncs 1 s apart (default): lag, p50', throttled.lag, 'ms', { columns: columns() });
    report.add(`new connection, ${SERVICES} Services : 10`, many / few, '', { atMost: 1.3, columns: columns() });
    await dataplane.cleanup();
  } finally {
    await sandbox.close();
  }
}

report.finish();
