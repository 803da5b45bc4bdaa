import {
  type BackendModule,
  DEFAULT_PROXY_MODE,
  type IPFamily,
  ProxierError,
  type ProxyState,
} from '@kube-proxier/core';
import { replayRecording } from '@kube-proxier/server';
import { resolveManifests } from '../commands/resolve-manifests.js';
import type { Composition } from '../compose.js';
import type { AgentSettings } from '../flags/agent-settings.js';
import { openRecording } from '../record/recording-source.js';

const FAMILIES: readonly IPFamily[] = ['IPv4', 'IPv6'];

/**
 * @param name of the mode; empty for the default.
 * @throws ProxierError when there is no such mode.
 */
export function backendOf(name: string, settings: AgentSettings, composition: Composition): BackendModule {
  const mode = name === '' ? DEFAULT_PROXY_MODE : name;
  const backends = composition.configure?.(settings) ?? composition.backends;
  const backend = backends.find((candidate) => candidate.mode === mode);
  if (backend === undefined) {
    const modes = backends.map((candidate) => candidate.mode).join(', ');
    throw new ProxierError('UNKNOWN_PROXY_MODE', `there is no proxy mode ${mode}; choose one of ${modes}`);
  }
  return backend;
}

/** The states of manifests, without unused families. */
export async function usedStates(
  settings: AgentSettings,
  composition: Composition,
  localAddresses?: readonly string[],
): Promise<readonly ProxyState[]> {
  const resolved = await resolveManifests(FAMILIES, settings, composition, localAddresses);
  const used = resolved.filter(({ servicePorts }) => servicePorts.size > 0);
  return used.length > 0 ? used : resolved.slice(0, 1);
}

/**
 * The states in force of the running agent, from its recording.
 *
 * @throws ProxierError when there is no agent, or nothing is in force.
 */
export async function recordedStates(settings: AgentSettings): Promise<readonly ProxyState[]> {
  const source = await openRecording('', settings);
  const { replay } = await replayRecording(source.open());
  const states = replay.families.flatMap((family) => replay.inForce(family) ?? []);
  if (states.length === 0) {
    throw new ProxierError('NOT_RECORDED', 'nothing is in force yet; set --manifests to verify without an agent');
  }
  return states;
}
