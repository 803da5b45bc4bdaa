import { fileURLToPath } from 'node:url';
import { describeConformance } from '@kube-proxier/conformance/jest';
import { casesOf, isThorough } from '@kube-proxier/core/testing';

const backend = fileURLToPath(new URL('../dist/index.js', import.meta.url));

/**
 * A part of the kit, because that kernel has one slow processor; in a usual run with one set of options, as a start takes half
 * a minute. `npm run conformance -- ipvs` runs all cases.
 */
const CASES = casesOf(
  [
    ...['endpoint-removed', 'endpoint-weights', 'udp-endpoint-removed', 'EXT-L-S3'],
    ...['rolling-update', 'killed-and-started', 'flushed-and-repaired'],
  ],
  [
    'cleaned-up',
    ...['endpoint-*', 'udp-*', 'affinity-*', 'open-connection-*', 'EXT-L-S?', 'service-*', 'external-ip-*', 'F-LB-*'],
    ...['TOP-?', 'F-M-1/svc?-masqueradeall'],
  ],
);

// Two sandboxes for many cases, since much of a case is waiting; to build one takes as long as several cases.
describeConformance({ backend, mode: 'ipvs', cases: CASES, jobs: isThorough ? 2 : 1, patience: 6 });
