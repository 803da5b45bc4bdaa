import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

/** Compresses a text with gzip. */
export const compressedText: (text: string) => Promise<Buffer> = promisify(gzip);

/** Lines that are made at a time, and their characters, so that a large cluster does not block the process. */
const BATCH = 200;
const BATCH_SIZE = 128 * 1024;

/** Compresses lines as members of a gzip file, of which few are made at a time. */
export async function* compressedLines(lines: Iterable<string>): AsyncGenerator<Buffer> {
  let batch: string[] = [];
  let size = 0;
  for (const line of lines) {
    batch.push(line);
    size += line.length;
    if (batch.length >= BATCH || size >= BATCH_SIZE) {
      yield await compressedText(textOf(batch));
      [batch, size] = [[], 0];
    }
  }
  if (batch.length > 0) {
    yield await compressedText(textOf(batch));
  }
}

/** A text of these lines, each ended. */
export function textOf(lines: readonly string[]): string {
  return lines.length === 0 ? '' : `${lines.join('\n')}\n`;
}
