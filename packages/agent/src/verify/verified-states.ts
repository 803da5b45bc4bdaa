import { type BackendModule, type IPFamily, ProxierError, type ProxyState } from '@kube-proxier/core';
import { resolveManifests } from '../commands/resolve-manifests.js';
import type { Composition } from '../compose.js';
import type { AgentSettings } from '../flags/agent-settings.js';

const FAMILIES: readonly IPFamily[] = ['IPv4', 'IPv6'];

/** @throws ProxierError when there is no such mode. */
export function backendOf(mode: string, settings: AgentSettings, composition: Composition): BackendModule {
  const backends = composition.configure?.(settings) ?? composition.backends;
  const backend = backends.find((candidate) => candidate.mode === mode);
  if (backend === undefined) {
    const modes = backends.map((candidate) => candidate.mode).join(', ');
    throw new ProxierError('UNKNOWN_PROXY_MODE', `there is no proxy mode ${mode}; choose one of ${modes}`);
  }
  return backend;
}

/** The states of manifests, without families that they do not use: these have nothing to verify. */
export async function usedStates(
  settings: AgentSettings,
  composition: Composition,
  localAddresses?: readonly string[],
): Promise<readonly ProxyState[]> {
  const resolved = await resolveManifests(FAMILIES, settings, composition, localAddresses);
  const used = resolved.filter(({ servicePorts }) => servicePorts.size > 0);
  return used.length > 0 ? used : resolved.slice(0, 1);
}
