import { describe, expect, test } from '@jest/globals';
import { parseCommandLine } from '../flags/command-line.js';
import { readSettings } from '../flags/settings.js';
import { formatConfiguration } from './effective-configuration.js';
import { readKubeProxyConfiguration } from './kube-proxy-configuration.js';

const MODES = ['iptables', 'ipvs', 'nftables', 'userspace'];

/** The file that is written for a command line, and the settings of a start with that file. */
function roundTrip(...args: string[]) {
  const first = readSettings(parseCommandLine(args), MODES, undefined, {});
  const text = formatConfiguration(first.effective);
  const again = readSettings(parseCommandLine(['--config=c']), MODES, readKubeProxyConfiguration(text, 'c'), {});
  return { first, text, again };
}

describe('the effective configuration', () => {
  test.each([
    [['--manifests=m']],
    [['--manifests=m', '--backend-option=acme:list=[1,"x"]', '--backend-option=text=a,  b']],
    [['--manifests=m', '--proxy-mode=nftables', '--nodeport-addresses=10.0.0.0/8,fd00::/8', '--masquerade-all']],
    [['--manifests=m', '--proxy-mode=nftables']],
    [['--manifests=m', '--proxy-mode=nftables', '--nftables-localhost-nodeports']],
    [['--manifests=m', '--nodeport-addresses=localhost,all,10.0.0.0/8,primary,primary']],
    [['--kubeconfig=k', '--cluster-cidr=10.244.0.0/16,fd00:244::/56', '--iptables-min-sync-period=250ms']],
    [['--manifests=m', '--proxy-mode=userspace', '--userspace-redirect=bind', '--proxy-port-range=1000-2000']],
    [
      [
        ...['--manifests=m', '--oom-score-adj=0', '--conntrack-max-per-core=0', '--conntrack-udp-timeout-stream=1m30s'],
        ...[
          '--feature-gates=KubeProxyNFTablesLocalhostNodePorts=true',
          '-v=3',
          '--logging-format=json',
          '--hostname-override=n',
        ],
        ...[
          '--healthz-bind-address=10.0.0.1:99',
          '--iptables-masquerade-bit=0',
          '--iptables-localhost-nodeports=false',
        ],
        ...['--detect-local-mode=BridgeInterface', '--pod-bridge-interface=cbr0', '--bind-address-hard-fail'],
      ],
    ],
  ])('of %j, written and read again, is the same', (args) => {
    const { first, again } = roundTrip(...args);
    expect(again.warnings).toEqual([]);
    expect(again.effective).toEqual(first.effective);
    const { effective: _, explicit: __, configFile: ___, mode, ...rest } = first;
    expect(again).toMatchObject({ ...rest, mode: mode === '' ? 'iptables' : mode });
  });

  test('has the effective ports of addresses without a port (spec C-63, C-64)', () => {
    const { text } = roundTrip('--manifests=m', '--healthz-bind-address=10.0.0.1', '--metrics-bind-address=::1');
    expect(text).toContain('\nhealthzBindAddress: 10.0.0.1:10256\n');
    expect(text).toContain('\nmetricsBindAddress: "[::1]:10249"\n');
  });

  test.each<[readonly string[], unknown]>([
    [[], null],
    // The default of the mode is not written: `plan` applies the values of an agent to another mode.
    [['--proxy-mode=nftables'], null],
    [['--proxy-mode=nftables', '--nodeport-addresses=localhost'], ['localhost']],
    [
      ['--nodeport-addresses=all, primary', '--nodeport-addresses=10.0.0.0/8'],
      ['all', 'primary', '10.0.0.0/8'],
    ],
  ])('of %j has nodePortAddresses %j in /configz', (args, expected) => {
    expect(roundTrip('--manifests=m', ...args).first.effective.kubeProxy.nodePortAddresses).toEqual(expected);
  });

  test('is written in the format of kube-proxy', () => {
    const { text } = roundTrip('--manifests=m', '--proxy-mode=nftables', '--iptables-sync-period=45s');
    expect(text).toMatch(/^apiVersion: kubeproxy\.config\.k8s\.io\/v1alpha1\n/);
    expect(text).toContain('  tcpEstablishedTimeout: 24h0m0s\n');
    expect(text).toMatch(/\niptables:\n(?: {2}.*\n)*? {2}syncPeriod: 0s\n/);
    expect(text).toMatch(/\nnftables:\n(?: {2}.*\n)*? {2}syncPeriod: 45s\n/);
    expect(text).toMatch(/\n---\nallowMultipleInstances: false\napiVersion: kube-proxier\.io\/v1alpha1\n/);
  });
});
