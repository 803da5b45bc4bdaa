import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from '@jest/globals';
import { queryAgent, queryAgentJson } from './agent-client.js';

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
    case '/page':
      response.writeHead(200, { 'Content-Type': 'text/html' }).end('<html></html>');
      return;
    case '/of-kube-proxy':
      response.writeHead(404).end('404 page not found\n');
      return;
    case '/empty':
      response.writeHead(404).end();
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
  for (const path of ['/page', '/of-kube-proxy', '/empty']) {
    await expect(queryAgentJson(address, path)).rejects.toMatchObject({
      code: 'NOT_AN_AGENT',
      message: expect.stringMatching(
        /^what answers at 127\.0\.0\.1:\d+ is not this version of kube-proxier, but possibly/,
      ),
    });
  }
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
