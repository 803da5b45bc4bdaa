import { describe, expect, test } from '@jest/globals';
import { compareStates, type IPFamily, type ObjectProblem, type ProxyState } from '@kube-proxier/core';
import { makeService, Random, RandomCluster, runCount } from '@kube-proxier/core/testing';
import { parseCommandLine } from '../flags/command-line.js';
import { readSettings } from '../flags/settings.js';
import type { ClusterObjects } from './cluster-objects.js';
import { type ResolvedSide, resolveCluster, resolvePairs } from './resolve-cluster.js';

const FAMILIES: readonly IPFamily[] = ['IPv4', 'IPv6'];

const settingsWith = (...flags: string[]) =>
  readSettings(parseCommandLine(['--manifests=/none', '--hostname-override=node1', ...flags]), []);

function objectsOf({ services, slices, node }: RandomCluster): ClusterObjects {
  return {
    services: new Map(services),
    endpointSlices: new Map(slices),
    nodes: new Map([['node1', node]]),
    serviceCIDRs: ['10.96.0.0/16'],
  };
}

/** Without the revision. */
function contentOf({ node, servicePorts, frontends, clusterIPs, healthCheckNodePorts }: ProxyState): unknown {
  return {
    node,
    servicePorts: new Map([...servicePorts]),
    frontends: new Map([...frontends]),
    clusterIPs: new Map([...clusterIPs]),
    healthCheckNodePorts: new Map([...healthCheckNodePorts]),
  };
}

const silent = {
  mode: 'none',
  onServiceUpdate() {},
  onEndpointsUpdate() {},
  onServicesSynced() {},
  onEndpointsSynced() {},
  onNodeUpdate() {},
  onServiceCIDRsUpdate() {},
  sync() {},
  syncLoop: async () => {},
};

describe('resolvePairs', () => {
  test('leads to the same states as resolving both from scratch, and shares equal parts', () => {
    let shared = 0;
    for (let seed = 1; seed <= runCount(10, 200); seed += 1) {
      const cluster = new RandomCluster(new Random(seed));
      const settings = settingsWith();
      const step = (count: number) => {
        for (let index = 0; index < count; index += 1) {
          cluster.step(silent);
        }
        return { objects: objectsOf(cluster), settings, host: () => ({}) };
      };
      const before: ResolvedSide = step(80);
      const after: ResolvedSide = step(seed % 20);
      const problems = new Set<string>();
      const expected = new Set<string>();
      const add = (all: Set<string>) => (problem: ObjectProblem) => all.add(JSON.stringify(problem));
      const pairs = resolvePairs(FAMILIES, before, after, add(problems));
      for (const { family, before: first, after: second } of pairs) {
        const fresh = resolveCluster(after.objects, family, settings, { onProblem: add(expected) });
        expect(contentOf(first as ProxyState)).toEqual(contentOf(resolveCluster(before.objects, family, settings)));
        expect(contentOf(second)).toEqual(contentOf(fresh));
        shared += [...second.servicePorts].filter(([key, port]) => first?.servicePorts.get(key) === port).length;
      }
      expect(problems).toEqual(expected);
    }
    expect(shared).toBeGreaterThan(3);
  });

  test('resolves both when the options differ', () => {
    const services = new Map([['work/web', makeService('work/web')]]);
    const objects: ClusterObjects = { services, endpointSlices: new Map(), nodes: new Map(), serviceCIDRs: [] };
    const side = (...flags: string[]) => ({ objects, settings: settingsWith(...flags), host: () => ({}) });
    const compare = (...flags: string[]) => compareStates(resolvePairs(['IPv4'], side(), side(...flags), () => {}));
    expect(compare().node).toEqual([]);
    expect(compare('--cluster-cidr=10.0.0.0/8').node).toHaveLength(1);
  });

  test('reports the problems of an object that stays', () => {
    const services = new Map([['work/web', makeService('work/web', { externalIPs: ['nonsense'] })]]);
    const objects: ClusterObjects = { services, endpointSlices: new Map(), nodes: new Map(), serviceCIDRs: [] };
    const side = { objects, settings: settingsWith(), host: () => ({}) };
    const problems: ObjectProblem[] = [];
    resolvePairs(['IPv4'], side, side, (problem) => problems.push(problem));
    expect(problems).toHaveLength(1);
    resolvePairs(['IPv4'], side, { ...side, objects: { ...objects, services: new Map() } }, (problem) =>
      problems.push(problem),
    );
    expect(problems).toHaveLength(1);
  });
});
