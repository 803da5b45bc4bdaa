import { isProxierError, messageOf } from '@kube-proxier/core';
import { ApiError, ApiStatusError, SilentWatch } from '../api/kubernetes-error.js';
import { type BackoffState, backOff, NO_BACKOFF } from './backoff.js';
import type { WatchedResource } from './watched-resource.js';

/** Number of consecutive failures of a watch that count as an outage. */
const OUTAGE_AFTER = 3;
/** The same when the last failure was silence of the server. */
const OUTAGE_AFTER_SILENCE = 2;
const MAX_RETRY_AFTER = 120_000;
/**
 * Milliseconds over which nodes spread a relist after the version of a watch has expired, which usually happens to all
 * nodes at the same time.
 */
const RELIST_SPREAD = 5_000;
/** Milliseconds before an optional resource that the server does not have is requested again, without jitter. */
const ABSENT_RETRY = 300_000;

/** Failure state of the requests for one resource. */
export interface RequestHistory {
  /** Number of failures since the last valid answer. */
  readonly failures: number;
  /** The credentials were rejected, and no valid answer came since. */
  readonly unauthorized: boolean;
  readonly backoff: BackoffState;
}

export const NO_REQUESTS: RequestHistory = { failures: 0, unauthorized: false, backoff: NO_BACKOFF };

/** A request for a resource failed. */
export interface RequestFailure {
  readonly error: unknown;
  /** `list` while no complete list is known. */
  readonly operation: 'list' | 'watch';
  readonly resource: Pick<WatchedResource, 'name' | 'group' | 'optional' | 'without' | 'fieldSelectorOptional'>;
  /** A field selector was part of the request. */
  readonly hasFieldSelector: boolean;
  /** Milliseconds, by the monotonic clock. */
  readonly now: number;
  /** A number from 0 (included) to 1 (not included), for jitter. */
  readonly random: number;
}

/** The report of a failure, for the log and readiness. */
export type AvailabilityReport =
  | { readonly kind: 'unreachable'; readonly message: string }
  | { readonly kind: 'refused'; readonly message: string; readonly severity: 'error' | 'warn' }
  /** The server answered that it does not have this optional resource. */
  | { readonly kind: 'absent' }
  /** The failure is not the server's. */
  | { readonly kind: 'unexpected' };

/** The reaction to a failure. */
export interface FailureReaction {
  readonly history: RequestHistory;
  /** Milliseconds before the next request. */
  readonly delay: number;
  /** The next request is a list, even after earlier lists. */
  readonly relist: boolean;
  /** Undefined when the failure is not reported (yet). */
  readonly report: AvailabilityReport | undefined;
  /** Credentials are read again before the next request. */
  readonly renewCredentials: boolean;
  /** The field selector is omitted from now on. */
  readonly dropFieldSelector: boolean;
  /** The resource cannot be listed for now, and start does not wait for it. */
  readonly unavailable: boolean;
}

/** The state after a valid answer. Pure. */
export function afterAnswer(history: RequestHistory): RequestHistory {
  return { ...history, failures: 0, unauthorized: false };
}

/** Whether the number of failures counts as an outage, which ends only with a list or an event. Pure. */
export function isOutage({ failures }: RequestHistory): boolean {
  return failures >= OUTAGE_AFTER;
}

