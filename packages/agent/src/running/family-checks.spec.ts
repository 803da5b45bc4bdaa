import { describe, expect, test } from '@jest/globals';
import type { IPFamily } from '@kube-proxier/core';
import { parseCommandLine } from '../flags/command-line.js';
import { readSettings } from '../flags/settings.js';
import { checkFamilies } from './family-checks.js';

const BOTH: readonly IPFamily[] = ['IPv4', 'IPv6'];
const check = (families: readonly IPFamily[], ...args: readonly string[]) =>
  checkFamilies(readSettings(parseCommandLine(['--manifests=m', ...args]), ['iptables']), families);

describe('problems with the IP families of the host (spec K-110, K-111)', () => {
  const primary = '--nodeport-addresses=primary';
  const pods = '--cluster-cidr=10.0.0.0/8,fd00::/64';

  test('none when everything matches', () => {
    expect(check(BOTH, primary, pods)).toEqual({ fatal: [], warnings: [], advice: [] });
    expect(check(['IPv6'], primary, pods, '--healthz-bind-address=::', '--metrics-bind-address=::1').warnings).toEqual(
      [],
    );
    // Unspecified addresses of any family are valid.
    expect(check(['IPv6'], primary, pods, '--metrics-bind-address=0.0.0.0').warnings).toEqual([]);
  });

  test.each<[string, readonly IPFamily[], readonly string[], RegExp]>([
    ['one family of two', BOTH, [pods, '--nodeport-addresses=10.0.0.0/8'], /names no IPv6 network/],
    ['the other family', ['IPv4'], [pods, '--nodeport-addresses=fd00::/8'], /names no IPv4 network/],
    [
      'pods of the other family, where both are served',
      BOTH,
      [primary, '--cluster-cidr=fd00::/8'],
      /has no IPv4 network/,
    ],
    ['no detection of pods', BOTH, [primary], /--cluster-cidr is not set/],
    ['status at the other family', ['IPv6'], [primary, pods], /--metrics-bind-address 127\.0\.0\.1 is an IPv4 address/],
  ])('warns of %s', (_what, families, args, warning) => {
    expect(check(families, ...args)).toEqual({ fatal: [], warnings: [expect.stringMatching(warning)], advice: [] });
  });

  test("NodePorts on all addresses, kube-proxy's default, cause advice but no warning", () => {
    const advice = [expect.stringMatching(/consider --nodeport-addresses=primary/)];
    expect(check(BOTH, pods)).toEqual({ fatal: [], warnings: [], advice });
  });

  const BACKENDS = {
    iptables: { localhostNodePorts: true },
    ipvs: {},
    nftables: {},
    userspace: { localhostNodePorts: true, localhostNodePortsIPv6: true },
  } as const;

  test.each<[keyof typeof BACKENDS, readonly string[], readonly RegExp[]]>([
    ['iptables', ['primary'], []],
    ['iptables', ['all'], []],
    ['iptables', ['127.0.0.0/8,10.0.0.0/8,fd00::/8'], []],
    [
      'iptables',
      ['primary,localhost'],
      [
        /^--nodeport-addresses includes ::1\/128, and mode iptables serves no NodePorts there \(it lacks localhostNodePortsIPv6\)$/,
      ],
    ],
    [
      'iptables',
      ['primary,localhost', '--iptables-localhost-nodeports=false'],
      [
        /includes ::1\/128, and mode iptables/,
        /includes 127\.0\.0\.0\/8, but --iptables-localhost-nodeports=false was passed/,
      ],
    ],
    [
      'ipvs',
      ['localhost'],
      [
        /includes 127\.0\.0\.0\/8 and ::1\/128, and mode ipvs serves no NodePorts there without --ipvs-localhost-nodeports \(it lacks localhostNodePorts and localhostNodePortsIPv6\); nothing else is listed, so no address has IPv4 and IPv6 NodePorts$/,
      ],
    ],
    [
      'nftables',
      ['primary,localhost'],
      [/mode nftables serves no NodePorts there without --feature-gates=KubeProxyNFTablesLocalhostNodePorts=true or /],
    ],
    ['userspace', ['localhost'], []],
    ['userspace', ['primary,localhost', '--iptables-localhost-nodeports=false'], [/includes 127\.0\.0\.0\/8, but /]],
  ])(
    'mode %s and --nodeport-addresses=%j: loopback addresses that are not served cause one warning',
    (mode, [value, ...args], warnings) => {
      const settings = readSettings(
        parseCommandLine(['--manifests=m', pods, `--proxy-mode=${mode}`, `--nodeport-addresses=${value}`, ...args]),
        Object.keys(BACKENDS),
      );
      expect(checkFamilies(settings, BOTH, { mode, capabilities: BACKENDS[mode] }).warnings).toEqual(
        warnings.map((warning) => expect.stringMatching(warning)),
      );
      // Families that are not served need no warning.
      expect(checkFamilies(settings, [], { mode, capabilities: BACKENDS[mode] }).warnings).toEqual([]);
    },
  );

  test('traffic of pods need not be detected with masquerade-all, or is detected by another mode', () => {
    expect(check(BOTH, primary, '--masquerade-all').warnings).toEqual([]);
    expect(check(BOTH, primary, '--detect-local-mode=NodeCIDR').warnings).toEqual([]);
  });

  test('traffic of pods need not be detected by a backend that masquerades everything', () => {
    const settings = readSettings(parseCommandLine(['--manifests=m', primary]), ['iptables']);
    expect(checkFamilies(settings, BOTH, { capabilities: { preservesSource: false } }).warnings).toEqual([]);
    expect(checkFamilies(settings, BOTH, {}).warnings).toHaveLength(1);
  });

  test('pods of the other family are fatal if only one family is served', () => {
    expect(check(['IPv4'], primary, '--cluster-cidr=fd00::/8').fatal).toEqual([
      expect.stringMatching(/has no IPv4 network/),
    ]);
  });
});
