import { addressAt, type IPFamily, isProxierError, lastAddress, messageOf } from '@kube-proxier/core';
import {
  CommandError,
  type CommandRunner,
  type Conntrack,
  ConntrackError,
  ConntrackNetlink,
  checkForwardedPackets,
  chooseNetlinkTransport,
  createCommandRunner,
  type ForwardedPackets,
  type KernelFiles,
  kernelFiles,
  NetlinkSocket,
  type NetlinkTransportChoice,
  systemErrorCode,
} from '@kube-proxier/linux';
import { findKubeProxy, type InstanceHolder, InstanceLock, type KubeProxyFinding } from '@kube-proxier/server';

export interface NetlinkObstacle {
  /** The kernel supports it, but this process has no permission. */
  readonly notPermitted: boolean;
  readonly reason: string;
}

/** Facts about a host, as plain values. Unknown facts are undefined. */
export interface HostFacts {
  readonly kernel: string | undefined;
  /** First line of the version output of each tool, by name; undefined when it is not installed or broken. */
  readonly tools: Readonly<Record<string, string | undefined>>;
  /** Why an installed tool cannot be run, by name. */
  readonly brokenTools: Readonly<Record<string, string>>;
  /** How netlink sockets are opened. */
  readonly netlink: NetlinkTransportChoice | { readonly obstacle: string };
  /** Why tracked connections cannot be deleted by netlink; undefined when they can. */
  readonly conntrackByNetlink: NetlinkObstacle | undefined;
  /** Number of rules in each variant of iptables, of both IP families. */
  readonly iptables: { readonly legacy: number | undefined; readonly nft: number | undefined };
  /** Whether forwarded packets of Services pass the rules of all programs, by IP family. */
  readonly forwarded: Readonly<Record<IPFamily, ForwardedPackets>>;
  /** Whether the networks of pods were known to find {@link forwarded}, by IP family. */
  readonly knowsPods: Readonly<Record<IPFamily, boolean>>;
  /** Why the rules of a variant could not be listed. */
  readonly unreadable: Readonly<Partial<Record<'legacy' | 'nft', string>>>;
  /** The kube-proxier that runs in this network namespace; undefined when none does. */
  readonly instance: InstanceHolder | undefined;
  readonly kubeProxy: KubeProxyFinding;
  /** TCP ports in state LISTEN; undefined when they cannot be read. */
  readonly listening: ReadonlySet<number> | undefined;
  /** By path below `/proc/sys`. */
  readonly sysctls: Readonly<Record<string, string | undefined>>;
  /** Effective capabilities of this process, as a bit set. */
  readonly capabilities: bigint | undefined;
}

/** Sysctls that are read. */
export const SYSCTLS = [
  'net/ipv4/ip_forward',
  'net/ipv6/conf/all/forwarding',
  'net/ipv6/conf/all/disable_ipv6',
  'net/bridge/bridge-nf-call-iptables',
  'net/bridge/bridge-nf-call-ip6tables',
  'net/ipv4/conf/all/rp_filter',
  'net/ipv4/conf/default/rp_filter',
  'net/ipv4/conf/all/route_localnet',
  'net/netfilter/nf_conntrack_count',
  'net/netfilter/nf_conntrack_max',
  'net/netfilter/nf_conntrack_tcp_loose',
] as const;

const TOOLS = ['iptables', 'iptables-legacy', 'iptables-nft', 'ip6tables', 'nft', 'conntrack'] as const;

export interface HostAccessForFacts {
  readonly runner?: CommandRunner;
  /**
   * Tracked connections by netlink. Default: those of the runner's network namespace, or of this process if that is
   * unknown.
   */
  readonly conntrack?: Conntrack;
  /** Default: by opening one in this process. */
  readonly netlink?: () => Promise<NetlinkTransportChoice>;
  readonly files?: KernelFiles;
  /** Default: the holder of the lock of this process's network namespace. */
  readonly instance?: () => Promise<InstanceHolder | undefined>;
  /** Default: by this process's network namespace. */
  readonly kubeProxy?: () => Promise<KubeProxyFinding>;
  /** Networks of pods, at most one of each IP family. Default: unknown. */
  readonly podCIDRs?: readonly string[];
}

