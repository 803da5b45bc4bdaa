import { LinearMap } from '../caching/linear-map.js';
import { joinHostPort } from '../model/address.js';
import { selectionSlots } from '../model/endpoint-weights.js';
import { describeMasquerading } from '../simulator/describe-masquerading.js';
import type { PacketDecision } from '../simulator/simulate-packet.js';
import { isNetworkPolicyRule } from './network-policy-rule.js';
import type { PathOutcome, PathRule } from './packet-path.js';
import { type DifferenceKind, describePathRule } from './verification-result.js';

/** The difference between the outcomes and the decision of the state. */
export interface Difference {
  readonly kind: DifferenceKind;
  readonly expected: string;
  readonly actual: string;
  readonly decidedBy: PathRule | undefined;
  /** The cause, as the end of a sentence. */
  readonly because: string;
  /** Distinguishes causes with the same deciding rule. */
  readonly cause?: string;
}

/** Tolerance, relative to the expected share: rules select with limited precision. */
export const SHARE_TOLERANCE = 0.01;

/**
 * Compares what a state decides about a packet with its possible outcomes in the kernel.
 *
 * @returns the first difference; `network-policy` if the only one is that a network policy stops the packet; `unknown` where outcomes differ only if unknown rules match or do not, unless a rule of another
 * program blocks the packet in both cases; undefined when all outcomes are as decided.
 */
export function compareOutcomes(
  { outcome, route }: PacketDecision,
  outcomes: readonly PathOutcome[],
): Difference | undefined {
  const choices = new LinearMap(
    outcome.kind === 'forwarded'
      ? outcome.choices.map((choice) => [joinHostPort(choice.endpoint.address, choice.endpoint.port), choice] as const)
      : [],
  );
  const expected = expectationText(outcome);
  const wrong = (actual: PathOutcome): Difference | undefined => {
    const differs = (kind: DifferenceKind, text: string, rule: PathRule | undefined, instead = ''): Difference => ({
      kind,
      expected,
      actual: text,
      decidedBy: rule,
      because:
        rule === undefined ? (actual.missed ?? instead) : `decided by ${describePathRule(rule)}${whoseRule(rule)}`,
    });
    const { verdict, destination, decidedBy } = actual;
    switch (outcome.kind) {
      case 'passed-on':
        return destination === undefined ? undefined : differs('wrong-endpoint', `sent to ${destination}`, decidedBy);
      case 'refused':
      case 'dropped': {
        const as = outcome.kind;
        return verdict === as
          ? undefined
          : verdict === 'accepted'
            ? differs(
                'accepted',
                destination === undefined ? 'accepted' : `sent to ${destination}`,
                decidedBy,
                'no rule refuses it',
              )
            : differs(verdict, verdict, decidedBy);
      }
      case 'forwarded': {
        if (verdict !== 'accepted' && isPolicy(decidedBy) && (destination === undefined || choices.has(destination))) {
          return differs('network-policy', verdict, decidedBy);
        }
        if (verdict !== 'accepted') {
          const difference = differs(verdict, verdict, decidedBy);
          // The backend's last rules reject packets that no earlier rule forwarded: the missing forward is the cause.
          return destination === undefined && decidedBy?.foreign !== true && actual.missed !== undefined
            ? { ...difference, because: `${actual.missed}; then ${difference.because}`, cause: actual.missed }
            : difference;
        }
        if (destination === undefined) {
          return differs('not-forwarded', 'not sent to an endpoint', undefined, 'no rule changes its destination');
        }
        const choice = choices.get(destination);
        if (choice === undefined) {
          return differs('wrong-endpoint', `sent to ${destination}`, decidedBy);
        }
        if (choice.masqueraded && !actual.masqueraded) {
          return {
            ...differs('not-masqueraded', `sent to ${destination} with its own source address`, undefined),
            decidedBy: actual.sourceKeptBy ?? actual.markedBy,
            because: notMasqueraded(actual),
          };
        }
        // Pod networks masquerade packets that leave them, such as packets of pods to a host network. This matters only
        // when the state preserves the address of an external client.
        const promised = route?.action === 'forward' && route.masquerade === 'never' && route.source !== 'pod';
        if (!choice.masqueraded && actual.masqueraded && (promised || actual.masqueradedBy?.foreign !== true)) {
          return differs('masqueraded', `sent to ${destination} with an address of the node`, actual.masqueradedBy);
        }
        return undefined;
      }
    }
  };
  let unknown: Difference | undefined;
  let policy: Difference | undefined;
  for (const actual of outcomes) {
    const difference = wrong(actual);
    if (difference === undefined) {
      continue;
    }
    if (difference.kind === 'network-policy') {
      policy ??= difference;
      continue;
    }
    const [rule] = actual.unknown;
    if (rule === undefined) {
      return difference;
    }
    unknown ??= {
      ...difference,
      kind: 'unknown',
      actual: `not known, possibly ${difference.actual}`,
      decidedBy: rule,
      because: `the effect of ${describePathRule(rule)} is not known`,
    };
  }
  if (unknown !== undefined && outcome.kind === 'forwarded') {
    const blocked = blockedAnyway(outcomes);
    return (blocked && wrong(blocked)) ?? unknown;
  }
  return unknown ?? missingEndpoint(choices, outcomes, expected) ?? policy;
}

