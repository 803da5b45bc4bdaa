import { describe, expect, test } from '@jest/globals';
import { flatText } from './flat-text.js';

describe('a flat string', () => {
  test.each([
    [[''], ''],
    [['a'], 'a'],
    [['team', '/', 'web'], 'team/web'],
    [['', '', ''], ''],
    [['é', '👍'], 'é👍'],
    [['👍'], '👍'],
    [[JSON.stringify({ text: 'é'.repeat(200) })], `{"text":"${'é'.repeat(200)}"}`],
  ])('of %j is the same text', (parts, text) => {
    expect(flatText(...parts)).toBe(text);
  });
});
