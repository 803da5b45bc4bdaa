import { expect, test } from '@jest/globals';
import { Random } from '@kube-proxier/core/testing';
import { TextArena } from './text-arena.js';

test('returns each text at its position, also those larger than a chunk and those of several bytes for each character', () => {
  const random = new Random(5);
  const arena = new TextArena();
  const texts = new Map<number, string>();
  for (let index = 0; index < 3000; index += 1) {
    const text = `${index} ${random.pick(['a', 'ü', '€', '𝄞'])}`.repeat(
      random.chance(0.005) ? 100_000 : random.below(500),
    );
    texts.set(arena.add(text), text);
  }
  expect(texts.size).toBe(3000);
  for (const [position, text] of texts) {
    expect(arena.get(position)).toBe(text);
    expect(arena.sizeAt(position)).toBe(Buffer.byteLength(text));
  }
});
