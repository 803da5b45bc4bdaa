#!/usr/bin/env node
// The iptables backend at 10,000 Services x 2 endpoints, both variants: npm run bench:iptables [-- --services N]
// In network namespaces of its own, as root. Medians of one run; compare with kube-proxy's figures as ratios only.
import { cpus, totalmem } from 'node:os';
import { parseArgs } from 'node:util';
import {
  DEFAULT_PROXIER_OPTIONS,
  diffStates,
  ObjectReader,
  ProxyStateResolver,
  ReconcilingProxier,
  silentLogger,
  systemClock,
} from '../packages/core/dist/index.js';
import { IptablesDataplane } from '../packages/iptables/dist/index.js';
import { createIptables, ProcSysctl } from '../packages/linux/dist/index.js';
import { NetworkSandbox } from '../packages/network-sandbox/dist/index.js';
import { cpuSeconds } from './cpu-seconds.mjs';

const { values } = parseArgs({ options: { services: { type: 'string', default: '10000' } } });
const SERVICES = Number(values.services);

const OPTIONS = {
  ...DEFAULT_PROXIER_OPTIONS,
  nodeName: 'node1',
  localTrafficDetection: { kind: 'cluster-cidr', cidrs: ['10.244.0.0/16'] },
  localhostNodePorts: false,
};

const median = (numbers) => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)];
const seconds = (milliseconds) =>
  milliseconds >= 1000 ? `${(milliseconds / 1000).toFixed(2)} s` : `${milliseconds.toFixed(0)} ms`;

function service(index) {
  return {
    metadata: { name: `svc-${index}`, namespace: 'bench' },
    spec: {
      clusterIP: `10.${96 + (index >> 16)}.${(index >> 8) & 255}.${index & 255}`,
      ports: [{ port: 80 }],
    },
  };
}

function slice(index, second) {
  const base = index * 2;
  const address = (number) => `10.${200 + (number >> 16)}.${(number >> 8) & 255}.${number & 255}`;
  const addresses = index === 1 ? ['10.244.0.11', '10.244.7.11'] : [address(base), second ?? address(base + 1)];
  return {
    metadata: { name: `svc-${index}-a`, namespace: 'bench', labels: { 'kubernetes.io/service-name': `svc-${index}` } },
    addressType: 'IPv4',
    ports: [{ port: 8080 }],
    endpoints: addresses.map((one) => ({ addresses: [one], nodeName: 'node2' })),
  };
}

function makeResolver(count) {
  const resolver = new ProxyStateResolver({
    family: 'IPv4',
    options: OPTIONS,
    reader: new ObjectReader(),
    since: 0,
  });
  for (let index = 1; index <= count; index += 1) {
    resolver.updateService(undefined, service(index));
    resolver.updateEndpointSlice(undefined, slice(index));
  }
  return resolver;
}

async function install(dataplane, resolver) {
  const { state } = resolver.applyPending();
  const transaction = dataplane.plan(state, diffStates(undefined, state), await dataplane.readBack());
  await dataplane.apply(transaction);
}

async function change(dataplane, resolver, events) {
  for (const [index, second] of events) {
    resolver.updateEndpointSlice(undefined, slice(index, second));
  }
  const { state, changes } = resolver.applyPending();
  const transaction = dataplane.plan(state, changes);
  if (transaction) {
    await dataplane.apply(transaction);
  }
}

/** A whole proxier, fed with 100 changes a second for 20 s: CPU seconds and how old a change is when it is in force. */
async function churn(dataplane, minSyncPeriod) {
  let waiting = [];
  const lags = [];
  let synced = () => {};
  const first = new Promise((resolve) => {
    synced = resolve;
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
          const done = waiting.filter(({ index, second }) =>
            state.servicePorts.get(`bench/svc-${index}:/TCP`)?.cluster.some(({ address }) => address === second),
          );
          lags.push(...done.map(({ at }) => now - at));
          waiting = waiting.filter((change) => !done.includes(change));
        },
      },
    },
  });
  for (let index = 1; index <= SERVICES; index += 1) {
    proxier.onServiceUpdate(undefined, service(index));
    proxier.onEndpointsUpdate(undefined, slice(index));
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
    await new Promise((resolve) => setTimeout(resolve, 2));
    for (; sent < Math.min(2000, Math.floor((performance.now() - begin) / 10)); sent += 1) {
      const index = 2 + ((sent * 7919) % (SERVICES - 2));
      const second = `10.251.${sent >> 8}.${sent & 255}`;
      waiting.push({ index, second, at: performance.now() });
      proxier.onEndpointsUpdate(undefined, slice(index, second));
    }
  }
  while (waiting.length > 0) {
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  const cpu = cpuSeconds() - cpuBefore;
  abort.abort();
  await loop;
  clearInterval(keepAlive);
  return { cpu, lag: median(lags) };
}

