import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ProxyState } from '@kube-proxier/core';
import { diffStates } from '@kube-proxier/core';
import { type ClusterObjects, makeResolver, makeService, makeSlice, resolveObjects } from '@kube-proxier/core/testing';
import { type InstalledHaproxy, planHaproxy } from '../src/haproxy-planner.js';
import { placeOf } from '../src/place.js';
import { renderConfig } from '../src/render-config.js';
import { renderRules } from '../src/render-rules.js';

const place = placeOf('IPv4', '/run/test', 10350);
const web = makeService('work/web', { clusterIP: '10.96.0.10' });
const none = makeSlice('work/web', []);
const one = makeSlice('work/web', ['10.244.0.5']);
const two = makeSlice('work/web', ['10.244.0.5', '10.244.7.5']);

const state = (objects: ClusterObjects) => resolveObjects(objects);

/** The transaction from a state in force to the next one. */
function change(before: ClusterObjects, after: ClusterObjects) {
  const resolver = makeResolver();
  const resolve = ({ services = [], slices = [] }: ClusterObjects) => {
    for (const service of services) {
      resolver.updateService(undefined, service);
    }
    for (const slice of slices) {
      resolver.updateEndpointSlice(undefined, slice);
    }
    return resolver.applyPending();
  };
  resolve(before);
  const { state: next, changes } = resolve(after);
  return planHaproxy(place, next, changes);
}

/** The state of a host with this state in force. */
function holding(there: ProxyState): InstalledHaproxy {
  const servers = new Map([['cluster:work:web:', new Set(['10.244.0.5_80'])]]);
  return { structure: renderConfig(place, there).structure, servers, rules: renderRules(place, there), address: true };
}

test('a Service is rendered as a backend, a line of the map and a rule', () => {
  const next = state({ services: [web], slices: [one] });
  const { config, map } = renderConfig(place, next);
  assert.equal(map, '10.96.0.10:80 work:web:\n');
  assert.match(config, /^backend cluster:work:web:\n {2}server 10\.244\.0\.5_80 10\.244\.0\.5:80$/m);
  assert.match(renderRules(place, next), /elements = \{ 10\.96\.0\.10 \. 80 : goto policy-/);
});

test('a change of endpoints is sent to the running HAProxy, and nothing else is done', () => {
  const plan = change({ services: [web], slices: [one] }, { services: [web], slices: [two] });
  assert.equal(plan?.reload, undefined);
  assert.equal(plan?.rules, undefined);
  assert.deepEqual(
    plan?.servers.map(({ action, backend, server }) => [action, backend, server]),
    [['add', 'cluster:work:web:', '10.244.7.5_80']],
  );
});

test('a removed endpoint gets no new connections', () => {
  const plan = change({ services: [web], slices: [two] }, { services: [web], slices: [one] });
  assert.deepEqual(plan?.servers, [{ action: 'remove', backend: 'cluster:work:web:', server: '10.244.7.5_80' }]);
});

test('a new Service needs a reload, with its endpoints in the configuration', () => {
  const plan = change({}, { services: [web], slices: [two] });
  assert.match(plan?.reload?.config ?? '', /server 10\.244\.7\.5_80/);
  assert.deepEqual(plan?.servers, []);
  assert.notEqual(plan?.rules, undefined);
});

test('when the last endpoint is removed, a rule rejects connections to the Service', () => {
  const plan = change({ services: [web], slices: [one] }, { services: [web], slices: [none] });
  assert.match(plan?.rules ?? '', /policy-\w+ \{\n {4}reject\n/);
  assert.equal(plan?.reload?.map, '');
});

test('after a restart, nothing is changed if everything is in force', () => {
  const next = state({ services: [web], slices: [one] });
  assert.equal(planHaproxy(place, next, diffStates(undefined, next), holding(next)), undefined);
});

test('after a restart, only the differences are applied', () => {
  const before = state({ services: [web], slices: [one] });
  const next = state({ services: [web], slices: [two] });
  const plan = planHaproxy(place, next, diffStates(undefined, next), holding(before));
  assert.equal(plan?.reload, undefined);
  assert.deepEqual(
    plan?.servers.map(({ action, server }) => [action, server]),
    [['add', '10.244.7.5_80']],
  );
});

test('removed rules are written again, without a change of HAProxy', () => {
  const next = state({ services: [web], slices: [one] });
  const plan = planHaproxy(place, next, diffStates(undefined, next), { ...holding(next), rules: undefined });
  assert.equal(plan?.reload, undefined);
  assert.deepEqual(plan?.servers, []);
  assert.equal(plan?.rules, renderRules(place, next));
});

test('clients outside the ranges of a load balancer are dropped', () => {
  const loadBalancer = makeService(
    'work/web',
    { type: 'LoadBalancer', loadBalancerSourceRanges: ['203.0.113.0/24'] },
    { status: { loadBalancer: { ingress: [{ ip: '198.51.100.1' }] } } },
  );
  const rules = renderRules(place, state({ services: [loadBalancer], slices: [one] }));
  assert.match(rules, /ip saddr 203\.0\.113\.0\/24 goto policy-\w+\n {4}drop/);
});

test('session affinity records endpoints by address, with the timeout of the Service', () => {
  const sticky = makeService('work/web', {
    sessionAffinity: 'ClientIP',
    sessionAffinityConfig: { clientIP: { timeoutSeconds: 60 } },
  });
  const { config } = renderConfig(place, state({ services: [sticky], slices: [two] }));
  assert.match(config, /stick-table type ip size 100k expire 60s srvkey addr peers this/);
});

test('UDP Services are not served, as the capabilities report', () => {
  const dns = makeService('work/dns', { ports: [{ port: 53, protocol: 'UDP' }] });
  const slice = makeSlice('work/dns', ['10.244.0.5'], { ports: [{ port: 53, protocol: 'UDP' }] });
  const next = state({ services: [dns], slices: [slice] });
  assert.equal(renderConfig(place, next).map, '');
  assert.doesNotMatch(renderRules(place, next), /goto/);
});
