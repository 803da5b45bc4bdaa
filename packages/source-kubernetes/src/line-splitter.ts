import { ApiError } from './kubernetes-error.js';

const NEWLINE = 0x0a;

/** Cuts a stream of bytes into lines, however the bytes come, holding no more than one line. */
export class LineSplitter {
  private readonly pending: Buffer[] = [];
  private size = 0;

  /** @param maxBytes of one line. */
  constructor(private readonly maxBytes: number) {}

  /**
   * @returns the lines that this chunk completes, without their ends; empty ones are left out.
   * @throws ApiError `API_RESPONSE_INVALID` when a line is too long.
   */
  push(chunk: Buffer): readonly string[] {
    const lines: string[] = [];
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
      this.hold(chunk.subarray(from, end));
      const line =
        this.pending.length === 1 ? this.pending[0]?.toString('utf8') : Buffer.concat(this.pending).toString();
      this.pending.length = 0;
      this.size = 0;
      if (line !== undefined && line.trim() !== '') {
        lines.push(line);
      }
      from = end + 1;
    }
    if (from < chunk.length) {
      // A copy: the rest of a large chunk must not live as long as the first bytes of the next line.
      this.hold(Buffer.from(chunk.subarray(from)));
    }
    return lines;
  }

  private hold(part: Buffer): void {
    this.size += part.length;
    if (this.size > this.maxBytes) {
      throw new ApiError('API_RESPONSE_INVALID', `an event is longer than ${this.maxBytes} bytes`);
    }
    this.pending.push(part);
  }
}
