import type { SandboxHostRole } from './sandbox-host.js';

/** Addresses of the sandbox. They are the same in every sandbox, since sandboxes are isolated. */
export const SANDBOX_NETWORK = {
  /** Name of the node in Kubernetes objects. */
  nodeName: 'node1',
  remoteNodeName: 'node2',
  /** Pods of all nodes. */
  clusterCIDRs: ['10.244.0.0/16', 'fd00:10:244::/56'],
  /** Pods of the node. */
  podCIDRs: ['10.244.0.0/24', 'fd00:10:244::/64'],
  /** Pods of the remote node. */
  remotePodCIDRs: ['10.244.7.0/24', 'fd00:10:244:7::/64'],
  /** Not used by any host: available for cluster IPs. Packets to unrouted addresses are sent to the node. */
  serviceCIDRs: ['10.96.0.0/12', 'fd00:10:96::/112'],
} as const;

/** One host of the sandbox, before it is built. */
export interface HostPlan {
  readonly name: string;
  readonly role: SandboxHostRole;
  readonly addresses: readonly string[];
  /** Forwards packets (routing is enabled). */
  readonly forwards: boolean;
}

/** A link. The upper end is the default gateway of the lower one. */
interface LinkPlan {
  readonly upper: HostPlan;
  /** Name of the interface at the upper end; at the lower end it is `eth0`. */
  readonly upperInterface: string;
  readonly lower: HostPlan;
}

export interface SandboxPlan {
  readonly router: HostPlan;
  readonly node: HostPlan;
  readonly pods: readonly HostPlan[];
  readonly remoteNode: HostPlan;
  readonly remotePods: readonly HostPlan[];
  readonly client: HostPlan;
  readonly hosts: readonly HostPlan[];
  readonly links: readonly LinkPlan[];
}

/** Plans a sandbox with these numbers of pods on the node and on the remote node. Pure. */
export function planSandbox(podCount: number, remotePodCount: number): SandboxPlan {
  const router: HostPlan = { name: 'router', role: 'router', addresses: [], forwards: true };
  const node: HostPlan = {
    name: 'node',
    role: 'node',
    addresses: ['192.168.0.2', '192.168.1.2', 'fd00:192:168::2', 'fd00:192:168:1::2'],
    forwards: true,
  };
  const remoteNode: HostPlan = {
    name: 'remote-node',
    role: 'remote-node',
    addresses: ['192.168.0.3', 'fd00:192:168::3'],
    forwards: true,
  };
  const client: HostPlan = {
    name: 'client',
    role: 'client',
    addresses: ['203.0.113.2', '203.0.113.130', '2001:db8:203::2', '2001:db8:203:80::2'],
    forwards: false,
  };
  const pods = Array.from({ length: podCount }, (_, index) => planPod('pod', 'pod', index, '10.244.0', 'fd00:10:244:'));
  const remotePods = Array.from({ length: remotePodCount }, (_, index) =>
    planPod('remote-pod', 'remote-pod', index, '10.244.7', 'fd00:10:244:7:'),
  );
  return {
    router,
    node,
    pods,
    remoteNode,
    remotePods,
    client,
    hosts: [router, node, remoteNode, client, ...pods, ...remotePods],
    links: [
      { upper: router, upperInterface: 'node', lower: node },
      { upper: router, upperInterface: 'remote', lower: remoteNode },
      { upper: router, upperInterface: 'client', lower: client },
      ...pods.map((pod) => ({ upper: node, upperInterface: `veth-${pod.name}`, lower: pod })),
      ...remotePods.map((pod, index) => ({ upper: remoteNode, upperInterface: `veth-pod${index + 1}`, lower: pod })),
    ],
  };
}

function planPod(prefix: string, role: SandboxHostRole, index: number, ipv4: string, ipv6: string): HostPlan {
  const number = 11 + index;
  return {
    name: `${prefix}${index + 1}`,
    role,
    addresses: [`${ipv4}.${number}`, `${ipv6}:${number}`],
    forwards: false,
  };
}

