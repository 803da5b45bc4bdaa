import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { casesOf } from '@kube-proxier/core/testing';
import { failuresOf } from '@kube-proxier/network-sandbox';
import { AgentOnNode, NODE_PORT } from './testing/agent-on-node.js';

/** Rules of kube-proxy in iptables mode for the Service, and a foreign chain. */
const kubeProxyIptables = (endpoint: string) => `*filter
:KUBE-FORWARD - [0:0]
:KUBE-SERVICES - [0:0]
:KUBE-EXTERNAL-SERVICES - [0:0]
:KUBE-NODEPORTS - [0:0]
:KUBE-PROXY-FIREWALL - [0:0]
:KUBE-PROXY-CANARY - [0:0]
:ACME - [0:0]
-A INPUT -m comment --comment "kubernetes health check service ports" -j KUBE-NODEPORTS
-A FORWARD -m comment --comment "kubernetes forwarding rules" -j KUBE-FORWARD
-A FORWARD -j ACME
-A KUBE-FORWARD -m mark --mark 0x4000/0x4000 -m comment --comment "kubernetes forwarding rules" -j ACCEPT
-A ACME -s 203.0.113.9/32 -j DROP
COMMIT
*nat
:KUBE-SERVICES - [0:0]
:KUBE-NODEPORTS - [0:0]
:KUBE-POSTROUTING - [0:0]
:KUBE-MARK-MASQ - [0:0]
:KUBE-EXT-HZGYVUVCF3EOTJCH - [0:0]
:KUBE-SVC-HZGYVUVCF3EOTJCH - [0:0]
:KUBE-SEP-3VXBJDTLPRRR6WEK - [0:0]
-A PREROUTING -m comment --comment "kubernetes service portals" -j KUBE-SERVICES
-A OUTPUT -m comment --comment "kubernetes service portals" -j KUBE-SERVICES
-A POSTROUTING -m comment --comment "kubernetes postrouting rules" -j KUBE-POSTROUTING
-A KUBE-SERVICES -d 10.96.0.10/32 -p tcp -m tcp --dport 80 -j KUBE-SVC-HZGYVUVCF3EOTJCH
-A KUBE-SERVICES -m addrtype --dst-type LOCAL -j KUBE-NODEPORTS
-A KUBE-NODEPORTS -p tcp -m tcp --dport ${NODE_PORT} -j KUBE-EXT-HZGYVUVCF3EOTJCH
-A KUBE-EXT-HZGYVUVCF3EOTJCH -j KUBE-MARK-MASQ
-A KUBE-EXT-HZGYVUVCF3EOTJCH -j KUBE-SVC-HZGYVUVCF3EOTJCH
-A KUBE-SVC-HZGYVUVCF3EOTJCH -j KUBE-SEP-3VXBJDTLPRRR6WEK
-A KUBE-SEP-3VXBJDTLPRRR6WEK -p tcp -m tcp -j DNAT --to-destination ${endpoint}:8080
-A KUBE-MARK-MASQ -j MARK --set-xmark 0x4000/0x4000
-A KUBE-POSTROUTING -m mark ! --mark 0x4000/0x4000 -j RETURN
-A KUBE-POSTROUTING -j MARK --set-xmark 0x4000/0x0
-A KUBE-POSTROUTING -j MASQUERADE
COMMIT
`;

/** Rules of kube-proxy in nftables mode for it, and a foreign table. */
const kubeProxyNftables = (endpoint: string) => `
table ip kube-proxy {
  chain nat-prerouting {
    type nat hook prerouting priority dstnat; policy accept;
    tcp dport ${NODE_PORT} fib daddr type local meta mark set meta mark or 0x4000 dnat to ${endpoint}:8080
  }
  chain nat-postrouting {
    type nat hook postrouting priority srcnat; policy accept;
    meta mark & 0x4000 != 0 meta mark set meta mark ^ 0x4000 masquerade
  }
}
table ip acme {
  chain mine {
  }
}
`;

