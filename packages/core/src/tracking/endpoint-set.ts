import type { Endpoint } from '../model/endpoint.js';
import { isDrained } from '../model/endpoint-weights.js';
import type { EndpointSelection } from '../model/proxy-state.js';
import { findEndpoint, NO_ENDPOINTS, type SortedEndpoints, withChanges } from './sorted-endpoints.js';

/** The position of this node for topology hints. */
export interface TopologyPlace {
  readonly nodeName: string;
  readonly zone: string | undefined;
  /** Follow hints for this node (the gate PreferSameTrafficDistribution, spec K-35). */
  readonly nodeHints: boolean;
}

/** The selection of an {@link EndpointSet} for this node. The same object while it is unchanged. */
export interface EndpointView {
  readonly candidates: SortedEndpoints;
  /** Endpoints for policy Cluster: ready ones by topology, else serving terminating ones (spec K-45, K-51), none drained. */
  readonly cluster: SortedEndpoints;
  /** Endpoints for policy Local: local ready ones, else local serving terminating ones (spec K-47). */
  readonly local: SortedEndpoints;
  readonly selection: EndpointSelection;
  /** Some endpoint in the cluster can answer: without one, packets are rejected under every policy. */
  readonly hasAny: boolean;
}

/** Selections by content: there are few. */
const SELECTIONS = new Map<string, EndpointSelection>();

function selectionOf(
  topology: EndpointSelection['topology'],
  clusterBasis: EndpointSelection['clusterBasis'],
  localBasis: EndpointSelection['localBasis'],
): EndpointSelection {
  const key = `${topology} ${clusterBasis} ${localBasis}`;
  let selection = SELECTIONS.get(key);
  if (selection === undefined) {
    selection = { topology, clusterBasis, localBasis };
    SELECTIONS.set(key, selection);
  }
  return selection;
}

export const EMPTY_VIEW: EndpointView = {
  candidates: NO_ENDPOINTS,
  cluster: NO_ENDPOINTS,
  local: NO_ENDPOINTS,
  selection: selectionOf('none', 'none', 'none'),
  hasAny: false,
};

interface Counts {
  ready: number;
  readyLocal: number;
  readyWithNodeHints: number;
  readyHintedHere: number;
  readyWithZoneHints: number;
  readyHintedZone: number;
  standIns: number;
  localStandIns: number;
}

/** Ready and not drained: lists are selected from these (spec E-6). */
export function isSelectable(endpoint: Endpoint): boolean {
  return endpoint.ready && !isDrained(endpoint);
}

/** Serving though terminating: used when no endpoint is ready. */
function isStandIn(endpoint: Endpoint): boolean {
  return endpoint.serving && endpoint.terminating && !isDrained(endpoint);
}

/** Counts of shorter lists are not kept: counting again is as fast. */
const FEW = 64;

/**
 * The endpoints of one service port and their selection for this node.
 *
 * The counts that determine the selection of a long list are maintained incrementally, so that the cost is proportional
 * to the change (and one pass over references), not to all endpoints.
 */
export class EndpointSet {
  #current: EndpointView = EMPTY_VIEW;
  /** Undefined for a short list. */
  #counts: Counts | undefined;

  constructor(private place: TopologyPlace) {}

  get view(): EndpointView {
    return this.#current;
  }

  /** Sets the first endpoints. Keeps the list itself: most Services have one slice, which shares it. */
  fill(candidates: SortedEndpoints): void {
    this.#current = this.#choose(candidates, undefined, this.#countAll(candidates));
  }

  /** Sets or removes endpoints by key. */
  change(changes: readonly (readonly [key: string, endpoint: Endpoint | undefined])[]): void {
    const { candidates } = this.#current;
    const next = withChanges(candidates, changes);
    if (next === candidates) {
      return;
    }
    const counts = this.#counts;
    if (counts === undefined || next.length <= FEW) {
      this.#current = this.#choose(next, changes, this.#countAll(next));
      return;
    }
    for (const [key, endpoint] of changes) {
      count(findEndpoint(candidates, key), -1, this.place, counts);
      count(endpoint, 1, this.place, counts);
    }
    this.#current = this.#choose(next, changes, counts);
  }

  /** The node moved to another zone. */
  moveTo(place: TopologyPlace): void {
    this.place = place;
    const { candidates } = this.#current;
    this.#current = this.#choose(candidates, undefined, this.#countAll(candidates));
  }

