import { describe, expect, test } from '@jest/globals';
import { canMakeNamespaces, withNamespace } from '../../process/network-namespace.js';
import { createNetlinkNft } from '../nft-netlink.js';
import { NftElementLookup } from './nft-element-lookup.js';

const whereAllowed = canMakeNamespaces() ? describe : describe.skip;

const RULES = `
add table ip t
add map ip t places { type ipv4_addr . inet_proto . inet_service : ipv4_addr . inet_service ; }
add map ip t verdicts { type ipv4_addr : verdict ; }
add set ip t names { type ipv4_addr . mark ; }
add set ip t networks { type ipv4_addr ; flags interval ; }
add set ip t clients { type ipv4_addr ; flags dynamic, timeout ; }
add map ip t many { type ipv4_addr : ipv4_addr ; }
add chain ip t c
add element ip t places { 10.0.0.1 . tcp . 80 : 10.1.0.1 . 8080, 10.0.0.2 . 99 . 80 : 10.1.0.2 . 8080 }
add element ip t verdicts { 10.0.0.1 : goto c, 10.0.0.2 : drop, * : return }
add element ip t names { 10.0.0.1 . 0x4000 }
add element ip t networks { 10.0.0.0/8, 192.0.2.1 }
`;

whereAllowed('NftElementLookup', () => {
  test('finds single elements of hash tables, and lists the others', async () => {
    await withNamespace(async ({ path, runner }) => {
      await runner.run({ command: 'nft', args: ['-f', '-'], stdin: RULES });
      const lookup = await NftElementLookup.open('ip', 't', { namespace: path });
      if (lookup === undefined) {
        throw new Error('the kernel does not answer at once');
      }
      const names = ['places', 'verdicts', 'names', 'networks', 'clients', 'missing'];
      expect(names.map((name) => lookup.canFind(name))).toEqual([true, true, true, false, false, false]);
      expect(lookup.find('places', '10.0.0.1 . tcp . 80')).toEqual({ value: '10.1.0.1 . 8080' });
      expect(lookup.find('places', '10.0.0.2 . 99 . 80')).toEqual({ value: '10.1.0.2 . 8080' });
      expect(lookup.find('places', '10.0.0.1 . udp . 80')).toBeUndefined();
      expect(lookup.find('verdicts', '10.0.0.1')).toEqual({ value: 'goto c' });
      expect(lookup.find('verdicts', '10.0.0.9')).toEqual({ value: 'return' });
      expect(lookup.find('names', `10.0.0.1 . ${0x4000}`)).toEqual({ value: undefined });
      expect(lookup.find('names', '10.0.0.1 . 1')).toBeUndefined();
      expect([...((await lookup.list('networks')) ?? new Map()).keys()].length).toBeGreaterThan(0);
      expect(() => lookup.find('missing', '1')).toThrow('elements of missing in table ip t cannot be looked up');
      expect(() => lookup.find('places', 'nonsense')).toThrow('cannot look up nonsense in places');
      // What was looked up is remembered until it is to be forgotten.
      await runner.run({ command: 'nft', args: ['flush', 'map', 'ip', 't', 'places'] });
      expect(lookup.find('places', '10.0.0.1 . tcp . 80')).toBeDefined();
      lookup.forget();
      expect(lookup.find('places', '10.0.0.1 . tcp . 80')).toBeUndefined();
      lookup.close();
    });
  });

  test('a table that does not exist has nothing to find', async () => {
    await withNamespace(async ({ path }) => {
      const lookup = await NftElementLookup.open('ip', 't', { namespace: path });
      expect(lookup?.canFind('places')).toBe(false);
      lookup?.close();
    });
  });

  test('answers while a thread sends a large transaction, and can be closed at that moment', async () => {
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
        const lookup = await NftElementLookup.open('ip', 't', { namespace: path });
        for (let index = 0; index < 20; index++) {
          expect(lookup?.find('places', '10.0.0.1 . tcp . 80')).toEqual({ value: '10.1.0.1 . 8080' });
          lookup?.forget();
          lookups += 1;
        }
        // Nothing may still be sent by a thread: its end would be an error that nobody handles.
        lookup?.close();
        await new Promise((resolve) => setImmediate(resolve));
      }
      await written;
      expect(lookups).toBeGreaterThan(20);
      nft.close();
    });
  });
});
