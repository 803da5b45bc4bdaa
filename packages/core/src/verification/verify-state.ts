import { LinearMap } from '../caching/linear-map.js';
import type { ProxyState } from '../model/proxy-state.js';
import { finish } from '../pacing/slices.js';
import { decidePacket } from '../simulator/simulate-packet.js';
import { countOf } from '../text/count-of.js';
import { compareOutcomes, type Difference, expectationText } from './compare-outcomes.js';
import { FindingGroups } from './finding-groups.js';
import { addressSamplesInSlices, type PacketClass, packetClasses } from './packet-classes.js';
import type { PacketPath, PathOutcome, PathPacket } from './packet-path.js';
import type { FamilyVerification } from './verification-result.js';

/** Options of a verification. */
export interface VerificationOptions {
  /**
   * The mode serves NodePorts on loopback addresses (`BackendCapabilities.localhostNodePorts`); otherwise packets to
   * them are not checked, even if the state serves them. Default true.
   */
  readonly servesLoopback?: boolean;
  /**
   * The state in force, which may change during the verification of a live path. Classes of packets are those of the
   * first state; their expected outcomes are those of this state. Default: the state does not change.
   */
  readonly current?: () => ProxyState;
  /**
   * Maximum number of differing classes of a live path in memory. When it is reached, they are checked again before the
   * verification continues. Default 65,536.
   */
  readonly maxSuspects?: number;
}

/** Number of classes, and of their outcomes, after which a live path is read again where it changed, without a pause too. */
const [MAX_CLASSES, MAX_OUTCOMES] = [64, 256];
/** Number of checks of a class that differs on a live path. A transaction takes milliseconds. */
const CHECKS = 10;
/**
 * Number of differing classes above which transactions in progress are not the cause, and the number of checks then.
 */
const [MANY, FEW_CHECKS] = [256, 3];
/**
 * Maximum number of differing classes in memory, some 400 bytes each. When it is reached, these classes are checked again
 * before the verification continues.
 */
const MAX_SUSPECTS = 65_536;
/** Number of final checks in which the state of a class must not change for its difference to count. */
const STEADY_CHECKS = 3;

/**
 * A pause of a verification: `later` waits about 50 ms for transactions in progress; otherwise the caller chooses the
 * duration.
 */
export type VerificationPause = 'later' | undefined;

/** A path whose outcomes are counted. */
class CountedPath {
  /** The few addresses of most hosts are compared with hundreds of thousands of endpoints. */
  readonly localAddresses: LinearMap<true>;
  #classes = 0;
  #outcomes = 0;
  /** Whether the caller has paused since the path was read again. */
  #hasPaused = false;

  constructor(private readonly path: PacketPath) {
    this.localAddresses = new LinearMap([...path.localAddresses].map((address) => [address, true] as const));
  }

  *outcomesOf(packet: PathPacket, explains: boolean): Generator<undefined, readonly PathOutcome[]> {
    const { path } = this;
    const outcomes =
      path.outcomesInSlices === undefined
        ? path.outcomesOf(packet, explains)
        : yield* this.#notePauses(path.outcomesInSlices(packet, explains));
    this.#outcomes += outcomes.length;
    return outcomes;
  }

  /** Runs these slices, also where the caller pauses within them. */
  *#notePauses<Result>(slices: Generator<undefined, Result>): Generator<undefined, Result, unknown> {
    for (;;) {
      const { done, value } = slices.next();
      if (done) {
        return value;
      }
      this.#hasPaused ||= (yield) === true;
    }
  }

  /**
   * Called after each class, so that the caller can pause. After a pause, and after some classes, a live path is read again where it
   * changed. Parts that take long to read may be read again only after a while: otherwise their cost would grow with the number of classes.
   */
  *afterClass(): Generator<undefined, void, unknown> {
    this.#classes += 1;
    this.#hasPaused ||= (yield) === true;
    if (this.#hasPaused || this.#classes >= MAX_CLASSES || this.#outcomes >= MAX_OUTCOMES) {
      this.refresh(false);
      yield* this.prepare();
    }
  }

  /** To be called after a refresh and a pause. */
  *prepare(): Generator<undefined, void> {
    if (this.path.prepareInSlices !== undefined) {
      yield* this.path.prepareInSlices();
    }
  }

  refresh(isUrgent = true): void {
    this.#classes = 0;
    this.#outcomes = 0;
    this.#hasPaused = false;
    this.path.refresh?.(isUrgent);
  }
}

/** What a class is checked with. */
type CheckedPath = Pick<CountedPath, 'outcomesOf' | 'localAddresses'>;

