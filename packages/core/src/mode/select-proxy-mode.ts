import type { BackendModule, ProbeResult } from '../contract/backend-module.js';
import type { Logger } from '../contract/logger.js';
import type { ProxyMode } from '../contract/proxier.js';
import { messageOf, ProxierError } from '../contract/proxier-error.js';
import type { IPFamily } from '../model/address.js';

/** The mode that stands in for an empty mode and for one that this host cannot run (spec M-1, M-12). */
export const DEFAULT_PROXY_MODE: ProxyMode = 'iptables';

const BOTH: readonly IPFamily[] = ['IPv4', 'IPv6'];

/** The mode that was asked for names no backend that is there. */
export class UnknownProxyModeError extends ProxierError {
  constructor(requested: string, modes: readonly ProxyMode[]) {
    super(
      'UNKNOWN_PROXY_MODE',
      `unknown proxy mode ${JSON.stringify(requested)}; modes that are there: ${modes.join(', ') || 'none'}; leave it empty for ${DEFAULT_PROXY_MODE}`,
    );
  }
}

/** This host can run neither the mode that was asked for nor the one to fall back to. */
export class ProxyModeUnusableError extends ProxierError {
  constructor(mode: ProxyMode, reason: string, fallback?: { readonly mode: ProxyMode; readonly reason: string }) {
    const also = fallback ? `; and cannot fall back to ${fallback.mode}: ${fallback.reason}` : '';
    super('PROXY_MODE_UNUSABLE', `cannot use proxy mode ${mode}: ${reason}${also}`);
  }
}

/** What {@link selectProxyMode} chooses from. */
export interface ModeSelectionOptions {
  /** As the mode was given; empty for the default. */
  readonly requested: string;
  readonly backends: readonly BackendModule[];
  /** Mode to use when the one asked for cannot run here; `none` makes that an error. */
  readonly fallback: ProxyMode | 'none';
  readonly logger: Logger;
}

/** The mode that was chosen, and why. */
export interface ModeSelection {
  /** The mode in force. */
  readonly mode: ProxyMode;
  readonly backend: BackendModule;
  /** As it was asked for. */
  readonly requested: string;
  /** Nothing was asked for. */
  readonly defaulted: boolean;
  /** What the backend's probe told of the host (the variant of a tool, say); undefined when it told nothing. */
  readonly detail: string | undefined;
  /** IP families that the backend can run for here. */
  readonly families: readonly IPFamily[];
  /** Why the mode asked for is not the one in force; undefined when it is. */
  readonly reason: string | undefined;
}

/**
 * Chooses the backend: the one asked for if this host can run it, else the fallback, with one log line that says why.
 *
 * @throws UnknownProxyModeError when no backend has the mode that was asked for.
 * @throws ProxyModeUnusableError when neither it nor the fallback can run here.
 */
export async function selectProxyMode(options: ModeSelectionOptions): Promise<ModeSelection> {
  const { requested, backends, fallback, logger } = options;
  const find = (mode: ProxyMode) => backends.find((backend) => backend.mode === mode);
  const defaulted = requested === '';
  const mode = defaulted ? DEFAULT_PROXY_MODE : requested;
  const backend = find(mode);
  if (!backend) {
    throw new UnknownProxyModeError(
      requested,
      backends.map((candidate) => candidate.mode),
    );
  }
  if (defaulted) {
    logger.warn(`No proxy mode was given; using ${mode}. Ask for a mode to keep it when the default changes`);
  }
  const result = await probe(backend);
  if (result.usable) {
    logger.info(`Using proxy mode ${mode}`, result.detail === undefined ? {} : { detail: result.detail });
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
  return { mode: standIn.mode, backend: standIn, requested, defaulted, detail, families, reason };
}

async function probe(backend: BackendModule): Promise<ProbeResult> {
  try {
    return await backend.probe();
  } catch (error) {
    return { usable: false, reason: `its probe failed: ${messageOf(error)}` };
  }
}
