import { expect, test } from '@jest/globals';
import type { IPFamily } from '@kube-proxier/core';
import type { ConntrackEntry, ConntrackTranslation } from './conntrack.js';
import { encodeFlow } from './conntrack-messages.js';
import { TranslationGroups } from './translation-groups.js';

const NETWORKS = { IPv4: ['10.96.0.', '10.244.0.', '10.0.0.'], IPv6: ['fd00::', 'fd01::', 'fd02::'] } as const;

function entry(family: IPFamily, service: number, endpoint: number, client: number): ConntrackEntry {
  const [services, endpoints, clients] = NETWORKS[family];
  const [port, endpointPort] = [1000 + (service >> 6), 2000 + (endpoint >> 6)];
  const destination = `${services}${(service & 63) + 1}`;
  const source = `${endpoints}${(endpoint & 63) + 1}`;
  const from = { address: `${clients}${(client % 99) + 1}`, port: 30_000 + client };
  return {
    ...{ family, protocol: 'UDP', zone: 0 },
    original: { source: from.address, sourcePort: from.port, destination, destinationPort: port },
    reply: { source, sourcePort: endpointPort, destination: from.address, destinationPort: from.port },
  };
}

const message = (flow: ConntrackEntry) => encodeFlow({ entry: flow, id: 1, replyZone: 0 });
const textOf = ({ destination, destinationPort, source, sourcePort }: ConntrackTranslation) =>
  `${destination} ${destinationPort} ${source} ${sourcePort}`;

test.each(['IPv4', 'IPv6'] as const)('each %s entry has the group of its own translation', (family) => {
  const groups = new TranslationGroups(family, 'UDP', textOf);
  // More translations than are remembered, each twice.
  for (let index = 0; index < 40_000; index++) {
    const number = index % 20_000;
    const flow = entry(family, number % 200, Math.floor(number / 200), index);
    const { destination, destinationPort } = flow.original;
    const { source, sourcePort } = flow.reply;
    const group = groups.ofEntry(message(flow));
    if (group !== textOf({ destination, destinationPort, source, sourcePort })) {
      expect(group).toBe(textOf({ destination, destinationPort, source, sourcePort }));
    }
  }
});

test('the group of a translation is determined once for many flows, also when it is undefined', () => {
  let calls = 0;
  const groups = new TranslationGroups('IPv6', 'UDP', ({ destination }) => {
    calls++;
    return destination === 'fd00::1' ? 'stale' : undefined;
  });
  for (let client = 0; client < 1000; client++) {
    expect(groups.ofEntry(message(entry('IPv6', 0, 3, client)))).toBe('stale');
    expect(groups.ofEntry(message(entry('IPv6', 1, 3, client)))).toBeUndefined();
  }
  expect(calls).toBe(2);
});

test('an address and a port that are exchanged between the ends are another translation', () => {
  const groups = new TranslationGroups('IPv4', 'UDP', textOf);
  const flow = entry('IPv4', 0, 0, 0);
  const exchanged: ConntrackEntry = {
    ...flow,
    original: { ...flow.original, destination: flow.reply.source, destinationPort: flow.reply.sourcePort },
    reply: { ...flow.reply, source: flow.original.destination, sourcePort: flow.original.destinationPort },
  };
  expect(groups.ofEntry(message(flow))).toBe('10.96.0.1 1000 10.244.0.1 2000');
  expect(groups.ofEntry(message(exchanged))).toBe('10.244.0.1 2000 10.96.0.1 1000');
});

test('entries of another family or protocol, and truncated entries, have no group', () => {
  const groups = new TranslationGroups('IPv4', 'UDP', textOf);
  const flow = entry('IPv4', 0, 0, 0);
  expect(groups.ofEntry(message(entry('IPv6', 0, 0, 0)))).toBeUndefined();
  expect(groups.ofEntry(message({ ...flow, protocol: 'TCP' }))).toBeUndefined();
  expect(groups.ofEntry(message(flow).subarray(0, 40))).toBeUndefined();
  expect(groups.ofEntry(Buffer.alloc(0))).toBeUndefined();
});
