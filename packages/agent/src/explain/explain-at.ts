import {
  answerPacketQuestion,
  countOf,
  describeChange,
  familyOf,
  formatPacketAnswer,
  type IPFamily,
  type PacketAnswer,
  type PacketQuestion,
  ProxierError,
  type ProxyState,
  type RecordingReplay,
  type ReplayedChange,
  type ReplayedSync,
  type SimulationHost,
  structurallyEqual,
} from '@kube-proxier/core';
import { replayRecording } from '@kube-proxier/server';
import { formatMoment } from '../record/moment.js';
import type { RecordingSource } from '../record/recording-source.js';

/** A sync that programmed a state. */
export interface ProgrammingSync {
  readonly family: IPFamily;
  /** End time. ISO 8601, in UTC. */
  readonly time: string;
  readonly full: boolean;
  readonly milliseconds: number;
  /** Service ports that it wrote. */
  readonly servicePorts: number;
}

/** A change of the Service, and when it was programmed. */
export interface FollowedChange {
  /** ISO 8601, in UTC. */
  readonly time: string;
  readonly what: string;
  /** The sync that programmed it; null if none did until the end of the recording. */
  readonly programmed: ProgrammingSync | null;
  /** Milliseconds from the change to the end of that sync; null without one. */
  readonly delayMilliseconds: number | null;
}

/** The schema of `explain --at` with `-o json` and `-o yaml`. */
export interface ExplanationAt {
  readonly apiVersion: 'kube-proxier.io/v1alpha1';
  readonly kind: 'ExplanationAt';
  /** ISO 8601, in UTC. */
  readonly at: string;
  readonly nodeName: string;
  /** The states in force. */
  readonly items: PacketAnswer['cases'];
  readonly notes: PacketAnswer['notes'];
  /** The syncs whose states were in force. */
  readonly inForceSince: readonly ProgrammingSync[];
  /** Families whose syncs failed at that time: the kernel may have had a part of a later state. */
  readonly failing: readonly IPFamily[];
  /** The last change of the Service up to that time; null when the recording has none. */
  readonly lastChange: FollowedChange | null;
  /** The outcome of that change when it was programmed later; null when it was already in force, or had no effect. */
  readonly next: PacketAnswer['cases'] | null;
}

/**
 * Answers from the states in force at `at`, with the time when the last change was programmed.
 *
 * @param at milliseconds since the epoch.
 * @throws ProxierError `NOT_RECORDED` when the recording does not have that time, or nothing was in force then;
 *   QuestionError when the question names an object that was unknown then.
 */
export async function explainAt(question: PacketQuestion, at: number, source: RecordingSource): Promise<ExplanationAt> {
  const { begin, end } = source.moments;
  if (at < begin || at > end) {
    throw new ProxierError(
      'NOT_RECORDED',
      `${formatMoment(at)} is not recorded: the recording of ${source.description} has ${formatMoment(begin)} to ${formatMoment(end)}`,
    );
  }
  const search = new Search(question, at);
  const { replay } = await replayRecording(source.open(), search);
  const found = search.finish(replay);
  if (found === undefined) {
    throw new ProxierError(
      'NOT_RECORDED',
      `nothing was in force at ${formatMoment(at)}, by the recording of ${source.description}: no sync had succeeded`,
    );
  }
  return found;
}

interface ServiceChange {
  readonly at: number;
  readonly time: number;
  readonly what: string;
  /** Family of the sync that it needs. */
  readonly family: IPFamily;
}

/** Runs a replay up to the answer, and on to the sync that programmed the change. */
class Search {
  /** The last change of each Service. */
  readonly #changes = new Map<string, ServiceChange>();
  readonly #syncs: ReplayedSync[] = [];
  #answer: Omit<ExplanationAt, 'lastChange' | 'next'> | undefined;
  #states: readonly ProxyState[] = [];
  #host: SimulationHost = {};
  #isPast = false;
  #change: ServiceChange | undefined;

  constructor(
    private readonly question: PacketQuestion,
    private readonly time: number,
  ) {}

  before(entry: Parameters<RecordingReplay['timeOf']>[0], replay: RecordingReplay): boolean {
    if (!this.#isPast && entry.entry !== 'begin' && replay.timeOf(entry) > this.time) {
      this.#stop(replay);
    }
    return !this.#isPast || (this.#change !== undefined && this.#programming === undefined);
  }

  after(
    { at }: { readonly at: number },
    { change, sync, time }: { readonly change?: ReplayedChange; readonly sync?: ReplayedSync; readonly time: number },
  ): boolean {
    if (sync !== undefined) {
      this.#syncs.push(sync);
    }
    const [family] = change?.needsSync ?? [];
    if (!this.#isPast && change !== undefined && !change.isInitial && family !== undefined) {
      for (const { service, what } of describeChange(change)) {
        if (service !== undefined) {
          this.#changes.set(service, { at, time, what, family });
        }
      }
    }
    return true;
  }

