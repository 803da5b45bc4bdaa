import {
  type BackendModule,
  compareModes,
  DEFAULT_PROXIER_OPTIONS,
  isProxierError,
  type ModePath,
  messageOf,
  overallVerdict,
  type PacketPath,
  type PlannedPathRequest,
  ProxierError,
  type ProxyState,
  systemClock,
} from '@kube-proxier/core';
import { servesLoopbackByRules } from '@kube-proxier/server';
import type { Composition } from '../compose.js';
import type { AgentSettings } from '../flags/agent-settings.js';
import { formatComparison } from './format-verification.js';
import type { ModeComparison } from './mode-comparison.js';
import { backendOf, recordedStates, usedStates } from './verified-states.js';
import { EXIT_STATUS, formatResult, NO_AGENT, type VerifyOutput } from './verify-output.js';

/**
 * Compares two modes. Neither reads nor writes the kernel.
 *
 * @param between the modes, separated by a comma.
 * @returns the exit status: 0 the same, 1 differences, 2 unknown, 3 no agent.
 * @throws ProxierError when a mode does not exist or cannot be compared, or the manifests cannot be read.
 */
export async function verifyBetween(
  between: string,
  settings: AgentSettings,
  composition: Composition,
  { print, printError }: VerifyOutput,
): Promise<number> {
  const modes = modesOf(between);
  const compared = modes.map((mode) => comparableMode(backendOf(mode, settings, composition)));
  let states: readonly ProxyState[];
  try {
    states = settings.manifests.length > 0 ? await usedStates(settings, composition) : await recordedStates(settings);
  } catch (error) {
    if (settings.manifests.length > 0 || !isProxierError(error)) {
      throw error;
    }
    printError(`kube-proxier: ${messageOf(error)}\n`);
    return NO_AGENT;
  }
  const begin = systemClock.monotonic();
  const families = states.map((state) => {
    const localAddresses = [...state.node.addresses, '127.0.0.1', '::1'];
    const [first, second] = compared.map(
      ({ mode, servesLoopback, plannedPath }): ModePath => ({
        ...{ mode, servesLoopback },
        path: plannedPath({ state, options: { ...DEFAULT_PROXIER_OPTIONS, ...settings.proxier }, localAddresses }),
      }),
    ) as [ModePath, ModePath];
    return compareModes(state, first, second);
  });
  const result: ModeComparison = {
    apiVersion: 'kube-proxier.io/v1alpha1',
    kind: 'ModeComparison',
    verdict: overallVerdict(families),
    modes,
    time: new Date(systemClock.now()).toISOString(),
    seconds: Math.round(systemClock.monotonic() - begin) / 1000,
    families,
  };
  print(formatResult(result, settings.output, formatComparison));
  return EXIT_STATUS[result.verdict];
}

function modesOf(between: string): readonly [string, string] {
  const [first = '', second = '', ...more] = between.split(',').map((mode) => mode.trim());
  if (first === '' || second === '' || more.length > 0 || first === second) {
    throw new ProxierError(
      'INVALID_ARGUMENT',
      `--between "${between}" must be two modes, separated by a comma, such as iptables,nftables`,
    );
  }
  return [first, second];
}

interface ComparableMode {
  readonly mode: string;
  readonly servesLoopback: boolean;
  readonly plannedPath: (request: PlannedPathRequest) => PacketPath;
}

function comparableMode(backend: BackendModule): ComparableMode {
  const { mode } = backend;
  if (backend.plannedPath === undefined) {
    throw new ProxierError(
      'MODE_NOT_COMPARABLE',
      `mode ${mode} cannot be compared: what it plans cannot be interpreted without a kernel; compare iptables,nftables`,
    );
  }
  return { mode, servesLoopback: servesLoopbackByRules(backend), plannedPath: backend.plannedPath.bind(backend) };
}
