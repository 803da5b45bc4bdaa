import { expect, test } from '@jest/globals';
import { silentLogger } from '@kube-proxier/core';
import { VirtualClock } from '@kube-proxier/core/testing';
import { DirectoryWatcher } from './directory-watcher.js';

/** A watcher of a directory whose watches are counted. */
function setUp() {
  const clock = new VirtualClock();
  const warnings: string[] = [];
  const state = { open: 0, opened: 0, changes: 0, refuse: undefined as Error | undefined };
  let change = () => {};
  let fail: (error: unknown) => void = () => {};
  const watcher = new DirectoryWatcher({
    description: 'manifests in /m',
    pollInterval: 5000,
    clock,
    logger: { ...silentLogger, warn: (message) => void warnings.push(message) },
    onChange: () => {
      state.changes += 1;
    },
    watch: (_path, onChange, onError) => {
      if (state.refuse) {
        throw state.refuse;
      }
      state.open += 1;
      state.opened += 1;
      change = onChange;
      fail = onError;
      return {
        close: () => {
          state.open -= 1;
        },
      };
    },
  });
  const follow = (watchedStamp: string) => watcher.follow({ watched: '/m', watchedStamp, files: new Map() });
  return { clock, warnings, state, watcher, follow, change: () => change(), fail: (error: Error) => fail(error) };
}

test('watches one directory, and its replacement', () => {
  const { state, watcher, follow, change } = setUp();
  expect([follow('1:1'), follow('1:1'), follow('1:2')]).toEqual([true, false, true]);
  expect(state).toMatchObject({ open: 1, opened: 2 });
  change();
  expect(state.changes).toBe(1);
  watcher.close();
  expect(state.open).toBe(0);
  expect(follow('1:2')).toBe(true);
});

test('starts a failed watch again after the poll interval, and reports the failure once', async () => {
  const { clock, warnings, state, follow, change, fail } = setUp();
  follow('1:1');
  fail(new Error('ENOSPC\t'));
  expect(state.open).toBe(0);
  expect(warnings).toEqual([
    'manifests in /m: changes are seen only every 5000 ms, since watching failed: ENOSPC\\u{9}',
  ]);
  expect(follow('1:1')).toBe(false);
  state.refuse = new Error('ENOSPC\t');
  await clock.advance(5000);
  expect(follow('1:1')).toBe(false);
  state.refuse = undefined;
  await clock.advance(5000);
  expect(follow('1:1')).toBe(true);
  expect(warnings).toHaveLength(1);
  change();
  fail(new Error('ENOSPC\t'));
  expect(warnings).toHaveLength(2);
});
