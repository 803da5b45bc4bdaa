import { fileURLToPath } from 'node:url';
import { describeConformance } from '@kube-proxier/conformance/jest';
import { casesOf } from '@kube-proxier/core/testing';

const backend = fileURLToPath(new URL('../dist/index.js', import.meta.url));

describeConformance({
  backend,
  mode: 'userspace',
  options: { variant: 'nft', udpTimeout: 30_000 },
  // Which endpoints may get a connection is decided in core; the quick cases of mode nftables show it by packets.
  cases: casesOf(
    [
      ...['CIP-?-S1', 'CIP-L-S2', 'EXT-?-S1', 'EXT-L-S4', 'F-I-1', 'F-T-1', 'F-LB-1', 'F-LB-10', 'F-NP-1', 'F-M-1'],
      ...['endpoint-*', 'service-*', 'affinity-*', 'udp-*', 'open-connection-*', 'external-ip-*', 'rolling-update'],
      ...['slow-start', 'drained-affinity', 'node-port-addresses', 'node-port-localhost*', 'flushed-and-repaired'],
      ...['counters-bytes', 'counters-connections', 'reset-endpoint-gone', 'keep-endpoint-gone', 'cleaned-up'],
    ],
    ['quick'],
  ),
  patience: 3,
});
// The rules are the same text; whether legacy takes them shows in a few.
describeConformance({
  backend,
  mode: 'userspace',
  options: { variant: 'legacy' },
  cases: casesOf(['EXT-L-S1', 'F-LB-1', 'flushed-and-repaired'], ['EXT-L-S?', 'F-LB*']),
  patience: 3,
});

// NodePorts only, as without any privilege: what the backend says that it does not serve is left out, and nothing fails.
describeConformance({
  backend,
  mode: 'userspace',
  options: { redirect: 'none', udpTimeout: 30_000 },
  cases: casesOf(
    ['EXT-?-S1', 'rolling-update', 'udp-endpoint-removed', 'endpoint-added', 'open-connection-goes-on'],
    ['udp-endpoint-*', 'open-connection-*'],
  ),
  patience: 3,
});
