import { ByteCollector } from '../api/byte-collector.js';
import { ApiError } from '../api/kubernetes-error.js';

const NEWLINE = 0x0a;

/** Splits a stream of bytes into lines, for any chunk size, and buffers at most one line. */
export class LineSplitter {
  readonly #pending = new ByteCollector();

  /** @param maxBytes maximum size of a line. */
  constructor(private readonly maxBytes: number) {}

  /**
   * @returns the lines that this chunk completes, without line ends; empty ones are omitted.
   * @throws ApiError `API_RESPONSE_INVALID` when a line is too long.
   */
  push(chunk: Buffer): readonly string[] {
    const lines: string[] = [];
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
      const part = chunk.subarray(from, end);
      let line: string;
      if (this.#pending.length === 0) {
        this.#check(part.length);
        line = part.toString('utf8');
      } else {
        this.#hold(part);
        line = this.#pending.take();
      }
      if (line.trim() !== '') {
        lines.push(line);
      }
      from = end + 1;
    }
    if (from < chunk.length) {
      this.#hold(chunk.subarray(from));
    }
    return lines;
  }

  #hold(part: Buffer): void {
    this.#check(this.#pending.length + part.length);
    this.#pending.push(part);
  }

  #check(size: number): void {
    if (size > this.maxBytes) {
      this.#pending.clear();
      throw new ApiError('API_RESPONSE_INVALID', `an event is longer than ${this.maxBytes} bytes`);
    }
  }
}
