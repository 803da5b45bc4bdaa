import { describe, expect, test } from '@jest/globals';
import { type CountedQuantity, type MetricSample, TrafficCounts, viewServicePorts } from '@kube-proxier/core';
import { makeService, makeSlice, resolveObjects } from '@kube-proxier/core/testing';
import { formatResources, type Resource } from './resource-tables.js';

const state = resolveObjects({
  services: [
    makeService('work/web', { clusterIP: '10.96.0.10' }),
    makeService('work/other', { clusterIP: '10.96.0.11' }),
  ],
  slices: [makeSlice('work/web', ['10.244.0.5', '10.244.0.6'])],
});
const QUANTITIES: ReadonlyMap<string, CountedQuantity> = new Map([
  ['connections', 'connections'],
  ['endpoint_connections', 'connections'],
  ['bytes', 'bytes'],
]);

function sample(metric: string, value: number, labels: Readonly<Record<string, string>> = {}): MetricSample {
  return { metric, value, labels: { service: 'work/web', protocol: 'TCP', ip_family: 'IPv4', ...labels } };
}

const endpoint = { endpoint: '10.244.0.5:80' };
const all = [
  sample('connections', 42),
  sample('bytes', 40_000, { direction: 'to-endpoints' }),
  sample('bytes', 812, { direction: 'to-clients' }),
  sample('endpoint_connections', 41, endpoint),
  sample('bytes', 2048, { ...endpoint, direction: 'to-endpoints' }),
  sample('bytes', 0, { ...endpoint, direction: 'to-clients' }),
];

function table(resource: Resource, samples: readonly MetricSample[], wide = true): readonly string[][] {
  const ports = viewServicePorts(state, {}, new TrafficCounts(samples, QUANTITIES));
  const text = formatResources(resource, ports, { wide, withNamespace: false, now: 0 });
  return text
    .trimEnd()
    .split('\n')
    .map((line) => line.split(/ {2,}/).map((cell) => cell.trim()));
}

/** The cells of a row by the names of their columns. */
function row(resource: Resource, samples: readonly MetricSample[], first: string): Readonly<Record<string, string>> {
  const [head = [], ...rows] = table(resource, samples);
  const found = rows.find((cells) => cells.includes(first)) ?? [];
  return Object.fromEntries(head.map((name, index) => [name, found[index] ?? '']));
}

describe('what was counted, in tables', () => {
  test('of Services: connections, and bytes in both directions', () => {
    const counted = { CONNECTIONS: '42', 'TO-ENDPOINTS': '39.1KiB', 'TO-CLIENTS': '812B' };
    expect(row('services', all, 'web')).toMatchObject(counted);
    const none = { CONNECTIONS: '<none>', 'TO-ENDPOINTS': '<none>', 'TO-CLIENTS': '<none>' };
    expect(row('services', all, 'other')).toMatchObject(none);
  });

  test('of endpoints', () => {
    const counted = { CONNECTIONS: '41', 'TO-ENDPOINTS': '2.0KiB', 'TO-CLIENTS': '0B' };
    expect(row('endpoints', all, '10.244.0.5:80')).toMatchObject(counted);
    expect(row('endpoints', all, '10.244.0.6:80')).toMatchObject({ CONNECTIONS: '<none>', 'TO-CLIENTS': '<none>' });
  });

  test('only columns of what the mode counts, and only in wide tables', () => {
    expect(table('services', [sample('connections', 42)])[0]?.slice(-2)).toEqual(['TOPOLOGY', 'CONNECTIONS']);
    expect(table('services', [])[0]?.at(-1)).toBe('TOPOLOGY');
    expect(table('endpoints', [sample('connections', 42)])[0]).not.toContain('CONNECTIONS');
    for (const resource of ['services', 'endpoints'] as const) {
      expect(table(resource, all, false)).toEqual(table(resource, [], false));
    }
  });
});
