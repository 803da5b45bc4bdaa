import { describe, expect, test } from '@jest/globals';
import { canMakeNamespaces, withNamespace } from '../../process/network-namespace.js';
import { createNetlinkNft } from '../nft-netlink.js';
import { NftTableLookup } from './nft-table-lookup.js';

const whereAllowed = canMakeNamespaces() ? describe : describe.skip;

const RULES = `
add table ip t
add map ip t places { type ipv4_addr . inet_proto . inet_service : ipv4_addr . inet_service ; }
add map ip t verdicts { type ipv4_addr : verdict ; }
add set ip t names { type ipv4_addr . mark ; }
add set ip t networks { type ipv4_addr ; flags interval ; }
add set ip t clients { type ipv4_addr ; flags dynamic, timeout ; }
add map ip t many { type ipv4_addr : ipv4_addr ; }
add set ip t ranges { type ipv4_addr . inet_service ; flags interval ; }
add chain ip t c
add chain ip t empty
add rule ip t c ip daddr 10.0.0.0/9 meta l4proto tcp tcp dport 80 ct state new counter dnat to 10.1.0.1:8080
add element ip t places { 10.0.0.1 . tcp . 80 : 10.1.0.1 . 8080, 10.0.0.2 . 99 . 80 : 10.1.0.2 . 8080 }
add element ip t verdicts { 10.0.0.1 : goto c, 10.0.0.2 : drop, * : return }
add element ip t names { 10.0.0.1 . 0x4000 }
add element ip t ranges { 10.0.0.0/8 . 80-99 }
add element ip t networks { 10.0.0.0/8, 192.0.2.1 }
`;

