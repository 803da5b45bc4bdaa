import { createGunzip } from 'node:zlib';
import {
  isProxierError,
  messageOf,
  parseRecordedEntry,
  type RecordedEntry,
  RecordingError,
  RecordingReplay,
  type ReplayStep,
} from '@kube-proxier/core';

/** Bytes decompressed at a time: the output is at most a thousand times as large. */
const SLICE = 4096;
/** Maximum characters of a line. A Kubernetes object has at most 1.5 MB. */
const MAX_LINE = 4 * 1024 * 1024;
/** Maximum decompressed bytes of a recording. */
const MAX_TOTAL = 4 * 1024 ** 3;

/** Why a recording ends early. */
export type RecordingDamage = (what: string) => void;

/**
 * Reads a recording: its entries up to the end, or up to where it is damaged or truncated. The input is untrusted;
 * memory use is bounded.
 *
 * @param data the file, compressed.
 * @param onDamage called once when it cannot be read further.
 * @throws RecordingError `NOT_A_RECORDING` when nothing of it can be read; the ProxierError of `data`, if it has one.
 */
export async function* readRecording(
  data: AsyncIterable<Uint8Array>,
  onDamage: RecordingDamage,
): AsyncGenerator<RecordedEntry> {
  let isEmpty = true;
  try {
    for await (const line of linesOf(data)) {
      const entry = parseRecordedEntry(line);
      if (entry !== undefined) {
        isEmpty = false;
        yield entry;
      }
    }
  } catch (error) {
    if (isEmpty) {
      // A file that cannot be opened may still be a recording.
      throw isProxierError(error) && !(error instanceof RecordingError) ? error : notARecording(error);
    }
    onDamage(messageOf(error));
    return;
  }
  if (isEmpty) {
    throw notARecording('it is empty');
  }
}

function notARecording(reason: unknown): RecordingError {
  const why = typeof reason === 'string' ? reason : messageOf(reason);
  const advice = 'write one with kube-proxier record dump > FILE';
  return new RecordingError('NOT_A_RECORDING', `this is no recording of kube-proxier (${why}); ${advice}`);
}

/** Result of {@link replayRecording}. */
export interface ReplayedRecording {
  readonly replay: RecordingReplay;
  /** Why reading stopped early; undefined when all of it was read. */
  readonly damage: string | undefined;
}

/** Callbacks of a replay. Each may end it. */
export interface ReplayListener {
  /** Before an entry is applied. False ends the replay without applying it. */
  before?(entry: RecordedEntry, replay: RecordingReplay): boolean;
  /** After an entry was applied. False: the replay ends. */
  after?(entry: RecordedEntry, step: ReplayStep, replay: RecordingReplay): boolean;
}

/**
 * Replays a recording.
 *
 * @throws RecordingError when nothing of it can be read, or its version is not supported.
 */
export async function replayRecording(
  data: AsyncIterable<Uint8Array>,
  listener: ReplayListener = {},
): Promise<ReplayedRecording> {
  const replay = new RecordingReplay();
  let damage: string | undefined;
  const entries = readRecording(data, (what) => {
    damage = what;
  });
  for await (const entry of entries) {
    if (listener.before?.(entry, replay) === false) {
      break;
    }
    let step: ReplayStep;
    try {
      step = replay.apply(entry);
    } catch (error) {
      if (error instanceof RecordingError && error.code === 'RECORDING_DAMAGED') {
        damage = messageOf(error);
        break;
      }
      throw error;
    }
    if (listener.after?.(entry, step, replay) === false) {
      break;
    }
  }
  return { replay, damage };
}

async function* linesOf(data: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  let total = 0;
  for await (const bytes of decompressed(data)) {
    total += bytes.length;
    if (total > MAX_TOTAL) {
      throw new RecordingError('RECORDING_DAMAGED', `the recording has more than ${MAX_TOTAL} bytes when decompressed`);
    }
    const lines = `${rest}${decoder.decode(bytes, { stream: true })}`.split('\n');
    rest = lines.pop() ?? '';
    yield* lines.filter((line) => line !== '');
    if (rest.length > MAX_LINE) {
      throw new RecordingError('RECORDING_DAMAGED', `the recording has a line of more than ${MAX_LINE} characters`);
    }
  }
  if (rest !== '') {
    throw new RecordingError('RECORDING_DAMAGED', 'the recording is truncated: its last line is incomplete');
  }
}

/** The decompressible part, then the error, if any. */
async function* decompressed(data: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const gunzip = createGunzip();
  let ready: Uint8Array[] = [];
  let failure: Error | undefined;
  let wake = () => {};
  gunzip.on('data', (bytes: Uint8Array) => ready.push(bytes));
  const ended = new Promise<void>((resolve) => gunzip.once('end', resolve).once('close', resolve));
  gunzip.on('error', (error) => {
    failure = error;
    wake();
  });
  const take = () => {
    const taken = ready;
    ready = [];
    return taken;
  };
  try {
    for await (const chunk of data) {
      for (let from = 0; from < chunk.length && failure === undefined; from += SLICE) {
        await new Promise<void>((resolve) => {
          wake = resolve;
          gunzip.write(chunk.subarray(from, from + SLICE), () => resolve());
        });
        yield* take();
      }
    }
    if (failure === undefined) {
      gunzip.end();
      await ended;
    }
    yield* take();
    if (failure !== undefined) {
      const what = failure.message === 'unexpected end of file' ? 'truncated' : `damaged (${failure.message})`;
      throw new RecordingError('RECORDING_DAMAGED', `the recording is ${what}`, failure);
    }
  } finally {
    gunzip.destroy();
  }
}
