import { expect, test } from '@jest/globals';
import type { Node } from '@kube-proxier/core';
import { RecordingLogger } from '@kube-proxier/core/testing';
import { parseCommandLine } from '../flags/command-line.js';
import { readSettings } from '../flags/settings.js';
import { PodNetworkCheck } from './pod-network-check.js';

function problemsFor(nodes: readonly Node[], ...args: readonly string[]): readonly string[] {
  const logger = new RecordingLogger();
  const settings = readSettings(parseCommandLine(['--manifests=m', ...args]), ['iptables']);
  const check = new PodNetworkCheck(settings, logger);
  for (const node of nodes) {
    check.nodeEvent(node);
  }
  return logger.messages();
}

const without: Node = { metadata: { name: 'n' }, spec: { podCIDRs: [] } };
const having: Node = { metadata: { name: 'n' }, spec: { podCIDRs: ['10.244.0.0/24'] } };

test('a node without pod CIDRs is logged once, and again when it has some (spec W-20)', () => {
  const nodeCIDR = '--detect-local-mode=NodeCIDR';
  expect(problemsFor([without, without, { metadata: { name: 'n' } }, having, having], nodeCIDR)).toEqual([
    expect.stringMatching(/no spec\.podCIDRs, so --detect-local-mode=NodeCIDR/),
    expect.stringMatching(/works$/),
  ]);
  expect(problemsFor([having, { metadata: { name: 'n' }, spec: { podCIDR: '10.244.0.0/24' } }], nodeCIDR)).toEqual([]);
});

test('with another detection mode, pod CIDRs are not required', () => {
  expect(problemsFor([without], '--cluster-cidr=10.244.0.0/16')).toEqual([]);
});
