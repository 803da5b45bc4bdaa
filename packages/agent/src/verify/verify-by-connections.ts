import { isProxierError, messageOf, type ProxyState, systemClock } from '@kube-proxier/core';
import { HostConntrack, ProcLocalNetwork } from '@kube-proxier/linux';
import { verifyConnections } from '@kube-proxier/server';
import { queryAgent } from '../commands/agent-client.js';
import type { Composition } from '../compose.js';
import type { AgentSettings } from '../flags/agent-settings.js';
import { formatConnections } from './format-verification.js';
import { backendOf, recordedStates, usedStates } from './verified-states.js';
import { EXIT_STATUS, formatResult, NO_AGENT, type VerifyOutput } from './verify-output.js';

/**
 * Verifies by real connections of this node: to the Services in force of the running agent, or to those of manifests.
 *
 * @returns the exit status: 0 verified, 1 differences, 2 unknown, 3 no agent or nothing programmed.
 * @throws ProxierError when the manifests cannot be read or the mode does not exist.
 */
export async function verifyByConnections(
  settings: AgentSettings,
  composition: Composition,
  { print, printError, signal }: VerifyOutput,
): Promise<number> {
  const localAddresses = await new ProcLocalNetwork().localAddresses();
  let mode: string;
  let states: readonly ProxyState[];
  if (settings.manifests.length > 0) {
    ({ mode } = backendOf(settings.mode, settings, composition));
    states = await usedStates(settings, composition, localAddresses);
  } else {
    try {
      mode = await queryAgent(settings.status, '/proxyMode', 'set --manifests to verify their Services');
      states = await recordedStates(settings);
    } catch (error) {
      if (!isProxierError(error)) {
        throw error;
      }
      printError(`kube-proxier: ${messageOf(error)}\n`);
      return NO_AGENT;
    }
  }
  // If a process selects the endpoint, conntrack has the port of that process.
  const { servesWithoutProcess: isKernel = true, clusterIPsOfNode = true } =
    backendOf(mode, settings, composition).capabilities ?? {};
  const result = await verifyConnections({
    ...{ states, mode, localAddresses, clusterIPsOfNode, clock: systemClock, signal },
    ...(isKernel ? { conntrack: new HostConntrack() } : {}),
  });
  print(formatResult(result, settings.output, formatConnections));
  return EXIT_STATUS[result.verdict];
}
