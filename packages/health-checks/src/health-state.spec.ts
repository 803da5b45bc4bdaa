import { describe, expect, test } from '@jest/globals';
import { type HealthState, nextHealth, UNCHECKED } from './health-state.js';

const thresholds = { rise: 2, fall: 3 };

/** The verdicts after each of some results: `+` passed, `-` failed. */
function verdicts(results: string, from: HealthState = UNCHECKED): string {
  let state = from;
  return [...results]
    .map((result, index) => {
      state = nextHealth(state, result === '+' ? undefined : 'connection refused', thresholds, index);
      return { up: 'U', down: 'D', unknown: '?' }[state.verdict];
    })
    .join('');
}

describe('nextHealth', () => {
  test.each([
    ['+', 'U', 'the first result decides at once'],
    ['-', 'D', 'the first result decides at once'],
    ['+--+--+', 'UUUUUUU', 'fewer failures than fall in a row change nothing'],
    ['+---', 'UUUD', 'fall failures in a row'],
    ['-+-+-', 'DDDDD', 'fewer passes than rise in a row change nothing'],
    ['-++', 'DDU', 'rise passes in a row'],
    ['+---++---', 'UUUDDUUUD', 'and again'],
  ])('%s gives %s: %s', (results, expected) => {
    expect(verdicts(results)).toBe(expected);
  });

  test('an inherited verdict is in force until the first result, which decides', () => {
    const up = nextHealth(UNCHECKED, undefined, thresholds, 0);
    expect(verdicts('-', { ...up, isFresh: true })).toBe('D');
    expect(verdicts('-', up)).toBe('U');
  });

  test('a run has its length, its beginning and its reason', () => {
    let state = nextHealth(UNCHECKED, undefined, thresholds, 10);
    state = nextHealth(state, 'HTTP status 503', thresholds, 20);
    state = nextHealth(state, 'connection refused', thresholds, 30);
    expect(state).toEqual({
      ...{ verdict: 'up', isFresh: false, passed: false },
      ...{ run: 2, since: 20, reason: 'connection refused' },
    });
    expect(nextHealth(state, undefined, thresholds, 40)).toMatchObject({ run: 1, since: 40, reason: undefined });
  });
});
