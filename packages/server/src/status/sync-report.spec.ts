import { expect, test } from '@jest/globals';
import type { ProxyState } from '@kube-proxier/core';
import { makeService, makeSlice, RecordingLogger, resolveObjects, VirtualClock } from '@kube-proxier/core/testing';
import { SyncReport } from './sync-report.js';

async function firstSync(states: readonly ProxyState[]): Promise<readonly string[]> {
  const logger = new RecordingLogger();
  const report = new SyncReport(['IPv4', 'IPv6'], logger, new VirtualClock());
  for (const state of states) {
    await report.synced({ family: state.family, state });
  }
  return logger.lines;
}

const EMPTY = resolveObjects({ services: [], slices: [] });
const EMPTY_IPV6 = { ...EMPTY, family: 'IPv6' } as const;

test('an API server that lost its data, or an empty directory, is a warning: no Service is served', async () => {
  const lines = await firstSync([EMPTY, EMPTY_IPV6]);
  expect(lines).toEqual([
    expect.stringMatching(/^W First sync: the sources have no Service for this node, .*check the API server/),
  ]);
});

test('one Service in one family is none', async () => {
  const state = resolveObjects({ services: [makeService('a')], slices: [makeSlice('a', ['10.244.0.1'])] });
  const lines = await firstSync([EMPTY_IPV6, state]);
  expect(lines).toEqual([expect.stringMatching(/^I First sync: this node is programmed/)]);
});
