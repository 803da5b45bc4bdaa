import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { casesOf } from '@kube-proxier/core/testing';
import { failuresOf } from '@kube-proxier/network-sandbox';
import { AgentOnNode, NODE_PORT } from './testing/agent-on-node.js';

/** Milliseconds: this kernel has one slow CPU, and its host may be busy. */
const ANSWER_TIMEOUT = 420_000;
const NOTHING_LEFT = 'No leftovers of other proxy modes found';

/** What kube-proxy has in its ipvs mode for the Service, with a foreign set and virtual server. */
const kubeProxySets = (endpoint: string) => `create KUBE-LOOP-BACK hash:ip,port,ip
create KUBE-CLUSTER-IP hash:ip,port
create KUBE-NODE-PORT-TCP bitmap:port range 0-65535
create KUBE-IPVS-IPS hash:ip
create ACME hash:ip
add KUBE-LOOP-BACK ${endpoint},tcp:8080,${endpoint}
add KUBE-CLUSTER-IP 10.96.0.10,tcp:80
add KUBE-NODE-PORT-TCP ${NODE_PORT}
add KUBE-IPVS-IPS 10.96.0.10
`;
const KUBE_PROXY_RULES = `*nat
:KUBE-SERVICES - [0:0]
:KUBE-POSTROUTING - [0:0]
:KUBE-NODE-PORT - [0:0]
:KUBE-LOAD-BALANCER - [0:0]
:KUBE-MARK-MASQ - [0:0]
-A PREROUTING -m comment --comment "kubernetes service portals" -j KUBE-SERVICES
-A OUTPUT -m comment --comment "kubernetes service portals" -j KUBE-SERVICES
-A POSTROUTING -m comment --comment "kubernetes postrouting rules" -j KUBE-POSTROUTING
-A KUBE-SERVICES -s 127.0.0.0/8 -j RETURN
-A KUBE-SERVICES ! -s 10.244.0.0/16 -m set --match-set KUBE-CLUSTER-IP dst,dst -j KUBE-MARK-MASQ
-A KUBE-SERVICES -m addrtype --dst-type LOCAL -j KUBE-NODE-PORT
-A KUBE-SERVICES -m set --match-set KUBE-CLUSTER-IP dst,dst -j ACCEPT
-A KUBE-NODE-PORT -p tcp -m set --match-set KUBE-NODE-PORT-TCP dst -j KUBE-MARK-MASQ
-A KUBE-LOAD-BALANCER -j KUBE-MARK-MASQ
-A KUBE-MARK-MASQ -j MARK --set-xmark 0x4000/0x4000
-A KUBE-POSTROUTING -m set --match-set KUBE-LOOP-BACK dst,dst,src -j MASQUERADE
-A KUBE-POSTROUTING -m mark ! --mark 0x4000/0x4000 -j RETURN
-A KUBE-POSTROUTING -j MARK --set-xmark 0x4000/0x0
-A KUBE-POSTROUTING -j MASQUERADE
COMMIT
*filter
:KUBE-FORWARD - [0:0]
:KUBE-NODE-PORT - [0:0]
:KUBE-IPVS-FILTER - [0:0]
:KUBE-IPVS-OUT-FILTER - [0:0]
-A INPUT -m comment --comment "kubernetes ipvs access filter" -j KUBE-IPVS-FILTER
-A INPUT -m comment --comment "kubernetes health check rules" -j KUBE-NODE-PORT
-A FORWARD -m comment --comment "kubernetes forwarding rules" -j KUBE-FORWARD
-A OUTPUT -m comment --comment "kubernetes ipvs access filter" -j KUBE-IPVS-OUT-FILTER
-A KUBE-IPVS-FILTER -m set --match-set KUBE-CLUSTER-IP dst,dst -j RETURN
-A KUBE-IPVS-FILTER -m conntrack --ctstate NEW -m set --match-set KUBE-IPVS-IPS dst -j REJECT
-A KUBE-FORWARD -m mark --mark 0x4000/0x4000 -j ACCEPT
-A KUBE-FORWARD -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT
COMMIT
`;

