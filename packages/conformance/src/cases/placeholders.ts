import type { IPFamily } from '@kube-proxier/core';
import type { NetworkSandbox, SandboxProtocol } from '@kube-proxier/network-sandbox';
import { SANDBOX_NETWORK } from '@kube-proxier/network-sandbox';
import { ConformanceError } from '../conformance-error.js';

/** Values of `${…}` in one run of a case. */
export type Placeholders = Readonly<Record<string, string | number>>;

/** NodePorts from 30000; every slot uses four of them. */
const NODE_PORTS = { first: 30_000, slots: 690, each: 4 };
/** Source ports of clients with a fixed port, below the ephemeral ports of the kernel. */
const SOURCE_PORTS = { first: 12_000, slots: 8000 };
/** Number of slots before addresses are reused. */
const ADDRESSES = 16_000;

/**
 * Addresses and ports of one run of a case. Each slot has its own, so that leftovers of an earlier case, such as
 * conntrack entries, do not affect a later one.
 */
export function placeholdersOf(
  sandbox: NetworkSandbox,
  family: IPFamily,
  protocol: SandboxProtocol,
  slot: number,
): Placeholders {
  const six = family === 'IPv6';
  const number = slot % ADDRESSES;
  const address = (four: string, v6: string, index: number) =>
    six ? `${v6}${index.toString(16)}` : `${four}.${index >> 8}.${index & 255}`;
  const hosts = sandbox.hosts.filter(({ addresses }) => addresses.length > 0);
  const of = (addresses: readonly string[]) => addresses.filter((one) => one.includes(':') === six);
  const nodePort = NODE_PORTS.first + (slot % NODE_PORTS.slots) * NODE_PORTS.each;
  return {
    family,
    protocol,
    ...Object.fromEntries(
      hosts.flatMap((host) =>
        of(host.addresses).map((one, index) => [`${host.name}${index === 0 ? '' : index + 1}`, one]),
      ),
    ),
    clusterIP: address('10.96', 'fd00:10:96::', 256 + 4 * number),
    clusterIP2: address('10.96', 'fd00:10:96::', 257 + 4 * number),
    unusedIP: address('10.96', 'fd00:10:96::', 258 + 4 * number),
    serviceCIDR: SANDBOX_NETWORK.serviceCIDRs[six ? 1 : 0],
    externalIP: address('198.18', '2001:db8:99::', 1 + number),
    loadBalancerIP: address('198.19', '2001:db8:98::', 1 + 2 * number),
    loadBalancerIP2: address('198.19', '2001:db8:98::', 2 + 2 * number),
    hostPrefix: six ? 128 : 32,
    localhost: six ? '::1' : '127.0.0.1',
    nodePort,
    nodePort2: nodePort + 1,
    healthPort: nodePort + 2,
    sourcePort: SOURCE_PORTS.first + (slot % SOURCE_PORTS.slots) * 2,
    sourcePort2: SOURCE_PORTS.first + (slot % SOURCE_PORTS.slots) * 2 + 1,
  };
}

/**
 * Replaces placeholders everywhere in a value. A string that is one placeholder becomes its value, which may be a number.
 *
 * @throws ConformanceError `CONFORMANCE_BAD_CASE` naming an unknown placeholder.
 */
export function fill<T>(value: T, placeholders: Placeholders): T {
  const find = (name: string): string | number => {
    const found = placeholders[name];
    if (found === undefined) {
      const known = Object.keys(placeholders).join(', ');
      throw new ConformanceError('CONFORMANCE_BAD_CASE', `unknown placeholder \${${name}}; use one of ${known}`);
    }
    return found;
  };
  const replace = (part: unknown): unknown => {
    if (typeof part === 'string') {
      const whole = /^\$\{([^}]+)\}$/.exec(part)?.[1];
      return whole === undefined ? part.replace(/\$\{([^}]+)\}/g, (_text, name) => String(find(name))) : find(whole);
    }
    if (Array.isArray(part)) {
      return part.map(replace);
    }
    return typeof part === 'object' && part !== null
      ? Object.fromEntries(Object.entries(part).map(([key, inner]) => [key, replace(inner)]))
      : part;
  };
  return replace(value) as T;
}
