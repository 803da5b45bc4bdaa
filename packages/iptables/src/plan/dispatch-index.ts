import {
  assertNever,
  type ChangeSet,
  type HealthCheckNodePort,
  hostCIDR,
  type ProxyState,
  type ResolvedServicePort,
  type Slices,
  serviceKey,
  structurallyEqual,
} from '@kube-proxier/core';
import { IptablesRule } from '@kube-proxier/linux';
import {
  DispatchTree,
  Entry,
  LIGHT_STEPS,
  placeOfAddress,
  placeOfPort,
  TREE_NAMES,
  TREES,
  type TreeName,
} from './dispatch-tree.js';
import { nodePortJumps } from './fixed-chains.js';
import type { Chain } from './iptables-transaction.js';
import { CHAINS } from './layout.js';
import { addServiceRules, emptyServiceRules, type ServiceRules, type ServiceRulesDraft } from './service-rules.js';

/** The chains of a state in a table, by name. */
export interface TableChains {
  readonly filter: ReadonlyMap<string, Chain>;
  readonly nat: ReadonlyMap<string, Chain>;
}

type Trees = Readonly<Record<TreeName, DispatchTree>>;

/** The rules in shared chains, of one state. Immutable. */
export class DispatchIndex {
  private constructor(
    private readonly state: ProxyState,
    readonly trees: Trees,
    /** How many endpoints the rules choose from. */
    readonly endpoints: number,
  ) {}

  /**
   * From scratch, in time proportional to the state. Yields often, so that a caller can pause.
   *
   * @param rules of all service ports of the state.
   */
  static *ofInSlices(state: ProxyState, { entries, endpoints }: StateRules): Slices<DispatchIndex> {
    const byTree = Object.fromEntries(TREE_NAMES.map((name): [TreeName, Entry[]] => [name, []])) as Record<
      TreeName,
      Entry[]
    >;
    for (const entry of entries) {
      byTree[entry.tree].push(entry);
    }
    for (const check of state.healthCheckNodePorts.values()) {
      yield;
      byTree.healthChecks.push(healthCheckEntry(check));
    }
    let count = 0;
    for (const address of state.clusterIPs.keys()) {
      if (++count % LIGHT_STEPS === 0) {
        yield;
      }
      byTree.clusterIPs.push(clusterIPEntry(address));
    }
    const trees: Partial<Record<TreeName, DispatchTree>> = {};
    for (const name of TREE_NAMES) {
      trees[name] = yield* DispatchTree.ofInSlices(name, byTree[name]);
    }
    return new DispatchIndex(state, trees as Trees, endpoints);
  }

  /**
   * The index of the next state, and the chains that may differ; in time proportional to the changes. Yields after each object, so
   * that a caller can pause.
   */
  *nextInSlices(
    state: ProxyState,
    changes: ChangeSet,
    rules: ReadonlyMap<string, { readonly previous?: ServiceRules; readonly current?: ServiceRules }>,
  ): Slices<{ readonly index: DispatchIndex; readonly touched: ReadonlyMap<TreeName, ReadonlySet<string>> }> {
    const removed: Entry[] = [];
    const added: Entry[] = [];
    let { endpoints } = this;
    for (const [key, { previous, current }] of changes.servicePorts) {
      yield;
      const { previous: old, current: next } = rules.get(key) ?? {};
      addDifference(old?.entries ?? [], next?.entries ?? [], removed, added);
      endpoints +=
        (current === undefined ? 0 : endpointsOf(current)) - (previous === undefined ? 0 : endpointsOf(previous));
    }
    for (const key of changes.healthCheckNodePorts) {
      const [before, after] = [this.state.healthCheckNodePorts.get(key), state.healthCheckNodePorts.get(key)];
      removed.push(...(before === undefined ? [] : [healthCheckEntry(before)]));
      added.push(...(after === undefined ? [] : [healthCheckEntry(after)]));
    }
    for (const address of changes.clusterIPs) {
      if (this.state.clusterIPs.has(address)) {
        removed.push(clusterIPEntry(address));
      }
      if (state.clusterIPs.has(address)) {
        added.push(clusterIPEntry(address));
      }
    }
    const { trees, touched } = yield* editTrees(this.trees, removed, added);
    return { index: new DispatchIndex(state, trees, endpoints), touched };
  }

  /** The last rules in the root of a tree. */
  tail(tree: TreeName): readonly IptablesRule[] {
    const { family, node } = this.state;
    switch (tree) {
      case 'services':
        return nodePortJumps(family, node.nodePortAddresses, CHAINS.nodePorts);
      case 'refused':
        // Every protocol, ICMP included. An address that the node itself has, as a DNS cache does, is left to its processes.
        return [
          new IptablesRule({
            matches: [
              { match: 'conntrack', states: ['DNAT'], not: true },
              { match: 'addrtype', side: 'dst', type: 'LOCAL', not: true },
            ],
            target: { target: 'jump', chain: CHAINS.clusterIPs },
          }),
        ];
      case 'clusterIPs':
        return node.serviceCIDRs.map(
          (value) =>
            new IptablesRule({
              destination: { value },
              comment: 'not a cluster IP of any service',
              target: { target: 'DROP' },
            }),
        );
      case 'refusedExternal':
        return this.#tailFor('closedNodePorts', CHAINS.closedNodePorts);
      case 'firewall':
        return this.#tailFor('blockedNodePorts', CHAINS.blockedNodePorts);
      case 'nodePorts':
      case 'hairpin':
      case 'closedNodePorts':
      case 'blockedNodePorts':
      case 'healthChecks':
        return [];
      default:
        return assertNever(tree);
    }
  }

