import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { casesOf } from '@kube-proxier/core/testing';
import { AgentOnNode } from '../testing/agent-on-node.js';

/**
 * A control plane node with an ingress controller in the host network: endpoints with addresses of nodes, which no pod network
 * contains, and external addresses that are the node's.
 */
const HOST_NETWORK = `apiVersion: v1
kind: Service
metadata: {name: kubernetes, namespace: default}
spec: {clusterIP: 10.96.0.1, ports: [{name: https, port: 443}]}
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: kubernetes, namespace: default, labels: {kubernetes.io/service-name: kubernetes}}
addressType: IPv4
ports: [{name: https, port: 6443}]
endpoints: [{addresses: [192.168.0.2]}, {addresses: [192.168.0.77]}]
---
apiVersion: v1
kind: Service
metadata: {name: ingress, namespace: ingress}
spec:
  type: LoadBalancer
  clusterIP: 10.96.0.20
  externalTrafficPolicy: Local
  healthCheckNodePort: 31000
  ports: [{port: 80, nodePort: 30080}]
status: {loadBalancer: {ingress: [{ip: 192.168.0.2}, {ip: 198.51.100.7}]}}
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: ingress-1, namespace: ingress, labels: {kubernetes.io/service-name: ingress}}
addressType: IPv4
ports: [{port: 80}]
endpoints:
  - {addresses: [192.168.0.2], nodeName: node1, conditions: {ready: true}}
  - {addresses: [192.168.0.77], nodeName: node2, conditions: {ready: true}}
`;

/** Input of `iptables-nft-restore`, and scripts of `ipset` and `nft` that are run before it. */
interface PluginRules {
  readonly sets?: readonly string[];
  readonly iptables?: string;
  readonly nft?: string;
  /** They stop packets as NetworkPolicies do. Default false. */
  readonly policies?: boolean;
  /** Arguments of `ip rule add`. */
  readonly policyRules?: readonly string[];
}