/** Collects facts about this host. Changes nothing, and never rejects. */
export async function gatherHostFacts({
  runner = createCommandRunner(),
  conntrack = conntrackOf(runner),
  netlink = () => chooseNetlinkTransport('netfilter'),
  files = kernelFiles,
  instance = () => new InstanceLock().currentHolder(),
  kubeProxy = () => findKubeProxy(),
  podCIDRs = [],
}: HostAccessForFacts = {}): Promise<HostFacts> {
  const read = async (path: string): Promise<string | undefined> => {
    try {
      return (await files.read(path)).trim();
    } catch {
      return undefined;
    }
  };
  const output = async (command: string, ...args: readonly string[]): Promise<Output> => {
    try {
      return { text: (await runner.run({ command, args, timeout: 10_000 })).stdout };
    } catch (error) {
      if (!isProxierError(error)) {
        throw error;
      }
      const isMissing = error instanceof CommandError && error.failure === 'not-found';
      return { failure: isMissing ? 'missing' : 'refused', reason: messageOf(error) };
    }
  };
  const brokenTools: Record<string, string> = {};
  const version = async (tool: string): Promise<string | undefined> => {
    try {
      return firstLine((await runner.run({ command: tool, args: ['--version'], timeout: 10_000 })).stdout);
    } catch (error) {
      if (!isProxierError(error)) {
        throw error;
      }
      if (!(error instanceof CommandError && error.failure === 'not-found')) {
        brokenTools[tool] = messageOf(error);
      }
      return undefined;
    }
  };
  const unreadable: Partial<Record<'legacy' | 'nft', string>> = {};
  const listed = await output('nft', 'list', 'tables');
  const nftTables = 'text' in listed ? (listed.text.match(/(?<=^table ).+$/gm) ?? []) : undefined;
  const variant = async (name: 'legacy' | 'nft'): Promise<number | undefined> => {
    const saved = await Promise.all([output(`iptables-${name}-save`), output(`ip6tables-${name}-save`)]);
    const refused = saved.find((one) => 'failure' in one && one.failure === 'refused');
    if (refused && 'reason' in refused) {
      unreadable[name] = refused.reason;
    } else if (saved.every((one) => 'failure' in one)) {
      // Rules may exist without the tool: another container may have installed them.
      const reason = name === 'legacy' ? await whyLegacyMayHaveRules(files) : whyNftMayHaveRules(nftTables);
      if (reason !== undefined) {
        unreadable[name] = reason;
      }
    }
    const texts = saved.flatMap((one) => ('text' in one ? [one.text] : []));
    return texts.length === 0 ? undefined : countRules(texts.join('\n'));
  };
  const [tools, settings, tcp, tcp6] = await Promise.all([
    Promise.all(TOOLS.map(async (tool) => [tool, await version(tool)] as const)),
    Promise.all(SYSCTLS.map(async (name) => [name, await read(`/proc/sys/${name}`)] as const)),
    read('/proc/net/tcp'),
    read('/proc/net/tcp6'),
  ]);
  const effective = /^CapEff:\s*([0-9a-f]+)$/m.exec((await read('/proc/self/status')) ?? '')?.[1];
  return {
    kernel: await read('/proc/sys/kernel/osrelease'),
    tools: Object.fromEntries(tools),
    brokenTools,
    netlink: await netlink().catch((error: unknown) => ({ obstacle: messageOf(error) })),
    conntrackByNetlink: await obstacleOf(conntrack),
    iptables: { legacy: await variant('legacy'), nft: await variant('nft') },
    forwarded: {
      IPv4: await forwardedPackets('IPv4', podCIDRs, runner, files),
      IPv6: await forwardedPackets('IPv6', podCIDRs, runner, files),
    },
    knowsPods: { IPv4: podCIDROf('IPv4', podCIDRs) !== undefined, IPv6: podCIDROf('IPv6', podCIDRs) !== undefined },
    unreadable,
    instance: await instance(),
    kubeProxy: await kubeProxy(),
    listening: tcp === undefined ? undefined : listeningPorts(`${tcp}\n${tcp6 ?? ''}`),
    sysctls: Object.fromEntries(settings),
    capabilities: effective === undefined ? undefined : BigInt(`0x${effective}`),
  };
}

