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
    [
      'EXT-L-S?',
      'F-LB*',
      'affinity-moved',
      'rolling-update',
      'killed-and-started',
      'flushed-and-repaired',
      'cleaned-up',
    ],
    ['quick'],
  ),
  patience: 3,
});
