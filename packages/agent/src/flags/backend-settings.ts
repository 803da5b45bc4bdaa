import { DEFAULT_SCHEDULER, isScheduler, SCHEDULER_NAMES } from '@kube-proxier/ipvs';
import { NFT_ACCESS_SETTINGS, OWNED_TABLE_SETTINGS } from '@kube-proxier/nftables';
import { parsePortRange, USERSPACE_REDIRECTS } from '@kube-proxier/userspace';
import type { AgentSettings } from './agent-settings.js';
import type { FeatureGates } from './feature-gates.js';
import type { FlagValues } from './flag-values.js';

/** Reads the options of the nftables backend. */
export function readNftables(
  values: FlagValues,
  { nftablesLocalhostNodePorts }: Pick<FeatureGates, 'nftablesLocalhostNodePorts'>,
): AgentSettings['nftables'] {
  const text = values.text('nftables-owned-table');
  const ownedTable = OWNED_TABLE_SETTINGS.find((candidate) => candidate === text);
  if (ownedTable === undefined) {
    values.wrong('nftables-owned-table', text, `must be one of ${OWNED_TABLE_SETTINGS.join(', ')}`);
  }
  const program = values.text('nftables-program');
  const access = NFT_ACCESS_SETTINGS.find((candidate) => candidate === program);
  if (access === undefined && program !== 'auto') {
    values.wrong('nftables-program', program, `must be one of auto, ${NFT_ACCESS_SETTINGS.join(', ')}`);
  }
  return {
    ...(access === undefined ? {} : { access }),
    // The flag also lists them (`nodePortAddresses`).
    localhostNodePorts: values.bool('nftables-localhost-nodeports') || nftablesLocalhostNodePorts ? 'selected' : false,
    ownedTable: ownedTable ?? 'never',
  };
}

/** Reads the options of the userspace backend. */
export function readUserspace(values: FlagValues): AgentSettings['userspace'] {
  const text = values.text('userspace-redirect');
  const redirect = USERSPACE_REDIRECTS.find((candidate) => candidate === text);
  if (redirect === undefined) {
    values.wrong('userspace-redirect', text, `must be one of ${USERSPACE_REDIRECTS.join(', ')}`);
  }
  const portRange = parsePortRange(values.text('proxy-port-range'));
  if (portRange === 'invalid') {
    const right = 'is not a range of ports from 1 to 65535; write it like 30000-32767 or 30000+100';
    values.wrong('proxy-port-range', values.text('proxy-port-range'), right);
  }
  const udpTimeout = values.duration('udp-timeout');
  if (udpTimeout !== undefined && udpTimeout <= 0) {
    values.wrong('udp-timeout', values.text('udp-timeout'), 'must be greater than 0, such as 250ms');
  }
  return {
    redirect: redirect ?? 'auto',
    udpTimeout: udpTimeout ?? 250,
    ...(portRange === undefined || portRange === 'invalid' ? {} : { portRange }),
  };
}

/** Reads the options of the ipvs backend. */
export function readIpvs(values: FlagValues): AgentSettings['ipvs'] {
  const given = values.text('ipvs-scheduler').trim();
  const scheduler = given === '' ? DEFAULT_SCHEDULER : given;
  if (!isScheduler(scheduler)) {
    values.wrong('ipvs-scheduler', given, `must be one of ${SCHEDULER_NAMES.join(', ')}`);
  }
  return {
    localhostNodePorts: values.bool('ipvs-localhost-nodeports') ? 'selected' : false,
    scheduler,
    excludeCIDRs: values.cidrs('ipvs-exclude-cidrs', values.list('ipvs-exclude-cidrs')).map(({ text }) => text),
    strictARP: values.bool('ipvs-strict-arp'),
    timeouts: {
      tcp: wholeSeconds(values, 'ipvs-tcp-timeout'),
      tcpFin: wholeSeconds(values, 'ipvs-tcpfin-timeout'),
      udp: wholeSeconds(values, 'ipvs-udp-timeout'),
    },
  };
}

function wholeSeconds(
  values: FlagValues,
  name: 'ipvs-tcp-timeout' | 'ipvs-tcpfin-timeout' | 'ipvs-udp-timeout',
): number {
  const milliseconds = values.duration(name) ?? 0;
  if (milliseconds < 0) {
    values.wrong(name, values.text(name), 'must be 0 or greater, such as 15m');
  }
  return Math.max(0, Math.round(milliseconds / 1000));
}
