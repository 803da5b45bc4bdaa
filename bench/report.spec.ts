import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { renderReport } from './lib/report-page.mjs';
import { RESULTS, readResults } from './lib/results.mjs';

const DIRECTORY = fileURLToPath(new URL('../docs/performance/', import.meta.url));

test('docs/performance is what `npm run bench:report` writes', () => {
  const files = renderReport(readResults());
  expect(readdirSync(DIRECTORY).sort()).toEqual([...files.keys()].sort());
  for (const [name, content] of files) {
    expect([name, readFileSync(`${DIRECTORY}${name}`, 'utf8')]).toEqual([name, content]);
  }
});

test('a plot has one source, and each of its series several numbers of Services', () => {
  const sources = new Map<string, string>();
  const sizes = new Map<string, number>();
  for (const { bench, figures } of readResults()) {
    for (const { point } of figures) {
      if (point !== undefined) {
        expect([point.plot, sources.get(point.plot) ?? bench]).toEqual([point.plot, bench]);
        sources.set(point.plot, bench);
        const series = `${point.plot}: ${point.series}`;
        sizes.set(series, (sizes.get(series) ?? 0) + 1);
      }
    }
  }
  expect([...sizes].filter(([, count]) => count < 3)).toEqual([]);
  expect(sizes.size).toBeGreaterThan(0);
});

test('results name no machine, user or path', () => {
  for (const file of readdirSync(RESULTS)) {
    expect(readFileSync(`${RESULTS}${file}`, 'utf8')).not.toMatch(/\/(home|root|work|tmp|usr)\/|"hostname"/);
  }
});
