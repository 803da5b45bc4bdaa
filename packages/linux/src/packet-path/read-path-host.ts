import { type IPFamily, messageOf, parseAddress } from '@kube-proxier/core';
import type { IpSet, IpSets } from '../ipset/ip-sets.js';
import { type MatchSet, readMatchSets } from '../ipset/match-sets.js';
import { NetlinkSocket } from '../netlink/netlink-socket.js';
import { ProcLocalNetwork } from '../network/local-network.js';
import { CommandError, type CommandRunner } from '../process/command-runner.js';
import type { KernelFiles } from '../process/kernel-files.js';
import { bitsOf, prefixMask } from './ip-bits.js';
import type { HostRoute, PathHostFacts } from './path-host.js';
import { type PolicyRule, parsePolicyRules } from './policy-routing.js';

export interface HostReading {
  readonly family: IPFamily;
  readonly runner: Pick<CommandRunner, 'run'>;
  readonly files: KernelFiles;
  /** Default: sets are not read, and matches against them are unknown. */
  readonly ipSets?: Pick<IpSets, 'find'>;
  /** Names of the sets that rules refer to. */
  readonly sets: readonly string[];
  /** Where sets of other programs are read: `own`, or a path. Default: matches against them are unknown. */
  readonly networkNamespace?: string;
  /** Addresses of IPVS's dummy interface, which do not count as addresses of the host. Default: none. */
  readonly virtualAddresses?: ReadonlySet<string>;
  /** Interfaces whose addresses are not read. Default: none. */
  readonly ignoredInterfaces?: readonly string[];
  /** Called for each read failure, with a sentence without a full stop. */
  readonly onUnread: (reason: string) => void;
}

/** Reads the host facts beside the rules: addresses, routes, settings, sets. Changes nothing. */
export async function readPathHost(reading: HostReading): Promise<PathHostFacts> {
  const { family, files, runner, virtualAddresses, ignoredInterfaces = [] } = reading;
  const [addresses, interfaces, routes, policyRules, sets, ignored] = await Promise.all([
    new ProcLocalNetwork(files).localAddresses(),
    readInterfaces(files),
    readRoutes(family, files),
    readPolicyRules(family, runner),
    readSets(reading),
    readAddressesOf(ignoredInterfaces, runner),
  ]);
  const [sysctls, bridges] = await Promise.all([
    readSettings(family, files, interfaces),
    readBridges(reading, interfaces),
  ]);
  return {
    family,
    localAddresses: new Set(addresses.filter((address) => !virtualAddresses?.has(address) && !ignored.has(address))),
    ...(virtualAddresses === undefined ? {} : { virtualAddresses }),
    addressesOf: new Map(interfaces.map((name) => [name, []])),
    routes,
    policyRules,
    sysctls,
    bridges,
    sets,
    matchSets: await readOtherSets(reading, sets),
  };
}

/** Addresses of interfaces; missing interfaces are skipped. */
async function readAddressesOf(
  interfaces: readonly string[],
  runner: Pick<CommandRunner, 'run'>,
): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for (const name of interfaces) {
    try {
      const args = ['-o', 'addr', 'show', 'dev', name];
      const { stdout } = await runner.run({ command: 'ip', args, timeout: 10_000 });
      for (const [, text = ''] of stdout.matchAll(/ inet6? ([^\s/]+)/g)) {
        found.add(parseAddress(text)?.text ?? text);
      }
    } catch {
      // The interface does not exist.
    }
  }
  return found;
}

async function readInterfaces(files: KernelFiles): Promise<readonly string[]> {
  const text = await textOf(files, '/proc/net/dev');
  return (text ?? '').split('\n').flatMap((line) => /^\s*([^\s:]+):/.exec(line)?.[1] ?? []);
}

async function textOf(files: KernelFiles, path: string): Promise<string | undefined> {
  try {
    return await files.read(path);
  } catch {
    return undefined;
  }
}

async function readRoutes(family: IPFamily, files: KernelFiles): Promise<readonly HostRoute[] | undefined> {
  const text = await textOf(files, family === 'IPv4' ? '/proc/net/route' : '/proc/net/ipv6_route');
  return text === undefined ? undefined : family === 'IPv4' ? parseRoutes(text) : parseRoutesIPv6(text);
}

const REJECT = 0x200;
const UP = 0x1;

/** Parses `/proc/net/route`: the main table, with addresses as little-endian hexadecimal numbers. Pure. */
export function parseRoutes(text: string): readonly HostRoute[] {
  return inOrder(
    text.split('\n').flatMap((line, index): HostRoute[] => {
      const [name, destination = '', , flags = '', , , metric = '', mask = ''] = line.trim().split(/\s+/);
      if (index === 0 || name === undefined || mask === '') {
        return [];
      }
      const bits = littleEndian(mask);
      const flagBits = Number.parseInt(flags, 16);
      const isClosed = (flagBits & REJECT) !== 0;
      return (flagBits & UP) === 0 && !isClosed
        ? []
        : [
            {
              network: { value: littleEndian(destination), mask: bits },
              length: bits.toString(2).replaceAll('0', '').length,
              metric: Number(metric),
              interfaceName: isClosed ? undefined : name,
            },
          ];
    }),
  );
}

