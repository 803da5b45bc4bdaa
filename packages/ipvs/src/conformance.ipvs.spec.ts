import { fileURLToPath } from 'node:url';
import { describeConformance } from '@kube-proxier/conformance/jest';

/**
 * Some cases of the kit, for this kernel has one slow processor; `npm run conformance -- ipvs` runs all of them. The
 * policy tables are tried row by row in `packet-flows.ipvs.spec.ts`.
 */
describeConformance({
  backend: fileURLToPath(new URL('../dist/index.js', import.meta.url)),
  mode: 'ipvs',
  cases: ['endpoint-removed', 'affinity-moved', 'flushed-and-repaired', 'EXT-L-S2'],
  jobs: 1,
});
