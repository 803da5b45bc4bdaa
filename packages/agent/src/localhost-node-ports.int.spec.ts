import { rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { casesOf, isThorough } from '@kube-proxier/core/testing';
import { SANDBOX_NETWORK } from '@kube-proxier/network-sandbox';
import type { NodeStatus } from '@kube-proxier/server';
import { AgentOnNode, NODE_PORT } from './testing/agent-on-node.js';

describe('NodePorts on 127.0.0.1 in mode nftables', () => {
  let node: AgentOnNode;

  beforeEach(async () => {
    node = await AgentOnNode.create('nft');
  });

  afterEach(async () => {
    await node.close();
  });

  const fromNode = (to: string) => node.sandbox.node.connect({ to, port: NODE_PORT });
  const metrics = async () =>
    (
      await node.sandbox.node.exec([
        process.execPath,
        '-e',
        'fetch("http://127.0.0.1:10249/metrics").then((answer) => answer.text()).then(console.log)',
      ])
    ).stdout;

  test('are served by sockets if enabled, besides the rest, and connections are counted', async () => {
    const { ipv4 } = node.sandbox.pod(1);
    node.write(ipv4);
    node.start('nftables', '--nftables-localhost-nodeports', '--nftables-count-connections');
    // The companion logs its syncs too; only those of nftables are counted.
    const synced = /^kubeproxy_sync_proxy_rules_duration_seconds_count\{ip_family="IPv4"\} [1-9]\d*$/m;
    await node.until('the status server', () => /is running/.test(node.log));
    await node.until('the rules are in force', async () => synced.test(await metrics()));
    await node.until('127.0.0.1 answers', async () => (await fromNode('127.0.0.1')).kind === 'answered');
    expect(await fromNode('127.0.0.1')).toMatchObject({ kind: 'answered', by: 'pod1' });
    expect(await fromNode(node.sandbox.node.ipv4)).toMatchObject({ kind: 'answered', by: 'pod1' });
    const { ipv4: there } = node.sandbox.node;
    expect(await node.sandbox.client.connect({ to: there, port: NODE_PORT })).toMatchObject({ kind: 'answered' });
    // Only connections through nftables: to the address of the node, local and external.
    const counted =
      /^kube_proxier_service_connections_total\{service="work\/web",protocol="TCP",ip_family="IPv4"\} 2$/m;
    await node.until('both are counted', async () => counted.test(await metrics()));
    expect(node.log).not.toMatch(/ERROR/);
    // A removed Service is removed from both.
    node.write();
    await node.until('127.0.0.1 does not answer', async () => (await fromNode('127.0.0.1')).kind !== 'answered');
  });

  test('that another program uses are in the status until it has ended', async () => {
    node.write(node.sandbox.pod(1).ipv4);
    const script = `require('node:net').createServer().listen(${NODE_PORT}, '127.0.0.1', () => console.log('held'))`;
    const holder = node.sandbox.node.spawn([process.execPath, '-e', script]);
    await new Promise((resolve) => holder.stdout?.once('data', resolve));
    node.start('nftables', '--nftables-localhost-nodeports');
    const problems = async () => (await node.run(['status'])).stdout;
    const found = /^DEGRADED[\s\S]*IPv4 beside the rules: work\/web.* another program holds 127\.0\.0\.1:31269\/TCP/;
    await node.until('the status names it', async () => found.test(await problems()));
    holder.kill('SIGKILL');
    await node.until('127.0.0.1 answers', async () => (await fromNode('127.0.0.1')).kind === 'answered');
    await node.until('the status is ok', async () => (await problems()).startsWith('OK'));
  });

  if (isThorough) {
    test('are refused by default', async () => {
      node.write(node.sandbox.pod(1).ipv4);
      node.start('nftables');
      await node.until('the first sync', () => /Synced family="IPv4"/.test(node.log));
      expect((await fromNode('127.0.0.1')).kind).toBe('refused');
    });
  }

  const reports = async (explained: string) => ({
    status: JSON.parse((await node.run(['status', '-o', 'json'])).stdout) as NodeStatus,
    configz: JSON.parse((await node.get('http://127.0.0.1:10249/configz'))?.body ?? 'null') as Record<string, object>,
    explanation: (await node.run(['explain', '127.0.0.1', explained])).stdout,
  });

  test('are served with the keyword and the gate of kube-proxy 1.37, by a configuration file, and reports agree', async () => {
    node.write(node.sandbox.pod(1).ipv4);
    const file = join(node.directory, '..', `${basename(node.directory)}.conf`);
    writeFileSync(
      file,
      `apiVersion: kubeproxy.config.k8s.io/v1alpha1
kind: KubeProxyConfiguration
mode: nftables
clusterCIDR: ${SANDBOX_NETWORK.clusterCIDRs[0]}
hostnameOverride: ${SANDBOX_NETWORK.nodeName}
featureGates: {KubeProxyNFTablesLocalhostNodePorts: true}
nodePortAddresses: [localhost, primary, localhost]
iptables: {localhostNodePorts: false}
`,
    );
    node.start('nftables', `--config=${file}`);
    await node.until('127.0.0.1 answers', async () => (await fromNode('127.0.0.1')).kind === 'answered');
    // The sockets of the loopback addresses may be open before the rules are in force.
    await node.until(
      'the rules are in force',
      async () => (await fromNode(node.sandbox.node.ipv4)).kind === 'answered',
    );
    expect(await fromNode(node.sandbox.node.ipv4)).toMatchObject({ kind: 'answered', by: 'pod1' });
    const { status, configz, explanation } = await reports(`127.0.0.1:${NODE_PORT}`);
    expect(status.families.IPv4?.nodePortAddresses).toEqual([node.sandbox.node.ipv4, '127.0.0.0/8']);
    // The node has no IPv6 address in its object: only what is listed remains.
    expect(status.families.IPv6?.nodePortAddresses).toEqual(['::1/128']);
    expect(configz['kubeproxy.config.k8s.io']).toMatchObject({
      nodePortAddresses: ['localhost', 'primary', 'localhost'],
    });
    expect(explanation).toMatch(/127\.0\.0\.1 port \d+\/TCP is a NodePort of Service work\/web/);
    expect(await metrics()).toMatch(/^kubeproxy_nftables_localhost_nodeport_listeners\{ip_family="IPv4"\} 1$/m);
    expect(node.log).not.toMatch(/nodeport-addresses includes/);
    rmSync(file);
  });

  test('on ::1 are served by sockets in mode iptables where it is listed', async () => {
    const { ipv4, ipv6 } = node.sandbox.pod(1);
    const other = join(node.directory, 'web-ipv6.yaml');
    writeFileSync(
      other,
      `apiVersion: v1
kind: Service
metadata: {name: web-ipv6, namespace: work}
spec: {type: NodePort, clusterIP: "fd00:10:96::a", ipFamilies: [IPv6], ports: [{port: 80, nodePort: ${NODE_PORT + 1}}]}
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: web-ipv6-1, namespace: work, labels: {kubernetes.io/service-name: web-ipv6}}
addressType: IPv6
ports: [{port: 8080}]
endpoints: [{addresses: ["${ipv6}"]}]
`,
    );
    node.write(ipv4);
    node.start('iptables', '--nodeport-addresses=primary,localhost');
    const kindAt = async (to: string, port: number) => (await node.sandbox.node.connect({ to, port })).kind;
    await node.until('127.0.0.1 answers', async () => (await kindAt('127.0.0.1', NODE_PORT)) === 'answered');
    await node.until('::1 answers', async () => (await kindAt('::1', NODE_PORT + 1)) === 'answered');
    expect(await metrics()).toMatch(/^kube_proxier_iptables_localhost_nodeport_listeners\{ip_family="IPv6"\} 1$/m);
    // The socket may be open before the rules are in force.
    const served = async () => (await reports(`127.0.0.1:${NODE_PORT}`)).status.families.IPv6?.nodePortAddresses;
    await node.until('the status names ::1', async () => (await served())?.includes('::1/128') === true);
    expect(node.log).not.toMatch(/nodeport-addresses includes/);
    rmSync(other);
    await node.until('::1 refuses', async () => (await kindAt('::1', NODE_PORT + 1)) === 'refused');
    expect(await kindAt('127.0.0.1', NODE_PORT)).toBe('answered');
  });

  test.each(
    casesOf<readonly [mode: string, flags: readonly string[], warning: RegExp]>(
      [
        [
          'nftables',
          [],
          /includes 127\.0\.0\.0\/8 and ::1\/128, and mode nftables serves no NodePorts there without --feature-gates=/,
        ],
      ],
      [
        [
          'iptables',
          ['--iptables-localhost-nodeports=false'],
          /includes 127\.0\.0\.0\/8, but --iptables-localhost-nodeports=false was passed/,
        ],
      ],
    ),
  )(
    'that are listed and not served in mode %s with %j cause a warning, and reports say so',
    async (mode, flags, warning) => {
      node.write(node.sandbox.pod(1).ipv4);
      node.start(mode, '--nodeport-addresses=primary,localhost', ...flags);
      await node.until('the first sync', () => /Synced family="IPv4"/.test(node.log));
      expect(node.log.match(warning)).toHaveLength(1);
      expect((await fromNode('127.0.0.1')).kind).not.toBe('answered');
      expect(await fromNode(node.sandbox.node.ipv4)).toMatchObject({ kind: 'answered', by: 'pod1' });
      const { status, explanation } = await reports(`127.0.0.1:${NODE_PORT}`);
      expect(status.families.IPv4?.nodePortAddresses).toEqual([node.sandbox.node.ipv4]);
      expect(explanation).toMatch(/NodePorts are not served on loopback addresses here/);
    },
  );
});
