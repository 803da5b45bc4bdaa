import { fileURLToPath } from 'node:url';
import { describeConformance } from '@kube-proxier/conformance/jest';

const backend = fileURLToPath(new URL('../dist/index.js', import.meta.url));

describeConformance({
  backend,
  mode: 'userspace',
  options: { variant: 'nft', udpTimeout: 30_000 },
  cases: ['quick'],
  patience: 3,
});
// The rules are the same text; whether legacy takes them shows in a few.
describeConformance({
  backend,
  mode: 'userspace',
  options: { variant: 'legacy' },
  cases: ['EXT-L-S?', 'F-LB*', 'fl*'],
  patience: 3,
});

// NodePorts only, as without any privilege: what the backend says that it does not serve is left out, and nothing fails.
describeConformance({
  backend,
  mode: 'userspace',
  options: { redirect: 'none', udpTimeout: 30_000 },
  cases: ['EXT-?-S1', 'rolling-update', 'udp-endpoint-*', 'endpoint-added', 'open-connection-*'],
  patience: 3,
});
