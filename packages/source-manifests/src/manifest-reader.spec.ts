import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { silentLogger } from '@kube-proxier/core';
import { settle, VirtualClock } from '@kube-proxier/core/testing';
import { readSnapshot } from './manifest-directory.js';
import { type FileStates, ManifestReader } from './manifest-reader.js';
import { type Manifest, readManifest, refusedManifest } from './read-manifest.js';

/** Milliseconds until a retry of a file that took too long. */
const RETRY = 300_000;
const SERVICE = 'apiVersion: v1\nkind: Service\nmetadata: {name: web}\nspec: {ports: [{port: 80}]}\n';

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'manifest-reader-'));
  writeFileSync(join(directory, 'web.yaml'), SERVICE);
  // Settled: no further change can have the same time stamp.
  utimesSync(join(directory, 'web.yaml'), 1, 1);
});

afterEach(() => rmSync(directory, { recursive: true, force: true }));

test('a file that took too long is parsed again once at a time, and its objects are in force when that succeeds', async () => {
  const clock = new VirtualClock();
  clock.set(Date.now() + 60_000);
  const pending: ((manifest: Manifest) => void)[] = [];
  let parsed = 0;
  const reader = new ManifestReader({
    ...{ clock, logger: silentLogger, maxFileBytes: 1e6, allowLoopbackEndpoints: false },
    onParsed: () => {
      parsed += 1;
    },
    parser: { parse: () => new Promise((resolve) => void pending.push(resolve)), close: async () => {} },
  });
  const snapshot = await readSnapshot(directory);
  let files: FileStates = new Map();
  const scan = async () => {
    files = (await reader.read(snapshot, files, 'later')).files;
    reader.release(files);
  };

  const first = scan();
  while (pending.length === 0) {
    await settle();
  }
  pending[0]?.(refusedManifest('web.yaml', 'it took more than 10000 ms', true));
  await first;
  expect(files.get('web.yaml')?.problems).toHaveLength(1);
  expect(reader.differs(snapshot, files)).toBe(false);

  await clock.advance(RETRY);
  expect(reader.differs(snapshot, files)).toBe(true);
  for (let count = 0; count < 3; count++) {
    await scan();
  }
  // The last valid objects stay while it is parsed, and no second attempt begins.
  expect(pending).toHaveLength(2);

  pending[1]?.(readManifest('web.yaml', SERVICE, { allowLoopbackEndpoints: false }));
  await settle();
  expect(parsed).toBe(1);
  await scan();
  expect(pending).toHaveLength(2);
  expect(files.get('web.yaml')?.objects).toHaveLength(1);
  expect(reader.differs(snapshot, files)).toBe(false);
});
