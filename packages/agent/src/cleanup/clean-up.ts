import { hostname } from 'node:os';
import {
  type BackendModule,
  type LeftoverOwner,
  type Logger,
  messageOf,
  ProxierError,
  printable,
} from '@kube-proxier/core';
import {
  CleanupError,
  type CleanupSummary,
  cleanupBackends,
  describeHolder,
  describeKubeProxy,
  describeRemoved,
  findKubeProxy,
  findLeftovers,
  type HeldInstanceLock,
  InstanceLock,
  type KubeProxyFinding,
  nameOfLeftoverOwner,
  type RemovedOfMode,
} from '@kube-proxier/server';
import { VERSION } from '../version.js';

/** Options of the command cleanup. */
export interface CleanupRequest {
  /** The only mode to clean up after. Default: all. */
  readonly mode?: string;
  /** Also removes what kube-proxy has installed. */
  readonly kubeProxy: boolean;
  /** Changes nothing. */
  readonly dryRun: boolean;
  /** Cleans up even while a proxy runs in this network namespace. */
  readonly force: boolean;
}

/** Detects proxies that run in this network namespace. */
export interface RunningProxies {
  readonly lock: Pick<InstanceLock, 'acquire' | 'currentHolder'>;
  readonly findKubeProxy: () => Promise<KubeProxyFinding>;
}

/** Environment of {@link cleanUp}. */
export interface CleanupEnvironment {
  /** Configured with their own options. */
  readonly backends: readonly BackendModule[];
  readonly logger: Logger;
  /** Writes to standard output. */
  readonly print: (text: string) => void;
  /** Undefined to skip the check for running proxies. */
  readonly running?: RunningProxies | undefined;
}

/** The proxies of this process's network namespace. */
export const runningProxies = (): RunningProxies => ({ lock: new InstanceLock(), findKubeProxy });

/**
 * Removes what kube-proxier has installed, and prints what was removed. No kube-proxier starts in this network
 * namespace during it.
 *
 * @throws ProxierError `PROXY_RUNNING` when a proxy runs here, `UNKNOWN_PROXY_MODE`; CleanupError when leftovers remain.
 */
export async function cleanUp(request: CleanupRequest, environment: CleanupEnvironment): Promise<void> {
  const { logger, print } = environment;
  const backends = chosen(environment.backends, request.mode);
  if (request.dryRun) {
    await printLeftovers(request, backends, environment);
    return;
  }
  const held = request.force ? undefined : await ensureNoneRuns(request, environment);
  try {
    const summary = await cleanupBackends(backends, { logger, kubeProxy: request.kubeProxy });
    print(formatSummary(summary));
    if (!request.kubeProxy) {
      print(await formatKubeProxyLeftovers(backends, logger));
    }
  } catch (error) {
    if (error instanceof CleanupError && error.summary.removed.length > 0) {
      print(formatSummary(error.summary));
    }
    throw error;
  } finally {
    await held?.release();
  }
}

function chosen(backends: readonly BackendModule[], mode: string | undefined): readonly BackendModule[] {
  if (mode === undefined || mode === '') {
    return backends;
  }
  const found = backends.filter((backend) => backend.mode === mode);
  if (found.length === 0) {
    const modes = backends.map((backend) => backend.mode).join(', ');
    const message = `--proxy-mode: unknown proxy mode "${printable(mode, 80)}"; set one of ${modes}, or leave it unset for all`;
    throw new ProxierError('UNKNOWN_PROXY_MODE', message);
  }
  return found;
}

/** @returns the instance lock, so that no kube-proxier starts meanwhile; undefined if unavailable. */
async function ensureNoneRuns(
  { kubeProxy }: CleanupRequest,
  { logger, running }: CleanupEnvironment,
): Promise<HeldInstanceLock | undefined> {
  if (running === undefined) {
    return undefined;
  }
  const held = await acquire(running, logger);
  try {
    const finding = await running.findKubeProxy();
    if (finding.status === 'found') {
      throw refusal(describeKubeProxy(finding));
    }
    if (finding.status === 'unknown') {
      if (kubeProxy) {
        const message = `cannot determine whether a kube-proxy runs in this network namespace: ${finding.reason}; stop it, then use --force`;
        throw new ProxierError('PROXY_RUNNING', message);
      }
      logger.info(`Cannot determine whether kube-proxy runs in this network namespace: ${finding.reason}`);
    }
    return held;
  } catch (error) {
    await held?.release();
    throw error;
  }
}

