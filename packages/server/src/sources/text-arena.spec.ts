import { getHeapStatistics } from 'node:v8';
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

test('does not count as memory of V8, which would collect garbage for it', () => {
  const { external_memory: before } = getHeapStatistics();
  const arena = new TextArena();
  const text = 'x'.repeat(300_000);
  for (let index = 0; index < 64; index += 1) {
    arena.add(text);
  }
  const { external_memory: after } = getHeapStatistics();
  expect(after - before).toBeLessThan(4 * 1024 * 1024);
  expect(arena.get(0)).toBe(text);
});
