import { describe, expect, test } from '@jest/globals';
import type { EndpointSlice, Service, Source, SourceHandler } from '@kube-proxier/core';
import { makeService, makeSlice, runCount, VirtualClock } from '@kube-proxier/core/testing';
import { HEALTH_CHECK_ANNOTATION, HEALTH_CHECK_BACKUP_ANNOTATION } from './check-settings.js';
import { HealthCheckedSource } from './health-checked-source.js';
import { HealthChecks } from './health-checks.js';
import { FakeProbes } from './testing/fake-probes.js';

const ADDRESSES = Array.from({ length: 6 }, (_, index) => `10.0.0.${index + 1}`);
const SLICES = ['a', 'b', 'c'];

/** Numbers from 0 to less than 1 that follow from a seed. */
function randomOf(seed: number): () => number {
  let last = (seed * 7919 + 1) % 2_147_483_647;
  return () => {
    last = (last * 48_271) % 2_147_483_647;
    return last / 2_147_483_647;
  };
}

/** What must be ready when every check has had its time: by the objects and the answers, with nothing remembered. */
function expectedReady(
  service: Service | undefined,
  slices: ReadonlyMap<string, EndpointSlice>,
  isUp: (address: string) => boolean,
): readonly string[] {
  const ready = [...slices].flatMap(([name, { endpoints = [], metadata }]) =>
    endpoints
      .filter(({ conditions }) => conditions?.ready !== false)
      .map(({ addresses: [address = ''] = [] }) => ({
        ...{ name, address },
        isBackup: metadata?.annotations?.[HEALTH_CHECK_BACKUP_ANNOTATION] === 'true',
      })),
  );
  const policy = service?.metadata?.annotations?.[`${HEALTH_CHECK_ANNOTATION}-all-failed`];
  const isChecked = service?.metadata?.annotations?.[HEALTH_CHECK_ANNOTATION] !== undefined;
  const primaries = ready.filter(({ isBackup }) => !isBackup);
  // In a slice of both kinds, an endpoint is no backup, and its listing as a backup is not used.
  const backups = ready.filter(
    ({ isBackup, address }) => isBackup && !primaries.some((primary) => primary.address === address),
  );
  const up = (list: typeof ready) => list.filter(({ address }) => isUp(address));
  const used = () => {
    if (!isChecked) {
      return ready;
    }
    if (up(primaries).length > 0) {
      return up(primaries);
    }
    return up(backups).length > 0 ? up(backups) : policy === 'open' ? primaries : [];
  };
  return [...new Set(used().map(({ name, address }) => `${name} ${address}`))].sort();
}

describe('health checks', () => {
  test.each(Array.from({ length: runCount(60, 2000) }, (_, seed) => [seed]))(
    'seed %i: whatever changes in whatever order, the result follows from the objects and the answers',
    async (seed) => {
      const random = randomOf(seed);
      const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
      const clock = new VirtualClock();
      const probes = new FakeProbes(clock);
      const checks = new HealthChecks({ clock, probes, random, firstResultsTimeout: 1000 });
      let handler!: SourceHandler;
      const source: Source = {
        description: 'a test',
        async start(given) {
          handler = given;
        },
        async stop() {},
      };
      const followed = new Map<string, EndpointSlice>();
      const violations: string[] = [];
      const checked = new HealthCheckedSource(source, checks);
      await checked.start(
        {
          onServiceUpdate() {},
          onEndpointsUpdate(previous, current) {
            const name = (current ?? previous)?.metadata?.name ?? '';
            if (followed.get(name) !== previous || previous === current) {
              violations.push(name);
            }
            if (current) {
              followed.set(name, current);
            } else {
              followed.delete(name);
            }
          },
          onServicesSynced() {},
          onEndpointsSynced() {},
          onNodeUpdate() {},
          onServiceCIDRsUpdate() {},
        },
        { nodeName: 'node1' },
      );
      let service: Service | undefined;
      const slices = new Map<string, EndpointSlice>();

      const changeService = () => {
        const annotations = {
          ...(random() < 0.8 ? { [HEALTH_CHECK_ANNOTATION]: 'tcp' } : undefined),
          ...(random() < 0.5 ? { [`${HEALTH_CHECK_ANNOTATION}-all-failed`]: pick(['open', 'closed']) } : undefined),
        };
        // Without the first, the others are a problem, and the last valid ones would stay in force.
        const valid = HEALTH_CHECK_ANNOTATION in annotations ? annotations : {};
        const next =
          random() < 0.15
            ? undefined
            : makeService('web', {}, { metadata: { name: 'web', namespace: 'default', annotations: valid } });
        if (service !== next) {
          handler.onServiceUpdate(service, next);
        }
        service = next;
      };
      const changeSlice = () => {
        const name = pick(SLICES);
        const endpoints = ADDRESSES.filter(() => random() < 0.4).map((address) => ({ address, ready: random() < 0.8 }));
        const annotations = random() < 0.3 ? { [HEALTH_CHECK_BACKUP_ANNOTATION]: 'true' } : {};
        const next =
          random() < 0.2 ? undefined : makeSlice('web', endpoints, { name, addressType: 'IPv4', annotations });
        const previous = slices.get(name);
        if (previous === next) {
          return;
        }
        handler.onEndpointsUpdate(previous, next);
        if (next) {
          slices.set(name, next);
        } else {
          slices.delete(name);
        }
      };
      const changeAnswer = () => {
        probes.answers.set(`${pick(ADDRESSES)}:80`, pick(['up', 'refused']));
      };

      for (let step = 0; step < 25; step += 1) {
        for (let change = 0; change < 1 + random() * 4; change += 1) {
          pick([changeService, changeSlice, changeAnswer, changeAnswer])();
          if (random() < 0.3) {
            await clock.advance(random() * 3000);
          }
        }
        if (step === 3) {
          handler.onServicesSynced();
          handler.onEndpointsSynced();
        }
        await clock.advance(30_000);
        const isUp = (address: string) => probes.answers.get(`${address}:80`) !== 'refused';
        const ready = [...followed].flatMap(([name, { endpoints = [] }]) =>
          endpoints
            .filter(({ conditions }) => conditions?.ready !== false)
            .map(({ addresses: [address = ''] = [] }) => `${name} ${address}`),
        );
        expect([...new Set(ready)].sort()).toEqual(expectedReady(service, slices, isUp));
        const addresses = new Set(
          service?.metadata?.annotations?.[HEALTH_CHECK_ANNOTATION] === undefined
            ? []
            : [...slices.values()].flatMap(({ endpoints = [] }) =>
                endpoints
                  .filter(({ conditions }) => conditions?.ready !== false || conditions?.serving !== false)
                  .map((endpoint) => endpoint.addresses?.[0]),
              ),
        );
        const { up, down, unknown } = checks.summary().endpoints;
        expect([up + down, unknown]).toEqual([addresses.size, 0]);
      }
      expect(violations).toEqual([]);
      await checked.stop();
      expect(checks.summary().endpoints).toEqual({ up: 0, down: 0, unknown: 0 });
      expect(clock.pending).toBe(0);
    },
  );
});
