import { joinHostPort } from '../model/address.js';
import { assertNever } from '../model/assert-never.js';
import { describeMasquerading } from '../simulator/describe-masquerading.js';
import { formatSimulation } from '../simulator/format-simulation.js';
import type { SimulatedOutcome } from '../simulator/simulate-packet.js';
import { countOf } from '../text/count-of.js';
import { formatTable } from '../text/text-table.js';
import type { AnsweredCase, PacketAnswer } from './answer-question.js';

/** An answer as text for a person: a table of several cases, or one case with its reasons. `details`: all reasons. */
export function formatPacketAnswer({ cases, notes }: PacketAnswer, details = false): string {
  const [first] = cases;
  const reasons = (one: AnsweredCase) =>
    formatSimulation(one.explanation, one.client.kind === 'address' ? undefined : one.client.name);
  const text =
    cases.length === 1 && first
      ? reasons(first)
      : `${tables(cases)}${details ? cases.map((one) => `\n${reasons(one)}`).join('') : ''}`;
  return `${text}${notes.map((note) => `\nNote: ${note}\n`).join('')}`;
}

/** One table for each service port. */
function tables(cases: readonly AnsweredCase[]): string {
  const groups = new Map<string, AnsweredCase[]>();
  for (const one of cases) {
    const name = `${one.explanation.servicePort ?? ''} (${one.explanation.packet.protocol})`;
    const group = groups.get(name) ?? [];
    groups.set(name, group);
    group.push(one);
  }
  return [...groups].map(([name, group]) => `Service ${name}\n${formatTable([HEAD, ...group.map(row)])}`).join('\n');
}

const HEAD = ['TO', 'FROM', 'RESULT', 'SOURCE'];

function row({ client, via, explanation: { packet, outcome } }: AnsweredCase): readonly string[] {
  const to = joinHostPort(packet.destination, packet.port);
  return [via === null ? to : `${via} ${to}`, client.name, resultOf(outcome), sourceOf(outcome)];
}

function resultOf(outcome: SimulatedOutcome): string {
  switch (outcome.kind) {
    case 'forwarded':
      return countOf(outcome.choices.length, 'endpoint');
    case 'refused':
    case 'dropped':
      return outcome.kind;
    case 'passed-on':
      return 'not handled';
    default:
      return assertNever(outcome);
  }
}

function sourceOf(outcome: SimulatedOutcome): string {
  if (outcome.kind !== 'forwarded') {
    return '-';
  }
  const text = describeMasquerading(outcome.choices);
  return text === 'source kept' ? 'kept' : text;
}
