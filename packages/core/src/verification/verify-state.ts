import { joinHostPort } from '../model/address.js';
import type { ProxyState } from '../model/proxy-state.js';
import { decidePacket } from '../simulator/simulate-packet.js';
import { compareOutcomes, type Difference } from './compare-outcomes.js';
import { type PacketClass, packetClasses } from './packet-classes.js';
import type { PacketPath } from './packet-path.js';
import { type FamilyVerification, MAX_FINDINGS, type VerificationFinding } from './verification-result.js';

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
const MAX_SERVICE_PORTS = 20;

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
    const difference = compareOutcomes(decision, path.outcomesOf(one.packet));
    if (difference !== undefined) {
      findings.add(one, difference);
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
  const slices = verifyInSlices(state, path, options);
  for (;;) {
    const { done, value } = slices.next();
    if (done) {
      return value;
    }
  }
}

interface Group {
  readonly finding: Omit<VerificationFinding, 'classes' | 'servicePorts'>;
  classes: number;
  readonly servicePorts: Set<string>;
}

/** Differences by cause. */
class FindingGroups {
  readonly #groups = new Map<string, Group>();
  #different = 0;
  #unknown = 0;

  constructor(private readonly state: ProxyState) {}

  addUnread(reason: string): void {
    this.#groups.set(reason, {
      finding: {
        result: 'unknown',
        kind: 'unknown',
        family: this.state.family,
        example: undefined,
        expected: 'rules that can be read',
        actual: reason,
        decidedBy: undefined,
        message: `Nothing could be verified: ${reason}`,
      },
      classes: 0,
      servicePorts: new Set(),
    });
  }

  add(example: PacketClass, difference: Difference): void {
    const { kind, expected, actual, decidedBy, because, cause = '' } = difference;
    const result = kind === 'unknown' ? 'unknown' : 'different';
    if (result === 'unknown') {
      this.#unknown++;
    } else {
      this.#different++;
    }
    // The same rule is one cause, whomever it affects. Without a rule each Service is a cause.
    const key =
      decidedBy === undefined
        ? `${kind} ${because} ${example.servicePort ?? example.to}`
        : `${kind} ${cause} ${decidedBy.system} ${decidedBy.table} ${decidedBy.chain} ${decidedBy.text}`;
    let group = this.#groups.get(key);
    if (group === undefined) {
      const { packet } = example;
      const where = `${joinHostPort(packet.destination, packet.port)}/${packet.protocol}`;
      const whose = example.servicePort === undefined ? `(${example.to})` : `(${example.to} of ${example.servicePort})`;
      const message = `Packets from ${packet.source} (${example.from}) to ${where} ${whose} are ${actual}, not ${expected}: ${because}`;
      group = {
        finding: { result, kind, family: this.state.family, example, expected, actual, decidedBy, message },
        classes: 0,
        servicePorts: new Set(),
      };
      this.#groups.set(key, group);
    }
    group.classes++;
    if (example.servicePort !== undefined && group.servicePorts.size < MAX_SERVICE_PORTS) {
      group.servicePorts.add(example.servicePort);
    }
  }

  result(classes: number): FamilyVerification {
    const findings = [...this.#groups.values()]
      .map(
        (group): VerificationFinding => ({
          ...group.finding,
          classes: group.classes,
          servicePorts: [...group.servicePorts].sort(),
        }),
      )
      .sort((a, b) => order(a) - order(b) || b.classes - a.classes);
    return {
      family: this.state.family,
      verdict: this.#different > 0 ? 'different' : findings.length > 0 ? 'unknown' : 'verified',
      revision: this.state.revision,
      classes,
      different: this.#different,
      unknown: this.#unknown,
      findings: findings.slice(0, MAX_FINDINGS),
      moreFindings: Math.max(0, findings.length - MAX_FINDINGS),
    };
  }
}

function order({ result }: VerificationFinding): number {
  return result === 'different' ? 0 : 1;
}
