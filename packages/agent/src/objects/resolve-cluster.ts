import { hostname } from 'node:os';
import {
  type BackendCapabilities,
  DEFAULT_PROXIER_OPTIONS,
  DEFAULT_PROXY_MODE,
  type IPFamily,
  type LoopbackCapabilities,
  type ObjectProblem,
  ObjectReader,
  optionsOfFamily,
  type ProxierOptions,
  type ProxyState,
  ProxyStateResolver,
  type StatePair,
  structurallyEqual,
} from '@kube-proxier/core';
import { resolveNodeAddresses, resolveNodeName, withBindAddress } from '@kube-proxier/server';
import type { Composition } from '../compose.js';
import type { AgentSettings } from '../flags/agent-settings.js';
import type { ClusterObjects } from './cluster-objects.js';

/** The host that a state is for. */
export interface ResolvedHost {
  /** Addresses of its interfaces. Default: those of its Node object, and loopback. */
  readonly localAddresses?: readonly string[];
  /** The state includes them (`Dataplane.followsLocalAddresses`). Default false. */
  readonly includesLocalAddresses?: boolean;
  /** Capabilities of the backend. Default: those of the default mode. */
  readonly capabilities?: LoopbackCapabilities | undefined;
  /** Called for each problem of an object. Default: problems are ignored. */
  readonly onProblem?: (problem: ObjectProblem) => void;
}

/** The capabilities assumed for an unknown backend: those of {@link DEFAULT_PROXY_MODE}. */
const DEFAULT_CAPABILITIES: LoopbackCapabilities = { localhostNodePorts: true };

/**
 * The options that an agent with these settings has for one IP family.
 *
 * @param capabilities of its backend. Default: those of the default mode.
 */
export function proxierOptionsOf(
  settings: AgentSettings,
  family: IPFamily,
  capabilities = DEFAULT_CAPABILITIES,
): ProxierOptions {
  const options = { ...DEFAULT_PROXIER_OPTIONS, ...settings.proxier };
  return {
    ...optionsOfFamily(options, family, capabilities),
    nodeName: resolveNodeName(options.nodeName, hostname()),
    nodeAddresses: resolveNodeAddresses(options.nodeAddresses, settings.bindAddress).addresses,
  };
}

/** The state of one IP family that an agent with these settings and objects has. */
export function resolveCluster(
  objects: ClusterObjects,
  family: IPFamily,
  settings: AgentSettings,
  { onProblem, ...host }: ResolvedHost = {},
): ProxyState {
  const resolver = new ClusterResolver([family], settings, () => host, onProblem);
  resolver.moveTo(objects);
  return resolver.stateOf(family);
}

/** Objects with the settings of an agent that has them. */
export interface ResolvedSide {
  readonly objects: ClusterObjects;
  readonly settings: AgentSettings;
  readonly host: (family: IPFamily) => Omit<ResolvedHost, 'onProblem'>;
}

/**
 * Resolves states for a comparison. With the same options, the second is resolved incrementally: its cost is that of
 * the change, and equal parts are the same object.
 *
 * @param before undefined when unknown.
 * @param onProblem called for each problem of an object of `after`.
 */
export function resolvePairs(
  families: readonly IPFamily[],
  before: ResolvedSide | undefined,
  after: ResolvedSide,
  onProblem: (problem: ObjectProblem) => void,
): readonly (StatePair & { readonly after: ProxyState })[] {
  let isBefore = true;
  let hasProblems = false;
  const first =
    before &&
    new ClusterResolver(families, before.settings, before.host, (problem) => {
      if (isBefore) {
        hasProblems = true;
      } else {
        onProblem(problem);
      }
    });
  first?.moveTo(before?.objects ?? NO_OBJECTS);
  const states = new Map(families.map((family) => [family, first?.stateOf(family)]));
  isBefore = false;
  // Problems of objects that stay are not reported again.
  const continues = before && !hasProblems && families.every((family) => haveSameOptions(family, before, after));
  const second = continues && first ? first : new ClusterResolver(families, after.settings, after.host, onProblem);
  second.moveTo(after.objects);
  return families.map((family) => ({ family, before: states.get(family), after: second.stateOf(family) }));
}

