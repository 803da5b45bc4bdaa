import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from '@jest/globals';

/** With this environment variable, golden files are written in place of being compared. Look at the difference in git. */
const UPDATE = process.env.KUBE_PROXIER_UPDATE_GOLDEN === '1';

/**
 * Compares text with a file of `testdata/`, byte by byte.
 *
 * @param name path below `testdata/`.
 * @param replacements of what differs from run to run, such as versions and times, by what stands for it.
 */
export function expectGolden(
  text: string,
  name: string,
  replacements: readonly (readonly [pattern: RegExp, replacement: string])[] = [],
): void {
  const path = fileURLToPath(new URL(`../../testdata/${name}`, import.meta.url));
  const stable = replacements.reduce((result, [pattern, replacement]) => result.replaceAll(pattern, replacement), text);
  if (UPDATE) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, stable);
  }
  expect({ name, text: stable }).toEqual({ name, text: readFileSync(path, 'utf8') });
}
