import { hostname } from 'node:os';
import {
  DEFAULT_PROXIER_OPTIONS,
  type IPFamily,
  type ObjectProblem,
  ObjectReader,
  type ProxierOptions,
  type ProxyState,
  ProxyStateResolver,
} from '@kube-proxier/core';
import { resolveNodeAddresses, resolveNodeName, withBindAddress } from '@kube-proxier/server';
import type { AgentSettings } from '../flags/agent-settings.js';
import type { ClusterObjects } from './cluster-objects.js';

/** The host that a state is for. */
export interface ResolvedHost {
  /** Addresses of its interfaces. Default: those of its Node object, and loopback. */
  readonly localAddresses?: readonly string[];
  /** The state includes them (`Dataplane.followsLocalAddresses`). Default false. */
  readonly includesLocalAddresses?: boolean;
  /** Called for each problem of an object. Default: problems are ignored. */
  readonly onProblem?: (problem: ObjectProblem) => void;
}

/** The options that an agent with these settings has for one IP family. */
export function proxierOptionsOf(settings: AgentSettings, family: IPFamily): ProxierOptions {
  const options = { ...DEFAULT_PROXIER_OPTIONS, ...settings.proxier };
  return {
    ...options,
    nodeName: resolveNodeName(options.nodeName, hostname()),
    nodeAddresses: resolveNodeAddresses(options.nodeAddresses, settings.bindAddress).addresses,
    ...(family === 'IPv6' ? { localhostNodePorts: false } : {}),
  };
}

/** The state of one IP family that an agent with these settings and objects has. */
export function resolveCluster(
  { services, endpointSlices, nodes, serviceCIDRs }: ClusterObjects,
  family: IPFamily,
  settings: AgentSettings,
  { localAddresses, includesLocalAddresses = false, onProblem }: ResolvedHost = {},
): ProxyState {
  const options = proxierOptionsOf(settings, family);
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