/** A class that differed in every check so far. */
interface Suspect {
  readonly one: PacketClass;
  /** What the state requires, as text. */
  readonly expected: string;
  /** Consecutive checks with that expectation. */
  readonly steady: number;
}

/**
 * Compares a state with the objects read from the kernel: for each class of packets, the outcome by the state with the
 * outcomes by the kernel. Pure, unless the path is live. On a live path, a class that differs is checked again, ten
 * times in half a second (three times where more than 256 differ), each time with the state that is in force then: it
 * counts as different when it differed in every check, and as unknown when its state changed during the last checks.
 * Yields after each class, so that a caller can pause: it then passes true to `next`.
 *
 * @throws RangeError when the state and the path differ in family; and what a live path throws each time.
 */
export function* verifyInSlices(
  state: ProxyState,
  given: PacketPath,
  { current = () => state, servesLoopback = true, maxSuspects = MAX_SUSPECTS }: VerificationOptions = {},
): Generator<VerificationPause, FamilyVerification, unknown> {
  if (state.family !== given.family) {
    throw new RangeError(`a state of ${state.family} cannot be verified with rules of ${given.family}`);
  }
  const findings = new FindingGroups(state);
  for (const reason of given.unread) {
    findings.addUnread(reason);
  }
  const path = new CountedPath(given);
  let classes = 0;
  const suspects: Suspect[] = [];
  let changed = 0;
  let areMany = false;
  function* settle(first: readonly Suspect[]): Generator<VerificationPause, void> {
    areMany ||= first.length > MANY;
    let left = first;
    for (let check = 2; left.length > 0 && check <= (areMany ? FEW_CHECKS : CHECKS); check++) {
      yield 'later';
      path.refresh();
      yield* path.prepare();
      const again: Suspect[] = [];
      for (const { one, ...before } of left) {
        again.push(...(yield* checked(one, path, current(), before)));
        yield* path.afterClass();
      }
      left = again;
    }
    for (const { one, steady } of left) {
      if (steady >= STEADY_CHECKS) {
        add(findings, one, yield* differenceOf(one, current(), path, true));
      } else {
        changed += 1;
      }
      yield* path.afterClass();
    }
  }
  const omitted = (what: string) => findings.addUnread(what, what);
  const samples = yield* addressSamplesInSlices(state, given);
  for (const one of given.unread.length > 0 ? [] : packetClasses(state, given, omitted, samples)) {
    if (one.from === 'loopback' && !servesLoopback && state.node.nodePortAddresses.loopback) {
      continue;
    }
    if (given.isLive === true) {
      suspects.push(...(yield* checked(one, path, current())));
    } else if ((yield* differenceOf(one, state, path, false)) !== undefined) {
      add(findings, one, yield* differenceOf(one, state, path, true));
    }
    classes++;
    yield* path.afterClass();
    if (suspects.length >= maxSuspects) {
      yield* settle(suspects.splice(0));
    }
  }
  yield* settle(suspects);
  if (changed > 0) {
    const what = `${countOf(changed, 'packet class', 'packet classes')} changed while they were verified`;
    findings.addUnread(what, what);
  }
  return findings.result(classes);
}

function expectationOf({ packet }: PacketClass, state: ProxyState, { localAddresses }: CheckedPath): string {
  return expectationText(decidePacket(state, packet, { localAddresses }).outcome);
}

function add(findings: FindingGroups, one: PacketClass, difference: Difference | undefined): void {
  if (difference !== undefined) {
    findings.add(one, difference);
  }
}

/** @param explains whether outcomes include the cause, which costs time. */
function* differenceOf(
  { packet }: PacketClass,
  state: ProxyState,
  path: CheckedPath,
  explains: boolean,
): Generator<undefined, Difference | undefined> {
  const outcomes = yield* path.outcomesOf(packet, explains);
  return compareOutcomes(decidePacket(state, packet, { localAddresses: path.localAddresses }), outcomes);
}

/** A class to check again, because it differs or cannot be read; else undefined. */
function* checked(
  one: PacketClass,
  path: CheckedPath,
  state: ProxyState,
  before?: Pick<Suspect, 'expected' | 'steady'>,
): Generator<undefined, readonly Suspect[]> {
  try {
    if ((yield* differenceOf(one, state, path, false)) === undefined) {
      return [];
    }
  } catch {
    // It may be readable in the next check; the last comparison throws.
  }
  const expected = expectationOf(one, state, path);
  return [{ one, expected, steady: expected === before?.expected ? before.steady + 1 : 1 }];
}

/** {@link verifyInSlices} without pauses, of a path that is not live, or of a kernel that does not change. */
export function verifyState(
  state: ProxyState,
  path: PacketPath,
  options: VerificationOptions = {},
): FamilyVerification {
  return finish(verifyInSlices(state, path, options));
}
