import type { CaseResult } from '../run/case-result.js';
import { type ConformanceReport, tally } from '../run/run-conformance.js';
import { formatFailure } from './format-failure.js';
import { rulesNote } from './rules-location.js';

/** Formats of {@link formatReport}. */
export const REPORT_FORMATS = ['text', 'json', 'junit'] as const;
/** One of {@link REPORT_FORMATS}. */
export type ReportFormat = (typeof REPORT_FORMATS)[number];

/** A report in one of the formats, with a line break at its end. */
export function formatReport(report: ConformanceReport, format: ReportFormat): string {
  switch (format) {
    case 'text':
      return formatText(report);
    case 'json':
      return `${JSON.stringify(report, undefined, 2)}\n`;
    case 'junit':
      return formatJUnit(report);
  }
}

/** Missing capabilities of the backend, and how many checks were skipped; empty when none were. */
export function formatLacks(results: readonly CaseResult[]): string {
  const cases = new Map<string, string[]>();
  const parts = new Map<string, number>();
  for (const { case: one, outcome, lacks } of results) {
    for (const { capability, count } of lacks) {
      if (outcome === 'skipped') {
        cases.set(capability, [...(cases.get(capability) ?? []), one.id]);
      } else {
        parts.set(capability, (parts.get(capability) ?? 0) + count);
      }
    }
  }
  return [
    ...[...cases].map(([capability, ids]) => `skipped, as the backend lacks ${capability}: ${ids.join(', ')}\n`),
    ...[...parts].map(
      ([capability, count]) =>
        `skipped in cases, as the backend lacks ${capability}: ${count} ` +
        `${capability === 'preservesSource' ? 'checks of the source address that an endpoint sees' : 'flows'}\n`,
    ),
  ].join('');
}

function formatText(report: ConformanceReport): string {
  const { results, choice, backend } = report;
  const { passed, failed, skipped } = tally(results);
  const flows = results.reduce((sum, result) => sum + result.flows, 0);
  const failures = results
    .filter(({ outcome }) => outcome === 'failed')
    .map((result) => `FAIL ${formatFailure(result, choice)}\n\n`);
  return (
    `${failures.join('')}${formatLacks(results)}` +
    `${backend.mode}: ${passed} passed, ${failed} failed, ${skipped} skipped; ` +
    `${flows} flows in ${(report.milliseconds / 1000).toFixed(0)} s${report.interrupted ? '; interrupted' : ''}\n` +
    (failed > 0 ? `${rulesNote()}\n` : '')
  );
}

function formatJUnit({ results, choice, backend, milliseconds }: ConformanceReport): string {
  const { failed, skipped } = tally(results);
  const seconds = (value: number) => (value / 1000).toFixed(3);
  const suite = attributes({
    name: `conformance ${backend.mode}`,
    tests: results.length,
    failures: failed,
    skipped,
    time: seconds(milliseconds),
  });
  const cases = results.map((result) => {
    const { id, title } = result.case;
    const head = attributes({
      classname: `conformance.${backend.mode}`,
      name: `${id} ${title}`,
      time: seconds(result.milliseconds),
    });
    const inner =
      result.outcome === 'failed'
        ? `<failure ${attributes({ message: result.failures[0]?.flow ?? '' })}>${escapeXML(formatFailure(result, choice))}</failure>`
        : result.outcome === 'skipped'
          ? `<skipped ${attributes({ message: `the backend lacks ${result.lacks.map(({ capability }) => capability).join(', ')}` })}/>`
          : '';
    return `    <testcase ${head}>${inner}</testcase>\n`;
  });
  const note = failed > 0 ? `    <system-out>${escapeXML(rulesNote())}</system-out>\n` : '';
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n  <testsuite ${suite}>\n${cases.join('')}${note}  </testsuite>\n</testsuites>\n`;
}

function attributes(values: Readonly<Record<string, string | number>>): string {
  return Object.entries(values)
    .map(([name, value]) => `${name}="${escapeXML(String(value))}"`)
    .join(' ');
}

const ENTITIES: Readonly<Record<string, string>> = { '<': '&lt;', '>': '&gt;', '&': '&amp;', '"': '&quot;' };

/** XML permits no control characters except tabs and line breaks. */
function escapeXML(text: string): string {
  return [...text]
    .filter((one) => one >= ' ' || one === '\n' || one === '\t')
    .join('')
    .replace(/[<>&"]/g, (one) => ENTITIES[one] ?? one);
}
