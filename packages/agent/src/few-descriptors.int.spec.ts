import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { AgentOnNode } from './testing/agent-on-node.js';

const LIMIT = 512;
const SERVICES = 700;

const serviceText = (index: number) => `---
apiVersion: v1
kind: Service
metadata: {name: web-${index}, namespace: many}
spec:
  type: LoadBalancer
  clusterIP: 10.97.${Math.floor(index / 200)}.${(index % 200) + 1}
  externalTrafficPolicy: Local
  healthCheckNodePort: ${20_000 + index}
  ports: [{port: 80, nodePort: ${32_000 - index}}]
`;

/** Connections that stay idle; prints a line when all were tried. */
const IDLE = `
const { connect } = require('node:net');
const [address, port, many] = process.argv.slice(1);
let left = Number(many);
const done = () => { left -= 1; if (left === 0) console.log('idle'); };
for (let index = 0; index < Number(many); index++) {
  connect(Number(port), address, done).on('error', done);
}
`;

describe(`${SERVICES} Services with a health check node port, and ${LIMIT} descriptors`, () => {
  let node: AgentOnNode;

  beforeAll(async () => {
    node = await AgentOnNode.create('nft');
    node.wrapper = ['prlimit', `--nofile=${LIMIT}:${LIMIT}`];
    node.write();
    writeFileSync(
      join(node.directory, 'many.yaml'),
      Array.from({ length: SERVICES }, (_, i) => serviceText(i)).join(''),
    );
    node.start('nftables');
    await node.until('first sync', () => node.log.includes('First sync'));
  });
  afterAll(() => node?.close());

  test('the agent is healthy, and reports closed ports', async () => {
    await node.until('the shortage is in the log', () =>
      /ERROR The health check node ports of \d+ Services are not open.*: many\/web-\d+, .* and \d+ more; raise the limit of open files/.test(
        node.log,
      ),
    );
    expect((await node.get('http://127.0.0.1:10256/healthz'))?.status).toBe(200);
    const outcome = await node.run(['status']);
    expect(outcome.stdout).toMatch(/^DEGRADED/);
    expect(outcome.stdout).toMatch(/the health check node ports of \d+ Services are not open/);
  });

  test('idle connections to open ports do not block /livez, /metrics and changes', async () => {
    const { sandbox } = node;
    const idle = Array.from({ length: 8 }, (_, index) =>
      sandbox.client.spawn([process.execPath, '-e', IDLE, sandbox.node.ipv4, `${20_000 + index}`, '50']),
    );
    await Promise.all(idle.map((child) => new Promise((resolve) => child.stdout?.once('data', resolve))));
    for (const url of ['http://127.0.0.1:10256/livez', 'http://127.0.0.1:10249/metrics']) {
      expect((await node.get(url))?.status).toBe(200);
    }
    node.write(...sandbox.pods.map(({ ipv4 }) => ipv4));
    await node.until('traffic passes', async () => {
      const outcome = await sandbox.client.connect({ to: sandbox.node.ipv4, port: 31_269 });
      return outcome.kind === 'answered';
    });
    expect(node.log).not.toMatch(/EMFILE|too many open files|could not accept/);
  });
});
