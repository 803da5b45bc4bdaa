import { expect, test } from '@jest/globals';
import { EndingOwners } from './ending-owners.js';

test('waits for every terminating process, and for no other', async () => {
  const owners = new EndingOwners();
  await owners.allEnded();
  const ends: (() => void)[] = [];
  for (let count = 0; count < 2; count++) {
    owners.add(new Promise<void>((resolve) => ends.push(resolve)));
  }
  let done = false;
  const all = owners.allEnded().then(() => {
    done = true;
  });
  ends[0]?.();
  await new Promise((resolve) => setImmediate(resolve));
  expect(done).toBe(false);
  ends[1]?.();
  await all;
  expect(done).toBe(true);
});
