import { release } from 'node:os';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { isThorough } from '@kube-proxier/core/testing';
import { listProcesses } from '@kube-proxier/linux';
import { failuresOf } from '@kube-proxier/network-sandbox';
import { AgentOnNode, NODE_PORT } from './testing/agent-on-node.js';

const REFUSED = /Operation not permitted/;
/** Linux 6.9 has `persist`. */
const [major = 0, minor = 0] = release().split('.').map(Number);
const knowsPersist = major > 6 || (major === 6 && minor >= 9);

/** The agent with an owned table. This kernel supports `persist`, nft perhaps does not. */
describe('mode nftables with an owned table', () => {
  let node: AgentOnNode;
  let one: string;
  let two: string;

  beforeEach(async () => {
    node = await AgentOnNode.create('nft');
    [one, two] = node.sandbox.pods.map((pod) => pod.ipv4) as [string, string];
    node.write(one);
  });

  afterEach(async () => {
    await node.close();
  });

  const nft = async (...args: readonly string[]) => (await node.sandbox.node.exec(['nft', ...args])).stdout;
  const rules = () => nft('list', 'ruleset');
  const isOwned = async () => /table ip kube-proxier \{[^{]*flags [^\n]*owner/.test(await rules());
  const leadsTo = async (address: string) => (await rules()).includes(`${address} . 8080`);
  const connect = () => node.sandbox.client.connect({ to: node.sandbox.node.ipv4, port: NODE_PORT });

  /** Child processes of the agent that still run. */
  async function children(): Promise<readonly number[]> {
    const { stdout } = await node.sandbox.node.exec(['ip', 'netns', 'pids', node.sandbox.node.namespace]);
    const here = new Set(stdout.split('\n').map(Number));
    return (await listProcesses()).flatMap(({ pid, command }) => (here.has(pid) && command[0] === 'nft' ? [pid] : []));
  }

  async function start(ownedTable: string, program = 'nft'): Promise<void> {
    node.start('nftables', `--nftables-owned-table=${ownedTable}`, `--nftables-program=${program}`);
    await node.until('the first sync', () => /Synced family="IPv4"/.test(node.log));
    await node.until('the first endpoint', () => leadsTo(one));
  }

  test('foreign changes are rejected, traffic flows, and nothing needs repair', async () => {
    await start('always');
    expect(await isOwned()).toBe(true);
    const client = await node.sandbox.client.startClient({ to: node.sandbox.node.ipv4, port: NODE_PORT }, 20);
    await nft('add', 'table', 'ip', 'other');
    for (const command of [
      'delete table ip kube-proxier',
      'flush table ip kube-proxier',
      'flush chain ip kube-proxier nat-prerouting',
      `delete element ip kube-proxier node-ports { tcp . ${NODE_PORT} }`,
      'add element ip kube-proxier cluster-ips { 10.96.0.99 }',
    ]) {
      await expect(nft(command)).rejects.toThrow(REFUSED);
    }
    await nft('flush', 'ruleset');
    expect(await rules()).not.toContain('other');
    await client.moreAttempts(20);
    // Changes by the agent are accepted.
    node.write(two);
    await node.until('the endpoint is another', async () => (await leadsTo(two)) && !(await leadsTo(one)));
    expect(failuresOf(await client.moreAttempts(20))).toBe(0);
    expect(await isOwned()).toBe(true);
    expect(node.log).not.toMatch(/Others changed|Repaired|ERROR/);
  });

  test.each([
    ['first', (pids: readonly number[]) => pids],
    ['last', (pids: readonly number[]) => pids.toReversed()],
  ])('when the owning process is killed, %s of all nft processes, the table is loaded again', async (_, order) => {
    await start('always');
    await node.until('the kernel reports changes', () => /Synced family="IPv6"/.test(node.log));
    for (const pid of order(await children())) {
      killIfThere(pid);
    }
    await node.until('repair', () => /Drift repaired/.test(node.log));
    await node.until('the table', async () => (await isOwned()) && (await leadsTo(one)));
    expect(await connect()).toMatchObject({ kind: 'answered', by: 'pod1' });
    await expect(nft('delete', 'table', 'ip', 'kube-proxier')).rejects.toThrow(REFUSED);
  });

  test('a killed agent leaves no processes and, if nft does not support persist, no table', async () => {
    await start('always');
    const persists = !/Services with it, is removed whenever this program ends: .*persist/.test(node.log);
    node.kill();
    await node.until('its programs are gone', async () => (await children()).length === 0);
    // The kernel deletes it shortly after the last of them ended.
    await node.until('the table exists or is deleted', async () => (await leadsTo(one)) === persists);
    await start('always');
    expect(await isOwned()).toBe(true);
    expect(await connect()).toMatchObject({ kind: 'answered', by: 'pod1' });
  });

  if (isThorough) {
    test('it can be enabled and disabled: no connection fails when it is enabled, and the cleanup is complete', async () => {
      await start('never');
      expect(await isOwned()).toBe(false);
      const client = await node.sandbox.client.startClient({ to: node.sandbox.node.ipv4, port: NODE_PORT }, 20);
      await node.stop();
      await start('always');
      await node.until('the table is owned', isOwned);
      expect(failuresOf(await client.moreAttempts(20))).toBe(0);
      await client.stop();
      await node.stop();
      await start('never');
      await node.until('the table is not owned', async () => !(await isOwned()));
      expect(await connect()).toMatchObject({ kind: 'answered', by: 'pod1' });
      await node.stop();
      await start('always');
      await expect(node.cleanUp()).rejects.toThrow(/a proxy runs in this network namespace: kube-proxier, pid \d+/);
      await expect(node.cleanUp('--force')).rejects.toThrow(/belongs to another process/);
      expect(await connect()).toMatchObject({ kind: 'answered', by: 'pod1' });
      await node.stop();
      await node.cleanUp();
      expect(await rules()).not.toContain('kube-proxier');
    });
  }

  (knowsPersist ? test : test.skip)(
    'by netlink it is owned without nft, outlives a kill, and is claimed again',
    async () => {
      await start('persistent', 'netlink');
      expect(await children()).toEqual([]);
      const edit = `delete element ip kube-proxier node-ports { tcp . ${NODE_PORT} }`;
      await expect(nft(edit)).rejects.toThrow(REFUSED);
      const client = await node.sandbox.client.startClient({ to: node.sandbox.node.ipv4, port: NODE_PORT }, 20);
      node.kill();
      await node.until('the table has no owner', async () => {
        try {
          await nft('add', 'chain', 'ip', 'kube-proxier', 'foreign');
          return true;
        } catch {
          return false;
        }
      });
      await start('persistent', 'netlink');
      await node.until('the table is claimed', async () => {
        try {
          await nft('add', 'chain', 'ip', 'kube-proxier', 'foreign');
          return false;
        } catch {
          return true;
        }
      });
      await node.until('repair', async () => !(await rules()).includes('chain foreign'));
      expect(failuresOf(await client.moreAttempts(20))).toBe(0);
      await node.stop();
      await node.cleanUp();
      expect(await rules()).not.toContain('kube-proxier');
    },
  );

  if (isThorough) {
    test('persistent: it is owned if nft supports persist, else a warning gives the reason', async () => {
      await start('persistent');
      const refused = await nft('--check', 'add table ip trial { flags owner, persist; }').catch(String);
      expect(await isOwned()).toBe(refused === '');
      const warnings = node.log.split('\n').filter((line) => line.includes('The table is not owned'));
      expect(warnings).toEqual(
        refused === ''
          ? []
          : [expect.stringMatching(/any privileged process can change it: flags owner, persist: nft refused/)],
      );
      node.kill();
      await node.until('its programs are gone', async () => (await children()).length === 0);
      expect(await connect()).toMatchObject({ kind: 'answered', by: 'pod1' });
    });
  }
});

/** Some child processes of an agent end on their own. */
function killIfThere(processId: number): void {
  try {
    process.kill(processId, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') {
      throw error;
    }
  }
}
