import { fileURLToPath } from 'node:url';
import { describeConformance } from '@kube-proxier/conformance/jest';
import { casesOf } from '@kube-proxier/core/testing';

const backend = fileURLToPath(new URL('../dist/index.js', import.meta.url));

describeConformance({
  backend,
  mode: 'iptables',
  options: { variant: 'nft' },
  // Which endpoints may get a connection is decided in core; the cases of mode nftables show it by packets.
  cases: casesOf(
    [
      ...['CIP-?-S1', 'CIP-L-S2', 'EXT-?-S1', 'EXT-L-S4', 'F-CIP-?', 'F-E-1', 'F-I-1', 'F-LB-1', 'F-LB-10', 'F-NP-1'],
      ...[
        'endpoint-added',
        'endpoint-removed',
        'endpoint-weights',
        'endpoint-drained',
        'affinity-kept',
        'affinity-moved',
      ],
      ...['service-removed', 'service-changes-external-policy', 'service-changes-source-ranges', 'rolling-update'],
      ...['udp-endpoint-removed', 'udp-endpoint-comes', 'open-connection-goes-on'],
      ...['node-port-localhost', 'port-range', 'port-range-changes', 'counters-connections', 'reset-endpoint-gone'],
      ...['keep-endpoint-gone', 'killed-and-started', 'flushed-and-repaired', 'cleaned-up'],
    ],
    ['quick'],
  ),
  jobs: 2,
  patience: 3,
});
// The rules are the same text; a part shows whether legacy accepts each kind of them, and that its tables are followed.
describeConformance({
  backend,
  mode: 'iptables',
  options: { variant: 'legacy' },
  cases: casesOf(
    ['EXT-L-S1', 'F-LB-1', 'F-LB-10', 'affinity-moved', 'rolling-update', 'flushed-and-repaired'],
    ['quick'],
  ),
  jobs: 1,
  patience: 3,
});
