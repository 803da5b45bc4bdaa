import { describe, expect, test } from '@jest/globals';
import { AccumulatedCounts, type EndpointCounter } from './accumulated-counts.js';

const counter = (id: string, endpoint: string, value: number): EndpointCounter => ({
  ...{ id, endpoint, value },
  service: 'work/web:http',
  protocol: 'TCP',
});

describe('AccumulatedCounts', () => {
  const connections = (counts: AccumulatedCounts) =>
    counts.counts().map(({ endpoint, connections }) => [endpoint ?? '', connections]);

  test('adds up several counters of an endpoint, and keeps totals over counter resets', () => {
    const counts = new AccumulatedCounts('IPv4');
    counts.add([counter('1', 'a:1', 5), counter('2', 'a:1', 2), counter('3', 'b:1', 1)]);
    expect(connections(counts)).toEqual([
      ['', 8],
      ['a:1', 7],
      ['b:1', 1],
    ]);
    // Without a reset notice: a lower value means that the counter was reset.
    counts.add([counter('1', 'a:1', 1)]);
    // After a reset notice, a higher value is not an increment.
    counts.restart(['3']);
    counts.add([counter('3', 'b:1', 4)]);
    expect(connections(counts)).toEqual([
      ['', 13],
      ['a:1', 8],
      ['b:1', 5],
    ]);
  });

  test('a service port keeps the counts of removed endpoints, and is removed with its last counter', () => {
    const counts = new AccumulatedCounts('IPv4');
    counts.add([counter('1', 'a:1', 5), counter('2', 'b:1', 2)]);
    counts.retain([counter('2', 'b:1', 2)]);
    expect(connections(counts)).toEqual([
      ['', 7],
      ['b:1', 2],
    ]);
    counts.retain([]);
    expect(counts.counts()).toEqual([]);
    counts.add([counter('2', 'b:1', 1)]);
    expect(connections(counts)).toEqual([
      ['', 1],
      ['b:1', 1],
    ]);
  });
});
