import type { BackendChoice } from '../backend/messages.js';
import type { CaseResult } from '../run/case-result.js';

/** Maximum number of failures of one case that are reported in detail. */
const MAX_FAILURES = 12;

/** Text about a failed case: each flow, its expected and actual outcome, and how to run the case alone. */
export function formatFailure({ case: one, failures }: CaseResult, choice: BackendChoice): string {
  const lines = [`${one.id}: ${one.title}`];
  for (const { variant, step, flow, expected, actual, spec } of failures.slice(0, MAX_FAILURES)) {
    lines.push(
      `  ${variant === 'all' ? '' : `${variant}, `}step ${step}: ${flow}`,
      `    expected  ${expected} (${spec})`,
      `    actual    ${actual.replaceAll('\n', '\n              ')}`,
    );
  }
  if (failures.length > MAX_FAILURES) {
    lines.push(`  and ${failures.length - MAX_FAILURES} more`);
  }
  lines.push(`  alone:  ${commandFor(choice, one.id)}`);
  return lines.join('\n');
}

/** The command that runs one case and keeps its sandbox. */
export function commandFor({ backend, mode, options }: BackendChoice, id: string): string {
  const words = ['npx @kube-proxier/conformance', `--backend ${backend}`];
  if (mode !== undefined) {
    words.push(`--mode ${mode}`);
  }
  for (const [key, value] of Object.entries(options)) {
    words.push(`--option ${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`);
  }
  return [...words, `--cases '${id}'`, '--keep'].join(' ');
}
