import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from '@jest/globals';

/** With this environment variable, golden files are written instead of compared. Review the diff in git. */
const UPDATE = process.env.KUBE_PROXIER_UPDATE_GOLDEN === '1';

/**
 * Compares text with a file of `testdata/`, byte by byte.
 *
 * @param name path below `testdata/`.
 * @param replacements placeholders for values that differ between runs, such as versions and times.
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
