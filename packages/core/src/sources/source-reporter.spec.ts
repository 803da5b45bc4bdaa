import { describe, expect, test } from '@jest/globals';
import type { EndpointSlice, Service } from '../objects/objects.js';
import { eventsOfSliceChange } from './address-type-change.js';
import { SourceReporter } from './source-reporter.js';

const SERVICE: Service = { metadata: { namespace: 'work', name: 'web' } };
const IPV4: EndpointSlice = { metadata: { name: 'web-1' }, addressType: 'IPv4' };
const IPV6: EndpointSlice = { ...IPV4, addressType: 'IPv6' };

/** @param refused names of methods that throw, after their call was recorded. */
function setUp(...refused: readonly string[]) {
  const calls: (readonly unknown[])[] = [];
  const errors: unknown[] = [];
  const record =
    (name: string) =>
    (...values: readonly unknown[]) => {
      calls.push([name, ...values]);
      if (refused.includes(name)) {
        throw name;
      }
    };
  const handler = {
    onServiceUpdate: record('service'),
    onEndpointsUpdate: record('slice'),
    onNodeUpdate: record('node'),
    onServiceCIDRsUpdate: record('cidrs'),
    onServicesSynced: record('services synced'),
    onEndpointsSynced: record('slices synced'),
  };
  return { calls, errors, reporter: new SourceReporter(handler, (error) => errors.push(error)) };
}

describe('eventsOfSliceChange', () => {
  test.each([
    ['an added slice', [undefined, IPV4], [[undefined, IPV4]]],
    ['a deleted slice', [IPV4, undefined], [[IPV4, undefined]]],
    ['a changed slice', [IPV4, { ...IPV4, ports: [] }], [[IPV4, { ...IPV4, ports: [] }]]],
    [
      'a slice with another address type',
      [IPV4, IPV6],
      [
        [IPV4, undefined],
        [undefined, IPV6],
      ],
    ],
  ] as const)('of %s', (_what, [previous, current], events) => {
    expect(eventsOfSliceChange(previous, current)).toEqual(events);
  });
});

describe('SourceReporter', () => {
  test('delivers events in order, with the objects themselves', () => {
    const { calls, reporter } = setUp();
    const node = { metadata: { name: 'n1' } };
    reporter.onServiceUpdate(undefined, SERVICE);
    reporter.onNodeUpdate(node);
    reporter.onEndpointsUpdate(IPV4, IPV6);
    expect(calls).toEqual([
      ['service', undefined, SERVICE],
      ['node', node],
      ['slice', IPV4, undefined],
      ['slice', undefined, IPV6],
    ]);
    expect(calls[0]?.[2]).toBe(SERVICE);
  });

  test('delivers the next event after an error of the handler', () => {
    const { calls, errors, reporter } = setUp('service', 'slice', 'services synced');
    reporter.onServiceUpdate(undefined, SERVICE);
    reporter.onEndpointsUpdate(IPV4, IPV6);
    reporter.onServicesSynced();
    reporter.onEndpointsSynced();
    expect(errors).toEqual(['service', 'slice', 'slice', 'services synced']);
    expect(calls.map(([name]) => name)).toEqual(['service', 'slice', 'slice', 'services synced', 'slices synced']);
  });

  test('reports "synced" once, even when the handler failed', () => {
    const { calls, reporter } = setUp('services synced');
    for (let time = 0; time < 3; time += 1) {
      reporter.onServicesSynced();
      reporter.onEndpointsSynced();
    }
    expect(calls).toEqual([['services synced'], ['slices synced']]);
  });

  test('reports the networks of ServiceCIDRs sorted, when they changed', () => {
    const { calls, reporter } = setUp();
    reporter.onServiceCIDRsUpdate([]);
    reporter.onServiceCIDRsUpdate([]);
    reporter.onServiceCIDRsUpdate(['fd00::/112', '10.96.0.0/16', 'fd00::/112']);
    reporter.onServiceCIDRsUpdate(['10.96.0.0/16', 'fd00::/112']);
    reporter.onServiceCIDRsUpdate(['10.96.0.0/16']);
    expect(calls).toEqual([
      ['cidrs', []],
      ['cidrs', ['10.96.0.0/16', 'fd00::/112']],
      ['cidrs', ['10.96.0.0/16']],
    ]);
  });

  test('reports nothing after it was closed', () => {
    const { calls, errors, reporter } = setUp('service');
    reporter.close();
    reporter.onServiceUpdate(undefined, SERVICE);
    reporter.onServiceCIDRsUpdate(['10.96.0.0/16']);
    reporter.onServicesSynced();
    expect([calls, errors]).toEqual([[], []]);
  });
});