function isPolicy(rule: PathRule | undefined): boolean {
  return rule !== undefined && isNetworkPolicyRule(rule);
}

/**
 * The outcome by a rule of another program that drops or refuses the packet, if no outcome passes it on, whether rules of other
 * programs with an unknown effect match or not.
 */
function blockedAnyway(outcomes: readonly PathOutcome[]): PathOutcome | undefined {
  const assumed = outcomes.flatMap(({ unknown }) => unknown);
  if (outcomes.some(({ verdict }) => verdict === 'accepted') || assumed.some(({ foreign }) => foreign !== true)) {
    return undefined;
  }
  return outcomes.find(
    ({ decidedBy }) => decidedBy?.foreign === true && !assumed.some((rule) => isSameRule(rule, decidedBy)),
  );
}

function isSameRule(one: PathRule, other: PathRule): boolean {
  return (
    one.system === other.system && one.table === other.table && one.chain === other.chain && one.text === other.text
  );
}

/** Rules of other programs: what to change is not in this proxy. */
function whoseRule({ foreign, system }: PathRule): string {
  return foreign === true && system !== 'sysctl' ? ', a rule of another program' : '';
}

function notMasqueraded({ mark = 0, markedBy, sourceKeptBy }: PathOutcome): string {
  if (sourceKeptBy !== undefined) {
    return `${describePathRule(sourceKeptBy)} prevents that a rule replaces the source address`;
  }
  const of = mark === 0 ? 'a packet without a mark' : `a packet with the mark 0x${mark.toString(16)}`;
  const by = markedBy === undefined ? '' : `, set by ${describePathRule(markedBy)}`;
  return `no rule replaces the source address of ${of}${by}`;
}

function missingEndpoint(
  choices: LinearMap<{ readonly probability: number }>,
  outcomes: readonly PathOutcome[],
  expected: string,
): Difference | undefined {
  const shares = new LinearMap<number>();
  for (const { destination = '', probability } of outcomes) {
    shares.set(destination, (shares.get(destination) ?? 0) + probability);
  }
  const rule = outcomes[0]?.decidedBy;
  const assumed = outcomes.flatMap(({ unknown }) => unknown)[0];
  const isUneven = outcomes.some(({ unevenly }) => unevenly === true);
  const tolerance = toleranceOf(choices);
  const missing = choices.keys.find((destination) => !shares.has(destination));
  if (missing !== undefined) {
    const because = whoChooses(outcomes, rule);
    return { kind: 'missing-endpoint', expected, actual: `never sent to ${missing}`, decidedBy: rule, because };
  }
  for (const [index, destination] of choices.keys.entries()) {
    const wanted = choices.values[index]?.probability ?? 0;
    const share = shares.get(destination) ?? 0;
    if (!isUneven && assumed === undefined && Math.abs(share - wanted) > wanted * SHARE_TOLERANCE + tolerance) {
      return {
        kind: 'wrong-share',
        expected,
        actual: `sent to ${destination} with probability ${share.toFixed(3)} instead of ${wanted.toFixed(3)}`,
        decidedBy: rule,
        because: whoChooses(outcomes, rule),
      };
    }
  }
  return undefined;
}

/** Where weights differ, a mode may round shares to the slots of a table (spec E-9). */
function toleranceOf(choices: LinearMap<{ readonly probability: number }>): number {
  const [first] = choices.values;
  const isEqual = choices.values.every(({ probability }) => probability === first?.probability);
  return isEqual ? 1e-6 : 1 / selectionSlots(choices.size);
}

function whoChooses(outcomes: readonly PathOutcome[], rule: PathRule | undefined): string {
  const emptyChain = outcomes.find((outcome) => outcome.emptyChain !== undefined)?.emptyChain;
  if (emptyChain !== undefined) {
    return `${emptyChain} has no rules`;
  }
  return rule === undefined ? 'no rule leads to it' : `the choice is made by ${describePathRule(rule)}`;
}

/** The outcome by the state, in a few words. */
export function expectationText(outcome: PacketDecision['outcome']): string {
  switch (outcome.kind) {
    case 'refused':
    case 'dropped':
      return outcome.kind;
    case 'passed-on':
      return 'not handled by the service proxy';
    case 'forwarded': {
      const keys = outcome.choices.map(({ endpoint }) => endpoint.key);
      const more = keys.length > 3 ? ` and ${keys.length - 3} more` : '';
      return `forwarded to ${keys.slice(0, 3).join(' or ')}${more} (${describeMasquerading(outcome.choices)})`;
    }
  }
}