  /** Packets are sent to a second list only if it is not empty. */
  #tailFor(tree: TreeName, chain: string): readonly IptablesRule[] {
    const { family, node } = this.state;
    return this.trees[tree].size === 0 ? [] : nodePortJumps(family, node.nodePortAddresses, chain);
  }

  root(tree: TreeName): Chain {
    return this.trees[tree].root(this.tail(tree));
  }

  /** Every shared chain. */
  *chains(): Iterable<readonly ['filter' | 'nat', string, Chain]> {
    for (const tree of TREE_NAMES) {
      for (const [name, chain] of this.trees[tree].chains(this.tail(tree))) {
        yield [TREES[tree].table, name, chain];
      }
    }
  }
}

/**
 * Adds the entries of one service port that differ. Where only its endpoints changed, its addresses and NodePorts did not, and the chains that
 * contain them are not compared.
 */
function addDifference(before: readonly Entry[], after: readonly Entry[], removed: Entry[], added: Entry[]): void {
  const former = entriesByKey(before);
  for (const [key, entry] of entriesByKey(after)) {
    const old = former.get(key);
    if (old !== undefined && old.owner === entry.owner && old.text === entry.text) {
      former.delete(key);
    } else {
      added.push(entry);
    }
  }
  removed.push(...former.values());
}

/** The last one of each key applies. */
function entriesByKey(entries: readonly Entry[]): Map<string, Entry> {
  return new Map(entries.map((entry) => [`${entry.tree} ${entry.key}`, entry]));
}

/** These entries by tree. */
function editsByTree(removed: readonly Entry[], added: readonly Entry[]) {
  const edits = new Map<TreeName, { removed: Entry[]; added: Entry[] }>();
  for (const [kind, entries] of [
    ['removed', removed],
    ['added', added],
  ] as const) {
    for (const entry of entries) {
      let edit = edits.get(entry.tree);
      if (edit === undefined) {
        edit = { removed: [], added: [] };
        edits.set(entry.tree, edit);
      }
      edit[kind].push(entry);
    }
  }
  return edits;
}

function* editTrees(
  trees: Trees,
  removed: readonly Entry[],
  added: readonly Entry[],
): Slices<{ readonly trees: Trees; readonly touched: ReadonlyMap<TreeName, ReadonlySet<string>> }> {
  const next: Record<TreeName, DispatchTree> = { ...trees };
  const touched = new Map<TreeName, ReadonlySet<string>>();
  for (const [name, edit] of editsByTree(removed, added)) {
    const [before, after] = [trees[name], yield* trees[name].editedInSlices(edit.removed, edit.added)];
    next[name] = after;
    const names =
      before.isFlat === after.isFlat
        ? after.chainsOf([...edit.removed, ...edit.added])
        : [...before.chains([]), ...after.chains([])]
            .map(([chain]) => chain)
            .filter((chain) => chain !== TREES[name].root);
    touched.set(name, new Set(names));
  }
  return { trees: next, touched };
}

/** The rules of all service ports of a state. */
export interface StateRules extends ServiceRulesDraft {
  /** How many endpoints the rules choose from. */
  readonly endpoints: number;
}

/**
 * The rules of all service ports of a state. Yields often, so that a caller can pause.
 *
 * @param maxEndpoints maximum number of endpoints for which rules have comments.
 */
export function* rulesOfAllInSlices(state: ProxyState, maxEndpoints: number): Slices<StateRules> {
  const ports: ResolvedServicePort[] = [];
  let endpoints = 0;
  for (const port of state.servicePorts.values()) {
    if (ports.push(port) % LIGHT_STEPS === 0) {
      yield;
    }
    endpoints += endpointsOf(port);
  }
  const rules = { ...emptyServiceRules(), endpoints };
  const settings = { family: state.family, detector: state.node.detector, comments: endpoints <= maxEndpoints };
  for (const port of ports) {
    yield;
    addServiceRules(rules, port, settings);
  }
  return rules;
}

/** The rules of a service port, for the state's node. */
export function rulesOf(port: ResolvedServicePort, { family, node }: ProxyState): ServiceRules {
  const rules = emptyServiceRules();
  addServiceRules(rules, port, { family, detector: node.detector, comments: true });
  return rules;
}

/** How many endpoints the rules of a service port choose from. */
export function endpointsOf(port: ResolvedServicePort): number {
  return Math.max(port.cluster.length, port.local.length);
}

function clusterIPEntry(address: string): Entry {
  return new Entry('clusterIPs', address, undefined, placeOfAddress(address), clusterIPRule);
}

/** Rejects packets to other ports of a cluster IP. */
function clusterIPRule(address: string): string {
  const { text } = new IptablesRule({
    destination: { value: hostCIDR(address) },
    target: { target: 'REJECT', with: address.includes(':') ? 'icmp6-port-unreachable' : 'icmp-port-unreachable' },
  });
  return text;
}

function healthCheckEntry(check: HealthCheckNodePort): Entry {
  const { port } = check;
  const service = serviceKey(check);
  const { text } = new IptablesRule({
    protocol: 'tcp',
    comment: `${service} health check node port`,
    matches: [{ match: 'port', protocol: 'tcp', first: port }],
    target: { target: 'ACCEPT' },
  });
  return new Entry('healthChecks', `${port} ${service}`, undefined, placeOfPort('tcp', port), text);
}

/** Whether two states have equal node-dependent rules. */
export function sameNode(a: ProxyState, b: ProxyState): boolean {
  return (
    a.node === b.node ||
    (a.family === b.family &&
      structurallyEqual(a.node.detector, b.node.detector) &&
      structurallyEqual(a.node.nodePortAddresses, b.node.nodePortAddresses) &&
      structurallyEqual(a.node.serviceCIDRs, b.node.serviceCIDRs))
  );
}
