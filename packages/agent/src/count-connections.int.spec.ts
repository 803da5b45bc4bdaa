import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { casesOf } from '@kube-proxier/core/testing';
import { AgentOnNode } from './testing/agent-on-node.js';

const CLUSTER_IP = { to: '10.96.0.10', port: 80 };

describe('--count-connections', () => {
  let node: AgentOnNode;

  beforeEach(async () => {
    node = await AgentOnNode.create('nft');
  });

  afterEach(async () => {
    await node.close();
  });

  const metrics = async () => (await node.get('http://127.0.0.1:10249/metrics'))?.body ?? '';
  /** Values of a counter, by endpoint or, without one, by Service. */
  const counted = async (of: 'service' | 'endpoint') =>
    Object.fromEntries(
      [...(await metrics()).matchAll(new RegExp(`^kube_proxier_${of}_connections_total\\{(.*)\\} (\\d+)$`, 'gm'))].map(
        ([, labels = '', value]) => [
          new RegExp(of === 'service' ? 'service="(.*?)"' : 'endpoint="(.*?)"').exec(labels)?.[1] ?? '',
          Number(value),
        ],
      ),
    );

  /** Starts the agent with one Service, and waits until it answers. @returns the address of its endpoint. */
  const serve = async (mode: string, flag: string) => {
    const { ipv4 } = node.sandbox.pod(1);
    node.write(ipv4);
    node.start(mode, flag);
    await node.until(
      'the Service answers',
      async () => (await node.sandbox.client.connect(CLUSTER_IP)).kind === 'answered',
    );
    return ipv4;
  };

  test.each(casesOf(['nftables', 'iptables'], ['userspace']))(
    'mode %s: as many connections as were made',
    async (mode) => {
      const ipv4 = await serve(mode, '--count-connections');
      const before = async () => (await counted('service'))['work/web'];
      await node.until('the first connection is counted', async () => ((await before()) ?? 0) > 0);
      const first = (await before()) ?? 0;
      expect((await node.sandbox.client.connectMany(CLUSTER_IP, 20)).answeredBy).toEqual({ pod1: 20 });
      await node.until('all are counted', async () => ((await counted('service'))['work/web'] ?? 0) >= first + 20);
      expect(await counted('service')).toEqual({ 'work/web': first + 20 });
      expect(await counted('endpoint')).toEqual({ [`${ipv4}:8080`]: first + 20 });
      const table = await node.command('kube-proxier get services -n work -o wide');
      expect(table).toMatch(new RegExp(`CONNECTIONS.*\\s+web .* ${first + 20}( +0B +\\S+)?\\s*$`));
      // The Service is removed, and so are its series.
      writeFileSync(join(node.directory, 'web.yaml'), 'apiVersion: v1\nkind: Node\nmetadata: {name: other}\n');
      await node.until('its series are gone', async () => !(await metrics()).includes('service="work/web"'));
      expect(node.log).not.toMatch(/ERROR/);
    },
  );

  test.each(casesOf(['nftables'], ['userspace']))(
    'mode %s, --count-traffic: bytes of the Service and of its endpoint, in both directions',
    async (mode) => {
      await serve(mode, '--count-traffic');
      const payload = 40_000;
      const connection = await node.sandbox.client.open(CLUSTER_IP);
      expect(await connection.send('x'.repeat(payload), 10_000)).toMatchObject({ kind: 'echoed' });
      await connection.close();
      const bytes = async (of: 'service' | 'endpoint') =>
        Object.fromEntries(
          [...(await metrics()).matchAll(new RegExp(`^kube_proxier_${of}_bytes_total\\{(.*)\\} (\\d+)$`, 'gm'))].map(
            ([, labels = '', value]) => [/direction="(.*?)"/.exec(labels)?.[1] ?? '', Number(value)],
          ),
        );
      await node.until('all is counted', async () => ((await bytes('service'))['to-clients'] ?? 0) > payload);
      const transferred = await bytes('endpoint');
      expect(Object.keys(transferred).sort()).toEqual(['to-clients', 'to-endpoints']);
      expect(transferred).toEqual(await bytes('service'));
      for (const value of Object.values(transferred)) {
        expect(value).toBeGreaterThan(payload);
        expect(value).toBeLessThan(payload * 1.5);
      }
      expect((await counted('service'))['work/web']).toBeGreaterThan(0);
      const table = await node.command('kube-proxier get endpoints -n work -o wide');
      expect(table).toMatch(/WEIGHT +CONNECTIONS +TO-ENDPOINTS +TO-CLIENTS/);
      expect(table).toMatch(/ \d\d\.\dKiB +\d\d\.\dKiB /);
      expect(await node.command('kube-proxier verify')).toMatch(/^VERIFIED/m);
      expect(node.log).not.toMatch(/ERROR|WARN.*count/);
    },
  );
});