/** Parses `/proc/net/ipv6_route`. Pure. */
export function parseRoutesIPv6(text: string): readonly HostRoute[] {
  return inOrder(
    text.split('\n').flatMap((line): HostRoute[] => {
      const [hex = '', lengthText = '', , , , metric = '', , , flags = '', name] = line.trim().split(/\s+/);
      const base = bitsOf(parseAddress(hex.match(/.{4}/g)?.join(':') ?? '')?.text ?? '');
      if (name === undefined || base === undefined) {
        return [];
      }
      const length = Number.parseInt(lengthText, 16);
      const isClosed = (Number.parseInt(flags, 16) & REJECT) !== 0;
      const mask = prefixMask(128, length);
      return [
        {
          network: { value: base & mask, mask },
          length,
          metric: Number.parseInt(metric, 16),
          interfaceName: isClosed ? undefined : name,
        },
      ];
    }),
  );
}

function littleEndian(hex: string): bigint {
  return BigInt(`0x${(hex.match(/../g) ?? ['00']).reverse().join('')}`);
}

function inOrder(routes: readonly HostRoute[]): readonly HostRoute[] {
  return [...routes].sort((a, b) => b.length - a.length || a.metric - b.metric);
}

/** Undefined when they cannot be read: interfaces are then unknown. */
async function readPolicyRules(
  family: IPFamily,
  runner: Pick<CommandRunner, 'run'>,
): Promise<readonly PolicyRule[] | undefined> {
  try {
    const args = [family === 'IPv4' ? '-4' : '-6', 'rule', 'show'];
    return parsePolicyRules((await runner.run({ command: 'ip', args, timeout: 10_000 })).stdout);
  } catch {
    return undefined;
  }
}

async function readSettings(
  family: IPFamily,
  files: KernelFiles,
  interfaces: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const names =
    family === 'IPv4'
      ? [
          'net/ipv4/ip_forward',
          'net/bridge/bridge-nf-call-iptables',
          ...['all', ...interfaces].flatMap((name) =>
            ['rp_filter', 'route_localnet', 'forwarding'].map((setting) => `net/ipv4/conf/${name}/${setting}`),
          ),
        ]
      : ['net/ipv6/conf/all/forwarding', 'net/bridge/bridge-nf-call-ip6tables'];
  names.push('net/ipv4/vs/conntrack');
  const values = new Map<string, string>();
  await Promise.all(
    names.map(async (name) => {
      const text = await textOf(files, `/proc/sys/${name}`);
      if (text !== undefined) {
        values.set(name, text.trim());
      }
    }),
  );
  return values;
}

/** Undefined when they are not known: `/sys` is not mounted, or is that of another network namespace, and `ip` cannot list them. */
async function readBridges(
  { files, runner }: Pick<HostReading, 'files' | 'runner'>,
  interfaces: readonly string[],
): Promise<ReadonlySet<string> | undefined> {
  const bridges = new Set<string>();
  let isComplete = true;
  await Promise.all(
    interfaces.map(async (name) => {
      const path = `/sys/class/net/${name}`;
      if ((await textOf(files, `${path}/bridge/bridge_id`)) !== undefined) {
        bridges.add(name);
      } else if ((await textOf(files, `${path}/ifindex`)) === undefined) {
        isComplete = false;
      }
    }),
  );
  return isComplete ? bridges : await listBridges(runner);
}

async function listBridges(runner: Pick<CommandRunner, 'run'>): Promise<ReadonlySet<string> | undefined> {
  try {
    const { stdout } = await runner.run({
      command: 'ip',
      args: ['-o', 'link', 'show', 'type', 'bridge'],
      timeout: 10_000,
    });
    return new Set([...stdout.matchAll(/^\d+: ([^:@\s]+)/gm)].map(([, name = '']) => name));
  } catch {
    return undefined;
  }
}

async function readSets({ ipSets, sets, onUnread }: HostReading): Promise<ReadonlyMap<string, IpSet>> {
  const found = new Map<string, IpSet>();
  if (ipSets === undefined) {
    return found;
  }
  for (const name of sets) {
    try {
      const set = await ipSets.find(name);
      // A set of a type that is not supported is returned without its size and entries.
      if (set !== undefined && set.maxEntries > 0) {
        found.set(name, set);
      }
    } catch (error) {
      onUnread(`IP set ${name} cannot be read: ${messageOf(error)}`);
    }
  }
  return found;
}

/** Sets of other programs. Where they cannot be read, matches against them are unknown. */
async function readOtherSets(
  { networkNamespace: place, sets }: HostReading,
  known: ReadonlyMap<string, IpSet>,
): Promise<ReadonlyMap<string, MatchSet>> {
  const names = sets.filter((name) => !known.has(name));
  if (names.length === 0 || place === undefined) {
    return new Map();
  }
  const netlink = new NetlinkSocket('netfilter', place === 'own' ? {} : { namespace: place });
  try {
    return await readMatchSets(netlink, names);
  } catch {
    return new Map();
  } finally {
    netlink.close();
  }
}

/** Whether a program could not be started because it is not installed. */
export function isNotInstalled(error: unknown): boolean {
  return (
    (error instanceof CommandError && error.failure === 'not-found') ||
    (error instanceof Error && error.cause !== undefined && isNotInstalled(error.cause))
  );
}
