import { familyOf, MAX_LISTED_SERVICE_PORTS, type PacketAnswer, type VerificationFinding } from '@kube-proxier/core';
import type { NodeVerification } from './verify-node.js';

/** The most findings that an answer names. */
const MAX_NOTES = 3;

/**
 * The differences that the last verification found for the Services of an answer, as notes of that answer: an answer says what the
 * state decides, and rules of other programs may do otherwise. Pure.
 *
 * @param last null before the first verification: no notes.
 */
export function verificationNotes({ cases }: Pick<PacketAnswer, 'cases'>, last: NodeVerification | null): string[] {
  const servicePorts = new Set(cases.flatMap(({ explanation }) => explanation.servicePort ?? []));
  const families = new Set(cases.map(({ explanation }) => familyOf(explanation.packet.destination)));
  const found = (last?.families ?? [])
    .filter(({ family }) => families.has(family))
    .flatMap(({ findings }) => findings)
    .filter((finding) => finding.result === 'different' && concerns(finding, servicePorts));
  return found
    .slice(0, MAX_NOTES)
    .map(
      ({ message }) =>
        `The kernel did not do so at the last verification (${last?.time}): ${message}. "kube-proxier verify" verifies now.`,
    );
}

/** A finding of very many Services does not list all of them. */
function concerns(finding: VerificationFinding, servicePorts: ReadonlySet<string>): boolean {
  return (
    finding.servicePorts.length >= MAX_LISTED_SERVICE_PORTS || finding.servicePorts.some((one) => servicePorts.has(one))
  );
}
