import type { IPFamily, RecordedEntry } from '@kube-proxier/core';
import { countOf, messageOf, ProxierError, printable } from '@kube-proxier/core';
import { replayRecording } from '@kube-proxier/server';
import { stringify } from 'yaml';
import type { AgentSettings } from '../flags/agent-settings.js';
import { formatMoment } from './moment.js';
import { fetchRecording, openRecording } from './recording-source.js';

/** Summary of the syncs of one family, for `record show`. */
export interface SyncSummary {
  readonly succeeded: number;
  readonly failed: number;
  /** Longest successful sync. */
  readonly longestMilliseconds: number | null;
}

/** The schema of `record show -o json`. Times are ISO 8601, in UTC. */
export interface RecordingSummary {
  readonly apiVersion: 'kube-proxier.io/v1alpha1';
  readonly kind: 'RecordingSummary';
  readonly nodeName: string;
  readonly program: string;
  /** Null when it is not known. */
  readonly mode: string | null;
  readonly begin: string;
  readonly end: string;
  readonly seconds: number;
  readonly bytes: number;
  /** Objects at the end. */
  readonly objects: { readonly services: number; readonly endpointSlices: number };
  /** Recorded changes of objects. */
  readonly changes: { readonly services: number; readonly endpointSlices: number; readonly others: number };
  readonly syncs: Readonly<Partial<Record<IPFamily, SyncSummary>>>;
  readonly driftRepairs: number;
  /** Failures that do not affect the data plane. */
  readonly failures: number;
  /** Whether the node was ready at the end; null when it is not known. */
  readonly ready: boolean | null;
  /** Why it cannot be read to its end; null when it can. */
  readonly damage: string | null;
}

/** Output of the command. */
export interface RecordOutput {
  readonly print: (text: string) => void;
  readonly printError: (text: string) => void;
  /** Writes to standard output. Resolves when more may be written. */
  readonly write?: (data: Uint8Array) => Promise<void>;
}

/**
 * `kube-proxier record dump` and `kube-proxier record show FILE`.
 *
 * @returns the exit status.
 * @throws ProxierError when the arguments are wrong, or the recording cannot be read.
 */
export async function record(
  operands: readonly string[],
  settings: AgentSettings,
  output: RecordOutput,
): Promise<number> {
  const [verb = '', file] = operands;
  if (verb === 'dump' && file === undefined) {
    await dump(settings, output);
    return 0;
  }
  if (verb === 'show' && file !== undefined) {
    const summary = await summarize(file, settings);
    output.print(formatSummary(summary, settings.output));
    return 0;
  }
  const syntax = 'use kube-proxier record dump > FILE, or kube-proxier record show FILE';
  const stray = verb === 'dump' ? `"${printable(file ?? '')}"` : `"${printable(verb)}"`;
  throw new ProxierError(
    'INVALID_ARGUMENT',
    verb === 'show' ? `record show needs a file; ${syntax}` : `${stray} is not understood; ${syntax}`,
  );
}

async function dump({ status }: AgentSettings, { write }: RecordOutput): Promise<void> {
  if (write === undefined) {
    throw new ProxierError('NO_OUTPUT', 'this program cannot write bytes to its output; use the command kube-proxier');
  }
  try {
    for await (const part of fetchRecording(status)) {
      await write(part);
    }
  } catch (error) {
    if (error instanceof ProxierError) {
      throw error;
    }
    throw new ProxierError(
      'RECORDING_INTERRUPTED',
      `the recording is incomplete: ${messageOf(error)}; what was written can be read up to there`,
      { cause: error },
    );
  }
}

