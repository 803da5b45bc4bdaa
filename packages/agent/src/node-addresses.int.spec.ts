import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { casesOf } from '@kube-proxier/core/testing';
import { AgentOnNode, NODE_PORT } from './testing/agent-on-node.js';

const NEW = '192.168.0.77';
const BY_NETWORK = '--nodeport-addresses=192.168.0.0/24';

/** Modes that need each address of NodePorts. `shows` prints them. */
const MODES = {
  nftables: { flags: [BY_NETWORK], shows: ['nft', 'list', 'ruleset'] },
  iptables: { flags: [BY_NETWORK], shows: ['iptables-nft-save'] },
  userspace: { flags: [BY_NETWORK, '--userspace-redirect=bind'], shows: ['ss', '-Hltn'] },
} as const;

describe.each(casesOf<keyof typeof MODES>(['nftables', 'userspace'], ['iptables']))(
  'mode %s, when the node',
  (mode) => {
    const { flags, shows } = MODES[mode];
    let node: AgentOnNode;

    beforeEach(async () => {
      node = await AgentOnNode.create('nft');
    });

    afterEach(async () => {
      await node.close();
    });

    const isServed = async () => (await node.sandbox.node.exec(shows)).stdout.includes(NEW);
    const address = (verb: string) => node.sandbox.node.exec(['ip', 'address', verb, `${NEW}/24`, 'dev', 'eth0']);
    const looksAtEverything = () => node.log.match(/Synced family="IPv4" full=true/g)?.length;

    test('NodePorts are served on an added address until it is removed, without a full sync', async () => {
      node.write(node.sandbox.pod(1).ipv4);
      node.start(mode, ...flags);
      await node.until('the first sync', () => looksAtEverything() === 1);
      const { client } = node.sandbox;
      for (const round of [1, 2]) {
        await address('add');
        await node.until(`an answer from the new address (${round})`, async () => {
          const outcome = await client.connect({ to: NEW, port: NODE_PORT });
          return outcome.kind === 'answered' && outcome.by === 'pod1';
        });
        expect(await isServed()).toBe(true);
        await address('delete');
        await node.until(`no trace of it (${round})`, async () => !(await isServed()));
      }
      expect(looksAtEverything()).toBe(1);
      expect(node.log).not.toMatch(/ERROR/);
    });
  },
);
