import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { casesOf } from '@kube-proxier/core/testing';
import { canMakeNamespaces } from '@kube-proxier/linux/testing';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

const whereAllowed = canMakeNamespaces() ? describe : describe.skip;

whereAllowed('npm run soak', () => {
  test.each(casesOf(['nftables'], ['iptables']))(
    'mode %s: after faults of all kinds the kernel holds what a fresh start installs',
    (mode) => {
      const args = ['scripts/soak.mjs', '--duration=8', '--faster=30', `--mode=${mode}`];
      const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' });
      expect(`${stdout}${stderr}`).toMatch(/the kernel is exact:.*\n {2}nothing is lost:.*[\s\S]*soak: passed\n$/);
      expect(status).toBe(0);
    },
  );
});
