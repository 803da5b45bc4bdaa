import {
  explainSimulation,
  familyOf,
  formatSimulation,
  type Packet,
  ProxierError,
  type RecordingReplay,
  readPacketQuestion,
  type ServicePortView,
  type Simulation,
  simulatePacket,
  viewServicePorts,
} from '@kube-proxier/core';
import { replayRecording } from '@kube-proxier/server';
import { stringify } from 'yaml';
import { packetOf } from '../explain/packet-of-question.js';
import type { AgentSettings } from '../flags/agent-settings.js';
import { formatResources } from '../get/resource-tables.js';
import { formatMoment, parseMoment } from '../record/moment.js';
import { openRecording, type RecordingSource } from '../record/recording-source.js';
import { outcomeText } from './expected-outcome.js';
import { issueSpec } from './issue-spec.js';

/** What `kube-proxier replay` does. Texts as on the command line; empty where they are not given. */
export interface ReplayRequest {
  /** The file, and the packet if given: source, and destination with port. */
  readonly operands: readonly string[];
  readonly until: string;
  readonly test: boolean;
  readonly expect: string;
}

/** The schema of `-o json` and `-o yaml` without a packet. */
export interface ReplayedState {
  readonly apiVersion: 'kube-proxier.io/v1alpha1';
  readonly kind: 'ReplayedState';
  /** ISO 8601, in UTC. */
  readonly time: string;
  readonly nodeName: string;
  readonly mode: string | null;
  readonly items: readonly ServicePortView[];
  /** Why the recording cannot be read to its end; null when it can. */
  readonly damage: string | null;
}

/**
 * Replays a recording to a moment.
 *
 * @returns the output; `message` is for standard error.
 * @throws ProxierError when the recording cannot be read, or the arguments are wrong.
 */
export async function replay(
  { operands, until, test, expect }: ReplayRequest,
  settings: AgentSettings,
): Promise<{ readonly text: string; readonly message: string }> {
  const [file = '', ...question] = operands;
  if (question.length === 1) {
    throw new ProxierError(
      'INVALID_ARGUMENT',
      'a packet is a source and a destination, as in 10.244.0.5 10.96.0.10:80',
    );
  }
  const packet =
    question.length === 0
      ? undefined
      : packetOf(
          readPacketQuestion({ source: question[0] ?? '', destination: question[1] ?? '', namespace: 'default' }),
        );
  if (test && packet === undefined) {
    throw new ProxierError(
      'INVALID_ARGUMENT',
      '--test needs a packet to ask about, as in: kube-proxier replay FILE 10.244.0.5 10.96.0.10:80 --test',
    );
  }
  if (expect !== '' && !test) {
    throw new ProxierError('INVALID_ARGUMENT', '--expect belongs to --test: add it, or remove --expect');
  }
  const source = await openRecording(file, settings);
  const moment = until === '' ? source.moments.end : parseMoment('until', until, source.moments);
  const { state, damage } = await replayTo(moment, source);
  const message = damage === undefined ? '' : `${damage}; what follows is not known`;
  if (packet !== undefined) {
    const simulation = simulate(packet, state, moment);
    if (test) {
      return { text: await issueSpec({ packet, moment, source, simulation, expect }), message };
    }
    return { text: formatPacket(simulation, settings.output), message };
  }
  return { text: formatState(state, moment, damage, settings.output), message };
}

async function replayTo(
  moment: number,
  source: RecordingSource,
): Promise<{ readonly state: RecordingReplay; readonly damage: string | undefined }> {
  const { replay: state, damage } = await replayRecording(source.open(), {
    before: (entry, current) => entry.entry === 'begin' || current.timeOf(entry) <= moment,
  });
  if (moment < source.moments.begin) {
    throw new ProxierError(
      'NOT_RECORDED',
      `${formatMoment(moment)} is not recorded: the recording of ${source.description} begins at ${formatMoment(source.moments.begin)}`,
    );
  }
  return { state, damage };
}

function simulate(packet: Packet, replayed: RecordingReplay, moment: number): Simulation {
  const family = familyOf(packet.destination);
  const state = replayed.inForce(family);
  if (state === undefined) {
    throw new ProxierError('NOT_RECORDED', `nothing was in force for ${family} at ${formatMoment(moment)}`);
  }
  return simulatePacket(state, packet, replayed.hostOf(family));
}

function formatPacket(simulation: Simulation, output: AgentSettings['output']): string {
  const explanation = explainSimulation(simulation);
  switch (output) {
    case 'json':
      return `${JSON.stringify(explanation, undefined, 2)}\n`;
    case 'yaml':
      return stringify(explanation);
    default:
      return `${formatSimulation(explanation)}Outcome: ${outcomeText(simulation)}\n`;
  }
}

function formatState(
  state: RecordingReplay,
  moment: number,
  damage: string | undefined,
  output: AgentSettings['output'],
): string {
  const items = state.families.flatMap((family) => {
    const inForce = state.inForce(family);
    return inForce === undefined ? [] : viewServicePorts(inForce);
  });
  const replayed: ReplayedState = {
    apiVersion: 'kube-proxier.io/v1alpha1',
    kind: 'ReplayedState',
    time: new Date(moment).toISOString(),
    nodeName: state.begin.nodeName,
    mode: state.mode ?? null,
    items,
    damage: damage ?? null,
  };
  switch (output) {
    case 'json':
      return `${JSON.stringify(replayed, undefined, 2)}\n`;
    case 'yaml':
      return stringify(replayed);
    default: {
      const head = `In force on ${replayed.nodeName} at ${formatMoment(moment)}, mode ${replayed.mode ?? 'unknown'}:\n`;
      const options = { wide: output === 'wide', withNamespace: true, now: moment };
      return items.length === 0 ? `${head}nothing\n` : `${head}${formatResources('services', items, options)}`;
    }
  }
}
