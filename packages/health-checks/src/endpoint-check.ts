import type { RepeatedTask } from './check-scheduler.js';
import type { HealthCheckSettings } from './check-settings.js';
import { type HealthState, nextHealth, UNCHECKED } from './health-state.js';
import type { HealthProbe, ProbeResult } from './probes/health-probe.js';

/** Notified of each result of a check. */
export type CheckListener = (check: EndpointCheck, result: ProbeResult, previous: HealthState) => void;

/** The repeated check of one address and port, with its results. */
export class EndpointCheck implements RepeatedTask {
  readonly interval: number;
  readonly pool: string;
  #state: HealthState;
  #isStopped = false;
  /** Callback of the current run. */
  #done: (() => void) | undefined;
  /** The same for all runs: there are very many. */
  readonly #finish = (result: ProbeResult) => this.#finished(result);

  /** @param inherited the state of a previous check of the same endpoint: it is in force until the first result. */
  constructor(
    readonly address: string,
    readonly port: number,
    private readonly settings: HealthCheckSettings,
    private readonly probe: HealthProbe,
    private readonly now: () => number,
    private readonly listener: CheckListener,
    inherited: HealthState = UNCHECKED,
  ) {
    this.interval = settings.interval;
    this.pool = settings.probe.kind;
    this.#state = inherited.isFresh ? inherited : { ...inherited, isFresh: true };
  }

  get state(): HealthState {
    return this.#state;
  }

  run(done: () => void): void {
    this.#done = done;
    this.probe(this.#finish);
  }

  #finished(result: ProbeResult): void {
    if (!this.#isStopped) {
      const previous = this.#state;
      // A failed attempt to check gives no information about the endpoint.
      if (result.outcome !== 'error') {
        const failure = result.outcome === 'passed' ? undefined : result.reason;
        this.#state = nextHealth(previous, failure, this.settings, this.now());
      }
      this.listener(this, result, previous);
    }
    const done = this.#done;
    this.#done = undefined;
    done?.();
  }

  /** Its results are discarded from now on. */
  stop(): void {
    this.#isStopped = true;
  }
}
