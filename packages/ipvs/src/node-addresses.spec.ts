import { describe, expect, test } from '@jest/globals';
import { DEFAULT_PROXIER_OPTIONS, diffStates, type SyncSuccess, silentLogger } from '@kube-proxier/core';
import { makeResolver, makeService, makeSlice, settle, VirtualClock } from '@kube-proxier/core/testing';
import { virtualServerKey, watchAddresses } from '@kube-proxier/linux';
import { IpvsDataplane } from './dataplane.js';
import type { IpvsStep, IpvsTransaction } from './plan/ipvs-transaction.js';
import { createIpvsProxier } from './proxier.js';
import { fakeHost, install } from './testing/contents.js';

const HOME = '192.168.0.2';
const MORE = '192.168.5.5';
const VIP = '198.51.100.9';
const ENDPOINT = { address: '10.244.1.1', port: 8080 };

const nodePortAt = (address: string) =>
  ({ kind: 'address', family: 'IPv4', protocol: 'TCP', address, port: 30_080 }) as const;

/** A Service with a NodePort, one at an external IP, one with a health check, and one with none of these. */
function services() {
  return [
    makeService('work/web', { type: 'NodePort', clusterIP: '10.96.0.1', ports: [{ port: 80, nodePort: 30_080 }] }),
    makeService('work/out', { clusterIP: '10.96.0.2', externalIPs: [VIP] }),
    makeService('work/balanced', {
      type: 'LoadBalancer',
      clusterIP: '10.96.0.3',
      externalTrafficPolicy: 'Local',
      healthCheckNodePort: 32_000,
    }),
    makeService('work/inside', { clusterIP: '10.96.0.4' }),
  ];
}

function slices() {
  const ports = [{ name: '', protocol: 'TCP', port: 8080 }];
  return ['web', 'out', 'balanced', 'inside'].map((name) =>
    makeSlice(`work/${name}`, [{ address: ENDPOINT.address }], { ports }),
  );
}

function namesIn(steps: readonly IpvsStep[]): readonly string[] {
  return steps.flatMap((step): readonly string[] => {
    switch (step.to) {
      case 'ipvs':
        return step.commands.map((command) =>
          [command.do, virtualServerKey('virtual' in command ? command.virtual.at : command.at)].join(' '),
        );
      case 'sets':
        return step.commands.map((command) =>
          'entry' in command
            ? `${command.do} ${command.set} ${command.entry.address}:${command.entry.port ?? ''}`
            : command.do,
        );
      case 'addresses':
        return [...step.add.map((one) => `add ${one}`), ...step.remove.map((one) => `remove ${one}`)];
      default:
        return [step.to];
    }
  });
}

describe('the plan when the host gains or loses an address', () => {
  async function fixture() {
    const host = fakeHost('IPv4');
    const dataplane = new IpvsDataplane({ family: 'IPv4', host });
    const resolver = makeResolver({ includesLocalAddresses: true });
    for (const service of services()) {
      resolver.updateService(undefined, service);
    }
    for (const slice of slices()) {
      resolver.updateEndpointSlice(undefined, slice);
    }
    resolver.updateLocalAddresses(['127.0.0.1', HOME]);
    await install(dataplane, resolver.applyPending().state);
    const move = async (...addresses: string[]) => {
      resolver.updateLocalAddresses(addresses);
      const { state, changes } = resolver.applyPending();
      const transaction = dataplane.plan(state, changes);
      if (transaction !== undefined) {
        await dataplane.apply(transaction);
      }
      const found = dataplane.plan(state, diffStates(undefined, state), await dataplane.readBack());
      return { steps: namesIn(transaction?.steps ?? []), missed: namesIn(found?.steps ?? []) };
    };
    return { host, dataplane, resolver, move };
  }

  test('changes only NodePorts and health checks on that address, and reverts them when it is removed', async () => {
    const { move } = await fixture();
    const virtual = virtualServerKey(nodePortAt(MORE));
    const come = await move('127.0.0.1', HOME, MORE);
    expect([...come.steps].sort()).toEqual([
      `add-entry KUBE-IPVS-FRONTENDS ${MORE}:30080`,
      `add-entry KUBE-IPVS-HEALTH-CHECK ${MORE}:32000`,
      `add-entry KUBE-IPVS-MASQUERADE ${MORE}:30080`,
      `add-real ${virtual}`,
      `add-virtual ${virtual}`,
    ]);
    const go = await move('127.0.0.1', HOME);
    expect([...go.steps].sort()).toEqual([
      `delete-entry KUBE-IPVS-FRONTENDS ${MORE}:30080`,
      `delete-entry KUBE-IPVS-HEALTH-CHECK ${MORE}:32000`,
      `delete-entry KUBE-IPVS-MASQUERADE ${MORE}:30080`,
      `delete-virtual ${virtual}`,
    ]);
    expect([come.missed, go.missed]).toEqual([[], []]);
  });

  test('servers with connections on a lost address are deleted with it, also when the loss is found later', async () => {
    const { host, dataplane, resolver, move } = await fixture();
    await move(HOME, MORE);
    host.ipvs.connect(nodePortAt(MORE), ENDPOINT, 3);
    await move(HOME);
    expect(await host.ipvs.has(nodePortAt(MORE))).toBe(false);

    await move(HOME, MORE);
    host.ipvs.connect(nodePortAt(MORE), ENDPOINT, 3);
    resolver.updateLocalAddresses([HOME]);
    await install(dataplane, resolver.applyPending().state);
    expect(await host.ipvs.has(nodePortAt(MORE))).toBe(false);
    // On a kept address, they continue until they end.
    const [web] = services();
    host.ipvs.connect(nodePortAt(HOME), ENDPOINT, 3);
    resolver.updateService(web, undefined);
    const { state, changes } = resolver.applyPending();
    await dataplane.apply(dataplane.plan(state, changes) as IpvsTransaction);
    expect((await host.ipvs.realServers(nodePortAt(HOME))).map(({ weight }) => weight)).toEqual([0]);
  });

  test('an external IP that becomes an address of the host is removed from the interface, and added again later', async () => {
    const { move, dataplane } = await fixture();
    const come = await move(HOME, VIP);
    expect(come.steps.filter((step) => step.includes(VIP) && !/30080|32000/.test(step)).sort()).toEqual([
      `delete-entry KUBE-IPVS-ADDRESSES ${VIP}:`,
      `remove ${VIP}`,
    ]);
    const go = await move(HOME);
    expect((await dataplane.readBack()).addresses).toContain(VIP);
    expect([come.missed, go.missed]).toEqual([[], []]);
  });

  test('link-local addresses and addresses of the other family are ignored', async () => {
    const { move } = await fixture();
    await move(HOME);
    expect((await move(HOME, 'fe80::1', 'fd00::7', '127.0.0.1')).steps).toEqual([]);
  });
});

