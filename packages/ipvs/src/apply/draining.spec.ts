import { describe, expect, test } from '@jest/globals';
import { diffStates, type ProxyState, WHEN_ENDPOINT_GOES_ANNOTATION } from '@kube-proxier/core';
import { makeService, makeSlice, resolveObjects, VirtualClock } from '@kube-proxier/core/testing';
import type { VirtualServerAddress } from '@kube-proxier/linux';
import { FakeIpvs } from '@kube-proxier/linux/testing';
import { Draining } from './draining.js';
import { LostServers } from './lost-servers.js';

const AT: VirtualServerAddress = { kind: 'address', family: 'IPv4', protocol: 'TCP', address: '10.96.0.1', port: 80 };
const ONE = { address: '10.0.0.1', port: 80 };
const TWO = '10.0.0.2';

function stateOf(value: string, endpoints: Parameters<typeof makeSlice>[1]): ProxyState {
  const metadata = { annotations: { [WHEN_ENDPOINT_GOES_ANNOTATION]: value } };
  return resolveObjects({
    services: [
      makeService('a/web', { clusterIP: AT.kind === 'address' ? AT.address : '', ports: [{ port: 80 }] }, { metadata }),
    ],
    slices: [makeSlice('a/web', endpoints)],
  });
}

/** A virtual server with a real server that has open connections, and has no weight any more. */
async function setUp(...states: readonly ProxyState[]) {
  const clock = new VirtualClock();
  const ipvs = new FakeIpvs();
  const lost = new LostServers(() => [AT]);
  const draining = new Draining({
    ipvs,
    clock,
    detach: async () => [],
    inTurn: (work) => work(),
    onFailure: (reason) => {
      throw new Error(reason);
    },
    isLost: (server) => lost.has(server),
  });
  let last: ProxyState | undefined;
  const advance = (state: ProxyState) => {
    lost.advance(state, diffStates(last, state));
    last = state;
  };
  await ipvs.execute([
    { do: 'add-virtual', virtual: { at: AT, scheduler: 'rr', schedulerFlags: 0, persistence: undefined } },
    { do: 'add-real', at: AT, real: { ...ONE, weight: 0 } },
  ]);
  ipvs.connect(AT, ONE, 3);
  states.forEach(advance);
  draining.add([{ at: AT, ...ONE, drains: true }]);
  const isThere = async () => (await ipvs.realServers(AT)).length === 1;
  return { clock, ipvs, draining, advance, isThere };
}

const both = (value: string) => stateOf(value, [ONE.address, TWO]);
const gone = (value: string) => stateOf(value, [TWO]);

describe('a draining server whose endpoint was removed', () => {
  test('is deleted with its connections after two seconds, if the Service requests it (spec R-1, R-3)', async () => {
    const { clock, isThere, draining } = await setUp(both('reset'), gone('reset'));
    await clock.advance(1900);
    expect(await isThere()).toBe(true);
    await clock.advance(200);
    expect([await isThere(), draining.size]).toEqual([false, 0]);
  });

  test('is deleted even as the last one', async () => {
    const { clock, isThere } = await setUp(both('reset'), stateOf('reset', []));
    await clock.advance(2100);
    expect(await isThere()).toBe(false);
  });

  test.each([
    ['the Service does not say so', [both('keep'), gone('keep')]],
    [
      'it terminates',
      [both('reset'), stateOf('reset', [{ address: ONE.address, ready: false, terminating: true }, TWO])],
    ],
    [
      'it is not ready',
      [both('reset'), stateOf('reset', [{ address: ONE.address, ready: false, serving: false }, TWO])],
    ],
    ['no endpoint was ever seen (spec R-5)', [stateOf('reset', [])]],
    ['the Service is removed', [both('reset'), resolveObjects({ services: [], slices: [] })]],
  ])('keeps its connections where %s', async (_title, states) => {
    const { clock, isThere, ipvs } = await setUp(...states);
    await clock.advance(60_000);
    expect(await isThere()).toBe(true);
    ipvs.connect(AT, ONE, 0);
    await clock.advance(5000);
    expect(await isThere()).toBe(false);
  });

  test('keeps them while it terminates, until it is removed', async () => {
    const terminating = stateOf('reset', [{ address: ONE.address, ready: false, terminating: true }, TWO]);
    const { clock, isThere, advance } = await setUp(both('reset'), terminating);
    await clock.advance(30_000);
    expect(await isThere()).toBe(true);
    advance(gone('reset'));
    await clock.advance(8000);
    expect(await isThere()).toBe(false);
  });

  test('keeps them when it returns in time, in any condition (spec R-3)', async () => {
    const { clock, isThere, advance } = await setUp(both('reset'), gone('reset'));
    await clock.advance(1500);
    advance(stateOf('reset', [{ address: ONE.address, ready: false }, TWO]));
    await clock.advance(60_000);
    expect(await isThere()).toBe(true);
    // Its delay restarts.
    advance(gone('reset'));
    await clock.advance(1000);
    expect(await isThere()).toBe(true);
  });

  test('after a restart it is deleted, if the Service has other endpoints (spec R-5)', async () => {
    const { clock, isThere } = await setUp(gone('reset'));
    await clock.advance(2100);
    expect(await isThere()).toBe(false);
  });
});
