import { expect, test } from '@jest/globals';
import { createUserspaceBackend } from './userspace-backend.js';

test('the doctor is told of descriptors, and of who carries what moves much', async () => {
  const found = await createUserspaceBackend({ redirect: 'none' }).diagnose?.();
  expect(found).toEqual([
    expect.objectContaining({
      check: 'open files',
      found: expect.stringMatching(/^room for \d+ connections at once$/),
    }),
    { check: 'connections that move much', status: 'ok', found: 'carried by the kernel (splice)' },
  ]);
});
