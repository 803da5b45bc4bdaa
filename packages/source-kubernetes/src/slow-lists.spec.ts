import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import { RecordingLogger, until } from '@kube-proxier/core/testing';
import { KubernetesSource, type KubernetesSourceOptions } from './kubernetes-source.js';
import { FakeApiServer, FastClock, RecordingHandler } from './testing/index.js';

const FASTER = 100;
const ending: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const end of ending.splice(0).reverse()) {
    await end();
  }
});

async function begin(url: string, options: KubernetesSourceOptions) {
  const logger = new RecordingLogger();
  const clock = new FastClock(FASTER);
  // Real seconds, as a busy machine may be late.
  const source = new KubernetesSource({ master: url, clock, logger, responseTimeout: 600_000, ...options });
  ending.push(async () => {
    await source.stop();
    expect(clock.pending).toBe(0);
  });
  const handler = new RecordingHandler();
  await source.start(handler, { nodeName: 'node1' });
  return { source, handler, messages: () => logger.messages() };
}

async function serve(services: number): Promise<FakeApiServer> {
  const server = await FakeApiServer.start({ clock: new FastClock(FASTER) });
  ending.push(() => server.stop());
  for (let index = 0; index < services; index++) {
    server.store.put('services', {
      metadata: { name: `web-${index}`, namespace: 'default' },
      spec: { clusterIP: `10.96.${Math.floor(index / 250)}.${(index % 250) + 1}` },
    });
  }
  server.store.put('nodes', { metadata: { name: 'node1' } });
  return server;
}

/** A server whose watches with initial events send a space now and then, and which answers nothing else. */
async function serveEndlessWatches(): Promise<{ readonly url: string; readonly lists: string[] }> {
  const lists: string[] = [];
  const timers = new Set<NodeJS.Timeout>();
  const server: Server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
    if (searchParams.get('watch') === 'true') {
      response.writeHead(200, { 'Content-Type': 'application/json' });
      timers.add(setInterval(() => response.write('\n'), 20));
    } else {
      lists.push(pathname);
    }
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  ending.push(() => {
    for (const timer of timers) {
      clearInterval(timer);
    }
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, lists };
}

describe('a list that takes long', () => {
  test('is reported with its progress, and given up when it arrives byte by byte', async () => {
    const server = await serve(3);
    let slow = true;
    server.faultFor = ({ resource, verb }) =>
      slow && verb === 'list' && resource === 'services' ? { kind: 'drip', bytes: 1, interval: 10 } : undefined;
    const { source, handler, messages } = await begin(server.url, {});
    const progress = /^services: the list is not complete after \d+ s: \d+B with \d objects? so far$/;
    await until(() => progress.test(source.obstacle('Services') ?? ''), 'the progress in the status');
    const logged = /^services: the list is not complete after .* so far; the last known objects stay in force$/;
    expect(messages().some((line) => logged.test(line))).toBe(true);
    const failure = /does not answer correctly: .*\d+ bytes of the answer came in 300000 ms, which is too slow/;
    await until(() => messages().some((line) => failure.test(line)), 'the end of the list', 60_000);
    slow = false;
    await until(() => handler.servicesSynced === 1, 'the next list', 60_000);
    expect(source.obstacle('Services')).toBeUndefined();
    expect(handler.services.size).toBe(3);
  });

  test('becomes complete while it progresses, however long it takes', async () => {
    const server = await serve(6000);
    server.faultFor = ({ resource, verb }) =>
      verb === 'list' && resource === 'services' ? { kind: 'drip', bytes: 2000, interval: 30 } : undefined;
    // The list takes several times as long.
    const { handler } = await begin(server.url, { pageTimeout: 100_000 });
    await until(() => handler.servicesSynced === 1, 'synced', 60_000);
    expect(handler.services.size).toBe(6000);
  });

  test('is requested instead of a watch whose initial events do not come to an end', async () => {
    const { url, lists } = await serveEndlessWatches();
    const { source } = await begin(url, { watchList: 'all' });
    const progress = /^services: the list is not complete after \d+ s: \d+B with 0 objects so far$/;
    await until(() => progress.test(source.obstacle('Services') ?? ''), 'the progress in the status');
    await until(() => lists.includes('/api/v1/services'), 'a list', 60_000);
  });
});
