import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { type Explanation, ProxierError, parseAddress, printable } from '@kube-proxier/core';
import { readRecording } from '@kube-proxier/server';
import type { RecordingSource } from '../record/recording-source.js';
import { outcomeText } from './expected-outcome.js';

const compress = promisify(gzip);

/** Maximum bytes of a compressed recording in a test. */
const MAX_BYTES = 2 * 1024 * 1024;
/** Characters of a line of base64. */
const LINE = 100;
const ENDPOINT = /^(?:\[([0-9a-f:.]+)\]|([0-9.]+)):(\d{1,5})$/i;

/** What a test asserts. */
export interface IssueSpecRequest {
  /** The packet, and its replayed outcome. */
  readonly explanation: Pick<Explanation, 'packet' | 'outcome'>;
  /** Milliseconds since the epoch. */
  readonly moment: number;
  readonly source: RecordingSource;
  /** The expected outcome, as on the command line; empty for the replayed one. */
  readonly expect: string;
}

/** Imports of the written test. Not at the beginning of lines of this file, where tools would read them as its own. */
const IMPORTS = [
  "import { expect, test } from '@jest/globals';",
  "import { FakeDataplane, renderState } from '@kube-proxier/core/testing';",
  "import { type ReplayedSync, simulatePacket } from '@kube-proxier/core';",
  "import { replayRecording } from '@kube-proxier/server';",
];

/**
 * The text of a jest test that replays the recording, on the code of the repository that it is put into, and asserts
 * the outcome of the packet. It contains the recording up to that time.
 *
 * @throws ProxierError `INVALID_ARGUMENT` when the expected outcome is invalid, `RECORDING_TOO_LARGE`.
 */
export async function issueSpec({ explanation, moment, source, expect }: IssueSpecRequest): Promise<string> {
  const { packet } = explanation;
  const expected = expect === '' ? outcomeText(explanation) : readExpectation(expect);
  const data = await upTo(moment, source);
  const { source: from, destination, port, protocol } = packet;
  const time = new Date(moment).toISOString();
  const address = destination.includes(':') ? `[${destination}]` : destination;
  const title = `${from} to ${address}:${port}/${protocol} at ${time}`;
  const family = destination.includes(':') ? 'IPv6' : 'IPv4';
  const asserted = JSON.stringify(packet);
  return `// Made by kube-proxier replay --test. It replays what a node received and did up to ${time}.
${IMPORTS.join('\n')}

const RECORDING = Buffer.from(
  \`
${data.toString('base64').replace(new RegExp(`.{${LINE}}`, 'g'), '$&\n')}
\`,
  'base64',
);

test(${JSON.stringify(title)}, async () => {
  const dataplane = new FakeDataplane();
  const syncs: ReplayedSync[] = [];
  const { replay, damage } = await replayRecording(inOnePiece(RECORDING), {
    after: (_entry, { sync }) => {
      if (sync?.entry.family === ${JSON.stringify(family)}) {
        syncs.push(sync);
      }
      return true;
    },
  });
  expect(damage).toBeUndefined();

  // The backend applies each state in order, as on the node.
  for (const { entry, state, changes } of syncs) {
    const installed = entry.full ? await dataplane.readBack() : undefined;
    const transaction = dataplane.plan(state, changes, installed);
    if (transaction !== undefined) {
      await dataplane.apply(transaction);
    }
    expect(dataplane.contents).toEqual(renderState(state));
  }

  const state = replay.inForce(${JSON.stringify(family)});
  expect(state).toBeDefined();
  const packet = ${asserted} as const;
  const host = replay.hostOf(${JSON.stringify(family)});
  const { outcome, steps } = simulatePacket(state as NonNullable<typeof state>, packet, host);
  const actual =
    outcome.kind === 'forwarded'
      ? outcome.choices
          .map(({ endpoint }) => endpoint.key)
          .sort()
          .join(',')
      : outcome.kind;
  expect({ outcome: actual, steps }).toMatchObject({ outcome: ${JSON.stringify(expected)} });
});

async function* inOnePiece(data: Uint8Array): AsyncGenerator<Uint8Array> {
  yield data;
}
`;
}

/** @throws ProxierError `INVALID_ARGUMENT` */
function readExpectation(text: string): string {
  if (['refused', 'dropped', 'passed-on'].includes(text)) {
    return text;
  }
  const endpoints = text.split(',').map((endpoint) => {
    const match = ENDPOINT.exec(endpoint.trim());
    const address = parseAddress(match?.[1] ?? match?.[2]);
    if (!match || !address) {
      throw new ProxierError(
        'INVALID_ARGUMENT',
        `--expect: "${printable(text)}" is not refused, dropped, passed-on, or a list of endpoints such as 10.244.0.5:8080`,
      );
    }
    return address.family === 'IPv6' ? `[${address.text}]:${match[3]}` : `${address.text}:${match[3]}`;
  });
  return endpoints.sort().join(',');
}

/** The recording up to that time. */
async function upTo(moment: number, source: RecordingSource): Promise<Buffer> {
  const lines: string[] = [];
  let epoch = 0;
  for await (const entry of readRecording(source.open(), () => {})) {
    if (entry.entry === 'begin' || entry.entry === 'clock') {
      epoch = Date.parse(entry.time) - entry.at;
    }
    if (entry.entry !== 'begin' && epoch + entry.at > moment) {
      break;
    }
    lines.push(JSON.stringify(entry));
  }
  const data = await compress(`${lines.join('\n')}\n`, { level: 9 });
  if (data.length > MAX_BYTES) {
    throw new ProxierError(
      'RECORDING_TOO_LARGE',
      `the recording up to then has ${data.length} bytes, and a test contains ${MAX_BYTES} at most; use a recording that begins later, such as the latest file of --recording-directory`,
    );
  }
  return data;
}
