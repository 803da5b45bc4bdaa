import { describe, expect, test } from '@jest/globals';
import { parseCommandLine } from '../flags/command-line.js';
import { FLAGS } from '../flags/flag.js';
import type { Flag } from '../flags/flag-definition.js';
import { CommandLineError, readSettings } from '../flags/settings.js';
import { KUBEADM_CONFIG } from '../testing/kubeadm-files.js';
import { FIELDS, OWN_FIELDS, readKubeProxyConfiguration } from './kube-proxy-configuration.js';

const HEAD = 'apiVersion: kubeproxy.config.k8s.io/v1alpha1\nkind: KubeProxyConfiguration\n';
const MODES = ['iptables', 'ipvs', 'nftables'];

function settings(text: string, ...args: string[]) {
  return readSettings(
    parseCommandLine(['--manifests=m', ...args]),
    MODES,
    readKubeProxyConfiguration(text, 'config.conf'),
  );
}

function problems(text: string, ...args: string[]): readonly string[] {
  try {
    settings(text, ...args);
  } catch (error) {
    return error instanceof CommandLineError ? error.problems : [String(error)];
  }
  return [];
}

describe('a KubeProxyConfiguration', () => {
  test("kubeadm's file loads unchanged, without a warning", () => {
    expect(readKubeProxyConfiguration(KUBEADM_CONFIG, 'config.conf').warnings).toEqual([]);
    expect(settings(KUBEADM_CONFIG, '--hostname-override=worker-1')).toMatchObject({
      mode: '',
      proxier: {
        nodeName: 'worker-1',
        localTrafficDetection: { kind: 'cluster-cidr', cidrs: ['10.244.0.0/16'] },
        localhostNodePorts: true,
        masqueradeBit: 14,
        syncPeriod: 30_000,
        minSyncPeriod: 'adaptive',
      },
      health: { host: '0.0.0.0', port: 10_256 },
      status: { host: '127.0.0.1', port: 10_249 },
    });
  });

  test('the section of the mode is used (spec C-40)', () => {
    const text = `${HEAD}mode: nftables\niptables: {syncPeriod: 10s, masqueradeBit: 3}\nnftables: {syncPeriod: 20s, masqueradeAll: true}\n`;
    expect(settings(text)).toMatchObject({
      mode: 'nftables',
      proxier: { syncPeriod: 20_000, masqueradeAll: true, masqueradeBit: 14 },
    });
  });

  test('it replaces flags, except those that stay effective (spec C-20)', () => {
    const text = `${HEAD}clusterCIDR: 10.0.0.0/8\nhostnameOverride: of-file\nlogging: {verbosity: 2}\n`;
    expect(
      settings(text, '--cluster-cidr=10.244.0.0/16', '--masquerade-all', '--hostname-override=of-flag', '-v=4'),
    ).toMatchObject({
      logging: { verbosity: 4 },
      proxier: { nodeName: 'of-flag', masqueradeAll: false, localTrafficDetection: { cidrs: ['10.0.0.0/8'] } },
    });
  });

  test('an option that is enabled by default can be disabled', () => {
    expect(settings(`${HEAD}iptables: {localhostNodePorts: false, masqueradeBit: 0}\n`).proxier).toMatchObject({
      localhostNodePorts: false,
      masqueradeBit: 0,
    });
  });

  test.each([
    ['yes', true],
    ['ON', true],
    ['y', true],
    ['no', false],
    ['Off', false],
  ])('%s is a boolean, as in YAML 1.1, which kube-proxy reads', (text, expected) => {
    const file = `${HEAD}mode: iptables\niptables: {masqueradeAll: ${text}}\nfeatureGates: {AllowServiceExternalIPs: ${text}}\n`;
    expect(settings(file)).toMatchObject({
      featureGates: { allowServiceExternalIPs: expected },
      proxier: { masqueradeAll: expected },
    });
  });

  test('errors name file, line, field and value, all at once', () => {
    const text = `${HEAD}clusterCIDR: nonsense\niptables:\n  syncPeriod: soon\n  masqueradeBit: 40\nmode: ebpf\nnodePortAddresses: [10.0.0.0/8, x]\n`;
    expect(problems(text)).toEqual([
      expect.stringMatching(/^config\.conf:3: clusterCIDR: "nonsense" is not a network/),
      expect.stringMatching(/^config\.conf:5: iptables\.syncPeriod: "soon" is not a duration/),
      expect.stringMatching(/^config\.conf:6: iptables\.masqueradeBit: "40" must be a bit from 0 to 31/),
      expect.stringMatching(
        /^config\.conf:7: mode: unknown proxy mode "ebpf"; available modes: iptables, ipvs, nftables/,
      ),
      expect.stringMatching(/^config\.conf:8: nodePortAddresses: "x" must be a network such as/),
    ]);
  });

  test.each([
    ['iptables: 7\n', 'config.conf:3: iptables: must be an object'],
    ['iptables: {masqueradeAll: "yes"}\n', 'config.conf:3: iptables.masqueradeAll: "yes" is not true or false'],
    ['nodePortAddresses: 10.0.0.0/8\n', 'config.conf:3: nodePortAddresses: "10.0.0.0/8" is not a list of texts'],
    ['configSyncPeriod: 30\n', 'config.conf:3: configSyncPeriod: 30 is not a duration such as 30s or 1m30s'],
    ['mode: a: b\n', 'config.conf:3: Nested mappings are not allowed in compact mappings'],
    ['a: [\n', expect.stringMatching(/^config\.conf:\d+: /)],
  ])('%j is refused', (text, problem) => {
    expect(problems(`${HEAD}${text}`)).toEqual([problem]);
  });

  test.each(['['.repeat(100_000), '- '.repeat(10_000), '# note\n'.repeat(200_000)])(
    'one that would keep the parser busy for minutes is refused',
    (text) => {
      const { problems } = readKubeProxyConfiguration(text, 'config.yaml');
      expect(problems).toEqual(['config.yaml: is too large, or nested too deeply, for a configuration file']);
    },
  );

  test('another kind is refused', () => {
    expect(problems('apiVersion: v1\nkind: ConfigMap\n')).toEqual([
      'config.conf: has the kind ConfigMap of v1; expected KubeProxyConfiguration of kubeproxy.config.k8s.io/v1alpha1',
    ]);
    expect(problems('just text')).toEqual([expect.stringContaining('must be a YAML or JSON object')]);
  });

  test('an unknown field, a duplicate key and a field without effect cause warnings', () => {
    const text = `${HEAD}clusterCidr: 10.0.0.0/8\nmode: iptables\nmode: nftables\nshowHiddenMetricsForVersion: '1.35'\nportRange: 1-2\n`;
    expect(settings(text).warnings).toEqual([
      'config.conf:3: clusterCidr: unknown field of a KubeProxyConfiguration, ignored; did you mean clusterCIDR?',
      'config.conf:5: mode: is a duplicate key; the last value is used',
      'config.conf:7: portRange: has no effect: kube-proxy ignores it too',
      'config.conf:6: showHiddenMetricsForVersion: has no effect: there are no hidden metrics',
    ]);
  });

  test.each([
    ['', 'auto'],
    ['contentType: application/vnd.kubernetes.protobuf', 'auto'],
    ['contentType: application/json', 'json'],
    ['acceptContentTypes: "application/json,application/vnd.kubernetes.protobuf"', 'json'],
    [
      'acceptContentTypes: "application/vnd.kubernetes.protobuf,application/json", contentType: application/json',
      'auto',
    ],
    ['acceptContentTypes: "", contentType: "*/*"', 'json'],
  ])('clientConnection: {%s} reads objects as %s, without a warning', (fields, encoding) => {
    const { kubernetes, warnings } = settings(`${HEAD}clientConnection: {kubeconfig: k, ${fields}}\n`);
    expect({ encoding: kubernetes?.encoding, warnings }).toEqual({ encoding, warnings: [] });
  });

  test('a content type that is not read causes a warning', () => {
    const fields = 'acceptContentTypes: "application/cbor, text/html"';
    const { kubernetes, warnings } = settings(`${HEAD}clientConnection: {kubeconfig: k, ${fields}}\n`);
    expect(kubernetes?.encoding).toBe('json');
    expect(warnings).toEqual([
      'clientConnection.acceptContentTypes: "application/cbor, text/html" has neither application/vnd.kubernetes.protobuf nor application/json; objects are read as JSON',
    ]);
  });

  test('of a duplicate key, only the last value is used, even if the others are invalid', () => {
    const text = `${HEAD}mode: nftables\nmode: [wrong]\nmode: ipvs\nipvs: {scheduler: 1}\nipvs: {scheduler: wrr}\nclusterCIDR: x\nclusterCIDR:\n`;
    const { mode, ipvs, proxier, warnings } = settings(text);
    expect({ mode, scheduler: ipvs.scheduler, detection: proxier.localTrafficDetection }).toEqual({
      mode: 'ipvs',
      scheduler: 'wrr',
      detection: { kind: 'none' },
    });
    expect(warnings).toEqual(
      ['4: mode', '5: mode', '7: ipvs', '9: clusterCIDR'].map(
        (field) => `config.conf:${field}: is a duplicate key; the last value is used`,
      ),
    );
  });

  test('settings of the kernel and the process are read, and zero is not the default', () => {
    const text = `${HEAD}oomScoreAdj: 0\nconntrack: {maxPerCore: 0, min: 5, tcpEstablishedTimeout: 0s, udpTimeout: 10s}\nbindAddressHardFail: true\nfeatureGates: {AllowServiceExternalIPs: false}\n`;
    expect(settings(text)).toMatchObject({
      oomScoreAdj: 0,
      conntrack: {
        maxPerCore: 0,
        min: 5,
        tcpEstablishedTimeout: 0,
        tcpCloseWaitTimeout: 3_600_000,
        udpTimeout: 10_000,
      },
      explicit: { conntrack: true, oomScoreAdj: true },
      bindAddressHardFail: true,
      featureGates: { allowServiceExternalIPs: false },
    });
  });

  test('a conflict of two fields is reported with the names of the fields', () => {
    expect(problems(`${HEAD}mode: ipvs\nipvs: {minSyncPeriod: 1m}\n`)).toEqual([
      'config.conf: ipvs.syncPeriod: "30s" must be greater than or equal to 1m (config.conf:4: ipvs.minSyncPeriod)',
    ]);
  });

  test('IPv6 has other defaults (spec C-42)', () => {
    expect(settings(`${HEAD}bindAddress: "::"\n`)).toMatchObject({
      health: { host: '::', port: 10_256 },
      status: { host: '::1', port: 10_249 },
    });
    expect(settings(`${HEAD}bindAddress: "::"\nhealthzBindAddress: 10.0.0.1\n`).health).toEqual({
      host: '10.0.0.1',
      port: 10_256,
    });
  });

  test('replaced flags are named', () => {
    expect(
      settings(HEAD, '--masquerade-all', '--cluster-cidr=10.0.0.0/8', '--proxy-mode-fallback=none').warnings,
    ).toEqual(['--masquerade-all, --cluster-cidr: ignored, because --config replaces flags; set it in the file']);
  });

  test('every field of v1alpha1 is known', () => {
    const fields = `
      featureGates clientConnection.kubeconfig clientConnection.acceptContentTypes clientConnection.contentType
      clientConnection.qps clientConnection.burst logging.format logging.flushFrequency logging.verbosity logging.vmodule
      logging.options.text.splitStream logging.options.text.infoBufferSize logging.options.json.splitStream
      logging.options.json.infoBufferSize hostnameOverride bindAddress healthzBindAddress metricsBindAddress
      bindAddressHardFail enableProfiling showHiddenMetricsForVersion mode iptables.masqueradeBit iptables.masqueradeAll
      iptables.localhostNodePorts iptables.syncPeriod iptables.minSyncPeriod ipvs.syncPeriod
      ipvs.minSyncPeriod ipvs.scheduler ipvs.excludeCIDRs ipvs.strictARP ipvs.tcpTimeout ipvs.tcpFinTimeout
      ipvs.udpTimeout nftables.masqueradeBit
      nftables.masqueradeAll nftables.syncPeriod nftables.minSyncPeriod winkernel.networkName winkernel.sourceVip
      winkernel.enableDSR winkernel.rootHnsEndpointName winkernel.forwardHealthCheckVip detectLocalMode
      detectLocal.bridgeInterface detectLocal.interfaceNamePrefix clusterCIDR nodePortAddresses oomScoreAdj
      conntrack.maxPerCore conntrack.min conntrack.tcpEstablishedTimeout conntrack.tcpCloseWaitTimeout
      conntrack.tcpBeLiberal conntrack.udpTimeout conntrack.udpStreamTimeout configSyncPeriod portRange
      windowsRunAsService`;
    const known = (path: string) => {
      const { flag, without, flagless = false } = FIELDS[path] ?? {};
      return flag !== undefined || without !== undefined || flagless;
    };
    expect(
      fields
        .trim()
        .split(/\s+/)
        .filter((path) => !known(path)),
    ).toEqual([]);
  });

  describe('with a second document', () => {
    const OWN = 'apiVersion: kube-proxier.io/v1alpha1\nkind: KubeProxierConfiguration\n';

    test('false and 0 have a meaning where the default is another', () => {
      const read = (text: string) => settings(`${HEAD}---\n${OWN}${text}`);
      expect(read('takeover: false\nverifyPeriod: 0s\nrecording: { age: 0 }\n')).toMatchObject({
        takeover: false,
        verifyPeriod: 0,
        recording: undefined,
      });
      expect(read('takeover: null\nverifyPeriod: null\n')).toMatchObject({ takeover: true, verifyPeriod: 600_000 });
      // Each option that is enabled by default can be disabled.
      const flags: readonly Flag[] = FLAGS;
      const switches = Object.entries(OWN_FIELDS).filter(
        ([, { type, flag }]) => type === 'bool' && flags.find(({ name }) => name === flag)?.default === 'true',
      );
      expect(switches.map(([path, { zeroCounts }]) => [path, zeroCounts])).toEqual([
        ['takeover', true],
        ['metricsScrape.tls', true],
      ]);
    });

    test('sets options that kube-proxy does not have; flags override it', () => {
      const text = `${HEAD}mode: userspace\n---\n${OWN}modeFallback: none\nuserspace: {redirect: bind, udpTimeout: 1s}\nnftables: {ownedTable: persistent}\nmanifests: [/a, /b]\n`;
      const own = {
        fallback: 'none',
        userspace: { redirect: 'bind', udpTimeout: 1000 },
        nftables: { ownedTable: 'persistent' },
      };
      const read = (...args: string[]) =>
        readSettings(parseCommandLine(args), [...MODES, 'userspace'], readKubeProxyConfiguration(text, 'c'));
      expect(read()).toMatchObject({ ...own, mode: 'userspace', manifests: ['/a', '/b'], warnings: [] });
      expect(read('--userspace-redirect=none').userspace.redirect).toBe('none');
    });

    test('of a duplicate key, problems of the first value are not reported', () => {
      expect(problems(`${HEAD}mode: nftables\n---\n${OWN}modeFallback: [1]\nmodeFallback: none\n`)).toEqual([
        'config.conf:8: modeFallback: is a duplicate key; remove one',
      ]);
    });

    test.each([
      [
        'redirect: none\n',
        /^config\.conf:6: redirect: unknown field of a KubeProxierConfiguration; did you mean userspace\.redirect\?$/,
      ],
      [
        'colour: red\n',
        /^config\.conf:6: colour: unknown field of a KubeProxierConfiguration; valid fields: backends, /,
      ],
      ['modeFallback: a\nmodeFallback: b\n', /^config\.conf:7: modeFallback: is a duplicate key; remove one$/],
      ['userspace: {redirect: maybe}\n', /^config\.conf:6: userspace\.redirect: "maybe" must be one of auto, /],
      ['---\na: 1\n', /^config\.conf:7: is a third document/],
    ])('%j is refused', (text, problem) => {
      expect(problems(`${HEAD}---\n${OWN}${text}`)).toContainEqual(expect.stringMatching(problem));
    });

    test('another kind is rejected, with its line', () => {
      expect(problems(`${HEAD}---\napiVersion: v1\nkind: ConfigMap\n`)).toEqual([
        'config.conf:4: has the kind ConfigMap of v1; expected KubeProxierConfiguration of kube-proxier.io/v1alpha1',
      ]);
    });
  });

  test('a missing field is named as a field', () => {
    expect(problems(`${HEAD}detectLocalMode: BridgeInterface\n`)).toEqual([
      expect.stringMatching(/^config\.conf: detectLocal\.bridgeInterface: "" must name the bridge/),
    ]);
  });

  test('JSON is supported', () => {
    const text = JSON.stringify({
      apiVersion: 'kubeproxy.config.k8s.io/v1alpha1',
      kind: 'KubeProxyConfiguration',
      mode: 'iptables',
    });
    expect(settings(text).mode).toBe('iptables');
  });
});
