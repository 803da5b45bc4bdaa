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

/** What an agent can serve whose backend is not known: that of {@link DEFAULT_PROXY_MODE}. */
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
  { services, endpointSlices, nodes, serviceCIDRs }: ClusterObjects,
  family: IPFamily,
  settings: AgentSettings,
  { localAddresses, includesLocalAddresses = false, capabilities, onProblem }: ResolvedHost = {},
): ProxyState {
  const options = proxierOptionsOf(settings, family, capabilities);
  const resolver = new ProxyStateResolver({
    ...{ family, options, includesLocalAddresses },
    reader: new ObjectReader(onProblem, {
      allowLoopbackEndpoints: settings.allowLoopbackEndpoints,
      serviceExternalIPs: settings.featureGates.allowServiceExternalIPs,
    }),
    since: 0,
    ...(onProblem === undefined ? {} : { onProblem }),
  });
  const node = nodes.get(options.nodeName);
  if (node !== undefined) {
    resolver.updateNode(settings.bindAddress === '' ? node : withBindAddress(node, settings.bindAddress));
  }
  resolver.updateServiceCIDRs(serviceCIDRs);
  for (const service of services.values()) {
    resolver.updateService(undefined, service);
  }
  for (const slice of endpointSlices.values()) {
    resolver.updateEndpointSlice(undefined, slice);
  }
  const known = localAddresses ?? [...resolver.applyPending().state.node.addresses, '127.0.0.1', '::1'];
  resolver.updateLocalAddresses(known);
  return resolver.applyPending().state;
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
