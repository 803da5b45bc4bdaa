import { isProxierError, messageOf, pause, systemClock } from '@kube-proxier/core';
import type { NodeStatus } from '@kube-proxier/server';
import { stringify } from 'yaml';
import { queryAgentJson } from '../commands/agent-client.js';
import type { AgentSettings } from '../flags/agent-settings.js';
import type { TextStyle } from '../terminal/text-style.js';
import { formatStatus } from './format-status.js';

const EXIT_STATUS = { ok: 0, degraded: 1, 'not-serving': 2, 'no-agent': 3 } as const;
/** Milliseconds between two queries of `--watch`. */
const INTERVAL = 1000;

export interface StatusOutput {
  readonly print: (text: string) => void;
  readonly printError: (text: string) => void;
  /** Default: without colours. */
  readonly style?: TextStyle;
  /** Ends `--watch`. */
  readonly signal: AbortSignal;
}

/**
 * Prints the status of the running agent.
 *
 * @param watch prints again whenever the status changes, other than by its age.
 * @returns the exit status: 0 ok, 1 degraded, 2 not serving, 3 no agent.
 */
export async function status(
  { status: address, output }: Pick<AgentSettings, 'status' | 'output'>,
  watch: boolean,
  { print, printError, style, signal }: StatusOutput,
): Promise<number> {
  let shown = '';
  for (;;) {
    const answer = await ask(address);
    if (typeof answer === 'string') {
      if (shown !== answer) {
        printError(`kube-proxier: ${answer}\n`);
      }
      shown = answer;
    } else if (shown !== fingerprint(answer)) {
      print(`${shown === '' ? '' : '\n'}${format(answer, output, style)}`);
      shown = fingerprint(answer);
    }
    if (!watch || signal.aborted) {
      return EXIT_STATUS[typeof answer === 'string' ? 'no-agent' : answer.verdict];
    }
    await pause(systemClock, INTERVAL, signal);
  }
}

/** @returns the status, or why there is none. */
async function ask(address: AgentSettings['status']): Promise<NodeStatus | string> {
  try {
    return (await queryAgentJson(address, '/debug/status')) as NodeStatus;
  } catch (error) {
    if (isProxierError(error)) {
      return messageOf(error);
    }
    throw error;
  }
}

function format(answer: NodeStatus, output: AgentSettings['output'], style?: TextStyle): string {
  switch (output) {
    case 'json':
      return `${JSON.stringify(answer, undefined, 2)}\n`;
    case 'yaml':
      return stringify(answer);
    default:
      return formatStatus(answer, Date.now(), style);
  }
}

/** The part of the status whose change causes a new output: all but memory and elapsed times. */
function fingerprint({ memory: _memory, families, problems, probe, ...rest }: NodeStatus): string {
  const stable = Object.entries(families).map(([family, { pendingSeconds: _pending, ...one }]) => [family, one]);
  const probed = Object.entries(probe ?? {}).map(([family, { verdict, reason }]) => [family, verdict, reason]);
  return JSON.stringify([stable, probed, problems.map(({ severity, advice }) => [severity, advice]), rest]);
}
