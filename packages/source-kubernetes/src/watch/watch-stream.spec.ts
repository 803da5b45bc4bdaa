import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { describe, expect, test } from '@jest/globals';
import { VirtualClock } from '@kube-proxier/core/testing';
import { parseWatchEvent } from './json-events.js';
import { ObjectFormat } from './object-format.js';
import { whole } from './object-shape.js';
import { ProtobufSupport } from './protobuf-support.js';
import { watchEvents } from './watch-stream.js';

function event(type: string, name: string, resourceVersion?: string): string {
  return JSON.stringify({ type, object: { metadata: { name, resourceVersion } } });
}

function open(maxEventBytes = 1000) {
  const clock = new VirtualClock();
  const body = Object.assign(new PassThrough(), { headers: {} });
  let silences = 0;
  const stream = watchEvents(body as unknown as IncomingMessage, {
    clock,
    format: new ObjectFormat({ kind: 'Service', shape: whole }, new ProtobufSupport()),
    silenceLimit: 90_000,
    maxEventBytes,
    onSilence: () => {
      silences += 1;
    },
  });
  return { clock, body, stream, silences: () => silences };
}

/** The names of all events, one list per read, and the end of the stream. */
async function collect(stream: ReturnType<typeof watchEvents>) {
  const reads: string[][] = [];
  try {
    for await (const events of stream) {
      const names: string[] = [];
      reads.push(names);
      for (const { type, object } of events) {
        names.push(`${type} ${object.key}`);
      }
    }
    return { reads, error: undefined };
  } catch (error) {
    return { reads, error };
  }
}

describe('watchEvents', () => {
  test('yields the events of each read, until the server ends the stream', async () => {
    const { body, stream, clock } = open();
    const collected = collect(stream);
    const lines = [event('ADDED', 'a'), event('DELETED', 'b'), event('MODIFIED', 'c')];
    body.write(`${lines[0]}\n${lines[1]}\n${lines[2]?.slice(0, 10)}`);
    await new Promise(setImmediate);
    body.end(`${lines[2]?.slice(10)}\n`);
    expect(await collected).toEqual({ reads: [['ADDED a', 'DELETED b'], ['MODIFIED c']], error: undefined });
    expect(clock.pending).toBe(0);
  });

  test('yields the events before a malformed one', async () => {
    const { body, stream } = open();
    body.end(`${event('ADDED', 'a')}\nnot JSON\n${event('ADDED', 'b')}\n`);
    expect(await collect(stream)).toMatchObject({ reads: [['ADDED a']], error: { code: 'API_RESPONSE_INVALID' } });
    expect(body.destroyed).toBe(true);
  });

  test('refuses an event that is too large before it is complete', async () => {
    const { body, stream } = open(100);
    body.write('x'.repeat(101));
    expect((await collect(stream)).error).toMatchObject({ code: 'API_RESPONSE_INVALID' });
    expect(body.destroyed).toBe(true);
  });

  test('fails when the connection breaks', async () => {
    const { body, stream, clock } = open();
    const collected = collect(stream);
    body.destroy(new Error('read ECONNRESET\t'));
    expect((await collected).error).toMatchObject({
      code: 'API_UNREACHABLE',
      message: 'read ECONNRESET\\u{9}',
    });
    expect(clock.pending).toBe(0);
  });

  test('fails after the timeout without data, and not before', async () => {
    const { body, stream, clock, silences } = open();
    const collected = collect(stream);
    await clock.advance(89_999);
    body.write('\n');
    await new Promise(setImmediate);
    await clock.advance(89_999);
    expect(silences()).toBe(0);
    await clock.advance(1);
    expect(silences()).toBe(1);
    expect((await collected).error).toMatchObject({ code: 'API_SILENT' });
  });

  test('closes the connection when the reader stops', async () => {
    const { body, stream, clock } = open();
    body.write(`${event('ADDED', 'a')}\n`);
    for await (const _events of stream) {
      break;
    }
    expect(body.destroyed).toBe(true);
    expect(clock.pending).toBe(0);
  });
});

describe('parseWatchEvent', () => {
  test('has the type, the object and its version', () => {
    expect(parseWatchEvent(event('BOOKMARK', 'a', '12'), whole)).toEqual({
      type: 'BOOKMARK',
      object: { key: 'a', kept: { metadata: { name: 'a', resourceVersion: '12' } } },
      resourceVersion: '12',
      endsInitialEvents: false,
    });
    expect(parseWatchEvent('{"type":"ADDED","object":{}}', whole).resourceVersion).toBeUndefined();
  });

  test.each([
    ['{', 'is not JSON'],
    ['[]', 'is not an object'],
    ['{"type":"ADDED"}', 'is not an object'],
    ['{"type":"SYNC\\n","object":{}}', 'unknown type SYNC\\u{a}'],
  ])('refuses %s', (line, message) => {
    expect(() => parseWatchEvent(line, whole)).toThrow(message);
  });

  test('throws an error of the server', () => {
    const gone = { type: 'ERROR', object: { kind: 'Status', code: 410, reason: 'Expired', message: 'too old' } };
    expect(() => parseWatchEvent(JSON.stringify(gone), whole)).toThrow(
      expect.objectContaining({ status: 410, reason: 'Expired' }),
    );
  });
});
