import { describe, expect, test } from '@jest/globals';
import { canMakeNamespaces, withNamespace } from '../process/network-namespace.js';
import { addToRecentLists, parseRecentList, readRecentLists, recentFiles } from './recent-lists.js';

/** The built module, for another process. */
const MODULE = new URL('./recent-lists.js', import.meta.url).href.replace('/src/', '/dist/');

const LIST = `src=203.0.113.20 ttl: 63 last_seen: 4316617672 oldest_pkt: 2 4316616672, 4316617672
src=2001:0db8:0203:0000:0000:0000:0000:0020 ttl: 63 last_seen: 4316617922 oldest_pkt: 1 4316617922
`;

describe('a list of the match recent', () => {
  test('has the seconds since the last packet of each client', () => {
    expect(parseRecentList(LIST, { ticks: 4_316_618_172n, rate: 250 })).toEqual([
      { address: '203.0.113.20', idleSeconds: 2 },
      { address: '2001:db8:203::20', idleSeconds: 1 },
    ]);
  });

  test('a 32-bit kernel, whose ticks have overflowed since', () => {
    const text = 'src=203.0.113.20 ttl: 63 last_seen: 4294967196 oldest_pkt: 1 4294967196\n';
    expect(parseRecentList(text, { ticks: 4_294_967_296n + 400n, rate: 100 })).toEqual([
      { address: '203.0.113.20', idleSeconds: 5 },
    ]);
  });

  test('a packet after the clock was read', () => {
    const text = 'src=203.0.113.20 ttl: 63 last_seen: 4316617673 oldest_pkt: 1 4316617673\n';
    expect(parseRecentList(text, { ticks: 4_316_617_672n, rate: 250 })[0]?.idleSeconds).toBe(0);
  });

  test('without the rate of the clock, the time is unknown', () => {
    expect(parseRecentList(LIST, undefined)[0]).toEqual({ address: '203.0.113.20', idleSeconds: undefined });
  });
});

const whereAllowed = canMakeNamespaces() ? describe : describe.skip;

whereAllowed('the lists of a network namespace', () => {
  test('those with the prefix are read, and the age of their entries is known to the second', async () => {
    await withNamespace(async ({ runner }) => {
      const files = recentFiles(runner);
      expect(await readRecentLists('KUBE-SEP-', files)).toEqual(new Map());
      for (const name of ['KUBE-SEP-A', 'KUBE-SEP-B', 'OTHER']) {
        await runner.run({
          command: 'iptables',
          args: ['-A', 'OUTPUT', '-m', 'recent', '--name', name, '--set', '--rdest', '-d', '127.0.0.9'],
        });
      }
      await runner.run({ command: 'ip', args: ['link', 'set', 'lo', 'up'] });
      await runner.run({ command: 'bash', args: ['-c', 'exec 3<>/dev/tcp/127.0.0.9/9 || true'] });
      const lists = await readRecentLists('KUBE-SEP-', files);
      expect([...lists.keys()].sort()).toEqual(['KUBE-SEP-A', 'KUBE-SEP-B']);
      const [client] = lists.get('KUBE-SEP-A') ?? [];
      expect(client?.address).toBe('127.0.0.9');
      // The kernel counts ticks since its start, hours or days ago.
      expect(client?.idleSeconds).toBeGreaterThanOrEqual(0);
      expect(client?.idleSeconds).toBeLessThan(30);
    });
  });

  test('clients are added in order, lists that do not exist are left out, and a full list forgets the first', async () => {
    await withNamespace(async ({ runner }) => {
      const add = (command: string, name: string) =>
        runner.run({ command, args: ['-A', 'OUTPUT', '-m', 'recent', '--name', name, '--rcheck', '--seconds', '60'] });
      await add('iptables', 'KUBE-SEP-A');
      await add('ip6tables', 'KUBE-SEP-B');
      const many = Array.from({ length: 101 }, (_, index) => `203.0.113.${index}`);
      const additions = [
        ...many.map((address) => ({ list: 'KUBE-SEP-A', address })),
        { list: 'KUBE-SEP-B', address: '2001:db8::7' },
        { list: 'KUBE-SEP-C', address: '203.0.113.1' },
      ];
      expect(await addToRecentLists(additions, runner)).toBe(102);
      const lists = await readRecentLists('KUBE-SEP-', recentFiles(runner));
      expect(new Set(lists.get('KUBE-SEP-A')?.map(({ address }) => address))).toEqual(new Set(many.slice(1)));
      expect(lists.get('KUBE-SEP-B')).toEqual([{ address: '2001:db8::7', idleSeconds: expect.any(Number) }]);
      expect(lists.get('KUBE-SEP-B')?.[0]?.idleSeconds).toBeLessThan(30);
    });
  });

  test('clients are added in the network namespace of this process', async () => {
    await withNamespace(async ({ runner }) => {
      await runner.run({
        command: 'iptables',
        args: ['-A', 'OUTPUT', '-m', 'recent', '--name', 'KUBE-SEP-A', '--rcheck'],
      });
      const script = `
        const { addToRecentLists } = await import(${JSON.stringify(MODULE)});
        const additions = ['A', 'B'].map((name) => ({ list: 'KUBE-SEP-' + name, address: '203.0.113.7' }));
        process.stdout.write(String(await addToRecentLists(additions)));
      `;
      const args = ['--input-type=module', '-e', script];
      const { stdout } = await runner.run({ command: process.execPath, args });
      expect(stdout).toBe('1');
      const lists = await readRecentLists('KUBE-SEP-', recentFiles(runner));
      expect(lists.get('KUBE-SEP-A')).toMatchObject([{ address: '203.0.113.7' }]);
    });
  });
});
