import { afterEach, describe, expect, test } from '@jest/globals';
import { casesOf } from '@kube-proxier/core/testing';
import { canMakeNamespaces } from '@kube-proxier/linux/testing';
import { AgentOnNode } from './testing/agent-on-node.js';
import { liveThroughChanges } from './testing/life-of-endpoints.js';

const whereAllowed = canMakeNamespaces() ? describe : describe.skip;

whereAllowed('weights, drain, slow start and checks, while a client connects', () => {
  let node: AgentOnNode | undefined;

  afterEach(async () => {
    await node?.close();
    node = undefined;
  });

  test.each(casesOf(['nftables'], ['iptables', 'userspace']))(
    'mode %s: no connection fails, and those that are open stay',
    async (mode) => {
      node = await AgentOnNode.create('nft');
      const { attempts, failures, echoes } = await liveThroughChanges(node, mode);
      expect(failures).toBe(0);
      expect(attempts).toBeGreaterThan(400);
      expect(echoes).toEqual(Array(36).fill('still there'));
    },
  );
});