whereAllowed('NftTableLookup', () => {
  test('looks up single elements of hash tables, and lists other sets', async () => {
    await withNamespace(async ({ path, runner }) => {
      await runner.run({ command: 'nft', args: ['-f', '-'], stdin: RULES });
      const lookup = await NftTableLookup.open('ip', 't', { namespace: path });
      if (lookup === undefined) {
        throw new Error('the kernel does not answer at once');
      }
      const names = ['places', 'verdicts', 'names', 'ranges', 'networks', 'clients', 'missing'];
      expect(names.map((name) => lookup.canFind(name))).toEqual([true, true, true, true, false, false, false]);
      expect(lookup.find('places', '10.0.0.1 . tcp . 80')).toEqual({ value: '10.1.0.1 . 8080' });
      expect(lookup.find('places', '10.0.0.2 . 99 . 80')).toEqual({ value: '10.1.0.2 . 8080' });
      expect(lookup.find('places', '10.0.0.1 . udp . 80')).toBeUndefined();
      expect(lookup.find('verdicts', '10.0.0.1')).toEqual({ value: 'goto c' });
      expect(lookup.find('verdicts', '10.0.0.9')).toEqual({ value: 'return' });
      expect(lookup.find('names', `10.0.0.1 . ${0x4000}`)).toEqual({ value: undefined });
      expect(lookup.find('names', '10.0.0.1 . 1')).toBeUndefined();
      expect(lookup.find('ranges', '10.7.7.7 . 85')).toEqual({ value: undefined });
      expect(lookup.find('ranges', '10.7.7.7 . 100')).toBeUndefined();
      expect([...((await lookup.list('networks')) ?? new Map()).keys()].length).toBeGreaterThan(0);
      expect(() => lookup.find('missing', '1')).toThrow('elements of missing in table ip t cannot be looked up');
      expect(() => lookup.find('places', 'nonsense')).toThrow('cannot look up nonsense in places');
      // Lookups are cached until `forget`.
      await runner.run({ command: 'nft', args: ['flush', 'map', 'ip', 't', 'places'] });
      expect(lookup.find('places', '10.0.0.1 . tcp . 80')).toBeDefined();
      lookup.forget();
      expect(lookup.find('places', '10.0.0.1 . tcp . 80')).toBeUndefined();
      lookup.close();
    });
  });

  test('reads the current rules of a chain, also of chains and sets that were added later', async () => {
    await withNamespace(async ({ path, runner }) => {
      const nft = (stdin: string) => runner.run({ command: 'nft', args: ['-f', '-'], stdin });
      await nft(RULES);
      const lookup = await NftTableLookup.open('ip', 't', { namespace: path });
      const [rule, ...more] = lookup?.rules('c') ?? [];
      expect(more).toEqual([]);
      expect(rule?.statements).toEqual([
        {
          match: {
            ...{ op: '==', left: { payload: { protocol: 'ip', field: 'daddr' } } },
            right: { prefix: { addr: '10.0.0.0', len: 9 } },
          },
        },
        { match: { op: '==', left: { meta: { key: 'l4proto' } }, right: 'tcp' } },
        { match: { op: '==', left: { payload: { protocol: 'tcp', field: 'dport' } }, right: '80' } },
        { match: { op: '==', left: { ct: { key: 'state' } }, right: 'new' } },
        { counter: null },
        { dnat: { family: 'ip', addr: '10.1.0.1', port: 8080 } },
      ]);
      expect(lookup?.rules('empty')).toEqual([]);
      expect(lookup?.rules('missing')).toEqual([]);
      await nft(`
add set ip t later { type ipv4_addr ; elements = { 10.0.0.7 } ; }
add rule ip t empty ip protocol { tcp, udp } ip saddr @later drop
add rule ip t empty socket transparent 1 accept
`);
      expect(lookup?.rules('empty')).toEqual([]);
      lookup?.forget();
      expect(lookup?.rules('empty').map(({ statements }) => statements)).toEqual([
        [
          {
            match: {
              op: '==',
              left: { payload: { protocol: 'ip', field: 'protocol' } },
              right: { set: ['tcp', 'udp'] },
            },
          },
          { match: { op: '==', left: { payload: { protocol: 'ip', field: 'saddr' } }, right: '@later' } },
          { drop: null },
        ],
        // The effect is unknown.
        [{ 'a rule with the expression "socket", which is not interpreted': null }],
      ]);
      expect(lookup?.find('later', '10.0.0.7')).toEqual({ value: undefined });
      const [before] = [lookup?.rules('c')];
      lookup?.forget();
      expect(lookup?.rules('c')).toBe(before);
      lookup?.close();
    });
  });

  test('rules are current after `forget`, whichever commits came before and after it', async () => {
    await withNamespace(async ({ path, runner }) => {
      const nft = (stdin: string) => runner.run({ command: 'nft', args: ['-f', '-'], stdin });
      const accepts = (ports: readonly number[]) => ports.map((port) => `add rule ip t c tcp dport ${port} accept\n`);
      await nft(`add table ip t\nadd chain ip t c\n${accepts([1]).join('')}`);
      const lookup = await NftTableLookup.open('ip', 't', { namespace: path });
      const read = () => lookup?.rules('c').length;
      expect(read()).toBe(1);
      // Without a commit, and with one to another table.
      lookup?.forget();
      expect(read()).toBe(1);
      await nft('add table ip6 other\n');
      lookup?.forget();
      expect(read()).toBe(1);
      // Before `forget`, after it, and after a chain was read that was not cached.
      await nft(accepts([2]).join(''));
      lookup?.forget();
      expect(read()).toBe(2);
      lookup?.forget();
      await nft(accepts([3]).join(''));
      expect(read()).toBe(3);
      lookup?.forget();
      expect(lookup?.rules('later')).toEqual([]);
      await nft(`add chain ip t later\nadd rule ip t later drop\n${accepts([4]).join('')}`);
      expect(read()).toBe(3);
      lookup?.forget();
      expect(read()).toBe(4);
      expect(lookup?.rules('later').map(({ statements }) => statements)).toEqual([[{ drop: null }]]);
      // The same number of rules.
      await nft(`flush chain ip t c\n${accepts([5, 6, 7, 8]).join('')}`);
      lookup?.forget();
      expect(JSON.stringify(lookup?.rules('c')[0]?.statements)).toContain('"5"');
      lookup?.close();
    });
  });

  test('lists the tables of all families', async () => {
    await withNamespace(async ({ path, runner }) => {
      const stdin = ['ip t', 'ip6 t', 'inet u', 'bridge v'].map((table) => `add table ${table}\n`).join('');
      await runner.run({ command: 'nft', args: ['-f', '-'], stdin });
      const lookup = await NftTableLookup.open('ip', 't', { namespace: path });
      const tables = lookup?.tables().map(({ family, name }) => `${family} ${name}`);
      expect(tables?.sort()).toEqual(['bridge v', 'inet u', 'ip t', 'ip6 t']);
      lookup?.close();
    });
  });

  test('a missing table has no objects', async () => {
    await withNamespace(async ({ path }) => {
      const lookup = await NftTableLookup.open('ip', 't', { namespace: path });
      expect(lookup?.canFind('places')).toBe(false);
      lookup?.close();
    });
  });

  test('works while a thread sends a large transaction, and can be closed meanwhile', async () => {
    await withNamespace(async ({ path, runner }) => {
      await runner.run({ command: 'nft', args: ['-f', '-'], stdin: RULES });
      const nft = createNetlinkNft({ namespace: path });
      const table = await nft.list('ip', 't');
      expect(table?.containers.has('many')).toBe(true);
      const elements = Array.from(
        { length: 60_000 },
        (_, index) => [`10.${(index >> 16) + 1}.${(index >> 8) & 255}.${index & 255}`, '10.9.9.9'] as const,
      );
      let isWritten = false;
      const written = nft
        .run({ family: 'ip', table: 't', commands: [{ do: 'add-elements', name: 'many', elements }] })
        .then(() => {
          isWritten = true;
        });
      let lookups = 0;
      while (!isWritten) {
        const lookup = await NftTableLookup.open('ip', 't', { namespace: path });
        for (let index = 0; index < 20; index++) {
          expect(lookup?.find('places', '10.0.0.1 . tcp . 80')).toEqual({ value: '10.1.0.1 . 8080' });
          lookup?.forget();
          lookups += 1;
        }
        // No thread may still be sending: its result would be an unhandled error.
        lookup?.close();
        await new Promise((resolve) => setImmediate(resolve));
      }
      await written;
      expect(lookups).toBeGreaterThan(20);
      nft.close();
    });
  });
});
