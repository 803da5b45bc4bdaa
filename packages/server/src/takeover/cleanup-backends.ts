import {
  type BackendModule,
  type CleanupReport,
  findOptionProblem,
  hasErrorKind,
  type LeftoverOwner,
  type Logger,
  messageOf,
  type OptionRule,
  OptionRules,
  ProxierError,
  type ProxyMode,
  type RemovedObjects,
  silentLogger,
  Tokens,
} from '@kube-proxier/core';
import { whyNotPermitted } from '@kube-proxier/linux';
import { containerOf } from '../backends/backend-container.js';
import { ServerOptionError } from '../server-option-error.js';
import { describeRemoved } from './describe-removed.js';

/** Objects that one cleanup removed, or would remove. */
export interface RemovedOfMode {
  readonly mode: ProxyMode;
  /** Program that installed it: the backend, or kube-proxy in the mode of the same name. */
  readonly owner: LeftoverOwner;
  /** Never empty. */
  readonly objects: readonly RemovedObjects[];
}

/** Result of cleaning up after several backends. */
export interface CleanupSummary {
  /** In the order of the backends; only cleanups that found something. */
  readonly removed: readonly RemovedOfMode[];
  /** Descriptions of objects kept while open connections use them. Only with `inForce`. */
  readonly remaining: readonly string[];
  /** Modes whose cleanup does not report what it removes: unknown whether anything was removed. */
  readonly unreported: readonly ProxyMode[];
}

/** Options of {@link cleanupBackends}. */
export interface CleanupOptions {
  /** Default: no logs. */
  readonly logger?: Logger;
  /** The mode in force: nothing of its own backend is removed. Default: none is in force. */
  readonly inForce?: ProxyMode;
  /** Also removes the objects of kube-proxy. Default false. */
  readonly kubeProxy?: boolean;
}

const RULES: { readonly [Name in keyof Required<CleanupOptions>]: OptionRule } = {
  logger: OptionRules.having('error', 'warn', 'info', 'debug', 'v'),
  inForce: OptionRules.string,
  kubeProxy: OptionRules.boolean,
};
const BACKENDS: OptionRule = {
  expected: 'a list of backends',
  accepts: (value) => Array.isArray(value) && value.every((one) => typeof Object(one).mode === 'string'),
};

/** Some leftovers of backends could not be removed. `cause` is an `AggregateError` with all reasons. */
export class CleanupError extends ProxierError {
  constructor(
    code: 'CLEANUP_FAILED',
    message: string,
    /** True when the only reason is missing permission: unknown whether anything is left. */
    readonly isDenied: boolean,
    /** The objects removed despite the failures. */
    readonly summary: CleanupSummary,
    options?: ErrorOptions,
  ) {
    super(code, message, options);
  }
}

/**
 * Removes everything that the given backends installed on the host, and nothing else; never of the mode in force.
 * Idempotent. Logs counts and names of removed objects. A backend that fails does not stop the cleanup of the others.
 *
 * @throws CleanupError `CLEANUP_FAILED` when something is left; ServerOptionError `SERVER_OPTION` when an option is unknown or
 * invalid.
 */
export async function cleanupBackends(
  backends: readonly BackendModule[],
  options: CleanupOptions = {},
): Promise<CleanupSummary> {
  const problem =
    findOptionProblem('cleanupBackends', options, RULES) ??
    findOptionProblem('cleanupBackends', { backends }, { backends: BACKENDS }, ['backends']);
  if (problem !== undefined) {
    throw new ServerOptionError(problem.message, problem.option);
  }
  const { logger = silentLogger, inForce, kubeProxy = false } = options;
  const removed: RemovedOfMode[] = [];
  const remaining: string[] = [];
  const unreported = new Set<ProxyMode>();
  const failures: Failure[] = [];
  const context = inForce === undefined ? {} : { inForce };
  for (const { mode, module } of backends) {
    // biome-ignore lint/suspicious/noConfusingVoidType: a cleanup may return nothing.
    const attempt = async (owner: LeftoverOwner, cleanup: () => Promise<CleanupReport | void>) => {
      try {
        const report = await cleanup();
        if (!Array.isArray(report?.removed)) {
          unreported.add(mode);
          return;
        }
        const objects = report.removed.filter(({ names }) => names.length > 0);
        if (objects.length > 0) {
          removed.push({ mode, owner, objects });
          logger.info(
            `Removed what ${nameOfLeftoverOwner(owner, mode, inForce)} had installed: ${describeRemoved(objects).join('; ')}`,
          );
        }
        remaining.push(...(report.remaining === undefined ? [] : [report.remaining]));
      } catch (error) {
        failures.push({ mode, error });
      }
    };
    const container = containerOf(module, logger);
    if (mode !== inForce) {
      await attempt('backend', async () => await container.get(Tokens.Cleanup)(logger, context));
    }
    if (kubeProxy && container.isBound(Tokens.KubeProxyCleanup)) {
      await attempt('kube-proxy', async () => await container.get(Tokens.KubeProxyCleanup)(logger, context));
    }
  }
  const summary = { removed, remaining, unreported: [...unreported] };
  if (failures.length > 0) {
    throw cleanupError(failures, summary);
  }
  return summary;
}

