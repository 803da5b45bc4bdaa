import { fileURLToPath } from 'node:url';
import { describeConformance } from '@kube-proxier/conformance/jest';

const backend = fileURLToPath(new URL('../dist/index.js', import.meta.url));

describeConformance({ backend, mode: 'nftables', cases: ['quick'], patience: 3 });
