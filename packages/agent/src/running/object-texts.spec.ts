import { expect, jest, test } from '@jest/globals';
import { silentLogger } from '@kube-proxier/core';
import type { PackedTextStore } from '@kube-proxier/server';
import { ObjectTexts } from './object-texts.js';

const TEXT = '{"kind":"Service","a field that all of them have":"a value that all of them have"}';

test('objects are compressed when that is requested, not before, and can be read as before', async () => {
  const texts = new ObjectTexts(silentLogger);
  const stores = [texts.create(), texts.create()] as PackedTextStore[];
  for (const store of stores) {
    for (let index = 0; index < 1000; index += 1) {
      store.set(`team/${index}`, `${TEXT}${index}`);
    }
    expect(store.size).toBeGreaterThan(1000 * TEXT.length);
  }
  await texts.compress();
  for (const store of stores) {
    expect(store.size).toBeLessThan((1000 * TEXT.length) / 4);
    expect([store.count, store.get('team/7')]).toEqual([1000, `${TEXT}7`]);
  }
});

test('a failure is logged, and the objects stay as they are', async () => {
  const error = jest.fn();
  const texts = new ObjectTexts({ ...silentLogger, error });
  const store = texts.create();
  store.set('team/a', TEXT);
  jest.spyOn(store as PackedTextStore, 'packInSlices').mockImplementation(() => {
    throw new Error('no memory');
  });
  await texts.compress();
  expect(error.mock.calls[0]?.[0]).toBe('Objects of the API server are not compressed in memory: no memory');
  expect(store.get('team/a')).toBe(TEXT);
});