/**
 * Links follow Calico and most clouds: host routes and one gateway that is the same on every link. The upper end has
 * this hardware address, hence this link-local address, and no other: so what the node masquerades to a pod carries the
 * node's own address, as on a real node, and not that of a bridge. All neighbour entries are static, so there is no
 * delay by ARP or neighbour discovery.
 */
const LOWER_MAC = '02:00:00:00:00:02';
const GATEWAY_MAC = 'ee:ee:ee:ee:ee:ee';
const GATEWAY_IPV4 = '169.254.1.1';
const GATEWAY_IPV6 = 'fe80::ecee:eeff:feee:eeee';
/**
 * Routing table for packets that arrive at the router from elsewhere than the node: unknown destinations go to the
 * node.
 */
const VIA_NODE_TABLE = 100;

/** The shell script that builds the plan. `namespaceOf` returns the name of a host's network namespace. */
export function renderBuildScript(plan: SandboxPlan, namespaceOf: (host: HostPlan) => string): string {
  const sections = [
    'set -eu',
    ipBatch(plan.hosts.map((host) => `netns add ${namespaceOf(host)}`)),
    // Before interfaces are created: they inherit the defaults at creation.
    ...plan.hosts.map((host) => renderSysctls(host, namespaceOf(host))),
    ipBatch(
      plan.links.map(
        ({ upper, upperInterface, lower }) =>
          `link add ${upperInterface} netns ${namespaceOf(upper)} address ${GATEWAY_MAC} ` +
          `type veth peer name eth0 address ${LOWER_MAC} netns ${namespaceOf(lower)}`,
      ),
    ),
    ...plan.hosts.map((host) => ipBatch(renderInterfaces(plan, host), namespaceOf(host))),
  ];
  return `${sections.join('\n')}\n`;
}

function ipBatch(lines: readonly string[], namespace?: string): string {
  return `ip ${namespace ? `-n ${namespace} ` : ''}-batch - <<'END'\n${lines.join('\n')}\nEND`;
}

/** Ports that the kernel gives to sockets in a sandbox: below the source ports of probes (probe.mjs). */
const EPHEMERAL_PORTS = { first: 32_768, last: 40_999 };

function renderSysctls(host: HostPlan, namespace: string): string {
  const wanted: string[] = [];
  const optional: string[] = [];
  for (const scope of ['all', 'default']) {
    // An address is usable at once, instead of after seconds of duplicate address detection.
    wanted.push(`0 ipv6/conf/${scope}/disable_ipv6`, `0 ipv6/conf/${scope}/accept_dad`);
    wanted.push(`0 ipv6/conf/${scope}/accept_ra`, `0 ipv6/conf/${scope}/accept_redirects`);
    wanted.push(`0 ipv4/conf/${scope}/rp_filter`, `0 ipv4/conf/${scope}/accept_redirects`);
    // A new namespace inherits this from the host.
    wanted.push(`0 ipv4/conf/${scope}/send_redirects`, `0 ipv4/conf/${scope}/route_localnet`);
  }
  // Disable ICMP rate limits; otherwise the seventh refusal in a second would be reported as a timeout.
  optional.push('0 ipv4/icmp_ratelimit', '0 ipv6/icmp/ratelimit', '1000000 ipv4/icmp_msgs_per_sec');
  optional.push('1000000 ipv4/icmp_msgs_burst');
  if (host.forwards) {
    wanted.push('1 ipv4/ip_forward', '1 ipv6/conf/all/forwarding');
  }
  // Other programs, such as a proxy in mode userspace, get none of the source ports of probes: a datagram from a port that one of
  // them had before would belong to its flow, which the kernel still tracks.
  const ephemeral = `${EPHEMERAL_PORTS.first} ${EPHEMERAL_PORTS.last}`;
  const script = [
    'set -eu; cd /proc/sys/net',
    ...wanted.map((setting) => `echo ${setting.replace(' ', ' > ')}`),
    ...[...optional, `${ephemeral} ipv4/ip_local_port_range`].map((setting) => {
      const file = setting.slice(setting.lastIndexOf(' ') + 1);
      return `if [ -w ${file} ]; then echo ${setting.slice(0, -file.length - 1)} > ${file}; fi`;
    }),
  ];
  return `nsenter --net=/run/netns/${namespace} sh -s <<'END'\n${script.join('\n')}\nEND`;
}

