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
- {addresses: [10.244.7.5], nodeName: node2}
- {addresses: [10.244.0.6], nodeName: node1, conditions: {ready: false}}
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
    expect(out).toMatch(/- 10\.244\.0\.6:8080 +not used: not ready, and 1 ready one exists/);
    expect(out).toMatch(/\+ 10\.244\.7\.5:8080 +used: ready/);
  });

  test('a NodePort with policy Local and no local endpoint', async () => {
    const { out } = await run('203.0.113.2', '192.168.0.2:30080', ...offline());
    expect(out).toContain('dropped');
    expect(out).toContain('externalTrafficPolicy is Local, and no endpoint on this node (node1) can answer');
    expect(out).toMatch(/10\.244\.7\.5:8080 +not used: on node node2/);
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

  test.each([
    [['x', '10.96.0.10:80'], 'source "x" is not an IP address'],
    [['10.0.0.1', '10.96.0.10'], 'must be an IP address and a port'],
    [['10.0.0.1', '10.96.0.10:99999'], 'port 99999 is not a port'],
    [['10.0.0.1', '10.96.0.10:80/icmp'], 'is not one of tcp, udp, sctp'],
    [['10.0.0.1', '[fd00::1]:80'], 'of different IP families'],
    [['10.0.0.1'], 'explain needs two arguments'],
    [['10.0.0.1', '10.0.0.2:80', '--output=xml'], '"xml" must be text, json, yaml or wide'],
  ])('%j reports the problem', async (args, message) => {
    const { status, out, err } = await run(...args);
    expect([status, out]).toEqual([1, '']);
    expect(err).toContain(message);
  });

  test('without manifests and without an agent the error names a remedy', async () => {
    const { status, err } = await run('10.0.0.1', '10.96.0.10:80', '--metrics-bind-address=127.0.0.1:1');
    expect(status).toBe(1);
    expect(err).toMatch(/no agent answers at 127\.0\.0\.1:1 .*set --manifests/);
  });
});
