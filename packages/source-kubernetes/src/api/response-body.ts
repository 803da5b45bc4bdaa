import type { IncomingMessage } from 'node:http';
import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { type Clock, isProxierError } from '@kube-proxier/core';
import { InactivityTimer } from './inactivity-timer.js';
import { ApiError, ResponseTooLarge } from './kubernetes-error.js';

/** Limits for reading an answer. */
export interface BodyLimits {
  /** Maximum size in bytes, after decompression. */
  readonly maxBytes: number;
  /** Milliseconds without a byte after which the answer fails. */
  readonly silenceLimit: number;
}

/** Chunk size for decompression: each chunk is a task of the thread pool. A list is parsed in smaller slices. */
const GUNZIP_BYTES = 256 * 1024;

/**
 * The bytes of an answer, decompressed, as they arrive. The connection is closed when the iteration stops before the end.
 *
 * @throws ApiError when it is truncated, times out, or is too large; other errors of the connection unchanged.
 */
export async function* responseChunks(
  response: IncomingMessage,
  clock: Clock,
  { maxBytes, silenceLimit }: BodyLimits,
): AsyncGenerator<Buffer, void, undefined> {
  const timer = new InactivityTimer(clock, silenceLimit, () => {
    response.destroy(new ApiError('API_SILENT', `the answer broke off: nothing more came within ${silenceLimit} ms`));
  });
  let length = 0;
  try {
    for await (const chunk of decompressed(response, () => timer.touch()) as AsyncIterable<Buffer>) {
      timer.touch();
      length += chunk.length;
      if (length > maxBytes) {
        throw new ResponseTooLarge(maxBytes);
      }
      yield chunk;
    }
    if (!response.complete) {
      throw brokenOff();
    }
  } catch (error) {
    throw isProxierError(error) ? error : bodyError(error);
  } finally {
    timer.cancel();
    if (!response.complete) {
      response.destroy();
    }
  }
}

function decompressed(response: IncomingMessage, onData: () => void): Readable {
  const encoding = (response.headers['content-encoding'] ?? 'identity').toLowerCase();
  if (encoding === 'identity') {
    return response;
  }
  if (encoding !== 'gzip') {
    response.destroy();
    throw new ApiError('API_RESPONSE_INVALID', `the answer is compressed by ${encoding}, which was not requested`);
  }
  const gunzip = createGunzip({ chunkSize: GUNZIP_BYTES });
  // Many bytes may arrive before the first is decompressed.
  response.on('data', onData);
  // The iteration over `gunzip` throws the errors of both streams.
  return pipeline(response, gunzip, () => {});
}

function bodyError(error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code.startsWith('Z_')) {
    return new ApiError('API_RESPONSE_INVALID', 'the compressed answer is damaged or incomplete', { cause: error });
  }
  return code === 'ERR_STREAM_PREMATURE_CLOSE' || code === 'ECONNRESET' ? brokenOff(error) : error;
}

function brokenOff(cause?: unknown): ApiError {
  return new ApiError('API_UNREACHABLE', 'the connection was closed in the middle of an answer', { cause });
}
