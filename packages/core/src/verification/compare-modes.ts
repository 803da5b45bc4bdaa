import type { ProxyState } from '../model/proxy-state.js';
import { finish } from '../pacing/slices.js';
import { decidePacket } from '../simulator/simulate-packet.js';
import { type Difference, expectationText, SHARE_TOLERANCE } from './compare-outcomes.js';
import { FindingGroups } from './finding-groups.js';
import { packetClasses } from './packet-classes.js';
import type { PacketPath, PathOutcome } from './packet-path.js';
import type { FamilyVerification } from './verification-result.js';

/** The packet path of one mode. */
export interface ModePath {
  readonly mode: string;
  readonly path: PacketPath;
  /** As `VerificationOptions.servesLoopback`. Default true. */
  readonly servesLoopback?: boolean;
}

/** Number of classes between two pauses. */
const SLICE = 64;

/**
 * Compares what two modes do with each class of packets of a state. In the findings, `expected` is the outcome in the first mode, and
 * `actual` that in the second. Packets to NodePorts on loopback addresses are compared where both modes serve them. Pure. Yields
 * after each few classes, so that a caller can pause.
 *
 * @throws RangeError when the state and a path differ in family.
 */
export function* compareModesInSlices(
  state: ProxyState,
  first: ModePath,
  second: ModePath,
): Generator<void, FamilyVerification> {
  for (const { mode, path } of [first, second]) {
    if (path.family !== state.family) {
      throw new RangeError(`a state of ${state.family} cannot be compared with rules of ${path.family} (mode ${mode})`);
    }
  }
  const servesLoopback = (first.servesLoopback ?? true) && (second.servesLoopback ?? true);
  const findings = new FindingGroups(state);
  let classes = 0;
  for (const one of packetClasses(state, first.path, (what) => findings.addUnread(what, what))) {
    if (one.from === 'loopback' && !servesLoopback && state.node.nodePortAddresses.loopback) {
      continue;
    }
    const outcomes = [first, second].map(({ path }) => path.outcomesOf(one.packet, false));
    const [before = [], after = []] = outcomes;
    if (!isEqual(sharesOf(before), sharesOf(after))) {
      const decision = decidePacket(state, one.packet, { localAddresses: first.path.localAddresses });
      const unknown = [...before, ...after].flatMap((outcome) => outcome.unknown)[0];
      const difference: Difference = {
        kind: unknown === undefined ? 'modes-differ' : 'unknown',
        expected: `${describe(before)} as in mode ${first.mode}`,
        actual: `${describe(after)} in mode ${second.mode}`,
        decidedBy: unknown,
        because: `by the state: ${expectationText(decision.outcome)}`,
      };
      findings.add(one, difference);
    }
    if (++classes % SLICE === 0) {
      yield;
    }
  }
  return findings.result(classes);
}

/** {@link compareModesInSlices} without pauses. */
export function compareModes(state: ProxyState, first: ModePath, second: ModePath): FamilyVerification {
  return finish(compareModesInSlices(state, first, second));
}

function sharesOf(outcomes: readonly PathOutcome[]): ReadonlyMap<string, number> {
  const shares = new Map<string, number>();
  for (const { verdict, destination, masqueraded, probability } of outcomes) {
    const isSent = verdict === 'accepted';
    const key = isSent
      ? `sent to ${destination ?? 'its own destination'}${masqueraded ? ', masqueraded' : ''}`
      : verdict;
    shares.set(key, (shares.get(key) ?? 0) + probability);
  }
  return shares;
}

function isEqual(first: ReadonlyMap<string, number>, second: ReadonlyMap<string, number>): boolean {
  return (
    first.size === second.size &&
    [...first].every(([key, share]) => Math.abs(share - (second.get(key) ?? -1)) <= share * SHARE_TOLERANCE + 1e-6)
  );
}

/** `sent to 10.0.0.1:80 or 10.0.0.2:80, masqueraded`; with shares when they are not equal. */
function describe(outcomes: readonly PathOutcome[]): string {
  const shares = [...sharesOf(outcomes)].sort(([a], [b]) => (a < b ? -1 : 1));
  const isEven = shares.every(([, share]) => Math.abs(share - 1 / shares.length) < SHARE_TOLERANCE);
  const texts = shares.map(([key, share]) => (isEven ? key : `${key} (${(share * 100).toFixed(1)} %)`));
  const more = texts.length > 4 ? ` and ${texts.length - 4} more` : '';
  return `${texts.slice(0, 4).join(' or ')}${more}`;
}
