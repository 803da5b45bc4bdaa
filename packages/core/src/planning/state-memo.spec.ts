import { describe, expect, test } from '@jest/globals';
import type { ProxyState } from '../model/proxy-state.js';
import { StateMemo } from './state-memo.js';

const state = (generation: number) => ({ generation }) as unknown as ProxyState;

describe('StateMemo', () => {
  test('derives a value once for each state', () => {
    let derived = 0;
    const memo = new StateMemo(() => ++derived);
    const [first, second] = [state(1), state(2)];
    expect([memo.of(first), memo.of(first), memo.of(second), memo.of(first)]).toEqual([1, 1, 2, 1]);
  });

  test('advance moves a mutable value, and the previous state gets a fresh one', () => {
    const memo = new StateMemo<string[]>(() => ['derived']);
    const [first, second] = [state(1), state(2)];
    const value = memo.of(first);
    memo.advance(first, second, (list) => {
      list.push('changed');
      return list;
    });
    expect(memo.of(second)).toBe(value);
    expect(memo.of(second)).toEqual(['derived', 'changed']);
    expect(memo.of(first)).toEqual(['derived']);
  });

  test('a failed update leaves no half-changed value', () => {
    const memo = new StateMemo<string[]>(() => ['derived']);
    const [first, second] = [state(1), state(2)];
    expect(() =>
      memo.advance(first, second, (list) => {
        list.push('half');
        throw new Error('planning failed');
      }),
    ).toThrow('planning failed');
    expect([memo.of(first), memo.of(second)]).toEqual([['derived'], ['derived']]);
  });
});
