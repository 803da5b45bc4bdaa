import { expect, test } from '@jest/globals';
import { DEFAULT_PROXIER_OPTIONS, ObjectReader, silentLogger, systemClock, Tokens } from '@kube-proxier/core';
import { makeService, makeSlice, until } from '@kube-proxier/core/testing';
import { Container } from 'inversify';
import { createUserspaceBackend } from './backend.js';
import { freePort } from './testing/loopback-fixture.js';
import { LoopbackClient, LoopbackServer } from './testing/loopback-servers.js';

test('a stopped proxier leaks no port and no connection', async () => {
  const endpoint = await LoopbackServer.echo('127.0.0.1', 0, 'endpoint');
  const container = new Container();
  container.load(createUserspaceBackend({ redirect: 'none' }).module);
  const proxier = container.get(Tokens.ProxierFactory)({
    family: 'IPv4',
    options: { ...DEFAULT_PROXIER_OPTIONS, nodeName: 'node1' },
    logger: silentLogger,
    clock: systemClock,
    observer: {},
    reader: new ObjectReader(undefined, { allowLoopbackEndpoints: true }),
    localAddresses: async () => ['127.0.0.1'],
  });
  const nodePort = await freePort();
  const ended = new AbortController();
  const loop = proxier.syncLoop(ended.signal);
  try {
    const spec = { type: 'NodePort', clusterIP: '10.96.0.1', ports: [{ port: 80, nodePort }] };
    proxier.onServiceUpdate(undefined, makeService('web', spec));
    const ports = [{ name: '', port: endpoint.port }];
    proxier.onEndpointsUpdate(undefined, makeSlice('web', ['127.0.0.1'], { ports }));
    proxier.onServicesSynced();
    proxier.onEndpointsSynced();
    let client = LoopbackClient.connect(nodePort);
    await until(() => {
      client = client.closed ? LoopbackClient.connect(nodePort) : client;
      return client.text === 'endpoint\n';
    }, 'the NodePort answers');

    ended.abort();
    await loop;

    await until(() => client.closed, 'the connection ends');
    const late = LoopbackClient.connect(nodePort);
    await until(() => late.closed, 'the port is closed');
    expect(late.error?.code).toBe('ECONNREFUSED');
  } finally {
    ended.abort();
    await loop;
    await endpoint.close();
  }
});

test('doctor reports descriptors, and the carrier of large transfers', async () => {
  const found = await createUserspaceBackend({ redirect: 'none' }).diagnose?.();
  expect(found).toEqual([
    expect.objectContaining({
      check: 'open files',
      found: expect.stringMatching(/^room for \d+ connections at once$/),
    }),
    { check: 'connections that move much', status: 'ok', found: 'carried by the kernel (splice)' },
  ]);
});
