import { joinHostPort } from '../model/address.js';
import type { Frontend, Route } from '../model/frontend.js';
import { formatServicePortName } from '../model/service-port-name.js';
import { describeMasquerading } from './describe-masquerading.js';
import type { SimulatedOutcome, Simulation } from './simulate-packet.js';

/** A simulation for machines: the part that JSON can represent. */
export interface Explanation extends Pick<Simulation, 'packet' | 'outcome' | 'steps' | 'endpoints'> {
  /** `namespace/name:portName` of the service port that the packet reached; null when it reached none. */
  readonly servicePort: string | null;
  readonly frontend: Frontend | null;
  readonly route: Route | null;
}

/** The parts of a simulation that are meaningful outside this process. */
export function explainSimulation(simulation: Simulation): Explanation {
  const { packet, outcome, servicePort, frontend, route, steps, endpoints } = simulation;
  return {
    packet,
    outcome,
    servicePort: servicePort ? formatServicePortName(servicePort.name) : null,
    frontend: frontend ?? null,
    route: route ?? null,
    steps,
    endpoints,
  };
}

/**
 * A simulation as text for a person: the outcome first, then the reason, then every endpoint.
 *
 * @param sourceName name of the sender. Default: its address only.
 */
export function formatSimulation(
  simulation: Pick<Simulation, 'packet' | 'outcome' | 'steps' | 'endpoints'>,
  sourceName?: string,
): string {
  const { packet, outcome, steps, endpoints } = simulation;
  const source = sourceName === undefined ? packet.source : `${sourceName} (${packet.source})`;
  const lines = [
    `${source} -> ${joinHostPort(packet.destination, packet.port)}/${packet.protocol}: ${outcomeText(outcome)}`,
    '',
    'Why:',
    ...steps.map((step, index) => `  ${index + 1}. ${step}`),
  ];
  if (endpoints.length > 0) {
    const width = widest(endpoints.map(({ endpoint }) => endpoint.key));
    const podWidth = widest(endpoints.map(({ endpoint }) => endpoint.podName ?? ''));
    lines.push('', 'Endpoints:');
    for (const { endpoint, used, reason } of endpoints) {
      const pod = podWidth === 0 ? '' : `${(endpoint.podName ?? '').padEnd(podWidth)}  `;
      lines.push(`  ${used ? '+' : '-'} ${endpoint.key.padEnd(width)}  ${pod}${used ? 'used' : 'not used'}: ${reason}`);
    }
  }
  return `${lines.join('\n')}\n`;
}

function outcomeText(outcome: SimulatedOutcome): string {
  switch (outcome.kind) {
    case 'forwarded': {
      const { choices } = outcome;
      const [{ probability = 0 } = {}] = choices;
      const areEqual = choices.every((choice) => Math.abs(choice.probability - probability) < 1e-9);
      const each = choices.length === 1 || !areEqual ? '' : `, each with probability ${formatShare(probability)}`;
      const shown = choices
        .slice(0, 10)
        .map(({ endpoint, probability: share }) => `${endpoint.key}${areEqual ? '' : ` (${formatShare(share)})`}`);
      const more = choices.length > 10 ? ` and ${choices.length - 10} more` : '';
      return `forwarded to ${shown.join(' or ')}${more}${each} (${describeMasquerading(choices)})`;
    }
    case 'refused':
      return 'refused ("connection refused")';
    case 'dropped':
      return 'dropped (no answer; the client times out)';
    case 'passed-on':
      return 'not handled by the service proxy';
  }
}

function widest(texts: readonly string[]): number {
  return Math.max(0, ...texts.map(({ length }) => length));
}

/** A probability that is neither 0 nor 1 is not shown as such. */
function formatShare(probability: number): string {
  const text = probability.toFixed(3);
  if (text === '0.000' && probability > 0) {
    return '<0.001';
  }
  return text === '1.000' && probability < 1 ? '>0.999' : text;
}
