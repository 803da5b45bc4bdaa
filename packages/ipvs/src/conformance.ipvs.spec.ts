import { fileURLToPath } from 'node:url';
import { describeConformance } from '@kube-proxier/conformance/jest';

const backend = fileURLToPath(new URL('../dist/index.js', import.meta.url));

/**
 * A part of the kit that runs with two sets of options: a start takes half a minute in that kernel, which has one slow
 * processor. `npm run conformance -- ipvs` runs all cases.
 */
const CASES = [
  ...['endpoint-*', 'service-*', 'udp-*', 'affinity-*', 'open-connection-*', 'external-ip-*', 'rolling-update'],
  ...['killed-and-started', 'flushed-and-repaired', 'cleaned-up'],
  ...['F-LB-*', 'EXT-L-S?', 'TOP-?', 'F-M-1/svc?-masqueradeall'],
];

// Two sandboxes, since much of a case is waiting.
describeConformance({ backend, mode: 'ipvs', cases: CASES, jobs: 2, patience: 4 });
