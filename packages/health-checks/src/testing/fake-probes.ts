import type { Clock } from '@kube-proxier/core';
import type { HealthProbe, HealthProbes, ProbeResult, ProbeTarget } from '../probes/health-probe.js';

/** What a fake endpoint answers; `silent` answers nothing until it is changed. */
export type FakeAnswer = 'up' | 'refused' | 'error' | 'silent';

/** Probes whose results are set, and that take no time. */
export class FakeProbes implements HealthProbes {
  /** By `address:port`. Default: `up`. */
  readonly answers = new Map<string, FakeAnswer>();
  /** Every attempt, as `address:port`. */
  readonly attempts: string[] = [];
  /** Everything that was created. */
  readonly targets: ProbeTarget[] = [];
  readonly #silent: { readonly key: string; readonly callback: (result: ProbeResult) => void }[] = [];
  isStopped = false;

  constructor(private readonly clock: Clock) {}

  create(target: ProbeTarget): HealthProbe {
    this.targets.push(target);
    const key = `${target.address}:${target.port}`;
    return (callback) => {
      this.attempts.push(key);
      if (this.answers.get(key) === 'silent') {
        this.#silent.push({ key, callback });
      } else {
        this.clock.setTimer(0, () => callback(this.#result(key)));
      }
    };
  }

  /** Ends the pending attempts with what is set now. */
  answer(): void {
    for (const { key, callback } of this.#silent.splice(0)) {
      callback(this.#result(key));
    }
  }

  stop(): void {
    this.isStopped = true;
  }

  #result(key: string): ProbeResult {
    const milliseconds = 1;
    switch (this.answers.get(key) ?? 'up') {
      case 'refused':
        return { outcome: 'refused', reason: 'connection refused', milliseconds };
      case 'error':
        return { outcome: 'error', reason: 'EMFILE', milliseconds };
      case 'silent':
        return { outcome: 'timeout', reason: 'no answer within 2000 ms', milliseconds };
      case 'up':
        return { outcome: 'passed', reason: '', milliseconds };
    }
  }
}
