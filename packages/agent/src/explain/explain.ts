import {
  answerPacketQuestion,
  assertNever,
  type Explanation,
  formatPacketAnswer,
  type PacketAnswer,
  type PacketQuestion,
  ProxierError,
  type QuestionText,
  readPacketQuestion,
} from '@kube-proxier/core';
import { stringify } from 'yaml';
import { queryAgentJson } from '../commands/agent-client.js';
import { resolveManifests } from '../commands/resolve-manifests.js';
import type { Composition } from '../compose.js';
import type { AgentSettings } from '../flags/agent-settings.js';
import { parseMoment } from '../record/moment.js';
import { openRecording } from '../record/recording-source.js';
import { explainAt, formatExplanationAt } from './explain-at.js';

/** Arguments of `kube-proxier explain`. */
export interface ExplainRequest {
  /** The source, if any, and the destination. */
  readonly operands: readonly string[];
  /** Namespace of names without one. */
  readonly namespace: string;
  /** A value of `--via`; undefined: the frontends that the clients use. */
  readonly via: string | undefined;
  /** A time, as on the command line; empty for now, or for the end of the recording. */
  readonly at: string;
  /** The file to read; empty for that of the running agent. */
  readonly recording: string;
}

/** The schema of `-o json` and `-o yaml` for a question of addresses only. */
export type ExplanationWithNotes = Explanation & Partial<Pick<PacketAnswer, 'notes'>>;

/** The schema of `-o json` and `-o yaml` for a question that contains a name. */
export interface ExplanationList extends Pick<PacketAnswer, 'notes'> {
  readonly apiVersion: 'kube-proxier.io/v1alpha1';
  readonly kind: 'ExplanationList';
  readonly items: PacketAnswer['cases'];
}

/**
 * Explains how a packet is handled: from manifests if given, from a recording for a time, else by querying the agent on
 * this host.
 *
 * @returns the answer, as text, JSON or YAML.
 * @throws ProxierError when the question is invalid, names an unknown object, or no agent answers.
 */
export async function explain(
  { operands, namespace, via, at, recording }: ExplainRequest,
  settings: AgentSettings,
  composition: Composition,
): Promise<string> {
  const source = operands.length > 1 ? operands[0] : undefined;
  const text: QuestionText = {
    ...(source === undefined ? {} : { source }),
    destination: operands.at(-1) ?? '',
    namespace,
    ...(via === undefined ? {} : { via }),
  };
  const question = readPacketQuestion(text);
  if (at !== '' || recording !== '') {
    return await explainRecording(question, { at, recording }, settings);
  }
  const answer =
    settings.manifests.length > 0
      ? answerPacketQuestion(await resolveManifests(['IPv4', 'IPv6'], settings, composition), question)
      : await queryAnswer(text, settings);
  const isPlain = question.client?.kind === 'address' && question.destination.kind === 'address';
  switch (settings.output) {
    case 'json':
      return `${JSON.stringify(documentOf(answer, isPlain), undefined, 2)}\n`;
    case 'yaml':
      return stringify(documentOf(answer, isPlain));
    case 'text':
    case 'wide':
    case 'name':
      return formatPacketAnswer(answer, settings.output === 'wide');
    default:
      return assertNever(settings.output);
  }
}

async function explainRecording(
  question: PacketQuestion,
  { at, recording }: Pick<ExplainRequest, 'at' | 'recording'>,
  settings: AgentSettings,
): Promise<string> {
  if (settings.manifests.length > 0) {
    throw new ProxierError(
      'INVALID_ARGUMENT',
      'manifests are read as they are now: remove --manifests, or --at and --recording',
    );
  }
  const source = await openRecording(recording, settings);
  const moment = at === '' ? source.moments.end : parseMoment('at', at, source.moments);
  const answer = await explainAt(question, moment, source);
  switch (settings.output) {
    case 'json':
      return `${JSON.stringify(answer, undefined, 2)}\n`;
    case 'yaml':
      return stringify(answer);
    default:
      return formatExplanationAt(answer, settings.output === 'wide');
  }
}

/** A question of addresses only has one explanation, without a list around it, and with notes if there are any. */
function documentOf({ cases, notes }: PacketAnswer, isPlain: boolean): ExplanationWithNotes | ExplanationList {
  const [only] = cases;
  return isPlain && only
    ? { ...only.explanation, ...(notes.length === 0 ? {} : { notes }) }
    : { apiVersion: 'kube-proxier.io/v1alpha1', kind: 'ExplanationList', items: cases, notes };
}

async function queryAnswer(text: QuestionText, { status }: AgentSettings): Promise<PacketAnswer> {
  const query = new URLSearchParams({ ...text });
  const answer = await queryAgentJson(status, `/debug/explain?${query}`, 'set --manifests to simulate the packet');
  return answer as PacketAnswer;
}
