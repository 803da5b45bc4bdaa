import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { builtinModules } from 'node:module';
import { expect, test } from '@jest/globals';
import { canMakeNamespaces } from '@kube-proxier/linux/testing';
import { NetworkSandbox } from '@kube-proxier/network-sandbox';

test('a UDP socket on all addresses replies from a different address of 127.0.0.0/8 (docs/modes.md)', async () => {
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

test('Node has no SCTP sockets (docs/modes.md)', () => {
  expect(builtinModules.filter((name) => /sctp/i.test(name))).toEqual([]);
  const create = createSocket as (type: string) => unknown;
  for (const type of ['sctp', 'sctp4', 'seqpacket']) {
    expect(() => create(type)).toThrow(expect.objectContaining({ code: 'ERR_SOCKET_BAD_TYPE' }));
  }
});

const whereAllowed = canMakeNamespaces() ? test : test.skip;

whereAllowed(
  'a process does not reach an endpoint from the address of its client, so endpoints see the node (docs/modes.md)',
  async () => {
    const sandbox = await NetworkSandbox.create({ pods: 1, remotePods: 0 });
    try {
      const { client, node } = sandbox;
      const endpoint = sandbox.pod(1);
      await endpoint.serve({ port: 8080 });
      const asClient = { to: endpoint.ipv4, port: 8080, from: client.ipv4, timeout: 1000 };
      // The address is not the node's.
      await expect(node.connect(asClient)).rejects.toMatchObject({ code: 'EADDRNOTAVAIL' });
      // Where the kernel lets a socket have it, the answers of the endpoint go to the client.
      await node.exec(['sysctl', '-qw', 'net.ipv4.ip_nonlocal_bind=1']);
      expect((await node.connect(asClient)).kind).not.toBe('answered');
      const { from: _, ...asNode } = asClient;
      expect(await node.connect(asNode)).toMatchObject({ kind: 'answered', sourceSeen: node.ipv4 });
    } finally {
      await sandbox.close();
    }
  },
);
