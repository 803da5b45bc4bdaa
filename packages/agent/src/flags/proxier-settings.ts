import {
  type IPFamily,
  isNodePortAddressKeyword,
  type LocalhostNodePorts,
  type LocalTrafficDetection,
  NODE_PORT_ADDRESS_KEYWORDS,
  type NodePortAddressSelection,
  nearestName,
  type ProxierOptions,
  parseCIDR,
  selectNodePortAddresses,
} from '@kube-proxier/core';
import type { FlagValues } from './flag-values.js';

const DETECT_LOCAL_MODES = ['ClusterCIDR', 'NodeCIDR', 'BridgeInterface', 'InterfaceNamePrefix'] as const;
type DetectLocalMode = (typeof DETECT_LOCAL_MODES)[number];

/** Maximum length of an interface name (IFNAMSIZ minus the terminating NUL). */
const MAX_INTERFACE_NAME = 15;

/** Reads the options of the proxiers that differ from core's defaults or are set explicitly. */
export function readProxier(values: FlagValues): Partial<ProxierOptions> {
  return {
    ...nodeName(values),
    localTrafficDetection: localTrafficDetection(values),
    nodePortAddresses: nodePortAddresses(values),
    localhostNodePorts: localhostNodePorts(values),
    masqueradeAll: values.bool('masquerade-all'),
    countConnections:
      values.bool('count-connections') || values.bool('nftables-count-connections') || values.bool('count-traffic'),
    countTraffic: values.bool('count-traffic'),
    overlappingExternalAddresses: overlappingExternalAddresses(values),
    masqueradeBit: values.int('iptables-masquerade-bit', 0, 31, 'a bit from 0 to 31'),
    ...periods(values),
  };
}

function nodeName(values: FlagValues): Pick<ProxierOptions, 'nodeName'> | Record<string, never> {
  const name = values.text('hostname-override');
  if (name !== '' && name.trim() === '') {
    values.wrong('hostname-override', name, 'must not be blank; leave it out to use the name of the host');
  }
  return name === '' ? {} : { nodeName: name };
}

function localTrafficDetection(values: FlagValues): LocalTrafficDetection {
  const cidrs = clusterCIDRs(values);
  const bridge = interfaceName(values, 'pod-bridge-interface');
  const prefix = interfaceName(values, 'pod-interface-name-prefix');
  const given = values.text('detect-local-mode');
  const mode = (given === '' ? 'ClusterCIDR' : given) as DetectLocalMode;
  switch (mode) {
    case 'ClusterCIDR':
      return cidrs.length === 0 ? { kind: 'none' } : { kind: 'cluster-cidr', cidrs };
    case 'NodeCIDR':
      return { kind: 'node-cidr' };
    case 'BridgeInterface':
      if (bridge === '') {
        values.wrong(
          'pod-bridge-interface',
          bridge,
          'must name the bridge when --detect-local-mode is BridgeInterface',
        );
      }
      return { kind: 'interface', name: bridge };
    case 'InterfaceNamePrefix':
      if (prefix === '') {
        const right = 'must be set to a prefix of interface names when --detect-local-mode is InterfaceNamePrefix';
        values.wrong('pod-interface-name-prefix', prefix, right);
      }
      return { kind: 'interface-prefix', prefix };
    default:
      values.wrong('detect-local-mode', given, `must be one of ${DETECT_LOCAL_MODES.join(', ')}, or empty`);
      return { kind: 'none' };
  }
}

function clusterCIDRs(values: FlagValues): readonly string[] {
  const found = values.cidrs('cluster-cidr', values.list('cluster-cidr'));
  const families = new Set<IPFamily>(found.map(({ family }) => family));
  if (found.length > 2 || (found.length === 2 && families.size < 2)) {
    const text = found.map((cidr) => cidr.text).join(',');
    values.wrong('cluster-cidr', text, 'must be one network, or two, one of each IP family');
  }
  return found.map(({ text }) => text);
}

