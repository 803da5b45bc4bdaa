import { describe, expect, test } from '@jest/globals';
import { diffStates, type ProxyState } from '@kube-proxier/core';
import { type EndpointDescription, makeService, makeSlice, resolveObjects } from '@kube-proxier/core/testing';
import type { ConntrackEntry } from '@kube-proxier/linux';
import { staleFlowJudge } from './stale-flows.js';
import { staleTranslations } from './stale-translations.js';

const LOCAL = new Set(['127.0.0.1', '198.51.100.7', '2001:db8::7']);
const ports = [
  { name: 'dns', port: 53, protocol: 'UDP' },
  { name: 'sig', port: 2905, protocol: 'SCTP' },
  { name: 'tcp', port: 53, protocol: 'TCP' },
];

const dns = makeService('a/dns', {
  type: 'NodePort',
  clusterIP: '10.96.0.10',
  ports: [
    { name: 'dns', port: 53, protocol: 'UDP', nodePort: 30053 },
    { name: 'sig', port: 2905, protocol: 'SCTP' },
    { name: 'tcp', port: 53, protocol: 'TCP' },
  ],
});

function state(...endpoints: readonly (string | EndpointDescription)[]): ProxyState {
  return resolveObjects({ services: [dns], slices: [makeSlice('a/dns', endpoints, { ports })] });
}

const unserving = (address: string) => ({ address, ready: false });

function lines(previous: ProxyState | undefined, next: ProxyState): readonly string[] | undefined {
  return staleTranslations(next, diffStates(previous, next), LOCAL)?.flatMap(({ protocol, reason, translations }) =>
    translations.map(
      (one) => `${protocol} ${one.destination}:${one.destinationPort} ${one.source}:${one.sourcePort} ${reason}`,
    ),
  );
}

describe('translations of stale flows', () => {
  test('of an endpoint that is gone, by each frontend and local address of the family', () => {
    expect(lines(state('10.0.0.1', '10.0.0.2'), state('10.0.0.2'))?.toSorted()).toEqual([
      'SCTP 10.96.0.10:2905 10.0.0.1:2905 endpoint-gone',
      'UDP 10.96.0.10:53 10.0.0.1:53 endpoint-gone',
      'UDP 127.0.0.1:30053 10.0.0.1:53 endpoint-gone',
      'UDP 198.51.100.7:30053 10.0.0.1:53 endpoint-gone',
    ]);
  });

  test('are unknown when the previous state is unknown', () => {
    expect(lines(undefined, state('10.0.0.1'))).toBeUndefined();
  });

  test('are not returned when a dump is cheaper', () => {
    const many = Array.from({ length: 40 }, (_, index) => `10.0.1.${index}`);
    expect(lines(state('10.0.0.1', ...many), state('10.0.0.1'))).toBeUndefined();
  });

  test('are not returned when an address moves from one Service to another', () => {
    const heir = makeService('a/heir', { clusterIP: '10.96.0.10', ports: [{ port: 53, protocol: 'UDP' }] });
    const slices = [makeSlice('a/heir', ['10.0.0.7'], { ports: [{ port: 53, protocol: 'UDP' }] })];
    expect(lines(state('10.0.0.1'), resolveObjects({ services: [heir], slices }))).toBeUndefined();
  });

  // Exactly the flows that the classifier finds stale, and that no earlier step left, have one of the translations.
  const states = {
    none: resolveObjects({}),
    empty: state(),
    one: state('10.0.0.1'),
    two: state('10.0.0.1', '10.0.0.2'),
    other: state('10.0.0.2'),
    terminating: state('10.0.0.1', { address: '10.0.0.2', ready: false, serving: true, terminating: true }),
    failing: state('10.0.0.1', unserving('10.0.0.2')),
    allFailing: state(unserving('10.0.0.1'), unserving('10.0.0.2')),
  };
  const pairs = Object.entries(states).flatMap(([before, previous]) =>
    Object.entries(states)
      .filter(([after]) => after !== before)
      .map(([after, next]) => ({ before, after, previous, next })),
  );
  test.each(pairs)('are those that the classifier finds, from $before to $after', ({ previous, next }) => {
    const flows = [...flowsOf(previous)];
    const stale = flows.filter(staleFlowJudge(next, diffStates(previous, next), LOCAL)).map(textOf);
    const found = new Set(lines(previous, next)?.map((line) => line.replace(/ [a-z-]+$/, '')));
    expect(flows.map(textOf).filter((text) => found.has(text))).toEqual(stale);
  });
});

function textOf({ protocol, original, reply }: ConntrackEntry): string {
  return `${protocol} ${original.destination}:${original.destinationPort} ${reply.source}:${reply.sourcePort}`;
}

/** The possible flows of a state that is in force and was checked. */
function* flowsOf(before: ProxyState): Generator<ConntrackEntry> {
  const judge = staleFlowJudge(before, diffStates(undefined, before), LOCAL);
  const frontends = [
    ['UDP', '10.96.0.10', 53, 53],
    ['UDP', '198.51.100.7', 30053, 53],
    ['SCTP', '10.96.0.10', 2905, 2905],
    ['UDP', '203.0.113.9', 53, 53],
  ] as const;
  for (const [protocol, destination, destinationPort, sourcePort] of frontends) {
    for (const source of [destination, '10.0.0.1', '10.0.0.2']) {
      const translated = source !== destination;
      const flow: ConntrackEntry = {
        ...{ family: 'IPv4', protocol, zone: 0 },
        original: { source: '192.0.2.1', sourcePort: 4000, destination, destinationPort },
        reply: {
          ...{ source, sourcePort: translated ? sourcePort : destinationPort },
          ...{ destination: '192.0.2.1', destinationPort: 4000 },
        },
      };
      const known = [...before.servicePorts.values()].some(({ candidates }) =>
        candidates.some(({ address }) => address === source),
      );
      if ((!translated || known) && judge(flow) === undefined) {
        yield flow;
      }
    }
  }
}