/** The rules that network plugins and firewalls install on nodes, reduced to those that match Service packets. */
const PLUGINS = {
  flannel: {
    iptables: `*nat
:FLANNEL-POSTRTG - [0:0]
-A POSTROUTING -j FLANNEL-POSTRTG
-A FLANNEL-POSTRTG -m mark --mark 0x4000/0x4000 -j RETURN
-A FLANNEL-POSTRTG -s 10.244.0.0/24 -d 10.244.0.0/16 -j RETURN
-A FLANNEL-POSTRTG -s 10.244.0.0/16 -d 10.244.0.0/24 -j RETURN
-A FLANNEL-POSTRTG ! -s 10.244.0.0/16 -d 10.244.0.0/24 -j RETURN
-A FLANNEL-POSTRTG -s 10.244.0.0/16 ! -d 224.0.0.0/4 -j MASQUERADE --random-fully
-A FLANNEL-POSTRTG ! -s 10.244.0.0/16 -d 10.244.0.0/16 -j MASQUERADE --random-fully
COMMIT
*filter
:FLANNEL-FWD - [0:0]
-A FORWARD -j FLANNEL-FWD
-A FLANNEL-FWD -s 10.244.0.0/16 -j ACCEPT
-A FLANNEL-FWD -d 10.244.0.0/16 -j ACCEPT
COMMIT
`,
  },
  kindnet: {
    iptables: `*nat
:KIND-MASQ-AGENT - [0:0]
-A POSTROUTING -m addrtype ! --dst-type LOCAL -j KIND-MASQ-AGENT
-A KIND-MASQ-AGENT -d 10.244.0.0/16 -j RETURN
-A KIND-MASQ-AGENT -j MASQUERADE
COMMIT
`,
  },
  'ip-masq-agent': {
    iptables: `*nat
:IP-MASQ - [0:0]
-A POSTROUTING -m addrtype ! --dst-type LOCAL -j IP-MASQ
-A IP-MASQ -d 169.254.0.0/16 -j RETURN
-A IP-MASQ -d 10.0.0.0/8 -j RETURN
-A IP-MASQ -d 192.168.0.0/16 -j RETURN
-A IP-MASQ -j MASQUERADE
COMMIT
`,
  },
  'AWS VPC CNI': {
    policyRules: [
      'priority 512 to 10.244.0.1 lookup main',
      'priority 1024 fwmark 0x80/0x80 lookup main',
      'priority 1536 from 10.244.0.99 lookup 2',
    ],
    iptables: `*mangle
-A PREROUTING -i node -m addrtype --dst-type LOCAL --limit-iface-in -j CONNMARK --set-xmark 0x80/0x80
-A PREROUTING -i eni+ -j CONNMARK --restore-mark --nfmask 0x80 --ctmask 0x80
COMMIT
*nat
:AWS-SNAT-CHAIN-0 - [0:0]
-A PREROUTING -j CONNMARK --restore-mark --nfmask 0x80 --ctmask 0x80
-A POSTROUTING -j AWS-SNAT-CHAIN-0
-A AWS-SNAT-CHAIN-0 -d 192.168.0.0/16 -j RETURN
-A AWS-SNAT-CHAIN-0 -d 10.244.0.0/16 -j RETURN
-A AWS-SNAT-CHAIN-0 ! -o vlan+ -m addrtype ! --dst-type LOCAL -j SNAT --to-source 192.168.0.2 --random-fully
COMMIT
`,
  },
  Calico: {
    sets: ['masq-pools', 'all-pools'],
    iptables: `*raw
:cali-PREROUTING - [0:0]
-A PREROUTING -j cali-PREROUTING
-A cali-PREROUTING -j MARK --set-xmark 0x0/0xf0000
-A cali-PREROUTING -i veth-+ -j MARK --set-xmark 0x40000/0x40000
-A cali-PREROUTING -m mark --mark 0x40000/0x40000 -m rpfilter --validmark --invert -j DROP
-A cali-PREROUTING -m mark --mark 0x10000/0x10000 -j ACCEPT
COMMIT
*nat
:cali-POSTROUTING - [0:0]
:cali-nat-outgoing - [0:0]
-A POSTROUTING -j cali-POSTROUTING
-A cali-POSTROUTING -j cali-nat-outgoing
-A cali-nat-outgoing -m set --match-set masq-pools src -m set ! --match-set all-pools dst -j MASQUERADE --random-fully
COMMIT
*filter
:cali-FORWARD - [0:0]
:cali-from-wl-dispatch - [0:0]
:cali-fw-pod - [0:0]
-A FORWARD -j cali-FORWARD
-A FORWARD -m mark --mark 0x10000/0x10000 -j ACCEPT
-A FORWARD -j MARK --set-xmark 0x10000/0x10000
-A cali-FORWARD -j MARK --set-xmark 0x0/0xe0000
-A cali-FORWARD -i veth-+ -j cali-from-wl-dispatch
-A cali-from-wl-dispatch -i veth-pod1 -g cali-fw-pod
-A cali-from-wl-dispatch -i veth-pod2 -g cali-fw-pod
-A cali-from-wl-dispatch -j DROP
-A cali-fw-pod -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT
-A cali-fw-pod -m conntrack --ctstate INVALID -j DROP
-A cali-fw-pod -j MARK --set-xmark 0x10000/0x10000
COMMIT
`,
  },
  // A pod that accepts packets of its own node only, by a NetworkPolicy.
  'kube-router': {
    iptables: `*filter
:KUBE-ROUTER-FORWARD - [0:0]
:KUBE-POD-FW-3LKWB5VQJ7O4X2Q6 - [0:0]
:KUBE-NWPLCY-DEFAULT - [0:0]
-A FORWARD -j KUBE-ROUTER-FORWARD
-A KUBE-ROUTER-FORWARD -d 10.244.0.11/32 -j KUBE-POD-FW-3LKWB5VQJ7O4X2Q6
-A KUBE-POD-FW-3LKWB5VQJ7O4X2Q6 -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT
-A KUBE-POD-FW-3LKWB5VQJ7O4X2Q6 -d 10.244.0.11/32 -m addrtype --src-type LOCAL -j ACCEPT
-A KUBE-POD-FW-3LKWB5VQJ7O4X2Q6 -j KUBE-NWPLCY-DEFAULT
-A KUBE-POD-FW-3LKWB5VQJ7O4X2Q6 -m mark ! --mark 0x10000/0x10000 -j REJECT --reject-with icmp-port-unreachable
COMMIT
`,
    policies: true,
  },
  Cilium: {
    policyRules: ['priority 9 fwmark 0x200/0xf00 lookup 2004'],
    iptables: `*raw
:CILIUM_PRE_raw - [0:0]
-A PREROUTING -j CILIUM_PRE_raw
-A CILIUM_PRE_raw -m mark --mark 0x200/0xf00 -j CT --notrack
COMMIT
*mangle
:CILIUM_PRE_mangle - [0:0]
-A PREROUTING -j CILIUM_PRE_mangle
-A CILIUM_PRE_mangle ! -o lo -m socket --transparent -m mark ! --mark 0xe00/0xf00 -m mark ! --mark 0x800/0xf00 -j MARK --set-xmark 0x200/0xffffffff
COMMIT
*nat
:CILIUM_POST_nat - [0:0]
-A POSTROUTING -j CILIUM_POST_nat
-A CILIUM_POST_nat -s 10.244.0.0/24 ! -d 10.244.0.0/16 ! -o cilium_+ -j MASQUERADE
COMMIT
*filter
:CILIUM_FORWARD - [0:0]
-A FORWARD -j CILIUM_FORWARD
-A CILIUM_FORWARD -o veth-+ -j ACCEPT
-A CILIUM_FORWARD -i veth-+ -j ACCEPT
COMMIT
`,
  },
  firewalld: {
    nft: `table inet firewalld {
  chain filter_PREROUTING {
    type filter hook prerouting priority 10; policy accept;
    fib saddr . mark . iif oif missing drop
  }
  chain filter_INPUT {
    type filter hook input priority 10; policy accept;
    ct state { established, related } accept
    ct status dnat accept
    iifname "lo" accept
    ct state invalid drop
    tcp dport { 22, 80, 6443, 30000-32767 } accept
    reject with icmpx admin-prohibited
  }
  chain filter_FORWARD {
    type filter hook forward priority 10; policy accept;
    ct state { established, related } accept
    ct status dnat accept
    ct state invalid drop
    reject with icmpx admin-prohibited
  }
}
`,
  },
} satisfies Readonly<Record<string, PluginRules>>;

