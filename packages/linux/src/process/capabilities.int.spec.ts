import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { readU32, u32, writeU32 } from '../netlink/attributes.js';
import { loadLibc } from '../netlink/libc.js';
import { hasNetAdmin, raiseNetAdmin } from './capabilities.js';

test('a permitted CAP_NET_ADMIN becomes effective, and nothing else changes', async () => {
  const libc = await loadLibc();
  const before = readFileSync('/proc/self/status', 'utf8');
  if (!hasNetAdmin(before, 'CapEff')) {
    // Without root, no capability is permitted.
    expect(await raiseNetAdmin()).toBe(false);
    return;
  }
  expect(await raiseNetAdmin()).toBe(false);
  const header = Buffer.concat([u32(0x20080522), u32(0)]);
  const sets = Buffer.alloc(24);
  expect(libc.capget(header, sets)).toBe(0);
  writeU32(sets, (readU32(sets, 0) & ~(1 << 12)) >>> 0, 0);
  expect(libc.capset(header, sets)).toBe(0);
  try {
    expect(hasNetAdmin(readFileSync('/proc/self/status', 'utf8'), 'CapEff')).toBe(false);
  } finally {
    expect(await raiseNetAdmin()).toBe(true);
  }
  const capabilities = (text: string) => text.match(/^Cap\w+:.*$/gm);
  expect(capabilities(readFileSync('/proc/self/status', 'utf8'))).toEqual(capabilities(before));
});
