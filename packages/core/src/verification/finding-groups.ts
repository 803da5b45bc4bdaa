import { joinHostPort } from '../model/address.js';
import type { ProxyState } from '../model/proxy-state.js';
import type { Difference } from './compare-outcomes.js';
import type { PacketClass } from './packet-classes.js';
import {
  type FamilyVerification,
  MAX_FINDINGS,
  MAX_LISTED_SERVICE_PORTS,
  type StoppedByPolicies,
  type VerificationFinding,
} from './verification-result.js';

interface Group {
  readonly finding: Omit<VerificationFinding, 'classes' | 'servicePorts'>;
  classes: number;
  readonly servicePorts: Set<string>;
}

/** Differences by cause. */
export class FindingGroups {
  readonly #groups = new Map<string, Group>();
  #policies: StoppedByPolicies | undefined;
  #different = 0;
  #unknown = 0;

  constructor(private readonly state: ProxyState) {}

  addUnread(reason: string, message = `Nothing could be verified: ${reason}`): void {
    this.#groups.set(reason, {
      finding: {
        result: 'unknown',
        kind: 'unknown',
        family: this.state.family,
        example: undefined,
        expected: 'rules that can be read',
        actual: reason,
        decidedBy: undefined,
        message,
      },
      classes: 0,
      servicePorts: new Set(),
    });
  }

  add(example: PacketClass, difference: Difference): void {
    const { kind, expected, actual, decidedBy, because, cause = '' } = difference;
    if (kind === 'network-policy') {
      const { classes = 0, example: known } = this.#policies ?? {};
      const described = known ?? `${describeExample(example)} are ${actual}: ${because}`;
      this.#policies = { classes: classes + 1, example: described };
      return;
    }
    const result = kind === 'unknown' ? 'unknown' : 'different';
    if (result === 'unknown') {
      this.#unknown++;
    } else {
      this.#different++;
    }
    // One rule is one cause for all Services. Without a rule, each Service is a separate cause.
    const key =
      decidedBy === undefined
        ? `${kind} ${because} ${example.servicePort ?? example.to}`
        : `${kind} ${cause} ${decidedBy.system} ${decidedBy.table} ${decidedBy.chain} ${decidedBy.text}`;
    let group = this.#groups.get(key);
    if (group === undefined) {
      const instead = expected.startsWith('not ') ? `and should be ${expected}` : `not ${expected}`;
      const message = `${describeExample(example)} are ${actual}, ${instead}: ${because}`;
      group = {
        finding: { result, kind, family: this.state.family, example, expected, actual, decidedBy, message },
        classes: 0,
        servicePorts: new Set(),
      };
      this.#groups.set(key, group);
    }
    group.classes++;
    if (example.servicePort !== undefined && group.servicePorts.size < MAX_LISTED_SERVICE_PORTS) {
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
      ...(this.#policies === undefined ? {} : { networkPolicies: this.#policies }),
      findings: findings.slice(0, MAX_FINDINGS),
      moreFindings: Math.max(0, findings.length - MAX_FINDINGS),
    };
  }
}

function order({ result }: VerificationFinding): number {
  return result === 'different' ? 0 : 1;
}

function describeExample({ packet, from, to, servicePort }: PacketClass): string {
  const where = `${joinHostPort(packet.destination, packet.port)}/${packet.protocol}`;
  const whose = servicePort === undefined ? `(${to})` : `(${to} of ${servicePort})`;
  return `Packets from ${packet.source} (${from}) to ${where} ${whose}`;
}
