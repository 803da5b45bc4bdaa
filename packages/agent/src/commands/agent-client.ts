import { joinHostPort, messageOf, ProxierError } from '@kube-proxier/core';
import type { StatusAddress } from '../flags/status-addresses.js';

/** Milliseconds that a running agent may take to answer. */
const ANSWER_TIMEOUT = 5000;

/** How {@link queryAgent} makes its request. */
export interface AgentRequest {
  /** `POST` starts something. Default `GET`. */
  readonly method?: 'GET' | 'POST';
  /** Milliseconds for the whole response. Default 5000. */
  readonly timeout?: number;
}

/** End of the message of `AGENT_NOT_READY`. */
export const NOTHING_IN_FORCE = 'has nothing in force yet; see kube-proxier status, and try again';

/** What listens at this address is another program, such as kube-proxy. */
export function notAnAgent(where: string, reason: string, cause?: unknown): ProxierError {
  return new ProxierError(
    'NOT_AN_AGENT',
    `what answers at ${where} is not this version of kube-proxier, but possibly kube-proxy (${reason}); find it with ss -ltnp, or set --metrics-bind-address as the agent has it`,
    { cause },
  );
}

/**
 * Queries the agent on this host, which answers in JSON: see {@link queryAgent}.
 *
 * @throws ProxierError as `queryAgent`, and `NOT_AN_AGENT` when the answer is not JSON.
 */
export async function queryAgentJson(
  address: StatusAddress | undefined,
  path: string,
  alternative?: string,
  request: AgentRequest = {},
): Promise<unknown> {
  const text = await queryAgent(address, path, alternative, request);
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    const where = address === undefined ? 'the address' : joinHostPort(address.host, address.port);
    throw notAnAgent(where, 'the answer is not JSON', error);
  }
}

/**
 * Queries the agent on this host.
 *
 * @param address of its status server; undefined when that is disabled.
 * @param path with the query, such as `/debug/services`.
 * @param alternative the remedy without an agent, as an imperative: `set --manifests to …`. Default: none.
 * @returns the body of the response.
 * @throws ProxierError `NO_AGENT` when none answers, `AGENT_REFUSED` for an HTTP error, `NOT_AN_AGENT` when another program
 *   answers, `AGENT_TIMEOUT` when the response is not complete in time, or is truncated.
 */
export async function queryAgent(
  address: StatusAddress | undefined,
  path: string,
  alternative?: string,
  { method = 'GET', timeout = ANSWER_TIMEOUT }: AgentRequest = {},
): Promise<string> {
  if (!address) {
    const advice = 'set --metrics-bind-address as the agent has it';
    throw new ProxierError(
      'NO_AGENT',
      `no agent can be queried: ${alternative ? `${alternative}, or ${advice}` : advice}`,
    );
  }
  const where = joinHostPort(address.host, address.port);
  const late = (error: unknown) =>
    new ProxierError(
      'AGENT_TIMEOUT',
      `the agent at ${where} has not answered within ${timeout / 1000} s (${messageOf(error)}); see its log, and try again`,
      { cause: error },
    );
  const signal = AbortSignal.timeout(timeout);
  let response: Response;
  try {
    response = await fetch(`http://${where}${path}`, { method, signal });
  } catch (error) {
    if (signal.aborted) {
      throw late(error);
    }
    const reason = messageOf(error instanceof Error && error.cause ? error.cause : error);
    throw new ProxierError(
      'NO_AGENT',
      `no agent answers at ${where} (${reason}); start kube-proxier${alternative ? `, or ${alternative}` : ''}`,
      { cause: error },
    );
  }
  const body = await response.text().catch((error: unknown) => {
    throw late(error);
  });
  if (!response.ok) {
    if (body.trim() === '' || body.trim() === '404 page not found') {
      throw notAnAgent(where, `HTTP ${response.status} for ${path.replace(/\?.*$/s, '')}`);
    }
    throw new ProxierError('AGENT_REFUSED', `the agent at ${where} answers: ${body.trim()}`);
  }
  return body;
}
