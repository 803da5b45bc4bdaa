import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { afterEach, expect, test } from '@jest/globals';
import { RecordingLogger, until } from '@kube-proxier/core/testing';
import { FakeIptables, FakeMarkedSockets } from '@kube-proxier/linux/testing';
import { IptablesRedirector } from './apply/iptables-redirector.js';
import { freePort, LoopbackFixture, type LoopbackService } from './testing/loopback-fixture.js';
import { LoopbackClient, LoopbackServer, udpEcho } from './testing/loopback-servers.js';

const ENDPOINT = '127.0.0.2';
const EXTERNAL_IP = '198.51.100.9';
const EXEMPT = '-m comment --comment "connections of kube-proxier to endpoints" -m mark --mark 0x4000/0x4000 -j RETURN';
const cleanups: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) {
    await cleanup();
  }
});

/** A proxy whose rules go to a fake, and an external IP that is the address of endpoints. */
function fixture(sockets: FakeMarkedSockets) {
  const iptables = new FakeIptables();
  const logger = new RecordingLogger();
  const proxy = new LoopbackFixture({
    standIns: { [EXTERNAL_IP]: ENDPOINT },
    logger,
    redirection: async () => {
      await sockets.start();
      const mark = sockets.unusable === undefined ? sockets.mark : undefined;
      return {
        reach: 'redirected',
        redirector: new IptablesRedirector('IPv4', async () => iptables, mark),
        ownSockets: sockets,
      };
    },
  });
  cleanups.push(() => proxy.close());
  const rulesAt = (chain: string, port: number) =>
    (iptables.rulesOf('nat', chain) ?? []).filter(
      (rule) => rule.includes(`-d ${ENDPOINT}/32`) && rule.includes(`--dport ${port} `),
    );
  return {
    proxy,
    logger,
    iptables,
    /** Rules for the external IP: for what others send, and for what this host sends. */
    rules: (port: number) => ({
      fromOthers: rulesAt('KUBE-PORTALS-CONTAINER', port).length,
      fromHost: rulesAt('KUBE-PORTALS-HOST', port).length,
    }),
  };
}

async function service(port: number, protocol: 'TCP' | 'UDP', externalIPs: readonly string[]) {
  const nodePort = await freePort(protocol);
  const ports = [{ port, protocol, nodePort }];
  return { nodePort, protocol, port, endpoints: [ENDPOINT], spec: { externalIPs, ports } } satisfies LoopbackService;
}

async function tcpEndpoint(): Promise<LoopbackServer> {
  const endpoint = await LoopbackServer.echo(ENDPOINT, 0);
  cleanups.push(() => endpoint.close());
  return endpoint;
}

async function answered(nodePort: number): Promise<void> {
  const client = LoopbackClient.connect(nodePort);
  await until(() => client.text === `${ENDPOINT}\n`, 'an answer');
  client.socket.destroy();
}

test('only connections to an endpoint that is redirected carry the mark, from the time that it is', async () => {
  const endpoint = await tcpEndpoint();
  const sockets = new FakeMarkedSockets();
  const { proxy, iptables, rules, logger } = fixture(sockets);
  const plain = await service(endpoint.port, 'TCP', []);
  await proxy.install(plain);
  await answered(plain.nodePort);
  expect(sockets.made.tcp).toBe(0);

  const redirected = { ...plain, spec: { ...plain.spec, externalIPs: [EXTERNAL_IP] } };
  await proxy.install(redirected);
  await answered(plain.nodePort);
  expect(sockets.made.tcp).toBe(1);
  expect(rules(endpoint.port)).toEqual({ fromOthers: 1, fromHost: 1 });
  expect(iptables.rulesOf('nat', 'KUBE-PORTALS-HOST')?.[0]).toBe(EXEMPT);

  await proxy.install(plain);
  await answered(plain.nodePort);
  expect(sockets.made.tcp).toBe(1);
  expect(logger.warnings).toEqual([]);
});

test('UDP sessions to an endpoint that is redirected carry the mark', async () => {
  const endpoint = await udpEcho(ENDPOINT, 0);
  cleanups.push(() => endpoint.close());
  const sockets = new FakeMarkedSockets();
  const { proxy } = fixture(sockets);
  const redirected = await service(endpoint.port, 'UDP', [EXTERNAL_IP]);
  await proxy.install(redirected);
  const client = createSocket('udp4');
  const answer = once(client, 'message');
  client.send('hello', redirected.nodePort, '127.0.0.1');
  expect(`${(await answer)[0]}`).toBe(ENDPOINT);
  expect(sockets.made).toEqual({ tcp: 0, udp: 1 });
  client.close();
});

