import { fileURLToPath } from 'node:url';
import { describeConformance } from '@kube-proxier/conformance/jest';
import { casesOf } from '@kube-proxier/core/testing';

const backend = fileURLToPath(new URL('../dist/index.js', import.meta.url));

describeConformance({
  backend,
  mode: 'iptables',
  options: { variant: 'nft' },
  // Which endpoints may get a connection is decided in core; the quick cases of mode nftables show it by packets.
  cases: casesOf(
    [
      ...['CIP-?-S1', 'CIP-L-S2', 'CIP-L-S6', 'EXT-?-S1', 'EXT-L-S?', 'F-*', 'K-*', 'TOP-1', 'cleaned-up'],
      ...['endpoint-*', 'service-*', 'affinity-*', 'udp-*', 'open-connection-*', 'external-ip-*', 'rolling-update'],
      ...['slow-start', 'drained-affinity', 'all-endpoints-drained', 'slice-weights', 'node-port-*', 'port-range*'],
      ...['counters-*', 'reset-*', 'keep-*', 'killed-and-started', 'changed-while-dead', 'flushed-and-repaired'],
    ],
    ['quick'],
  ),
  patience: 3,
});
// The rules are the same text; a part shows whether legacy accepts each kind of them, and that its tables are followed.
describeConformance({
  backend,
  mode: 'iptables',
  options: { variant: 'legacy' },
  cases: casesOf(
    ['EXT-L-S1', 'EXT-L-S4', 'F-LB-1*', 'affinity-moved', 'rolling-update', 'flushed-and-repaired'],
    ['quick'],
  ),
  patience: 3,
});
