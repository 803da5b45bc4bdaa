import { Session } from 'node:inspector';
import type { Readable } from 'node:stream';
import { getHeapSnapshot } from 'node:v8';
import { type Clock, ProxierError, pause } from '@kube-proxier/core';

/** Profiles of this process, in the formats of V8, which browsers' developer tools open. */
export class ProcessProfiler {
  #busy = false;

  /** @param clock times CPU profiles. */
  constructor(private readonly clock: Clock) {}

  /**
   * Records a CPU profile for `duration` or until the signal aborts. The process continues meanwhile, slightly slower.
   *
   * @param duration milliseconds.
   * @returns the text of a `.cpuprofile` file.
   * @throws ProxierError `PROFILING` while another profile is being recorded.
   */
  async cpuProfile(duration: number, signal: AbortSignal): Promise<string> {
    if (this.#busy) {
      throw new ProxierError('PROFILING', 'another CPU profile is being recorded; retry when it is complete');
    }
    this.#busy = true;
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
      this.#busy = false;
    }
  }

  /**
   * A heap snapshot, as a `.heapsnapshot` file. The process is blocked while V8 records it (about a second for 100 MB),
   * and its memory use doubles; rules stay in force.
   */
  heapSnapshot(): Readable {
    return getHeapSnapshot();
  }
}
