import type { BackendModule, ProbeResult } from '../contract/backend-module.js';
import type { Logger } from '../contract/logger.js';
import type { ProxyMode } from '../contract/proxier.js';
import { messageOf, ProxierError } from '../contract/proxier-error.js';
import type { IPFamily } from '../model/address.js';

/** The default mode, and the fallback for a mode that this host cannot run (spec M-1, M-12). */
export const DEFAULT_PROXY_MODE: ProxyMode = 'iptables';

const BOTH: readonly IPFamily[] = ['IPv4', 'IPv6'];

/** No installed backend has the requested mode. */
export class UnknownProxyModeError extends ProxierError {
  constructor(requested: string, modes: readonly ProxyMode[]) {
    const available = modes.join(', ') || 'none';
    const hasDefault = modes.includes(DEFAULT_PROXY_MODE);
    super(
      'UNKNOWN_PROXY_MODE',
      requested === ''
        ? `no proxy mode is requested, and no backend has the default mode ${DEFAULT_PROXY_MODE}; request one of the available modes: ${available}`
        : `unknown proxy mode ${JSON.stringify(requested)}; available modes: ${available}${hasDefault ? `; leave it empty for ${DEFAULT_PROXY_MODE}` : ''}`,
    );
  }
}

/** This host can run neither the requested mode nor the fallback. */
export class ProxyModeUnusableError extends ProxierError {
  constructor(mode: ProxyMode, reason: string, fallback?: { readonly mode: ProxyMode; readonly reason: string }) {
    const also = fallback ? `; and cannot fall back to ${fallback.mode}: ${fallback.reason}` : '';
    super('PROXY_MODE_UNUSABLE', `cannot use proxy mode ${mode}: ${reason}${also}`);
  }
}

/** Input of {@link selectProxyMode}. */
export interface ModeSelectionOptions {
  /** The requested mode; empty for that of the only backend, or {@link DEFAULT_PROXY_MODE} where there are several. */
  readonly requested: string;
  readonly backends: readonly BackendModule[];
  /** Fallback when the requested mode cannot run on this host; `none` makes that an error. */
  readonly fallback: ProxyMode | 'none';
  readonly logger: Logger;
}

/** The selected mode, and the reason. */
export interface ModeSelection {
  /** The mode in force. */
  readonly mode: ProxyMode;
  readonly backend: BackendModule;
  /** The requested mode. */
  readonly requested: string;
  /** No mode was requested. */
  readonly defaulted: boolean;
  /**
   * Detail that the backend's probe reported about the host (the variant of a tool, for example); undefined without
   * one.
   */
  readonly detail: string | undefined;
  /** IP families that the backend can run for on this host. */
  readonly families: readonly IPFamily[];
  /** Why the requested mode is not in force; undefined when it is. */
  readonly reason: string | undefined;
}

/**
 * Selects the backend: the requested one if this host can run it, else the fallback, with one log line that has the
 * reason.
 *
 * @throws UnknownProxyModeError when no backend has the requested mode.
 * @throws ProxyModeUnusableError when neither it nor the fallback can run on this host.
 */
export async function selectProxyMode(options: ModeSelectionOptions): Promise<ModeSelection> {
  const { requested, backends, fallback, logger } = options;
  const find = (mode: ProxyMode) => backends.find((backend) => backend.mode === mode);
  const [only, ...others] = backends;
  const single = others.length === 0 ? only?.mode : undefined;
  // With one backend there is no choice.
  const defaulted = requested === '' && single === undefined;
  const mode = requested === '' ? (single ?? DEFAULT_PROXY_MODE) : requested;
  const backend = find(mode);
  if (!backend) {
    throw new UnknownProxyModeError(
      requested,
      backends.map((candidate) => candidate.mode),
    );
  }
  if (defaulted) {
    logger.warn(`No proxy mode configured; using ${mode}. Configure a mode to keep it when the default changes`);
  }
  const result = await probe(backend);
  if (result.usable) {
    logger.info(`Using proxy mode ${mode}`, result.detail === undefined ? {} : { detail: result.detail });
    warnOfDeprecation(backend, logger);
    const { detail, families = BOTH } = result;
    return { mode, backend, requested, defaulted, detail, families, reason: undefined };
  }
  const { reason } = result;
  const standIn = fallback === 'none' || fallback === mode ? undefined : find(fallback);
  if (!standIn) {
    throw new ProxyModeUnusableError(mode, reason);
  }
  const standInResult = await probe(standIn);
  if (!standInResult.usable) {
    throw new ProxyModeUnusableError(mode, reason, { mode: standIn.mode, reason: standInResult.reason });
  }
  const { detail, families = BOTH } = standInResult;
  logger.warn(
    `Cannot use proxy mode ${mode}: ${reason}; falling back to ${standIn.mode}`,
    detail === undefined ? {} : { detail },
  );
  warnOfDeprecation(standIn, logger);
  return { mode: standIn.mode, backend: standIn, requested, defaulted, detail, families, reason };
}

function warnOfDeprecation({ deprecation }: BackendModule, logger: Logger): void {
  if (deprecation !== undefined) {
    logger.warn(deprecation);
  }
}

async function probe(backend: BackendModule): Promise<ProbeResult> {
  try {
    return await backend.probe();
  } catch (error) {
    return { usable: false, reason: `its probe failed: ${messageOf(error)}` };
  }
}
