import { fileURLToPath } from 'node:url';
import { describeConformance } from '@kube-proxier/conformance/jest';
import { casesOf } from '@kube-proxier/core/testing';

const backend = fileURLToPath(new URL('../dist/index.js', import.meta.url));

describeConformance({ backend, mode: 'iptables', options: { variant: 'nft' }, cases: ['quick'], patience: 3 });
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
