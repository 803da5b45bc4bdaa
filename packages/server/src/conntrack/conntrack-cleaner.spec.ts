import { expect, test } from '@jest/globals';
import { diffStates, silentLogger } from '@kube-proxier/core';
import { makeService, makeSlice, resolveObjects, VirtualClock } from '@kube-proxier/core/testing';
import type { Conntrack, ConntrackEntry } from '@kube-proxier/linux';
import { FakeConntrack } from '@kube-proxier/linux/testing';
import { ConntrackCleaner } from './conntrack-cleaner.js';

const ports = [{ name: '', port: 53, protocol: 'UDP' }];
const state = resolveObjects({
  services: [makeService('a/dns', { ports: [{ port: 53, protocol: 'UDP' }] })],
  slices: [makeSlice('a/dns', ['10.0.0.1'], { ports })],
});

/** What the cleaner does not call. */
const unused: Pick<Conntrack, 'list' | 'delete'> = {
  list: () => Promise.reject(new Error('not expected')),
  delete: () => Promise.reject(new Error('not expected')),
};

test('reports the duration of a check, also when the clock of the host is set meanwhile', async () => {
  const clock = new VirtualClock();
  const conntrack: Conntrack = {
    ...unused,
    deleteMatching: async () => {
      clock.set(-3_600_000);
      await clock.advance(20);
      return new Map();
    },
  };
  const durations: number[] = [];
  const cleaner = new ConntrackCleaner(
    conntrack,
    silentLogger,
    async () => [],
    clock,
    ({ duration }) => {
      durations.push(duration);
    },
  );
  const changes = diffStates(undefined, state);
  await cleaner.synced({ family: 'IPv4', state, changes, full: false, duration: 0, triggerTimes: [] });
  expect(durations).toEqual([20]);
});

test('retries a failed check without another sync, but not after the stop', async () => {
  const clock = new VirtualClock();
  let broken = true;
  let checks = 0;
  const conntrack: Conntrack = {
    ...unused,
    deleteMatching: async () => {
      checks += 1;
      if (broken) {
        throw new Error('the kernel has no memory for it');
      }
      return new Map();
    },
  };
  const cleaner = new ConntrackCleaner(conntrack, silentLogger, async () => [], clock);
  const success = { family: 'IPv4', state, changes: diffStates(undefined, state), full: true } as const;
  await cleaner.synced({ ...success, duration: 0, triggerTimes: [] });
  expect(checks).toBe(1);
  await clock.advance(1000);
  expect(checks).toBe(2);
  broken = false;
  await clock.advance(2000);
  expect(checks).toBe(3);
  await clock.advance(600_000);
  expect(checks).toBe(3);

  broken = true;
  await cleaner.synced({ ...success, duration: 0, triggerTimes: [] });
  expect(checks).toBe(4);
  await cleaner.stop();
  await clock.advance(600_000);
  expect(checks).toBe(4);
});

test('flows that lead to a closed socket of the mode in force are deleted, and those in use stay when endpoints change', async () => {
  const services = [makeService('a/dns', { clusterIP: '10.96.0.10', ports: [{ port: 53, protocol: 'UDP' }] })];
  const before = resolveObjects({ services });
  const after = resolveObjects({ services, slices: [makeSlice('a/dns', ['10.0.0.1'], { ports })] });
  const more = resolveObjects({ services, slices: [makeSlice('a/dns', ['10.0.0.1', '10.0.0.2'], { ports })] });
  const flow: ConntrackEntry = {
    ...{ family: 'IPv4', protocol: 'UDP', zone: 0 },
    original: {
      ...{ source: '203.0.113.2', sourcePort: 4000 },
      ...{ destination: '10.96.0.10', destinationPort: 53 },
    },
    // Of a socket that was closed with the last endpoint.
    reply: { source: '192.168.0.2', sourcePort: 40001, destination: '203.0.113.2', destinationPort: 4000 },
  };
  for (const isTracked of [true, false]) {
    const conntrack = new FakeConntrack();
    const cleaner = new ConntrackCleaner(
      ...([conntrack, silentLogger, async () => ['192.168.0.2'], new VirtualClock(), () => {}] as const),
      isTracked,
    );
    const success = { family: 'IPv4', full: false, duration: 0, triggerTimes: [] } as const;
    await cleaner.synced({ ...success, state: before, changes: diffStates(undefined, before) });
    conntrack.add(flow);
    await cleaner.synced({ ...success, state: after, changes: diffStates(before, after) });
    expect(conntrack.entries).toEqual(isTracked ? [flow] : []);
    conntrack.add(flow);
    await cleaner.synced({ ...success, state: more, changes: diffStates(after, more) });
    await cleaner.synced({ ...success, full: true, state: more, changes: diffStates(undefined, more) });
    expect(conntrack.entries).toEqual(isTracked ? [] : [flow]);
  }
});

test('a flow to an endpoint that was added and removed between two checks is deleted', async () => {
  const services = [makeService('a/dns', { clusterIP: '10.96.0.10', ports: [{ port: 53, protocol: 'UDP' }] })];
  const withEndpoints = (...addresses: string[]) =>
    resolveObjects({ services, slices: [makeSlice('a/dns', addresses, { ports })] });
  const none = withEndpoints();
  const one = withEndpoints('10.0.0.1');
  const other = withEndpoints('10.0.0.2');
  const conntrack = new FakeConntrack();
  const cleaner = new ConntrackCleaner(conntrack, silentLogger, async () => [], new VirtualClock());
  const success = { family: 'IPv4', full: false, duration: 0, triggerTimes: [] } as const;
  await cleaner.synced({ ...success, state: none, changes: diffStates(undefined, none) });
  // The sync to `one` was not checked: another check was running, and the next sync followed before its end.
  conntrack.add({
    ...{ family: 'IPv4', protocol: 'UDP', zone: 0 },
    original: { source: '203.0.113.2', sourcePort: 4000, destination: '10.96.0.10', destinationPort: 53 },
    reply: { source: '10.0.0.1', sourcePort: 53, destination: '203.0.113.2', destinationPort: 4000 },
  });
  await cleaner.synced({ ...success, state: other, changes: diffStates(one, other) });
  expect(conntrack.entries).toEqual([]);
});

test('a check that fails after a later one succeeded is not repeated', async () => {
  const clock = new VirtualClock();
  const next = resolveObjects({
    services: [makeService('a/dns', { ports: [{ port: 53, protocol: 'UDP' }] })],
    slices: [makeSlice('a/dns', ['10.0.0.2'], { ports })],
  });
  let fail: (error: Error) => void = () => {};
  const lists = [
    new Promise<never>((_, reject) => {
      fail = reject;
    }),
  ];
  let checks = 0;
  const conntrack: Conntrack = {
    ...unused,
    deleteMatching: () => {
      checks += 1;
      return lists.shift() ?? Promise.resolve(new Map());
    },
  };
  const cleaner = new ConntrackCleaner(conntrack, silentLogger, async () => [], clock);
  const first = cleaner.synced({
    ...{ family: 'IPv4', full: false, duration: 0, triggerTimes: [] },
    ...{ state, changes: diffStates(undefined, state) },
  });
  await cleaner.synced({
    ...{ family: 'IPv4', full: false, duration: 0, triggerTimes: [] },
    ...{ state: next, changes: diffStates(state, next) },
  });
  expect(checks).toBe(2);
  fail(new Error('the kernel has no memory for it'));
  await first;
  await clock.advance(600_000);
  expect(checks).toBe(2);
});