/** Decides the reaction to a failed request. Pure. */
export function reactToFailure(before: RequestHistory, failure: RequestFailure): FailureReaction {
  const { error, operation, resource, now, random } = failure;
  const { state: backoff, delay } = backOff(before.backoff, now, random);
  const history: RequestHistory = { ...before, failures: before.failures + 1, backoff };
  const reaction: FailureReaction = {
    history,
    delay,
    relist: false,
    report: undefined,
    renewCredentials: false,
    dropFieldSelector: false,
    unavailable: false,
  };
  if (error instanceof ApiStatusError) {
    return reactToStatus(error, failure, reaction);
  }
  if (!isProxierError(error)) {
    // A new list repairs any inconsistency.
    return { ...reaction, relist: true, report: { kind: 'unexpected' } };
  }
  // A restored server accepts a watch of a future version and sends nothing.
  const mayBeRestored = error instanceof SilentWatch && history.failures >= OUTAGE_AFTER_SILENCE;
  return {
    ...reaction,
    relist: error.code === 'API_RESPONSE_INVALID' || mayBeRestored,
    delay: mayBeRestored ? Math.max(delay, relistDelay(random)) : delay,
    report:
      error instanceof ApiError
        ? outage(error, operation, history, `${resource.name}: ${messageOf(error)}`)
        : { kind: 'refused', message: messageOf(error), severity: 'error' },
  };
}

function reactToStatus(error: ApiStatusError, failure: RequestFailure, reaction: FailureReaction): FailureReaction {
  const { operation, resource, hasFieldSelector, random } = failure;
  const { name, group, without } = resource;
  const history = reaction.history;
  // The server answers many nodes with the same time.
  const requested = Math.min(error.retryAfter ?? 0, MAX_RETRY_AFTER) * (1 + random / 2);
  const waiting = { ...reaction, delay: Math.max(reaction.delay, requested) };
  const refused = (message: string, severity: 'error' | 'warn' = 'error'): FailureReaction => ({
    ...waiting,
    report: { kind: 'refused', message, severity },
  });
  switch (error.status) {
    case 410:
      return {
        ...waiting,
        relist: true,
        delay: operation === 'watch' ? Math.max(waiting.delay, relistDelay(random)) : waiting.delay,
        // A version expires once; a server whose new lists expire as well does not answer.
        report: isOutage(history) ? { kind: 'unreachable', message: `${name}: ${messageOf(error)}` } : undefined,
      };
    case 401: {
      const renewing = { renewCredentials: true, history: { ...history, unauthorized: true } };
      return history.unauthorized
        ? {
            ...refused(`it rejected the credentials (${messageOf(error)}); renew the token or certificate`),
            ...renewing,
          }
        : { ...waiting, ...renewing, delay: 0 };
    }
    case 403: {
      const rule = `{apiGroups: ["${group}"], resources: ["${name}"], verbs: ["list", "watch"]}`;
      const text = `it forbids to list or watch ${name} (${messageOf(error)}); grant it by a ClusterRole with the rule ${rule}${without === undefined ? '' : `; until then ${without}`}`;
      return { ...refused(text, resource.optional ? 'warn' : 'error'), unavailable: true };
    }
    case 404:
      return resource.optional
        ? { ...waiting, delay: ABSENT_RETRY * (1 + random), report: { kind: 'absent' }, unavailable: true }
        : refused(`it has no resource ${name} (${messageOf(error)}); is this the URL of a Kubernetes API server?`);
    case 400:
      return hasFieldSelector && resource.fieldSelectorOptional
        ? { ...waiting, delay: 0, relist: true, dropFieldSelector: true }
        : { ...refused(`it rejected the request for ${name} (${messageOf(error)})`), relist: true };
    default:
      return { ...waiting, report: outage(error, operation, history, `${name}: ${messageOf(error)}`) };
  }
}

/**
 * Milliseconds before a new list that many nodes request at the same time. Pure.
 *
 * @param random a number from 0 (included) to 1 (not included).
 */
export function relistDelay(random: number): number {
  return random * RELIST_SPREAD;
}

/**
 * A watch may fail a few times before it is reported: it resumes where it ended. Fewer times if the server is silent:
 * each failure takes half a minute or longer, during which changes may be missing.
 */
function outage(
  error: ApiError,
  operation: 'list' | 'watch',
  history: RequestHistory,
  message: string,
): AvailabilityReport | undefined {
  const isSilent = error.code === 'API_SILENT' && history.failures >= OUTAGE_AFTER_SILENCE;
  return operation === 'list' || isOutage(history) || isSilent ? { kind: 'unreachable', message } : undefined;
}
