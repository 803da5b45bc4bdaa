import type { IPFamily, PathOutcome, PathRule } from '@kube-proxier/core';
import { bitsOf, prefixMask } from './ip-bits.js';
import { parseNftRule } from './nft-rule-text.js';
import type { PathHostFacts } from './path-host.js';
import { type NetfilterReading, readNetfilterPath } from './read-netfilter-path.js';

export interface ForwardedPacketsRequest extends Pick<NetfilterReading, 'family' | 'runner' | 'files'> {
  /** Source of the packet, canonical: a pod, or a client. */
  readonly source: string;
  /** Destination after the translation, canonical: a pod that is an endpoint. */
  readonly endpoint: string;
}

/**
 * - `passed`: no rule stops the packet.
 * - `stopped`: a rule drops or refuses it.
 * - `unknown`: not all rules could be read, or the effect of one is not known.
 */
export type ForwardedPackets =
  | { readonly result: 'passed' }
  | { readonly result: 'stopped'; readonly verdict: 'dropped' | 'refused'; readonly by: PathRule }
  | { readonly result: 'unknown'; readonly reason: string };

/** From a documentation network (RFC 5737, RFC 3849): rules of other programs do not know it. */
const SERVICE_ADDRESS: Readonly<Record<IPFamily, string>> = { IPv4: '192.0.2.1', IPv6: '2001:db8::1' };

/**
 * Whether a forwarded packet of a Service would pass the rules that are installed now: the destination is translated, the
 * source is kept. Changes nothing and sends nothing. Settings that affect forwarding are assumed to be right, and a
 * default route to exist.
 */
export async function checkForwardedPackets({
  source,
  endpoint,
  ...reading
}: ForwardedPacketsRequest): Promise<ForwardedPackets> {
  const { family } = reading;
  const path = await readNetfilterPath({
    ...reading,
    assumes: { table: translation(family, endpoint), host: asRouter },
  });
  try {
    const [reason] = path.unread;
    if (reason !== undefined) {
      return { result: 'unknown', reason };
    }
    return judge(
      path.outcomesOf({
        ...{ source, sourcePort: 40_001, destination: SERVICE_ADDRESS[family], protocol: 'TCP', port: 80 },
        entry: { kind: 'interface', name: undefined },
      }),
    );
  } finally {
    path.close();
  }
}

function judge(outcomes: readonly PathOutcome[]): ForwardedPackets {
  const stopped = outcomes.filter(({ verdict }) => verdict !== 'accepted');
  const certain =
    stopped.find(({ unknown }) => unknown.length === 0) ??
    (stopped.length === outcomes.length ? stopped[0] : undefined);
  const [unsure] = stopped;
  if (certain?.decidedBy !== undefined && certain.verdict !== 'accepted') {
    return { result: 'stopped', verdict: certain.verdict, by: certain.decidedBy };
  }
  const [rule] = unsure?.unknown ?? [];
  return unsure === undefined
    ? { result: 'passed' }
    : {
        result: 'unknown',
        reason: rule === undefined ? 'no rule decides about them' : `the effect of "${rule.text}" is not known`,
      };
}

/** A table that translates packets to the address of a Service, as a backend does. */
function translation(family: IPFamily, endpoint: string) {
  const [name, to] = family === 'IPv4' ? ['ip', endpoint] : ['ip6', `[${endpoint}]`];
  const rule = `${name} daddr ${SERVICE_ADDRESS[family]} tcp dport 80 dnat ${name} to ${to}:80`;
  return {
    family: name,
    name: 'kube-proxier-check',
    objects: [
      ['chain', { name: 'prerouting', type: 'nat', hook: 'prerouting', prio: -101, policy: 'accept' }],
      ['rule', { chain: 'prerouting', expr: parseNftRule(rule) }],
    ] as const,
  };
}

/** A host whose settings and routes do not stop the packet. */
function asRouter(facts: PathHostFacts): PathHostFacts {
  const six = facts.family === 'IPv6';
  const interfaceName = [...facts.addressesOf.keys()].find((name) => name !== 'lo') ?? 'eth0';
  const anything = { value: bitsOf(six ? '::' : '0.0.0.0') ?? 0n, mask: prefixMask(six ? 128 : 32, 0) };
  return {
    ...facts,
    ...(facts.routes && {
      routes: [...facts.routes, { network: anything, length: 0, metric: 2 ** 32, interfaceName }],
    }),
    sysctls: new Map([
      ...[...facts.sysctls].filter(([name]) => !name.endsWith('/rp_filter')),
      ['net/ipv4/ip_forward', '1'],
      ['net/ipv6/conf/all/forwarding', '1'],
    ]),
  };
}
