import {
  type Explanation,
  explainSimulation,
  familyOf,
  formatSimulation,
  type Packet,
  simulatePacket,
} from '@kube-proxier/core';
import { stringify } from 'yaml';
import { queryAgent } from '../commands/agent-client.js';
import { resolveManifests } from '../commands/resolve-manifests.js';
import type { Composition } from '../compose.js';
import type { AgentSettings } from '../flags/agent-settings.js';
import type { StatusAddress } from '../flags/status-addresses.js';
import { readQuestion } from './packet-question.js';

/**
 * Explains how a packet is handled: from manifests if given, else by querying the agent on this host.
 *
 * @returns the answer, as text or JSON.
 * @throws ProxierError when the question is invalid or no agent answers.
 */
export async function explain(
  operands: readonly string[],
  settings: AgentSettings,
  composition: Composition,
): Promise<string> {
  const packet = readQuestion(operands[0] ?? '', operands[1] ?? '');
  const explanation =
    settings.manifests.length > 0
      ? await explainManifests(packet, settings, composition)
      : await askAgent(packet, settings.status);
  switch (settings.output) {
    case 'json':
      return `${JSON.stringify(explanation, undefined, 2)}\n`;
    case 'yaml':
      return stringify(explanation);
    default:
      return formatSimulation(explanation);
  }
}

async function explainManifests(
  packet: Packet,
  settings: AgentSettings,
  composition: Composition,
): Promise<Explanation> {
  const [state] = await resolveManifests([familyOf(packet.destination)], settings, composition);
  if (state === undefined) {
    throw new RangeError('one state for each requested family is expected');
  }
  return explainSimulation(simulatePacket(state, packet));
}

async function askAgent(packet: Packet, address: StatusAddress | undefined): Promise<Explanation> {
  const query = new URLSearchParams({
    source: packet.source,
    destination: packet.destination,
    port: String(packet.port),
    protocol: packet.protocol,
  });
  const answer = await queryAgent(address, `/debug/explain?${query}`, 'set --manifests to simulate the packet');
  return JSON.parse(answer) as Explanation;
}
