import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type ServicePortView, silentLogger } from '@kube-proxier/core';
import { ManifestSource } from '@kube-proxier/source-manifests';
import { parse } from 'yaml';
import { runCommand } from '../agent.js';
import type { ServicePortList } from './get.js';

const CREATED = new Date(Date.now() - 3 * 24 * 60 * 60 * 1000).toISOString();
const MANIFESTS = `
apiVersion: v1
kind: Service
metadata: {name: checkout, namespace: shop, creationTimestamp: "${CREATED}"}
spec:
  type: LoadBalancer
  clusterIP: 10.96.0.10
  clusterIPs: [10.96.0.10, fd00:10:96::10]
  ipFamilies: [IPv4, IPv6]
  externalTrafficPolicy: Local
  sessionAffinity: ClientIP
  ports: [{name: http, port: 80, nodePort: 30080}]
status: {loadBalancer: {ingress: [{ip: 198.51.100.9}]}}
---
apiVersion: v1
kind: Service
metadata: {name: dns, namespace: kube-system}
spec:
  clusterIP: 10.96.0.53
  ports: [{name: dns, port: 53, protocol: UDP}, {name: metrics, port: 9153}]
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: checkout-1, namespace: shop, labels: {kubernetes.io/service-name: checkout}}
addressType: IPv4
ports: [{name: http, port: 8080}]
endpoints:
- {addresses: [10.244.0.5], nodeName: node1}
- {addresses: [10.244.7.5], nodeName: node2}
- {addresses: [10.244.7.6], nodeName: node2, conditions: {ready: false}}
---
apiVersion: v1
kind: Node
metadata: {name: node1}
status: {addresses: [{type: InternalIP, address: 192.168.0.2}]}
`;

describe('kube-proxier get', () => {
  let directory = '';
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'get-'));
    writeFileSync(join(directory, 'objects.yaml'), MANIFESTS);
  });
  afterAll(() => rmSync(directory, { recursive: true }));

  async function run(...args: string[]) {
    const written = { out: '', err: '' };
    const status = await runCommand(
      ['get', ...args, '--manifests', directory, '--hostname-override=node1', '--cluster-cidr=10.244.0.0/16'],
      {
        composition: {
          backends: [],
          sources: ({ manifests }, logger) =>
            manifests.map((path) => new ManifestSource({ path, logger, watch: false })),
        },
        print: (text) => {
          written.out += text;
        },
        printError: (text) => {
          written.err += text;
        },
        createLogger: () => silentLogger,
        signal: new AbortController().signal,
      },
    );
    return { status, ...written };
  }

  test('services of a namespace, as kubectl prints them', async () => {
    expect(await run('services', '-n', 'shop')).toEqual({
      status: 0,
      err: '',
      out: `\
NAME       CLUSTER-IP                  EXTERNAL-IP    PORT(S)        ENDPOINTS   AGE
checkout   10.96.0.10,fd00:10:96::10   198.51.100.9   80:30080/TCP   2/3         3d
`,
    });
  });

  test('services of all namespaces, wide', async () => {
    const { out } = await run('svc', '-A', '-o', 'wide');
    expect(out).toBe(`\
NAMESPACE     NAME       CLUSTER-IP                  EXTERNAL-IP    PORT(S)           ENDPOINTS   AGE         INTERNAL   EXTERNAL   AFFINITY          TOPOLOGY
kube-system   dns        10.96.0.53                  <none>         53/UDP,9153/TCP   0/0         <unknown>   Cluster    Cluster    <none>            <none>
shop          checkout   10.96.0.10,fd00:10:96::10   198.51.100.9   80:30080/TCP      2/3         3d          Cluster    Local      ClientIP 10800s   <none>
`);
  });

  test('endpoints, with the reason why one is not used', async () => {
    const { out } = await run('endpoints', 'shop/checkout');
    expect(out).toBe(`\
SERVICE    PORT       ENDPOINT          USED   REASON
checkout   http/TCP   10.244.0.5:8080   yes    ready
checkout   http/TCP   10.244.7.5:8080   yes    ready
checkout   http/TCP   10.244.7.6:8080   no     not ready, and 2 ready ones exist
`);
  });

  test('frontends: an external address with policy Local forwards to endpoints of this node only', async () => {
    const { out } = await run('frontends', 'checkout', '-n=shop');
    expect(out).toBe(`\
SERVICE    ADDRESS               PROTOCOL   KIND             ACTION
checkout   10.96.0.10:80         TCP        ClusterIP        forward to 2 endpoints
checkout   198.51.100.9:80       TCP        LoadBalancerIP   forward to 1 local endpoint
checkout   <node>:30080          TCP        NodePort         forward to 1 local endpoint
checkout   [fd00:10:96::10]:80   TCP        ClusterIP        reject
checkout   <node>:30080          TCP        NodePort         reject
`);
  });

  test('JSON and YAML contain the same list, with the unused endpoint', async () => {
    const list = JSON.parse((await run('services', '-A', '-o', 'json')).out) as ServicePortList;
    expect(parse((await run('services', '-A', '-o', 'yaml')).out)).toEqual(list);
    expect(list).toMatchObject({ apiVersion: 'kube-proxier.io/v1alpha1', kind: 'ServicePortList' });
    expect(list.items.flatMap(({ endpoints }) => endpoints.filter(({ used }) => !used))).toEqual([
      expect.objectContaining({ address: '10.244.7.6', ready: false, reason: 'not ready, and 2 ready ones exist' }),
    ]);
  });

  test.each([
    ['names after the resource', ['services', 'kube-system/dns', 'shop/checkout']],
    ['resource and name in one word', ['svc/kube-system/dns', 'service/shop/checkout']],
  ])('several Services: %s', async (_name, operands) => {
    expect(await run(...operands, '-o', 'name')).toEqual({
      status: 0,
      err: '',
      out: 'service/dns\nservice/checkout\n',
    });
  });

  test('a resource and a name in one argument, as in kubectl', async () => {
    expect(await run('svc/checkout', '-n', 'shop')).toEqual(await run('services', 'checkout', '-n', 'shop'));
  });

  test('of several Services, existing ones are printed, and missing ones reported', async () => {
    const { status, out, err } = await run('svc/checkout', 'svc/missing', '-n', 'shop');
    expect([status, err]).toEqual([1, 'kube-proxier: Service "missing" not found in namespace shop\n']);
    expect(out).toMatch(/^NAME .*\ncheckout .*\n$/);
  });

  test('the default namespace is "default", and an empty result is not an error', async () => {
    expect(await run('services')).toEqual({ status: 0, out: '', err: 'No services found in namespace default.\n' });
  });

  test.each([
    [
      ['svc/missing', 'svc/gone', '-n', 'shop'],
      /: Service "missing" not found in namespace shop; Service "gone" not found/,
    ],
    [['svc/checkout', 'gone', '-n', 'shop'], /"gone" is not a name of services: write all names as svc\/<name>, or/],
    [['svc/'], /"svc\/" is not a name of services/],
    [['endpoints', '-A', '-o', 'name'], /-o name prints names of Services: use kube-proxier get services/],
    [['services', 'missing', '-n', 'shop'], /Service "missing" not found in namespace shop/],
    [['services', 'shop/missing'], /Service "shop\/missing" not found\n/],
    [['srevices'], /unknown resource "srevices"; did you mean services\?/],
    [['pods'], /unknown resource "pods"; use one of services, endpoints, frontends/],
    [[], /get needs at least one argument, as in: kube-proxier get services -A/],
  ])('%j reports the error with status 1', async (args, message) => {
    const { status, out, err } = await run(...args);
    expect(err).toMatch(message);
    expect([status, out]).toEqual([1, '']);
  });
});

