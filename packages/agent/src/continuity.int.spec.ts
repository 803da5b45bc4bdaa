import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { casesOf } from '@kube-proxier/core/testing';
import type { Iptables, IptablesVariant } from '@kube-proxier/linux';
import { type ContinuousClient, failuresOf, type NetworkSandbox } from '@kube-proxier/network-sandbox';
import { AgentOnNode, NODE_PORT } from './testing/agent-on-node.js';

/** The agent, in the node's namespace, while an external client connects continuously. */
describe.each(
  casesOf<{ readonly mode: 'iptables' | 'nftables'; readonly variant: IptablesVariant }>(
    [
      { mode: 'iptables', variant: 'nft' },
      { mode: 'nftables', variant: 'nft' },
    ],
    [{ mode: 'iptables', variant: 'legacy' }],
  ),
)('a client that never stops, $mode, $variant', ({ mode, variant }) => {
  let node: AgentOnNode;
  let sandbox: NetworkSandbox;
  let iptables: Iptables;

  beforeEach(async () => {
    node = await AgentOnNode.create(variant);
    ({ sandbox, iptables } = node);
  });

  afterEach(async () => {
    await node.close();
  });

  const rules = async () =>
    mode === 'iptables' ? await iptables.save('nat') : (await sandbox.node.exec(['nft', 'list', 'ruleset'])).stdout;
  const leadsTo = (text: string, address: string) => new RegExp(`\\b${address}(:| \\. )8080\\b`).test(text);
  const installed = async (...addresses: string[]) => {
    const text = await rules();
    return addresses.every((address) => leadsTo(text, address));
  };

  /** Starts the agent with these endpoints, and a client that connects about fifty times a second. */
  async function running(...addresses: string[]): Promise<ContinuousClient> {
    node.write(...addresses);
    node.start(mode);
    await node.until('first sync', () => installed(...addresses));
    return await sandbox.client.startClient({ to: sandbox.node.ipv4, port: NODE_PORT }, 20);
  }

  test('endpoints are added and removed: no connection fails, and an open one stays', async () => {
    const [one, two] = sandbox.pods.map((pod) => pod.ipv4) as [string, string];
    const three = sandbox.remotePod(1).ipv4;
    const client = await running(one, two);
    const open = await sandbox.client.open({ to: sandbox.node.ipv4, port: NODE_PORT });
    for (const next of [[one, two, three], [three], [two, three], [one], [one, two]]) {
      node.write(...next);
      const gone = [one, two, three].filter((address) => !next.includes(address));
      await node.until(`endpoints ${next}`, async () => {
        const text = await rules();
        return (await installed(...next)) && gone.every((address) => !leadsTo(text, address));
      });
      await client.moreAttempts(10);
      expect(await open.send('still there')).toEqual({ kind: 'echoed', text: 'still there' });
    }
    const progress = await client.stop();
    expect(progress.attempts).toBeGreaterThanOrEqual(50);
    expect(failuresOf(progress)).toBe(0);
  });

  test('the agent is killed and started again: no connection fails, and nothing is written', async () => {
    const addresses = sandbox.pods.map((pod) => pod.ipv4);
    const client = await running(...addresses);
    const before = (await rules()).replace(/^#.*$|\[\d+:\d+\]/gm, '');
    node.kill();
    await client.moreAttempts(20);
    node.start(mode);
    await node.until('second sync', () => /Synced family="IPv4"/.test(node.log));
    await client.moreAttempts(20);
    expect((await rules()).replace(/^#.*$|\[\d+:\d+\]/gm, '')).toBe(before);
    expect(failuresOf(await client.stop())).toBe(0);
  });

  test('another program flushes the tables: the drift is detected, repaired and reported, and connections work again', async () => {
    const addresses = sandbox.pods.map((pod) => pod.ipv4);
    const client = await running(...addresses);
    // The rules must have been read once before their loss can be detected.
    await client.moreAttempts(60);
    const flushes: readonly (readonly [string, ...string[]])[] =
      mode === 'iptables'
        ? [
            // A reloading firewall also removes the chains.
            ['sh', '-c', `printf '*nat\\nCOMMIT\\n' | iptables-${variant}-restore`],
            [`iptables-${variant}`, '-t', 'filter', '-F'],
          ]
        : [['nft', 'flush', 'ruleset']];
    for (const flush of flushes) {
      await sandbox.node.exec(flush);
    }
    const { attempts } = await client.progress();
    await node.until('repair', () => /Drift repaired/.test(node.log));
    const failed = failuresOf(await client.moreAttempts(5));
    expect(await installed(...addresses)).toBe(true);
    expect(node.log).toMatch(
      mode === 'iptables'
        ? /Drift detected: the jump from (PREROUTING|FORWARD) in the (nat|filter) table is gone/
        : /Drift detected: table ip kube-proxier changed by nft/,
    );
    const after = await client.moreAttempts(30);
    expect(failuresOf(after)).toBe(failed);
    // Refused at once while the rules are gone, one attempt each 20 ms: at most 250 of them in five seconds. A
    // idle machine needs one.
    expect(after.attempts - attempts).toBeLessThan(250 + 35 + 60);
    expect(failed).toBeLessThan(250);
    await client.stop();
  });

  if (mode === 'iptables') {
    test('the first sync after a restart is refused: the agent is not ready, with the reason, no connection fails, and it recovers', async () => {
      const [one, two] = sandbox.pods.map((pod) => pod.ipv4) as [string, string];
      const client = await running(one);
      node.kill();
      const refusing = refuseRestores();
      node.write(one, two);
      node.start(mode);
      const ready = async () => await node.get('http://127.0.0.1:10256/readyz');
      await node.until('it says why', async () => (await ready())?.body.includes('no such extension') ?? false);
      expect(await ready()).toMatchObject({ status: 503 });
      expect(node.log).toMatch(/ERROR Sync failed; it will be retried: .*no such extension/);
      expect(await installed(one)).toBe(true);
      expect(await installed(two)).toBe(false);
      await client.moreAttempts(10);
      rmSync(refusing);
      await node.until('it is ready', async () => (await ready())?.status === 200);
      expect(await installed(one, two)).toBe(true);
      await client.moreAttempts(10);
      expect(failuresOf(await client.stop())).toBe(0);
    });

    /**
     * From the next start of the agent on, its iptables-restore refuses everything while the returned file exists. The programs are of
     * iptables 1.8.7, so that the nft variant needs iptables-restore for every change.
     */
    function refuseRestores(): string {
      const directory = join(node.directory, '.programs');
      const refusing = join(directory, 'refusing');
      mkdirSync(directory);
      writeFileSync(refusing, '');
      const programs = {
        [`iptables-${variant}-restore`]: `[ -e ${refusing} ] && { echo 'no such extension' >&2; exit 1; }\nexec $real "$@"`,
        [`iptables-${variant}-save`]: '$real "$@" | sed "s/v1[.]8[.][0-9]*/v1.8.7/"',
        [`iptables-${variant}`]: '$real "$@" | sed "s/v1[.]8[.][0-9]*/v1.8.7/"',
      };
      for (const [program, script] of Object.entries(programs)) {
        const path = join(directory, program);
        writeFileSync(path, `#!/bin/sh\nreal=$(PATH=$OWN_PATH command -v ${program})\n${script}\n`);
        chmodSync(path, 0o755);
      }
      const path = `${process.env.PATH}:/usr/sbin:/sbin`;
      node.wrapper = ['env', `PATH=${directory}:${path}`, `OWN_PATH=${path}`];
      return refusing;
    }

    test.each(
      casesOf<readonly [whose: string, chainIn: (saved: string) => string | undefined]>(
        [['the chain of a Service', (saved) => /^:(KUBE-(?:SVC|EXT)-\S+)/m.exec(saved)?.[1]]],
        [['POSTROUTING', () => 'POSTROUTING']],
      ),
    )('a foreign flush of %s is detected and repaired', async (_whose, chainIn) => {
      const client = await running(...sandbox.pods.map((pod) => pod.ipv4));
      await node.until('both families are in force', () => /Synced family="IPv6"/.test(node.log));
      await client.moreAttempts(5);
      const before = ruleLines(await rules());
      const chain = chainIn(await rules());
      expect(chain).toBeDefined();
      await sandbox.node.exec([`iptables-${variant}`, '-t', 'nat', '-F', chain ?? '']);
      await node.until('it is repaired', () => /Drift repaired: .* the nat table/.test(node.log));
      expect(ruleLines(await rules())).toEqual(before);
      const failed = failuresOf(await client.moreAttempts(5));
      expect(failuresOf(await client.moreAttempts(30))).toBe(failed);
      await client.stop();
    });
  }
});

/** Without counters and comments. */
function ruleLines(saved: string): readonly string[] {
  return saved.match(/^-A .*$/gm) ?? [];
}

describe('a mode that this host cannot run', () => {
  let node: AgentOnNode;

  beforeEach(async () => {
    node = await AgentOnNode.create('nft');
  });

  afterEach(async () => {
    await node.close();
  });

  test('ipvs on a kernel without ip_vs falls back, logs the reason in one line, and traffic flows', async () => {
    const { ipv4 } = node.sandbox.pod(1);
    node.write(ipv4);
    node.start('ipvs');
    await node.until('first sync', () => /Synced family="IPv4"/.test(node.log));
    const lines = node.log.split('\n').filter((line) => line.includes('ipvs') && line.includes('WARN'));
    expect(lines).toEqual([
      expect.stringMatching(/Cannot use proxy mode ipvs: .+; falling back to iptables detail="[^"]+"$/),
    ]);
    expect(await node.sandbox.client.connect({ to: node.sandbox.node.ipv4, port: NODE_PORT })).toMatchObject({
      kind: 'answered',
      by: 'pod1',
    });
  });
});
