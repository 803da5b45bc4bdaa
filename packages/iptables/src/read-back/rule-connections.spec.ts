import { beforeEach, describe, expect, test } from '@jest/globals';
import { formatServicePortName, type ProxyStateResolver } from '@kube-proxier/core';
import { makeResolver, makeService, makeSlice } from '@kube-proxier/core/testing';
import { FakeIptables } from '@kube-proxier/linux/testing';
import { serviceChain } from '../plan/layout.js';
import { RuleConnections, type StateInForce } from './rule-connections.js';

const ENDPOINTS = ['10.244.0.1', '10.244.0.2'];

const SERVICE = makeService('work/web', { clusterIP: '10.96.0.10', ports: [{ port: 80 }] });

/** Rules with counters set by the test, which also completes reads. */
class CountingIptables extends FakeIptables {
  packets = new Map<string, number>();
  readonly requests: (string | undefined)[] = [];
  isUnreadable = false;
  #held: Promise<void> = Promise.resolve();

  constructor(private readonly chain: string) {
    super();
  }

  hold(): () => void {
    let release = () => {};
    this.#held = new Promise((resolve) => {
      release = resolve;
    });
    return release;
  }

  override async counted(_table: 'nat', chain?: string): Promise<string> {
    this.requests.push(chain);
    const found = [...this.packets].map(
      ([endpoint, packets]) =>
        `[${packets}:${packets * 60}] -A ${this.chain} -p tcp -j DNAT --to-destination ${endpoint}\n`,
    );
    if (this.isUnreadable) {
      throw new Error('refused');
    }
    // Only the table read takes time, with the values of its start.
    if (chain === undefined) {
      await this.#held;
    }
    return found.join('');
  }
}

describe('RuleConnections', () => {
  let resolver: ProxyStateResolver;
  let state: StateInForce;
  let iptables: CountingIptables;
  let connections: RuleConnections;
  let chain: string;

  beforeEach(() => {
    resolver = makeResolver();
    resolver.updateService(undefined, SERVICE);
    resolver.updateEndpointSlice(undefined, makeSlice('work/web', ENDPOINTS, { ports: [{ port: 8080 }] }));
    state = resolver.applyPending();
    const [port] = [...state.state.servicePorts.values()];
    if (port === undefined) {
      throw new Error('no service port');
    }
    expect(formatServicePortName(port.name)).toBe('work/web');
    chain = serviceChain('SVC', port.name);
    iptables = new CountingIptables(chain);
    connections = new RuleConnections({ family: 'IPv4', iptables: async () => iptables, countAll: true });
    connections.written(undefined, state);
  });

  const set = (first: number, second: number) => {
    iptables.packets = new Map([
      [`${ENDPOINTS[0]}:8080`, first],
      [`${ENDPOINTS[1]}:8080`, second],
    ]);
  };
  const total = async () => (await connections.read()).find(({ endpoint }) => endpoint === undefined)?.connections;

  /** Writes like a sync. */
  async function write(succeeds = true) {
    const counters = await connections.beforeWrite([chain, 'KUBE-SERVICES']);
    if (succeeds) {
      set(0, 0);
    }
    connections.written(counters, succeeds ? state : undefined);
  }

  test('rules that are written again, between two readings', async () => {
    set(5, 1);
    expect(await total()).toBe(6);
    set(7, 1);
    await write();
    set(2, 0);
    expect(await total()).toBe(10);
    // More than before the change.
    await write();
    set(50, 3);
    expect(await total()).toBe(63);
    expect(iptables.requests.filter((request) => request !== undefined)).toEqual([chain, chain]);
  });

  test('rules that could not be written count on', async () => {
    set(5, 1);
    await write(false);
    set(6, 1);
    expect(await total()).toBe(7);
  });

  test.each(['before', 'after'])('a read that started before the write of rules and ends %s it', async (when) => {
    set(5, 0);
    const release = iptables.hold();
    const reading = connections.read();
    await Promise.resolve();
    set(7, 0);
    const counters = await connections.beforeWrite([chain]);
    if (when === 'before') {
      release();
      await reading;
    }
    set(0, 0);
    connections.written(counters, state);
    release();
    await reading;
    set(1, 0);
    iptables.hold()();
    expect(await total()).toBe(8);
  });

  test('a read that starts during a write of rules', async () => {
    set(7, 0);
    const counters = await connections.beforeWrite([chain]);
    const release = iptables.hold();
    const [old, done] = [connections.read(), connections.read()];
    await Promise.resolve();
    set(2, 0);
    const written = connections.read();
    await Promise.resolve();
    connections.written(counters, state);
    release();
    await Promise.all([old, done, written]);
    set(3, 0);
    expect(await total()).toBe(10);
  });

  test('rules that cannot be read before are written nevertheless', async () => {
    set(5, 0);
    expect(await total()).toBe(5);
    iptables.isUnreadable = true;
    await write();
    iptables.isUnreadable = false;
    set(2, 0);
    expect(await total()).toBe(7);
  });

  test('an annotation that changes takes effect, also after changes that were not written', async () => {
    const annotated = (value: string) => ({
      ...SERVICE,
      metadata: { ...SERVICE.metadata, annotations: { 'kube-proxier.io/count-connections': value } },
    });
    const isCounted = async () => {
      iptables.requests.length = 0;
      connections.written(await connections.beforeWrite([chain]));
      return iptables.requests.length > 0;
    };
    expect(await isCounted()).toBe(true);
    let current = SERVICE;
    for (const value of ['false', 'true', 'false']) {
      const next = annotated(value);
      resolver.updateService(current, next);
      current = next;
      connections.written(undefined, resolver.applyPending());
      expect(await isCounted()).toBe(value === 'true');
    }
    resolver.updateService(current, annotated('true'));
    resolver.applyPending();
    resolver.updateEndpointSlice(undefined, makeSlice('work/web', ['10.244.0.3'], { ports: [{ port: 8080 }] }));
    connections.written(undefined, resolver.applyPending());
    expect(await isCounted()).toBe(true);
    resolver.updateService(annotated('true'), undefined);
    connections.written(undefined, resolver.applyPending());
    expect(await isCounted()).toBe(false);
  });

  test('nothing is read for chains of which nothing is counted', async () => {
    const silent = new RuleConnections({ family: 'IPv4', iptables: async () => iptables, countAll: false });
    silent.written(undefined, state);
    await silent.beforeWrite([chain]);
    expect(await silent.read()).toEqual([]);
    expect(iptables.requests).toEqual([]);
  });
});
