import { hostname } from 'node:os';
import { type IPFamily, type ProxyState, silentLogger } from '@kube-proxier/core';
import { resolveNodeName } from '@kube-proxier/server';
import type { Composition } from '../compose.js';
import type { AgentSettings } from '../flags/agent-settings.js';
import { type ClusterObjects, collectObjects } from '../objects/cluster-objects.js';
import { capabilitiesOf, resolveCluster } from '../objects/resolve-cluster.js';

/**
 * The objects of the manifests of these settings.
 *
 * @throws ProxierError when the manifests cannot be read.
 */
export async function readManifestObjects(settings: AgentSettings, composition: Composition): Promise<ClusterObjects> {
  const sources = await composition.sources({ ...settings, kubernetes: undefined }, silentLogger);
  return collectObjects(sources, resolveNodeName(settings.proxier.nodeName, hostname()));
}

/**
 * The states that an agent with these settings would have from its manifests alone, without an agent and without
 * privileges. The manifests describe another host: its addresses are those of its Node object.
 *
 * @param localAddresses of the host described by the manifests. Default: those of its Node object, as the manifests
 *   describe another host.
 * @throws ProxierError when the manifests cannot be read.
 */
export async function resolveManifests(
  families: readonly IPFamily[],
  settings: AgentSettings,
  composition: Composition,
  localAddresses?: readonly string[],
): Promise<readonly ProxyState[]> {
  const objects = await readManifestObjects(settings, composition);
  const capabilities = capabilitiesOf(settings, composition);
  const host = { capabilities, ...(localAddresses === undefined ? {} : { localAddresses }) };
  return families.map((family) => resolveCluster(objects, family, settings, host));
}
