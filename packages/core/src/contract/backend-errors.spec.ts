import { describe, expect, test } from '@jest/globals';
import { LeftoversError, PartlyAppliedError } from './backend-errors.js';
import { hasErrorKind, ProxierError } from './proxier-error.js';

describe('errors of backends', () => {
  test('a partly applied transaction names the first refused object, counts the rest, and gives the reason', () => {
    const refused = new Map([
      ['default/web:http', 'no such chain'],
      ['default/dns:udp', 'no such set'],
    ]);
    const error = new PartlyAppliedError('ACME_PARTLY_APPLIED', refused);
    expect(error.message).toBe(
      'default/web:http and 1 more could not be programmed, everything else is in force: no such chain',
    );
    expect([error.code, error.kind, error.name]).toEqual([
      'ACME_PARTLY_APPLIED',
      'partly-applied',
      'PartlyAppliedError',
    ]);
  });

  test('leftovers are listed', () => {
    const error = new LeftoversError('ACME_LEFTOVERS', ['chain KUBE-SERVICES', 'set KUBE-IPS (busy)']);
    expect(error.message).toContain('could not remove chain KUBE-SERVICES, set KUBE-IPS (busy)');
    expect(error.kind).toBe('leftovers');
  });

  test('the kind is found in the cause that has it', () => {
    const denied = new ProxierError('NFT_PERMISSION_DENIED', 'denied', { kind: 'permission-denied' });
    const outer = new LeftoversError('ACME_LEFTOVERS', ['table'], { cause: denied });
    expect(hasErrorKind(outer, 'permission-denied')).toBe(true);
    expect(hasErrorKind(outer, 'leftovers')).toBe(true);
    expect(hasErrorKind(outer, 'partly-applied')).toBe(false);
    expect(hasErrorKind(new Error('denied', { cause: denied }), 'permission-denied')).toBe(false);
  });
});
