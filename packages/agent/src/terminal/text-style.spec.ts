import { describe, expect, test } from '@jest/globals';
import { textStyleFor } from './text-style.js';

describe('textStyleFor', () => {
  test('a terminal has colours, and the text is complete', () => {
    const style = textStyleFor(true, { TERM: 'xterm-256color' });
    expect(style('bad', 'problem')).toBe('\u001b[31mproblem\u001b[39m');
    expect(style('good', 'ok')).toContain('ok');
  });

  test.each<[string, boolean, Record<string, string>]>([
    ['a pipe', false, { TERM: 'xterm' }],
    ['NO_COLOR', true, { TERM: 'xterm', NO_COLOR: '1' }],
    ['a dumb terminal', true, { TERM: 'dumb' }],
  ])('no colours with %s', (_what, isTerminal, variables) => {
    expect(textStyleFor(isTerminal, variables)('bad', 'problem')).toBe('problem');
  });

  test('an empty NO_COLOR counts as unset', () => {
    expect(textStyleFor(true, { NO_COLOR: '' })('bad', 'problem')).not.toBe('problem');
  });
});
