import { joinHostPort } from '../model/address.js';
import type { ProxyState } from '../model/proxy-state.js';
import type { Difference } from './compare-outcomes.js';
import type { PacketClass } from './packet-classes.js';
import {
  type FamilyVerification,
  MAX_FINDINGS,
  MAX_LISTED_SERVICE_PORTS,
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
      const { packet } = example;
      const where = `${joinHostPort(packet.destination, packet.port)}/${packet.protocol}`;
      const whose = example.servicePort === undefined ? `(${example.to})` : `(${example.to} of ${example.servicePort})`;
      const instead = expected.startsWith('not ') ? `and should be ${expected}` : `not ${expected}`;
      const message = `Packets from ${packet.source} (${example.from}) to ${where} ${whose} are ${actual}, ${instead}: ${because}`;
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
      findings: findings.slice(0, MAX_FINDINGS),
      moreFindings: Math.max(0, findings.length - MAX_FINDINGS),
    };
  }
}

function order({ result }: VerificationFinding): number {
  return result === 'different' ? 0 : 1;
}
