import {
  answerPacketQuestion,
  type Explanation,
  formatPacketAnswer,
  type PacketAnswer,
  type PacketQuestion,
  ProxierError,
  type RecordingReplay,
  readPacketQuestion,
  type ServicePortView,
  viewServicePorts,
} from '@kube-proxier/core';
import { replayRecording } from '@kube-proxier/server';
import { stringify } from 'yaml';
import type { ExplanationList } from '../explain/explain.js';
import type { AgentSettings } from '../flags/agent-settings.js';
import { formatResources } from '../get/resource-tables.js';
import { formatMoment, parseMoment } from '../record/moment.js';
import { openRecording, type RecordingSource } from '../record/recording-source.js';
import { issueSpec } from './issue-spec.js';

/** Arguments of `kube-proxier replay`. Texts as on the command line; empty where they are not given. */
export interface ReplayRequest {
  /** The file, and the question if given: source, and destination, as of `explain`. */
  readonly operands: readonly string[];
  readonly until: string;
  readonly test: boolean;
  readonly expect: string;
  /** Namespace of names without one. */
  readonly namespace: string;
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
 * Replays a recording up to a time.
 *
 * @returns the output; `message` is for standard error.
 * @throws ProxierError when the recording cannot be read, or the arguments are wrong.
 */
export async function replay(
  { operands, until, test, expect, namespace }: ReplayRequest,
  settings: AgentSettings,
): Promise<{ readonly text: string; readonly message: string }> {
  const [file = '', ...asked] = operands;
  const question = asked.length === 0 ? undefined : questionOf(asked, namespace);
  if (test && question === undefined) {
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
  if (question === undefined) {
    return { text: formatState(state, moment, damage, settings.output), message };
  }
  const answer = answerOf(question, state, moment);
  const text = test
    ? await issueSpec({ explanation: onlyCaseOf(answer), moment, source, expect })
    : formatAnswer(answer, settings.output);
  return { text, message };
}

function questionOf(operands: readonly string[], namespace: string): PacketQuestion {
  const source = operands.length > 1 ? operands[0] : undefined;
  return readPacketQuestion({
    ...(source === undefined ? {} : { source }),
    ...{ destination: operands.at(-1) ?? '', namespace },
  });
}

/** @throws ProxierError `INVALID_ARGUMENT` when the question is about several packets. */
function onlyCaseOf({ cases }: PacketAnswer): Explanation {
  const [only, ...others] = cases;
  if (only === undefined || others.length > 0) {
    throw new ProxierError(
      'INVALID_ARGUMENT',
      `--test asserts one packet, and the question has ${cases.length}; give a source, and a destination with a port`,
    );
  }
  return only.explanation;
}

async function replayTo(
  moment: number,
  source: RecordingSource,
): Promise<{ readonly state: RecordingReplay; readonly damage: string | undefined }> {
  if (moment < source.moments.begin) {
    throw new ProxierError(
      'NOT_RECORDED',
      `${formatMoment(moment)} is not recorded: the recording of ${source.description} begins at ${formatMoment(source.moments.begin)}`,
    );
  }
  const { replay: state, damage } = await replayRecording(source.open(), {
    before: (entry, current) => entry.entry === 'begin' || current.timeOf(entry) <= moment,
  });
  return { state, damage };
}

function answerOf(question: PacketQuestion, replayed: RecordingReplay, moment: number): PacketAnswer {
  const states = replayed.families.flatMap((family) => replayed.inForce(family) ?? []);
  const [first] = states;
  if (first === undefined) {
    throw new ProxierError('NOT_RECORDED', `nothing was in force at ${formatMoment(moment)}: no sync had succeeded`);
  }
  return answerPacketQuestion(states, question, replayed.hostOf(first.family));
}

function formatAnswer(answer: PacketAnswer, output: AgentSettings['output']): string {
  const { cases, notes } = answer;
  const list: ExplanationList = {
    apiVersion: 'kube-proxier.io/v1alpha1',
    kind: 'ExplanationList',
    items: cases,
    notes,
  };
  switch (output) {
    case 'json':
      return `${JSON.stringify(list, undefined, 2)}\n`;
    case 'yaml':
      return stringify(list);
    default:
      return formatPacketAnswer(answer, output === 'wide');
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
