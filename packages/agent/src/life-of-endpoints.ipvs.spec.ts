import { afterEach, describe, expect, test } from '@jest/globals';
import { AgentOnNode } from './testing/agent-on-node.js';
import { liveThroughChanges } from './testing/life-of-endpoints.js';

const TIMEOUT = 600_000;

/** As life-of-endpoints.int.spec for the other modes. */
describe('weights, drain, slow start and checks, while a client connects', () => {
  let node: AgentOnNode | undefined;

  afterEach(async () => {
    await node?.close();
  });

  test(
    'mode ipvs: no connection fails, and those that are open stay',
    async () => {
      node = await AgentOnNode.create('legacy');
      const flags = ['--proxy-mode-fallback=none', '--ipvs-min-sync-period=0s'];
      const { attempts, failures, echoes } = await liveThroughChanges(node, 'ipvs', ...flags);
      expect(node.log).toContain('is not used: connection refused');
      expect(node.log).toContain('is used again');
      expect(failures).toBe(0);
      expect(attempts).toBeGreaterThan(400);
      expect(echoes).toEqual(Array(36).fill('still there'));
    },
    TIMEOUT,
  );
});
