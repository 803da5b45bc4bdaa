import { describe, expect, test } from '@jest/globals';
import { finish } from '@kube-proxier/core';
import { Random } from '@kube-proxier/core/testing';
import { PackedTextStore } from './packed-text-store.js';

describe('PackedTextStore', () => {
  test.each([[{}], [{ maxEarlySize: Number.POSITIVE_INFINITY }]])(
    'returns the last value after any sequence of changes: %j',
    (options) => {
      const random = new Random(3);
      const store = new PackedTextStore(options);
      const expected = new Map<string, string>();
      for (let step = 0; step < 5000; step += 1) {
        const key = `key ${random.below(1 + step / 10)}`;
        if (random.chance(0.2)) {
          store.delete(key);
          expected.delete(key);
        } else {
          const text = `{"name":"${key}","step":${step},"text":"${'ü€'.repeat(random.below(random.chance(0.01) ? 40_000 : 20))}"}`;
          store.set(key, text);
          expected.set(key, text);
        }
        const asked = `key ${random.below(1 + step / 10)}`;
        expect([store.get(asked), store.has(asked)]).toEqual([expected.get(asked), expected.has(asked)]);
        expect(store.count).toBe(expected.size);
        if (step % 1000 === 0) {
          expect(new Map(store.entries())).toEqual(expected);
        }
        if (step % 1500 === 0) {
          finish(store.packInSlices());
          expect(new Map(store.entries())).toEqual(expected);
        }
      }
      expect(new Map(store.entries())).toEqual(expected);
    },
  );

  test('needs an eighth of the size of similar texts, and nothing for deleted ones', () => {
    const store = new PackedTextStore();
    finish(store.packInSlices());
    const textOf = (index: number, step: number) =>
      JSON.stringify({
        metadata: { name: `service-${index}`, namespace: 'work' },
        addressType: 'IPv4',
        endpoints: Array.from({ length: 10 }, (_, endpoint) => ({
          addresses: [`10.0.${index % 250}.${(endpoint * 7 + step) % 250}`],
          nodeName: `node-${(index + endpoint) % 100}`,
        })),
      });
    for (let step = 0; step < 3; step += 1) {
      let plain = 0;
      for (let index = 0; index < 2000; index += 1) {
        const text = textOf((index * 7) % 2000, step);
        plain += text.length;
        store.set(`${(index * 7) % 2000}`, text);
      }
      expect(store.size).toBeLessThan(plain / 8 + 64 * 1024);
    }
    for (let index = 0; index < 2000; index += 1) {
      store.delete(`${index}`);
    }
    expect(store.size).toBe(0);
  });

  test('compresses at the end of a start, with pauses, and before only what exceeds some megabytes', () => {
    const store = new PackedTextStore();
    const text = 'a text of which there are many, such as the JSON of an object, '.repeat(8);
    for (let index = 0; index < 5000; index += 1) {
      store.set(`${index}`, `${text}${index}`);
    }
    expect(store.size).toBeGreaterThan(5000 * text.length);
    for (let index = 5000; index < 50_000; index += 1) {
      store.set(`${index}`, `${text}${index}`);
    }
    expect(store.size).toBeLessThan(8 * 1024 * 1024);
    const pauses = [...store.packInSlices()].length;
    expect(pauses).toBeGreaterThan(400);
    expect(store.size).toBeLessThan((50_000 * text.length) / 8);
    expect(store.get('4999')).toBe(`${text}4999`);
    const uncompressed = new PackedTextStore({ maxEarlySize: Number.POSITIVE_INFINITY });
    for (let index = 0; index < 20_000; index += 1) {
      uncompressed.set(`${index}`, `${text}${index}`);
    }
    expect(uncompressed.size).toBeGreaterThan(20_000 * text.length);
    finish(uncompressed.packInSlices());
    expect(uncompressed.size).toBeLessThan((20_000 * text.length) / 8);
    expect(new Set(uncompressed.keys()).size).toBe(20_000);
    // A change between two pauses compresses little.
    const changed = new PackedTextStore();
    for (let index = 0; index < 5000; index += 1) {
      changed.set(`${index}`, `${text}${index}`);
    }
    changed.packInSlices().next();
    const before = changed.size;
    changed.set('one', text);
    expect(changed.size).toBeGreaterThan(before - 40 * text.length);
  });

  test.each([[{}], [{ maxEarlySize: Number.POSITIVE_INFINITY }]])(
    'during a start, texts that are replaced many times take no more memory: %j',
    (options) => {
      const store = new PackedTextStore(options);
      const text = 'x'.repeat(10_000);
      const { arrayBuffers: before } = process.memoryUsage();
      for (let step = 0; step < 30_000; step += 1) {
        store.set(`${step % 50}`, `${text}${step}`);
      }
      // All of them: 300 MB.
      expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(100 * 1024 * 1024);
      expect(new Map(store.entries())).toEqual(
        new Map(Array.from({ length: 50 }, (_, index) => [`${index}`, `${text}${29_950 + index}`])),
      );
      finish(store.packInSlices());
      expect(store.get('7')).toBe(`${text}29957`);
    },
  );

  test.each([[false], [true]])(
    'a list of all texts does not show later changes, compressed ones: %p',
    (isCompressed) => {
      const store = new PackedTextStore();
      const expected = new Map(Array.from({ length: 500 }, (_, index) => [`key ${index}`, `text ${index}`]));
      for (const [key, text] of expected) {
        store.set(key, text);
      }
      const entries = store.entries();
      for (const key of expected.keys()) {
        store.set(key, 'another');
      }
      store.delete('key 1');
      if (isCompressed) {
        finish(store.packInSlices());
      }
      expect(new Map(entries)).toEqual(expected);
      expect(store.get('key 1')).toBeUndefined();
    },
  );
});
