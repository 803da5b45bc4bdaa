import { expect, test } from '@jest/globals';
import { assertNever } from './assert-never.js';

test('a variant of another version is an error that names it', () => {
  expect(() => assertNever({ kind: 'later\n' } as never)).toThrow(
    expect.objectContaining({
      code: 'UNKNOWN_VARIANT',
      message: expect.stringContaining('{"kind":"later\\n"} is not known here'),
    }),
  );
});
