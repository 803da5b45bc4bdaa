import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { RecordingLogger, until, VirtualClock } from '@kube-proxier/core/testing';
import { runCommand } from '../agent.js';
import { ProgressLine } from '../terminal/progress-line.js';
import { fakeComposition } from '../testing/fake-composition.js';

/** An agent that answers only when released. */
const held: ServerResponse[] = [];
const server = createServer((_request, response) => void held.push(response));

beforeEach(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterEach(() => {
  server.close();
});

test.each([
  ['get services', 'Reading what is in force … 1 s', 1],
  ['explain svc/checkout', 'Reading what is in force … 1 s', 1],
  ['plan', 'Planning … 1 s', 2],
])('%s shows what takes over a second, and removes it', async (line, shown, failed) => {
  const clock = new VirtualClock();
  const written: string[] = [];
  const { port } = server.address() as AddressInfo;
  const status = runCommand([...line.split(' '), `--metrics-bind-address=127.0.0.1:${port}`], {
    composition: fakeComposition(),
    print() {},
    printError() {},
    progress: new ProgressLine((text) => void written.push(text), clock),
    createLogger: () => new RecordingLogger(),
    signal: new AbortController().signal,
  });
  await until(() => held.length > 0, 'the agent is queried');
  expect(written).toEqual([]);
  await clock.advance(1000);
  expect(written.join('')).toContain(shown);
  for (const response of held.splice(0)) {
    response.writeHead(503).end('not now');
  }
  expect(await status).toBe(failed);
  expect(written.at(-1)).toBe('\r\u001b[K');
});
