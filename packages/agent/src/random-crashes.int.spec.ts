import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { Random, runCount } from '@kube-proxier/core/testing';
import { failuresOf } from '@kube-proxier/network-sandbox';
import { AgentOnNode, NODE_PORT } from './testing/agent-on-node.js';

const MODES = ['nftables', 'iptables'] as const;
/** Lines of the log, in their order; the agent is killed some connection attempts after one of them. */
const MOMENTS = [
  /is starting/,
  /Using proxy mode/,
  /objects? changed/,
  /is running/,
  /Synced family="IPv6"/,
  /Synced family="IPv4"/,
  /(No leftovers of other proxy modes found|Removed what)/,
];
const SETTLED = 'No leftovers of other proxy modes found';
/** Services beside the one with traffic. */
const SERVICES = 50;

describe('an agent that is killed at random moments, and started again in any mode', () => {
  let node: AgentOnNode;

  beforeEach(async () => {
    node = await AgentOnNode.create('nft');
  });

  afterEach(async () => {
    await node.close();
  });

  /** Services that differ with each number, so that each start has something to write. */
  function writeServices(number: number): void {
    const items = Array.from({ length: SERVICES - (number % 10) }, (_, index) => {
      const metadata = { name: `s${index}`, namespace: 'others' };
      const clusterIP = `10.97.0.${index}`;
      const address = `10.244.${number}.${index}`;
      return [
        { apiVersion: 'v1', kind: 'Service', metadata, spec: { clusterIP, ports: [{ port: 80 }] } },
        {
          ...{ apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice', addressType: 'IPv4', ports: [{ port: 8080 }] },
          metadata: { ...metadata, labels: { 'kubernetes.io/service-name': metadata.name } },
          endpoints: [{ addresses: [address] }],
        },
      ];
    });
    writeFileSync(
      join(node.directory, '.others'),
      JSON.stringify({ apiVersion: 'v1', kind: 'List', items: items.flat() }),
    );
    renameSync(join(node.directory, '.others'), join(node.directory, 'others.json'));
  }

  /** All rules and elements, in an order of their own: chains are created in different orders. */
  async function rules(): Promise<readonly string[]> {
    const { exec } = node.sandbox.node;
    const run = async (...command: [string, ...string[]]) => (await exec.call(node.sandbox.node, command)).stdout;
    const ruleset = JSON.parse(await run('nft', '-s', '-j', 'list', 'ruleset')) as { nftables: readonly object[] };
    const objects = ruleset.nftables.map((object) =>
      JSON.stringify(object, (key, value) =>
        key === 'handle'
          ? undefined
          : key === 'elem'
            ? [...value].map((element: unknown) => JSON.stringify(element)).sort()
            : value,
      ),
    );
    // nft lists the rules of iptables with counters.
    const own = objects.filter(
      (object) => object.includes('"table":"kube-proxier"') || !/"(table|rule|chain)":/.test(object),
    );
    const saved = await Promise.all(['iptables-nft-save', 'ip6tables-nft-save'].map((program) => run(program)));
    return [...own, ...saved.flatMap((text) => text.replace(/^#.*$|\[\d+:\d+\]/gm, '').split('\n'))].sort();
  }

  async function settle(mode: string): Promise<void> {
    node.start(mode);
    await node.until(`only ${mode}`, () => node.log.includes(SETTLED));
  }

  test('no connection fails, and the rules are those of a first start', async () => {
    const seed = Number(process.env.KUBE_PROXIER_SEED ?? Date.now() % 1_000_000);
    const random = new Random(seed);
    const told: string[] = [`KUBE_PROXIER_SEED=${seed}`];
    node.write(...node.sandbox.pods.map(({ ipv4 }) => ipv4));
    writeServices(0);
    await settle(random.pick(MODES));
    const client = await node.sandbox.client.startClient({ to: node.sandbox.node.ipv4, port: NODE_PORT }, 10);
    const open = await node.sandbox.client.open({ to: node.sandbox.node.ipv4, port: NODE_PORT });
    for (let round = 1; round <= runCount(3, 60); round++) {
      node.kill();
      writeServices(round);
      const [mode, moment, attempts] = [random.pick(MODES), random.pick(MOMENTS), random.below(20)];
      told.push(`mode ${mode}, killed ${attempts} attempts after ${moment}`);
      node.start(mode);
      await node.until(`${moment}`, () => moment.test(node.log));
      const progress = await client.moreAttempts(attempts);
      expect({ failures: failuresOf(progress), told }).toEqual({ failures: 0, told });
    }
    node.kill();
    const last = random.pick(MODES);
    await settle(last);
    expect((await node.run(['verify'])).stdout).toMatch(/^VERIFIED/);
    expect(await open.send('still there')).toEqual({ kind: 'echoed', text: 'still there' });
    expect({ failures: failuresOf(await client.stop()), told }).toEqual({ failures: 0, told });
    await node.stop();
    const left = await rules();
    await node.cleanUp();
    await settle(last);
    await node.stop();
    expect({ rules: left, told }).toEqual({ rules: await rules(), told });
  }, 600_000);
});
