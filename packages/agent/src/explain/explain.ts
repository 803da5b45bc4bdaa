import {
  assertNever,
  type Explanation,
  explainSimulation,
  familyOf,
  formatSimulation,
  type Packet,
  ProxierError,
  simulatePacket,
} from '@kube-proxier/core';
import { stringify } from 'yaml';
import { queryAgent } from '../commands/agent-client.js';
import { resolveManifests } from '../commands/resolve-manifests.js';
import type { Composition } from '../compose.js';
import type { AgentSettings } from '../flags/agent-settings.js';
import type { StatusAddress } from '../flags/status-addresses.js';
import { parseMoment } from '../record/moment.js';
import { openRecording } from '../record/recording-source.js';
import { explainAt, formatExplanationAt } from './explain-at.js';
import { readQuestion } from './packet-question.js';

/** What `kube-proxier explain` answers. */
export interface ExplainRequest {
  /** Source, and destination with port. */
  readonly operands: readonly string[];
  /** A time, as on the command line; empty for now, or for the end of the recording. */
  readonly at: string;
  /** The file to read; empty for that of the running agent. */
  readonly recording: string;
}

/**
 * Explains how a packet is handled: from manifests if given, from a recording for a time, else by querying the agent on
 * this host.
 *
 * @returns the answer, as text or JSON.
 * @throws ProxierError when the question is invalid or no agent answers.
 */
export async function explain(
  { operands, at, recording }: ExplainRequest,
  settings: AgentSettings,
  composition: Composition,
): Promise<string> {
  const packet = readQuestion(operands[0] ?? '', operands[1] ?? '');
  if (at !== '' || recording !== '') {
    return await explainRecording(packet, { at, recording }, settings);
  }
  const explanation =
    settings.manifests.length > 0
      ? await explainManifests(packet, settings, composition)
      : await askAgent(packet, settings.status);
  switch (settings.output) {
    case 'json':
      return `${JSON.stringify(explanation, undefined, 2)}\n`;
    case 'yaml':
      return stringify(explanation);
    case 'text':
    case 'wide':
      return formatSimulation(explanation);
    default:
      return assertNever(settings.output);
  }
}

async function explainRecording(
  packet: Packet,
  { at, recording }: Pick<ExplainRequest, 'at' | 'recording'>,
  settings: AgentSettings,
): Promise<string> {
  if (settings.manifests.length > 0) {
    throw new ProxierError('INVALID_ARGUMENT', 'manifests have no past: remove --manifests, or --at and --recording');
  }
  const source = await openRecording(recording, settings);
  const moment = at === '' ? source.moments.end : parseMoment('at', at, source.moments);
  const answer = await explainAt(packet, moment, source);
  switch (settings.output) {
    case 'json':
      return `${JSON.stringify(answer, undefined, 2)}\n`;
    case 'yaml':
      return stringify(answer);
    default:
      return formatExplanationAt(answer);
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
