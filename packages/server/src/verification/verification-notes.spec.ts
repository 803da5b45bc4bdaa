import { expect, test } from '@jest/globals';
import { answerPacketQuestion, readPacketQuestion, type VerificationFinding } from '@kube-proxier/core';
import { makeService, makeSlice, resolveObjects } from '@kube-proxier/core/testing';
import { verificationNotes } from './verification-notes.js';
import type { NodeVerification } from './verify-node.js';

const STATE = resolveObjects({
  services: [makeService('work/web', { clusterIP: '10.96.0.1' })],
  slices: [makeSlice('work/web', ['10.244.0.1'])],
});
const ANSWER = answerPacketQuestion(
  [STATE],
  readPacketQuestion({ source: '10.244.0.9', destination: '10.96.0.1:80', namespace: 'work' }),
);
const KEY = ANSWER.cases[0]?.explanation.servicePort ?? '';

function verified(finding: Partial<VerificationFinding>): NodeVerification {
  const different: VerificationFinding = {
    ...{ result: 'different', kind: 'dropped', family: 'IPv4', example: undefined, classes: 1, servicePorts: [] },
    ...{ expected: 'forwarded', actual: 'dropped', decidedBy: undefined, message: 'Packets are dropped', ...finding },
  };
  const counts = { revision: 1, classes: 9, different: 1, unknown: 0, moreFindings: 0 };
  return {
    ...{ apiVersion: 'kube-proxier.io/v1alpha1', kind: 'NodeVerification', verdict: 'different', mode: 'nftables' },
    ...{ time: '2026-11-23T14:03:05Z', seconds: 1 },
    families: [{ ...counts, family: different.family, verdict: 'different', findings: [different] }],
  };
}

const others = (count: number) => Array.from({ length: count }, (_, index) => `work/other-${index}`);

test.each<[what: string, last: NodeVerification | null, notes: number]>([
  ['before the first verification', null, 0],
  ['with a difference of this Service', verified({ servicePorts: [KEY] }), 1],
  ['with a difference of another Service', verified({ servicePorts: others(1) }), 0],
  ['with a difference of more Services than are listed', verified({ servicePorts: others(20) }), 1],
  ['with a difference of the other IP family', verified({ servicePorts: [KEY], family: 'IPv6' }), 0],
  ['with an unknown result', verified({ servicePorts: [KEY], result: 'unknown' }), 0],
])('notes of an answer %s', (_what, last, notes) => {
  expect(verificationNotes(ANSWER, last)).toEqual(
    notes === 0
      ? []
      : [
          'The kernel did not do so at the last verification (2026-11-23T14:03:05Z): Packets are dropped. "kube-proxier verify" verifies now.',
        ],
  );
});
