import { createHash } from 'node:crypto';
import type { Endpoint, ProxyState, ResolvedServicePort } from '@kube-proxier/core';
import type { Place } from './place.js';

/** What HAProxy is started with. */
export interface HaproxyConfig {
  readonly config: string;
  /** Which address and port belongs to which service port. */
  readonly map: string;
  /** Stands for everything but the servers, which can be changed while it runs. Shows in `show info`. */
  readonly structure: string;
}

/** `cluster` or `local`: which list of endpoints. */
export type EndpointList = 'cluster' | 'local';

const LISTS: readonly EndpointList[] = ['cluster', 'local'];

/** Name of a service port in HAProxy. No part of it can have a colon in it. */
export function proxyName({ name }: ResolvedServicePort): string {
  return `${name.namespace}:${name.name}:${name.portName}`;
}

/** The backends of a service port, each with its servers by name. A list that is empty has no backend. */
export function backendsOf(resolved: ResolvedServicePort): ReadonlyMap<string, ReadonlyMap<string, Endpoint>> {
  const backends = new Map<string, ReadonlyMap<string, Endpoint>>();
  if (resolved.name.protocol === 'TCP') {
    for (const list of LISTS.filter((candidate) => resolved[candidate].length > 0)) {
      const servers = resolved[list].map((endpoint): [string, Endpoint] => [serverName(endpoint), endpoint]);
      backends.set(`${list}:${proxyName(resolved)}`, new Map(servers));
    }
  }
  return backends;
}

/** A server's name says where it is: that is how it is found again after a restart. */
export function serverName({ address, port }: Pick<Endpoint, 'address' | 'port'>): string {
  return `${address}_${port}`;
}

/** Where a server is, as HAProxy writes it. */
export function serverAddress({ address, port }: Pick<Endpoint, 'address' | 'port'>): string {
  return address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;
}

/**
 * What of a service port HAProxy cannot change while it runs, as text to compare: its keys in the map, its backends, and
 * how long clients stay.
 */
export function shapeOf(resolved: ResolvedServicePort | undefined): string {
  if (!resolved || backendsOf(resolved).size === 0) {
    return '';
  }
  return JSON.stringify([mapLines(resolved), [...backendsOf(resolved).keys()], resolved.affinitySeconds]);
}

/** Renders the whole. Pure, and the same text for equal states. */
export function renderConfig(place: Place, state: ProxyState): HaproxyConfig {
  const resolved = [...state.servicePorts.values()]
    .filter((one) => backendsOf(one).size > 0)
    .sort((left, right) => (left.key < right.key ? -1 : 1));
  const map = resolved.flatMap(mapLines).join('');
  const structure = createHash('sha256')
    .update(JSON.stringify([place, map, ...resolved.map(shapeOf)]))
    .digest('hex');
  return { map, structure, config: [head(place, structure), ...resolved.map((one) => backends(place, one))].join('') };
}

/** `10.96.0.10:80` or `node:31269`, as the rules of the frontends name them. */
function mapLines(resolved: ResolvedServicePort): string[] {
  const forwarded = resolved.frontends.filter(({ routes }) => routes.some(({ action }) => action === 'forward'));
  return forwarded.map(({ address = 'node', port }) => `${address}:${port} ${proxyName(resolved)}\n`);
}

function head(place: Place, structure: string): string {
  const { directory, address, ports } = place;
  const known = `map(${directory}/frontends.map)`;
  // The address that the client meant: HAProxy asks connection tracking for it.
  const byAddress = `dst,concat(:,sess.port),${known}`;
  const byNode = `str(node),concat(:,sess.port),${known}`;
  const frontends = LISTS.map(
    (list) => `
frontend ${list}
  bind ${serverAddress({ address, port: ports[list] })}
  tcp-request session set-var(sess.port) dst_port
  use_backend ${list}:%[${byAddress}] if { ${byAddress} -m found }
  use_backend ${list}:%[${byNode}] if { ${byNode} -m found }
`,
  );
  return `# Written by kube-proxier-haproxy; changes are lost.
global
  description ${structure}
  stats socket ${directory}/admin.sock mode 600 level admin expose-fd listeners
  localpeer this

defaults
  mode tcp
  balance roundrobin
  retries 2
  option redispatch
  timeout connect 5s
  # As long as connection tracking keeps a connection on which nothing is said.
  timeout client 24h
  timeout server 24h

# After a reload the new process learns from the old one which client stays where.
peers this
  peer this unix@${directory}/peers.sock
${frontends.join('')}`;
}

function backends(place: Place, resolved: ResolvedServicePort): string {
  const { affinitySeconds } = resolved;
  const table = `affinity:${proxyName(resolved)}`;
  const type = place.family === 'IPv4' ? 'ip' : 'ipv6';
  const sticky =
    affinitySeconds === undefined
      ? ''
      : `
backend ${table}
  stick-table type ${type} size 100k expire ${affinitySeconds}s srvkey addr peers this
`;
  const rendered = [...backendsOf(resolved)].map(
    ([name, servers]) => `
backend ${name}
${affinitySeconds === undefined ? '' : stickTo(table)}${[...servers]
  .map(([server, endpoint]) => `  server ${server} ${serverAddress(endpoint)}\n`)
  .join('')}`,
  );
  return `${sticky}${rendered.join('')}`;
}

/** The table remembers; connections that come before the first is in it agree by the hash of their source. */
function stickTo(table: string): string {
  return `  balance source\n  hash-type consistent\n  stick on src table ${table}\n`;
}
