import { fileURLToPath } from 'node:url';
import { describeConformance } from '@kube-proxier/conformance/jest';

const backend = fileURLToPath(new URL('../dist/index.js', import.meta.url));

for (const variant of ['nft', 'legacy']) {
  describeConformance({ backend, mode: 'iptables', options: { variant }, cases: ['quick'], patience: 3 });
}
