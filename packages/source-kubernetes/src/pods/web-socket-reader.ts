import { ApiError } from '../api/kubernetes-error.js';

/** A complete message of a WebSocket, or its end. */
export type WebSocketEvent =
  | { readonly kind: 'message'; readonly data: Buffer }
  | { readonly kind: 'ping'; readonly data: Buffer }
  | { readonly kind: 'close' };

interface Frame {
  readonly opcode: number;
  readonly isFinal: boolean;
  readonly payload: Buffer;
}

const FINAL = 0x80;
const MASKED = 0x80;
const RESERVED = 0x70;
/** Bytes of the payload of a control frame. */
const MAX_CONTROL = 125;

/** Decodes the data of a WebSocket server (RFC 6455) as it arrives. */
export class WebSocketReader {
  #pending: Buffer = Buffer.alloc(0);
  #fragments: Buffer[] = [];
  #size = 0;

  /** @param maxBytes maximum size of a message. */
  constructor(private readonly maxBytes: number) {}

  /**
   * Messages that are complete with this data.
   *
   * @throws ApiError `API_RESPONSE_INVALID` for invalid or too large messages.
   */
  read(data: Buffer): readonly WebSocketEvent[] {
    this.#pending = this.#pending.length === 0 ? data : Buffer.concat([this.#pending, data]);
    const events: WebSocketEvent[] = [];
    for (;;) {
      const frame = this.#takeFrame();
      if (frame === undefined) {
        return events;
      }
      const event = this.#eventOf(frame);
      if (event !== undefined) {
        events.push(event);
      }
    }
  }

  #takeFrame(): Frame | undefined {
    const data = this.#pending;
    if (data.length < 2) {
      return undefined;
    }
    const [first = 0, second = 0] = data;
    if ((first & RESERVED) !== 0 || (second & MASKED) !== 0) {
      throw invalid('it sent a frame that a server must not send');
    }
    const short = second & 0x7f;
    const headerLength = short === 127 ? 10 : short === 126 ? 4 : 2;
    if (data.length < headerLength) {
      return undefined;
    }
    const length = short === 127 ? Number(data.readBigUInt64BE(2)) : short === 126 ? data.readUInt16BE(2) : short;
    if (length + this.#size > this.maxBytes) {
      throw invalid(`it sent more than the ${this.maxBytes} bytes that are read`);
    }
    if (data.length < headerLength + length) {
      return undefined;
    }
    this.#pending = data.subarray(headerLength + length);
    const payload = data.subarray(headerLength, headerLength + length);
    return { opcode: first & 0x0f, isFinal: (first & FINAL) !== 0, payload };
  }

  #eventOf({ opcode, isFinal, payload }: Frame): WebSocketEvent | undefined {
    if (opcode >= 8) {
      if (!isFinal || payload.length > MAX_CONTROL) {
        throw invalid('it sent a control frame that is too long');
      }
      return opcode === 8 ? { kind: 'close' } : opcode === 9 ? { kind: 'ping', data: payload } : undefined;
    }
    this.#fragments.push(payload);
    this.#size += payload.length;
    if (!isFinal) {
      return undefined;
    }
    const message = this.#fragments.length === 1 ? payload : Buffer.concat(this.#fragments);
    this.#fragments = [];
    this.#size = 0;
    return { kind: 'message', data: message };
  }
}

/** A control frame from a client, which has to be masked. */
export function controlFrame(kind: 'close' | 'pong', payload: Buffer, mask: Buffer): Buffer {
  const masked = Buffer.from(payload.map((byte, index) => byte ^ (mask[index % 4] ?? 0)));
  const header = Buffer.from([FINAL | (kind === 'close' ? 8 : 10), MASKED | payload.length]);
  return Buffer.concat([header, mask, masked]);
}

function invalid(what: string): ApiError {
  return new ApiError('API_RESPONSE_INVALID', `the answer is no valid WebSocket: ${what}`);
}
