import { Session } from 'node:inspector';
import type { Readable } from 'node:stream';
import { getHeapSnapshot } from 'node:v8';
import { type Clock, ProxierError, pause } from '@kube-proxier/core';

/** Profiles of this process, in the formats of V8, which browsers' developer tools open. */
export class ProcessProfiler {
  private busy = false;

  /** @param clock times CPU profiles. */
  constructor(private readonly clock: Clock) {}

  /**
   * Where processor time goes, for so long or until the signal aborts. The process runs on meanwhile, a little slower.
   *
   * @param duration milliseconds.
   * @returns the text of a `.cpuprofile` file.
   * @throws ProxierError `PROFILING` while another one is made.
   */
  async cpuProfile(duration: number, signal: AbortSignal): Promise<string> {
    if (this.busy) {
      throw new ProxierError('PROFILING', 'another CPU profile is being made; ask again when it is done');
    }
    this.busy = true;
    const session = new Session();
    try {
      session.connect();
      const post = (method: 'Profiler.enable' | 'Profiler.start') =>
        new Promise<void>((resolve, reject) => {
          session.post(method, (error) => (error ? reject(error) : resolve()));
        });
      await post('Profiler.enable');
      await post('Profiler.start');
      await pause(this.clock, duration, signal);
      return await new Promise((resolve, reject) => {
        session.post('Profiler.stop', (error, { profile }) =>
          error ? reject(error) : resolve(JSON.stringify(profile)),
        );
      });
    } finally {
      session.disconnect();
      this.busy = false;
    }
  }

  /**
   * All that is in memory, as a `.heapsnapshot` file. The process does nothing else while V8 collects it, for about a second
   * with 100 MB, and needs as much memory again; rules stay in force.
   */
  heapSnapshot(): Readable {
    return getHeapSnapshot();
  }
}
