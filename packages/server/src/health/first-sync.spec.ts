import { get } from 'node:http';
import { expect, test } from '@jest/globals';
import {
  DEFAULT_PROXIER_OPTIONS,
  type ProxierContext,
  ReconcilingProxier,
  silentLogger,
  systemClock,
} from '@kube-proxier/core';
import { FakeDataplane, makeService, makeSlice } from '@kube-proxier/core/testing';
import { HealthServer } from './health-server.js';
import { ProxyHealth } from './proxy-health.js';

const SERVICES = 10_000;

function statusOf(url: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    get(url, { agent: false }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode));
    }).once('error', reject);
  });
}

test('/livez answers while the first sync resolves many Services', async () => {
  const health = new ProxyHealth(60_000, systemClock);
  const server = new HealthServer({
    ...{ host: '127.0.0.1', port: 0, health, logger: silentLogger, hardFail: true },
    notReady: () => undefined,
  });
  await server.start();
  const order: string[] = [];
  let answer: Promise<unknown> = Promise.resolve();
  const abort = new AbortController();
  let loop: Promise<void> = Promise.resolve();
  await new Promise<void>((resolve) => {
    const context: ProxierContext = {
      family: 'IPv4',
      options: { ...DEFAULT_PROXIER_OPTIONS, nodeName: 'node1' },
      ...{ logger: silentLogger, clock: systemClock, localAddresses: async () => [] },
      observer: {
        resolving: () => {
          answer = statusOf(`http://127.0.0.1:${server.address?.port}/livez`).then((status) => {
            order.push(`answered ${status}`);
          });
        },
        resolved: () => order.push('resolved'),
        synced: () => resolve(),
      },
    };
    const proxier = new ReconcilingProxier({ mode: 'fake', context, dataplane: new FakeDataplane() });
    loop = proxier.syncLoop(abort.signal);
    for (let index = 0; index < SERVICES; index += 1) {
      const address = `10.${index >> 8}.${index & 255}.1`;
      proxier.onServiceUpdate(undefined, makeService(`work/s${index}`, { clusterIP: address }));
      proxier.onEndpointsUpdate(undefined, makeSlice(`work/s${index}`, [address]));
    }
    proxier.onServicesSynced();
    proxier.onEndpointsSynced();
  });
  await answer;
  expect(order).toEqual(['answered 200', 'resolved']);
  abort.abort();
  await loop;
  await server.stop();
});
