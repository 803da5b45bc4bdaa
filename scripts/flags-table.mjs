#!/usr/bin/env node
// Rewrites the table of flags in packages/agent/README.md from their definitions.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { FLAGS } from '../packages/agent/dist/flags/flag.js';

const README = fileURLToPath(new URL('../packages/agent/README.md', import.meta.url));
const HEADER = ['flag', 'default', 'what it says'];

/** The first sentence, without the full stop: the rest is for --help. */
const gist = (/** @type {string} */ help) =>
  (/^(.*?[^.])(\. |\.$|: ")/s.exec(help)?.[1] ?? help).replaceAll('|', '\\|');

/** @type {readonly import('../packages/agent/dist/flags/flag-definition.js').Flag[]} */
const flags = FLAGS;
const rows = flags
  .filter(({ name }) => !['help', 'version', 'cleanup'].includes(name))
  .map(({ name, short, defaultText, help, unused }) => [
    `${short && short !== name ? `\`-${short}\`, ` : ''}\`${name.length === 1 ? '-' : '--'}${name}\``,
    defaultText,
    unused === undefined ? gist(help) : `nothing: ${unused}`,
  ]);
const widths = HEADER.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)));
const line = (/** @type {readonly string[]} */ cells) =>
  `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
const table = [line(HEADER), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
const text = readFileSync(README, 'utf8');
const next = text.replace(/^\| flag .*\n(\|.*\n)+/m, `${table}\n`);
writeFileSync(README, next);
