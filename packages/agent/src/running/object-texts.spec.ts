import { expect, jest, test } from '@jest/globals';
import { silentLogger } from '@kube-proxier/core';
import { until } from '@kube-proxier/core/testing';
import type { PackedTextStore } from '@kube-proxier/server';
import { ObjectTexts } from './object-texts.js';

const TEXT = '{"kind":"Service","a field that all of them have":"a value that all of them have"}';

test('objects are compressed when the first sync of each IP family has ended, and never before', async () => {
  let isCompressed = false;
  const texts = new ObjectTexts(silentLogger, () => {
    isCompressed = true;
  });
  const stores = [texts.create(), texts.create()] as PackedTextStore[];
  for (const store of stores) {
    for (let index = 0; index < 1000; index += 1) {
      store.set(`team/${index}`, `${TEXT}${index}`);
    }
  }
  const sizes = () => stores.map(({ size }) => size);
  const plain = sizes();
  texts.started('IPv4');
  texts.started('IPv6');
  texts.synced({ family: 'IPv4' });
  await new Promise((resolve) => setImmediate(resolve));
  expect([sizes(), isCompressed]).toEqual([plain, false]);
  // A sync that fails is retried, possibly without success.
  texts.failed({ family: 'IPv6' });
  await until(() => isCompressed);
  for (const [index, store] of stores.entries()) {
    expect(store.size).toBeLessThan((plain[index] ?? 0) / 4);
    expect([store.count, store.get('team/7')]).toEqual([1000, `${TEXT}7`]);
  }
});

test('a failure is logged, and the objects stay as they are', async () => {
  const error = jest.fn();
  const texts = new ObjectTexts({ ...silentLogger, error }, () => {});
  const store = texts.create();
  store.set('team/a', TEXT);
  store.setLater('team/b', () => {
    throw new Error('no memory');
  });
  texts.started('IPv4');
  texts.synced({ family: 'IPv4' });
  await until(() => error.mock.calls.length > 0);
  expect(error.mock.calls[0]?.[0]).toBe('Objects of the API server are not compressed in memory: no memory');
  expect(store.get('team/a')).toBe(TEXT);
});
