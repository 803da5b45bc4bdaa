import {
  DEFAULT_PROXIER_OPTIONS,
  isProxierError,
  messageOf,
  ProxierError,
  pause,
  systemClock,
} from '@kube-proxier/core';
import { ProcLocalNetwork } from '@kube-proxier/linux';
import { type NodeVerification, type VerificationReport, verifyNode } from '@kube-proxier/server';
import { queryAgentJson } from '../commands/agent-client.js';
import type { Composition } from '../compose.js';
import type { AgentSettings } from '../flags/agent-settings.js';
import { formatVerification } from './format-verification.js';
import { backendOf, usedStates } from './verified-states.js';
import { EXIT_STATUS, formatResult, NO_AGENT, type VerifyOutput } from './verify-output.js';

/** Milliseconds between two queries. */
const INTERVAL = 100;

/**
 * Verifies the kernel: through the running agent, or against manifests.
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

async function askAgent({ status }: AgentSettings, signal: AbortSignal): Promise<NodeVerification> {
  const started = (await queryAgentJson(status, '/debug/verify', 'set --manifests to verify them', {
    method: 'POST',
  })) as {
    readonly number: number;
  };
  for (;;) {
    const report = (await queryAgentJson(status, '/debug/verify')) as VerificationReport;
    if (report.finished >= started.number && report.last !== null) {
      return report.last;
    }
    if (signal.aborted || (!report.running && report.finished < started.number)) {
      throw new ProxierError('VERIFICATION_ENDED', 'the verification was stopped; run kube-proxier verify again');
    }
    await pause(systemClock, INTERVAL, signal);
  }
}

async function verifyManifests(
  settings: AgentSettings,
  composition: Composition,
  signal: AbortSignal,
): Promise<NodeVerification> {
  const backend = backendOf(settings.mode, settings, composition);
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
