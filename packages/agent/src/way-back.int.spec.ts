import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { casesOf } from '@kube-proxier/core/testing';
import { createIptables, type IptablesVariant } from '@kube-proxier/linux';
import { failuresOf, syncAsKubeProxy } from '@kube-proxier/network-sandbox';
import { AgentOnNode, NODE_PORT } from './testing/agent-on-node.js';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
/** Objects installed by kube-proxy 1.36. */
const SAMPLES = {
  iptables: read('iptables/testdata/kube-proxy-iptables.save'),
  ip6tables: read('iptables/testdata/kube-proxy-ip6tables.save'),
  nftables: read('nftables/testdata/kube-proxy.nft'),
};
/** The commands of docs/migrating.md. */
const COMMANDS =
  /^## Migrating back\n[\s\S]*?```sh\n([\s\S]*?)```/m.exec(read('../docs/migrating.md'))?.[1]?.trim().split('\n') ?? [];

/** The sample, with one of its Services replaced by the Service and addresses of the sandbox. */
function sampleFor(node: AgentOnNode, name: keyof typeof SAMPLES): string {
  const [first = '', second = ''] = node.sandbox.pods.map(({ ipv4 }) => ipv4);
  return SAMPLES[name]
    .replace(/ -m nfacct --nfacct-name {2}\S+/g, '')
    .replace(/(10\.244\.(?:0\.31|7\.32)):443/g, '$1:8080')
    .replaceAll('10.244.0.31', first)
    .replaceAll('10.244.7.32', second)
    .replaceAll('10.250.0.2', node.sandbox.node.ipv4)
    .replaceAll('30443', String(NODE_PORT));
}

describe('migrating back to kube-proxy', () => {
  const directory = mkdtempSync(join(tmpdir(), 'way-back-'));
  const KUBE_PROXY = join(directory, 'kube-proxy');
  let node: AgentOnNode;

  beforeAll(() => {
    copyFileSync('/bin/sleep', KUBE_PROXY);
  });

  afterEach(() => node.close());

  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  /** Runs kube-proxier, then installs the rules of kube-proxy. */
  async function moveToKubeProxy(from: string, to: 'iptables' | 'nftables', variant: IptablesVariant) {
    node = await AgentOnNode.create(variant);
    node.write(...node.sandbox.pods.map(({ ipv4 }) => ipv4));
    node.start(from);
    await node.until('it serves', () => node.log.includes('No leftovers of other proxy modes found'));
    const client = await node.sandbox.client.startClient({ to: node.sandbox.node.ipv4, port: NODE_PORT }, 20);
    await client.moreAttempts(10);
    await node.stop();
    const six = createIptables({ family: 'IPv6', variant, runner: node.sandbox.node.runner });
    if (to === 'iptables') {
      await syncAsKubeProxy(node.iptables, sampleFor(node, 'iptables'));
      await syncAsKubeProxy(six, sampleFor(node, 'ip6tables'));
    } else {
      await node.sandbox.node.exec(['nft', '-f', '-'], { stdin: sampleFor(node, 'nftables') });
    }
    const kubeProxy = node.sandbox.node.spawn([KUBE_PROXY, '600']);
    await client.moreAttempts(10);
    return { client, kubeProxy, six };
  }

  const tables = async () => (await node.sandbox.node.exec(['nft', 'list', 'tables'])).stdout;

  test.each(
    casesOf<readonly [from: 'iptables' | 'nftables', to: 'iptables' | 'nftables', variant: IptablesVariant]>(
      [['iptables', 'iptables', 'nft']],
      [
        ['nftables', 'nftables', 'nft'],
        ['iptables', 'nftables', 'legacy'],
        ['iptables', 'iptables', 'legacy'],
        ['nftables', 'iptables', 'nft'],
      ],
    ),
  )(
    'from mode %s to its mode %s, with iptables-%s: no connection fails, and nothing of kube-proxier is left',
    async (from, to, variant) => {
      const { client, kubeProxy, six } = await moveToKubeProxy(from, to, variant);
      expect(COMMANDS).toEqual([expect.stringContaining('--dry-run'), expect.stringContaining('--force')]);
      const [look = '', cleanUp = ''] = COMMANDS;
      await node.until('kube-proxy is found', async () => /refused.*kube-proxy \(pid/.test(await node.command(look)));
      const plan = await node.command(look);
      expect(plan).toMatch(new RegExp(`^Would remove what mode ${from} had installed:$`, 'm'));
      // The cleanup is refused without changes while kube-proxy runs.
      const refused = cleanUp.replace(' --force', '');
      await expect(node.command(refused)).rejects.toThrow(
        /a proxy runs in this network namespace: kube-proxy \(pid \d+/,
      );
      expect(await node.command(look)).toBe(plan);

      const printed = await node.command(cleanUp);
      expect(printed).toMatch(new RegExp(`^Removed what mode ${from} had installed:$`, 'm'));
      expect(printed).toContain(`Kept what kube-proxy has installed in mode ${to}`);
      await client.moreAttempts(30);
      expect(failuresOf(await client.stop())).toBe(0);
      expect(await tables()).not.toContain('kube-proxier');
      for (const iptables of [node.iptables, six]) {
        expect(await iptables.save()).not.toContain('KUBE-PROXIER');
        expect((await iptables.save()).includes('-j KUBE-SERVICES')).toBe(to === 'iptables');
      }
      expect(await node.command(cleanUp)).toBe(
        `No leftovers found\nKept what kube-proxy has installed in mode ${to}; use --kube-proxy to remove it\n`,
      );
      kubeProxy.kill('SIGKILL');
      expect(await node.command(`${cleanUp} --kube-proxy`)).toContain(`Removed what kube-proxy in mode ${to}`);
      expect(await node.command(`${cleanUp} --kube-proxy`)).toBe('No leftovers found\n');
      expect(await tables()).not.toContain('table ip kube-proxy');
      expect(await node.iptables.save()).not.toMatch(/KUBE-(SERVICES|SVC)/);
    },
  );

  test('while kube-proxier runs, a cleanup is refused with its name and removes nothing', async () => {
    node = await AgentOnNode.create('nft');
    node.write(...node.sandbox.pods.map(({ ipv4 }) => ipv4));
    node.start('nftables');
    await node.until('it serves', () => node.log.includes('No leftovers of other proxy modes found'));
    const client = await node.sandbox.client.startClient({ to: node.sandbox.node.ipv4, port: NODE_PORT }, 20);
    const holder = new RegExp(`a proxy runs in this network namespace: kube-proxier, pid ${node.pid} .*mode nftables`);
    await expect(node.command('kube-proxier cleanup')).rejects.toThrow(holder);
    await expect(node.command('kube-proxier cleanup --proxy-mode iptables')).rejects.toThrow(holder);
    const dry = await node.command('kube-proxier cleanup --dry-run');
    expect(dry).toContain('  2 tables: ip kube-proxier, ip6 kube-proxier\n');
    expect(dry).toMatch(/the cleanup would be refused, because .*kube-proxier, pid \d+/);
    await client.moreAttempts(20);
    expect(failuresOf(await client.stop())).toBe(0);
    await node.stop();
    expect(await node.command('kube-proxier cleanup --proxy-mode iptables')).toBe('No leftovers found\n');
    expect(await tables()).toContain('kube-proxier');
    expect(await node.command('kube-proxier cleanup --proxy-mode nftables')).toBe(
      'Removed what mode nftables had installed:\n  2 tables: ip kube-proxier, ip6 kube-proxier\n',
    );
    expect(await tables()).not.toContain('kube-proxier');
  });
});
