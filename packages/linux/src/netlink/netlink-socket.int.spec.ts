import { execFileSync } from 'node:child_process';
import { describe, expect, test } from '@jest/globals';
import { decodeAddress, decodeLink, encodeEverything, encodeLink, ROUTE_MESSAGES } from '../link/link-messages.js';
import { LinksNetlink } from '../link/links-netlink.js';
import { canMakeNamespaces, withNamespace } from '../process/network-namespace.js';
import { NETLINK_FLAGS } from './netlink.js';
import { NetlinkRefused } from './netlink-error.js';
import { NetlinkSocket } from './netlink-socket.js';

const whereAllowed = canMakeNamespaces() ? describe : describe.skip;
/** Removes a missing interface. */
const useless = { type: ROUTE_MESSAGES.deleteLink, flags: 0, payload: encodeLink('none-such') };

whereAllowed.each(['koffi', 'netlink'] as const)('NetlinkSocket through %s', (transport) => {
  test('every error is assigned to its request, over many batches and several concurrent callers', async () => {
    await withNamespace(async ({ name }) => {
      const socket = new NetlinkSocket('route', { namespace: `/run/netns/${name}`, transport });
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
      await expect(socket.request(useless)).rejects.toMatchObject({
        code: 'NETLINK_REFUSED',
        errno: 19,
        errnoName: 'ENODEV',
      });
      await expect(socket.request(useless)).rejects.toBeInstanceOf(NetlinkRefused);
      socket.close();
      await expect(socket.execute([useless])).rejects.toMatchObject({ code: 'NETLINK_CLOSED' });
    });
  });

  test('many queries are answered or refused one by one, in order', async () => {
    await withNamespace(async ({ name }) => {
      const socket = new NetlinkSocket('route', { namespace: `/run/netns/${name}`, transport });
      const names = Array.from({ length: 250 }, (_, index) => (index % 3 === 0 ? 'none-such' : 'lo'));
      const answers = await socket.requestEach(
        names.map((link) => ({ type: ROUTE_MESSAGES.getLink, flags: 0, payload: encodeLink(link) })),
      );
      expect(answers.map((answer) => (typeof answer === 'number' ? answer : decodeLink(answer.payload).name))).toEqual(
        names.map((link) => (link === 'lo' ? link : 19)),
      );
      expect(await socket.requestEach([])).toEqual([]);
      socket.close();
    });
  });

  test('a long dump is passed on in parts, and a change during the dump is reported', async () => {
    await withNamespace(async ({ name }) => {
      const run = (command: string, input?: string) =>
        execFileSync('nsenter', [`--net=/run/netns/${name}`, 'ip', ...command.split(' ')], input ? { input } : {});
      const addresses = Array.from({ length: 6000 }, (_, index) => `10.1.${index >> 8}.${index & 255}`);
      run('-batch -', addresses.map((address) => `address add ${address}/32 dev lo\n`).join(''));
      const socket = new NetlinkSocket('route', { namespace: `/run/netns/${name}`, transport });
      const request = {
        type: ROUTE_MESSAGES.getAddress,
        flags: NETLINK_FLAGS.dump,
        payload: encodeEverything('addresses'),
      };
      const found: (string | undefined)[] = [];
      await socket.dump(request, ({ payload }) => found.push(decodeAddress(payload)?.address));
      expect(found.sort()).toEqual([...addresses].sort());

      let changed = false;
      const meanwhile = socket.dump(request, () => {
        if (!changed) {
          changed = true;
          run('address add 10.2.0.1/32 dev lo');
        }
      });
      await expect(meanwhile).rejects.toMatchObject({
        code: 'NETLINK_LOST',
        message: expect.stringMatching(/changed/),
      });
      await expect(socket.dump({ ...request, type: 4711 }, () => {})).rejects.toBeInstanceOf(NetlinkRefused);
      const failing = socket.dump(request, () => {
        throw new Error('injected fault');
      });
      await expect(failing).rejects.toThrow('injected fault');
      expect(await new LinksNetlink(socket).find('lo')).toMatchObject({ name: 'lo' });
      socket.close();
    });
  });

  test('a missing namespace is reported as unavailable netlink', async () => {
    const socket = new NetlinkSocket('route', { namespace: '/run/netns/none-such', transport });
    await expect(socket.execute([useless])).rejects.toMatchObject({ code: 'NETLINK_UNAVAILABLE' });
  });
});

whereAllowed('A socket whose buffer overruns', () => {
  test('a socket overrun is reported as lost answers, and the next request is answered', async () => {
    await withNamespace(async ({ name }) => {
      const socket = new NetlinkSocket('route', {
        namespace: `/run/netns/${name}`,
        receiveBuffer: 1,
        transport: 'koffi',
      });
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
});
