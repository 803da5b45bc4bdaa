import { describe, expect, test } from '@jest/globals';
import type { AgentSettings } from './agent-settings.js';
import { parseCommandLine } from './command-line.js';
import { FLAGS } from './flag.js';
import { CommandLineError, readSettings } from './settings.js';

const MODES = ['iptables', 'nftables', 'ipvs', 'userspace'];

function read(...args: readonly string[]): AgentSettings {
  return readSettings(parseCommandLine(['--manifests=m', ...args]), MODES);
}

function problems(...args: readonly string[]): readonly string[] {
  try {
    readSettings(parseCommandLine(args), MODES, undefined, {});
  } catch (error) {
    if (error instanceof CommandLineError) {
      return error.problems;
    }
    throw error;
  }
  return [];
}

describe('readSettings', () => {
  test("has kube-proxy's defaults", () => {
    const { effective, ...settings } = read();
    expect(effective.kubeProxy).toMatchObject({ mode: 'iptables', conntrack: { min: 131_072 } });
    expect(settings).toEqual({
      mode: '',
      fallback: 'iptables',
      takeover: true,
      verifyPeriod: 600_000,
      allowMultipleInstances: false,
      counterSeries: 100,
      nftables: { localhostNodePorts: false, ownedTable: 'never' },
      kubernetes: undefined,
      manifests: ['m'],
      healthChecks: { of: 'manifests', scripts: '' },
      bindAddress: '0.0.0.0',
      proxier: {
        localTrafficDetection: { kind: 'none' },
        nodePortAddresses: { kind: 'all' },
        localhostNodePorts: true,
        masqueradeAll: false,
        countConnections: false,
        countTraffic: false,
        overlappingExternalAddresses: 'serve',
        masqueradeBit: 14,
        syncPeriod: 30_000,
        minSyncPeriod: 'adaptive',
      },
      logging: { format: 'text', verbosity: 0 },
      probe: undefined,
      recording: { maxAge: 3_600_000, maxBytes: 67_108_864 },
      output: 'text',
      userspace: { redirect: 'auto', udpTimeout: 250 },
      ipvs: {
        localhostNodePorts: false,
        scheduler: 'rr',
        excludeCIDRs: [],
        strictARP: false,
        timeouts: { tcp: 0, tcpFin: 0, udp: 0 },
      },
      allowLoopbackEndpoints: false,
      status: { host: '127.0.0.1', port: 10249 },
      health: { host: '0.0.0.0', port: 10256 },
      bindAddressHardFail: false,
      profiling: false,
      conntrack: {
        maxPerCore: 32_768,
        min: 131_072,
        tcpEstablishedTimeout: 86_400_000,
        tcpCloseWaitTimeout: 3_600_000,
        tcpBeLiberal: false,
        udpTimeout: 0,
        udpStreamTimeout: 0,
      },
      oomScoreAdj: -999,
      explicit: { conntrack: false, oomScoreAdj: false },
      featureGates: { allowServiceExternalIPs: true, nftablesLocalhostNodePorts: false, ipvs: true },
      initOnly: false,
      writeConfigTo: '',
      configFile: '',
      foreignBackends: [],
      backendOptions: [],
      warnings: [],
    });
  });

  test.each<[readonly string[], AgentSettings['proxier']]>([
    [['--cluster-cidr=10.0.0.1/8'], { localTrafficDetection: { kind: 'cluster-cidr', cidrs: ['10.0.0.0/8'] } }],
    [
      ['--cluster-cidr=fd00::/64,010.1.0.0/016'],
      { localTrafficDetection: { kind: 'cluster-cidr', cidrs: ['fd00::/64', '10.1.0.0/16'] } },
    ],
    [['--detect-local-mode=NodeCIDR'], { localTrafficDetection: { kind: 'node-cidr' } }],
    [
      ['--detect-local-mode=BridgeInterface', '--pod-bridge-interface=cbr0'],
      { localTrafficDetection: { kind: 'interface', name: 'cbr0' } },
    ],
    [
      ['--detect-local-mode=InterfaceNamePrefix', '--pod-interface-name-prefix=veth'],
      { localTrafficDetection: { kind: 'interface-prefix', prefix: 'veth' } },
    ],
    [['--nodeport-addresses=primary'], { nodePortAddresses: { kind: 'primary' } }],
    [
      ['--nodeport-addresses=10.0.0.0/8, fd00::/8', '--nodeport-addresses', '192.0.2.1/32'],
      { nodePortAddresses: { kind: 'cidrs', cidrs: ['10.0.0.0/8', 'fd00::/8', '192.0.2.1/32'] } },
    ],
    [['--nodeport-addresses='], { nodePortAddresses: { kind: 'all' } }],
    [['--nodeport-addresses=primary,primary'], { nodePortAddresses: { kind: 'primary' } }],
    [['--nodeport-addresses=all'], { nodePortAddresses: { kind: 'entries', entries: ['all'] } }],
    [
      ['--nodeport-addresses=primary,localhost,10.0.0.0/8,localhost'],
      { nodePortAddresses: { kind: 'entries', entries: ['primary', 'localhost', '10.0.0.0/8', 'localhost'] } },
    ],
    [
      ['--proxy-mode=nftables', '--nftables-localhost-nodeports'],
      { nodePortAddresses: { kind: 'entries', entries: ['primary', 'localhost'] }, localhostNodePorts: 'listed' },
    ],
    [
      ['--proxy-mode=nftables', '--nodeport-addresses=localhost', '--iptables-localhost-nodeports=false'],
      { nodePortAddresses: { kind: 'entries', entries: ['localhost'] }, localhostNodePorts: 'listed' },
    ],
    [
      ['--nftables-localhost-nodeports', '--nodeport-addresses=primary'],
      { nodePortAddresses: { kind: 'primary' }, localhostNodePorts: true },
    ],
    [['--masquerade-all', '--iptables-masquerade-bit=31'], { masqueradeAll: true, masqueradeBit: 31 }],
    [['--iptables-localhost-nodeports=false'], { localhostNodePorts: false }],
    [['--iptables-sync-period=1m30s', '--iptables-min-sync-period=0'], { syncPeriod: 90_000, minSyncPeriod: 0 }],
    [['--hostname-override= Node-1 '], { nodeName: ' Node-1 ' }],
  ])('reads %j', (args, expected) => {
    expect(read(...args).proxier).toMatchObject(expected);
  });

  test('reads the options of the metrics-only server', () => {
    expect(read().scrape).toBeUndefined();
    const kubernetes = ['--master=https://api', '--metrics-scrape-bind-address=0.0.0.0'];
    expect(read(...kubernetes).scrape).toEqual({
      ...{ host: '0.0.0.0', port: 10_269, access: 'authorized', tls: 'self-signed' },
    });
    expect(
      read(
        ...['--master=https://api', '--metrics-scrape-bind-address=[::]:9444', '--metrics-scrape-tls-cert-file=/c'],
        '--metrics-scrape-tls-private-key-file=/k',
      ).scrape,
    ).toEqual({ host: '::', port: 9444, access: 'authorized', tls: { certificate: '/c', key: '/k' } });
    const plain = ['--metrics-scrape-access=everybody', '--metrics-scrape-tls=false'];
    expect(read('--metrics-scrape-bind-address=10.0.0.1:80', ...plain).scrape).toEqual({
      ...{ host: '10.0.0.1', port: 80, access: 'everybody', tls: 'none' },
    });
  });

  test.each([
    [
      ['--metrics-scrape-access=everybody'],
      '--metrics-scrape-access: "everybody" needs a --metrics-scrape-bind-address, such as 0.0.0.0',
    ],
    [
      ['--metrics-scrape-tls=false'],
      '--metrics-scrape-tls: "false" needs a --metrics-scrape-bind-address, such as 0.0.0.0',
    ],
    [
      ['--metrics-scrape-bind-address=0.0.0.0', '--metrics-scrape-access=all'],
      '--metrics-scrape-access: "all" must be authorized or everybody',
    ],
    [
      ['--metrics-scrape-bind-address=0.0.0.0', '--master=https://api', '--metrics-scrape-tls=false'],
      '--metrics-scrape-tls: "false" would expose the tokens of clients; use HTTPS, or set --metrics-scrape-access=everybody',
    ],
    [
      ['--metrics-scrape-bind-address=0.0.0.0'],
      '--metrics-scrape-access: "authorized" needs an API server, which decides: give --kubeconfig, or set everybody',
    ],
    [
      ['--metrics-scrape-bind-address=0.0.0.0', '--master=https://api', '--metrics-scrape-tls-cert-file=/c'],
      '--metrics-scrape-tls-cert-file: "/c" needs a --metrics-scrape-tls-private-key-file',
    ],
    [
      ['--metrics-scrape-bind-address=:10269', '--master=https://api'],
      '--metrics-scrape-bind-address: ":10269" must be an IP address, with a port from 1 to 65535, as in 127.0.0.1:10269',
    ],
  ])('refuses %j', (args, problem) => {
    expect(problems('--manifests=m', ...args)).toEqual([problem]);
  });

  test('reads the probe', () => {
    const addresses = ['192.0.2.1', '2001:db8::1'];
    expect(read('--probe-interval=5s').probe).toEqual({ interval: 5000, addresses, readiness: false });
    expect(read('--probe-interval=1m', '--probe-addresses=2001:DB8:0::9', '--probe-readiness').probe).toEqual({
      interval: 60_000,
      addresses: ['2001:db8::9'],
      readiness: true,
    });
  });

  test('a probe without an address is refused', () => {
    expect(problems('--manifests=m', '--probe-interval=5s', '--probe-addresses=')).toEqual([
      '--probe-addresses: "" must have an address when --probe-interval is set',
    ]);
  });

  test('reads the rest', () => {
    expect(read('--bind-address=FD00::1').bindAddress).toBe('fd00::1');
    expect(read('--proxy-mode=ipvs', '--proxy-mode-fallback=none')).toMatchObject({ mode: 'ipvs', fallback: 'none' });
    expect(read('--manifests=n', '--manifests', 'm').manifests).toEqual(['m', 'n']);
    expect(read('-v=4', '--logging-format=json').logging).toEqual({ format: 'json', verbosity: 4 });
    expect(readSettings(parseCommandLine(['cleanup']), MODES).manifests).toEqual([]);
  });

  test.each<[string, string]>([
    [
      '--proxy-mode=ebpf',
      '--proxy-mode: unknown proxy mode "ebpf"; available modes: iptables, nftables, ipvs, userspace; leave it empty for iptables',
    ],
    [
      '--proxy-mode-fallback=x',
      '--proxy-mode-fallback: "x" must be one of iptables, nftables, ipvs, userspace, or none',
    ],
    ['--hostname-override=  ', '--hostname-override: "  " must not be blank; leave it out to use the name of the host'],
    [
      '--bind-address=10.0.0.1:80',
      '--bind-address: "10.0.0.1:80" is not a valid textual representation of an IP address; give one, without port',
    ],
    ['--cluster-cidr=10.0.0.0', '--cluster-cidr: "10.0.0.0" is not a network; write it like 10.0.0.0/8 or fd00::/64'],
    [
      '--cluster-cidr=10.0.0.0/8,11.0.0.0/8',
      '--cluster-cidr: "10.0.0.0/8,11.0.0.0/8" must be one network, or two, one of each IP family',
    ],
    [
      '--detect-local-mode=clustercidr',
      '--detect-local-mode: "clustercidr" must be one of ClusterCIDR, NodeCIDR, BridgeInterface, InterfaceNamePrefix, ' +
        'or empty',
    ],
    [
      '--detect-local-mode=BridgeInterface',
      '--pod-bridge-interface: "" must name the bridge when --detect-local-mode is BridgeInterface',
    ],
    [
      '--detect-local-mode=InterfaceNamePrefix',
      '--pod-interface-name-prefix: "" must be set to a prefix of interface names when --detect-local-mode is ' +
        'InterfaceNamePrefix',
    ],
    [
      '--pod-bridge-interface=eth+',
      '--pod-bridge-interface: "eth+" must be the name or a prefix of the name of an interface: at most 15 letters and ' +
        'digits',
    ],
    ...['a"b', "a'b", 'cni*', 'a:b', 'a\\b'].map((name): [string, string] => [
      `--pod-interface-name-prefix=${name}`,
      `--pod-interface-name-prefix: "${name}" must be the name or a prefix of the name of an interface: at most 15 letters and digits`,
    ]),
    ['--count-traffic=absurd', '--count-traffic: "absurd" must be true or false'],
    [
      '--nodeport-addresses=10.0.0.1',
      '--nodeport-addresses: "10.0.0.1" must be a network such as 10.0.0.0/8 or fd00::/64, or one of primary, localhost, all',
    ],
    [
      '--nodeport-addresses=primary,locahost',
      '--nodeport-addresses: "locahost" must be a network such as 10.0.0.0/8 or fd00::/64, or one of primary, localhost, all; did you mean localhost?',
    ],
    [
      '--nodeport-addresses=::1',
      '--nodeport-addresses: "::1" must be a network such as 10.0.0.0/8 or fd00::/64, or one of primary, localhost, all',
    ],
    [
      '--feature-gates=KubeProxyIPVS=perhaps',
      '--feature-gates: "KubeProxyIPVS=perhaps" must be a feature gate with true or false, such as AllowServiceExternalIPs=false',
    ],
    ['--masquerade-all=yes', '--masquerade-all: "yes" must be true or false'],
    ['--probe-interval=10ms', '--probe-interval: "10ms" must be at least 1s, or 0 for no probe'],
    ['--probe-readiness', '--probe-readiness: "true" needs a --probe-interval, such as 5s'],
    [
      '--probe-addresses=192.0.2.1:80',
      '--probe-addresses: "192.0.2.1:80" is not an IP address; give one without port, such as 192.0.2.1',
    ],
    [
      '--probe-addresses=192.0.2.1,192.0.2.2',
      '--probe-addresses: "192.0.2.1,192.0.2.2" must be at most one address of each IP family',
    ],
    ['--iptables-masquerade-bit=32', '--iptables-masquerade-bit: "32" must be a bit from 0 to 31'],
    ['--iptables-sync-period=30', '--iptables-sync-period: "30" is not a duration; write it like 500ms, 30s or 1m30s'],
    ['--iptables-sync-period=0', '--iptables-sync-period: "0" must be greater than 0, such as 30s'],
    [
      '--iptables-min-sync-period=31s',
      '--iptables-sync-period: "30s" must be greater than or equal to 31s (--iptables-min-sync-period)',
    ],
    ['--iptables-min-sync-period=-1s', '--iptables-min-sync-period: "-1s" must be 0 or greater, such as 1s'],
    ['--logging-format=xml', '--logging-format: "xml" must be text or json'],
    ['--v=x', '--v: "x" must be a verbosity level from 0, such as 2'],
    ['--manifests=', '--manifests: "" must be the path of a directory or a file'],
    ['--hostname-override=\n\u001b[31m ', ''],
  ])('rejects %j, and names valid values', (arg, expected) => {
    expect(problems('--manifests=m', arg)).toEqual(expected === '' ? [] : [expected]);
  });

  test.each<[readonly string[], object]>([
    [['--healthz-port=0', '--metrics-port=0'], { health: undefined, status: undefined }],
    [['--healthz-bind-address=10.0.0.1', '--healthz-port=99'], { health: { host: '10.0.0.1', port: 99 } }],
    [['--healthz-bind-address=10.0.0.1:1', '--healthz-port=0'], { health: undefined }],
    [['--conntrack-max-per-core=0', '--conntrack-udp-timeout=5s'], { conntrack: { maxPerCore: 0, udpTimeout: 5000 } }],
    [['--oom-score-adj=-1000'], { oomScoreAdj: -1000, explicit: { oomScoreAdj: true } }],
    [
      ['--feature-gates=KubeProxyNFTablesLocalhostNodePorts=true'],
      { featureGates: { nftablesLocalhostNodePorts: true }, nftables: { localhostNodePorts: 'selected' } },
    ],
    [['--feature-gates=AllAlpha=true'], { featureGates: { nftablesLocalhostNodePorts: true } }],
    [
      ['--feature-gates=AllAlpha=true,KubeProxyNFTablesLocalhostNodePorts=false'],
      { featureGates: { nftablesLocalhostNodePorts: false }, nftables: { localhostNodePorts: false } },
    ],
    [['--backend=a', '--backend=b,c'], { foreignBackends: ['a', 'b', 'c'] }],
    [['--init-only', '--bind-address-hard-fail'], { initOnly: true, bindAddressHardFail: true }],
    [['--profiling'], { profiling: true }],
  ])('reads %j, too', (args, expected) => {
    expect(read(...args)).toMatchObject({ ...expected, warnings: [] });
  });

  test.each<[string, string]>([
    ['--healthz-port=99', '--healthz-port: has no effect: --healthz-bind-address has a port, 10256'],
    ['--kube-api-qps=50', '--kube-api-qps: has no effect: '],
    // In client-go, no limit.
    ['--kube-api-qps=-1', '--kube-api-qps: has no effect: '],
    ['--kube-api-qps=1e3', '--kube-api-qps: has no effect: '],
    ['--vmodule=proxy*=9', '--vmodule: has no effect: verbosity is set for the whole program: use -v'],
    ['--feature-gates=NativeHistograms=true', '--feature-gates: NativeHistograms=true has no effect: '],
    ['--feature-gates=NFTablesNetlink=false', '--feature-gates: NFTablesNetlink=false has no effect: '],
    [
      '--feature-gates=NoSuchGate=true',
      '--feature-gates: NoSuchGate=true has no effect: kube-proxier has no such feature gate',
    ],
    ['--windows-service', '--windows-service: has no effect: Windows only'],
  ])('accepts %j, and reports why it has no effect', (arg, expected) => {
    expect(read(arg).warnings).toEqual([expect.stringContaining(expected)]);
  });

  test('warns about deprecated feature gates, and applies them', () => {
    const { featureGates, warnings } = read('--feature-gates=AllowServiceExternalIPs=false,KubeProxyIPVS=true');
    expect(featureGates).toMatchObject({ allowServiceExternalIPs: false, ipvs: true });
    expect(warnings).toEqual([
      expect.stringMatching(/^--feature-gates: AllowServiceExternalIPs is a deprecated feature gate/),
      expect.stringMatching(/^--feature-gates: KubeProxyIPVS is a deprecated feature gate/),
    ]);
  });

  test('refuses mode ipvs while its feature gate is false', () => {
    expect(problems('--manifests=m', '--proxy-mode=ipvs', '--feature-gates=KubeProxyIPVS=false')).toEqual([
      '--proxy-mode: "ipvs" cannot be selected while the feature gate KubeProxyIPVS is false',
    ]);
  });

  test("accepts kube-proxy's defaults without warnings", () => {
    const flags = FLAGS.flatMap((flag) => ('unused' in flag ? [`--${flag.name}=${flag.default}`] : []));
    expect(read(...flags).warnings).toEqual([]);
  });

  test.each<[string, RegExp]>([
    ['--oom-score-adj=1001', /^--oom-score-adj: "1001" must be a score from -1000 to 1000$/],
    ['--conntrack-min=-1', /^--conntrack-min: "-1" must be a number of connections from 0/],
    ['--conntrack-udp-timeout=-1s', /^--conntrack-udp-timeout: "-1s" must be 0 or greater/],
    ['--config-sync-period=0', /^--config-sync-period: "0" must be greater than 0/],
    ['--kube-api-burst=-1', /^--kube-api-burst: "-1" must be a whole number from 0$/],
    ['--kube-api-qps=many', /^--kube-api-qps: "many" must be a number/],
    ['--show-hidden-metrics-for-version=soon', /^--show-hidden-metrics-for-version: "soon" must be a minor version/],
    [
      '--feature-gates=AllowServiceExternalIPs',
      /^--feature-gates: "AllowServiceExternalIPs" must be a feature gate with/,
    ],
    ['--feature-gates=PreferSameTrafficDistribution=false', / cannot be set: the feature is locked to true$/],
    ['--healthz-port=70000', /^--healthz-port: "70000" must be a port/],
  ])('refuses %j', (arg, expected) => {
    expect(problems('--manifests=m', arg)).toEqual([expect.stringMatching(expected)]);
  });

  test('has every flag of kube-proxy 1.36', () => {
    const flags = `
      bind-address bind-address-hard-fail boot-id-file cleanup cluster-cidr config config-sync-period
      conntrack-max-per-core conntrack-min conntrack-tcp-be-liberal conntrack-tcp-timeout-close-wait
      conntrack-tcp-timeout-established conntrack-udp-timeout conntrack-udp-timeout-stream detect-local-mode enable-dsr
      feature-gates forward-healthcheck-vip healthz-bind-address healthz-port help hostname-override init-only
      iptables-localhost-nodeports iptables-masquerade-bit iptables-min-sync-period iptables-sync-period
      ipvs-exclude-cidrs ipvs-min-sync-period ipvs-scheduler ipvs-strict-arp ipvs-sync-period ipvs-tcp-timeout
      ipvs-tcpfin-timeout ipvs-udp-timeout kube-api-burst
      kube-api-content-type kube-api-qps kubeconfig log-flush-frequency log-json-info-buffer-size log-json-split-stream
      log-text-info-buffer-size log-text-split-stream logging-format machine-id-file masquerade-all master
      metrics-bind-address metrics-port network-name nodeport-addresses oom-score-adj pod-bridge-interface
      pod-interface-name-prefix profiling proxy-mode root-hnsendpoint-name show-hidden-metrics-for-version source-vip v
      version vmodule windows-service write-config-to`;
    const ours: readonly string[] = FLAGS.map(({ name }) => name);
    expect(
      flags
        .trim()
        .split(/\s+/)
        .filter((name) => !ours.includes(name)),
    ).toEqual([]);
  });

  test('reports that no Service source is configured', () => {
    expect(problems()).toEqual([
      expect.stringMatching(/^no Service source configured: .*--kubeconfig.*--manifests.*KUBERNETES_SERVICE_HOST/),
    ]);
    expect(problems('--master=http://127.0.0.1:1')).toEqual([]);
    expect(problems('--master=ftp://a')).toEqual([
      '--master: "ftp://a" is not the URL of an API server; write it like https://10.0.0.1:6443',
    ]);
  });

  test('uses the configured API server, or the in-cluster one', () => {
    const pod = { KUBERNETES_SERVICE_HOST: '10.96.0.1' };
    const kubernetes = (...args: readonly string[]) =>
      readSettings(parseCommandLine(args), MODES, undefined, pod).kubernetes;
    expect(kubernetes()).toEqual({ kubeconfig: '', master: '', encoding: 'auto' });
    expect(kubernetes('--kube-api-content-type=application/json')).toMatchObject({ encoding: 'json' });
    expect(kubernetes('--kubeconfig=a', '--kubeconfig', 'b')).toEqual({
      kubeconfig: 'b',
      master: '',
      encoding: 'auto',
    });
    expect(kubernetes('--master=10.0.0.1:8080', '--manifests=m')).toEqual({
      kubeconfig: '',
      master: '10.0.0.1:8080',
      encoding: 'auto',
    });
    expect(kubernetes('--manifests=m')).toBeUndefined();
    expect(kubernetes('cleanup')).toBeUndefined();
  });

  test('reports all problems together', () => {
    expect(problems('--proxy-mod=x', '--v=x', '--masquerade-all=2', 'extra', '--bind-address=y')).toHaveLength(5);
  });

  test('reads options of the ipvs backend', () => {
    const given = read(
      '--proxy-mode=ipvs',
      '--ipvs-scheduler=wlc',
      '--ipvs-exclude-cidrs=10.1.0.0/16,fd00::/64',
      '--ipvs-strict-arp',
      '--ipvs-localhost-nodeports',
      '--ipvs-tcp-timeout=10m',
      '--ipvs-udp-timeout=30s',
      '--ipvs-sync-period=1m',
      '--ipvs-min-sync-period=2s',
      '--iptables-min-sync-period=7s',
    );
    expect(given.ipvs).toEqual({
      localhostNodePorts: 'selected',
      scheduler: 'wlc',
      excludeCIDRs: ['10.1.0.0/16', 'fd00::/64'],
      strictARP: true,
      timeouts: { tcp: 600, tcpFin: 0, udp: 30 },
    });
    expect(given.proxier).toMatchObject({ syncPeriod: 60_000, minSyncPeriod: 2000 });
    expect(read('--ipvs-min-sync-period=2s').proxier).toMatchObject({ minSyncPeriod: 'adaptive' });
  });

  test.each([
    ['--ipvs-scheduler=fastest', /^--ipvs-scheduler: "fastest" must be one of rr, wrr, /],
    ['--ipvs-exclude-cidrs=here', /^--ipvs-exclude-cidrs: "here" is not a network/],
    ['--ipvs-udp-timeout=-1s', /^--ipvs-udp-timeout: "-1s" must be 0 or greater/],
    ['--ipvs-sync-period=0s', /^--ipvs-sync-period: "0s" must be greater than 0/],
    ['--nftables-owned-table=yes', /^--nftables-owned-table: "yes" must be one of never, persistent, always/],
    ['--health-checks=yes', /^--health-checks: "yes" must be one of manifests, all, none/],
    ['--health-check-scripts=checks', /^--health-check-scripts: "checks" must be an absolute path/],
    ['--nftables-program=iptables', /^--nftables-program: "iptables" must be one of auto, netlink, nft/],
  ])('refuses %s', (flag, problem) => {
    expect(() => read(flag)).toThrow(problem);
  });

  test('reads options of the nftables backend', () => {
    expect(read('--nftables-owned-table=always').nftables).toEqual({
      localhostNodePorts: false,
      ownedTable: 'always',
    });
    expect(read('--nftables-program=nft').nftables).toMatchObject({ access: 'nft' });
    expect(read('--nftables-program=auto').nftables).not.toHaveProperty('access');
  });

  test('reads the counting options, including the deprecated flag', () => {
    const { proxier, counterSeries } = read('--count-connections', '--counter-series=7');
    expect([proxier.countConnections, counterSeries]).toEqual([true, 7]);
    expect(read('--nftables-count-connections').proxier.countConnections).toBe(true);
    expect(proxier.countTraffic).toBe(false);
    expect(read('--count-traffic').proxier).toMatchObject({ countConnections: true, countTraffic: true });
    expect(() => read('--counter-series=0')).toThrow(/--counter-series: "0" must be a number of series from 1/);
  });

  test('reads options of the userspace backend', () => {
    expect(read('--userspace-redirect=none', '--proxy-port-range=30000+9', '--udp-timeout=2s').userspace).toEqual({
      redirect: 'none',
      portRange: { first: 30_000, last: 30_009 },
      udpTimeout: 2000,
    });
    const laptop = ['--proxy-mode=userspace', '--userspace-redirect=none'];
    expect(read(...laptop).allowLoopbackEndpoints).toBe(true);
    expect(read('--userspace-redirect=none').allowLoopbackEndpoints).toBe(false);
    expect(read('--proxy-port-range=0').userspace.portRange).toBeUndefined();
  });
});
