import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { systemClock } from '@kube-proxier/core';
import { until } from '@kube-proxier/core/testing';
import { ApiClient } from './api/api-client.js';
import { createApiCredentials } from './api/api-credentials.js';
import { isProtobuf } from './api/media-types.js';
import { KubernetesSource } from './kubernetes-source.js';
import { encodeList, encodeMessage, normalizedObject } from './testing/api-encoding.js';
import { type ApiObject, ApiServerProcess, apiServerPrograms, RecordingHandler } from './testing/index.js';
import { ENDPOINT_SLICES, ownNode, SERVICE_CIDRS, SERVICES } from './watch/watched-resource.js';

const TIMEOUT = 120_000;
const programs = apiServerPrograms();
if (programs === undefined) {
  throw new Error('set KUBE_APISERVER and ETCD, and use npm run test:apiserver');
}

const LABELS = { app: 'web', empty: '', 'topology.kubernetes.io/zone': 'z1' };
const FULL_SERVICE: ApiObject = {
  metadata: {
    ...{ name: 'full', namespace: 'default', labels: LABELS, finalizers: ['example.org/kept'] },
    annotations: { 'kube-proxier.io/slow-start': '10s', other: 'text ☸' },
  },
  spec: {
    ...{ type: 'LoadBalancer', selector: { app: 'web' }, externalIPs: ['192.0.2.7'], loadBalancerIP: '192.0.2.8' },
    ...{
      loadBalancerSourceRanges: ['10.0.0.0/8'],
      loadBalancerClass: 'example.org/lb',
      externalTrafficPolicy: 'Local',
    },
    ...{ internalTrafficPolicy: 'Local', publishNotReadyAddresses: true, allocateLoadBalancerNodePorts: true },
    ...{ ipFamilies: ['IPv4', 'IPv6'], ipFamilyPolicy: 'RequireDualStack', trafficDistribution: 'PreferClose' },
    ...{ sessionAffinity: 'ClientIP', sessionAffinityConfig: { clientIP: { timeoutSeconds: 60 } } },
    ports: [
      { name: 'http', port: 80, protocol: 'TCP', targetPort: 'web', appProtocol: 'http' },
      { name: 'dns', port: 53, protocol: 'UDP', targetPort: 5353 },
    ],
  },
};
const FULL_SLICE: ApiObject = {
  metadata: { name: 'full', namespace: 'default', labels: { 'kubernetes.io/service-name': 'full' } },
  addressType: 'IPv4',
  endpoints: [
    {
      ...{ addresses: ['10.244.0.5'], conditions: { ready: false, serving: true, terminating: true }, zone: 'z1' },
      ...{ hostname: 'web-1', nodeName: 'node1', hints: { forZones: [{ name: 'z1' }], forNodes: [{ name: 'node1' }] } },
      targetRef: { kind: 'Pod', namespace: 'default', name: 'web-1', uid: 'u', resourceVersion: '5' },
    },
    { addresses: ['10.244.0.6'] },
  ],
  ports: [{ name: 'http', port: 8080, protocol: 'TCP', appProtocol: 'http' }, { name: '' }],
};
const EMPTY_SLICE: ApiObject = {
  ...FULL_SLICE,
  metadata: { name: 'empty', namespace: 'default' },
  endpoints: [],
  ports: [],
};
const NODE: ApiObject = {
  metadata: { name: 'node1', labels: LABELS },
  spec: {
    ...{
      podCIDR: '10.244.0.0/24',
      podCIDRs: ['10.244.0.0/24', 'fd00:244::/64'],
      providerID: 'x://1',
      unschedulable: true,
    },
    taints: [
      { key: 'a', value: 'b', effect: 'NoSchedule' },
      { key: 'c', effect: 'NoExecute', timeAdded: '2026-11-20T22:03:43Z' },
    ],
  },
  status: {
    addresses: [
      { type: 'InternalIP', address: '192.0.2.1' },
      { type: 'Hostname', address: 'node1' },
    ],
    ...{ capacity: { cpu: '4', memory: '16Gi' }, allocatable: { cpu: '3900m' }, volumesInUse: ['v'] },
    conditions: [
      { type: 'Ready', status: 'True', reason: 'R', message: 'm', lastHeartbeatTime: '2026-11-20T22:03:43Z' },
    ],
    ...{
      images: [{ names: ['a', 'b'], sizeBytes: 5_000_000_000 }],
      daemonEndpoints: { kubeletEndpoint: { Port: 10_250 } },
    },
  },
};

