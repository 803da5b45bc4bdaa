import {
  type ChangeType,
  countOf,
  describeChange,
  type IPFamily,
  printable,
  type RecordedEntry,
  type ReplayStep,
  serviceOfPort,
} from '@kube-proxier/core';
import { replayRecording } from '@kube-proxier/server';
import { stringify } from 'yaml';
import type { AgentSettings } from '../flags/agent-settings.js';
import { formatMoment, formatTimeOfDay, parseMoment } from '../record/moment.js';
import { openRecording } from '../record/recording-source.js';

/** Kinds of recorded events. */
export type EventType =
  | ChangeType
  | 'sync'
  | 'sync-failed'
  | 'drift'
  | 'ready'
  | 'not-ready'
  | 'failure'
  | 'clock'
  | 'mode';

/** One line of `kube-proxier what-changed`. */
export interface RecordedEvent {
  /** ISO 8601, in UTC. */
  readonly time: string;
  readonly type: EventType;
  /** `namespace/name` of the Service that it concerns; null for none. */
  readonly service: string | null;
  /** Null when it concerns both. */
  readonly family: IPFamily | null;
  /** One line of printable ASCII. */
  readonly what: string;
}

/** The schema of `-o json` and `-o yaml`. */
export interface RecordedEventList {
  readonly apiVersion: 'kube-proxier.io/v1alpha1';
  readonly kind: 'RecordedEventList';
  readonly nodeName: string;
  readonly since: string;
  readonly until: string;
  readonly items: readonly RecordedEvent[];
  /** Why the recording cannot be read to its end; null when it can. */
  readonly damage: string | null;
}

/** Arguments of `kube-proxier what-changed`. Times as on the command line; empty for all. */
export interface WhatChangedRequest {
  readonly since: string;
  readonly until: string;
  /** Path; empty for the running agent. */
  readonly recording: string;
  /** `name`, `namespace/name`, `svc/name`; undefined for all Services. */
  readonly service: string | undefined;
  readonly namespace: string;
}

/**
 * Lists the recorded events of this node.
 *
 * @returns the output; `message` is for standard error.
 * @throws ProxierError when the recording cannot be read, or a time is invalid.
 */
export async function whatChanged(
  request: WhatChangedRequest,
  settings: Pick<AgentSettings, 'status' | 'output'>,
): Promise<{ readonly text: string; readonly message: string }> {
  const source = await openRecording(request.recording, settings);
  const { moments } = source;
  const since = request.since === '' ? moments.begin : parseMoment('since', request.since, moments);
  const until = request.until === '' ? moments.end : parseMoment('until', request.until, moments);
  const service = request.service === undefined ? undefined : serviceNameOf(request.service, request.namespace);
  const items: RecordedEvent[] = [];
  const { replay, damage } = await replayRecording(source.open(), {
    before: (entry, current) => entry.entry === 'begin' || current.timeOf(entry) <= until,
    after: (entry, step) => {
      if (step.time >= since) {
        items.push(...eventsOf(entry, step, service));
      }
      return true;
    },
  });
  const list: RecordedEventList = {
    apiVersion: 'kube-proxier.io/v1alpha1',
    kind: 'RecordedEventList',
    nodeName: replay.begin.nodeName,
    since: new Date(since).toISOString(),
    until: new Date(until).toISOString(),
    items,
    damage: damage ?? null,
  };
  const notes = [
    ...(since < moments.begin
      ? [`the recording begins at ${formatMoment(moments.begin)}; nothing earlier is known`]
      : []),
    ...(items.length === 0 ? [`nothing changed from ${formatMoment(since)} to ${formatMoment(until)}`] : []),
    ...(damage === undefined ? [] : [`${damage}; what follows is not known`]),
  ];
  return { text: format(list, settings.output), message: notes.join('\n') };
}

/** `svc/name`, `service/name`, `name`, and each with a namespace. */
export function serviceNameOf(text: string, namespace: string): string {
  const parts = text.split('/');
  if (parts.length > 1 && ['svc', 'service', 'services'].includes(parts[0] ?? '')) {
    parts.shift();
  }
  return parts.length > 1 ? parts.join('/') : `${namespace}/${parts[0]}`;
}

function eventsOf(
  entry: RecordedEntry,
  { time, change, sync }: ReplayStep,
  service: string | undefined,
): readonly RecordedEvent[] {
  const event = (
    type: EventType,
    what: string,
    rest: Partial<Pick<RecordedEvent, 'service' | 'family'>> = {},
  ): RecordedEvent => ({ time: new Date(time).toISOString(), type, service: null, family: null, what, ...rest });
  switch (entry.entry) {
    case 'object':
      return change === undefined || change.isInitial
        ? []
        : describeChange(change)
            .filter((one) => service === undefined || one.service === undefined || one.service === service)
            .map((one) => event(one.type, one.what, { service: one.service ?? null }));
    case 'sync': {
      const { family } = entry;
      const services = new Set([...(sync?.changes.servicePorts.keys() ?? [])].map(serviceOfPort));
      const concerns = service === undefined ? true : [...services].some((one) => one === service);
      if (!concerns || (entry.changes === 0 && !entry.full)) {
        return [];
      }
      const whole = entry.full ? 'full sync' : 'sync';
      const ports = countOf(entry.changes, 'service port');
      const [only] = services;
      const single = !entry.full && services.size === 1 ? (only ?? null) : null;
      const isListed = !entry.full && services.size > 1 && services.size <= 3;
      const names = isListed ? ` of ${[...services].join(', ')}` : '';
      const what = `${whole} of ${family}: ${ports}${names} in ${entry.duration} ms`;
      return [event('sync', what, { family, service: single })];
    }
    case 'failed': {
      const { family, failures, error } = entry;
      return [event('sync-failed', `sync of ${family} failed (${failures} in a row): ${printable(error)}`, { family })];
    }
    case 'drift':
      return [event('drift', `drift repaired: ${printable(entry.what)}`, { family: entry.family })];
    case 'ready':
      return [
        entry.ready
          ? event('ready', 'the node is ready')
          : event('not-ready', `the node is not ready: ${printable(entry.reason ?? 'unknown')}`),
      ];
    case 'failure':
      return [event('failure', `${printable(entry.part)} failed: ${printable(entry.error)}`)];
    case 'clock':
      return [event('clock', 'the clock of the host was set')];
    case 'mode':
      return [event('mode', `mode ${printable(entry.mode)} was selected`)];
    default:
      return [];
  }
}

function format(list: RecordedEventList, output: AgentSettings['output']): string {
  switch (output) {
    case 'json':
      return `${JSON.stringify(list, undefined, 2)}\n`;
    case 'yaml':
      return stringify(list);
    default: {
      const day = (time: string) => formatMoment(Date.parse(time)).slice(0, 10);
      const isOneDay = day(list.since) === day(list.until);
      const formatTime = isOneDay ? formatTimeOfDay : formatMoment;
      const width = Math.max(0, ...list.items.map(({ service }) => (service ?? '-').length));
      return list.items
        .map(
          ({ time, service, what }) => `${formatTime(Date.parse(time))}  ${(service ?? '-').padEnd(width)}  ${what}\n`,
        )
        .join('');
    }
  }
}
