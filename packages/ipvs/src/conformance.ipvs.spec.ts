import { fileURLToPath } from 'node:url';
import { describeConformance } from '@kube-proxier/conformance/jest';

const backend = fileURLToPath(new URL('../dist/index.js', import.meta.url));

// That kernel has one slow processor; two sandboxes, since much of a case is waiting.
describeConformance({ backend, mode: 'ipvs', cases: ['quick'], jobs: 2, patience: 4 });
