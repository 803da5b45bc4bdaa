import { describe, expect, test } from '@jest/globals';
import { canMakeNamespaces, withNamespace } from '../process/network-namespace.js';
import { parseRecentList, readRecentLists, recentFiles } from './recent-lists.js';

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
});
