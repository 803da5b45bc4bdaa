import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Explanation, silentLogger } from '@kube-proxier/core';
import { ManifestSource } from '@kube-proxier/source-manifests';
import { runCommand } from '../agent.js';
import type { AgentEnvironment } from '../agent-environment.js';

const MANIFEST = `
apiVersion: v1
kind: Service
metadata: {name: web, namespace: work}
spec:
  type: LoadBalancer
  clusterIP: 10.96.0.10
  externalTrafficPolicy: Local
  healthCheckNodePort: 32000
  loadBalancerSourceRanges: [203.0.113.0/25]
  ports: [{port: 80, nodePort: 30080}]
status: {loadBalancer: {ingress: [{ip: 198.51.100.9}]}}
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: web-1, namespace: work, labels: {kubernetes.io/service-name: web}}
addressType: IPv4
ports: [{port: 8080}]
endpoints:
- {addresses: [10.244.7.5], nodeName: node2, targetRef: {kind: Pod, name: web-5c8d-x7}}
- {addresses: [10.244.0.6], nodeName: node1, targetRef: {kind: Pod, name: web-5c8d-a1}, conditions: {ready: false}}
---
apiVersion: v1
kind: Node
metadata: {name: node1}
status: {addresses: [{type: InternalIP, address: 192.168.0.2}]}
`;

