import { describe, expect, test } from '@jest/globals';
import { Random } from '../testing/random.js';
import { listDifference } from './list-difference.js';

/** The new list, made from the old one and the changes alone. */
function applied(before: readonly string[], changes: ReturnType<typeof listDifference>): readonly string[] {
  const removed = new Set(changes.filter(({ action }) => action === 'remove').map(({ position }) => position));
  const list = before.filter((_text, index) => !removed.has(index + 1));
  for (const { action, position, text } of changes) {
    if (action === 'add') {
      list.splice(position - 1, 0, text);
    }
  }
  return list;
}

describe('listDifference', () => {
  test.each([
    [['a', 'b', 'c'], ['a', 'c'], ['-b@2']],
    [['a', 'c'], ['a', 'b', 'c'], ['+b@2']],
    [
      ['a', 'b'],
      ['b', 'a'],
      ['-a@1', '+a@2'],
    ],
    [[], ['a'], ['+a@1']],
    [['a'], [], ['-a@1']],
    [['a', 'a'], ['a'], ['-a@2']],
    [
      ['a', 'x', 'c'],
      ['a', 'y', 'c'],
      ['-x@2', '+y@2'],
    ],
    [['a'], ['a'], []],
  ])('%j to %j', (before, after, expected) => {
    const text = listDifference(before, after).map(
      (change) => `${change.action === 'add' ? '+' : '-'}${change.text}@${change.position}`,
    );
    expect(text).toEqual(expected);
  });

  test('2000 random lists: the changes lead to the new list, exactly', () => {
    const random = new Random(7);
    for (let run = 0; run < 2000; run++) {
      const list = () => Array.from({ length: random.below(12) }, () => random.pick(['a', 'b', 'c', 'd', 'e']));
      const [before, after] = [list(), list()];
      expect(applied(before, listDifference(before, after))).toEqual(after);
    }
  });

  test('long lists that differ everywhere', () => {
    const [before, after] = ['x', 'y'].map((name) => Array.from({ length: 3000 }, (_, index) => `${name}${index}`));
    expect(applied(before ?? [], listDifference(before ?? [], after ?? []))).toEqual(after);
  });
});
