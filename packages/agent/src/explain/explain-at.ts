import {
  describeChange,
  type Explanation,
  explainSimulation,
  familyOf,
  formatSimulation,
  type IPFamily,
  type Packet,
  ProxierError,
  type RecordingReplay,
  type ReplayedChange,
  type ReplayedSync,
  type SimulationHost,
  simulatePacket,
  structurallyEqual,
} from '@kube-proxier/core';
import { replayRecording } from '@kube-proxier/server';
import { formatMoment } from '../record/moment.js';
import type { RecordingSource } from '../record/recording-source.js';

/** A sync that programmed a state. */
export interface ProgrammingSync {
  /** When it ended. ISO 8601, in UTC. */
  readonly time: string;
  readonly full: boolean;
  readonly milliseconds: number;
  /** Service ports that it wrote. */
  readonly servicePorts: number;
}

/** A change of the Service, and how the kernel followed. */
export interface FollowedChange {
  /** ISO 8601, in UTC. */
  readonly time: string;
  readonly what: string;
  /** The sync that programmed it; null: none had, until the end of the recording. */
  readonly programmed: ProgrammingSync | null;
  /** Milliseconds from the change to the end of that sync; null without one. */
  readonly delayMilliseconds: number | null;
}

/** What happened to a packet at a time, and since when. */
export interface ExplanationAt {
  /** ISO 8601, in UTC. */
  readonly at: string;
  readonly nodeName: string;
  readonly explanation: Explanation;
  /** The sync whose state was in force. */
  readonly inForceSince: ProgrammingSync;
  /** Syncs failed at that time: the kernel may have had a part of a later state. */
  readonly failing: boolean;
  /** The last change of the Service up to that time; null when the recording has none. */
  readonly lastChange: FollowedChange | null;
  /** The answer that this change led to, where the kernel followed later; null when it was in force already. */
  readonly next: Explanation | null;
}

/**
 * Answers from the state that was in force at `at`, and says when the kernel followed.
 *
 * @param at milliseconds since the epoch.
 * @throws ProxierError `NOT_RECORDED` when the recording does not have that time, or nothing was in force then.
 */
export async function explainAt(packet: Packet, at: number, source: RecordingSource): Promise<ExplanationAt> {
  const { begin, end } = source.moments;
  if (at < begin || at > end) {
    throw new ProxierError(
      'NOT_RECORDED',
      `${formatMoment(at)} is not recorded: the recording of ${source.description} has ${formatMoment(begin)} to ${formatMoment(end)}`,
    );
  }
  const search = new Search(packet, at);
  const { replay } = await replayRecording(source.open(), search);
  const found = search.answer(replay);
  if (found === undefined) {
    throw new ProxierError(
      'NOT_RECORDED',
      `nothing was in force for ${familyOf(packet.destination)} at ${formatMoment(at)}, by the recording of ${source.description}: no sync had succeeded`,
    );
  }
  return found;
}

interface ServiceChange {
  readonly at: number;
  readonly time: number;
  readonly what: string;
}

/** Follows a replay to the answer, and on to the sync with which the kernel followed. */
class Search {
  readonly #family: IPFamily;
  /** The last change of each Service. */
  readonly #changes = new Map<string, ServiceChange>();
  /** Successful syncs of the family, of which a change of the last ones may be part. */
  readonly #syncs: ReplayedSync[] = [];
  #answer: Omit<ExplanationAt, 'lastChange' | 'next'> | undefined;
  #isPast = false;
  #host: SimulationHost = {};
  #change: ServiceChange | undefined;

