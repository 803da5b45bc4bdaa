import type { ProxyState } from '../model/proxy-state.js';
import { finish } from '../pacing/slices.js';
import { decidePacket } from '../simulator/simulate-packet.js';
import { compareOutcomes } from './compare-outcomes.js';
import { FindingGroups } from './finding-groups.js';
import { packetClasses } from './packet-classes.js';
import type { PacketPath } from './packet-path.js';
import type { FamilyVerification } from './verification-result.js';

/** Options of a verification. */
export interface VerificationOptions {
  /**
   * The mode serves NodePorts on loopback addresses (`BackendCapabilities.localhostNodePorts`); where it does not, though the state
   * asks for it, packets to them are not checked. Default true.
   */
  readonly servesLoopback?: boolean;
}

/** Classes between two pauses of {@link verifyInSlices}. */
const SLICE = 64;

/**
 * Compares a state with the objects that were read from the kernel: for each class of packets, the outcome by the state with
 * the outcomes by the kernel. Pure. Yields after each few classes, so that a caller can pause.
 *
 * @throws RangeError when the state and the path differ in family.
 */
export function* verifyInSlices(
  state: ProxyState,
  path: PacketPath,
  { servesLoopback = true }: VerificationOptions = {},
): Generator<void, FamilyVerification> {
  if (state.family !== path.family) {
    throw new RangeError(`a state of ${state.family} cannot be verified with rules of ${path.family}`);
  }
  const findings = new FindingGroups(state);
  for (const reason of path.unread) {
    findings.addUnread(reason);
  }
  let classes = 0;
  for (const one of path.unread.length > 0 ? [] : packetClasses(state, path)) {
    if (one.from === 'loopback' && !servesLoopback && state.node.nodePortAddresses.loopback) {
      continue;
    }
    const decision = decidePacket(state, one.packet, { localAddresses: path.localAddresses });
    if (compareOutcomes(decision, path.outcomesOf(one.packet, false)) !== undefined) {
      const difference = compareOutcomes(decision, path.outcomesOf(one.packet));
      if (difference !== undefined) {
        findings.add(one, difference);
      }
    }
    if (++classes % SLICE === 0) {
      yield;
    }
  }
  return findings.result(classes);
}

/** {@link verifyInSlices} without pauses. */
export function verifyState(
  state: ProxyState,
  path: PacketPath,
  options: VerificationOptions = {},
): FamilyVerification {
  return finish(verifyInSlices(state, path, options));
}