/** An external client connects continuously while another mode, or another program, is replaced. */
describe('taking over without failed connections', () => {
  let node: AgentOnNode;

  beforeEach(async () => {
    node = await AgentOnNode.create('nft');
  });

  afterEach(async () => {
    await node.close();
  });

  const rules = async () => (await node.iptables.save()).replace(/\[\d+:\d+\]/g, '');
  const tables = async () =>
    (await node.sandbox.node.exec(['nft', 'list', 'tables'])).stdout
      .split('\n')
      .filter((line) => /kube-prox|acme/.test(line))
      .sort();

  test.each(
    casesOf<readonly [mode: string, tablesLeft: readonly string[], chainsLeft: RegExp]>(
      [
        [
          'nftables',
          ['table ip acme', 'table ip kube-proxier', 'table ip6 kube-proxier'],
          /^(?![\s\S]*KUBE-(SVC|SERVICES|SEP|FORWARD))/,
        ],
        ['iptables', ['table ip acme'], /KUBE-SVC-(?![\s\S]*KUBE-SEP-)/],
      ],
      [['userspace', ['table ip acme'], /^(?![\s\S]*KUBE-(SVC|SERVICES|SEP|FORWARD))/]],
    ),
  )('%s in the place of kube-proxy, whichever mode that ran in', async (mode, tablesLeft, chainsLeft) => {
    const [first, second] = node.sandbox.pods.map(({ ipv4 }) => ipv4) as [string, string];
    await node.iptables.restore(kubeProxyIptables(first));
    await node.sandbox.node.exec(['nft', '-f', '-'], { stdin: kubeProxyNftables(first) });
    const client = await node.sandbox.client.startClient({ to: node.sandbox.node.ipv4, port: NODE_PORT }, 20);
    const open = await node.sandbox.client.open({ to: node.sandbox.node.ipv4, port: NODE_PORT });
    await client.moreAttempts(10);
    expect(failuresOf(await client.progress())).toBe(0);

    node.write(first, second);
    node.start(mode);
    await node.until('no foreign leftovers remain', () => node.log.includes('No leftovers of other proxy modes found'));
    await client.moreAttempts(20);
    expect(await open.send('still there')).toEqual({ kind: 'echoed', text: 'still there' });
    expect(failuresOf(await client.stop())).toBe(0);
    expect(await tables()).toEqual(tablesLeft);
    expect(await rules()).toMatch(chainsLeft);
    expect(await rules()).toContain('-A FORWARD -j ACME');
  });

  test('rules that accept packets dropped by a firewall are kept until it accepts them', async () => {
    const { client: outside, node: host } = node.sandbox;
    // As Docker has it. In mode iptables, rules in this chain accept what is forwarded to endpoints.
    await host.exec(['iptables-nft', '-P', 'FORWARD', 'DROP']);
    node.write(...node.sandbox.pods.map(({ ipv4 }) => ipv4));
    node.start('iptables');
    await node.until('the first mode', () => /Synced family="IPv4"/.test(node.log));
    const client = await outside.startClient({ to: host.ipv4, port: NODE_PORT }, 20);
    const open = await outside.open({ to: host.ipv4, port: NODE_PORT });
    await client.moreAttempts(10);
    await node.stop();
    node.start('nftables');
    await node.until('the rules are kept', () => node.log.includes('because packets would be lost without them'));
    expect(node.log).toMatch(/are dropped, .*"policy DROP" in chain FORWARD of table filter \(iptables\)/);
    await client.moreAttempts(20);
    expect(await rules()).toContain('KUBE-FORWARD');
    const status = async () => (await node.run(['status'])).stdout;
    expect(await status()).toMatch(/^Leftovers: +kept, because packets would be lost without them: /m);
    // They have no other effect: changes of Services are in force.
    node.write(node.sandbox.pods[1]?.ipv4 ?? '');
    const connect = () => outside.connect({ to: host.ipv4, port: NODE_PORT });
    await node.until('only the other pod answers', async () => {
      const outcomes = await Promise.all(Array.from({ length: 8 }, connect));
      return outcomes.every((outcome) => outcome.kind === 'answered' && outcome.by === 'pod2');
    });

    await host.exec(['iptables-nft', '-A', 'FORWARD', '-m', 'conntrack', '--ctstate', 'DNAT', '-j', 'ACCEPT']);
    await node.until('the rules are removed', () => node.log.includes('No leftovers of other proxy modes found'));
    await client.moreAttempts(20);
    expect(await open.send('still there')).toEqual({ kind: 'echoed', text: 'still there' });
    expect(failuresOf(await client.stop())).toBe(0);
    expect(await rules()).not.toContain('KUBE-FORWARD');
    expect(await status()).not.toContain('Leftovers');
  }, 240_000);

  test('switching modes in both directions', async () => {
    const addresses = node.sandbox.pods.map(({ ipv4 }) => ipv4);
    node.write(...addresses);
    node.start('iptables');
    await node.until('the first mode', () => /Synced family="IPv4"/.test(node.log));
    const client = await node.sandbox.client.startClient({ to: node.sandbox.node.ipv4, port: NODE_PORT }, 20);
    const open = await node.sandbox.client.open({ to: node.sandbox.node.ipv4, port: NODE_PORT });
    for (const mode of casesOf(['nftables', 'iptables'], ['nftables'])) {
      await client.moreAttempts(10);
      await node.stop();
      node.start(mode);
      await node.until(`only ${mode}`, () => node.log.includes('No leftovers of other proxy modes found'));
      expect((await rules()).includes('KUBE-SVC-')).toBe(mode === 'iptables');
      expect(await tables()).toEqual(mode === 'iptables' ? [] : ['table ip kube-proxier', 'table ip6 kube-proxier']);
    }
    await client.moreAttempts(10);
    expect(await open.send('still there')).toEqual({ kind: 'echoed', text: 'still there' });
    expect(failuresOf(await client.stop())).toBe(0);
  });

  test('with --takeover=false, leftovers are kept', async () => {
    const { ipv4 } = node.sandbox.pod(1);
    await node.sandbox.node.exec(['nft', '-f', '-'], { stdin: kubeProxyNftables(ipv4) });
    node.write(ipv4);
    node.start('nftables', '--takeover=false');
    await node.until('the first sync', () => /Synced family="IPv4"/.test(node.log));
    await node.stop();
    expect(await tables()).toContain('table ip kube-proxy');
  });
});
