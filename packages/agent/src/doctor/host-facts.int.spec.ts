import { createServer } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import { silentLogger } from '@kube-proxier/core';
import { createIptablesBackend } from '@kube-proxier/iptables';
import { createCommandRunner, createIptables, createNft, type KernelFiles } from '@kube-proxier/linux';
import { canMakeNamespaces, withNamespace } from '@kube-proxier/linux/testing';
import { createNftablesBackend } from '@kube-proxier/nftables';
import { DEFAULT_CONNTRACK_TUNING, findLeftovers } from '@kube-proxier/server';
import { checkHost } from './check-host.js';
import { checkLeftovers } from './check-leftovers.js';
import { gatherHostFacts } from './host-facts.js';

const NOBODY_ELSE = {
  instance: async () => undefined,
  kubeProxy: async () => ({ status: 'not-found' }) as const,
};
const whereAllowed = canMakeNamespaces() ? describe : describe.skip;

whereAllowed('doctor on a kernel', () => {
  test('finds leftovers of other programs in a namespace, and changes nothing', async () => {
    await withNamespace(async ({ runner }) => {
      const files: KernelFiles = {
        read: async (path) => (await runner.run({ command: 'cat', args: [path] })).stdout,
        write: () => Promise.reject(new Error('nothing is to be written')),
      };
      const run = (command: string, ...args: string[]) => runner.run({ command, args });
      await createIptables({ family: 'IPv4', variant: 'legacy', runner }).restore(
        '*nat\n:KUBE-SERVICES - [0:0]\n-A PREROUTING -j KUBE-SERVICES\nCOMMIT\n',
      );
      await createIptables({ family: 'IPv6', variant: 'nft', runner }).restore(
        '*filter\n:FORWARD DROP [0:0]\n-A INPUT -p tcp -m tcp --dport 22 -j ACCEPT\nCOMMIT\n',
      );
      await createNft({ runner }).run({ family: 'ip', table: 'kube-proxy', commands: [{ do: 'add-table' }] });
      await run('sh', '-c', 'echo 0 > /proc/sys/net/ipv4/ip_forward; echo 1 > /proc/sys/net/ipv4/conf/all/rp_filter');
      const ruleset = async () => (await run('nft', 'list', 'ruleset')).stdout;
      const before = await ruleset();

      const facts = await gatherHostFacts({ runner, files, ...NOBODY_ELSE });
      expect(await ruleset()).toBe(before);
      expect(facts.iptables).toEqual({
        legacy: 1,
        nft: 1,
      });
      const by = { system: 'iptables', table: 'filter', chain: 'FORWARD', text: 'policy DROP', foreign: false };
      expect(facts.forwarded).toEqual({
        IPv4: { result: 'passed' },
        IPv6: { result: 'stopped', verdict: 'dropped', by },
      });
      expect(facts.tools.nft).toMatch(/^nftables v/);
      expect(facts.conntrackByNetlink).toBeUndefined();
      expect(facts.kernel).toMatch(/^\d+\.\d+/);
      const notOk = checkHost(facts, {
        backend: { mode: 'nftables', requirements: { tools: ['nft'] } },
        ipv6: true,
        conntrack: { ...DEFAULT_CONNTRACK_TUNING, maxPerCore: 0 },
        cpus: 1,
        ports: [{ port: 10_256, name: 'health' }],
      }).filter(({ status, check }) => status !== 'ok' && check !== 'bridged packets');
      expect(notOk.map(({ check, status }) => `${status} ${check}`)).toEqual([
        'warning iptables variants',
        'problem IPv4 forwarding',
        'warning IPv6 forwarding',
        'warning IPv6 firewall',
        'warning reverse path filter',
      ]);
      const backends = [createIptablesBackend({ runner }), createNftablesBackend({ runner })];
      const leftovers = await findLeftovers(backends, { logger: silentLogger, owners: ['backend', 'kube-proxy'] });
      expect(checkLeftovers(leftovers, facts)).toMatchObject({
        status: 'warning',
        found: 'of kube-proxy in mode iptables (1 chain, 1 rule), of kube-proxy in mode nftables (1 table)',
      });
    });
  });

  test('distinguishes a tool that cannot be run from one that is not installed', async () => {
    const runner = createCommandRunner();
    const { tools, brokenTools, conntrackByNetlink } = await gatherHostFacts({
      // A directory instead of a program.
      runner: {
        networkNamespace: '/run/netns/no-such',
        run: (request) => runner.run({ ...request, command: request.command === 'nft' ? '/' : '/no-such' }),
      },
      ...NOBODY_ELSE,
    });
    expect(tools).toMatchObject({ nft: undefined, conntrack: undefined });
    expect(conntrackByNetlink).toEqual({ notPermitted: false, reason: expect.stringContaining('ENOENT') });
    expect(brokenTools).toEqual({ nft: expect.stringMatching(/may not be run by this user/) });
  });

  test('finds ports in use', async () => {
    const server = createServer().listen(0);
    await new Promise((resolve) => server.once('listening', resolve));
    const address = server.address();
    try {
      const { listening } = await gatherHostFacts(NOBODY_ELSE);
      expect(listening).toContain(typeof address === 'object' ? address?.port : 0);
    } finally {
      server.close();
    }
  });
});