/** Spec K-75, M-3. The option of mode nftables that opens loopback addresses lists them. */
function nodePortAddresses(values: FlagValues): NodePortAddressSelection {
  const nftables = values.text('proxy-mode') === 'nftables';
  const given = values.list('nodeport-addresses').filter((item) => {
    const isValid = isNodePortAddressKeyword(item) || parseCIDR(item) !== undefined;
    if (!isValid) {
      const meant = nearestName(item, NODE_PORT_ADDRESS_KEYWORDS);
      const right = `must be a network such as 10.0.0.0/8 or fd00::/64, or one of ${NODE_PORT_ADDRESS_KEYWORDS.join(', ')}`;
      values.wrong('nodeport-addresses', item, meant === undefined ? right : `${right}; did you mean ${meant}?`);
    }
    return isValid;
  });
  const entries = given.length === 0 && nftables ? ['primary'] : given;
  const localhost = nftables && values.bool('nftables-localhost-nodeports') && !entries.includes('localhost');
  return selectNodePortAddresses(localhost ? [...entries, 'localhost'] : entries);
}

/** The flag applies to mode iptables and others that can serve 127.0.0.0/8; in mode nftables, it must be listed. */
function localhostNodePorts(values: FlagValues): LocalhostNodePorts {
  const given = values.bool('iptables-localhost-nodeports');
  return values.text('proxy-mode') === 'nftables' ? 'listed' : given;
}

/** Spec K-85: mode ipvs has its own periods. */
function periods(values: FlagValues): Pick<ProxierOptions, 'syncPeriod' | 'minSyncPeriod'> {
  const mode = values.text('proxy-mode') === 'ipvs' ? 'ipvs' : 'iptables';
  const own = periodsOf(values, mode);
  // The periods of the other mode are validated too.
  periodsOf(values, mode === 'ipvs' ? 'iptables' : 'ipvs');
  return own;
}

function periodsOf(
  values: FlagValues,
  mode: 'ipvs' | 'iptables',
): Pick<ProxierOptions, 'syncPeriod' | 'minSyncPeriod'> {
  const [period, least] = [`${mode}-sync-period`, `${mode}-min-sync-period`] as const;
  const syncPeriod = values.duration(period);
  const minSyncPeriod = values.given(least) ? values.duration(least) : undefined;
  if (syncPeriod !== undefined && syncPeriod <= 0) {
    values.wrong(period, values.text(period), 'must be greater than 0, such as 30s');
  }
  if (minSyncPeriod !== undefined && minSyncPeriod < 0) {
    values.wrong(least, values.text(least), 'must be 0 or greater, such as 1s');
  } else if (syncPeriod !== undefined && minSyncPeriod !== undefined && syncPeriod > 0 && minSyncPeriod > syncPeriod) {
    values.wrong(
      period,
      values.text(period),
      `must be greater than or equal to ${values.text(least)} (${values.place(least)})`,
    );
  }
  return { syncPeriod: syncPeriod ?? 0, minSyncPeriod: minSyncPeriod ?? 'adaptive' };
}

function overlappingExternalAddresses(values: FlagValues): 'serve' | 'refuse' {
  const action = values.text('overlapping-external-addresses');
  if (action !== 'serve' && action !== 'refuse') {
    values.wrong('overlapping-external-addresses', action, 'must be serve or refuse');
  }
  return action === 'refuse' ? 'refuse' : 'serve';
}

function interfaceName(values: FlagValues, name: 'pod-bridge-interface' | 'pod-interface-name-prefix'): string {
  const text = values.text(name);
  // A trailing plus would be a wildcard in iptables, an asterisk in nftables. The kernel allows neither slashes nor colons.
  if (
    text !== '' &&
    (!/^[\x21-\x7e]+$/.test(text) || /[/:*"'\\]/.test(text) || text.endsWith('+') || text.length > MAX_INTERFACE_NAME)
  ) {
    const right = `must be the name or a prefix of the name of an interface: at most ${MAX_INTERFACE_NAME} letters and digits`;
    values.wrong(name, text, right);
  }
  return text;
}