describe('a proxier whose host reports addresses', () => {
  async function fixture() {
    const host = fakeHost('IPv4');
    const clock = new VirtualClock();
    const successes: SyncSuccess[] = [];
    let looks = 0;
    const { links } = host;
    const addresses = links.addresses.bind(links);
    links.addresses = () => {
      looks += 1;
      return addresses();
    };
    const proxier = createIpvsProxier(
      {
        family: 'IPv4',
        options: { ...DEFAULT_PROXIER_OPTIONS, nodeName: 'node1' },
        logger: silentLogger,
        clock,
        observer: { synced: (success) => void successes.push(success) },
        localAddresses: async () => [],
        watchAddresses: (onChange, signal) =>
          watchAddresses({
            open: () => links.events(),
            clock,
            signal,
            onChange,
            onFailure: () => {},
            onRecovery: () => {},
          }),
      },
      { host },
    );
    const abort = new AbortController();
    const loop = proxier.syncLoop(abort.signal);
    for (const service of services()) {
      proxier.onServiceUpdate(undefined, service);
    }
    for (const slice of slices()) {
      proxier.onEndpointsUpdate(undefined, slice);
    }
    proxier.onServicesSynced();
    proxier.onEndpointsSynced();
    await clock.advance(5000);
    const end = async () => {
      abort.abort();
      await loop;
      await settle();
    };
    return { host, links, clock, proxier, successes, looks: () => looks, end };
  }

  test('serves NodePorts on a new address within two seconds, and stops as fast when it is removed, without a full sync', async () => {
    const { host, links, clock, successes, end } = await fixture();
    const before = successes.length;
    const { listings } = host.ipvs;
    await links.addHostAddress(MORE);
    await clock.advance(2000);
    expect(await host.ipvs.has(nodePortAt(MORE))).toBe(true);
    await links.removeHostAddress(MORE);
    await clock.advance(2000);
    expect(await host.ipvs.has(nodePortAt(MORE))).toBe(false);
    expect(successes.slice(before).map(({ full }) => full)).toEqual([false, false]);
    expect(host.ipvs.listings).toBe(listings);
    await end();
  });

  test('own virtual addresses are not reported as changes', async () => {
    const { host, clock, proxier, successes, looks, end } = await fixture();
    const before = looks();
    proxier.onServiceUpdate(undefined, makeService('work/new', { clusterIP: '10.96.0.77' }));
    await clock.advance(5000);
    expect(successes.at(-1)?.changes.servicePorts.size).toBe(1);
    expect((await host.links.addresses()).map(({ address }) => address)).toContain('10.96.0.77');
    expect(looks()).toBe(before + 1);
    await end();
  });

  test('an address is served after duplicate address detection', async () => {
    const { host, links, clock, end } = await fixture();
    await links.addHostAddress(MORE, false);
    await clock.advance(5000);
    expect(await host.ipvs.has(nodePortAt(MORE))).toBe(false);
    await links.addHostAddress(MORE);
    await clock.advance(2000);
    expect(await host.ipvs.has(nodePortAt(MORE))).toBe(true);
    await end();
  });
});
