import { expect, test } from '@jest/globals';
import { NetworkSandbox } from '@kube-proxier/network-sandbox';

test('a virtual server on a link-local address gets packets, and no reply of another link gets back (docs/modes.md)', async () => {
  const sandbox = await NetworkSandbox.create({ pods: 1, remotePods: 1 });
  try {
    const { node } = sandbox;
    const [client, endpoint] = [sandbox.pod(1), sandbox.remotePod(1)];
    await endpoint.serve({ port: 8080 });
    const { stdout } = await node.exec(['ip', '-6', '-o', 'address', 'show', 'dev', 'veth-pod1', 'scope', 'link']);
    const linkLocal = /inet6 (fe80\S+)\//.exec(stdout)?.[1] ?? '';
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
    // The virtual server has it, and the endpoint has answered the node.
    const { stdout: connections } = await node.exec(['ipvsadm', '-Lnc']);
    expect(connections).toMatch(new RegExp(`SYN_RECV +\\[fe80\\S+\\]:\\d+ +\\[${linkLocal}\\]:30080 `));
  } finally {
    await sandbox.close();
  }
});
