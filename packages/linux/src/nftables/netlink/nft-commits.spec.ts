import { expect, test } from '@jest/globals';
import { NftCommits, nextNftGeneration } from './nft-commits.js';

const [own, other] = [{}, {}];

test('transactions are identified by generation, also after a wraparound', () => {
  expect(nextNftGeneration(0xffff_ffff)).toBe(1);
  expect(new NftCommits().latest).toBe(0);
  const commits = new NftCommits();
  expect(commits.spare('a', own, 7, 7)).toBe(true);
  expect(commits.spare('a', own, 7, 8)).toBe(false);
  commits.note(0xffff_ffff, 'a', own);
  commits.note(1, 'b', other);
  commits.note(2, 'a', own);
  expect(commits.latest).toBe(2);
  expect(commits.spare('a', own, 0xffff_fffe, 2)).toBe(true);
  expect(commits.spare('b', own, 0xffff_fffe, 2)).toBe(false);
  expect(commits.spare('b', other, 0xffff_fffe, 2)).toBe(true);
  expect(commits.spare('a', other, 0xffff_fffe, 2)).toBe(false);
  // An unknown generation in between, and a generation in the future.
  commits.note(4, 'a', own);
  expect(commits.spare('a', own, 0xffff_fffe, 4)).toBe(false);
  expect(commits.spare('a', own, 2, 1)).toBe(false);
});

test('the oldest are evicted', () => {
  const commits = new NftCommits();
  for (let generation = 1; generation <= 2000; generation++) {
    commits.note(generation, 'a', own);
  }
  expect(commits.spare('a', own, 1500, 2000)).toBe(true);
  expect(commits.spare('a', own, 900, 2000)).toBe(false);
});

test('waits until a transaction in flight is recorded, but not for later ones', async () => {
  const commits = new NftCommits();
  await commits.settled();
  const end = commits.begin();
  const events: string[] = [];
  const settled = commits.settled().then(() => events.push('settled'));
  const endOfLater = commits.begin();
  await Promise.resolve();
  commits.note(1, 'a', own);
  events.push('noted');
  end();
  await settled;
  expect(events).toEqual(['noted', 'settled']);
  endOfLater();
  await commits.settled();
});
