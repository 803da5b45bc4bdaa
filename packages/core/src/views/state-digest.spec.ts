import { describe, expect, test } from '@jest/globals';
import type { Proxier } from '../contract/proxier.js';
import { PROBE_NAMESPACE } from '../model/probe-service.js';
import {
  feedResolver,
  makeResolver,
  makeService,
  makeSlice,
  Random,
  RandomCluster,
  resolveObjects,
  runCount,
} from '../testing/index.js';
import { digestNumber, stateDigest } from './state-digest.js';

describe('stateDigest', () => {
  test('is equal on all nodes of a cluster, regardless of their history: random clusters', () => {
    const seen = new Set<string>();
    for (let seed = 1; seed <= runCount(6, 40); seed += 1) {
      const cluster = new RandomCluster(new Random(seed));
      for (const family of ['IPv4', 'IPv6'] as const) {
        const early = makeResolver({ family });
        const feed: Proxier = feedResolver(early);
        for (const service of cluster.objects.services ?? []) {
          feed.onServiceUpdate(undefined, service);
        }
        for (const slice of cluster.objects.slices ?? []) {
          feed.onEndpointsUpdate(undefined, slice);
        }
        for (let step = 0; step < 40; step += 1) {
          cluster.step(feed);
          const { state } = early.applyPending();
          const digest = stateDigest(state);
          const { services = [], slices = [] } = cluster.objects;
          const reversed = { services: [...services].reverse(), slices: [...slices].reverse() };
          for (const nodeName of ['node2', 'node3']) {
            const node = { metadata: { name: nodeName, labels: { 'topology.kubernetes.io/zone': nodeName } } };
            const other = resolveObjects({ ...reversed, node }, { family, nodeName, masqueradeAll: true });
            expect(stateDigest(other)).toBe(digest);
          }
          seen.add(digest);
        }
      }
    }
    expect(seen.size).toBeGreaterThan(100);
  });

  test('differs for each difference of a Service or an endpoint', () => {
    const spec = { clusterIP: '10.96.0.10', ports: [{ port: 80 }] };
    const plain = { services: [makeService('web', spec)], slices: [makeSlice('web', ['10.244.0.1', '10.244.0.2'])] };
    const others = [
      { ...plain, services: [] },
      { ...plain, slices: [] },
      { ...plain, services: [makeService('web', { ...spec, clusterIP: '10.96.0.11' })] },
      { ...plain, services: [makeService('web', { ...spec, ports: [{ port: 81 }] })] },
      {
        ...plain,
        services: [makeService('web', { ...spec, type: 'NodePort', ports: [{ port: 80, nodePort: 30080 }] })],
      },
      { ...plain, services: [makeService('web', { ...spec, externalIPs: ['198.51.100.1'] })] },
      { ...plain, services: [makeService('web', { ...spec, sessionAffinity: 'ClientIP' })] },
      { ...plain, services: [makeService('web', { ...spec, internalTrafficPolicy: 'Local' })] },
      { ...plain, services: [...plain.services, makeService('other', { ...spec, clusterIP: '10.96.0.12' })] },
      { ...plain, slices: [makeSlice('web', ['10.244.0.1'])] },
      { ...plain, slices: [makeSlice('web', ['10.244.0.1', '10.244.0.3'])] },
      { ...plain, slices: [makeSlice('web', ['10.244.0.1', { address: '10.244.0.2', ready: false }])] },
      { ...plain, slices: [makeSlice('web', ['10.244.0.1', { address: '10.244.0.2', node: 'node7' }])] },
    ];
    const digests = [plain, ...others].map((objects) => stateDigest(resolveObjects(objects)));
    expect(new Set(digests).size).toBe(digests.length);
    expect(digests).toEqual(digests.map(() => expect.stringMatching(/^[0-9a-f]{16}$/)));
  });

  test('ignores the Services of the probe, which differ from node to node', () => {
    const web = makeService('web');
    const probe = makeService(`${PROBE_NAMESPACE}/ipv4`, { clusterIP: '192.0.2.1' });
    const other = makeService(`${PROBE_NAMESPACE}/other`, { clusterIP: '192.0.2.1' });
    const digest = (...services: (typeof web)[]) => stateDigest(resolveObjects({ services }));
    expect(digest(web, probe)).toBe(digest(web));
    expect(digest(web, other)).not.toBe(digest(web));
  });

  test('is exact as a number', () => {
    expect(digestNumber('ffffffffffff1234')).toBe(2 ** 48 - 1);
    expect(digestNumber('0000000000010000')).toBe(1);
  });
});
