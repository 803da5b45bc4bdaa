#!/usr/bin/env node
// Core's own speed and memory: npm run bench:core. Ratios and medians of one run; the machine is named.
import { cpus, totalmem } from 'node:os';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { DEFAULT_PROXIER_OPTIONS, ObjectReader, ProxyStateResolver } from '../packages/core/dist/index.js';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');

const median = (numbers) => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)];
const percentile = (numbers, p) => [...numbers].sort((a, b) => a - b)[Math.floor((numbers.length - 1) * p)];
const milliseconds = (number) => `${number.toFixed(number < 10 ? 3 : 0)} ms`;

function makeResolver() {
  return new ProxyStateResolver({
    family: 'IPv4',
    options: { ...DEFAULT_PROXIER_OPTIONS, nodeName: 'node1' },
    reader: new ObjectReader(),
    since: 0,
  });
}

function service(index) {
  return {
    metadata: { name: `svc-${index}`, namespace: 'default' },
    spec: {
      type: 'ClusterIP',
      clusterIP: `10.${96 + (index >> 16)}.${(index >> 8) & 255}.${index & 255}`,
      ports: [{ name: 'http', port: 80, protocol: 'TCP' }],
    },
  };
}

function slice(serviceIndex, name, first, count, unready = -1) {
  return {
    metadata: { name, namespace: 'default', labels: { 'kubernetes.io/service-name': `svc-${serviceIndex}` } },
    addressType: 'IPv4',
    ports: [{ name: 'http', port: 8080, protocol: 'TCP' }],
    endpoints: Array.from({ length: count }, (_, offset) => {
      const number = first + offset;
      return {
        addresses: [`10.${200 + (number >> 16)}.${(number >> 8) & 255}.${number & 255}`],
        conditions: { ready: offset !== unready, serving: true, terminating: false },
        nodeName: `node${number % 100}`,
        zone: 'zone-a',
      };
    }),
  };
}

function heapKept(before) {
  collect();
  collect();
  return (process.memoryUsage().heapUsed - before) / 2 ** 20;
}

const rows = [];
const report = (what, measured, limit, unit) => {
  const text = unit === 'MB' ? `${measured.toFixed(0)} MB` : milliseconds(measured);
  const bound = unit === 'MB' ? `${limit} MB` : milliseconds(limit);
  rows.push({ what, measured: text, 'at most': bound, ok: measured <= limit ? 'yes' : 'NO' });
};

// 10,000 Services with 10 endpoints each
{
  const loads = [];
  let kept = 0;
  let resolver;
  for (let round = 0; round < 3; round += 1) {
    resolver = undefined;
    collect();
    const before = process.memoryUsage().heapUsed;
    resolver = makeResolver();
    const objects = Array.from({ length: 10_000 }, (_, index) => [
      service(index),
      slice(index, `svc-${index}-a`, index * 10, 10),
    ]);
    const begin = performance.now();
    for (const [one, other] of objects) {
      resolver.updateService(undefined, one);
      resolver.updateEndpointSlice(undefined, other);
    }
    resolver.applyPending();
    loads.push(performance.now() - begin);
    objects.length = 0;
    kept = heapKept(before);
  }
  const changes = [];
  for (let round = 0; round < 3000; round += 1) {
    const index = (round * 7919) % 10_000;
    const previous = slice(index, `svc-${index}-a`, index * 10, 10);
    const next = slice(index, `svc-${index}-a`, index * 10, 10, round % 10);
    const begin = performance.now();
    resolver.updateEndpointSlice(previous, next);
    resolver.applyPending();
    changes.push(performance.now() - begin);
  }
  report('10,000 Services x 10: full resolution (median of 3)', median(loads), 1000);
  report('10,000 Services x 10: one slice changed, p50', median(changes), 0.2);
  report('10,000 Services x 10: one slice changed, p99', percentile(changes, 0.99), 5);
  report('10,000 Services x 10: heap kept', kept, 120, 'MB');
}

// One Service with 100,000 endpoints in 1,000 slices
{
  collect();
  const resolver = makeResolver();
  resolver.updateService(undefined, service(0));
  for (let index = 0; index < 1000; index += 1) {
    resolver.updateEndpointSlice(undefined, slice(0, `s-${index}`, index * 100, 100));
  }
  resolver.applyPending();
  const changes = [];
  for (let round = 0; round < 300; round += 1) {
    const index = (round * 379) % 1000;
    const next = slice(0, `s-${index}`, index * 100, 100, round % 100);
    const begin = performance.now();
    resolver.updateEndpointSlice(next, next);
    resolver.applyPending();
    changes.push(performance.now() - begin);
  }
  report('1 Service x 100,000: one slice of 100 changed, p50', median(changes), 5);
  report('1 Service x 100,000: one slice of 100 changed, p99', percentile(changes, 0.99), 15);
}

// A million updates: memory must not grow
{
  const resolver = makeResolver();
  for (let index = 0; index < 100; index += 1) {
    resolver.updateService(undefined, service(index));
  }
  let baseline = 0;
  for (let update = 0; update < 1_000_000; update += 1) {
    const index = update % 100;
    if (update % 5 === 0) {
      resolver.updateEndpointSlice(slice(index, `x-${update % 7}`, 0, 0), undefined);
    } else {
      resolver.updateEndpointSlice(undefined, slice(index, `x-${update % 7}`, (update * 31) % 60_000, 2, update % 3));
    }
    if (update % 10 === 0) {
      resolver.applyPending();
    }
    if (update === 100_000) {
      collect();
      baseline = process.memoryUsage().heapUsed;
    }
  }
  report('heap grown over 900,000 further updates', Math.max(0, heapKept(baseline)), 2, 'MB');
}

process.stdout.write(
  `core, node ${process.version}, ${cpus().length} x ${cpus()[0]?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB\n`,
);
console.table(rows);
process.exitCode = rows.every(({ ok }) => ok === 'yes') ? 0 : 1;
