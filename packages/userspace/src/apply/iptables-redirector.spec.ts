import { expect, test } from '@jest/globals';
import type { NodeState, ProxyState } from '@kube-proxier/core';
import { VirtualClock } from '@kube-proxier/core/testing';
import { FakeIptables } from '@kube-proxier/linux/testing';
import fc from 'fast-check';
import { planServicePort } from '../plan/planned-service-port.js';
import type { RedirectedListener, RedirectState } from '../plan/redirect-state.js';
import type { ListenerId } from '../plan/userspace-transaction.js';
import { sketches, stateOf } from '../testing/sketches.js';
import { IptablesRedirector } from './iptables-redirector.js';

const NODE: NodeState = {
  name: 'node1',
  zone: undefined,
  addresses: [],
  detector: { kind: 'none' },
  nodePortAddresses: { kind: 'all', loopback: true },
  serviceCIDRs: [],
};
const STATE: RedirectState = { node: NODE, listeners: new Map(), clusterIPs: new Set() };

test.each([
  ['the jumps that were just written', false],
  ['those that were found to be right', true],
])('each of several flushes is detected, also before the first check of %s', async (_whose, checked) => {
  const clock = new VirtualClock();
  const iptables = new FakeIptables();
  const redirector = new IptablesRedirector('IPv4', async () => iptables);
  const abort = new AbortController();
  const drift: string[] = [];
  if (checked) {
    await redirector.apply(STATE, 'all');
  }
  const watching = redirector.watch({
    clock,
    signal: abort.signal,
    onDrift: (what) => drift.push(what),
    onFailure: (reason) => {
      throw new Error(reason);
    },
  });
  for (const flushes of [1, 2, 3]) {
    if (!(await redirector.inForce())) {
      await redirector.apply(STATE, 'all');
    }
    await iptables.restore('*nat\n-F PREROUTING\nCOMMIT\n');
    await clock.advance(500);
    expect(drift).toHaveLength(flushes);
  }
  abort.abort();
  await watching;
});

test('incremental changes give the same result as a fresh start, and cleanup keeps foreign rules', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(sketches, { minLength: 1, maxLength: 4 }), async (steps) => {
      const stepped = new FakeIptables();
      await stepped.restore('*nat\n:MINE - [0:0]\n-A PREROUTING -j MINE\nCOMMIT\n');
      const before = await stepped.save();
      const redirector = new IptablesRedirector('IPv4', async () => stepped);
      let known = new Map<ListenerId, RedirectedListener>();
      let addresses = new Set<string>();
      for (const [index, step] of steps.entries()) {
        const state = stateOf(step);
        const redirect = redirectStateOf(state);
        const touched = new Set([...known.keys(), ...redirect.listeners.keys()]);
        await redirector.apply(
          redirect,
          index === 0
            ? 'all'
            : { listeners: touched, clusterIPs: new Set([...addresses, ...redirect.clusterIPs]), node: true },
        );
        known = new Map(redirect.listeners);
        addresses = new Set(redirect.clusterIPs);
        expect(await redirector.inForce()).toBe(true);
        const fresh = new FakeIptables();
        await new IptablesRedirector('IPv4', async () => fresh).apply(redirect, 'all');
        for (const [table, chain] of [
          ['nat', 'KUBE-PORTALS-CONTAINER'],
          ['nat', 'KUBE-PORTALS-HOST'],
          ['filter', 'KUBE-NODEPORT-NON-LOCAL'],
          ['filter', 'KUBE-PORTALS-REFUSE'],
        ] as const) {
          expect([...(stepped.rulesOf(table, chain) ?? [])].sort()).toEqual(
            [...(fresh.rulesOf(table, chain) ?? [])].sort(),
          );
        }
      }
      await stepped.restore('*nat\n-F KUBE-PORTALS-HOST\nCOMMIT\n');
      expect(await redirector.inForce()).toBe(known.size === 0);
      await redirector.cleanup();
      await redirector.cleanup();
      expect(await stepped.save()).toBe(before);
    }),
    { numRuns: 30 },
  );
});

test('an incremental change is refused while the installed rules are unknown', async () => {
  const redirector = new IptablesRedirector('IPv4', async () => new FakeIptables());
  const changes = { listeners: new Set<ListenerId>(), clusterIPs: new Set<string>(), node: true };
  await expect(redirector.apply(STATE, changes)).rejects.toMatchObject({ code: 'USERSPACE_REDIRECTS_UNKNOWN' });
});

function redirectStateOf(state: ProxyState): RedirectState {
  let port = 40_000;
  const listeners = new Map(
    [...state.servicePorts.values()].flatMap((resolved) =>
      (planServicePort(resolved, { reach: 'redirected', listenAddresses: [] })?.listeners ?? []).map(
        (spec): [ListenerId, RedirectedListener] => {
          const at = [{ address: '0.0.0.0', port: spec.place.kind === 'node-port' ? spec.place.port : ++port }];
          return [spec.id, { spec, name: spec.servicePort, at }];
        },
      ),
    ),
  );
  return { node: state.node, listeners, clusterIPs: new Set(state.clusterIPs.keys()) };
}