function renderInterfaces(plan: SandboxPlan, host: HostPlan): string[] {
  const lines = ['link set lo up'];
  const own = plan.links.find((link) => link.lower === host);
  if (own) {
    for (const family of [4, 6] as const) {
      addressesOf(host, family).forEach((address, index) => {
        // A second IPv6 address is excluded from source selection, as a second IPv4 address is by default.
        const rank = family === 6 ? ` nodad${index > 0 ? ' preferred_lft 0' : ''}` : '';
        lines.push(`addr add ${withPrefix(address)} dev eth0${rank}`);
      });
    }
    lines.push('link set eth0 up');
    lines.push(`neigh add ${GATEWAY_IPV4} lladdr ${GATEWAY_MAC} dev eth0 nud permanent`);
    lines.push(`neigh add ${GATEWAY_IPV6} lladdr ${GATEWAY_MAC} dev eth0 nud permanent`);
    lines.push(`route add default via ${GATEWAY_IPV4} dev eth0 onlink src ${addressesOf(host, 4)[0]}`);
    lines.push(`route add default via ${GATEWAY_IPV6} dev eth0`);
  }
  for (const link of plan.links.filter((candidate) => candidate.upper === host)) {
    lines.push(`link set ${link.upperInterface} up`);
    for (const address of link.lower.addresses) {
      lines.push(`neigh add ${address} lladdr ${LOWER_MAC} dev ${link.upperInterface} nud permanent`);
      lines.push(`route add ${withPrefix(address)} dev ${link.upperInterface}`);
    }
  }
  if (host === plan.router) {
    lines.push(...renderRouting(plan));
  }
  return lines;
}

/**
 * The router sends unknown destinations to the node (so that cluster IPs can be tested from everywhere), and the node
 * drops unknown destinations without an answer, as in the internet.
 */
function renderRouting(plan: SandboxPlan): string[] {
  const lines: string[] = [];
  for (const [node, cidrs] of [
    [plan.node, SANDBOX_NETWORK.podCIDRs],
    [plan.remoteNode, SANDBOX_NETWORK.remotePodCIDRs],
  ] as const) {
    for (const cidr of cidrs) {
      const via = addressesOf(node, cidr.includes(':') ? 6 : 4)[0];
      lines.push(`route add ${cidr} via ${via} dev ${node === plan.node ? 'node' : 'remote'} onlink`);
    }
  }
  for (const family of [4, 6] as const) {
    lines.push(`route add default via ${addressesOf(plan.node, family)[0]} dev node onlink table ${VIA_NODE_TABLE}`);
  }
  return lines;
}

/** `ip rule` requires its family as an option of `ip`, which a batch cannot contain. */
export function renderRuleScript(plan: SandboxPlan, namespaceOf: (host: HostPlan) => string): string {
  return ['-4', '-6']
    .map((family) => {
      const lines = [
        'rule add pref 100 lookup main',
        ...['client', 'remote'].map((name) => `rule add pref 200 iif ${name} lookup ${VIA_NODE_TABLE}`),
        'rule add pref 300 blackhole',
      ];
      return `ip ${family} -n ${namespaceOf(plan.router)} -batch - <<'END'\n${lines.join('\n')}\nEND\n`;
    })
    .join('');
}

function addressesOf(host: HostPlan, family: 4 | 6): string[] {
  return host.addresses.filter((address) => address.includes(':') === (family === 6));
}

function withPrefix(address: string): string {
  return address.includes(':') ? `${address}/128` : `${address}/32`;
}
