import { fileURLToPath } from 'node:url';
import { describeConformance } from '@kube-proxier/conformance/jest';

/** The nftables mode as the agent composes it: sockets serve NodePorts on 127.0.0.1, which its own package cannot. */
describeConformance({
  backend: fileURLToPath(new URL('../packages/agent/dist/index.js', import.meta.url)),
  mode: 'nftables',
  options: { localhostNodePorts: 'selected' },
  cases: ['node-port-localhost', 'node-port-every-address'],
});
