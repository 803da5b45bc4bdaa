import type { ChangeSet, Endpoint, ProxyState } from '@kube-proxier/core';
import type { Place } from './place.js';
import { backendsOf, type HaproxyConfig, renderConfig, shapeOf } from './render-config.js';
import { renderRules, rulesShapeOf } from './render-rules.js';

/** A server to add to a backend, or to remove from it, by the runtime API. */
export type ServerChange =
  | { readonly action: 'add'; readonly backend: string; readonly server: string; readonly endpoint: Endpoint }
  | { readonly action: 'remove'; readonly backend: string; readonly server: string };

/** Changes, in the order in which they are applied. */
export interface HaproxyTransaction {
  /** Whether to check the address of HAProxy too: at the start, and after a failure or drift. */
  readonly full: boolean;
  /** Configuration for a new HAProxy process that replaces the running one. */
  readonly reload: HaproxyConfig | undefined;
  readonly servers: readonly ServerChange[];
  /** Input of `nft -f -`. */
  readonly rules: string | undefined;
}

/** The current state of this host. */
export interface InstalledHaproxy {
  /** Digest of the configuration of the running HAProxy process; undefined when none runs. */
  readonly structure: string | undefined;
  /** Servers that accept new connections, by backend. */
  readonly servers: ReadonlyMap<string, ReadonlySet<string>>;
  /** The rules as written; undefined when the installed rules differ. */
  readonly rules: string | undefined;
  /** Whether the address of HAProxy is assigned to `lo`. */
  readonly address: boolean;
}

/** See `Dataplane.plan`. Pure. */
export function planHaproxy(
  place: Place,
  next: ProxyState,
  changes: ChangeSet,
  installed?: InstalledHaproxy,
): HaproxyTransaction | undefined {
  const transaction = installed ? reconcile(place, next, installed) : step(place, next, changes);
  const { full, reload, servers, rules } = transaction;
  return full || reload || servers.length > 0 || rules ? transaction : undefined;
}

/** Reads the changes only, except where HAProxy or nft needs the whole configuration. */
function step(place: Place, next: ProxyState, changes: ChangeSet): HaproxyTransaction {
  const list = [...changes.servicePorts.values()];
  const reload = list.some(({ previous, current }) => shapeOf(previous) !== shapeOf(current));
  const rules =
    changes.nodeChanged ||
    changes.clusterIPs.size > 0 ||
    list.some(({ previous, current }) => rulesShapeOf(previous) !== rulesShapeOf(current));
  const servers = list.flatMap(({ previous, current }) => {
    const before = previous ? backendsOf(previous) : new Map<string, ReadonlyMap<string, Endpoint>>();
    return [...(current ? backendsOf(current) : [])].flatMap(([backend, wanted]) =>
      compare(backend, new Set(before.get(backend)?.keys()), wanted),
    );
  });
  return {
    full: false,
    reload: reload ? renderConfig(place, next) : undefined,
    servers: reload ? [] : servers,
    rules: rules ? renderRules(place, next) : undefined,
  };
}

function reconcile(place: Place, next: ProxyState, installed: InstalledHaproxy): HaproxyTransaction {
  const config = renderConfig(place, next);
  const rules = renderRules(place, next);
  const reload = installed.structure !== config.structure;
  const backends = reload ? [] : [...next.servicePorts.values()].flatMap((resolved) => [...backendsOf(resolved)]);
  return {
    full: !installed.address,
    reload: reload ? config : undefined,
    servers: backends.flatMap(([name, wanted]) => compare(name, installed.servers.get(name) ?? new Set(), wanted)),
    rules: installed.rules === rules ? undefined : rules,
  };
}

function compare(
  backend: string,
  installed: ReadonlySet<string>,
  wanted: ReadonlyMap<string, Endpoint>,
): readonly ServerChange[] {
  const add = [...wanted].filter(([server]) => !installed.has(server));
  const remove = [...installed].filter((server) => !wanted.has(server));
  return [
    ...add.map(([server, endpoint]): ServerChange => ({ action: 'add', backend, server, endpoint })),
    ...remove.map((server): ServerChange => ({ action: 'remove', backend, server })),
  ];
}
