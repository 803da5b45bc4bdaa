#!/usr/bin/env node
// Core's own speed and memory: npm run bench:core. Ratios and medians of one run; the machine is named.
import { makeResolver } from '../packages/core/dist/testing/index.js';
import { pod, podsOf, service, slice } from './lib/cluster.mjs';
import { collectGarbage, toMegabytes, usedHeap } from './lib/process-usage.mjs';
import { Report } from './lib/report.mjs';
import { median, percentile } from './lib/statistics.mjs';

/**
 * @param {number} first number of the first pod
 * @param {number} count
 * @param {number} [unready] which of them is not ready; default: none
 */
function pods(first, count, unready) {
  return Array.from({ length: count }, (_, offset) => ({
    ...pod(first + offset),
    ready: offset !== unready,
    serving: true,
  }));
}

/** @param {number} before bytes */
const heapKept = (before) => toMegabytes(usedHeap() - before);

const report = new Report('core', 'resolution of one IP family');

// 10,000 Services with 10 endpoints each
{
  const loads = [];
  let kept = 0;
  let resolver = makeResolver();
  for (let round = 0; round < 3; round += 1) {
    resolver = makeResolver();
    collectGarbage();
    const before = process.memoryUsage().heapUsed;
    let objects = Array.from({ length: 10_000 }, (_, index) => ({
      service: service(index),
      slice: slice(index, podsOf(index, 10)),
    }));
    const begin = performance.now();
    for (const one of objects) {
      resolver.updateService(undefined, one.service);
      resolver.updateEndpointSlice(undefined, one.slice);
    }
    resolver.applyPending();
    loads.push(performance.now() - begin);
    objects = [];
    kept = heapKept(before);
  }
  const changes = [];
  for (let round = 0; round < 3000; round += 1) {
    const index = (round * 7919) % 10_000;
    const previous = slice(index, podsOf(index, 10));
    const next = slice(index, pods(index * 10, 10, round % 10));
    const begin = performance.now();
    resolver.updateEndpointSlice(previous, next);
    resolver.applyPending();
    changes.push(performance.now() - begin);
  }
  report.add('10,000 Services x 10: full resolution (median of 3)', median(loads), 'ms', { atMost: 1000 });
  report.add('10,000 Services x 10: one slice changed, p50', median(changes), 'ms', { atMost: 0.2 });
  report.add('10,000 Services x 10: one slice changed, p99', percentile(changes, 0.99), 'ms', { atMost: 5 });
  report.add('10,000 Services x 10: heap kept', kept, 'MB', { atMost: 120 });
}

// One Service with 100,000 endpoints in 1,000 slices
{
  collectGarbage();
  const resolver = makeResolver();
  resolver.updateService(undefined, service(0));
  for (let index = 0; index < 1000; index += 1) {
    resolver.updateEndpointSlice(undefined, slice(0, pods(index * 100, 100), `s-${index}`));
  }
  resolver.applyPending();
  const changes = [];
  for (let round = 0; round < 300; round += 1) {
    const index = (round * 379) % 1000;
    const next = slice(0, pods(index * 100, 100, round % 100), `s-${index}`);
    const begin = performance.now();
    resolver.updateEndpointSlice(next, next);
    resolver.applyPending();
    changes.push(performance.now() - begin);
  }
  report.add('1 Service x 100,000: one slice of 100 changed, p50', median(changes), 'ms', { atMost: 5 });
  report.add('1 Service x 100,000: one slice of 100 changed, p99', percentile(changes, 0.99), 'ms', { atMost: 15 });
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
    const name = `x-${update % 7}`;
    if (update % 5 === 0) {
      resolver.updateEndpointSlice(slice(index, [], name), undefined);
    } else {
      resolver.updateEndpointSlice(undefined, slice(index, pods((update * 31) % 60_000, 2, update % 3), name));
    }
    if (update % 10 === 0) {
      resolver.applyPending();
    }
    if (update === 100_000) {
      baseline = usedHeap();
    }
  }
  report.add('heap grown over 900,000 further updates', Math.max(0, heapKept(baseline)), 'MB', { atMost: 2 });
}

report.finish();
