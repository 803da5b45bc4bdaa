import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { messageOf } from '@kube-proxier/core';
import { parse } from 'yaml';
import { ConformanceError } from '../conformance-error.js';
import type { CaseObject, CaseStep, ConformanceCase } from './conformance-case.js';
import { type PacketRow, type PacketTableWords, packetCases } from './packet-table.js';
import { type PolicyRow, policyCase } from './policy-table.js';
import { type TopologyRow, topologyCase } from './topology-table.js';

/** Directory of the cases of this package. */
const CASES = fileURLToPath(new URL('../../cases/', import.meta.url));
const STEPS =
  'apply delete patch endpoints flows open talk reset client attempts stop transfer connect kill start cleanup flush'.split(
    ' ',
  );
const FIELDS = 'id title spec quick families protocols needs options steps'.split(' ');

/** A case file: explicit cases, or a table whose rows become cases. */
type CaseFile =
  | { readonly definitions?: unknown; readonly cases: readonly Partial<ConformanceCase>[] }
  | { readonly table: string; readonly kind: 'policies'; readonly service: CaseObject }
  | ({ readonly table: string; readonly kind: 'packets' } & PacketTableWords)
  | { readonly table: string; readonly kind: 'topologies' };

let ownCases: readonly ConformanceCase[] | undefined;

/**
 * All cases of this package, in the order of its files.
 *
 * @throws ConformanceError `CONFORMANCE_BAD_CASE` naming file, case and field.
 */
export function readCases(): readonly ConformanceCase[] {
  ownCases ??= readCaseFiles(
    readdirSync(CASES)
      .sort()
      .map((name) => join(CASES, name)),
  );
  return ownCases;
}

/** Reads the cases of these files; ids must be unique over all. */
export function readCaseFiles(files: readonly string[]): readonly ConformanceCase[] {
  const cases = files.flatMap((file) => {
    try {
      return readCaseFile(readFileSync(file, 'utf8'));
    } catch (error) {
      throw new ConformanceError('CONFORMANCE_BAD_CASE', `${file}: ${messageOf(error)}`, { cause: error });
    }
  });
  const ids = new Set<string>();
  for (const { id } of cases) {
    if (ids.has(id)) {
      throw new ConformanceError('CONFORMANCE_BAD_CASE', `two cases have the id ${id}; change one`);
    }
    ids.add(id);
  }
  return cases;
}

/** Reads the text of one case file. */
export function readCaseFile(text: string): readonly ConformanceCase[] {
  const file = parse(text, { merge: true }) as CaseFile;
  if (!('table' in file)) {
    if (!Array.isArray(file?.cases)) {
      throw new TypeError('has neither "cases" nor a "table"');
    }
    return file.cases.map(checkCase);
  }
  const rows = readTable(file.table);
  switch (file.kind) {
    case 'policies':
      return (rows as PolicyRow[]).map((row) => policyCase(row, file.service));
    case 'packets':
      return packetCases(rows as PacketRow[], file);
    case 'topologies':
      return (rows as TopologyRow[]).map(topologyCase);
    default:
      throw new TypeError(`kind must be policies, packets or topologies`);
  }
}

/** The tables are in core, whose simulator is tested with the same rows. */
function readTable(name: string): unknown[] {
  const path = createRequire(import.meta.url).resolve(`@kube-proxier/core/test-data/${name}`);
  return (JSON.parse(readFileSync(path, 'utf8')) as { rows: unknown[] }).rows;
}

function checkCase(found: Partial<ConformanceCase>, index: number): ConformanceCase {
  const name = found.id ?? `case ${index + 1}`;
  const unknown = Object.keys(found).filter((field) => !FIELDS.includes(field));
  if (unknown.length > 0) {
    throw new TypeError(`${name}: unknown field ${unknown.join(', ')}; a case has ${FIELDS.join(', ')}`);
  }
  const { id, title, steps } = found;
  if (typeof id !== 'string' || typeof title !== 'string' || !Array.isArray(steps) || steps.length === 0) {
    throw new TypeError(`${name}: id, title and steps are required`);
  }
  for (const [number, step] of steps.entries()) {
    const [kind = '', ...more] = Object.keys(step as CaseStep).filter((key) => key !== 'within');
    if (!STEPS.includes(kind) || more.length > 0) {
      throw new TypeError(
        `${name}, step ${number + 1}: is one of ${STEPS.join(', ')}, not ${[kind, ...more].join(' and ')}`,
      );
    }
  }
  return {
    spec: [],
    quick: true,
    families: ['IPv4', 'IPv6'],
    protocols: ['TCP'],
    needs: [],
    options: {},
    ...found,
    id,
    title,
    steps,
  };
}
