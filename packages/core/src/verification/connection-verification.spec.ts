import { describe, expect, test } from '@jest/globals';
import { makeService, makeSlice, resolveObjects } from '../testing/index.js';
import { type ConnectionAttempt, ConnectionVerification } from './connection-verification.js';

const HOST = { localAddresses: new Set(['192.168.0.2', '127.0.0.1']), interfaces: [] };

function stateOf(count = 1, ready = true) {
  const names = Array.from({ length: count }, (_, index) => `work/web-${index}`);
  return resolveObjects({
    services: names.map((name, index) => makeService(name, { clusterIP: `10.96.0.${index + 1}` })),
    slices: names.map((name) => makeSlice(name, [{ address: '10.244.0.1', ready }])),
  });
}

const ENDPOINT = [...stateOf().servicePorts.values()][0]?.cluster[0]?.key ?? '';

/** The verdict when every connection to the Service has this result, and all other connections are refused. */
function verdictOf(attempt: ConnectionAttempt, state = stateOf()) {
  const verification = new ConnectionVerification(state, HOST, 100);
  for (const one of verification.classes) {
    verification.add(one, one.servicePort === undefined ? { result: 'refused', endpoint: undefined } : attempt);
  }
  const { verdict, findings } = verification.result();
  return [verdict, ...findings.map(({ kind }) => kind)];
}

describe('ConnectionVerification', () => {
  test.each<[string, ConnectionAttempt, readonly string[]]>([
    ['to its endpoint', { result: 'connected', endpoint: ENDPOINT }, ['verified']],
    ['somewhere, which cannot be read', { result: 'connected', endpoint: null }, ['verified']],
    ['to the address itself', { result: 'connected', endpoint: undefined }, ['different', 'not-forwarded']],
    ['to another endpoint', { result: 'connected', endpoint: '10.9.9.9:1' }, ['different', 'wrong-endpoint']],
    ['nowhere: dropped', { result: 'timeout', endpoint: undefined }, ['different', 'dropped']],
    ['nowhere: refused', { result: 'refused', endpoint: undefined }, ['unknown', 'unknown']],
    ['to its endpoint, which refuses', { result: 'refused', endpoint: ENDPOINT }, ['unknown', 'unknown']],
    ['to its endpoint, without an answer', { result: 'timeout', endpoint: ENDPOINT }, ['unknown', 'unknown']],
    ['nowhere known: refused', { result: 'refused', endpoint: null }, ['unknown', 'unknown']],
    ['not attempted', { result: 'failed', endpoint: null, reason: 'EADDRINUSE' }, ['unknown', 'unknown']],
  ])('a connection that goes %s', (_what, attempt, expected) => {
    expect(verdictOf(attempt)).toEqual(expected);
  });

  test.each<[string, ConnectionAttempt, readonly string[]]>([
    ['refused', { result: 'refused', endpoint: undefined }, ['verified']],
    ['dropped', { result: 'timeout', endpoint: undefined }, ['different', 'dropped']],
    ['accepted', { result: 'connected', endpoint: undefined }, ['different', 'accepted']],
    ['sent to an endpoint that is not ready', { result: 'refused', endpoint: ENDPOINT }, ['different', 'refused']],
  ])('a Service without endpoints: a connection is %s', (_what, attempt, expected) => {
    expect(verdictOf(attempt, stateOf(1, false))).toEqual(expected);
  });

  test('a limit makes the verdict unknown, with the number of unchecked classes', () => {
    const all = new ConnectionVerification(stateOf(50), HOST, 1000).classes.length;
    const verification = new ConnectionVerification(stateOf(50), HOST, 10);
    expect(verification.classes).toHaveLength(10);
    for (const one of verification.classes) {
      verification.add(one, { result: one.servicePort === undefined ? 'refused' : 'connected', endpoint: undefined });
    }
    expect(verification.result().findings.at(-1)?.message).toBe(
      `${all - 10} of ${all} connections were not made, because of the limit`,
    );
  });
});