async function summarize(file: string, settings: AgentSettings): Promise<RecordingSummary> {
  const source = await openRecording(file, settings);
  let bytes = 0;
  async function* counted() {
    for await (const part of source.open()) {
      bytes += part.length;
      yield part;
    }
  }
  const tally = new Tally();
  const { replay, damage } = await replayRecording(counted(), {
    after: (entry, { change }) => {
      tally.count(entry, change?.isInitial ?? false);
      return true;
    },
  });
  const { begin, end } = source.moments;
  return {
    apiVersion: 'kube-proxier.io/v1alpha1',
    kind: 'RecordingSummary',
    nodeName: replay.begin.nodeName,
    program: replay.begin.program,
    mode: replay.mode ?? null,
    begin: new Date(begin).toISOString(),
    end: new Date(end).toISOString(),
    seconds: Math.round(end - begin) / 1000,
    bytes,
    objects: { services: replay.countOf('Service'), endpointSlices: replay.countOf('EndpointSlice') },
    changes: tally.changes,
    syncs: Object.fromEntries(tally.syncs),
    driftRepairs: tally.driftRepairs,
    failures: tally.failures,
    ready: tally.ready ?? null,
    damage: damage ?? null,
  };
}

class Tally {
  changes = { services: 0, endpointSlices: 0, others: 0 };
  readonly syncs = new Map<IPFamily, SyncSummary>();
  driftRepairs = 0;
  failures = 0;
  ready: boolean | undefined;

  count(entry: RecordedEntry, isInitial: boolean): void {
    switch (entry.entry) {
      case 'object':
        if (!isInitial) {
          const kind =
            entry.kind === 'Service' ? 'services' : entry.kind === 'EndpointSlice' ? 'endpointSlices' : 'others';
          this.changes[kind] += 1;
        }
        break;
      case 'sync': {
        const { succeeded = 0, failed = 0, longestMilliseconds = null } = this.syncs.get(entry.family) ?? {};
        const longest = Math.max(longestMilliseconds ?? 0, entry.duration);
        this.syncs.set(entry.family, { succeeded: succeeded + 1, failed, longestMilliseconds: longest });
        break;
      }
      case 'failed': {
        const { succeeded = 0, failed = 0, longestMilliseconds = null } = this.syncs.get(entry.family) ?? {};
        this.syncs.set(entry.family, { succeeded, failed: failed + 1, longestMilliseconds });
        break;
      }
      case 'drift':
        this.driftRepairs += 1;
        break;
      case 'failure':
        this.failures += 1;
        break;
      case 'ready':
        this.ready = entry.ready;
        break;
    }
  }
}

function formatSummary(summary: RecordingSummary, output: AgentSettings['output']): string {
  if (output === 'json') {
    return `${JSON.stringify(summary, undefined, 2)}\n`;
  }
  if (output === 'yaml') {
    return stringify(summary);
  }
  const { objects, changes, syncs, ready, damage } = summary;
  const rows: [string, string][] = [
    ['Node', `${printable(summary.nodeName)}, mode ${printable(summary.mode ?? 'unknown')}`],
    ['Recorded by', printable(summary.program)],
    ['From', formatMoment(Date.parse(summary.begin))],
    ['To', `${formatMoment(Date.parse(summary.end))} (${summary.seconds} s)`],
    ['Size', `${summary.bytes} bytes`],
    [
      'Objects',
      `${countOf(objects.services, 'Service')}, ${countOf(objects.endpointSlices, 'EndpointSlice')} at the end`,
    ],
    [
      'Changes',
      `${changes.services} of Services, ${changes.endpointSlices} of EndpointSlices, ${changes.others} of the node`,
    ],
    ...Object.entries(syncs).map(([family, one]): [string, string] => [
      `Syncs ${family}`,
      `${one.succeeded} succeeded${one.longestMilliseconds === null ? '' : `, at most ${one.longestMilliseconds} ms`}; ${one.failed} failed`,
    ]),
    ['Drift', countOf(summary.driftRepairs, 'repair')],
    ['Failures', `${summary.failures} of other parts`],
    ['Ready', ready === null ? 'unknown' : ready ? 'yes, at the end' : 'no, at the end'],
    ...(damage === null ? [] : [['Damaged', printable(damage)] as [string, string]]),
  ];
  return rows.map(([name, value]) => `${`${name}:`.padEnd(14)}${value}\n`).join('');
}
