import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, expect, test } from '@jest/globals';
import { fetchRecording, openRecording } from './recording-source.js';

const ending: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const end of ending.splice(0)) {
    await end();
  }
});

/** The address of a program that answers like this. */
async function listening(answer: RequestListener) {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  ending.push(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return { host: '127.0.0.1', port: (server.address() as AddressInfo).port };
}

test.each<[string, RequestListener, string, RegExp]>([
  [
    'a page',
    (_, response) => response.end('<html></html>'),
    'NOT_AN_AGENT',
    /^what answers at 127\.0\.0\.1:\d+ is not this version .*\(the answer is no recording\); find it with ss -ltnp/,
  ],
  [
    'kube-proxy',
    (_, response) => response.writeHead(404).end('404 page not found\n'),
    'NOT_AN_AGENT',
    /possibly kube-proxy \(HTTP 404 for \/debug\/recording\)/,
  ],
  [
    'an agent without a recording',
    (_, response) => response.writeHead(404).end('not found; use /metrics or /debug/explain\n'),
    'NO_RECORDING',
    /^the agent at .* has no recording; start it with --recording-age greater than 0$/,
  ],
  ['an agent that hangs', () => {}, 'AGENT_TIMEOUT', /^the agent at .* has not answered within 0\.1 s; see its log/],
])('a recording that is requested from %s', async (name, answer, code, message) => {
  const parts = fetchRecording(await listening(answer), name.includes('hangs') ? 100 : undefined);
  await expect(parts.next()).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
});

test('a recording that breaks off has an error that says what to do', async () => {
  const status = await listening((_, response) => {
    response.writeHead(200);
    response.write(gzipSync('{}').subarray(0, 12), () => response.destroy());
  });
  await expect(openRecording('', { status })).rejects.toMatchObject({
    code: 'AGENT_TIMEOUT',
    message: expect.stringMatching(/^the agent did not complete its recording \(.*\); see its log, and try again$/),
  });
});
