import { expect, test } from '@jest/globals';
import { findTool } from '../process/find-tool.js';
import { withNamespace } from '../process/network-namespace.js';
import { supportsIPv6 } from './supports-ipv6.js';

test('IPv6 is supported until it is disabled', async () => {
  await withNamespace(async ({ files }) => {
    expect(await supportsIPv6(files)).toBe(true);
    await files.write('/proc/sys/net/ipv6/conf/all/disable_ipv6', '1');
    expect(await supportsIPv6(files)).toBe(false);
  });
});

test('a tool is found, also outside PATH', async () => {
  expect(await findTool('ip')).toMatch(/^\/.*\/ip$/);
  expect(await findTool('no-such-tool')).toBeUndefined();
});
