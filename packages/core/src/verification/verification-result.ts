import type { IPFamily } from '../model/address.js';
import type { PacketClass } from './packet-classes.js';
import type { PathRule } from './packet-path.js';

/**
 * - `verified`: every class of packets was checked, and each has the outcome that the state says.
 * - `different`: at least one class has another outcome.
 * - `unknown`: no difference was found, but not everything could be checked.
 */
export type VerificationVerdict = 'verified' | 'different' | 'unknown';

/** The kind of a finding; stable, for programs. */
export type DifferenceKind =
  /** Answered as by a closed port. */
  | 'refused'
  /** No answer. */
  | 'dropped'
  /** The packet keeps its destination: no endpoint is chosen. */
  | 'not-forwarded'
  /** Sent to an address that is no endpoint of the Service. */
  | 'wrong-endpoint'
  /** An endpoint that should receive packets receives none. */
  | 'missing-endpoint'
  /** An endpoint receives more or fewer packets than its share. */
  | 'wrong-share'
  /** The source address should be replaced, and is kept. */
  | 'not-masqueraded'
  /** The source address should be kept, and is replaced. */
  | 'masqueraded'
  /** Packets should be refused or dropped, and are accepted. */
  | 'accepted'
  /** A network policy stops packets: its owner intends that, so it is no finding. */
  | 'network-policy'
  /** Two compared modes differ. */
  | 'modes-differ'
  /** The outcome depends on a rule, or on an object, that could not be interpreted or read. */
  | 'unknown';

/** One cause, and the classes of packets that it affects. */
export interface VerificationFinding {
  readonly result: 'different' | 'unknown';
  readonly kind: DifferenceKind;
  readonly family: IPFamily;
  /** The first class that was found; undefined where nothing could be checked. */
  readonly example: PacketClass | undefined;
  /** Number of classes with the same cause. */
  readonly classes: number;
  /** Service ports with the same cause, `namespace/name:port`, sorted; at most {@link MAX_LISTED_SERVICE_PORTS}. */
  readonly servicePorts: readonly string[];
  /** The outcome by the state, in a few words. */
  readonly expected: string;
  /** The outcome by the kernel, in a few words. */
  readonly actual: string;
  /** The rule, element or setting that decides; undefined where none does. */
  readonly decidedBy: PathRule | undefined;
  /** One sentence that names the cause, without a full stop. */
  readonly message: string;
}

/** Classes of packets that network policies stop on the way to the endpoints that the state names: no difference. */
export interface StoppedByPolicies {
  readonly classes: number;
  /** One of them, and the rule, in one sentence without a full stop. */
  readonly example: string;
}

/** The result of one verification of one IP family. */
export interface FamilyVerification {
  readonly family: IPFamily;
  readonly verdict: VerificationVerdict;
  /** `ProxyState.revision`. */
  readonly revision: number;
  /** Number of classes that were checked. */
  readonly classes: number;
  /** Number of classes with another outcome. */
  readonly different: number;
  /** Number of classes whose outcome is not known. */
  readonly unknown: number;
  /** What network policies of other programs stop; absent when they stop no class. */
  readonly networkPolicies?: StoppedByPolicies;
  /** Differences first, those that affect most classes first. At most {@link MAX_FINDINGS}. */
  readonly findings: readonly VerificationFinding[];
  /** Number of findings beyond those in `findings`. */
  readonly moreFindings: number;
}

/** Maximum number of findings in a result. */
export const MAX_FINDINGS = 500;

/** Maximum number of service ports that a finding lists. */
export const MAX_LISTED_SERVICE_PORTS = 20;

/** The verdict over several results; `unknown` where there are none. */
export function worstVerdict(verdicts: readonly VerificationVerdict[]): VerificationVerdict {
  return verdicts.includes('different')
    ? 'different'
    : verdicts.includes('unknown') || verdicts.length === 0
      ? 'unknown'
      : 'verified';
}

/** The verdict over families; `unknown` also when no class of packets was checked. */
export function overallVerdict(families: readonly FamilyVerification[]): VerificationVerdict {
  const worst = worstVerdict(families.map(({ verdict }) => verdict));
  return worst === 'verified' && families.every(({ classes }) => classes === 0) ? 'unknown' : worst;
}

/** `rule "-s 10.0.0.0/8 -j DROP" in chain FORWARD of table filter (iptables)`. */
export function describePathRule({ system, table, chain, text }: PathRule): string {
  if (system === 'sysctl') {
    return `sysctl ${text}`;
  }
  const place = [
    ...(chain === undefined ? [] : [`chain ${chain}`]),
    ...(table === undefined ? [] : [`${chain === undefined ? '' : 'of '}table ${table}`]),
  ].join(' ');
  return `"${text}"${place === '' ? '' : ` in ${place}`} (${system})`;
}