/** Leftovers found on the host. */
export interface FoundLeftovers {
  /** In the order of the backends; only those with installed objects. */
  readonly found: readonly RemovedOfMode[];
  /** Modes whose backend cannot list what it would remove. */
  readonly unlisted: readonly ProxyMode[];
  /** Modes whose leftovers could not be listed, with the error. */
  readonly failures: readonly { readonly mode: ProxyMode; readonly error: unknown }[];
}

/** Options of {@link findLeftovers}. */
export interface LeftoverSearch {
  readonly logger: Logger;
  /** Owners whose leftovers to list. Default: the backends. */
  readonly owners?: readonly LeftoverOwner[];
  /** The current or future mode in force: nothing of its own backend is listed. Default: none. */
  readonly inForce?: ProxyMode;
  /** Calls with the same object share their reads of the host. Default: a new object. */
  readonly reading?: object;
}

/**
 * Lists what {@link cleanupBackends} would remove. Changes nothing on the host. Never rejects.
 */
export async function findLeftovers(
  backends: readonly BackendModule[],
  { logger, owners = ['backend'], inForce, reading = {} }: LeftoverSearch,
): Promise<FoundLeftovers> {
  const context = { reading, ...(inForce === undefined ? {} : { inForce }) };
  const found: RemovedOfMode[] = [];
  const unlisted: ProxyMode[] = [];
  const failures: Failure[] = [];
  for (const { mode, module } of backends) {
    const container = containerOf(module, logger);
    if (!container.isBound(Tokens.Leftovers)) {
      unlisted.push(mode);
      continue;
    }
    for (const owner of owners.filter((one) => one === 'kube-proxy' || mode !== inForce)) {
      try {
        const list = await container.get(Tokens.Leftovers)(owner, logger, context);
        const objects = list.filter(({ names }) => names.length > 0);
        if (objects.length > 0) {
          found.push({ mode, owner, objects });
        }
      } catch (error) {
        failures.push({ mode, error });
      }
    }
  }
  return { found, unlisted, failures };
}

interface Failure {
  readonly mode: ProxyMode;
  readonly error: unknown;
}

/**
 * Name of the owner of leftovers, for messages.
 *
 * @param inForce the mode in force: it removes rules of its own that an earlier kube-proxier wrote with other tools, such as the other
 *   variant of iptables, together with those of kube-proxy.
 */
export function nameOfLeftoverOwner(owner: LeftoverOwner, mode: ProxyMode, inForce?: ProxyMode): string {
  if (owner === 'backend') {
    return `mode ${mode}`;
  }
  return `kube-proxy${mode === inForce ? ' or an earlier kube-proxier' : ''} in mode ${mode}`;
}

function cleanupError(failures: readonly Failure[], summary: CleanupSummary): CleanupError {
  const denied = failures.filter(({ error }) => hasErrorKind(error, 'permission-denied'));
  const isDenied = denied.length === failures.length;
  const cause = new AggregateError(failures.map(({ error }) => error));
  const modes = [...new Set(denied.map(({ mode }) => mode))];
  if (isDenied && modes.length > 1) {
    const message = `cannot list or remove leftovers of proxy modes ${modes.join(', ')}: ${whyNotPermitted()}`;
    return new CleanupError('CLEANUP_FAILED', message, isDenied, summary, { cause });
  }
  // Both cleanups of a backend may fail for the same reason.
  const reasons = new Set(failures.map(({ mode, error }) => `${mode}: ${messageOf(error)}`));
  const message = `encountered an error while tearing down rules (${[...reasons].join('; ')}); fix it and run the cleanup again`;
  return new CleanupError('CLEANUP_FAILED', message, isDenied, summary, { cause });
}