  #countAll(endpoints: SortedEndpoints): Counts {
    const counts = noCounts();
    for (const endpoint of endpoints) {
      count(endpoint, 1, this.place, counts);
    }
    this.#counts = endpoints.length > FEW ? counts : undefined;
    return counts;
  }

  #choose(
    candidates: SortedEndpoints,
    changes: readonly (readonly [key: string, endpoint: Endpoint | undefined])[] | undefined,
    counts: Counts,
  ): EndpointView {
    const before = this.#current;
    const selection = select(counts);
    const keep = selection === before.selection && changes !== undefined;
    const list = (previous: SortedEndpoints, isIn: (endpoint: Endpoint) => boolean): SortedEndpoints => {
      // Most Services use all their endpoints: both fields then share one list.
      const isWhole = keep
        ? previous === before.candidates && changes.every(([, endpoint]) => endpoint === undefined || isIn(endpoint))
        : candidates.every(isIn);
      if (isWhole) {
        return candidates;
      }
      const filtered = keep
        ? withChanges(
            previous,
            changes.map(([key, endpoint]) => [key, endpoint && isIn(endpoint) ? endpoint : undefined]),
          )
        : candidates.filter(isIn);
      return filtered.length === candidates.length ? candidates : filtered.length === 0 ? NO_ENDPOINTS : filtered;
    };
    return {
      candidates,
      cluster: list(before.cluster, this.#clusterMember(selection)),
      local: list(before.local, localMember(selection)),
      selection,
      hasAny: counts.ready > 0 || counts.standIns > 0,
    };
  }

  #clusterMember(selection: EndpointSelection): (endpoint: Endpoint) => boolean {
    const { nodeName, zone } = this.place;
    switch (selection.clusterBasis) {
      case 'none':
        return () => false;
      case 'terminating':
        return isStandIn;
      case 'ready':
        switch (selection.topology) {
          case 'PreferSameNode':
            return (endpoint) => isSelectable(endpoint) && endpoint.nodeHints.includes(nodeName);
          case 'PreferSameZone':
            return (endpoint) => isSelectable(endpoint) && zone !== undefined && endpoint.zoneHints.includes(zone);
          case 'none':
            return isSelectable;
        }
    }
  }
}

function localMember(selection: EndpointSelection): (endpoint: Endpoint) => boolean {
  switch (selection.localBasis) {
    case 'none':
      return () => false;
    case 'terminating':
      return (endpoint) => endpoint.isLocal && isStandIn(endpoint);
    case 'ready':
      return (endpoint) => endpoint.isLocal && isSelectable(endpoint);
  }
}

function count(endpoint: Endpoint | undefined, by: 1 | -1, place: TopologyPlace, counts: Counts): void {
  if (!endpoint) {
    return;
  }
  if (isSelectable(endpoint)) {
    counts.ready += by;
    if (endpoint.isLocal) {
      counts.readyLocal += by;
    }
    if (place.nodeHints && endpoint.nodeHints.length > 0) {
      counts.readyWithNodeHints += by;
      if (endpoint.nodeHints.includes(place.nodeName)) {
        counts.readyHintedHere += by;
      }
    }
    if (endpoint.zoneHints.length > 0) {
      counts.readyWithZoneHints += by;
      if (place.zone !== undefined && endpoint.zoneHints.includes(place.zone)) {
        counts.readyHintedZone += by;
      }
    }
  }
  if (isStandIn(endpoint)) {
    counts.standIns += by;
    if (endpoint.isLocal) {
      counts.localStandIns += by;
    }
  }
}

function select(counts: Counts): EndpointSelection {
  const basis = (ready: number, standIns: number) => (ready > 0 ? 'ready' : standIns > 0 ? 'terminating' : 'none');
  return selectionOf(
    topologyOf(counts),
    basis(counts.ready, counts.standIns),
    basis(counts.readyLocal, counts.localStandIns),
  );
}

/** Spec K-51: hints apply only when every ready endpoint has them and one is assigned to this node or zone. */
function topologyOf(counts: Counts): EndpointSelection['topology'] {
  if (counts.ready === 0) {
    return 'none';
  }
  if (counts.readyWithNodeHints === counts.ready && counts.readyHintedHere > 0) {
    return 'PreferSameNode';
  }
  return counts.readyWithZoneHints === counts.ready && counts.readyHintedZone > 0 ? 'PreferSameZone' : 'none';
}

function noCounts(): Counts {
  return {
    ready: 0,
    readyLocal: 0,
    readyWithNodeHints: 0,
    readyHintedHere: 0,
    readyWithZoneHints: 0,
    readyHintedZone: 0,
    standIns: 0,
    localStandIns: 0,
  };
}