describe('both encodings of a real API server', () => {
  const directory = mkdtempSync(join(tmpdir(), 'encodings-spec-'));
  const kubeconfig = join(directory, 'kubeconfig');
  let server: ApiServerProcess;
  let client: ApiClient;

  beforeAll(async () => {
    server = await ApiServerProcess.start(programs);
    await server.put('services', FULL_SERVICE);
    const path = '/api/v1/namespaces/default/services/full/status';
    const full = JSON.parse((await server.request('GET', path)).body) as ApiObject;
    const status = {
      loadBalancer: {
        ingress: [
          { ip: '192.0.2.9', ipMode: 'Proxy', ports: [{ port: 80, protocol: 'TCP' }] },
          { hostname: 'lb.example.org' },
        ],
      },
      conditions: [
        {
          type: 'A',
          status: 'True',
          observedGeneration: 3,
          lastTransitionTime: '2026-11-20T22:03:43Z',
          reason: 'R',
          message: '',
        },
      ],
    };
    expect((await server.request('PUT', path, { ...full, status })).status).toBe(200);
    await server.put('services', {
      metadata: { name: 'plain', namespace: 'default' },
      spec: { ports: [{ port: 80 }] },
    });
    await server.put('endpointslices', FULL_SLICE);
    await server.put('endpointslices', EMPTY_SLICE);
    await server.put('nodes', NODE);
    writeFileSync(kubeconfig, server.kubeconfig({ token: 'administrator' }));
    client = new ApiClient({
      ...{ credentials: createApiCredentials({ kubeconfig, clock: systemClock }), clock: systemClock },
      ...{ responseTimeout: 30_000, pageTimeout: 60_000, maxPageBytes: 1e8, userAgent: 'test' },
    });
  });

  afterAll(async () => {
    client.close();
    await server.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  test.each(
    [SERVICES, ENDPOINT_SLICES, ownNode('node1'), SERVICE_CIDRS].map((resource) => [resource.kind, resource] as const),
  )('the fake API server encodes %s as the real one, byte by byte', async (kind, { path, apiVersion }) => {
    const { signal } = new AbortController();
    const list = await client.getPage(path, new URLSearchParams(), signal);
    const items = list.items as readonly ApiObject[];
    expect(items.length).toBeGreaterThan(0);
    for (const item of items) {
      expect(normalizedObject(kind, item)).toEqual(item);
    }
    const chunks: Buffer[] = [];
    const query = new URLSearchParams();
    for await (const { bytes, isProtobuf: inProtobuf } of client.streamPage(
      { path, query, protobuf: true },
      signal,
      1e8,
    )) {
      expect(inProtobuf).toBe(true);
      chunks.push(bytes);
    }
    const metadata = list.metadata as Readonly<Record<string, unknown>>;
    const expected = encodeList(
      apiVersion,
      kind,
      metadata,
      items.map((item) => encodeMessage(kind, item)),
    );
    expect(Buffer.concat(chunks).toString('latin1')).toBe(expected.toString('latin1'));
  });

  test('watches and errors are in protobuf, too', async () => {
    const abort = new AbortController();
    const query = new URLSearchParams({ watch: 'true' });
    const response = await client.openWatch({ path: SERVICES.path, query, protobuf: true }, abort.signal);
    expect(isProtobuf(response.headers)).toBe(true);
    response.destroy();
    const invalid = new URLSearchParams({ fieldSelector: 'spec.x=1' });
    for (const protobuf of [true, false]) {
      await expect(
        client.openWatch({ path: SERVICES.path, query: invalid, protobuf }, abort.signal),
      ).rejects.toMatchObject({
        status: 400,
        reason: 'BadRequest',
        message: expect.stringContaining('field label not supported: spec.x'),
      });
    }
  });

  test.each(['few', 'all'] as const)(
    'a source has the same of both, also after changes (watchList: %s)',
    async (watchList) => {
      const handlers = { auto: new RecordingHandler(), json: new RecordingHandler() };
      const encodings = ['auto', 'json'] as const;
      const sources = encodings.map((encoding) => new KubernetesSource({ kubeconfig, encoding, watchList }));
      const seen = ({ services, slices, node, cidrs }: RecordingHandler) => ({
        services: Object.fromEntries(services),
        slices: Object.fromEntries(slices),
        node,
        cidrs,
      });
      const expectSame = () => expect(seen(handlers.auto)).toEqual(seen(handlers.json));
      const both = (what: string, holds: (handler: RecordingHandler) => boolean) =>
        until(() => encodings.every((encoding) => holds(handlers[encoding])), what, TIMEOUT);
      try {
        await Promise.all(
          sources.map((source, index) => source.start(handlers[encodings[index] ?? 'auto'], { nodeName: 'node1' })),
        );
        await both(
          'synced',
          ({ servicesSynced, endpointsSynced, cidrs }) => servicesSynced + endpointsSynced === 2 && cidrs !== undefined,
        );
        expectSame();
        expect(handlers.auto.services.get('default/full')?.spec?.sessionAffinityConfig).toEqual({
          clientIP: { timeoutSeconds: 60 },
        });
        expect(handlers.auto.slices.get('default/empty')?.endpoints).toBeNull();
        const name = `changed-${watchList}`;
        await server.put('services', { ...FULL_SERVICE, metadata: { name, namespace: 'default' } });
        await both('an added Service', ({ services }) => services.has(`default/${name}`));
        expectSame();
        await server.delete('services', name, 'default');
        await server.put('endpointslices', { ...FULL_SLICE, endpoints: [{ addresses: ['10.244.0.9'] }] });
        await both('a removed Service', ({ services }) => !services.has(`default/${name}`));
        await both('a changed slice', ({ slices }) => slices.get('default/full')?.endpoints?.length === 1);
        expectSame();
        // The versions of the watches expire.
        await server.compact();
        await server.stopServer();
        await server.startServer();
        await server.put('services', { metadata: { name, namespace: 'default' }, spec: { ports: [{ port: 81 }] } });
        await both('a Service after the restart', ({ services }) => services.has(`default/${name}`));
        await server.put('endpointslices', FULL_SLICE);
        await both('the slice as before', ({ slices }) => slices.get('default/full')?.endpoints?.length === 2);
        expectSame();
        expect(handlers.auto.violations).toEqual([]);
      } finally {
        await Promise.all(sources.map((source) => source.stop()));
      }
    },
  );
});
