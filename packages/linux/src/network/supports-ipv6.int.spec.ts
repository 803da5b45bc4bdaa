import { expect, test } from '@jest/globals';
import { findTool } from '../process/find-tool.js';
import { NetworkSandbox } from '../testing/sandbox/network-sandbox.js';
import { supportsIPv6 } from './supports-ipv6.js';

test('IPv6 is supported until it is disabled', async () => {
  const sandbox = await NetworkSandbox.create({ pods: 1, remotePods: 0 });
  try {
    expect(await supportsIPv6(sandbox.node.files)).toBe(true);
    await sandbox.node.files.write('/proc/sys/net/ipv6/conf/all/disable_ipv6', '1');
    expect(await supportsIPv6(sandbox.node.files)).toBe(false);
  } finally {
    await sandbox.close();
  }
});

test('a tool is found, also outside PATH', async () => {
  expect(await findTool('ip')).toMatch(/^\/.*\/ip$/);
  expect(await findTool('no-such-tool')).toBeUndefined();
});