const NAMES = casesOf<keyof typeof PLUGINS>(
  ['Calico', 'firewalld', 'kube-router'],
  ['flannel', 'kindnet', 'ip-masq-agent', 'AWS VPC CNI', 'Cilium'],
);

describe.each(NAMES)('a node with the rules of %s', (name) => {
  const { sets = [], policyRules = [], iptables, nft, policies = false }: PluginRules = PLUGINS[name];
  let node: AgentOnNode;
  beforeEach(async () => {
    node = await AgentOnNode.create('nft');
    node.write(node.sandbox.pods[0]?.ipv4 ?? '', node.sandbox.remotePods[0]?.ipv4 ?? '');
    writeFileSync(join(node.directory, 'host-network.yaml'), HOST_NETWORK);
    const { runner } = node.sandbox.node;
    for (const set of sets) {
      await runner.run({ command: 'ipset', args: ['create', set, 'hash:net'] });
      await runner.run({ command: 'ipset', args: ['add', set, '10.244.0.0/16'] });
    }
    for (const rule of policyRules) {
      await runner.run({ command: 'ip', args: ['rule', 'add', ...rule.split(' ')] });
    }
    if (iptables !== undefined) {
      await runner.run({ command: 'iptables-nft-restore', args: ['--noflush'], stdin: iptables });
    }
    if (nft !== undefined) {
      await runner.run({ command: 'nft', args: ['-f', '-'], stdin: nft });
    }
  }, 120_000);
  afterEach(async () => {
    await node.close();
  }, 60_000);

  test('is verified in mode nftables, and in a thorough run in mode iptables, with endpoints in the host network', async () => {
    for (const mode of casesOf(['nftables'], ['iptables'])) {
      node.start(mode, '--probe-interval=1s');
      await node.until('the agent is well', async () => (await node.run(['status'])).status === 0);
      await node.until('the probe succeeds', async () => (await node.run(['status'])).stdout.includes('answered'));
      const { status, stdout } = await node.run(['verify']);
      expect({ stdout, status }).toEqual({ stdout: expect.stringMatching(/^VERIFIED: /), status: 0 });
      expect(/IPv4: .* 0 different, 0 unknown, [1-9]\d* stopped by network policies\n/.test(stdout)).toBe(policies);
      expect((await node.run(['status'])).stdout).toMatch(/^OK: /);
      await node.stop();
    }
  }, 240_000);
});
