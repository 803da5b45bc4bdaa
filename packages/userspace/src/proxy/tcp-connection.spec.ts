import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { until } from '@kube-proxier/core/testing';
import { LoopbackServer } from '../testing/loopback-servers.js';
import { cut } from './tcp-connection.js';

const CHUNK = Buffer.alloc(64 * 1024);
const MORE_THAN_FITS = Buffer.alloc(32 << 20);

/** What was last done with a socket when it is cut, while its peer sends as much as it can. */
const MOMENTS: Readonly<Record<string, (socket: Socket) => unknown>> = {
  'nothing was done with it': () => {},
  'it has just been written to': (socket) => socket.write('x'),
  'more was written to it than the kernel takes': (socket) => socket.write(MORE_THAN_FITS),
  'its end has just been requested': (socket) => socket.end(),
  'its end waits for what was written': (socket) => socket.end(MORE_THAN_FITS),
  'its end was sent': async (socket) => {
    socket.end();
    await once(socket, 'finish');
  },
};

describe('a reset socket is closed, and its peer cannot send, when', () => {
  let peer: LoopbackServer;

  beforeEach(async () => {
    peer = await LoopbackServer.start('127.0.0.1', 0, (socket) => {
      const more = () => {
        while (!socket.destroyed && socket.write(CHUNK));
        socket.once('drain', more);
      };
      more();
    });
  });

  afterEach(() => peer.close());

  test.each(Object.keys(MOMENTS))('%s', async (moment) => {
    const socket = connect({ port: peer.port, host: '127.0.0.1', allowHalfOpen: true });
    const errors: Error[] = [];
    let closed = false;
    socket.on('error', (error) => errors.push(error));
    socket.on('close', () => {
      closed = true;
    });
    socket.on('data', () => {});
    await once(socket, 'data');
    await MOMENTS[moment]?.(socket);
    cut(socket);
    cut(socket);
    await until(() => closed, 'it is closed');
    await until(() => peer.connections.length > 0 && peer.connections.every(({ destroyed }) => destroyed), 'reset');
    expect(errors).toEqual([]);
  });
});
