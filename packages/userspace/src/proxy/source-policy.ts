import { BlockList } from 'node:net';
import { type IPFamily, type LocalTrafficDetector, parseCIDR, type Route } from '@kube-proxier/core';
import type { ListenerSpec } from '../plan/userspace-transaction.js';

/** What is known of sources on this node. */
export interface SourceFacts {
  readonly detector: LocalTrafficDetector;
  /** Canonical addresses of all interfaces. */
  readonly localAddresses: ReadonlySet<string>;
}

/** A set of networks of one family, to look up addresses. Networks that are not canonical hold nothing. */
export function networkSet(cidrs: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const cidr of cidrs) {
    const parsed = parseCIDR(cidr);
    if (parsed) {
      list.addSubnet(parsed.text.slice(0, parsed.text.lastIndexOf('/')), parsed.prefixLength, kind(parsed.family));
    }
  }
  return (address) => list.check(address, address.includes(':') ? 'ipv6' : 'ipv4');
}

function kind(family: IPFamily): 'ipv4' | 'ipv6' {
  return family === 'IPv4' ? 'ipv4' : 'ipv6';
}

const DROP: Route = { source: 'any', action: 'drop' };

/**
 * Finds the route of a client, in the order that `Frontend` lays down: allowed sources first, then the first route
 * whose source matches.
 *
 * A socket does not report the interface of a packet: where the detector goes by interface, no client is taken
 * for a pod.
 */
export function sourcePolicy(
  { allowedSources, routes }: Pick<ListenerSpec, 'allowedSources' | 'routes'>,
  facts: SourceFacts,
): (source: string) => Route {
  const allowed = allowedSources === undefined ? undefined : networkSet(allowedSources);
  const isPod = facts.detector.kind === 'source-cidr' ? networkSet([facts.detector.cidr]) : () => false;
  const isNode = (source: string) => isLoopback(source) || facts.localAddresses.has(source);
  const [first] = routes;
  if (!allowed && first?.source === 'any') {
    return () => first;
  }
  return (source) => {
    if (allowed && !allowed(source)) {
      return DROP;
    }
    const matching = routes.find(
      (route) =>
        route.source === 'any' ||
        (route.source === 'pod' && isPod(source)) ||
        (route.source === 'node' && isNode(source)),
    );
    return matching ?? DROP;
  };
}

/** Whether canonical address text is a loopback address. */
export function isLoopback(address: string): boolean {
  return address.startsWith('127.') || address === '::1';
}
