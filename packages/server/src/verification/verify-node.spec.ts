import { expect, test } from '@jest/globals';
import {
  type BackendModule,
  DEFAULT_PROXIER_OPTIONS,
  type PacketPath,
  type PacketPathRequest,
  type ProxyState,
  systemClock,
} from '@kube-proxier/core';
import { makeService, makeSlice, resolveObjects } from '@kube-proxier/core/testing';
import { verifyNode } from './verify-node.js';

const OPTIONS = { ...DEFAULT_PROXIER_OPTIONS, nodeName: 'node1' };

function stateOf(): ProxyState {
  const service = makeService('ns/web', { clusterIP: '10.96.0.9' });
  const slices = [makeSlice('ns/web', ['10.244.1.5'])];
  return resolveObjects({ services: [service], slices });
}

/** No rules: packets keep their destination. */
const EMPTY: PacketPath = {
  family: 'IPv4',
  localAddresses: new Set(),
  interfaces: [],
  unread: [],
  outcomesOf: () => [
    {
      ...{ probability: 1, verdict: 'accepted', destination: undefined, masqueraded: false },
      ...{ decidedBy: undefined, unknown: [] },
    },
  ],
};

function verify(readPacketPath: (request: PacketPathRequest) => Promise<PacketPath>, state: () => ProxyState) {
  const backend: Pick<BackendModule, 'mode' | 'readPacketPath'> = { mode: 'test', readPacketPath };
  return verifyNode({
    ...{ backend, options: OPTIONS, clock: systemClock },
    states: () => new Map([['IPv4', state()]] as const),
  });
}

test('a program that never finishes while Services change is killed, and the result is unknown', async () => {
  let state = stateOf();
  let ended = 0;
  const changing = setInterval(() => (state = stateOf()), 20);
  const result = await verify(
    ({ signal }) =>
      new Promise((_resolve, reject) => {
        signal?.addEventListener('abort', () => {
          ended += 1;
          reject(new Error('nft was ended by SIGKILL'));
        });
      }),
    () => state,
  );
  clearInterval(changing);
  expect(result.verdict).toBe('unknown');
  expect(result.families[0]?.findings[0]?.message).toContain('the state changed whenever the kernel was read');
  expect(ended).toBeGreaterThan(1);
});

test('a change after the kernel was read does not invalidate the result', async () => {
  let state = stateOf();
  const read: ProxyState[] = [];
  const result = await verify(
    async ({ onRead }) => {
      read.push(state);
      onRead?.();
      state = stateOf();
      await new Promise((resolve) => setTimeout(resolve, 10));
      return EMPTY;
    },
    () => state,
  );
  // The difference is confirmed once.
  expect(read).toHaveLength(2);
  expect(result.verdict).toBe('different');
});

test('a failure without a change is not retried', async () => {
  let attempts = 0;
  const state = stateOf();
  const result = await verify(
    async () => {
      attempts += 1;
      throw new Error('permission denied');
    },
    () => state,
  );
  expect(attempts).toBe(1);
  expect(result.families[0]?.findings[0]?.message).toContain('permission denied');
});
