import { beforeEach, describe, expect, test } from '@jest/globals';
import type { Slices } from '@kube-proxier/core';
import { settle } from '@kube-proxier/core/testing';
import type { NftChange } from '../nft-watch.js';
import { NftCommits } from './nft-commits.js';
import type { NftForeignTransaction, NftJournalEntries } from './nft-journal.js';
import { NftRulesetFollower } from './nft-ruleset-follower.js';
import { NftTableWatcher } from './nft-table-watcher.js';

const TABLE = '2 ours';

/** A kernel with generations and notifications. */
class FakeRuleset {
  current = 7;
  transport: 'koffi' | 'netlink' = 'koffi';
  isOpen = false;
  missed = false;
  /** Called before the kernel answers with the current generation ID. */
  meanwhile = () => {};
  /** Called before the notifications are read to the end. */
  whileRead = () => {};
  #received: NftForeignTransaction[] = [];

  commit(table: string, program = 'nft'): void {
    this.current += 1;
    if (this.isOpen) {
      this.#received.push({ generation: this.current, pid: 42, program, tables: new Set([table]) });
    }
  }

  async generation(): Promise<number> {
    this.meanwhile();
    return this.current;
  }

  async settledGeneration(): Promise<number> {
    this.missed = false;
    return this.current;
  }

  async open(): Promise<boolean> {
    const isNew = !this.isOpen;
    this.isOpen = true;
    return isNew;
  }

  *readInSlices(): Slices<NftJournalEntries> {
    this.whileRead();
    yield;
    const transactions = this.#received;
    this.#received = [];
    return { transactions, generation: transactions.at(-1)?.generation, missed: this.missed };
  }

  close(): void {
    this.isOpen = false;
    this.#received = [];
  }
}

describe('NftRulesetFollower', () => {
  let ruleset: FakeRuleset;
  let commits: NftCommits;
  let follower: NftRulesetFollower;
  const read = async () => ({ value: ruleset.current, isInterrupted: false });

  beforeEach(() => {
    ruleset = new FakeRuleset();
    commits = new NftCommits();
    follower = new NftRulesetFollower(() => ruleset, ruleset, commits);
  });

  test('marks only the table with a foreign change', async () => {
    const { mark } = await follower.steadily(TABLE, read);
    ruleset.commit('2 theirs');
    await follower.follow();
    expect([mark.changed, follower.generation]).toEqual([undefined, 8]);
    ruleset.commit(TABLE, 'first');
    ruleset.commit(TABLE, 'second');
    await follower.follow();
    expect(mark.changed).toEqual({ pid: 42, program: 'first' });
    expect(follower.generation).toBe(10);
  });

  test('reports changes of other tables to watchers, and not those of instances that share its commits', async () => {
    const other = {};
    const changes: NftChange[] = [];
    const onEnd = () => follower.removeWatcher(watcher);
    const options = { interval: 60_000, look: async () => {}, onEnd };
    const watcher = new NftTableWatcher(TABLE, (change) => changes.push(change), options);
    follower.addWatcher(watcher);
    await follower.follow();
    ruleset.commit('10 ours');
    commits.note(ruleset.current, '10 ours', other);
    ruleset.commit('1 firewalld', 'firewalld');
    // It is in the kernel, and not recorded yet.
    const recorded = commits.begin();
    ruleset.commit('10 ours');
    const following = follower.follow();
    commits.note(ruleset.current, '10 ours', other);
    recorded();
    await following;
    await settle();
    expect(changes).toEqual([{ pid: 42, program: 'firewalld', otherTable: 'firewalld' }]);
    ruleset.commit(TABLE);
    await follower.follow();
    expect(changes.slice(1)).toEqual([{ pid: 42, program: 'nft' }]);
  });

  test('is subscribed while there is a mark or a watcher', async () => {
    const { mark } = await follower.steadily(TABLE, read);
    const onEnd = () => follower.removeWatcher(watcher);
    const watcher = new NftTableWatcher(TABLE, () => {}, { interval: 60_000, look: async () => {}, onEnd });
    follower.addWatcher(watcher);
    follower.release(mark);
    expect(follower.isListening).toBe(true);
    watcher.stop();
    expect(follower.isListening).toBe(false);
  });

  test('retries when the table changed during the read, and fails when it changes each time', async () => {
    let changes = 2;
    ruleset.meanwhile = () => {
      if (changes > 0 && ruleset.isOpen) {
        changes -= 1;
        ruleset.commit(TABLE);
      }
    };
    expect((await follower.steadily(TABLE, read)).value).toBe(9);
    changes = Number.POSITIVE_INFINITY;
    await expect(follower.steadily(TABLE, read)).rejects.toMatchObject({ code: 'NFT_BUSY' });
  });

  test('lost notifications may have changed any table', async () => {
    const { mark } = await follower.steadily(TABLE, read);
    ruleset.missed = true;
    ruleset.current += 3;
    await follower.follow();
    expect(mark.changed).toEqual({ pid: undefined, program: undefined, uncertain: true });
    expect(follower.generation).toBe(10);
  });

  test('changes after the journal was closed while it was read may have changed any table', async () => {
    const { mark } = await follower.steadily(TABLE, read);
    ruleset.whileRead = () => follower.stopListening();
    await follower.follow();
    ruleset.whileRead = () => {};
    expect(mark.changed).toBeUndefined();
    ruleset.commit('2 theirs');
    await follower.follow();
    expect(mark.changed).toEqual({ pid: undefined, program: undefined, uncertain: true });
  });

  test('transactions of this process, also of other instances that share their commits, are not reported as foreign changes', async () => {
    const other = new NftRulesetFollower(() => ruleset, new FakeRuleset(), commits);
    const { mark } = await follower.steadily(TABLE, read);
    follower.stopListening();
    ruleset.current = 9;
    follower.noteOwn(8, TABLE);
    other.noteOwn(9, '2 theirs');
    expect(follower.generation).toBe(8);
    follower.skipKnown();
    expect(follower.generation).toBe(9);
    await follower.follow();
    expect(mark.changed).toBeUndefined();
    // A change of an own table is not skipped.
    follower.stopListening();
    ruleset.current = 10;
    other.noteOwn(10, TABLE);
    follower.skipKnown();
    expect(follower.generation).toBe(9);
    await follower.follow();
    expect(mark.changed).toMatchObject({ uncertain: true });
  });

  test('without notifications, any other generation counts as a change', async () => {
    ruleset.transport = 'netlink';
    const { mark } = await follower.steadily(TABLE, read);
    expect([mark.changed, follower.isListening]).toEqual([undefined, false]);
    ruleset.commit('2 theirs');
    await follower.follow();
    expect(mark.changed).toMatchObject({ uncertain: true });
  });
});
