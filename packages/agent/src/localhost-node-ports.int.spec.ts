import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
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

  test('are refused by default', async () => {
    node.write(node.sandbox.pod(1).ipv4);
    node.start('nftables');
    await node.until('the first sync', () => /Synced family="IPv4"/.test(node.log));
    expect((await fromNode('127.0.0.1')).kind).toBe('refused');
  });
});
