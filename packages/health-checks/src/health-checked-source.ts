import {
  checkSourceStart,
  type EndpointSlice,
  findOptionProblem,
  messageOf,
  type Node,
  type OptionRule,
  OptionRules,
  ProxierError,
  type Service,
  type Source,
  type SourceContext,
  type SourceHandler,
  type SourceKind,
  SourceReporter,
} from '@kube-proxier/core';
import type { HealthChecks } from './health-checks.js';

/** Options of a {@link HealthCheckedSource}. */
export interface HealthCheckedSourceOptions {
  /** Services may name network namespaces to be checked from. Default false. */
  readonly allowNamespaces?: boolean;
}

const RULES: { readonly [Name in keyof Required<HealthCheckedSourceOptions>]: OptionRule } = {
  allowNamespaces: OptionRules.boolean,
};
const ARGUMENTS = {
  source: OptionRules.having('start', 'stop'),
  checks: {
    expected: 'HealthChecks',
    accepts: (value: unknown) => OptionRules.having('attach', 'detach').accepts(value),
  },
};

/**
 * A source whose EndpointSlices have the conditions that health checks find, for Services with the annotation
 * `kube-proxier.io/health-check`. Everything else is passed on unchanged.
 *
 * The end of the initial EndpointSlices is reported when every check has a first result, or after
 * `HealthChecksOptions.firstResultsTimeout`: a proxy that restarts keeps its rules until then.
 */
export class HealthCheckedSource implements Source {
  readonly description: string;
  #handle: object | undefined;
  #reporter: SourceReporter | undefined;
  #cancelWait: () => void = () => {};
  #hasServices = false;
  #hasEndpoints = false;
  #isWaiting = false;

  /**
   * @param source is started and stopped by this one.
   * @param checks those of all sources of the process.
   * @throws ProxierError `HEALTH_CHECKS_OPTION` when an argument is missing, or an option is unknown or invalid.
   */
  constructor(
    private readonly source: Source,
    private readonly checks: HealthChecks,
    private readonly options: HealthCheckedSourceOptions = {},
  ) {
    const problem =
      findOptionProblem('HealthCheckedSource', { source, checks }, ARGUMENTS, ['source', 'checks']) ??
      findOptionProblem('HealthCheckedSource', options, RULES);
    if (problem !== undefined) {
      throw new ProxierError('HEALTH_CHECKS_OPTION', problem.message);
    }
    this.description = source.description;
  }

  prefetch(context: SourceContext): void {
    this.source.prefetch?.(context);
  }

  /**
   * Starts the source, and the checks of its endpoints. Called once.
   *
   * @throws ProxierError `HEALTH_CHECKS_IN_USE` when it was started before; `SOURCE_START` when an argument is missing; the error
   * of the source.
   */
  async start(handler: SourceHandler, context: SourceContext): Promise<void> {
    checkSourceStart('HealthCheckedSource', handler, context);
    if (this.#handle !== undefined) {
      throw new ProxierError(
        'HEALTH_CHECKS_IN_USE',
        `the HealthCheckedSource of ${this.description} was started before; make a new one`,
      );
    }
    const { checks, source } = this;
    const handle = checks.attach({ allowNamespaces: this.options.allowNamespaces ?? false });
    const reporter = new SourceReporter(handler, (error) =>
      checks.logger.error(`${this.description}: the handler failed: ${messageOf(error)}`, { error }),
    );
    this.#handle = handle;
    this.#reporter = reporter;
    const change = (previous: EndpointSlice, current: EndpointSlice) => reporter.onEndpointsUpdate(previous, current);
    try {
      await source.start(
        {
          onServiceUpdate: (previous: Service | undefined, current: Service | undefined) => {
            checks.updateService(handle, previous, current);
            reporter.onServiceUpdate(previous, current);
          },
          onEndpointsUpdate: (previous: EndpointSlice | undefined, current: EndpointSlice | undefined) =>
            reporter.onEndpointsUpdate(...checks.updateSlice(handle, previous, current, change)),
          onNodeUpdate: (node: Node) => reporter.onNodeUpdate(node),
          onServiceCIDRsUpdate: (cidrs: readonly string[]) => reporter.onServiceCIDRsUpdate(cidrs),
          onServicesSynced: () => {
            this.#hasServices = true;
            reporter.onServicesSynced();
            this.#waitForResults(reporter);
          },
          onEndpointsSynced: () => {
            this.#hasEndpoints = true;
            this.#waitForResults(reporter);
          },
        },
        context,
      );
    } catch (error) {
      checks.detach(handle);
      throw error;
    }
  }

  obstacle(kind: SourceKind): string | undefined {
    const pending = this.#isWaiting && kind === 'EndpointSlices' ? this.checks.pendingFirstResults : undefined;
    return pending
      ? `the first health checks are running: ${pending.pending} of ${pending.checks} have no result yet`
      : this.source.obstacle?.(kind);
  }

  async stop(): Promise<void> {
    this.#reporter?.close();
    this.#cancelWait();
    if (this.#handle) {
      this.checks.detach(this.#handle);
    }
    await this.source.stop();
  }

  #waitForResults(reporter: SourceReporter): void {
    if (this.#hasServices && this.#hasEndpoints && !this.#isWaiting) {
      this.#isWaiting = true;
      this.#cancelWait = this.checks.whenChecked(() => {
        this.#isWaiting = false;
        reporter.onEndpointsSynced();
      });
    }
  }
}