type Output = { readonly text: string } | { readonly failure: 'missing' | 'refused'; readonly reason: string };

async function whyLegacyMayHaveRules(files: KernelFiles): Promise<string | undefined> {
  for (const path of ['/proc/net/ip_tables_names', '/proc/net/ip6_tables_names']) {
    try {
      const names = (await files.read(path)).trim();
      if (names !== '') {
        return `legacy tables exist (${names.replace(/\s+/g, ', ')}), but iptables-legacy-save is not installed`;
      }
    } catch (error) {
      // The file does not exist: the module is not loaded.
      if (systemErrorCode(error) !== 'ENOENT') {
        return messageOf(error);
      }
    }
  }
  return undefined;
}

function whyNftMayHaveRules(nftTables: readonly string[] | undefined): string | undefined {
  if (nftTables === undefined) {
    return 'neither iptables-nft-save nor nft can list them';
  }
  const tables = nftTables.filter((table) => /^ip6? (filter|nat|mangle|raw|security)$/.test(table));
  return tables.length === 0 ? undefined : `tables ${tables.join(', ')} exist, but iptables-nft-save is not installed`;
}

function conntrackOf({ networkNamespace: place = 'own' }: CommandRunner): Conntrack {
  return new ConntrackNetlink(() => new NetlinkSocket('netfilter', place === 'own' ? {} : { namespace: place }));
}

async function obstacleOf(conntrack: Conntrack): Promise<NetlinkObstacle | undefined> {
  try {
    await conntrack.check?.();
    return undefined;
  } catch (error) {
    const notPermitted = error instanceof ConntrackError && error.code === 'CONNTRACK_NOT_PERMITTED';
    return { notPermitted, reason: messageOf(error) };
  }
}

function firstLine(text: string): string | undefined {
  return text
    .split('\n')
    .find((line) => line.trim() !== '')
    ?.trim();
}

/** Counts rules in the output of `iptables-save`. */
export function countRules(saved: string): number {
  return saved.match(/^(\[\d+:\d+\] )?-A /gm)?.length ?? 0;
}

/** Addresses of a client and a pod, from documentation networks (RFC 5737, RFC 3849), where those of pods are unknown. */
const SAMPLES: Readonly<Record<IPFamily, readonly [string, string]>> = {
  IPv4: ['203.0.113.77', '198.51.100.77'],
  IPv6: ['2001:db8:ffff::77', '2001:db8:eeee::77'],
};

function podCIDROf(family: IPFamily, podCIDRs: readonly string[]): string | undefined {
  return podCIDRs.find((cidr) => cidr.includes(':') === (family === 'IPv6'));
}

async function forwardedPackets(
  family: IPFamily,
  podCIDRs: readonly string[],
  runner: CommandRunner,
  files: KernelFiles,
): Promise<ForwardedPackets> {
  const cidr = podCIDROf(family, podCIDRs);
  const last = cidr === undefined ? undefined : lastAddress(cidr);
  const [source, endpoint] = SAMPLES[family];
  try {
    return await checkForwardedPackets({
      ...{ family, runner, files },
      source: (last && addressAt(last, -3)) ?? source,
      endpoint: (last && addressAt(last, -2)) ?? endpoint,
    });
  } catch (error) {
    return { result: 'unknown', reason: messageOf(error) };
  }
}

/** Ports in state LISTEN in `/proc/net/tcp` and `/proc/net/tcp6`. */
export function listeningPorts(table: string): ReadonlySet<number> {
  return new Set(
    [...table.matchAll(/^\s*\d+: [0-9A-F]+:([0-9A-F]{4}) [0-9A-F]+:[0-9A-F]{4} 0A /gm)].map(([, port = '']) =>
      Number.parseInt(port, 16),
    ),
  );
}
