import { fileURLToPath } from 'node:url';
import { describeConformance } from '@kube-proxier/conformance/jest';
import { casesOf } from '@kube-proxier/core/testing';

const backend = fileURLToPath(new URL('../dist/index.js', import.meta.url));

describeConformance({
  backend,
  mode: 'userspace',
  options: { variant: 'nft', udpTimeout: 30_000 },
  // Which endpoints may get a connection is decided in core; the cases of mode nftables show it by packets.
  cases: casesOf(
    [
      ...['CIP-?-S1', 'CIP-L-S2', 'EXT-?-S1', 'F-I-1', 'F-LB-1', 'F-LB-10', 'endpoint-added', 'endpoint-removed'],
      ...['endpoint-weights', 'endpoint-drained', 'service-removed', 'service-changes-type', 'affinity-kept'],
      ...['affinity-moved', 'udp-endpoint-removed', 'udp-endpoint-comes', 'open-connection-goes-on', 'rolling-update'],
      ...['node-port-localhost', 'counters-connections', 'reset-endpoint-gone', 'flushed-and-repaired', 'cleaned-up'],
    ],
    ['quick'],
  ),
  jobs: 2,
  patience: 3,
});
// The rules are the same text; whether legacy takes them shows in a few.
describeConformance({
  backend,
  mode: 'userspace',
  options: { variant: 'legacy' },
  cases: casesOf(['F-LB-1', 'flushed-and-repaired'], ['EXT-L-S?', 'F-LB*']),
  jobs: 1,
  patience: 3,
});

// NodePorts only, as without any privilege: what the backend says that it does not serve is left out, and nothing fails.
describeConformance({
  backend,
  mode: 'userspace',
  options: { redirect: 'none', udpTimeout: 30_000 },
  cases: casesOf(
    ['EXT-L-S1', 'rolling-update', 'udp-endpoint-removed'],
    ['EXT-C-S1', 'endpoint-added', 'udp-endpoint-*', 'open-connection-*'],
  ),
  jobs: 1,
  patience: 3,
});