  constructor(
    private readonly packet: Packet,
    private readonly time: number,
  ) {
    this.#family = familyOf(packet.destination);
  }

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
    if (sync?.entry.family === this.#family) {
      this.#syncs.push(sync);
    }
    if (!this.#isPast && change !== undefined && !change.isInitial) {
      for (const { service, what } of describeChange(change)) {
        if (service !== undefined) {
          this.#changes.set(service, { at, time, what });
        }
      }
    }
    return true;
  }

  answer(replay: RecordingReplay): ExplanationAt | undefined {
    this.#stop(replay);
    if (this.#answer === undefined) {
      return undefined;
    }
    const change = this.#change;
    const sync = this.#programming;
    const next =
      sync !== undefined && sync.time > this.time
        ? explainSimulation(simulatePacket(sync.state, this.packet, this.#host))
        : null;
    return {
      ...this.#answer,
      lastChange:
        change === undefined
          ? null
          : {
              time: new Date(change.time).toISOString(),
              what: change.what,
              programmed: sync === undefined ? null : describeSync(sync),
              delayMilliseconds: sync === undefined ? null : rounded(sync.time - change.time),
            },
      next: next !== null && !structurallyEqual(next, this.#answer.explanation) ? next : null,
    };
  }

  /** The first sync that covers the last change. */
  get #programming(): ReplayedSync | undefined {
    const change = this.#change;
    return change === undefined ? undefined : this.#syncs.find(({ resolvedAt }) => resolvedAt >= change.at);
  }

  /** The replay has reached the time. */
  #stop(replay: RecordingReplay): void {
    if (this.#isPast) {
      return;
    }
    this.#isPast = true;
    const state = replay.inForce(this.#family);
    const last = replay.lastSync(this.#family);
    if (state === undefined || last === undefined) {
      return;
    }
    this.#host = replay.hostOf(this.#family);
    const simulation = simulatePacket(state, this.packet, this.#host);
    this.#answer = {
      at: new Date(this.time).toISOString(),
      nodeName: replay.begin.nodeName,
      explanation: explainSimulation(simulation),
      inForceSince: describeSync(last),
      failing: replay.isFailing(this.#family),
    };
    const name = simulation.servicePort?.name;
    const services = name === undefined ? this.#servicesOfAddress(replay) : [`${name.namespace}/${name.name}`];
    this.#change = services
      .flatMap((service) => this.#changes.get(service) ?? [])
      .reduce<ServiceChange | undefined>((latest, one) => (latest && latest.at > one.at ? latest : one), undefined);
  }

  /** Nothing had the address: a Service that claims it may be waiting for a sync. */
  #servicesOfAddress(replay: RecordingReplay): readonly string[] {
    const destination = JSON.stringify(this.packet.destination);
    return replay
      .objects()
      .filter(({ kind, value }) => kind === 'Service' && JSON.stringify(value).includes(destination))
      .map(({ name }) => name);
  }
}

function describeSync({ entry, time }: Pick<ReplayedSync, 'entry' | 'time'>): ProgrammingSync {
  return {
    time: new Date(time).toISOString(),
    full: entry.full,
    milliseconds: entry.duration,
    servicePorts: entry.changes,
  };
}

function rounded(milliseconds: number): number {
  return Math.round(milliseconds * 10) / 10;
}

/** The answer for people. Times are local. */
export function formatExplanationAt(answer: ExplanationAt): string {
  const { nodeName, explanation, inForceSince, lastChange, failing, next } = answer;
  const at = Date.parse(answer.at);
  const lines = [
    `At ${formatMoment(at)} on ${nodeName}:`,
    formatSimulation(explanation).trimEnd(),
    '',
    `In force since ${formatMoment(Date.parse(inForceSince.time))}: ${syncText(inForceSince)}.`,
    ...(failing ? ['Syncs failed at that time, so the kernel may have had a part of a later state.'] : []),
    ...(lastChange === null ? ['The recording has no earlier change of this Service.'] : followedLines(lastChange, at)),
    ...(next === null ? [] : ['', 'After that:', formatSimulation(next).trimEnd()]),
  ];
  return `${lines.join('\n')}\n`;
}

function followedLines({ time, what, programmed, delayMilliseconds }: FollowedChange, at: number): readonly string[] {
  const change = `Last change of the Service: ${formatMoment(Date.parse(time))}, ${what}.`;
  if (programmed === null) {
    return [change, 'The kernel did not follow until the end of the recording.'];
  }
  const when = formatMoment(Date.parse(programmed.time));
  const late = Date.parse(programmed.time) > at ? 'This was not in force yet. ' : '';
  return [change, `${late}The kernel followed at ${when}, ${delayMilliseconds} ms later: ${syncText(programmed)}.`];
}

function syncText({ full, milliseconds, servicePorts }: ProgrammingSync): string {
  const ports = `${servicePorts} service port${servicePorts === 1 ? '' : 's'}`;
  return `a ${full ? 'full ' : ''}sync of ${ports} in ${milliseconds} ms`;
}
