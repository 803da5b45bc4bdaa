import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { expect, test } from '@jest/globals';

test('a UDP socket on all addresses answers from another address of 127.0.0.0/8 than was asked (docs/modes.md)', async () => {
  const server = createSocket('udp4', (message, client) => server.send(message, client.port, client.address));
  const client = createSocket('udp4');
  try {
    server.bind(0, '0.0.0.0');
    client.bind(0, '127.0.0.1');
    await Promise.all([once(server, 'listening'), once(client, 'listening')]);
    const { port } = server.address();
    const answered = once(client, 'message');
    client.send('which address', port, '127.0.0.5');
    const [, from] = await answered;
    expect(from).toMatchObject({ address: '127.0.0.1', port });
  } finally {
    server.close();
    client.close();
  }
});
