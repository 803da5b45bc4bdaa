import { describe, expect, test } from '@jest/globals';
import { ProcLocalNetwork } from '../network/local-network.js';
import { canMakeNamespaces, withNamespace } from '../process/network-namespace.js';
import type { AddressEvents } from './address-events.js';
import { AddressEventsNetlink } from './address-events-netlink.js';
import { FakeLinks } from './fake-links.js';

interface Host {
  /** Approximate number of changes that are buffered until they are read. */
  readonly room: number;
  events(): AddressEvents;
  /** On an interface other than loopback. */
  add(...addresses: string[]): Promise<void>;
  remove(address: string): Promise<void>;
}

function addressEventsSuite(withHost: (use: (host: Host) => Promise<void>) => Promise<void>): void {
  test('reports additions and removals since the first call, in order, each once', () =>
    withHost(async ({ events, add, remove }) => {
      await add('198.51.100.1');
      const stream = events();
      const other = events();
      expect(await stream.take()).toEqual({ changes: [], missed: false });
      await add('198.51.100.7', 'fd00:5::7');
      await remove('198.51.100.7');
      const { changes, missed } = await stream.take();
      const [{ link } = { link: 0 }] = changes;
      expect(link).toBeGreaterThan(0);
      expect(changes).toEqual([
        { link, family: 'IPv4', address: '198.51.100.7' },
        { link, family: 'IPv6', address: 'fd00:5::7' },
        { link, family: 'IPv4', address: '198.51.100.7' },
      ]);
      expect(missed).toBe(false);
      expect(await stream.take()).toEqual({ changes: [], missed: false });
      // A later subscriber receives all of its events.
      expect(await other.take()).toEqual({ changes: [], missed: false });
      stream.close();
      stream.close();
      other.close();
    }));

  test('reports lost events after a buffer overrun, and continues', () =>
    withHost(async ({ room, events, add, remove }) => {
      const stream = events();
      await stream.take();
      await add(...Array.from({ length: 4 * room }, (_, index) => `10.9.${index >> 8}.${index & 255}`));
      expect((await stream.take()).missed).toBe(true);
      await remove('10.9.0.0');
      expect(await stream.take()).toMatchObject({ changes: [{ address: '10.9.0.0' }], missed: false });
      stream.close();
    }));
}

describe('FakeLinks', () => {
  addressEventsSuite(async (use) => {
    const links = new FakeLinks();
    await use({
      room: 20,
      events: () => links.events(20),
      add: async (...addresses) => {
        for (const address of addresses) {
          await links.addHostAddress(address);
        }
      },
      remove: (address) => links.removeHostAddress(address),
    });
  });
});

(canMakeNamespaces() ? describe : describe.skip)('AddressEventsNetlink, in a namespace of its own', () => {
  addressEventsSuite((use) =>
    withNamespace(async ({ name, runner }) => {
      const ip = async (...commands: string[][]) => {
        const input = commands.map((words) => words.join(' ')).join('\n');
        await runner.run({ command: 'ip', args: ['-batch', '-'], stdin: `${input}\n` });
      };
      await ip(['link', 'add', 'there', 'type', 'veth', 'peer', 'name', 'here']);
      for (const link of ['there', 'here']) {
        // The kernel reports no IPv6 addresses of an interface that is down, and no addresses may be added
        // automatically.
        await ip(['link', 'set', link, 'addrgenmode', 'none'], ['link', 'set', link, 'up']);
      }
      const bits = (address: string) => `${address}/${address.includes(':') ? '128 dev here nodad' : '32 dev here'}`;
      await use({
        room: 100,
        // The kernel keeps more than requested: it doubles the size for its own bookkeeping.
        events: () => new AddressEventsNetlink({ namespace: `/run/netns/${name}`, receiveBuffer: 40_000 }),
        add: (...addresses) => ip(...addresses.map((address) => ['address', 'add', bits(address)])),
        remove: (address) => ip(['address', 'delete', bits(address).replace(' nodad', '')]),
      });
    }),
  );

  test('reports each time that a missing namespace cannot be watched', async () => {
    const events = new AddressEventsNetlink({ namespace: '/run/netns/none-such' });
    await expect(events.take()).rejects.toMatchObject({ code: 'NETLINK_UNAVAILABLE' });
    await expect(events.take()).rejects.toMatchObject({ code: 'NETLINK_UNAVAILABLE' });
    events.close();
    await expect(events.take()).rejects.toMatchObject({ code: 'NETLINK_CLOSED' });
  });
});

describe('an IPv6 address during duplicate address detection', () => {
  test('is reported twice, and is not an address of the host before the second report', async () => {
    await withNamespace(async ({ files, path: namespace, runner }) => {
      const network = new ProcLocalNetwork(files);
      const set = (path: string, value: number) => files.write(`/proc/sys/net/ipv6/${path}`, `${value}`);
      const ip = (...args: string[]) => runner.run({ command: 'ip', args });
      await ip('link', 'set', 'lo', 'up');
      await ip('link', 'add', 'eth0', 'up', 'type', 'veth', 'peer', 'name', 'peer');
      await ip('link', 'set', 'peer', 'up');
      await set('conf/eth0/accept_dad', 1);
      const events = new AddressEventsNetlink({ namespace });
      await events.take();

      // With the default interval this takes an hour.
      await set('neigh/eth0/retrans_time_ms', 3_600_000);
      await ip('address', 'add', 'fd00:5::7/128', 'dev', 'eth0');
      expect((await events.take()).changes).toMatchObject([{ family: 'IPv6', address: 'fd00:5::7' }]);
      expect(await network.localAddresses()).not.toContain('fd00:5::7');

      await set('neigh/eth0/retrans_time_ms', 100);
      await ip('address', 'add', 'fd00:5::8/128', 'dev', 'eth0');
      const reported: string[] = [];
      while (reported.length < 2) {
        const { changes } = await events.take();
        // The kernel may finish the other address as well: detection begins with a delay of up to a second.
        reported.push(...changes.map(({ address }) => address).filter((address) => address === 'fd00:5::8'));
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      expect(reported).toHaveLength(2);
      expect(await network.localAddresses()).toContain('fd00:5::8');
      events.close();
    });
  });
});
