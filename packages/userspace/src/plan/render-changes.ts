import { joinHostPort, type RuleChange } from '@kube-proxier/core';
import type { InstalledUserspace } from './installed-userspace.js';
import type { ListenerSpec, ServiceSpec, Target, UserspaceTransaction } from './userspace-transaction.js';

/**
 * The changes that a transaction makes to the sockets of a process. Pure. Rules that lead to them follow from the sockets: their
 * ports are known when they are open.
 */
export function renderChanges(
  transaction: UserspaceTransaction,
  { listeners, services, clusterIPs }: Pick<InstalledUserspace, 'listeners' | 'services' | 'clusterIPs'>,
): readonly RuleChange[] {
  const written = new Map([...transaction.open, ...transaction.change].map((listener) => [listener.id, listener]));
  const set = new Map(transaction.set.map((service) => [service.key, service]));
  const listenerIds = [...new Set([...transaction.close, ...written.keys()])].sort();
  const serviceKeys = [...new Set([...transaction.remove, ...set.keys()])].sort();
  const addresses = [
    ...transaction.removeClusterIPs
      .filter((address) => clusterIPs.has(address))
      .map((address) => ['remove', address] as const),
    ...transaction.addClusterIPs.map((address) => ['add', address] as const),
  ];
  return [
    ...listenerIds.flatMap((id) => replaced(listeners.get(id), written.get(id), socketOf)),
    ...serviceKeys.flatMap((key) => replaced(services.get(key), set.get(key), serviceOf)),
    ...addresses.map(
      ([action, address]): RuleChange => ({
        ...{ action, table: 'userspace', kind: 'address' },
        text: `reject other ports of ${address}`,
      }),
    ),
  ];
}

type Shown = Omit<RuleChange, 'action'>;

function replaced<T>(before: T | undefined, after: T | undefined, show: (object: T) => Shown): RuleChange[] {
  const [old, fresh] = [before && show(before), after && show(after)];
  return old?.text === fresh?.text
    ? []
    : [
        ...(old ? [{ action: 'remove', ...old } as const] : []),
        ...(fresh ? [{ action: 'add', ...fresh } as const] : []),
      ];
}

function socketOf({ protocol, place, portals, allowedSources, routes, servicePort }: ListenerSpec): Shown {
  const where =
    place.kind === 'proxy-port'
      ? `proxy port for ${portals.map(({ address, port }) => (address === undefined ? `<node>:${port}` : joinHostPort(address, port))).join(', ')}`
      : place.kind === 'node-port'
        ? `<node>:${place.port}`
        : joinHostPort(place.address, place.port);
  const sources = allowedSources === undefined ? '' : ` from ${allowedSources.join(', ') || 'no source'}`;
  const actions = routes.map((route) =>
    route.action === 'forward' ? `${route.source} to ${route.endpoints} endpoints` : `${route.source} ${route.action}`,
  );
  const text = `listen ${protocol} on ${where}${sources}: ${actions.join(', ')}`;
  return { table: 'userspace', kind: 'socket', text, owner: servicePort };
}

function serviceOf({ key, name, protocol, cluster, local, draining, affinitySeconds, options }: ServiceSpec): Shown {
  const list = (targets: readonly Target[]) => targets.map((target) => target.key).join(' ') || 'none';
  const more = [
    ...(draining.length === 0 ? [] : [`draining ${draining.join(' ')}`]),
    ...(affinitySeconds === undefined ? [] : [`affinity ${affinitySeconds} s`]),
    ...(Object.keys(options).length === 0 ? [] : [`options ${JSON.stringify(options)}`]),
  ];
  const text = [`${name}/${protocol}: cluster ${list(cluster)}`, `local ${list(local)}`, ...more].join('; ');
  return { table: 'userspace', kind: 'endpoints', text, owner: key };
}