  finish(replay: RecordingReplay): ExplanationAt | undefined {
    this.#stop(replay);
    if (this.#answer === undefined) {
      return undefined;
    }
    const change = this.#change;
    const sync = this.#programming;
    const next = sync !== undefined && sync.time > this.time ? this.#answerAfter(sync) : null;
    const lastChange =
      change === undefined
        ? null
        : {
            time: new Date(change.time).toISOString(),
            what: change.what,
            programmed: sync === undefined ? null : describeSync(sync),
            delayMilliseconds: sync === undefined ? null : Math.round((sync.time - change.time) * 10) / 10,
          };
    return {
      ...this.#answer,
      lastChange,
      next: next !== null && !structurallyEqual(next, this.#answer.items) ? next : null,
    };
  }

  /** The first sync that covers the last change. */
  get #programming(): ReplayedSync | undefined {
    const change = this.#change;
    return (
      change && this.#syncs.find(({ entry, resolvedAt }) => entry.family === change.family && resolvedAt >= change.at)
    );
  }

  /** Whether the replay has reached the time. */
  #stop(replay: RecordingReplay): void {
    if (this.#isPast) {
      return;
    }
    this.#isPast = true;
    this.#states = replay.families.flatMap((family) => replay.inForce(family) ?? []);
    if (this.#states.length === 0) {
      return;
    }
    this.#host = replay.hostOf(this.#states[0]?.family ?? 'IPv4');
    const { cases, notes } = answerPacketQuestion(this.#states, this.question, this.#host);
    const families = new Set(cases.map(({ explanation }) => familyOf(explanation.packet.destination)));
    const services = new Set(cases.flatMap(({ explanation }) => explanation.servicePort?.split(':')[0] ?? []));
    this.#answer = {
      apiVersion: 'kube-proxier.io/v1alpha1',
      kind: 'ExplanationAt',
      at: new Date(this.time).toISOString(),
      nodeName: replay.begin.nodeName,
      items: cases,
      notes,
      inForceSince: [...families].flatMap((family) => {
        const sync = replay.lastSync(family);
        return sync === undefined ? [] : [describeSync(sync)];
      }),
      failing: [...families].filter((family) => replay.isFailing(family)),
    };
    this.#change = [...(services.size === 0 ? this.#servicesOfAddress(replay) : services)]
      .flatMap((service) => this.#changes.get(service) ?? [])
      .filter(({ family }) => families.has(family))
      .reduce<ServiceChange | undefined>((latest, one) => (latest && latest.at > one.at ? latest : one), undefined);
  }

  /** No Service had the address: one that claims it may be waiting for a sync. */
  #servicesOfAddress(replay: RecordingReplay): readonly string[] {
    const { destination } = this.question;
    if (destination.kind !== 'address') {
      return [];
    }
    const address = JSON.stringify(destination.address);
    return replay
      .objects()
      .filter(({ kind, value }) => kind === 'Service' && JSON.stringify(value).includes(address))
      .map(({ name }) => name);
  }

  #answerAfter({ entry, state }: ReplayedSync): PacketAnswer['cases'] {
    const states = [...this.#states.filter(({ family }) => family !== entry.family), state];
    try {
      return answerPacketQuestion(states, this.question, this.#host).cases;
    } catch {
      // The named object no longer exists then.
      return [];
    }
  }
}

function describeSync({ entry, time }: Pick<ReplayedSync, 'entry' | 'time'>): ProgrammingSync {
  return {
    family: entry.family,
    time: new Date(time).toISOString(),
    full: entry.full,
    milliseconds: entry.duration,
    servicePorts: entry.changes,
  };
}

/** The answer for people. Times are local. `details`: all reasons. */
export function formatExplanationAt(answer: ExplanationAt, details = false): string {
  const { nodeName, items, notes, inForceSince, lastChange, failing, next } = answer;
  const at = Date.parse(answer.at);
  const lines = [
    `At ${formatMoment(at)} on ${nodeName}:`,
    formatPacketAnswer({ cases: items, notes }, details).trimEnd(),
    '',
    ...inForceSince.map((sync) => `In force since ${formatMoment(Date.parse(sync.time))}: ${syncText(sync)}.`),
    ...failing.map(
      (family) => `Syncs of ${family} failed at that time: the kernel may have had a part of a later state.`,
    ),
    ...(lastChange === null ? ['The recording has no earlier change of this Service.'] : followedLines(lastChange, at)),
    ...(next === null
      ? []
      : [
          '',
          'After that:',
          next.length === 0 ? 'nothing' : formatPacketAnswer({ cases: next, notes: [] }, details).trimEnd(),
        ]),
  ];
  return `${lines.join('\n')}\n`;
}

function followedLines({ time, what, programmed, delayMilliseconds }: FollowedChange, at: number): readonly string[] {
  const change = `Last change: ${formatMoment(Date.parse(time))}, ${what}.`;
  if (programmed === null) {
    return [change, 'The kernel did not follow until the end of the recording.'];
  }
  const when = formatMoment(Date.parse(programmed.time));
  const late = Date.parse(programmed.time) > at ? 'It was not in force yet. ' : '';
  return [change, `${late}The kernel followed at ${when}, ${delayMilliseconds} ms later: ${syncText(programmed)}.`];
}

function syncText({ family, full, milliseconds, servicePorts }: ProgrammingSync): string {
  const ports = countOf(servicePorts, 'service port');
  return `a ${full ? 'full ' : ''}sync of ${family}, ${ports} in ${milliseconds} ms`;
}
