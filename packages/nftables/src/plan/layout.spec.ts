import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { layoutSample } from '../testing/layout-sample.js';

const DRAWN = new URL('../../testdata/layout.nft', import.meta.url);

/** `KUBE_PROXIER_DRAW=1` redraws it. */
test('the table equals the documented layout', () => {
  const sample = layoutSample();
  if (process.env.KUBE_PROXIER_DRAW === '1') {
    writeFileSync(DRAWN, sample);
  }
  expect(sample).toBe(readFileSync(DRAWN, 'utf8'));
});
