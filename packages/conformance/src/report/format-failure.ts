import type { BackendChoice } from '../backend/messages.js';
import type { CaseResult } from '../run/case-result.js';

/** Failures of one case that are told one by one. */
const MAX_FAILURES = 12;

/** A case that failed, for people: each flow, what was expected and what came, and how to run the case alone. */
export function formatFailure({ case: one, failures }: CaseResult, choice: BackendChoice): string {
  const lines = [`${one.id}: ${one.title}`];
  for (const { variant, step, flow, expected, came, spec } of failures.slice(0, MAX_FAILURES)) {
    lines.push(
      `  ${variant === 'all' ? '' : `${variant}, `}step ${step}: ${flow}`,
      `    expected  ${expected} (${spec})`,
      `    came      ${came.replaceAll('\n', '\n              ')}`,
    );
  }
  if (failures.length > MAX_FAILURES) {
    lines.push(`  and ${failures.length - MAX_FAILURES} more`);
  }
  lines.push(`  alone:  ${commandFor(choice, one.id)}`);
  return lines.join('\n');
}

/** The command that runs one case and keeps it up. */
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