const VIEW: ServicePortView = {
  ...{ namespace: 'shop', name: 'checkout', portName: '', protocol: 'TCP', family: 'IPv4', clusterIP: '10.96.0.10' },
  ...{ port: 80, nodePort: null, externalIPs: [], loadBalancerIPs: [], affinitySeconds: null, topology: 'none' },
  ...{ internalTrafficPolicy: 'Cluster', externalTrafficPolicy: 'Cluster', createdAt: 0, frontends: [], endpoints: [] },
};

describe('counters that the agent has not read recently', () => {
  /** An agent that has read them at its third answer, or never. */
  async function agent(readsAt: number) {
    const paths: string[] = [];
    const server = createServer((request, response) => {
      paths.push(request.url ?? '');
      const isRead = paths.length >= readsAt;
      response.end(
        JSON.stringify({
          ...{ mode: 'nftables', families: ['IPv4'] },
          ...(isRead ? {} : { readingCounts: true }),
          servicePorts: [{ ...VIEW, connections: isRead ? 1600 : 9 }],
        }),
      );
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const run = async (...args: string[]) => {
      let out = '';
      const status = await runCommand(['get', 'services', ...args, `--metrics-bind-address=127.0.0.1:${port}`], {
        composition: { backends: [], sources: () => [] },
        print: (text) => {
          out += text;
        },
        printError: () => {},
        createLogger: () => silentLogger,
        signal: new AbortController().signal,
      });
      expect(status).toBe(0);
      return out;
    };
    return { paths, run, stop: () => server.close() };
  }

  test('are requested again until they are read, if they are shown', async () => {
    for (const output of ['wide', 'json', 'yaml']) {
      const { paths, run, stop } = await agent(3);
      expect(await run('-o', output)).toContain('1600');
      expect(paths).toHaveLength(3);
      stop();
    }
    const plain = await agent(3);
    await plain.run();
    expect(plain.paths).toHaveLength(1);
    plain.stop();
  });

  test('are shown with the last values after 2 s, if the kernel does not answer', async () => {
    const { paths, run, stop } = await agent(Number.POSITIVE_INFINITY);
    expect(await run('-o', 'wide')).toMatch(/ 9\n$/);
    expect(paths).toHaveLength(5);
    stop();
  });
});
