import { createHash } from 'node:crypto';
import type { Endpoint, ProxyState, ResolvedServicePort } from '@kube-proxier/core';
import type { Place } from './place.js';

/** The configuration of a HAProxy process. */
export interface HaproxyConfig {
  readonly config: string;
  /** Map file: the service port of each address and port. */
  readonly map: string;
  /** Digest of everything except the servers, which the runtime API can change. Shown by `show info`. */
  readonly structure: string;
}

/** The endpoint lists of a service port. */
export type EndpointList = 'cluster' | 'local';

const LISTS: readonly EndpointList[] = ['cluster', 'local'];

/** Name of a service port in HAProxy. Its parts contain no colons. */
export function proxyName({ name }: ResolvedServicePort): string {
  return `${name.namespace}:${name.name}:${name.portName}`;
}

/** The backends of a service port, each with its servers by name. An empty list has no backend. */
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

/** The name contains address and port, so that the server is found after a restart. */
export function serverName({ address, port }: Pick<Endpoint, 'address' | 'port'>): string {
  return `${address}_${port}`;
}

/** Address and port in the notation of HAProxy. */
export function serverAddress({ address, port }: Pick<Endpoint, 'address' | 'port'>): string {
  return address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;
}

/**
 * The part of a service port that needs a reload of HAProxy, as text to compare: its keys in the map, its backends, and the
 * timeout of session affinity.
 */
export function shapeOf(resolved: ResolvedServicePort | undefined): string {
  if (!resolved || backendsOf(resolved).size === 0) {
    return '';
  }
  return JSON.stringify([mapLines(resolved), [...backendsOf(resolved).keys()], resolved.affinitySeconds]);
}

/** Renders the configuration. Pure; equal states have equal text. */
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

/** Keys such as `10.96.0.10:80` and `node:31269`, as the frontends look them up. */
function mapLines(resolved: ResolvedServicePort): string[] {
  const forwarded = resolved.frontends.filter(({ routes }) => routes.some(({ action }) => action === 'forward'));
  return forwarded.map(({ address = 'node', port }) => `${address}:${port} ${proxyName(resolved)}\n`);
}

function head(place: Place, structure: string): string {
  const { directory, address, ports } = place;
  const known = `map(${directory}/frontends.map)`;
  // The original destination, which HAProxy reads from connection tracking.
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
  # The timeout of an idle connection in connection tracking.
  timeout client 24h
  timeout server 24h

# After a reload the new process receives the stick tables of the old one.
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

/** Until the first connection of a client has an entry, the hash of the source address selects the server. */
function stickTo(table: string): string {
  return `  balance source\n  hash-type consistent\n  stick on src table ${table}\n`;
}