function haveSameOptions(family: IPFamily, left: ResolvedSide, right: ResolvedSide): boolean {
  const optionsOf = ({ settings, host, objects }: ResolvedSide) => {
    const { capabilities, ...addresses } = host(family);
    const { bindAddress, allowLoopbackEndpoints, featureGates } = settings;
    const options = proxierOptionsOf(settings, family, capabilities);
    const hasNode = objects.nodes.has(options.nodeName);
    return { options, addresses, bindAddress, allowLoopbackEndpoints, featureGates, hasNode };
  };
  return structurallyEqual(optionsOf(left), optionsOf(right));
}

const NO_OBJECTS: ClusterObjects = {
  services: new Map(),
  endpointSlices: new Map(),
  nodes: new Map(),
  serviceCIDRs: [],
};

/** The resolvers of some families, which read each object once. */
class ClusterResolver {
  readonly #resolvers = new Map<
    IPFamily,
    { readonly resolver: ProxyStateResolver; readonly host: Omit<ResolvedHost, 'onProblem'> }
  >();
  readonly #settings: AgentSettings;
  readonly #nodeName: string;
  #objects = NO_OBJECTS;

  constructor(
    families: readonly IPFamily[],
    settings: AgentSettings,
    hostOf: ResolvedSide['host'],
    onProblem: ((problem: ObjectProblem) => void) | undefined,
  ) {
    this.#settings = settings;
    const reader = new ObjectReader(onProblem, {
      allowLoopbackEndpoints: settings.allowLoopbackEndpoints,
      serviceExternalIPs: settings.featureGates.allowServiceExternalIPs,
    });
    let nodeName = '';
    for (const family of families) {
      const host = hostOf(family);
      const options = proxierOptionsOf(settings, family, host.capabilities);
      ({ nodeName } = options);
      const resolver = new ProxyStateResolver({
        ...{ family, options, reader, since: 0, includesLocalAddresses: host.includesLocalAddresses ?? false },
        ...(onProblem === undefined ? {} : { onProblem }),
      });
      this.#resolvers.set(family, { resolver, host });
    }
    this.#nodeName = nodeName;
  }

  stateOf(family: IPFamily): ProxyState {
    const one = this.#resolvers.get(family);
    if (one === undefined) {
      throw new RangeError(`${family} is not resolved`);
    }
    return one.resolver.latest;
  }

  /** Updates the states from the last objects to these. */
  moveTo(next: ClusterObjects): void {
    const { services, endpointSlices, nodes } = this.#objects;
    const resolvers = [...this.#resolvers.values()];
    const node = next.nodes.get(this.#nodeName);
    const { bindAddress } = this.#settings;
    if (node !== undefined && node !== nodes.get(this.#nodeName)) {
      const bound = bindAddress === '' ? node : withBindAddress(node, bindAddress);
      resolvers.forEach(({ resolver }) => void resolver.updateNode(bound));
    }
    resolvers.forEach(({ resolver }) => void resolver.updateServiceCIDRs(next.serviceCIDRs));
    eachDifference(services, next.services, (previous, current) =>
      resolvers.forEach(({ resolver }) => void resolver.updateService(previous, current)),
    );
    eachDifference(endpointSlices, next.endpointSlices, (previous, current) =>
      resolvers.forEach(({ resolver }) => void resolver.updateEndpointSlice(previous, current)),
    );
    for (const { resolver, host } of resolvers) {
      const known = host.localAddresses ?? [...resolver.applyPending().state.node.addresses, '127.0.0.1', '::1'];
      resolver.updateLocalAddresses(known);
      resolver.applyPending();
    }
    this.#objects = next;
  }
}

function eachDifference<Value>(
  before: ReadonlyMap<string, Value>,
  after: ReadonlyMap<string, Value>,
  visit: (previous: Value | undefined, current: Value | undefined) => void,
): void {
  for (const [key, previous] of before) {
    if (!after.has(key)) {
      visit(previous, undefined);
    }
  }
  for (const [key, current] of after) {
    const previous = before.get(key);
    if (previous !== current) {
      visit(previous, current);
    }
  }
}

/** The capabilities of the backend of these settings; undefined if no backend has its mode. */
export function capabilitiesOf(
  settings: AgentSettings,
  { configure, backends }: Pick<Composition, 'configure' | 'backends'>,
): BackendCapabilities | undefined {
  const mode = settings.mode === '' ? DEFAULT_PROXY_MODE : settings.mode;
  const all = configure?.(settings) ?? backends;
  const backend = all.find((candidate) => candidate.mode === mode);
  return backend && (backend.capabilities ?? {});
}
