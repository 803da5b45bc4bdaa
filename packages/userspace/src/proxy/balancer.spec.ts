import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { ServiceOptions } from '../plan/service-options.js';
import type { Target } from '../plan/userspace-transaction.js';
import { Balancer } from './balancer.js';

const OPTIONS: ServiceOptions = { proxyProtocol: undefined, loadBalancing: 'round-robin', maxConnections: undefined };
const targets = (...numbers: readonly number[]): Target[] =>
  numbers.map((number) => ({ key: `10.0.0.${number}:80`, address: `10.0.0.${number}`, port: 80, weight: 1 }));

function make(cluster: readonly Target[], rest: { affinitySeconds?: number; options?: Partial<ServiceOptions> } = {}) {
  const time = { now: 0 };
  const balancer = new Balancer({ now: () => time.now, random: () => 0 });
  const spec = (list: readonly Target[]) => ({
    cluster: list,
    local: [],
    affinitySeconds: rest.affinitySeconds,
    options: { ...OPTIONS, ...rest.options },
  });
  balancer.update(spec(cluster));
  return { balancer, time, update: (list: readonly Target[]) => balancer.update(spec(list)) };
}

describe('Balancer', () => {
  test('round robin covers every endpoint, for any number of endpoints', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 5 }), (count, rounds) => {
        const list = targets(...Array.from({ length: count }, (_, index) => index));
        const { balancer } = make(list);
        const picked = Array.from({ length: count * rounds }, () => balancer.pick('cluster', 'c')?.key);
        for (const { key } of list) {
          expect(picked.filter((other) => other === key)).toHaveLength(rounds);
        }
      }),
    );
  });

  test('endpoints are selected in proportion to their weights, interleaved', () => {
    const [light, heavy, middle] = targets(1, 2, 3) as [Target, Target, Target];
    const { balancer } = make([light, { ...heavy, weight: 5 }, { ...middle, weight: 2 }]);
    const picked = Array.from({ length: 800 }, () => balancer.pick('cluster', 'c')?.key);
    const count = (key: string) => picked.filter((other) => other === key).length;
    expect([count(light.key), count(heavy.key), count(middle.key)]).toEqual([100, 500, 200]);
    const longest = Math.max(
      ...picked
        .join(' ')
        .split(light.key)
        .join('|')
        .split(middle.key)
        .join('|')
        .split('|')
        .map((run) => run.split(heavy.key).length - 1),
    );
    expect(longest).toBeLessThanOrEqual(2);
  });

  test('the fewest connections relative to the weight', () => {
    const [light, heavy] = targets(1, 2) as [Target, Target];
    const { balancer } = make([light, { ...heavy, weight: 3 }], { options: { loadBalancing: 'least-connections' } });
    for (let index = 0; index < 400; index += 1) {
      balancer.begin(balancer.pick('cluster', 'c')?.key ?? '');
    }
    expect([...balancer.active].sort()).toEqual([
      [light.key, 100],
      [heavy.key, 300],
    ]);
  });

  test('an empty list is reported', () => {
    const { balancer } = make([]);
    expect(balancer.pick('cluster', 'c')).toBeUndefined();
    expect(balancer.pick('local', 'c')).toBeUndefined();
  });

  test('an endpoint that failed is skipped while another exists', () => {
    const { balancer } = make(targets(1, 2, 3));
    const failed = new Set(['10.0.0.1:80', '10.0.0.3:80']);
    expect(balancer.pick('cluster', 'c', failed)?.address).toBe('10.0.0.2');
    failed.add('10.0.0.2:80');
    expect(balancer.pick('cluster', 'c', failed)).toBeDefined();
  });

  test('affinity lasts from the last connection of a client, while the endpoint exists', () => {
    const { balancer, time, update } = make(targets(1, 2), { affinitySeconds: 10 });
    const first = balancer.pick('cluster', 'c');
    for (let i = 0; i < 5; i++) {
      time.now += 9_999;
      expect(balancer.pick('cluster', 'c')).toBe(first);
    }
    time.now += 10_000;
    expect(balancer.pick('cluster', 'c')).not.toBe(first);
    update(targets(2));
    expect(balancer.pick('cluster', 'c')?.address).toBe('10.0.0.2');
    time.now += 10_000;
    balancer.forgetStale();
    expect(balancer.remembered).toBe(0);
  });

  test('after a failed dial, affinity records the endpoint that was used instead', () => {
    const { balancer } = make(targets(1, 2), { affinitySeconds: 10 });
    const first = balancer.pick('cluster', 'c');
    const second = balancer.pick('cluster', 'c', new Set([first?.key ?? '']));
    expect(second).not.toBe(first);
    expect(balancer.pick('cluster', 'c')).toBe(second);
  });

  test('an endpoint that rejects a client is not recorded for it, and is skipped for ten seconds', () => {
    const { balancer, time, update } = make(targets(1, 2, 3), { affinitySeconds: 60 });
    expect(balancer.pick('cluster', 'other')?.address).toBe('10.0.0.1');
    expect(balancer.pick('cluster', 'second')?.address).toBe('10.0.0.2');
    balancer.refused('second', '10.0.0.1:80');
    expect(balancer.pick('cluster', 'second')?.address).toBe('10.0.0.2');
    expect(balancer.pick('cluster', 'other')?.address).toBe('10.0.0.1');
    balancer.refused('other', '10.0.0.1:80');
    const picked = () => new Set([1, 2, 3].map((n) => balancer.pick('cluster', `new${time.now}-${n}`)?.address));
    expect(balancer.pick('cluster', 'other')?.address).not.toBe('10.0.0.1');
    expect(picked()).toEqual(new Set(['10.0.0.2', '10.0.0.3']));
    time.now += 10_000;
    expect(picked()).toEqual(new Set(['10.0.0.1', '10.0.0.2', '10.0.0.3']));
    balancer.refused('other', '10.0.0.1:80');
    update(targets(1));
    expect(balancer.pick('cluster', 'other')?.address).toBe('10.0.0.1');
  });

  test('an endpoint that answers after it rejected a client is selected at once', () => {
    const { balancer } = make(targets(1, 2));
    balancer.refused('c', '10.0.0.1:80');
    const picked = () => new Set([1, 2].map(() => balancer.pick('cluster', 'c')?.address));
    expect(picked()).toEqual(new Set(['10.0.0.2']));
    balancer.answered('10.0.0.2:80');
    expect(picked()).toEqual(new Set(['10.0.0.2']));
    balancer.answered('10.0.0.1:80');
    expect(picked()).toEqual(new Set(['10.0.0.1', '10.0.0.2']));
  });

  test('least connections does not prefer an endpoint that rejects every connection', () => {
    const { balancer } = make(targets(1, 2), { options: { loadBalancing: 'least-connections' } });
    balancer.begin('10.0.0.2:80');
    expect(balancer.pick('cluster', 'c')?.address).toBe('10.0.0.1');
    balancer.refused('c', '10.0.0.1:80');
    for (let i = 0; i < 5; i++) {
      const { key = '' } = balancer.pick('cluster', 'c') ?? {};
      expect(key).toBe('10.0.0.2:80');
      balancer.begin(key);
    }
  });

  test('the number of recorded clients is limited', () => {
    const { balancer } = make(targets(1), { affinitySeconds: 10 });
    for (let i = 0; i < 100_010; i++) {
      balancer.pick('cluster', `c${i}`);
    }
    expect(balancer.remembered).toBe(100_000);
  });

  test('least connections: counts differ by one at most', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 60 }), (steps) => {
        const { balancer } = make(targets(1, 2, 3), { options: { loadBalancing: 'least-connections' } });
        for (const opens of steps) {
          if (opens) {
            balancer.begin(balancer.pick('cluster', 'c')?.key ?? '');
          }
        }
        const counts = targets(1, 2, 3).map(({ key }) => balancer.active.get(key) ?? 0);
        expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
      }),
    );
  });
});
