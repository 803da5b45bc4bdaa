import { createHash } from 'node:crypto';
import type { Frontend, NodeState, ProxyState, ResolvedServicePort, Route } from '@kube-proxier/core';
import { type Place, TABLE } from './place.js';
import { serverAddress } from './render-config.js';

/** The part of a service port that the rules depend on, as text to compare. */
export function rulesShapeOf(resolved: ResolvedServicePort | undefined): string {
  const frontends = resolved?.name.protocol === 'TCP' ? resolved.frontends : [];
  return JSON.stringify(frontends.map(({ key, allowedSources, routes }) => [key, allowedSources, routes]));
}

/**
 * Renders the nft table that redirects packets for Services to HAProxy, and rejects connections to Services without endpoints: a
 * program can reject a client only after it has accepted its connection. One transaction of `nft -f` replaces the table. Pure;
 * equal states have equal text.
 *
 * HAProxy selects the Service by the original destination, so there is one chain for each combination of routes, not for each
 * Service.
 */
export function renderRules(place: Place, state: ProxyState): string {
  const family = place.family === 'IPv4' ? 'ip' : 'ip6';
  const chains = new Map<string, string>();
  const services: string[] = [];
  const nodePorts: string[] = [];
  for (const { name, frontends } of state.servicePorts.values()) {
    for (const frontend of name.protocol === 'TCP' ? frontends : []) {
      const { address, port } = frontend;
      const verdict = `goto ${policyChain(place, family, state.node, frontend, chains)}`;
      if (address === undefined) {
        nodePorts.push(`${port} : ${verdict}`);
      } else {
        services.push(`${address} . ${port} : ${verdict}`);
      }
    }
  }
  const clusterIPs = [...state.clusterIPs.keys()];
  return `table ${family} ${TABLE} {}
delete table ${family} ${TABLE}
table ${family} ${TABLE} {
${container('map services', `${family === 'ip' ? 'ipv4_addr' : 'ipv6_addr'} . inet_service : verdict`, services)}
${container('map node-ports', 'inet_service : verdict', nodePorts)}
${container('set cluster-ips', family === 'ip' ? 'ipv4_addr' : 'ipv6_addr', clusterIPs)}
${[...chains.values()].sort().join('\n')}
${chain('services', [
  `${family} daddr . tcp dport vmap @services`,
  ...nodePortRules(family, state.node),
  `${family} daddr @cluster-ips meta l4proto { tcp, udp, sctp } reject`,
  ...state.node.serviceCIDRs.map((cidr) => `${family} daddr ${cidr} meta l4proto { tcp, udp, sctp } drop`),
])}
${chain('prerouting', ['type nat hook prerouting priority dstnat; policy accept;', 'jump services'])}
${chain('output', ['type nat hook output priority -100; policy accept;', 'jump services'])}
${chain('guard', [
  'type filter hook input priority filter - 5; policy accept;',
  // Only packets that the chains above have translated are accepted.
  `${family} daddr ${place.address} ct status & dnat == 0 drop`,
])}
}
`;
}

function chain(name: string, lines: readonly string[]): string {
  return `  chain ${name} {\n${lines.map((line) => `    ${line}\n`).join('')}  }`;
}

function container(name: string, type: string, elements: readonly string[]): string {
  const filled = elements.length > 0 ? `    elements = { ${[...elements].sort().join(', ')} }\n` : '';
  return `  ${name} {\n    type ${type}\n${filled}  }`;
}

function nodePortRules(family: string, { nodePortAddresses }: NodeState): string[] {
  const lookUp = 'tcp dport vmap @node-ports';
  const loopback = family === 'ip' ? '127.0.0.0/8' : '::1';
  const own =
    nodePortAddresses.kind === 'all'
      ? [`${family} daddr != ${loopback} fib daddr type local ${lookUp}`]
      : nodePortAddresses.addresses.map((address) => `${family} daddr ${address} ${lookUp}`);
  return [...own, ...(nodePortAddresses.loopback ? [`${family} daddr ${loopback} ${lookUp}`] : [])];
}

/** @returns the name of the chain for the routes of a frontend, which is added to `chains` if missing. */
function policyChain(
  place: Place,
  family: string,
  node: NodeState,
  { allowedSources, routes }: Frontend,
  chains: Map<string, string>,
): string {
  const add = (lines: readonly string[]): string => {
    const name = `policy-${createHash('sha256').update(lines.join('\n')).digest('hex').slice(0, 16)}`;
    chains.set(name, chain(name, lines));
    return name;
  };
  const name = add(routes.flatMap((route) => routeLines(place, family, node, route)));
  return allowedSources === undefined
    ? name
    : add([...allowedSources.map((cidr) => `${fromNetwork(family, cidr)}goto ${name}`), 'drop']);
}

function routeLines(place: Place, family: string, node: NodeState, route: Route): string[] {
  const from = sourceMatch(family, node, route.source);
  switch (route.action) {
    case 'forward': {
      const to = serverAddress({ address: place.address, port: place.ports[route.endpoints] });
      return from.map((match) => `${match}meta l4proto tcp dnat to ${to}`);
    }
    case 'reject':
      return from.map((match) => `${match}reject`);
    case 'drop':
      return from.map((match) => `${match}drop`);
  }
}

/** The match for a source at the beginning of a rule; none when no packets have this source. */
function sourceMatch(family: string, { detector }: NodeState, source: Route['source']): string[] {
  if (source === 'any') {
    return [''];
  }
  if (source === 'node') {
    return ['fib saddr type local '];
  }
  switch (detector.kind) {
    case 'none':
      return [];
    case 'source-cidr':
      return [fromNetwork(family, detector.cidr)];
    case 'interface':
      return [`iifname "${detector.name}" `];
    case 'interface-prefix':
      return [`iifname "${detector.prefix}*" `];
  }
}

function fromNetwork(family: string, cidr: string): string {
  return cidr.endsWith('/0') ? '' : `${family} saddr ${cidr} `;
}
