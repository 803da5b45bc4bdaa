import { ByteCollector } from '../api/byte-collector.js';
import { ApiError } from '../api/kubernetes-error.js';

/** Size of the length of a frame: unsigned, big-endian. */
const HEADER_BYTES = 4;

/** Splits a stream of bytes into frames, each with its length before it, for any chunk size, and buffers at most one frame. */
export class FrameSplitter {
  readonly #pending = new ByteCollector();
  /** Received bytes of the length, and their value. */
  #headerBytes = 0;
  #length = 0;

  /** @param maxBytes maximum size of a frame. */
  constructor(private readonly maxBytes: number) {}

  /**
   * The frames that this chunk completes. Each is valid until the next is requested.
   *
   * @throws ApiError `API_RESPONSE_INVALID` when a frame is too long, before it has arrived.
   */
  *push(chunk: Buffer): Generator<Buffer, void, undefined> {
    let at = 0;
    for (;;) {
      while (this.#headerBytes < HEADER_BYTES && at < chunk.length) {
        this.#length = this.#length * 256 + (chunk[at] ?? 0);
        this.#headerBytes += 1;
        at += 1;
      }
      if (this.#headerBytes < HEADER_BYTES) {
        return;
      }
      if (this.#length > this.maxBytes) {
        throw new ApiError('API_RESPONSE_INVALID', `an event is longer than ${this.maxBytes} bytes`);
      }
      const missing = this.#length - this.#pending.length;
      if (chunk.length - at < missing) {
        this.#pending.push(chunk.subarray(at));
        return;
      }
      const rest = chunk.subarray(at, at + missing);
      at += missing;
      this.#headerBytes = 0;
      this.#length = 0;
      if (this.#pending.length === 0) {
        yield rest;
      } else {
        this.#pending.push(rest);
        yield this.#pending.takeBytes();
        this.#pending.clear();
      }
    }
  }
}
