import { isAbsolute } from 'node:path';
import {
  type Clock,
  ENDPOINT_WEIGHTS_ANNOTATION,
  type EndpointSlice,
  type EndpointSliceDefinition,
  findOptionProblem,
  type IPFamily,
  isRecord,
  type Logger,
  messageOf,
  type OptionRule,
  OptionRules,
  ProxierError,
  printable,
  readEndpointSlice,
  readService,
  type Service,
  silentLogger,
  systemClock,
  type Timer,
  type WeightRule,
} from '@kube-proxier/core';
import { CheckScheduler } from './check-scheduler.js';
import { HEALTH_CHECK_BACKUP_ANNOTATION, type HealthCheckSettings, readHealthCheck } from './check-settings.js';
import { CheckedService, type SliceEntry } from './checked-service.js';
import { EndpointCheck } from './endpoint-check.js';
import type { EndpointSelection } from './endpoint-selection.js';
import type { HealthState, HealthVerdict } from './health-state.js';
import type { HealthProbes, ProbeOutcome, ProbeResult } from './probes/health-probe.js';
import { HostProbes } from './probes/host-probes.js';
import { TransitionLog } from './transition-log.js';

/** Notified of checks. */
export interface HealthCheckObserver {
  /** A check ended. */
  checked?(kind: HealthCheckSettings['probe']['kind'], outcome: ProbeOutcome, milliseconds: number): void;
}

/** Options of {@link HealthChecks}. */
export interface HealthChecksOptions {
  /** Default: no log. */
  readonly logger?: Logger;
  /** Default: the system clock. */
  readonly clock?: Clock;
  readonly observer?: HealthCheckObserver;
  /** The directory of scripts, absolute. Default: scripts cannot be run. */
  readonly scriptDirectory?: string;
  /** How endpoints are checked. Default: those of this host. */
  readonly probes?: HealthProbes;
  /** Maximum concurrent checks of a kind. */
  readonly limits?: Partial<Readonly<Record<HealthCheckSettings['probe']['kind'], number>>>;
  /** Milliseconds that initial lists wait for the first results at most. Default 10000. */
  readonly firstResultsTimeout?: number;
  /** Endpoints with loopback addresses are checked; see `EndpointSliceReadOptions`. Default false. */
  readonly allowLoopbackEndpoints?: boolean;
  /** From 0 to less than 1. Default `Math.random`. */
  readonly random?: () => number;
}

const RULES: { readonly [Name in keyof Required<HealthChecksOptions>]: OptionRule } = {
  logger: OptionRules.having('error', 'warn', 'info', 'debug', 'v'),
  clock: OptionRules.having('now', 'monotonic', 'setTimer'),
  observer: { expected: 'an object', accepts: isRecord },
  scriptDirectory: {
    expected: 'an absolute path',
    accepts: (value) => typeof value === 'string' && isAbsolute(value),
  },
  probes: { expected: 'an object', accepts: isRecord },
  limits: {
    expected: 'an object with whole numbers, 1 or more, for tcp, http, https and script',
    accepts: (value) =>
      isRecord(value) &&
      Object.entries(value).every(
        ([kind, limit]) => kind in DEFAULT_LIMITS && OptionRules.wholeNumberFrom(1).accepts(limit),
      ),
  },
  firstResultsTimeout: OptionRules.wholeNumberFrom(0),
  allowLoopbackEndpoints: OptionRules.boolean,
  random: OptionRules.function,
};

/** The numbers of endpoints with each verdict, and checks that wait because too many run. */
export interface HealthCheckSummary {
  readonly endpoints: Readonly<Record<HealthVerdict, number>>;
  readonly waiting: number;
  /** Services whose annotations have problems. */
  readonly invalidServices: number;
}

/** The results of one Service. */
export interface ServiceHealth {
  /** `namespace/name`. */
  readonly service: string;
  readonly selections: ReadonlyMap<IPFamily, EndpointSelection>;
  /** Everything that is checked, with its state. */
  readonly endpoints: readonly { readonly address: string; readonly port: number; readonly state: HealthState }[];
}

/** What a source contributes. */
export interface SourceRights {
  /** Its Services may name network namespaces. */
  readonly allowNamespaces: boolean;
}

/** The checks' data about a source. */
interface Origin extends SourceRights {
  readonly place: number;
}

interface KnownService {
  /** The Service of each source that has it. */
  readonly candidates: Map<Origin, Service>;
  readonly checked: CheckedService;
  problems: readonly string[];
}

const DEFAULT_LIMITS: Readonly<Record<HealthCheckSettings['probe']['kind'], number>> = {
  tcp: 2048,
  http: 512,
  https: 256,
  script: 16,
};