/** One external client connects continuously, and another has an open connection, while a mode takes over. */
describe('switching to ipvs and back without failed connections', () => {
  let node: AgentOnNode;

  beforeEach(async () => {
    node = await AgentOnNode.create('legacy');
  }, 60_000);

  afterEach(async () => {
    await node.close();
  });

  const run = async (command: string, ...args: string[]) =>
    (await node.sandbox.node.runner.run({ command, args })).stdout;
  const rules = () => run('iptables-legacy-save');

  async function likeKubeProxy(endpoint: string): Promise<void> {
    const { runner, ipv4 } = node.sandbox.node;
    await runner.run({ command: 'ipset', args: ['restore'], stdin: kubeProxySets(endpoint) });
    await run('ip', 'link', 'add', 'kube-ipvs0', 'type', 'dummy');
    await run('ip', 'address', 'add', '10.96.0.10/32', 'dev', 'kube-ipvs0');
    await run('sysctl', '-w', 'net.ipv4.vs.conntrack=1');
    await node.iptables.restore(KUBE_PROXY_RULES);
    for (const at of [`10.96.0.10:80`, `${ipv4}:${NODE_PORT}`]) {
      await run('ipvsadm', '-A', '-t', at, '-s', 'rr');
      await run('ipvsadm', '-a', '-t', at, '-r', `${endpoint}:8080`, '-m');
    }
  }

  async function clients() {
    const { client, node: host, pods } = node.sandbox;
    const never = await client.startClient({ to: host.ipv4, port: NODE_PORT }, 10);
    const outside = await client.open({ to: host.ipv4, port: NODE_PORT });
    const inside = await (pods[1] as (typeof pods)[number]).open({ to: '10.96.0.10', port: 80 });
    await never.moreAttempts(5);
    return { never, outside, inside };
  }

  test('replacing kube-proxy in its ipvs mode', async () => {
    const [first = '', second = ''] = node.sandbox.pods.map(({ ipv4 }) => ipv4);
    await likeKubeProxy(first);
    const { never, outside, inside } = await clients();
    expect(failuresOf(await never.progress())).toBe(0);
    node.write(first, second);
    node.start('ipvs', '--proxy-mode-fallback=none', '--ipvs-min-sync-period=0s');
    await node.until('no foreign leftovers remain', () => node.log.includes(NOTHING_LEFT), ANSWER_TIMEOUT);
    await never.moreAttempts(10);
    expect(await outside.send('still there')).toEqual({ kind: 'echoed', text: 'still there' });
    expect(await inside.send('still there')).toEqual({ kind: 'echoed', text: 'still there' });
    expect(failuresOf(await never.stop())).toBe(0);
    expect(await rules()).not.toMatch(/KUBE-(?!IPVS-|IPTABLES-HINT)/);
    const sets = (await run('ipset', 'list', '-n')).split('\n').filter(Boolean);
    expect(sets.filter((name) => !/^KUBE-IPVS6?-(?!IPS$)/.test(name))).toEqual(['ACME']);
    expect(await run('ipvsadm', '-Sn')).toContain(`-t ${node.sandbox.node.ipv4}:${NODE_PORT} -r ${second}:8080`);
    await Promise.all([outside.close(), inside.close()]);
  }, 1_200_000);

  // This kernel cannot have nftables tables of the IP families.
  test.each(casesOf(['kube-proxy'], ['kube-proxier']))(
    'to iptables, where %s served by ipvs',
    async (before) => {
      const [first = '', second = ''] = node.sandbox.pods.map(({ ipv4 }) => ipv4);
      node.write(first);
      if (before === 'kube-proxy') {
        await likeKubeProxy(first);
      } else {
        node.start('ipvs', '--proxy-mode-fallback=none', '--ipvs-min-sync-period=0s');
        await node.until('ipvs serves', () => node.log.includes(NOTHING_LEFT), ANSWER_TIMEOUT);
      }
      const { never, outside, inside } = await clients();
      if (before === 'kube-proxier') {
        await node.stop();
      }
      node.write(second);
      node.start('iptables', '--proxy-mode-fallback=none');
      await node.until(
        'it has taken over',
        () => node.log.includes('Leftovers of other proxy modes are kept while connections use them'),
        ANSWER_TIMEOUT,
      );
      await never.moreAttempts(10);
      expect(await outside.send('still there')).toEqual({ kind: 'echoed', text: 'still there' });
      expect(await inside.send('still there')).toEqual({ kind: 'echoed', text: 'still there' });
      expect(failuresOf(await never.stop())).toBe(0);
      const { answeredBy } = await node.sandbox.client.connectMany({ to: node.sandbox.node.ipv4, port: NODE_PORT }, 6);
      expect(answeredBy).toEqual({ pod2: 6 });

      await Promise.all([outside.close('reset'), inside.close('reset')]);
      // A reset connection expires after ten seconds; the next check removes the leftovers.
      await node.until('nothing of ipvs is left', () => node.log.includes(NOTHING_LEFT), ANSWER_TIMEOUT);
      expect(await run('ipvsadm', '-Sn')).toBe('');
      expect(await run('ip', '-br', 'link')).not.toContain('kube-ipvs0');
      expect(await run('ipset', 'list', '-n')).toBe(before === 'kube-proxy' ? 'ACME\n' : '');
      expect(await rules()).not.toMatch(/IPVS|KUBE-NODE-PORT\b/);
    },
    1_200_000,
  );
});
