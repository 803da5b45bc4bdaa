import { describe, expect, test } from '@jest/globals';
import { ApiError, ApiStatusError, KubernetesError, ResponseTooLarge, SilentWatch } from '../api/kubernetes-error.js';
import { backOff, NO_BACKOFF } from './backoff.js';
import {
  afterAnswer,
  type FailureReaction,
  NO_REQUESTS,
  type RequestFailure,
  type RequestHistory,
  reactToFailure,
} from './failure-policy.js';

const NO_CONNECTION = new ApiError('API_UNREACHABLE', 'connect ECONNREFUSED');

function react(error: unknown, failure: Partial<RequestFailure> = {}, history = NO_REQUESTS): FailureReaction {
  return reactToFailure(history, {
    error,
    operation: 'list',
    resource: { name: 'services', group: '' },
    hasFieldSelector: false,
    now: 0,
    random: 0,
    ...failure,
  });
}

/** The reactions to one failure after the other, each a second after the delay of the one before. */
function reactions(error: unknown, count: number, failure: Partial<RequestFailure> = {}): readonly FailureReaction[] {
  let history: RequestHistory = NO_REQUESTS;
  let now = 0;
  return Array.from({ length: count }, () => {
    const reaction = react(error, { ...failure, now }, history);
    history = reaction.history;
    now += reaction.delay + 1000;
    return reaction;
  });
}

function status(code: number, retryAfter?: number): ApiStatusError {
  return new ApiStatusError(code, '', `${code}: text`, retryAfter);
}

describe('backOff', () => {
  test('doubles from 800 ms to 30 s, with jitter', () => {
    expect(reactions(NO_CONNECTION, 8).map(({ delay }) => delay)).toEqual([
      800, 1600, 3200, 6400, 12_800, 25_600, 30_000, 30_000,
    ]);
    expect(backOff(NO_BACKOFF, 0, 0.5).delay).toBe(1200);
    expect(backOff({ next: 25_600, lastFailure: 0 }, 1, 0.9).delay).toBe(30_000);
  });

  test.each([
    [120_000, 30_000],
    [120_001, 800],
  ])('%d ms after the last failure, the next delay is %d ms', (later, delay) => {
    expect(backOff({ next: 30_000, lastFailure: 5 }, 5 + later, 0).delay).toBe(delay);
  });
});

