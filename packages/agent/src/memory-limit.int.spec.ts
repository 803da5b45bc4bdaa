import { mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { AgentOnNode } from './testing/agent-on-node.js';

/** A cgroup of this test, where the system lets it make one; undefined elsewhere. */
function makeCgroup(): { readonly directory: string; readonly limit: string; readonly used: string } | undefined {
  for (const [root, limit, used] of [
    ['/sys/fs/cgroup/memory', 'memory.limit_in_bytes', 'memory.usage_in_bytes'],
    ['/sys/fs/cgroup', 'memory.max', 'memory.current'],
  ] as const) {
    const directory = join(root, `kube-proxier-test-${process.pid}`);
    try {
      mkdirSync(directory);
      readFileSync(join(directory, limit));
      return { directory, limit, used };
    } catch {
      try {
        rmdirSync(directory);
      } catch {
        // It was not made.
      }
    }
  }
  return undefined;
}

const cgroup = makeCgroup();

(cgroup ? describe : describe.skip)('an agent whose memory limit is almost reached', () => {
  const { directory, limit, used } = cgroup ?? { directory: '', limit: '', used: '' };
  let node: AgentOnNode;
  /** Sets the limit to a multiple of what is used, without pages of files. */
  const limitTo = (multiple: number) => {
    const stat = readFileSync(join(directory, 'memory.stat'), 'utf8');
    const files = ['inactive_file', 'active_file'].map((key) =>
      Number(new RegExp(`^(?:total_)${limit === 'memory.max' ? '?' : ''}${key} (\\d+)$`, 'm').exec(stat)?.[1] ?? 0),
    );
    const bytes = files.reduce((left, one) => left - one, Number(readFileSync(join(directory, used), 'utf8')));
    try {
      writeFileSync(join(directory, limit), String(Math.ceil(bytes * multiple)));
    } catch {
      // The kernel has not freed enough pages yet.
    }
  };

  beforeAll(async () => {
    node = await AgentOnNode.create('nft');
    node.write();
  });
  afterAll(async () => {
    await node?.stop().catch(() => {});
    await node?.close();
    rmdirSync(directory);
  });

  test('says so in its log and its status, before the kernel kills it', async () => {
    node.wrapper = ['sh', '-c', `echo $$ > ${join(directory, 'cgroup.procs')} && exec "$@"`, 'sh'];
    node.start('nftables');
    node.wrapper = [];
    await node.until('first sync', () => node.log.includes('First sync'));
    expect(node.log).not.toMatch(/WARN .*memory limit/);
    await node.until('the warning', () => {
      limitTo(1 / 0.9);
      return /WARN {2}\d+ of \d+ MiB of the memory limit of this process are used.*raise the limit/.test(node.log);
    });
    // It stays so until less than three quarters are used. Garbage collection may free a tenth meanwhile.
    limitTo(1 / 0.84);
    const outcome = await node.run(['status']);
    expect(outcome.stdout).toMatch(/^DEGRADED/);
    expect(outcome.stdout).toMatch(/- \d+ of \d+ MiB of the memory limit of this process are used/);
  });
});