describe('kube-proxier explain', () => {
  let directory = '';
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'explain-'));
    writeFileSync(join(directory, 'web.yaml'), MANIFEST);
  });
  afterAll(() => {
    rmSync(directory, { recursive: true });
  });

  async function run(...args: string[]) {
    let out = '';
    let err = '';
    const environment: AgentEnvironment = {
      composition: {
        backends: [],
        sources: ({ manifests }, logger) => manifests.map((path) => new ManifestSource({ path, logger, watch: false })),
      },
      print: (text) => {
        out += text;
      },
      printError: (text) => {
        err += text;
      },
      createLogger: () => silentLogger,
      signal: new AbortController().signal,
    };
    const status = await runCommand(['explain', ...args], environment);
    return { status, out, err };
  }
  const offline = () => ['--manifests', directory, '--hostname-override=node1', '--cluster-cidr=10.244.0.0/16'];

  test('a cluster IP: destination, source address, and why each endpoint is or is not used', async () => {
    const { status, out } = await run('10.244.0.9', '10.96.0.10:80', ...offline());
    expect(status).toBe(0);
    expect(out).toContain('10.244.0.9 -> 10.96.0.10:80/TCP: forwarded to 10.244.7.5:8080 (source kept)');
    expect(out).toContain('is the cluster IP of Service work/web');
    expect(out).toMatch(/- 10\.244\.0\.6:8080 +web-5c8d-a1 +not used: not ready, and 1 ready one exists/);
    expect(out).toMatch(/\+ 10\.244\.7\.5:8080 +web-5c8d-x7 +used: ready/);
  });

  test('a NodePort with policy Local and no local endpoint', async () => {
    const { out } = await run('203.0.113.2', '192.168.0.2:30080', ...offline());
    expect(out).toContain('dropped');
    expect(out).toContain('externalTrafficPolicy is Local, and no endpoint on this node (node1) can answer');
    expect(out).toMatch(/10\.244\.7\.5:8080 +web-5c8d-x7 +not used: on node node2/);
  });

  test('a source outside the allowed ranges', async () => {
    const { out } = await run('203.0.113.200', '198.51.100.9:80/tcp', ...offline());
    expect(out).toContain('203.0.113.200 is not among them: dropped');
  });

  test('JSON contains the same', async () => {
    const { out } = await run('10.244.0.9', '10.96.0.10:80', '-o', 'json', ...offline());
    expect(JSON.parse(out) as Explanation).toMatchObject({
      servicePort: 'work/web',
      outcome: { kind: 'forwarded', choices: [{ masqueraded: false, probability: 1 }] },
    });
  });

  test('a pod and a Service by name', async () => {
    const { status, out, err } = await run('pod/web-5c8d-a1', 'svc/web:80', '-n', 'work', ...offline());
    expect([status, err]).toEqual([0, '']);
    expect(out).toContain(
      'pod work/web-5c8d-a1 (10.244.0.6) -> 10.96.0.10:80/TCP: forwarded to 10.244.7.5:8080 (source kept)',
    );
  });

  test('a pod of another node: its own node handles its packets to cluster IPs, which the answer mentions', async () => {
    const { out } = await run('pod/work/web-5c8d-x7', 'svc/work/web', ...offline());
    expect(out).toContain(
      'Note: pod work/web-5c8d-x7 runs on node node2: its packets to cluster IPs are handled there.',
    );
  });

  test('the node and an external client, by the addresses that each uses', async () => {
    expect((await run('node', 'svc/work/web', ...offline())).out).toContain(
      'this node (192.168.0.2) -> 10.96.0.10:80/TCP',
    );
    const { out } = await run('external', 'svc/work/web', '--via', 'node-port', ...offline());
    expect(out).toContain('client outside the cluster (203.0.113.1) -> 192.168.0.2:30080/TCP: dropped');
  });

  test('a Service without a source: every kind of client, by frontend', async () => {
    const { out, err } = await run('svc/work/web', ...offline());
    expect(err).toBe('');
    expect(out).toBe(`\
Service work/web (TCP)
TO                               FROM                         RESULT       SOURCE
ClusterIP 10.96.0.10:80          pod on this node             1 endpoint   kept
ClusterIP 10.96.0.10:80          this node                    1 endpoint   masqueraded
ClusterIP 10.96.0.10:80          client outside the cluster   1 endpoint   masqueraded
LoadBalancerIP 198.51.100.9:80   pod on this node             dropped      -
LoadBalancerIP 198.51.100.9:80   pod on another node          dropped      -
LoadBalancerIP 198.51.100.9:80   this node                    dropped      -
LoadBalancerIP 198.51.100.9:80   client in 203.0.113.0/25     dropped      -
LoadBalancerIP 198.51.100.9:80   client outside the cluster   dropped      -
NodePort 192.168.0.2:30080       pod on this node             1 endpoint   kept
NodePort 192.168.0.2:30080       pod on another node          1 endpoint   kept
NodePort 192.168.0.2:30080       this node                    1 endpoint   masqueraded
NodePort 192.168.0.2:30080       client outside the cluster   dropped      -
`);
    expect((await run('svc/work/web', '-o', 'wide', ...offline())).out).toMatch(
      /Why:\n.* is the cluster IP of Service work\/web/,
    );
  });

  test('JSON of a question with names is a list', async () => {
    const { out } = await run('outside', 'svc/work/web', '--via=load-balancer', '-o', 'json', ...offline());
    expect(JSON.parse(out)).toMatchObject({
      apiVersion: 'kube-proxier.io/v1alpha1',
      kind: 'ExplanationList',
      notes: [],
      items: [
        {
          client: { kind: 'outside', name: 'client in 203.0.113.0/25', address: '203.0.113.1' },
          via: 'LoadBalancerIP',
          explanation: { servicePort: 'work/web', outcome: { kind: 'dropped' } },
        },
        { client: { name: 'client outside the cluster', address: '198.51.100.1' } },
      ],
    });
  });

  test.each([
    [['x', '10.96.0.10:80'], 'source "x" is not an IP address'],
    [['10.0.0.1', '10.96.0.10'], 'must be an IP address and a port'],
    [['10.0.0.1', '10.96.0.10:99999'], 'port 99999 is not a port'],
    [['10.0.0.1', '10.96.0.10:80/icmp'], 'is not one of tcp, udp, sctp'],
    [['10.0.0.1', '[fd00::1]:80'], 'of different IP families'],
    [['10.0.0.1'], 'destination "10.0.0.1" must be an IP address and a port'],
    [['10.0.0.1:80'], 'the destination 10.0.0.1:80 needs a source'],
    [[], 'explain needs one to two arguments'],
    [['pod/web-5c8d-x8', 'svc/web', '-n', 'work'], 'did you mean pod/web-5c8d-x7?'],
    [['pod/web-5c8d-x7', 'svc/web'], 'did you mean pod/work/web-5c8d-x7?'],
    [['node', 'svc/web'], 'did you mean svc/work/web?'],
    [['svc/wab', '-n', 'work'], 'Service "wab" not found in namespace work; did you mean svc/web?'],
    [['svc/web:81', '-n', 'work'], 'Service work/web has no port 81; it has 80/TCP'],
    [['svc/work/web/udp'], 'Service work/web has no port /UDP; it has 80/TCP'],
    [
      ['node', 'svc/work/web', '--via=tunnel'],
      '"tunnel" must be one of cluster-ip, external-ip, load-balancer, node-port',
    ],
    [['node', 'svc/work/web', '--via=external-ip'], 'has ClusterIP, LoadBalancerIP, NodePort'],
    [['outside', '10.96.0.10:80', '--via=node-port'], '--via needs a Service as the destination'],
    [['pods/web', 'svc/work/web'], 'no endpoint of a Service is pod "web" in namespace default'],
    [['10.0.0.1', '10.0.0.2:80', '--output=xml'], '"xml" must be text, json, yaml or wide'],
  ])('%j reports the problem', async (args, message) => {
    const { status, out, err } = await run(...args, ...offline());
    expect([status, out]).toEqual([1, '']);
    expect(err).toContain(message);
  });

  test('without manifests and without an agent the error names a remedy', async () => {
    const { status, err } = await run('10.0.0.1', '10.96.0.10:80', '--metrics-bind-address=127.0.0.1:1');
    expect(status).toBe(1);
    expect(err).toMatch(/no agent answers at 127\.0\.0\.1:1 .*set --manifests/);
  });
});
