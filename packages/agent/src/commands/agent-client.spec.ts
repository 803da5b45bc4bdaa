import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from '@jest/globals';
import { queryAgent } from './agent-client.js';

const server = createServer((request, response) => {
  switch (request.url) {
    case '/silent':
      return;
    case '/endless':
      response.writeHead(200);
      response.write('{"items":[');
      return;
    case '/cut':
      response.writeHead(200);
      response.write('{"items":[', () => response.destroy());
      return;
    default:
      response.writeHead(503).end('not now\n');
  }
});

afterEach(() => {
  server.closeAllConnections();
  server.close();
});

/** A listening agent is never reported as "no agent". */
test('errors distinguish a missing, a slow, a terminating and a refusing agent', async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const address = { host: '127.0.0.1', port };
  const query = (path: string, timeout?: number) =>
    queryAgent(address, path, 'set --manifests', timeout === undefined ? {} : { timeout });
  await expect(query('/silent', 50)).rejects.toMatchObject({ code: 'AGENT_TIMEOUT' });
  await expect(query('/endless', 50)).rejects.toMatchObject({ code: 'AGENT_TIMEOUT' });
  await expect(query('/cut')).rejects.toMatchObject({ code: 'AGENT_TIMEOUT' });
  await expect(query('/refused')).rejects.toMatchObject({
    code: 'AGENT_REFUSED',
    message: expect.stringMatching(/answers: not now$/),
  });
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
  await expect(query('/')).rejects.toMatchObject({
    code: 'NO_AGENT',
    message: expect.stringMatching(
      /^no agent answers at 127\.0\.0\.1:\d+ \(.+\); start kube-proxier, or set --manifests$/,
    ),
  });
  await expect(queryAgent(undefined, '/')).rejects.toMatchObject({ code: 'NO_AGENT' });
});
