#!/usr/bin/env node
// Writes docs/performance, tables and plots, from the results that all benches write: npm run bench:report
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { renderReport } from './lib/report-page.mjs';
import { readResults } from './lib/results.mjs';

const DIRECTORY = fileURLToPath(new URL('../docs/performance/', import.meta.url));

mkdirSync(DIRECTORY, { recursive: true });
const files = renderReport(readResults());
for (const old of readdirSync(DIRECTORY).filter((name) => !files.has(name))) {
  rmSync(`${DIRECTORY}${old}`);
}
for (const [name, content] of files) {
  writeFileSync(`${DIRECTORY}${name}`, content);
}
console.log(`${files.size} files in docs/performance`);
