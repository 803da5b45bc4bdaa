import { describe, expect, test } from '@jest/globals';
import type { IPFamily } from '@kube-proxier/core';
import { parseCommandLine } from '../flags/command-line.js';
import { readSettings } from '../flags/settings.js';
import { checkFamilies } from './family-checks.js';

const BOTH: readonly IPFamily[] = ['IPv4', 'IPv6'];
const check = (families: readonly IPFamily[], ...args: readonly string[]) =>
  checkFamilies(readSettings(parseCommandLine(['--manifests=m', ...args]), ['iptables']), families);

describe('what does not fit the IP families of the host (spec K-110, K-111)', () => {
  const primary = '--nodeport-addresses=primary';

  test('nothing does when all fits', () => {
    expect(check(BOTH, primary, '--cluster-cidr=10.0.0.0/8,fd00::/64')).toEqual({ fatal: [], warnings: [] });
    expect(check(['IPv6'], primary, '--healthz-bind-address=::', '--metrics-bind-address=::1').warnings).toEqual([]);
    // Unspecified addresses are fine, whatever their family.
    expect(check(['IPv6'], primary, '--metrics-bind-address=0.0.0.0').warnings).toEqual([]);
  });

  test.each<[string, readonly IPFamily[], readonly string[], RegExp]>([
    ['no choice of addresses for NodePorts', BOTH, [], /consider --nodeport-addresses=primary/],
    ['one family of two', BOTH, ['--nodeport-addresses=10.0.0.0/8'], /names no IPv6 network/],
    ['the other family', ['IPv4'], ['--nodeport-addresses=fd00::/8'], /names no IPv4 network/],
    [
      'pods of the other family, where both are served',
      BOTH,
      [primary, '--cluster-cidr=fd00::/8'],
      /has no IPv4 network/,
    ],
    ['status at the other family', ['IPv6'], [primary], /--metrics-bind-address 127\.0\.0\.1 is an IPv4 address/],
  ])('warns of %s', (_what, families, args, warning) => {
    expect(check(families, ...args)).toEqual({ fatal: [], warnings: [expect.stringMatching(warning)] });
  });

  test('pods of the other family are an end where only one is served', () => {
    expect(check(['IPv4'], primary, '--cluster-cidr=fd00::/8').fatal).toEqual([
      expect.stringMatching(/has no IPv4 network/),
    ]);
  });
});
