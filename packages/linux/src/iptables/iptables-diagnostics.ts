import type { IPFamily } from '@kube-proxier/core';
import { whyNotPermitted } from '../process/capabilities.js';
import { CommandError } from '../process/command-runner.js';
import { IptablesDocumentRefused, IptablesError } from './iptables-error.js';

// The only place that interprets error output of the tools (in English, by `LC_ALL=C`).

/** The error for a run of a tool that failed. */
export function iptablesErrorOf(error: CommandError, family: IPFamily): IptablesError {
  const cause = { cause: error };
  if (error.failure === 'not-found') {
    return new IptablesError(
      'IPTABLES_MISSING',
      `${error.command} was not found, so ${family} rules cannot be written; install iptables`,
      cause,
    );
  }
  if (error.failure === 'timeout') {
    return new IptablesError('IPTABLES_TIMED_OUT', error.message, cause);
  }
  if (error.failure === 'permission-denied') {
    return new IptablesError('IPTABLES_PERMISSION_DENIED', error.message, cause);
  }
  if (/Permission denied|Operation not permitted/.test(error.stderr)) {
    return new IptablesError(
      'IPTABLES_PERMISSION_DENIED',
      `${error.command} may not read or change the rules of this network namespace (${error.stderr.trim().split('\n', 1)[0]}): ${whyNotPermitted()}`,
      cause,
    );
  }
  if (error.exitCode === 4 && /xtables lock/.test(error.stderr)) {
    return new IptablesError(
      'IPTABLES_LOCKED',
      `${error.command} could not get the xtables lock: another program holds it; find it with "fuser /run/xtables.lock"`,
      cause,
    );
  }
  return new IptablesError('IPTABLES_FAILED', error.message, cause);
}

/** Whether a tool rejected a rule because of its target. */
export function namesTarget({ cause }: IptablesError, target: string): boolean {
  return cause instanceof CommandError && cause.exitCode === 2 && cause.stderr.includes(target);
}

/** How the tools name the rejected line. */
const LINE = [
  /line (\d+) failed/,
  /Error occurred at line: (\d+)/,
  /^line (\d+): \w+ failed/m,
  /COMMIT expected at line (\d+)/,
];

/**
 * The error for a document that iptables-restore rejected.
 *
 * @param before number of lines before the program's input in the document. Default 0.
 */
export function refusalOf(document: string, error: CommandError, before = 0): IptablesDocumentRefused {
  const reason = error.stderr
    .replace(/^Try `.*$/m, '')
    .trim()
    .replace(/\s*\n\s*/g, '; ');
  const found = LINE.map((pattern) => pattern.exec(error.stderr)?.[1]).find((text) => text !== undefined);
  const line = found === undefined ? undefined : before + Number(found);
  return new IptablesDocumentRefused(line, line === undefined ? undefined : lineAt(document, line), reason, {
    cause: error,
  });
}

function lineAt(document: string, line: number): string | undefined {
  return document.split('\n', line)[line - 1];
}
