import type { ServerResponse } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import { createGzip, gzipSync } from 'node:zlib';
import { encodeListInParts, hasMessage, isProtobufBody, padded } from './api-encoding.js';
import type { RequestFault } from './api-faults.js';
import type { ApiObject } from './api-object.js';
import { encodeStatus, type ObjectEncoder } from './object-encoder.js';
import { resetConnection } from './reset-connection.js';
import type { ServedResource } from './served-resources.js';

export const JSON_TYPE = 'application/json';
export const PROTOBUF_TYPE = 'application/vnd.kubernetes.protobuf';
/** Minimum size in bytes of a compressed list, if the client accepts compression. */
const COMPRESSED_FROM = 128 * 1024;
/** As a real server: fast. */
const COMPRESSION = 1;

/** Answers of the fake API server: their encoding, their compression, and faults in them. */
export class ApiAnswers {
  /** Answers to clients that prefer protobuf. */
  readonly #inProtobuf = new WeakSet<ServerResponse>();

  constructor(private readonly encoder: ObjectEncoder) {}

  /** The client of this answer prefers protobuf. */
  preferProtobuf(response: ServerResponse): void {
    this.#inProtobuf.add(response);
  }

  /** A list in the encoding that the client prefers: in parts, if that is protobuf. */
  list(
    { kind, apiVersion }: ServedResource,
    metadata: Readonly<Record<string, unknown>>,
    items: readonly ApiObject[],
    response: ServerResponse,
  ): Buffer | Iterable<Buffer> {
    const messages = this.isInProtobuf(response, kind) ? this.encoder.messages(kind, items) : undefined;
    if (messages !== undefined) {
      return encodeListInParts(apiVersion, kind, metadata, messages);
    }
    const head = JSON.stringify({ kind: `${kind}List`, apiVersion, metadata });
    const texts = items.map((item) => this.encoder.json(kind, item));
    return Buffer.from(`${head.slice(0, -1)},"items":[${texts.join(',')}]}`);
  }

  /** Whether the client prefers protobuf, and the kind has it. */
  isInProtobuf(response: ServerResponse, kind: string): boolean {
    return this.#inProtobuf.has(response) && hasMessage(kind);
  }

  status(
    response: ServerResponse,
    code: number,
    reason: string,
    message: string,
    metadata: object = {},
    retryAfter?: number,
    details: object = {},
  ): void {
    const status = {
      kind: 'Status',
      apiVersion: 'v1',
      metadata,
      status: 'Failure',
      message,
      ...(reason === '' ? {} : { reason }),
      ...(retryAfter === undefined ? {} : { details: { ...details, retryAfterSeconds: retryAfter } }),
      code,
    };
    if (retryAfter !== undefined) {
      response.setHeader('Retry-After', String(retryAfter));
    }
    const body = this.#inProtobuf.has(response) ? encodeStatus(status) : JSON.stringify(status);
    this.send(response, code, body, undefined);
  }

  /**
   * @param body JSON; bytes of a text, or of protobuf; or its parts, which a long list is sent in while the rest is
   *   encoded, as by a real server.
   */
  send(
    response: ServerResponse,
    code: number,
    body: string | Buffer | Iterable<Buffer>,
    fault: RequestFault | undefined,
    compressed = false,
  ): void {
    if (typeof body !== 'string' && !Buffer.isBuffer(body)) {
      this.#sendParts(response, code, body, fault, compressed);
      return;
    }
    const sent = Buffer.from(body);
    const inProtobuf = isProtobufBody(sent);
    const plain = fault?.kind === 'pad' ? padded(sent, fault.bytes) : sent;
    const isCompressed = compressed && plain.length >= COMPRESSED_FROM;
    const bytes = isCompressed ? gzipSync(plain, { level: COMPRESSION }) : plain;
    writeHead(response, code, inProtobuf, isCompressed);
    switch (fault?.kind) {
      case 'cut':
        response.write(bytes.subarray(0, fault.bytes), () => resetConnection(response.socket));
        return;
      case 'truncate':
        response.end(bytes.subarray(0, fault.bytes));
        return;
      case 'stall':
        response.write(bytes.subarray(0, fault.bytes));
        return;
      case 'drip':
        drip(response, bytes, fault.bytes, fault.interval);
        return;
      default:
        response.end(bytes);
    }
  }

  #sendParts(
    response: ServerResponse,
    code: number,
    parts: Iterable<Buffer>,
    fault: RequestFault | undefined,
    compressed: boolean,
  ): void {
    const iterator = parts[Symbol.iterator]();
    const first = iterator.next();
    const second = fault === undefined && !first.done ? iterator.next() : undefined;
    const isShort = second === undefined || second.done;
    if (first.done || isShort) {
      // Faults need the whole answer.
      const begin = first.done ? [] : [first.value];
      this.send(response, code, Buffer.concat([...begin, ...remaining(iterator)]), fault, compressed);
      return;
    }
    writeHead(response, code, isProtobufBody(first.value), compressed);
    const all = Readable.from(concatenated([first.value, second.value], remaining(iterator)), { objectMode: false });
    // The client may end the connection at any time.
    const ended = () => {};
    if (compressed) {
      pipeline(all, createGzip({ level: COMPRESSION }), response, ended);
    } else {
      pipeline(all, response, ended);
    }
  }
}

function* remaining(iterator: Iterator<Buffer>): Generator<Buffer> {
  for (let next = iterator.next(); !next.done; next = iterator.next()) {
    yield next.value;
  }
}

function* concatenated(...lists: readonly Iterable<Buffer>[]): Generator<Buffer> {
  for (const list of lists) {
    yield* list;
  }
}

function writeHead(response: ServerResponse, code: number, inProtobuf: boolean, isCompressed: boolean): void {
  response.writeHead(code, {
    'Cache-Control': 'no-cache, private',
    'Content-Type': inProtobuf ? PROTOBUF_TYPE : JSON_TYPE,
    ...(isCompressed ? { 'Content-Encoding': 'gzip', Vary: 'Accept-Encoding' } : {}),
  });
}

function drip(response: ServerResponse, bytes: Buffer, step: number, interval: number): void {
  let sent = 0;
  const timer = setInterval(() => {
    if (sent >= bytes.length || response.destroyed) {
      clearInterval(timer);
      response.end();
      return;
    }
    response.write(bytes.subarray(sent, sent + step));
    sent += step;
  }, interval);
}
