import { hostname } from 'node:os';
import {
  DEFAULT_PROXIER_OPTIONS,
  type IPFamily,
  ObjectReader,
  type ProxyState,
  ProxyStateResolver,
  type SourceHandler,
  silentLogger,
} from '@kube-proxier/core';
import { resolveNodeName } from '@kube-proxier/server';
import type { Composition } from '../compose.js';
import type { AgentSettings } from '../flags/agent-settings.js';

/**
 * The states that an agent with these settings would have from its manifests alone, without an agent and without
 * privileges.
 *
 * @param localAddresses of the host that they are for. Default: those of its Node object, as the manifests describe another host.
 * @throws ProxierError when the manifests cannot be read.
 */
export async function resolveManifests(
  families: readonly IPFamily[],
  settings: AgentSettings,
  composition: Composition,
  localAddresses?: readonly string[],
): Promise<readonly ProxyState[]> {
  const nodeName = resolveNodeName(settings.proxier.nodeName, hostname());
  const nodeAddresses =
    settings.bindAddress === '' || /^(0\.0\.0\.0|::)$/.test(settings.bindAddress) ? [] : [settings.bindAddress];
  const options = { ...DEFAULT_PROXIER_OPTIONS, ...settings.proxier, nodeName, nodeAddresses };
  const reader = new ObjectReader(undefined, { allowLoopbackEndpoints: settings.allowLoopbackEndpoints });
  const resolvers = families.map((family) => new ProxyStateResolver({ family, options, reader, since: 0 }));
  const handler: SourceHandler = {
    onServiceUpdate: (previous, current) => resolvers.forEach((one) => void one.updateService(previous, current)),
    onEndpointsUpdate: (previous, current) =>
      resolvers.forEach((one) => void one.updateEndpointSlice(previous, current)),
    onNodeUpdate: (node) => resolvers.forEach((one) => void one.updateNode(node)),
    onServiceCIDRsUpdate: (cidrs) => resolvers.forEach((one) => void one.updateServiceCIDRs(cidrs)),
    onServicesSynced() {},
    onEndpointsSynced() {},
  };
  const sources = composition.sources({ ...settings, kubernetes: undefined }, silentLogger);
  try {
    for (const source of sources) {
      await source.start(handler, { nodeName });
    }
  } finally {
    await Promise.all(sources.map((source) => source.stop()));
  }
  return resolvers.map((resolver) => {
    resolver.updateLocalAddresses(
      localAddresses ?? [...resolver.applyPending().state.node.addresses, '127.0.0.1', '::1'],
    );
    return resolver.applyPending().state;
  });
}
