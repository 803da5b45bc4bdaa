import type { FamilyVerification, VerificationFinding, VerificationVerdict } from '@kube-proxier/core';
import type { NodeVerification } from '@kube-proxier/server';
import type { ModeComparison } from './mode-comparison.js';

const VERDICTS: Readonly<Record<VerificationVerdict, string>> = {
  verified: 'VERIFIED: the kernel does what the state says',
  different: 'DIFFERENT: the kernel does not do what the state says',
  unknown: 'UNKNOWN: no difference was found, but not everything could be verified',
};

/** Maximum service ports listed with a finding. */
const MAX_SERVICE_PORTS = 5;

/** A verification for a person: the verdict, then each cause with the packets that it affects. */
export function formatVerification({ verdict, mode, seconds, families }: NodeVerification): string {
  return formatFamilies(`${VERDICTS[verdict]} (mode ${mode})`, 'verified', seconds, families);
}

/** A verification by real connections for a person. */
export function formatConnections({ verdict, mode, seconds, families }: NodeVerification): string {
  const texts: Readonly<Record<VerificationVerdict, string>> = {
    verified: 'VERIFIED: real connections of this node go where the state says',
    different: 'DIFFERENT: real connections of this node do not go where the state says',
    unknown: 'UNKNOWN: no difference was found, but not every connection could be compared',
  };
  return formatFamilies(`${texts[verdict]} (mode ${mode})`, 'verified', seconds, families);
}

/** A comparison of two modes for a person. */
export function formatComparison({ verdict, modes, seconds, families }: ModeComparison): string {
  const [first, second] = modes;
  const texts: Readonly<Record<VerificationVerdict, string>> = {
    verified: `THE SAME: modes ${first} and ${second} do the same with every packet`,
    different: `DIFFERENT: modes ${first} and ${second} do different things`,
    unknown: `UNKNOWN: not everything that modes ${first} and ${second} do could be compared`,
  };
  return formatFamilies(texts[verdict], 'the same', seconds, families);
}

function formatFamilies(
  headline: string,
  good: string,
  seconds: number,
  families: readonly FamilyVerification[],
): string {
  const lines = [headline, '', ...countLines(good, families)];
  if (families.every(({ classes, findings }) => classes === 0 && findings.length === 0)) {
    lines.push('No Service has an address, so there is nothing to verify.');
  }
  lines.push(`Duration: ${seconds.toFixed(1)} s`, ...findingLines(families));
  return `${lines.join('\n')}\n`;
}

/**
 * One line for each family.
 *
 * @param good term for classes without a finding, such as `verified`.
 */
export function countLines(good: string, families: readonly FamilyVerification[]): readonly string[] {
  return families.map(({ family, classes, different, unknown, networkPolicies }) => {
    const stopped = networkPolicies?.classes ?? 0;
    const policies = stopped === 0 ? '' : `, ${stopped} stopped by network policies`;
    const rest = classes - different - unknown - stopped;
    return `${family}: ${classes} classes of packets: ${rest} ${good}, ${different} different, ${unknown} unknown${policies}`;
  });
}

/** Each cause with the packets that it affects, after an empty line; then an example of what network policies stop. */
export function findingLines(families: readonly FamilyVerification[]): readonly string[] {
  const lines: string[] = [];
  for (const { family, findings, moreFindings, networkPolicies } of families) {
    for (const finding of findings) {
      lines.push('', ...formatFinding(family, finding));
    }
    if (moreFindings > 0) {
      lines.push('', `${family}: and ${moreFindings} more findings`);
    }
    if (networkPolicies !== undefined) {
      lines.push('', `Stopped by network policies (${family}), which is no difference: ${networkPolicies.example}.`);
    }
  }
  return lines;
}

function formatFinding(family: string, { result, message, classes, servicePorts }: VerificationFinding): string[] {
  const shown = servicePorts.slice(0, MAX_SERVICE_PORTS).join(', ');
  const more = servicePorts.length > MAX_SERVICE_PORTS ? ' and more' : '';
  return [
    `${result === 'different' ? 'Different' : 'Unknown'} (${family}): ${message}.`,
    ...(classes > 1
      ? [`  The same for ${classes} classes of packets${shown === '' ? '' : `, of ${shown}${more}`}.`]
      : []),
  ];
}
