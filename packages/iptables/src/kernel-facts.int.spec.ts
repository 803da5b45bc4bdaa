import { expect, test } from '@jest/globals';
import { canMakeNamespaces } from '@kube-proxier/linux/testing';
import { NetworkSandbox } from '@kube-proxier/network-sandbox';

const whereAllowed = canMakeNamespaces() ? test : test.skip;

whereAllowed('rules can serve NodePorts on 127.0.0.1, and not on ::1 (docs/modes.md)', async () => {
  const sandbox = await NetworkSandbox.create({ pods: 1, remotePods: 0 });
  try {
    const { node } = sandbox;
    const pod = sandbox.pod(1);
    await pod.serve({ port: 8080 });
    const nat = (program: string, to: string, endpoint: string) =>
      node.exec([
        ...([program, '-t', 'nat', '-A', 'OUTPUT', '-p', 'tcp', '-d', to, '--dport', '30080'] as const),
        ...['-j', 'DNAT', '--to-destination', endpoint],
      ]);
    const [own = ''] = node.addresses.filter((address) => address.includes(':'));
    await nat('iptables', '127.0.0.1', `${pod.ipv4}:8080`);
    await nat('ip6tables', '::1', `[${pod.ipv6}]:8080`);
    await nat('ip6tables', own, `[${pod.ipv6}]:8080`);
    for (const program of ['iptables', 'ip6tables']) {
      await node.exec([program, '-t', 'nat', '-A', 'POSTROUTING', '-p', 'tcp', '-j', 'MASQUERADE']);
    }
    await node.exec(['sysctl', '-qw', 'net.ipv4.conf.all.route_localnet=1']);
    expect(await node.connect({ to: '127.0.0.1', port: 30080 })).toMatchObject({ kind: 'answered', by: 'pod1' });
    expect(await node.connect({ to: own, port: 30080 })).toMatchObject({ kind: 'answered', by: 'pod1' });
    expect((await node.connect({ to: '::1', port: 30080, timeout: 1000 })).kind).not.toBe('answered');
    // The rule was met.
    const { stdout } = await node.exec(['ip6tables', '-t', 'nat', '-nvxL', 'OUTPUT']);
    expect(stdout).toMatch(/^\s*[1-9]\d* .*DNAT.* ::1 /m);
  } finally {
    await sandbox.close();
  }
});

whereAllowed(
  'rules translate packets to a link-local address, and no reply of another link gets back (docs/modes.md)',
  async () => {
    const sandbox = await NetworkSandbox.create({ pods: 1, remotePods: 1 });
    try {
      const { node } = sandbox;
      const [client, endpoint] = [sandbox.pod(1), sandbox.remotePod(1)];
      await endpoint.serve({ port: 8080 });
      const linkLocal = await node.linkLocalAddress('veth-pod1');
      const nat = (...rule: readonly string[]) => node.exec(['ip6tables', '-t', 'nat', '-A', ...rule]);
      await nat(
        ...['PREROUTING', '-p', 'tcp', '--dport', '30080'],
        ...['-j', 'DNAT', '--to-destination', `[${endpoint.ipv6}]:8080`],
      );
      await nat('POSTROUTING', '-p', 'tcp', '-j', 'MASQUERADE');
      expect(await client.connect({ to: node.ipv6, port: 30080 })).toMatchObject({ kind: 'answered' });
      const met = async () => {
        const { stdout: chain } = await node.exec(['ip6tables', '-t', 'nat', '-nvxL', 'PREROUTING']);
        return Number(/^\s*(\d+) .*DNAT/m.exec(chain)?.[1]);
      };
      const before = await met();
      const outcome = await client.connect({ to: `${linkLocal}%eth0`, port: 30080, timeout: 1000 });
      expect(outcome).not.toMatchObject({ kind: 'answered' });
      expect(await met()).toBeGreaterThan(before);
    } finally {
      await sandbox.close();
    }
  },
);
