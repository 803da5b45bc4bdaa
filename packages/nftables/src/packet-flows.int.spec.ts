import { fileURLToPath } from 'node:url';
import { describeConformance } from '@kube-proxier/conformance/jest';
import { casesOf } from '@kube-proxier/core/testing';

const backend = fileURLToPath(new URL('../dist/index.js', import.meta.url));

describeConformance({
  backend,
  mode: 'nftables',
  // More cases than in other modes: also what core decides, such as which endpoints may get a connection.
  cases: casesOf(
    [
      ...[
        'endpoint-*',
        'service-*',
        'affinity-*',
        'open-connection-*',
        'external-ip-*',
        'rolling-update',
        'slow-start',
      ],
      ...[
        'slice-weights',
        'drained-affinity',
        'all-endpoints-drained',
        'cluster-ip-other-ports',
        'node-port-addresses',
      ],
      ...['udp-endpoint-drained', 'udp-endpoint-removed', 'udp-endpoint-comes', 'udp-endpoint-stops-serving'],
      ...['udp-last-endpoint-terminates', 'killed-and-started', 'flushed-and-repaired', 'cleaned-up', 'counters-*'],
      ...['reset-endpoint-gone', 'reset-last-endpoint-gone', 'reset-dropped', 'keep-endpoint-gone'],
      ...[
        'port-range',
        'port-range-shifted',
        'port-range-changes',
        'port-range-source-ranges',
        'port-range-local-policy',
      ],
      ...['CIP-L-S?', 'EXT-L-S?', 'CIP-C-S1', 'CIP-C-S5', 'EXT-C-S0', 'EXT-C-S1', 'F-I-?', 'F-T-?', 'F-E-1', 'F-A-1'],
      ...['F-LB-1', 'F-LB-1?', 'F-CIP-1', 'F-CIP-2', 'F-CIP-3', 'F-CIP-4', 'F-CIP-5', 'F-CIP-8', 'F-MISC-3'],
      ...[
        'F-NP-?',
        'F-NP-14',
        'K-70',
        'K-73',
        'F-M-1',
        'F-M-1/svc1-masqueradeall',
        'TOP-1',
        'TOP-2',
        'TOP-12',
        'TOP-14',
      ],
    ],
    ['quick'],
  ),
  jobs: 2,
  patience: 3,
});