const rows = [];
const opponent = { nft: ['47-66 s', '1.1-1.4 s', '19 s', '2.1-3.1 s'], legacy: ['2.1 s', '623 ms', '18.5 s', ''] };
const limits = { nft: [6000, 30, 4], legacy: [1000, 200, undefined] };

for (const variant of ['nft', 'legacy']) {
  const sandbox = await NetworkSandbox.create({ pods: 2, remotePods: 1 });
  try {
    const iptables = createIptables({ family: 'IPv4', variant, runner: sandbox.node.runner });
    const dataplane = new IptablesDataplane({
      family: 'IPv4',
      iptables: async () => iptables,
      sysctl: new ProcSysctl(sandbox.node.files),
    });
    await Promise.all([sandbox.pod(1), sandbox.remotePod(1)].map((pod) => pod.serve({ port: 8080 })));

    // First packets: from a pod to Service 1, with few and with many Services around it.
    const firstPacket = async () => {
      await sandbox.pod(2).connectMany({ to: '10.96.0.1', port: 80 }, 200, 1);
      const times = [];
      for (let round = 0; round < 1500; round += 1) {
        const outcome = await sandbox.pod(2).connect({ to: '10.96.0.1', port: 80 });
        times.push(outcome.kind === 'answered' ? outcome.milliseconds : Number.NaN);
      }
      return median(times);
    };
    await install(dataplane, makeResolver(10));
    const few = await firstPacket();

    const loads = [];
    let resolver;
    for (let round = 0; round < 3; round += 1) {
      await dataplane.cleanup();
      resolver = makeResolver(SERVICES);
      const begin = performance.now();
      await install(dataplane, resolver);
      loads.push(performance.now() - begin);
    }
    const many = await firstPacket();

    const single = [];
    for (let round = 0; round < 41; round += 1) {
      const index = 2 + ((round * 7919) % (SERVICES - 2));
      const begin = performance.now();
      await change(dataplane, resolver, [[index, `10.250.${round}.1`]]);
      single.push(performance.now() - begin);
    }

    await dataplane.cleanup();
    const churned = await churn(dataplane, 0);
    await dataplane.cleanup();
    const throttled = await churn(dataplane, 1000);

    const [loadLimit, singleLimit, cpuLimit] = limits[variant];
    const add = (what, measured, limit, text, other) =>
      rows.push({
        variant,
        what,
        measured: text,
        'at most': limit === undefined ? '' : limit.text,
        ok: limit === undefined ? '' : measured <= limit.value ? 'yes' : 'NO',
        'kube-proxy': other,
      });
    const inTime = (value) => ({ value, text: seconds(value) });
    add('full load (median of 3)', median(loads), inTime(loadLimit), seconds(median(loads)), opponent[variant][0]);
    add(
      'one endpoint changed, event to kernel, p50',
      median(single),
      inTime(singleLimit),
      seconds(median(single)),
      opponent[variant][1],
    );
    const atMost = cpuLimit === undefined ? undefined : { value: cpuLimit, text: `${cpuLimit} s` };
    add('100 changes/s for 20 s: CPU', churned.cpu, undefined, `${churned.cpu.toFixed(1)} s`, opponent[variant][2]);
    add('100 changes/s for 20 s: lag, p50', churned.lag, undefined, seconds(churned.lag), opponent[variant][3]);
    add('the same, syncs 1 s apart (default): CPU', throttled.cpu, atMost, `${throttled.cpu.toFixed(1)} s`, '');
    add('the same, syncs 1 s apart (default): lag, p50', throttled.lag, undefined, seconds(throttled.lag), '');
    add(
      `new connection, ${SERVICES} Services : 10`,
      many / few,
      { value: 1.3, text: '1.30' },
      (many / few).toFixed(2),
      '',
    );
    await dataplane.cleanup();
  } finally {
    await sandbox.close();
  }
}

process.stdout.write(
  `iptables, ${SERVICES} Services x 2, node ${process.version}, ${cpus().length} x ${cpus()[0]?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB\n`,
);
console.table(rows);
process.exitCode = rows.every(({ ok }) => ok !== 'NO') ? 0 : 1;
