import { describe, expect, test } from '@jest/globals';
import { encodeLink, ROUTE_MESSAGES } from '../link/link-messages.js';
import { LinksNetlink } from '../link/links-netlink.js';
import { canMakeNamespaces, withNamespace } from '../testing/network-namespace.js';
import { NetlinkRefused } from './netlink-error.js';
import { NetlinkSocket } from './netlink-socket.js';

const whereAllowed = canMakeNamespaces() ? describe : describe.skip;
/** Removes an interface that is not there. */
const useless = { type: ROUTE_MESSAGES.deleteLink, flags: 0, payload: encodeLink('none-such') };

whereAllowed('NetlinkSocket, in a namespace of its own', () => {
  test('every refusal is told apart, over many batches and several callers at once', async () => {
    await withNamespace(async ({ name }) => {
      const socket = new NetlinkSocket('route', { namespace: `/run/netns/${name}` });
      const links = new LinksNetlink(socket);
      const requests = Array.from({ length: 1050 }, () => useless);
      const [errors, lo, others] = await Promise.all([
        socket.execute(requests),
        links.find('lo'),
        socket.execute(requests),
      ]);
      expect(errors).toEqual(requests.map(() => 19));
      expect(others).toEqual(errors);
      expect(lo).toMatchObject({ index: 1, name: 'lo' });
      await expect(socket.ask(useless)).rejects.toMatchObject({
        code: 'NETLINK_REFUSED',
        errno: 19,
        errnoName: 'ENODEV',
      });
      await expect(socket.ask(useless)).rejects.toBeInstanceOf(NetlinkRefused);
      socket.close();
      await expect(socket.execute([useless])).rejects.toMatchObject({ code: 'NETLINK_CLOSED' });
    });
  });

  test('a socket that overruns says that answers were lost, and the next request is answered', async () => {
    await withNamespace(async ({ name }) => {
      const socket = new NetlinkSocket('route', { namespace: `/run/netns/${name}`, receiveBuffer: 1 });
      for (let round = 0; round < 50; round++) {
        await expect(socket.execute(Array.from({ length: 100 }, () => useless))).rejects.toMatchObject({
          code: 'NETLINK_LOST',
          message: expect.stringContaining('ENOBUFS'),
        });
        expect(await socket.execute([useless])).toEqual([19]);
      }
      socket.close();
    });
  });

  test('a namespace that is not there is no netlink to be had', async () => {
    const socket = new NetlinkSocket('route', { namespace: '/run/netns/none-such' });
    await expect(socket.execute([useless])).rejects.toMatchObject({ code: 'NETLINK_UNAVAILABLE' });
  });
});
