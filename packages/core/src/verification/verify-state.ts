import type { ProxyState } from '../model/proxy-state.js';
import { finish } from '../pacing/slices.js';
import { decidePacket } from '../simulator/simulate-packet.js';
import { compareOutcomes, type Difference, expectationText } from './compare-outcomes.js';
import { FindingGroups } from './finding-groups.js';
import { type PacketClass, packetClasses } from './packet-classes.js';
import type { PacketPath } from './packet-path.js';
import type { FamilyVerification } from './verification-result.js';

/** Options of a verification. */
export interface VerificationOptions {
  /**
   * The mode serves NodePorts on loopback addresses (`BackendCapabilities.localhostNodePorts`); where it does not, though the state
   * asks for it, packets to them are not checked. Default true.
   */
  readonly servesLoopback?: boolean;
  /**
   * The state in force, which may change during the verification of a live path. Classes of packets are those of the first state, what
   * should happen to them is decided by this one. Default: the state does not change.
   */
  readonly current?: () => ProxyState;
}

/** Classes between two pauses of {@link verifyInSlices}. */
const SLICE = 64;
/** Times that a class which differs is looked at on a live path. A change that is on its way takes milliseconds. */
const LOOKS = 10;
/** Classes that differ at a time, beyond which changes on their way are not the reason, and the number of looks then. */
const [MANY, FEW_LOOKS] = [256, 3];

/**
 * Where a verification can pause: `later` where it waits for changes that are on their way, some 50 ms; else for as long as the
 * caller likes.
 */
export type VerificationPause = 'later' | undefined;

/**
 * Compares a state with the objects that were read from the kernel: for each class of packets, the outcome by the state with
 * the outcomes by the kernel. Pure, unless the path is live: then a class that differs is looked at again, until it agrees with the
 * state that is in force at that moment, or has differed each time; it is unknown where its Service has changed since. Yields after each few classes, so that a caller can pause.
 *
 * @throws RangeError when the state and the path differ in family; and what a live path throws each time.
 */
export function* verifyInSlices(
  state: ProxyState,
  path: PacketPath,
  { current = () => state, servesLoopback = true }: VerificationOptions = {},
): Generator<VerificationPause, FamilyVerification> {
  if (state.family !== path.family) {
    throw new RangeError(`a state of ${state.family} cannot be verified with rules of ${path.family}`);
  }
  const findings = new FindingGroups(state);
  for (const reason of path.unread) {
    findings.addUnread(reason);
  }
  let classes = 0;
  let suspects: PacketClass[] = [];
  for (const one of path.unread.length > 0 ? [] : packetClasses(state, path)) {
    if (one.from === 'loopback' && !servesLoopback && state.node.nodePortAddresses.loopback) {
      continue;
    }
    if (path.isLive === true) {
      if (seemsDifferent(one, path, current)) {
        suspects.push(one);
      }
    } else if (differenceOf(one, state, path, false) !== undefined) {
      add(findings, one, differenceOf(one, state, path, true));
    }
    if (++classes % SLICE === 0) {
      path.refresh?.();
      yield;
    }
  }
  for (let look = 2; suspects.length > 0 && look < (suspects.length > MANY ? FEW_LOOKS : LOOKS); look++) {
    yield 'later';
    path.refresh?.();
    const again: PacketClass[] = [];
    for (const [index, one] of suspects.entries()) {
      if (seemsDifferent(one, path, current)) {
        again.push(one);
      }
      if (index % SLICE === SLICE - 1) {
        path.refresh?.();
        yield;
      }
    }
    suspects = again;
  }
  let changed = 0;
  for (const [index, one] of suspects.entries()) {
    if (expectationOf(one, state, path) === expectationOf(one, current(), path)) {
      add(findings, one, differenceOf(one, current(), path, true));
    } else {
      // Chains and ranges are those of the first state: what differs may be older than the state in force.
      changed += 1;
    }
    if (index % SLICE === SLICE - 1) {
      path.refresh?.();
      yield;
    }
  }
  if (changed > 0) {
    findings.addUnread(`${changed} packet classes changed while they were verified`);
  }
  return findings.result(classes);
}

function expectationOf({ packet }: PacketClass, state: ProxyState, { localAddresses }: PacketPath): string {
  return expectationText(decidePacket(state, packet, { localAddresses }).outcome);
}

function add(findings: FindingGroups, one: PacketClass, difference: Difference | undefined): void {
  if (difference !== undefined) {
    findings.add(one, difference);
  }
}

/** @param explains whether outcomes say why, which costs time. */
function differenceOf(
  { packet }: PacketClass,
  state: ProxyState,
  path: PacketPath,
  explains: boolean,
): Difference | undefined {
  const decision = decidePacket(state, packet, { localAddresses: path.localAddresses });
  return compareOutcomes(decision, path.outcomesOf(packet, explains));
}

/** Whether a class must be looked at again. */
function seemsDifferent(one: PacketClass, path: PacketPath, current: () => ProxyState): boolean {
  try {
    return differenceOf(one, current(), path, false) !== undefined;
  } catch {
    // It may be readable the next time; the last look throws.
    return true;
  }
}

/** {@link verifyInSlices} without pauses, of a path that is not live or a kernel that nobody changes. */
export function verifyState(
  state: ProxyState,
  path: PacketPath,
  options: VerificationOptions = {},
): FamilyVerification {
  return finish(verifyInSlices(state, path, options));
}
