import { expect, test } from '@jest/globals';
import { until } from './until.js';

test('resolves once the condition holds, with promises too', async () => {
  let checks = 0;
  await until(async () => {
    checks += 1;
    return checks === 3;
  });
  expect(checks).toBe(3);
});

test('rejects with the description of the condition at the timeout', async () => {
  let state = 'none';
  const waiting = until(
    () => {
      state = 'one';
      return false;
    },
    () => `two, but ${state}`,
    20,
  );
  await expect(waiting).rejects.toThrow('condition not reached within 20 ms: two, but one');
});

test('an error of the condition does not count as "not yet"', async () => {
  const failing = until(() => {
    throw new Error('broken');
  });
  await expect(failing).rejects.toThrow('broken');
});
