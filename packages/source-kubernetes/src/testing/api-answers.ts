import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { encodeList, hasMessage, isProtobufBody, padded } from './api-encoding.js';
import type { RequestFault } from './api-faults.js';
import type { ApiObject } from './api-object.js';
import { encodeStatus, type ObjectEncoder } from './object-encoder.js';
import { resetConnection } from './reset-connection.js';
import type { ServedResource } from './served-resources.js';

export const JSON_TYPE = 'application/json';
export const PROTOBUF_TYPE = 'application/vnd.kubernetes.protobuf';
/** Minimum size in bytes of a compressed list, if the client accepts compression. */
const COMPRESSED_FROM = 128 * 1024;
/** Answers of the fake API server: their encoding, their compression, and faults in them. */
export class ApiAnswers {
  /** Answers to clients that prefer protobuf. */
  readonly #inProtobuf = new WeakSet<ServerResponse>();

  constructor(private readonly encoder: ObjectEncoder) {}

  /** The client of this answer prefers protobuf. */
  preferProtobuf(response: ServerResponse): void {
    this.#inProtobuf.add(response);
  }

  /** A list in the encoding that the client prefers. */
  list(
    { kind, apiVersion }: ServedResource,
    metadata: Readonly<Record<string, unknown>>,
    items: readonly ApiObject[],
    response: ServerResponse,
  ): Buffer {
    const messages = this.isInProtobuf(response, kind) ? this.encoder.messages(kind, items) : undefined;
    if (messages !== undefined) {
      return encodeList(apiVersion, kind, metadata, messages);
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

  /** @param body JSON; bytes of a text, or of protobuf. */
  send(
    response: ServerResponse,
    code: number,
    body: string | Buffer,
    fault: RequestFault | undefined,
    compressed = false,
  ): void {
    const sent = Buffer.from(body);
    const inProtobuf = isProtobufBody(sent);
    const plain = fault?.kind === 'pad' ? padded(sent, fault.bytes) : sent;
    const isCompressed = compressed && plain.length >= COMPRESSED_FROM;
    const bytes = isCompressed ? gzipSync(plain, { level: 1 }) : plain;
    response.writeHead(code, {
      'Cache-Control': 'no-cache, private',
      'Content-Type': inProtobuf ? PROTOBUF_TYPE : JSON_TYPE,
      ...(isCompressed ? { 'Content-Encoding': 'gzip', Vary: 'Accept-Encoding' } : {}),
    });
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
