import {
  type BackendModule,
  DEFAULT_PROXIER_OPTIONS,
  DEFAULT_PROXY_MODE,
  type IPFamily,
  isProxierError,
  messageOf,
  ProxierError,
  type ProxyState,
  pause,
  systemClock,
} from '@kube-proxier/core';
import { ProcLocalNetwork } from '@kube-proxier/linux';
import { type NodeVerification, type VerificationReport, verifyNode } from '@kube-proxier/server';
import { stringify } from 'yaml';
import { queryAgent } from '../commands/agent-client.js';
import { resolveManifests } from '../commands/resolve-manifests.js';
import type { Composition } from '../compose.js';
import type { AgentSettings } from '../flags/agent-settings.js';
import { formatVerification } from './format-verification.js';

/** Where the command prints. */
export interface VerifyOutput {
  readonly print: (text: string) => void;
  readonly printError: (text: string) => void;
  readonly signal: AbortSignal;
}

/** Exit status by verdict. */
export const EXIT_STATUS = { verified: 0, different: 1, unknown: 2 } as const;
export const NO_AGENT = 3;
/** Milliseconds between two queries. */
const INTERVAL = 100;
const FAMILIES: readonly IPFamily[] = ['IPv4', 'IPv6'];

/**
 * Verifies what the kernel does: has the running agent do it, or compares with manifests.
 *
 * @returns the exit status: 0 verified, 1 differences, 2 unknown, 3 no agent or nothing programmed.
 * @throws ProxierError when the manifests cannot be read or the mode does not exist.
 */
export async function verify(
  settings: AgentSettings,
  composition: Composition,
  { print, printError, signal }: VerifyOutput,
): Promise<number> {
  let result: NodeVerification;
  if (settings.manifests.length > 0) {
    result = await verifyManifests(settings, composition, signal);
  } else {
    try {
      result = await askAgent(settings, signal);
    } catch (error) {
      if (!isProxierError(error)) {
        throw error;
      }
      printError(`kube-proxier: ${messageOf(error)}\n`);
      return NO_AGENT;
    }
  }
  print(formatResult(result, settings.output, formatVerification));
  return EXIT_STATUS[result.verdict];
}

/** A result in the format of `--output`. */
export function formatResult<Result>(
  result: Result,
  output: AgentSettings['output'],
  asText: (result: Result) => string,
): string {
  switch (output) {
    case 'json':
      return `${JSON.stringify(result, undefined, 2)}\n`;
    case 'yaml':
      return stringify(result);
    default:
      return asText(result);
  }
}

async function askAgent({ status }: AgentSettings, signal: AbortSignal): Promise<NodeVerification> {
  const started = JSON.parse(await queryAgent(status, '/debug/verify', 'set --manifests to verify them', 'POST')) as {
    readonly number: number;
  };
  for (;;) {
    const report = JSON.parse(await queryAgent(status, '/debug/verify')) as VerificationReport;
    if (report.finished >= started.number && report.last !== null) {
      return report.last;
    }
    if (signal.aborted || (!report.running && report.finished < started.number)) {
      throw new ProxierError('VERIFICATION_ENDED', 'the verification was ended early; run kube-proxier verify again');
    }
    await pause(systemClock, INTERVAL, signal);
  }
}

async function verifyManifests(
  settings: AgentSettings,
  composition: Composition,
  signal: AbortSignal,
): Promise<NodeVerification> {
  const mode = settings.mode === '' ? DEFAULT_PROXY_MODE : settings.mode;
  const backend = backendOf(mode, settings, composition);
  const localAddresses = await new ProcLocalNetwork().localAddresses();
  const states = new Map(
    (await usedStates(settings, composition, localAddresses)).map((state) => [state.family, state]),
  );
  return await verifyNode({
    backend,
    options: { ...DEFAULT_PROXIER_OPTIONS, ...settings.proxier },
    states: () => states,
    clock: systemClock,
    signal,
  });
}

/** @throws ProxierError when there is no such mode. */
export function backendOf(mode: string, settings: AgentSettings, composition: Composition): BackendModule {
  const backends = composition.configure?.(settings) ?? composition.backends;
  const backend = backends.find((candidate) => candidate.mode === mode);
  if (backend === undefined) {
    const modes = backends.map((candidate) => candidate.mode).join(', ');
    throw new ProxierError('UNKNOWN_PROXY_MODE', `there is no proxy mode ${mode}; choose one of ${modes}`);
  }
  return backend;
}

/** The states of manifests, without families that they do not use: these have nothing to verify. */
export async function usedStates(
  settings: AgentSettings,
  composition: Composition,
  localAddresses?: readonly string[],
): Promise<readonly ProxyState[]> {
  const resolved = await resolveManifests(FAMILIES, settings, composition, localAddresses);
  const used = resolved.filter(({ servicePorts }) => servicePorts.size > 0);
  return used.length > 0 ? used : resolved.slice(0, 1);
}
