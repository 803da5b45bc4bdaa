import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { type Clock, isProxierError } from '@kube-proxier/core';
import { JSON_TYPE, reply, TEXT } from '../health/http-listener.js';
import { ProcessProfiler } from './process-profiler.js';

/** Options of `/debug/pprof` and `/debug/flags/v`. */
export interface ProfilingOptions {
  /** Sets the log verbosity, in levels of `Logger.debug`. Default: it cannot be changed. */
  readonly setVerbosity?: (level: number) => void;
}

/** Seconds. */
const DURATION = 30;
const MAX_DURATION = 300;
/** Maximum bytes of a numeric body. */
const MAX_BYTES = 16;

const INDEX = `profiles of this process, in V8's formats; open them in a browser's developer tools

/debug/pprof/profile?seconds=${DURATION}  CPU profile: save as .cpuprofile
/debug/pprof/heap                heap snapshot: save as .heapsnapshot
/debug/flags/v                   PUT a number: sets the log verbosity
`;

/**
 * `/debug/pprof` and `/debug/flags/v` (spec H-34). The paths are kube-proxy's; profiles are V8's instead of pprof's.
 */
export class DebugRoutes {
  readonly #profiler: ProcessProfiler;

  constructor(
    private readonly options: ProfilingOptions,
    clock: Clock,
  ) {
    this.#profiler = new ProcessProfiler(clock);
  }

  /** Allowed methods of a path; undefined for the default methods. */
  methods(pathname: string): readonly string[] | undefined {
    return pathname === '/debug/flags/v' ? ['PUT'] : undefined;
  }

  /** @returns false for an unknown path. */
  async answer({ pathname, searchParams }: URL, request: IncomingMessage, response: ServerResponse): Promise<boolean> {
    switch (pathname) {
      case '/debug/pprof':
      case '/debug/pprof/':
        reply(response, 200, TEXT, INDEX);
        return true;
      case '/debug/pprof/profile':
        await this.#profile(searchParams, response);
        return true;
      case '/debug/pprof/heap':
        response.writeHead(200, { 'Content-Type': JSON_TYPE, ...attachment('heap.heapsnapshot') });
        // A disconnect of the client aborts the snapshot.
        await pipeline(this.#profiler.heapSnapshot(), response).catch(() => {});
        return true;
      case '/debug/flags/v':
        await this.#verbosity(request, response);
        return true;
      default:
        return false;
    }
  }

  async #profile(query: URLSearchParams, response: ServerResponse): Promise<void> {
    const seconds = Number(query.get('seconds') ?? DURATION);
    if (!(seconds > 0 && seconds <= MAX_DURATION)) {
      return reply(response, 400, TEXT, `seconds must be a number greater than 0, at most ${MAX_DURATION}\n`);
    }
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    try {
      const text = await this.#profiler.cpuProfile(seconds * 1000, gone.signal);
      reply(response, 200, JSON_TYPE, text, attachment('cpu.cpuprofile'));
    } catch (error) {
      if (!isProxierError(error)) {
        throw error;
      }
      reply(response, 503, TEXT, `${error.message}\n`);
    }
  }

  async #verbosity(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { setVerbosity } = this.options;
    if (!setVerbosity) {
      return reply(response, 501, TEXT, 'the log verbosity cannot be changed in this program\n');
    }
    let text = '';
    for await (const chunk of request) {
      // Further bytes are discarded; the request timeout of 10 seconds limits the loop.
      text = text.length > MAX_BYTES ? text : `${text}${chunk}`;
    }
    if (!/^\s*\d{1,9}\s*$/.test(text)) {
      return reply(response, 400, TEXT, 'the body is not a verbosity level; send a number from 0, such as 4\n');
    }
    const level = Number(text);
    setVerbosity(level);
    reply(response, 200, TEXT, `successfully set klog.logging.verbosity to ${level}`);
  }
}

function attachment(name: string): Readonly<Record<string, string>> {
  return { 'Content-Disposition': `attachment; filename="${name}"` };
}
