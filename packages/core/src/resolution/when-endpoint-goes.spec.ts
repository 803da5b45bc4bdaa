import { describe, expect, test } from '@jest/globals';
import type { ChangeSet } from '../model/change-set.js';
import { lostEndpoints } from '../model/lost-endpoints.js';
import type { ProxyState } from '../model/proxy-state.js';
import { WHEN_ENDPOINT_GOES_ANNOTATION } from '../model/when-endpoint-goes.js';
import type { ObjectProblem } from '../objects/object-problem.js';
import { ObjectReader } from '../objects/object-reader.js';
import type { EndpointSlice, Service } from '../objects/objects.js';
import { formatSimulation } from '../simulator/format-simulation.js';
import { simulatePacket } from '../simulator/simulate-packet.js';
import { makeResolver, makeService, makeSlice } from '../testing/index.js';
import { diffStates } from './diff-states.js';

const service = (value: string | undefined, port: object = {}) =>
  makeService(
    'ns/web',
    { clusterIP: '10.96.0.1', ports: [{ port: 80, ...port }] },
    { metadata: { annotations: value === undefined ? {} : { [WHEN_ENDPOINT_GOES_ANNOTATION]: value } } },
  );

type Endpoints = Parameters<typeof makeSlice>[1];
const slice = (endpoints: Endpoints, name = 'web-1', protocol = 'TCP', port = 8080) => {
  const made = makeSlice('ns/web', endpoints, { ports: [{ name: '', protocol, port }] });
  return { ...made, metadata: { ...made.metadata, name } };
};

/** The lost endpoints of a Service that is resolved in two steps. */
function lostOf(before: readonly (Service | EndpointSlice)[], after: readonly (Service | EndpointSlice)[]) {
  const resolver = makeResolver();
  const update = (old: readonly (Service | EndpointSlice)[], fresh: readonly (Service | EndpointSlice)[]) => {
    const nameOf = ({ metadata }: Service | EndpointSlice) => metadata?.name ?? '';
    const pick = (list: readonly (Service | EndpointSlice)[], kind: string) =>
      new Map(list.filter((one) => one.kind === kind).map((one) => [nameOf(one), one]));
    for (const kind of ['Service', 'EndpointSlice']) {
      const [was, is] = [pick(old, kind), pick(fresh, kind)];
      for (const name of new Set([...was.keys(), ...is.keys()])) {
        if (kind === 'Service') {
          resolver.updateService(was.get(name) as Service, is.get(name) as Service);
        } else {
          resolver.updateEndpointSlice(was.get(name) as EndpointSlice, is.get(name) as EndpointSlice);
        }
      }
    }
    return resolver.applyPending();
  };
  const first = update([], before);
  const { state, changes } = update(before, after);
  return { first: first.state, state, step: spoken(changes), whole: spoken(diffStates(first.state, state)) };
}

const spoken = (changes: Pick<ChangeSet, 'previous' | 'resolvedServicePorts'>) =>
  [...lostEndpoints(changes).values()].map((lost) => (lost === 'unknown' ? lost : [...lost].sort()));

const ONE = '10.0.0.1';
const TWO = '10.0.0.2';
const kinds = { apiVersion: 'v1' };
const web = (value: string | undefined, port?: object) => ({ ...kinds, ...service(value, port), kind: 'Service' });
const endpoints = (list: Endpoints, name?: string, protocol?: string, port?: number) => ({
  ...slice(list, name, protocol, port),
  kind: 'EndpointSlice',
});

describe('kube-proxier.io/when-endpoint-goes (spec R-1)', () => {
  test.each([
    ['keep', 'keep', []],
    ['reset', 'reset', []],
    [' reset ', 'reset', []],
    [undefined, 'keep', []],
    ['Reset', 'keep', ['"Reset" is neither keep nor reset; connections are kept']],
    ['', 'keep', ['"" is neither keep nor reset; connections are kept']],
    ['drop\n-A', 'keep', [expect.stringContaining('is neither keep nor reset')]],
  ])('%j is %s', (value, expected, messages) => {
    const problems: ObjectProblem[] = [];
    const reader = new ObjectReader((problem) => problems.push(problem));
    expect(reader.readService(service(value)).definition?.whenEndpointGoes).toBe(expected);
    expect(problems.map(({ field }) => field)).toEqual(
      messages.map(() => `metadata.annotations["${WHEN_ENDPOINT_GOES_ANNOTATION}"]`),
    );
    expect(problems.map(({ message }) => message)).toEqual(messages);
  });
});

