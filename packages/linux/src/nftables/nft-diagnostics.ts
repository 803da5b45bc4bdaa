import { hasNetAdmin, type PermissionFacts, whyNotPermitted } from '../process/capabilities.js';
import { CommandError } from '../process/command-runner.js';
import { NftError, type NftRefusal, NftRefused } from './nft-error.js';

// The only place that interprets error output of nft (in English, by `LC_ALL=C`).

/** Whether the object to list does not exist. */
export function isMissingObject(error: unknown): boolean {
  return (
    error instanceof NftError &&
    error.cause instanceof CommandError &&
    firstErrorLine(error.cause.stderr).includes('No such file or directory')
  );
}

/** Further errors of nft often follow from the first (spec N-4). */
export function firstErrorLine(stderr: string): string {
  return stderr.split('\n').find((line) => /Error:/.test(line)) ?? stderr.split('\n', 1)[0] ?? '';
}

/** {@link whyNotPermitted}, for nf_tables: a process that has the capability may be refused because of an owned table. */
export function whyNftNotPermitted(refused: PermissionFacts['refused'] = 'program'): string {
  const why = whyNotPermitted({ refused });
  return hasNetAdmin() ? `${why}; or the table belongs to another process (flag owner), which has to end first` : why;
}

/** The error for a run of nft that failed. */
export function nftErrorOf(error: CommandError): NftError {
  const cause = { cause: error };
  if (error.failure === 'not-found') {
    return new NftError('NFT_MISSING', 'nft was not found; install nftables', cause);
  }
  if (error.failure === 'timeout') {
    return new NftError('NFT_TIMED_OUT', error.message, cause);
  }
  if (error.failure === 'permission-denied') {
    return new NftError('NFT_PERMISSION_DENIED', error.message, cause);
  }
  if (/Operation not permitted/.test(error.stderr)) {
    return new NftError('NFT_PERMISSION_DENIED', `nft may not change this: ${whyNftNotPermitted()}`, cause);
  }
  if (/cache initialization failed|Resource temporarily unavailable|Interrupted system call/.test(error.stderr)) {
    return new NftError(
      'NFT_BUSY',
      'nft was disturbed by another program that changes the ruleset; find it with "nft monitor"',
      cause,
    );
  }
  return new NftError('NFT_FAILED', error.message, cause);
}

/** Maximum number of characters of a rejected line that an error keeps. */
const MAX_LINE_LENGTH = 200;

const REASONS: readonly (readonly [RegExp, NftRefusal])[] = [
  [/No such file or directory/, 'missing'],
  [/File exists/, 'exists'],
  [/Device or resource busy/, 'busy'],
  [/Operation not supported|Protocol not supported/, 'unsupported'],
];

/** The error for a transaction that nft or the kernel rejected. */
export function refusalOf(document: string, error: CommandError): NftRefused {
  const first = firstErrorLine(error.stderr);
  const refusal = REASONS.find(([pattern]) => pattern.test(first))?.[1] ?? 'other';
  const number = /(?:stdin|standard input|-):(\d+):\d+/.exec(error.stderr)?.[1];
  const line = number === undefined ? undefined : Number(number);
  const text = line === undefined ? undefined : document.split('\n', line)[line - 1]?.slice(0, MAX_LINE_LENGTH);
  return new NftRefused(refusal, line, text, first.replace(/^.*?Error: /, '').trim(), { cause: error });
}
