import { createSocket } from 'node:dgram';
import { afterEach, describe, expect, test } from '@jest/globals';
import { until } from '@kube-proxier/core/testing';
import { noRedirector } from './apply/redirector.js';
import { freePort, LoopbackFixture, type LoopbackFixtureOptions } from './testing/loopback-fixture.js';
import { LoopbackClient, LoopbackServer, udpEcho } from './testing/loopback-servers.js';

/** Addresses of this host, as all of loopback are. */
const CLUSTER_IP = '127.0.10.1';
const EXTERNAL_IP = '127.0.20.1';
const STAND_INS = { '10.96.0.9': CLUSTER_IP, '198.51.100.9': EXTERNAL_IP };
const cleanups: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) {
    await cleanup();
  }
});

/** The served addresses: all that are this host's, or those that are listed. */
const WAYS: Readonly<Record<string, LoopbackFixtureOptions>> = {
  "redirect 'bind'": { redirection: async () => ({ reach: 'bound', redirector: noRedirector }) },
  "redirect 'none' with listenAddresses": { listenAddresses: [CLUSTER_IP, EXTERNAL_IP] },
};

function fixture(options: LoopbackFixtureOptions = {}): LoopbackFixture {
  const made = new LoopbackFixture({ ...options, standIns: STAND_INS });
  cleanups.push(() => made.close());
  return made;
}

async function echo(address: string, port = 0): Promise<LoopbackServer> {
  const started = await LoopbackServer.echo(address, port);
  cleanups.push(() => started.close());
  return started;
}

/** A Service at both addresses, whose endpoint is 127.0.0.2. */
async function service(endpointPort: number, protocol: 'TCP' | 'UDP' = 'TCP') {
  const port = await freePort(protocol);
  const nodePort = await freePort(protocol);
  const ports = [{ port, protocol, nodePort }];
  const spec = { clusterIP: '10.96.0.9', externalIPs: ['198.51.100.9', '192.0.2.1'], ports };
  return { port, installed: { nodePort, protocol, port: endpointPort, endpoints: ['127.0.0.2'], spec } };
}

/** The result for a client there: the name of the endpoint, or the code of the error. */
async function outcome(address: string, port: number): Promise<string | undefined> {
  const client = LoopbackClient.connect(port, address);
  await until(() => client.text.endsWith('\n') || client.closed, 'an outcome');
  client.socket.destroy();
  return client.error?.code ?? client.text.trim();
}

describe.each(Object.keys(WAYS))('%s', (way) => {
  const options = WAYS[way] as LoopbackFixtureOptions;

  test('serves cluster IPs and external IPs that are addresses of this host, until the Service is removed', async () => {
    const endpoint = await echo('127.0.0.2');
    const proxy = fixture(options);
    const { port, installed } = await service(endpoint.port);
    await proxy.install(installed);
    for (const address of [CLUSTER_IP, EXTERNAL_IP]) {
      expect(await outcome(address, port)).toBe('127.0.0.2');
    }
    // Only there.
    expect(await outcome('127.0.30.1', port)).toBe('ECONNREFUSED');
    await proxy.install();
    for (const address of [CLUSTER_IP, EXTERNAL_IP]) {
      expect(await outcome(address, port)).toBe('ECONNREFUSED');
    }
    // The port is free for others.
    await echo(CLUSTER_IP, port);
    expect(await outcome(CLUSTER_IP, port)).toBe(CLUSTER_IP);
  });

  test('replies to UDP come from the address that the client used', async () => {
    const endpoint = await udpEcho('127.0.0.2', 0);
    cleanups.push(() => endpoint.close());
    const proxy = fixture(options);
    const { port, installed } = await service(endpoint.port, 'UDP');
    await proxy.install(installed);
    const client = createSocket('udp4');
    cleanups.push(() => new Promise<void>((resolve) => client.close(() => resolve())));
    const answers: string[] = [];
    client.on('message', (message, { address }) => answers.push(`${message} by ${address}`));
    for (const address of [CLUSTER_IP, EXTERNAL_IP]) {
      client.send('x', port, address);
      await until(() => answers.includes(`127.0.0.2 by ${address}`), `an answer from ${address}`);
    }
  });

  test('an address and port in use by another program is reported, affects nothing else, and is bound when it is free', async () => {
    const endpoint = await echo('127.0.0.2');
    const proxy = fixture(options);
    const { port, installed } = await service(endpoint.port);
    const other = await LoopbackServer.echo(CLUSTER_IP, port);
    await expect(proxy.install(installed)).rejects.toMatchObject({
      code: 'USERSPACE_PARTLY_APPLIED',
      message: expect.stringContaining(`another program holds ${CLUSTER_IP}:${port}/TCP`),
    });
    expect(await outcome(CLUSTER_IP, port)).toBe(CLUSTER_IP);
    expect(await outcome(EXTERNAL_IP, port)).toBe('127.0.0.2');
    await other.close();
    await proxy.install(installed);
    expect(await outcome(CLUSTER_IP, port)).toBe('127.0.0.2');
  });

  test('each address keeps to its own traffic policy', async () => {
    const endpoint = await echo('127.0.0.2');
    const proxy = fixture(options);
    const { port, installed } = await service(endpoint.port);
    const { spec, ...rest } = installed;
    await proxy.install({ ...rest, spec: { ...spec, internalTrafficPolicy: 'Local' } });
    // The node of its endpoint is unknown, so the cluster IP has no local endpoint.
    expect(await outcome(CLUSTER_IP, port)).toBe('ECONNRESET');
    expect(await outcome(EXTERNAL_IP, port)).toBe('127.0.0.2');
  });
});

test("redirect 'none' serves listed addresses only", async () => {
  const endpoint = await echo('127.0.0.2');
  const proxy = fixture({ listenAddresses: [EXTERNAL_IP] });
  const { port, installed } = await service(endpoint.port);
  await proxy.install(installed);
  expect(await outcome(EXTERNAL_IP, port)).toBe('127.0.0.2');
  expect(await outcome(CLUSTER_IP, port)).toBe('ECONNREFUSED');
});