describe('lostEndpoints (spec R-2)', () => {
  const reset = web('reset');
  const both = endpoints([ONE, TWO]);
  const key = `${ONE}:8080`;

  test.each<[string, readonly (Service | EndpointSlice)[], readonly (Service | EndpointSlice)[], unknown]>([
    ['an endpoint that is in no slice any more', [reset, both], [reset, endpoints([TWO])], [[key]]],
    ['the last endpoint', [reset, endpoints([ONE])], [reset, endpoints([])], [[key]]],
    ['every endpoint, with the slice', [reset, both], [reset], [[key, `${TWO}:8080`]]],
    [
      'another port of the same address',
      [reset, both],
      [reset, endpoints([ONE, TWO], 'web-1', 'TCP', 81)],
      [[key, `${TWO}:8080`]],
    ],
    [
      'one that is not ready',
      [reset, both],
      [reset, endpoints([{ address: ONE, ready: false, serving: false }, TWO])],
      [],
    ],
    [
      'one that terminates',
      [reset, both],
      [reset, endpoints([{ address: ONE, ready: false, terminating: true }, TWO])],
      [],
    ],
    [
      'one that terminated, and is gone',
      [reset, endpoints([{ address: ONE, ready: false, terminating: true }, TWO])],
      [reset, endpoints([TWO])],
      [[key]],
    ],
    ['one that moved to another slice', [reset, both], [reset, endpoints([TWO]), endpoints([ONE], 'web-2')], []],
    ['one that is in two slices, and goes from one', [reset, both, endpoints([ONE], 'web-2')], [reset, both], []],
    ['a Service that does not say reset', [web(undefined), both], [web(undefined), endpoints([TWO])], []],
    ['a Service that says keep', [web('keep'), both], [web('keep'), endpoints([TWO])], []],
    ['a Service that says reset no more', [reset, both], [web('keep'), endpoints([TWO])], []],
    ['a Service that begins to say reset (spec R-5)', [web('keep'), both], [reset, endpoints([TWO])], ['unknown']],
    [
      'a Service that begins to say reset, without endpoints (spec R-5)',
      [web('keep'), both],
      [reset, endpoints([])],
      [],
    ],
    ['a Service that is removed', [reset, both], [both], []],
    ['a Service that is removed with its slices', [reset, both], [], []],
    ['a Service that is added later', [both], [reset, endpoints([TWO])], []],
    ['an endpoint that is added', [reset, endpoints([ONE])], [reset, both], []],
    [
      'UDP',
      [web('reset', { protocol: 'UDP' }), endpoints([ONE], 'web-1', 'UDP')],
      [web('reset', { protocol: 'UDP' }), endpoints([], 'web-1', 'UDP')],
      [],
    ],
  ])('%s', (_title, before, after, expected) => {
    const { step, whole } = lostOf(before, after);
    expect(step).toEqual(expected);
    // As after a failed sync.
    expect(whole).toEqual(expected);
  });

  test('weight 0 removes no endpoint', () => {
    const drained = makeService(
      'ns/web',
      { clusterIP: '10.96.0.1', ports: [{ port: 80 }] },
      {
        metadata: {
          annotations: { [WHEN_ENDPOINT_GOES_ANNOTATION]: 'reset', 'kube-proxier.io/endpoint-weights': `${ONE}=0` },
        },
      },
    );
    expect(lostOf([reset, both], [{ ...drained, kind: 'Service' }, both]).step).toEqual([]);
  });

  test('at start, the previous endpoints are unknown (spec R-5)', () => {
    const atStart = (state: ProxyState) => spoken(diffStates(undefined, state));
    expect(atStart(lostOf([], [reset, both]).state)).toEqual(['unknown']);
    expect(atStart(lostOf([], [reset]).state)).toEqual([]);
    expect(atStart(lostOf([], [web('keep'), both]).state)).toEqual([]);
  });
});

test('explain says that connections are reset, also where new ones are refused', () => {
  const said = (value: string, list: Endpoints, protocol = 'TCP') => {
    const objects = [web(value, { protocol }), endpoints(list, 'web-1', protocol)];
    const packet = { source: '10.0.0.9', destination: '10.96.0.1', protocol: protocol as 'TCP', port: 80 };
    return formatSimulation(simulatePacket(lostOf([], objects).state, packet));
  };
  const text = 'Open connections are reset when their endpoint is gone';
  expect(said('reset', [ONE])).toContain(text);
  expect(said('reset', [])).toContain(text);
  expect(said('keep', [ONE])).not.toContain(text);
  expect(said('reset', [ONE], 'UDP')).not.toContain(text);
});