const DEFAULT_FIRST_RESULTS_TIMEOUT = 10_000;
/** Milliseconds from a result to the event that it causes. */
const FLUSH_DELAY = 10;

/**
 * The health checks of one process, for the endpoints of all its sources. Each source is wrapped in a `HealthCheckedSource`.
 *
 * A check can only take an endpoint out of use; an endpoint that its object says is not ready is never used.
 */
export class HealthChecks {
  readonly firstResultsTimeout: number;
  readonly #logger: Logger;
  readonly #clock: Clock;
  readonly #observer: HealthCheckObserver;
  readonly #probes: HealthProbes;
  readonly #scheduler: CheckScheduler;
  readonly #transitions: TransitionLog;
  readonly #allowScripts: boolean;
  readonly #allowLoopback: boolean;
  readonly #services = new Map<string, KnownService>();
  readonly #entries = new Map<Origin, Map<string, SliceEntry>>();
  readonly #checks = new Set<EndpointCheck>();
  readonly #changed = new Set<CheckedService>();
  readonly #counts: Record<HealthVerdict, number> = { up: 0, down: 0, unknown: 0 };
  /** Checks without any result yet. */
  readonly #unattempted = new Set<EndpointCheck>();
  readonly #waiters = new Set<() => void>();
  /** Errors that were logged, so that each is logged once. */
  readonly #errors = new Set<string>();
  #flushing: Timer | undefined;
  #places = 0;

