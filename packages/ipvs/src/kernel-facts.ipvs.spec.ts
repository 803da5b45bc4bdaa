import { expect, test } from '@jest/globals';
import { NetworkSandbox } from '@kube-proxier/network-sandbox';

test('a virtual server on a link-local address gets packets, and no reply of another link gets back (docs/modes.md)', async () => {
  const sandbox = await NetworkSandbox.create({ pods: 1, remotePods: 1 });
  try {
    const { node } = sandbox;
    const [client, endpoint] = [sandbox.pod(1), sandbox.remotePod(1)];
    await endpoint.serve({ port: 8080 });
    const linkLocal = await node.linkLocalAddress('veth-pod1');
    for (const address of [linkLocal, node.ipv6]) {
      const server = `[${address}]:30080`;
      await node.exec(['ipvsadm', '-A', '-t', server, '-s', 'rr']);
      await node.exec(['ipvsadm', '-a', '-t', server, '-r', `[${endpoint.ipv6}]:8080`, '-m']);
    }
    // So that the endpoint answers the node, which has both links.
    await node.exec(['sysctl', '-qw', 'net.ipv4.vs.conntrack=1']);
    await node.exec(['ip6tables', '-t', 'nat', '-A', 'POSTROUTING', '-p', 'tcp', '-j', 'MASQUERADE']);
    expect(await client.connect({ to: node.ipv6, port: 30080 })).toMatchObject({ kind: 'answered' });
    const outcome = await client.connect({ to: `${linkLocal}%eth0`, port: 30080, timeout: 2000 });
    expect(outcome).not.toMatchObject({ kind: 'answered' });
    // The virtual server received it, and the endpoint answered the node.
    const { stdout: connections } = await node.exec(['ipvsadm', '-Lnc']);
    expect(connections).toMatch(new RegExp(`SYN_RECV +\\[fe80\\S+\\]:\\d+ +\\[${linkLocal}\\]:30080 `));
  } finally {
    await sandbox.close();
  }
});

test('a virtual server by mark keeps the port or has one for all, and only a mark selects other endpoints (docs/modes.md)', async () => {
  const sandbox = await NetworkSandbox.create({ pods: 2, remotePods: 0 });
  try {
    const { node, client } = sandbox;
    const [marked, plain] = [sandbox.pod(1), sandbox.pod(2)];
    for (const port of [80, 81]) {
      await marked.serve({ port, name: `marked:${port}` });
    }
    await plain.serve({ port: 80, name: 'plain:80' });
    const byMark = (port: number) => node.exec(['ipvsadm', '-a', '-f', '7', '-r', `${marked.ipv4}:${port}`, '-m']);
    const answers = async () => {
      const outcomes = [80, 81].map((port) => client.connect({ to: node.ipv4, port, timeout: 2000 }));
      return (await Promise.all(outcomes)).map((outcome) => (outcome.kind === 'answered' ? outcome.by : outcome.kind));
    };
    await node.exec(['ipvsadm', '-A', '-t', `${node.ipv4}:80`, '-s', 'rr']);
    await node.exec(['ipvsadm', '-a', '-t', `${node.ipv4}:80`, '-r', `${plain.ipv4}:80`, '-m']);
    expect(await answers()).toEqual(['plain:80', 'refused']);
    await node.exec(['iptables', '-t', 'mangle', '-A', 'PREROUTING', '-d', node.ipv4, '-j', 'MARK', '--set-mark', '7']);
    await node.exec(['ipvsadm', '-A', '-f', '7', '-s', 'rr']);
    await byMark(0);
    expect(await answers()).toEqual(['marked:80', 'marked:81']);
    await node.exec(['ipvsadm', '-d', '-f', '7', '-r', `${marked.ipv4}:0`]);
    await byMark(81);
    expect(await answers()).toEqual(['marked:81', 'marked:81']);
  } finally {
    await sandbox.close();
  }
});

test('a virtual server has packets only where its address is one of the node (docs/modes.md)', async () => {
  const sandbox = await NetworkSandbox.create({ pods: 1, remotePods: 0 });
  try {
    const { node, client } = sandbox;
    const endpoint = sandbox.pod(1);
    await endpoint.serve({ port: 8080 });
    const to = '198.51.100.1';
    await node.exec(['ipvsadm', '-A', '-t', `${to}:80`, '-s', 'rr']);
    await node.exec(['ipvsadm', '-a', '-t', `${to}:80`, '-r', `${endpoint.ipv4}:8080`, '-m']);
    const service = { to, port: 80, timeout: 2000 };
    const otherPort = { to, port: 81, timeout: 2000 };
    expect((await client.connect(service)).kind).not.toBe('answered');
    expect((await client.connect(otherPort)).kind).not.toBe('refused');
    await node.exec(['ip', 'address', 'add', `${to}/32`, 'dev', 'lo']);
    expect(await client.connect(service)).toMatchObject({ kind: 'answered', by: 'pod1' });
    // The other ports are now those of the node.
    expect(await client.connect(otherPort)).toMatchObject({ kind: 'refused' });
  } finally {
    await sandbox.close();
  }
});
