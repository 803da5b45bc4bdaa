import { createReadStream } from 'node:fs';
import { isProxierError, joinHostPort, messageOf, ProxierError, printable } from '@kube-proxier/core';
import { readRecording } from '@kube-proxier/server';
import { notAnAgent } from '../commands/agent-client.js';
import type { AgentSettings } from '../flags/agent-settings.js';
import type { MomentContext } from './moment.js';

/** Milliseconds that a running agent may take for a recording. */
const DUMP_TIMEOUT = 120_000;
/** Milliseconds until it has to begin. */
const BEGIN_TIMEOUT = 30_000;
/** The first bytes of gzip. */
const GZIP = [0x1f, 0x8b];

/** A recording that can be read several times. */
export interface RecordingSource {
  /** For messages. */
  readonly description: string;
  /** The compressed file. */
  open(): AsyncIterable<Uint8Array>;
  /** Times on the command line refer to this. */
  readonly moments: MomentContext;
  /** Why it cannot be read to its end; undefined when it can. */
  readonly damage: string | undefined;
}

/**
 * Opens the recording in a file, or that of the running agent.
 *
 * @param file path; empty for the running agent.
 * @throws ProxierError when there is none, or it cannot be read.
 */
export async function openRecording(file: string, { status }: Pick<AgentSettings, 'status'>): Promise<RecordingSource> {
  if (file !== '') {
    const open = () => readFile(file);
    const { begin, end, damage } = await rangeOf(open());
    return { description: printable(file), open, moments: { begin, end, now: end }, damage };
  }
  const parts: Uint8Array[] = [];
  try {
    for await (const part of fetchRecording(status)) {
      parts.push(part);
    }
  } catch (error) {
    const advice = 'see its log, and try again';
    throw isProxierError(error)
      ? error
      : new ProxierError('AGENT_TIMEOUT', `the agent did not complete its recording (${messageOf(error)}); ${advice}`, {
          cause: error,
        });
  }
  async function* open() {
    yield* parts;
  }
  const { begin, end, damage } = await rangeOf(open());
  // The agent is silent while nothing changes: its recording ends now.
  const now = Date.now();
  return { description: 'the running agent', open, moments: { begin, end: Math.max(end, now), now }, damage };
}

/** @throws ProxierError `CANNOT_READ_RECORDING` */
async function* readFile(file: string): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(file) as AsyncIterable<Uint8Array>;
  } catch (error) {
    const advice = 'give the path of a recording, or write one with kube-proxier record dump > FILE';
    throw new ProxierError(
      'CANNOT_READ_RECORDING',
      `cannot read the recording ${printable(file)}: ${messageOf(error)}; ${advice}`,
      { cause: error },
    );
  }
}

/**
 * The recording of the running agent, as it arrives.
 *
 * @param beginTimeout milliseconds until it has to begin. Default 30000.
 * @throws ProxierError `NO_AGENT` when none answers, `AGENT_TIMEOUT` when it does not begin to, `NOT_AN_AGENT` when another
 *   program does, `NO_RECORDING` when it records nothing; other errors when the recording breaks off.
 */
export async function* fetchRecording(
  address: AgentSettings['status'],
  beginTimeout = BEGIN_TIMEOUT,
): AsyncGenerator<Uint8Array> {
  if (!address) {
    throw new ProxierError('NO_AGENT', 'no agent can be queried: set --metrics-bind-address as the agent has it');
  }
  const where = joinHostPort(address.host, address.port);
  const abort = new AbortController();
  const limits = [setTimeout(() => abort.abort(), beginTimeout), setTimeout(() => abort.abort(), DUMP_TIMEOUT)];
  try {
    const response = await fetch(`http://${where}/debug/recording`, { signal: abort.signal }).catch(
      (error: unknown) => {
        throw abort.signal.aborted ? late(where, beginTimeout, error) : noAgent(where, error);
      },
    );
    clearTimeout(limits[0]);
    if (!response.ok || response.body === null) {
      const text = await response.text();
      throw text.startsWith('not found; use ')
        ? new ProxierError(
            'NO_RECORDING',
            `the agent at ${where} has no recording; start it with --recording-age greater than 0`,
          )
        : notAnAgent(where, `HTTP ${response.status} for /debug/recording`);
    }
    let isFirst = true;
    for await (const part of response.body as unknown as AsyncIterable<Uint8Array>) {
      if (isFirst && GZIP.some((byte, index) => index < part.length && part[index] !== byte)) {
        throw notAnAgent(where, 'the answer is no recording');
      }
      isFirst = false;
      yield part;
    }
  } finally {
    for (const limit of limits) {
      clearTimeout(limit);
    }
    abort.abort();
  }
}

function late(where: string, timeout: number, cause: unknown): ProxierError {
  const advice = 'see its log, and try again';
  return new ProxierError(
    'AGENT_TIMEOUT',
    `the agent at ${where} has not answered within ${timeout / 1000} s; ${advice}`,
    { cause },
  );
}

function noAgent(where: string, error: unknown): ProxierError {
  const reason = messageOf(error instanceof Error && error.cause ? error.cause : error);
  return new ProxierError(
    'NO_AGENT',
    `no agent answers at ${where} (${reason}); start kube-proxier, or set --recording to a file`,
    { cause: error },
  );
}

async function rangeOf(data: AsyncIterable<Uint8Array>) {
  let damage: string | undefined;
  let epoch = 0;
  let begin: number | undefined;
  let end = Number.NEGATIVE_INFINITY;
  const entries = readRecording(data, (what) => {
    damage = what;
  });
  for await (const entry of entries) {
    if (entry.entry === 'begin' || entry.entry === 'clock') {
      epoch = Date.parse(entry.time) - entry.at;
    }
    const time = epoch + entry.at;
    begin ??= time;
    end = Math.max(end, time);
  }
  return { begin: begin ?? 0, end, damage };
}