describe('reactToFailure', () => {
  test('reports a list that fails at once, and a watch when it failed three times', () => {
    const unreachable = { kind: 'unreachable', message: 'services: connect ECONNREFUSED' };
    expect(react(NO_CONNECTION)).toEqual({
      history: { failures: 1, unauthorized: false, backoff: { next: 1600, lastFailure: 0 } },
      delay: 800,
      relist: false,
      report: unreachable,
      renewCredentials: false,
      dropFieldSelector: false,
      unavailable: false,
    });
    const reports = reactions(NO_CONNECTION, 4, { operation: 'watch' }).map(({ report }) => report);
    expect(reports).toEqual([undefined, undefined, unreachable, unreachable]);
    expect(reactions(status(500), 3, { operation: 'watch' }).map(({ report }) => report?.kind)).toEqual([
      undefined,
      undefined,
      'unreachable',
    ]);
  });

  test('reports a silent server earlier: a second failure of a watch has then taken half a minute', () => {
    const silent = new ApiError('API_SILENT', 'no answer came within 30000 ms');
    const reports = reactions(silent, 2, { operation: 'watch' }).map(({ report }) => report);
    expect(reports).toEqual([undefined, { kind: 'unreachable', message: 'services: no answer came within 30000 ms' }]);
  });

  test('relists after a second failure by silence of an open watch: the server may have been restored', () => {
    const relists = reactions(new SilentWatch(90_000), 2, { operation: 'watch' }).map(({ relist }) => relist);
    expect(relists).toEqual([false, true]);
  });

  test('a valid answer resets the count, but not the delay', () => {
    const { history } = react(status(401));
    expect(afterAnswer(history)).toEqual({ ...history, failures: 0, unauthorized: false });
    expect(history).toMatchObject({ failures: 1, unauthorized: true });
  });

  test.each([
    ['410', status(410), true],
    ['400', status(400), true],
    ['500', status(500), false],
    ['a malformed answer', new ApiError('API_RESPONSE_INVALID', 'x'), true],
    ['an answer that is too large', new ResponseTooLarge(1), true],
    ['no answer in time', new ApiError('API_SILENT', 'x'), false],
    ['an open watch without a bookmark', new SilentWatch(90_000), false],
    ['an error of this program', new TypeError('x'), true],
  ])('lists again after %s: %s', (_what, error, relist) => {
    expect(react(error, { operation: 'watch' }).relist).toBe(relist);
  });

  test('reports an expired version when it is repeated: new lists expire as well', () => {
    const [first, second, third] = reactions(status(410), 3);
    expect(first?.report).toBeUndefined();
    expect(second?.report).toBeUndefined();
    expect(third?.report).toEqual({ kind: 'unreachable', message: 'services: 410: text' });
  });

  test('reads the credentials again at once when they are rejected, and reports a second rejection', () => {
    const [first, second] = reactions(status(401), 2);
    expect(first).toMatchObject({ renewCredentials: true, delay: 0 });
    expect(first?.report).toBeUndefined();
    expect(second).toMatchObject({
      renewCredentials: true,
      delay: 1600,
      report: { kind: 'refused', severity: 'error', message: expect.stringContaining('renew the token') },
    });
  });

  test.each([
    [{ name: 'services', group: '' }, 'error'],
    [{ name: 'servicecidrs', group: 'networking.k8s.io', optional: true }, 'warn'],
  ] as const)('reports what a role must grant for %j', (resource, severity) => {
    const reaction = react(status(403), { resource });
    expect(reaction.report).toMatchObject({ kind: 'refused', severity });
    expect(reaction.report).toHaveProperty(
      'message',
      expect.stringContaining(`{apiGroups: ["${resource.group}"], resources: ["${resource.name}"], verbs:`),
    );
    expect(reaction.unavailable).toBe(true);
  });

  test('retries a missing optional resource rarely, and reports a required one', () => {
    const optional = { name: 'servicecidrs', group: 'networking.k8s.io', optional: true };
    expect(react(status(404), { resource: optional, random: 0.5 })).toMatchObject({
      delay: 450_000,
      report: { kind: 'absent' },
      unavailable: true,
    });
    expect(react(status(404))).toMatchObject({ report: { kind: 'refused' }, unavailable: false, delay: 800 });
  });

  test('omits a field selector that the server does not support, once', () => {
    const resource = { name: 'services', group: '', fieldSelectorOptional: true };
    expect(react(status(400), { resource, hasFieldSelector: true })).toMatchObject({
      dropFieldSelector: true,
      delay: 0,
      report: undefined,
    });
    for (const failure of [{ resource, hasFieldSelector: false }, { hasFieldSelector: true }]) {
      expect(react(status(400), failure)).toMatchObject({
        dropFieldSelector: false,
        delay: 800,
        report: { kind: 'refused' },
      });
    }
  });

  test.each([
    [5000, 5000],
    [100, 800],
    [3_600_000, 120_000],
  ])('with "retry after %d ms" it waits %d ms', (retryAfter, delay) => {
    expect(react(status(429, retryAfter)).delay).toBe(delay);
  });

  test.each([
    [429, 0.5, 6250],
    [503, 0.5, 6250],
    [503, 0.999, 7497.5],
  ])('never asks before "retry after" of a %d, and spreads the nodes behind it', (code, random, delay) => {
    expect(react(status(code, 5000), { random }).delay).toBe(delay);
    expect(react(status(code, 5000), { random, operation: 'watch' }).delay).toBe(delay);
  });

  test('spreads the relists of many nodes only when their watches expire at the same time', () => {
    const delays = [0, 0.5, 0.9].map((random) => react(status(410), { operation: 'watch', random }).delay);
    expect(delays).toEqual([800, 2500, 4500]);
    expect(react(status(410), { operation: 'list', random: 0.9 }).delay).toBe(1520);
  });

  test('distinguishes a wrong configuration from an unreachable server', () => {
    expect(react(new KubernetesError('EXEC_PLUGIN_FAILED', 'no plug-in')).report).toEqual({
      kind: 'refused',
      severity: 'error',
      message: 'no plug-in',
    });
    expect(react(new TypeError('x')).report).toEqual({ kind: 'unexpected' });
  });
});