async function acquire({ lock }: RunningProxies, logger: Logger): Promise<HeldInstanceLock | undefined> {
  const identity = { pid: process.pid, version: VERSION, mode: 'cleanup', nodeName: hostname() };
  const abort = new AbortController();
  let holder: string | undefined;
  try {
    return await lock.acquire(identity, {
      signal: abort.signal,
      onWaiting: (found) => {
        holder ??= describeHolder(found);
        abort.abort();
      },
    });
  } catch (error) {
    if (holder !== undefined) {
      throw refusal(`kube-proxier, ${holder}`);
    }
    logger.warn(`Cannot determine whether another kube-proxier runs in this network namespace: ${messageOf(error)}`);
    return undefined;
  }
}

function refusal(holder: string): ProxierError {
  const message = `a proxy runs in this network namespace: ${holder}; stop it first, or use --force`;
  return new ProxierError('PROXY_RUNNING', message);
}

async function printLeftovers(
  { kubeProxy }: CleanupRequest,
  backends: readonly BackendModule[],
  { logger, print, running }: CleanupEnvironment,
): Promise<void> {
  const owners: readonly LeftoverOwner[] = kubeProxy ? ['backend', 'kube-proxy'] : ['backend'];
  const { found, unlisted, failures } = await findLeftovers(backends, { logger, owners });
  print(formatRemoved('Would remove', found));
  for (const mode of unlisted) {
    print(`Cannot list what would be removed of mode ${mode}: its backend does not support it\n`);
  }
  if (found.length === 0 && unlisted.length === 0 && failures.length === 0) {
    print(NOTHING);
  }
  const holder = await describeRunningProxy(running);
  if (holder !== undefined) {
    print(
      `Without --dry-run, the cleanup would be refused, because a proxy runs in this network namespace: ${holder}\n`,
    );
  }
  if (failures.length > 0) {
    const reasons = failures.map(({ mode, error }) => `${mode}: ${messageOf(error)}`).join('; ');
    const message = `cannot list what would be removed (${reasons}); fix it and run the command again`;
    throw new ProxierError('LEFTOVERS_UNKNOWN', message, { cause: failures[0]?.error });
  }
}

/** The proxy that runs here, for messages; undefined when none is found. */
export async function describeRunningProxy(running: RunningProxies | undefined): Promise<string | undefined> {
  const holder = await running?.lock.currentHolder();
  if (holder !== undefined) {
    return `kube-proxier, ${describeHolder(holder)}`;
  }
  const finding = await running?.findKubeProxy();
  return finding?.status === 'found' ? describeKubeProxy(finding) : undefined;
}

const NOTHING = 'No leftovers found\n';

function formatSummary({ removed, unreported }: CleanupSummary): string {
  const ran = unreported.map((mode) => `Cleaned up after mode ${mode}; its backend does not report what it removed\n`);
  const text = `${formatRemoved('Removed', removed)}${ran.join('')}`;
  return text === '' ? NOTHING : text;
}

function formatRemoved(verb: string, removed: readonly RemovedOfMode[]): string {
  return removed
    .map(({ mode, owner, objects }) => {
      const lines = describeRemoved(objects).map((line) => `  ${line}\n`);
      return `${verb} what ${nameOfLeftoverOwner(owner, mode)} had installed:\n${lines.join('')}`;
    })
    .join('');
}

/** Lists rules of kube-proxy, so that a node that still has them does not appear clean. Best effort. */
async function formatKubeProxyLeftovers(backends: readonly BackendModule[], logger: Logger): Promise<string> {
  const { found } = await findLeftovers(backends, { logger, owners: ['kube-proxy'] });
  return found
    .map(({ mode }) => `Kept what kube-proxy has installed in mode ${mode}; use --kube-proxy to remove it\n`)
    .join('');
}