  /** @throws ProxierError `HEALTH_CHECKS_OPTION` when an option is unknown or invalid. */
  constructor(options: HealthChecksOptions = {}) {
    const problem = findOptionProblem('HealthChecks', options, RULES);
    if (problem !== undefined) {
      throw new ProxierError('HEALTH_CHECKS_OPTION', problem.message);
    }
    const { logger = silentLogger, clock = systemClock, observer = {}, scriptDirectory, limits = {}, random } = options;
    this.#logger = logger;
    this.#clock = clock;
    this.#observer = observer;
    this.#allowScripts = scriptDirectory !== undefined;
    this.#allowLoopback = options.allowLoopbackEndpoints ?? false;
    this.#probes = options.probes ?? new HostProbes(scriptDirectory);
    this.firstResultsTimeout = options.firstResultsTimeout ?? DEFAULT_FIRST_RESULTS_TIMEOUT;
    const allLimits: Readonly<Record<string, number>> = { ...DEFAULT_LIMITS, ...limits };
    this.#scheduler = new CheckScheduler({
      clock,
      limitOf: (pool) => allLimits[pool] ?? 1,
      ...(random ? { random } : {}),
    });
    this.#transitions = new TransitionLog(logger, clock);
  }

  /** The log of the checks, and of the sources that they wrap. */
  get logger(): Logger {
    return this.#logger;
  }

  get clock(): Clock {
    return this.#clock;
  }

  /** Numbers for metrics. */
  summary(): HealthCheckSummary {
    let invalidServices = 0;
    for (const { problems } of this.#services.values()) {
      invalidServices += problems.length > 0 ? 1 : 0;
    }
    return { endpoints: { ...this.#counts }, waiting: this.#scheduler.waiting, invalidServices };
  }

  /** The results of each Service with checks, by name. */
  services(): readonly ServiceHealth[] {
    return [...this.#services.values()]
      .filter(({ checked }) => checked.settings !== undefined)
      .map(({ checked }) => ({
        service: checked.name,
        selections: checked.selections,
        endpoints: [...checked.checks].map(({ address, port, state }) => ({ address, port, state })),
      }))
      .sort((left, right) => (left.service < right.service ? -1 : 1));
  }

  /** The current problems of annotations, each with its Service. */
  get problems(): readonly string[] {
    return [...this.#services.values()].flatMap(({ checked, problems }) =>
      problems.map((problem) => `Service ${checked.name}: ${problem}`),
    );
  }

  /** Adds a source. Of a Service in two sources, the annotations of the source that was added first apply. */
  attach(rights: SourceRights): object {
    const origin: Origin = { ...rights, place: this.#places++ };
    this.#entries.set(origin, new Map());
    return origin;
  }

  /** Removes a source with its objects. After the last one, nothing runs any more. */
  detach(handle: object): void {
    const origin = handle as Origin;
    const entries = this.#entries.get(origin);
    if (!entries) {
      return;
    }
    this.#entries.delete(origin);
    for (const entry of entries.values()) {
      this.#removeEntry(entry);
    }
    for (const [key, known] of [...this.#services]) {
      if (known.candidates.delete(origin)) {
        this.#configure(known);
        this.#forget(key, known);
      }
    }
    if (this.#entries.size === 0) {
      this.#scheduler.stop();
      this.#probes.stop();
      this.#transitions.stop();
      this.#flushing?.cancel();
    }
  }

  /** Records a Service of a source. */
  updateService(handle: object, previous: Service | undefined, current: Service | undefined): void {
    const origin = handle as Origin;
    const key = nameOf(current ?? previous);
    const known = this.#known(key);
    if (current) {
      known.candidates.set(origin, current);
    } else {
      known.candidates.delete(origin);
    }
    this.#configure(known);
    this.#forget(key, known);
    this.#flushSoon(known.checked);
  }

  /**
   * Records an EndpointSlice of a source.
   *
   * @param report called later for each change that checks cause.
   * @returns the event to pass on now.
   */
  updateSlice(
    handle: object,
    previous: EndpointSlice | undefined,
    current: EndpointSlice | undefined,
    report: SliceEntry['report'],
  ): readonly [previous: EndpointSlice | undefined, current: EndpointSlice | undefined] {
    const entries = this.#entries.get(handle as Origin);
    const key = nameOf(current ?? previous);
    const old = entries?.get(key);
    if (!entries) {
      return [previous, current];
    }
    const definition = current && this.#read(current);
    if (!current || !definition) {
      if (old) {
        entries.delete(key);
        this.#removeEntry(old);
      }
      return [old?.output ?? previous, current];
    }
    const isBackup = current.metadata?.annotations?.[HEALTH_CHECK_BACKUP_ANNOTATION] === 'true';
    const { checked } = this.#known(ownerOf(definition));
    const content = { input: current, definition, isBackup };
    const before = old?.output ?? previous;
    let entry = old;
    if (entry && ownerOf(entry.content.definition) === checked.name) {
      checked.update(entry, content);
    } else {
      entry = { content, output: current, report };
      checked.add(entry);
      entries.set(key, entry);
      if (old) {
        this.#removeEntry(old);
      }
    }
    entry.output = checked.outputOf(entry);
    this.#flushSoon(checked);
    return [before, entry.output];
  }

  /** How many checks have no result yet, and how many there are; undefined when all have one. */
  get pendingFirstResults(): { readonly pending: number; readonly checks: number } | undefined {
    return this.#unattempted.size === 0 ? undefined : { pending: this.#unattempted.size, checks: this.#checks.size };
  }

  /**
   * Calls back once, when every check has a result, or after {@link firstResultsTimeout}: at once when there are no checks.
   *
   * @returns cancels it.
   */
  whenChecked(callback: () => void): () => void {
    this.#flush();
    if (this.#unattempted.size === 0) {
      callback();
      return () => {};
    }
    const end = () => {
      cancel();
      this.#flush();
      callback();
    };
    const timer = this.#clock.setTimer(this.firstResultsTimeout, () => {
      const { pending, checks } = this.pendingFirstResults ?? { pending: 0, checks: 0 };
      this.#logger.warn(
        `Health checks: ${pending} of ${checks} have no result after ${this.firstResultsTimeout} ms; starting without them`,
      );
      end();
    });
    const cancel = () => {
      timer.cancel();
      this.#waiters.delete(end);
    };
    this.#waiters.add(end);
    return cancel;
  }

  #read(slice: EndpointSlice): EndpointSliceDefinition | undefined {
    // Its problems are reported by its consumers.
    return readEndpointSlice(slice, { allowLoopbackEndpoints: this.#allowLoopback }).definition;
  }

  #known(key: string): KnownService {
    let known = this.#services.get(key);
    if (!known) {
      const created: KnownService = {
        candidates: new Map(),
        checked: new CheckedService(
          key,
          (address, port, family, settings, inherited) => {
            const probe = this.#probes.create({ address, port, family, settings, service: key });
            const check = new EndpointCheck(
              ...([address, port, settings, probe, () => this.#clock.now()] as const),
              (one, result, previous) => this.#checked(created, settings.probe.kind, one, result, previous),
              inherited,
            );
            this.#checks.add(check);
            this.#counts[check.state.verdict] += 1;
            if (check.state.verdict === 'unknown') {
              this.#unattempted.add(check);
            }
            this.#scheduler.add(check);
            return check;
          },
          (check) => this.#discard(check),
        ),
        problems: [],
      };
      known = created;
      this.#services.set(key, known);
    }
    return known;
  }

  #discard(check: EndpointCheck): void {
    check.stop();
    this.#scheduler.remove(check);
    this.#checks.delete(check);
    this.#counts[check.state.verdict] -= 1;
    this.#attempted(check);
  }

  #attempted(check: EndpointCheck): void {
    if (this.#unattempted.delete(check) && this.#unattempted.size === 0) {
      for (const waiter of [...this.#waiters]) {
        waiter();
      }
    }
  }

  #forget(key: string, { candidates, checked }: KnownService): void {
    if (candidates.size === 0 && !checked.hasSlices) {
      this.#services.delete(key);
    }
  }

  #removeEntry(entry: SliceEntry): void {
    const key = ownerOf(entry.content.definition);
    const known = this.#services.get(key);
    if (known) {
      known.checked.remove(entry);
      this.#forget(key, known);
      this.#flushSoon(known.checked);
    }
  }

  /** Reads the annotations again. With a problem, the last valid ones stay in force. */
  #configure(known: KnownService): void {
    const [first] = [...known.candidates].sort(([left], [right]) => left.place - right.place);
    const { settings, problems } = first
      ? readHealthCheck(first[1], { allowScripts: this.#allowScripts, allowNamespaces: first[0].allowNamespaces })
      : { settings: undefined, problems: [] };
    const { checked } = known;
    checked.weigh(first === undefined ? [] : weightsOf(first[1]));
    if (problems.length > 0) {
      if (problems.join() !== known.problems.join()) {
        const now = checked.settings
          ? 'the checks from before stay in force'
          : 'its endpoints are not checked, and used as their objects say';
        for (const problem of problems) {
          this.#logger.error(`Service ${printable(checked.name)}: ${problem}; ${now}`);
        }
      }
      known.problems = problems;
      return;
    }
    if (known.problems.length > 0 && settings) {
      this.#logger.info(`Service ${printable(checked.name)}: the annotations of its health checks are valid again`);
    }
    known.problems = [];
    checked.configure(settings);
  }

  /** Hot path: few of the many results change anything, so it makes no lookups. */
  #checked(
    known: KnownService,
    kind: HealthCheckSettings['probe']['kind'],
    check: EndpointCheck,
    result: ProbeResult,
    previous: HealthState,
  ): void {
    const { outcome, milliseconds, reason } = result;
    try {
      this.#observer.checked?.(kind, outcome, milliseconds);
    } catch (error) {
      this.#logger.error(`The observer of health checks failed: ${messageOf(error)}`, { error });
    }
    const { state } = check;
    if (outcome === 'error') {
      this.#logError(known.checked.name, check, reason);
    }
    if (state.verdict !== previous.verdict) {
      this.#counts[previous.verdict] -= 1;
      this.#counts[state.verdict] += 1;
      this.#logTransition(known.checked.name, check, previous);
      known.checked.checked(check);
      this.#flushSoon(known.checked);
    }
    this.#attempted(check);
  }

  #logTransition(service: string, { address, port, state }: EndpointCheck, previous: HealthState): void {
    const endpoint = endpointText(address, port);
    const where = `endpoint ${endpoint} of Service ${printable(service)}`;
    const fields = { service, endpoint, since: new Date(state.since).toISOString() };
    if (state.verdict === 'down') {
      const times = state.run === 1 ? '' : `, ${state.run} times in a row`;
      this.#transitions.log('warn', `Health check failed: ${where} is not used: ${state.reason}${times}`, {
        ...fields,
        failures: state.run,
      });
    } else if (previous.verdict === 'down') {
      this.#transitions.log('info', `Health check passed: ${where} is used again`, { ...fields, passes: state.run });
    }
  }

  #logError(service: string, { address, port }: EndpointCheck, reason: string): void {
    const key = `${service} ${reason}`;
    if (!this.#errors.has(key)) {
      if (this.#errors.size >= 1000) {
        this.#errors.clear();
      }
      this.#errors.add(key);
      this.#logger.error(
        `Health check not possible: endpoint ${endpointText(address, port)} of Service ${printable(service)}: ${reason}; ` +
          'the last result of its endpoints stays in force',
      );
    }
  }

  #flushSoon(checked: CheckedService): void {
    this.#changed.add(checked);
    // Results that arrive together change a slice once.
    this.#flushing ??= this.#clock.setTimer(FLUSH_DELAY, () => this.#flush());
  }

  #flush(): void {
    this.#flushing?.cancel();
    this.#flushing = undefined;
    for (const checked of this.#changed) {
      this.#changed.delete(checked);
      checked.flush();
    }
  }
}

/** The weights that a Service gives its endpoints; most have no such annotation. */
function weightsOf(service: Service): readonly WeightRule[] {
  return service.metadata?.annotations?.[ENDPOINT_WEIGHTS_ANNOTATION] === undefined
    ? []
    : (readService(service).definition?.endpointWeights ?? []);
}

function nameOf(object: Service | EndpointSlice | undefined): string {
  return `${object?.metadata?.namespace ?? ''}/${object?.metadata?.name ?? ''}`;
}

function ownerOf({ namespace, serviceName }: EndpointSliceDefinition): string {
  return `${namespace}/${serviceName}`;
}

function endpointText(address: string, port: number): string {
  return address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;
}