test('if a marked socket cannot be created, the client is reset, and the next one is served', async () => {
  const endpoint = await tcpEndpoint();
  const sockets = new FakeMarkedSockets();
  const { proxy, logger } = fixture(sockets);
  const redirected = await service(endpoint.port, 'TCP', [EXTERNAL_IP]);
  await proxy.install(redirected);
  sockets.failWith = 'EMFILE';
  const client = LoopbackClient.connect(redirected.nodePort);
  await until(() => client.closed, 'the client is turned away');
  expect(client.text).toBe('');
  expect(logger.warnings).toEqual([expect.stringMatching(/^default\/web turns clients away: .*EMFILE/)]);
  sockets.failWith = undefined;
  await answered(redirected.nodePort);
  await until(() => proxy.traffic().active === 0, 'nothing is open');
});

test('if a marked UDP socket cannot be created, the datagram is lost, and the next one is served', async () => {
  const endpoint = await udpEcho(ENDPOINT, 0);
  cleanups.push(() => endpoint.close());
  const sockets = new FakeMarkedSockets();
  const { proxy } = fixture(sockets);
  const redirected = await service(endpoint.port, 'UDP', [EXTERNAL_IP]);
  await proxy.install(redirected);
  sockets.failWith = 'ENFILE';
  const client = createSocket('udp4');
  client.send('hello', redirected.nodePort, '127.0.0.1');
  await until(() => proxy.traffic().failedDials === 1, 'the session fails');
  expect(proxy.traffic().active).toBe(0);
  sockets.failWith = undefined;
  const answer = once(client, 'message');
  client.send('hello', redirected.nodePort, '127.0.0.1');
  expect(`${(await answer)[0]}`).toBe(ENDPOINT);
  client.close();
});

test('where packets cannot be marked, an endpoint is never redirected for this host, and one warning names the Service', async () => {
  const endpoint = await tcpEndpoint();
  const sockets = new FakeMarkedSockets({ unusable: 'the package koffi is missing' });
  const { proxy, iptables, rules, logger } = fixture(sockets);
  const redirected = await service(endpoint.port, 'TCP', [EXTERNAL_IP]);
  const elsewhere = { ...redirected, endpoints: ['127.0.0.3'] };
  await proxy.install(elsewhere);
  expect(rules(endpoint.port)).toEqual({ fromOthers: 1, fromHost: 1 });
  expect(iptables.rulesOf('nat', 'KUBE-PORTALS-HOST')).not.toContain(EXEMPT);
  expect(logger.warnings).toEqual([]);

  // Its frontend becomes an endpoint; the listener stays as it was.
  for (let syncs = 0; syncs < 2; syncs++) {
    await proxy.install(redirected);
    expect(rules(endpoint.port)).toEqual({ fromOthers: 1, fromHost: 0 });
    await answered(redirected.nodePort);
  }
  expect(sockets.made.tcp).toBe(0);
  expect(logger.warnings).toEqual([
    `default/web: ${ENDPOINT}:${endpoint.port} is an address of the Service and an endpoint at once. Connections of this ` +
      "node to it reach this endpoint only, as the proxy's own connections cannot be distinguished: the package koffi is missing",
  ]);

  // An endpoint of another Service counts as well.
  const other = { ...(await service(endpoint.port, 'TCP', [])), name: 'other' };
  await proxy.install(elsewhere, other);
  expect(rules(endpoint.port)).toEqual({ fromOthers: 1, fromHost: 0 });
  await proxy.install(elsewhere);
  expect(rules(endpoint.port)).toEqual({ fromOthers: 1, fromHost: 1 });
  expect((await proxy.readBack()).redirectInForce).toBe(true);
});

test('a foreign rule before the one that exempts own connections is detected as drift', async () => {
  const endpoint = await tcpEndpoint();
  const { proxy, iptables } = fixture(new FakeMarkedSockets());
  await proxy.install(await service(endpoint.port, 'TCP', [EXTERNAL_IP]));
  expect((await proxy.readBack()).redirectInForce).toBe(true);
  await iptables.restore(`*nat\n-D KUBE-PORTALS-HOST ${EXEMPT}\n-A KUBE-PORTALS-HOST ${EXEMPT}\nCOMMIT\n`);
  expect((await proxy.readBack()).redirectInForce).toBe(false);
});
