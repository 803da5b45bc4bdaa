import {
  assertNever,
  type BackendModule,
  type Diagnosis,
  describePathRule,
  isNetworkPolicyRule,
} from '@kube-proxier/core';
import { type ConntrackTuningOptions, conntrackMax, describeHolder, describeKubeProxy } from '@kube-proxier/server';
import type { HostFacts } from './host-facts.js';

/** Requirements on the host. */
export interface HostNeeds {
  /** The backend to run. */
  readonly backend: Pick<BackendModule, 'mode' | 'capabilities' | 'requirements'>;
  /** Whether IPv6 is served. */
  readonly ipv6: boolean;
  readonly conntrack: ConntrackTuningOptions;
  readonly cpus: number;
  /** Ports on which the agent listens, with their purpose. */
  readonly ports: readonly { readonly port: number; readonly name: string }[];
}

const CAP_NET_ADMIN = 12n;

/** Evaluates the facts about a host. Pure. */
export function checkHost(facts: HostFacts, needs: HostNeeds): readonly Diagnosis[] {
  return [
    checkKernel(facts),
    checkNetlink(facts),
    ...checkTools(facts, needs),
    checkCapabilities(facts, needs),
    checkVariants(facts),
    ...checkOthers(facts, needs),
    ...checkForwarding(facts, needs),
    ...checkForwarded(facts, needs),
    checkBridge(facts),
    checkReversePath(facts),
    checkLocalnet(facts, needs),
    checkConntrack(facts, needs),
  ];
}

function ok(check: string, found: string): Diagnosis {
  return { check, status: 'ok', found };
}

function warning(check: string, found: string, advice: string): Diagnosis {
  return { check, status: 'warning', found, advice };
}

function problem(check: string, found: string, advice: string): Diagnosis {
  return { check, status: 'problem', found, advice };
}

function unknown(check: string, found: string, advice: string): Diagnosis {
  return { check, status: 'unknown', found, advice };
}

const AS_ROOT = 'run doctor as root, on the host';
const MOUNT_PROC = 'mount /proc';

function checkKernel({ kernel }: HostFacts): Diagnosis {
  return kernel === undefined
    ? unknown('kernel', 'its release cannot be read', MOUNT_PROC)
    : ok('kernel', `Linux ${kernel}`);
}

function checkNetlink({ netlink }: HostFacts): Diagnosis {
  const check = 'netlink';
  if ('obstacle' in netlink) {
    return warning(
      check,
      `no socket can be opened: ${netlink.obstacle}`,
      'allow netlink sockets (seccomp), and install the package koffi for this platform; until then tools are run instead',
    );
  }
  return netlink.transport === 'koffi'
    ? ok(check, 'sockets are opened through koffi')
    : warning(
        check,
        `sockets are opened through the package netlink, so changes are polled, as ${netlink.reason ?? 'requested'}`,
        'install the package koffi for this platform',
      );
}

function checkTools(
  { tools, brokenTools, conntrackByNetlink }: HostFacts,
  { backend: { mode, requirements, capabilities } }: HostNeeds,
): readonly Diagnosis[] {
  const whatIsWrong = (tool: string) => {
    const broken = brokenTools[tool];
    return broken === undefined ? 'is not installed' : `is installed but cannot be run: ${broken}`;
  };
  const rows = (requirements?.tools ?? []).map((tool) => {
    const version = tools[tool];
    const install = brokenTools[tool] === undefined ? 'install' : 'reinstall';
    const advice = `${install} the package that provides it, or use another mode than ${mode}`;
    return version === undefined ? problem(`tool ${tool}`, whatIsWrong(tool), advice) : ok(`tool ${tool}`, version);
  });
  if (capabilities?.tracksConnections === false) {
    return rows;
  }
  return [...rows, checkStaleFlows(conntrackByNetlink, tools.conntrack, whatIsWrong('conntrack'))];
}

function checkStaleFlows(
  obstacle: HostFacts['conntrackByNetlink'],
  tool: string | undefined,
  whatIsWrongWithTool: string,
): Diagnosis {
  const check = 'stale flows';
  if (obstacle === undefined) {
    return ok(check, 'can be deleted by netlink');
  }
  const otherwise = 'or UDP clients keep sending to removed endpoints';
  if (obstacle.notPermitted) {
    const found = `cannot check whether they can be deleted: ${obstacle.reason}`;
    return unknown(check, found, `run as root, or with the capability NET_ADMIN, ${otherwise}`);
  }
  return tool === undefined
    ? warning(
        check,
        `${obstacle.reason}; the tool conntrack ${whatIsWrongWithTool}`,
        `load the module nf_conntrack_netlink, or install conntrack (or conntrack-tools), ${otherwise}`,
      )
    : ok(check, `can be deleted by ${tool}, but not by netlink: ${obstacle.reason}`);
}

function checkCapabilities({ capabilities }: HostFacts, { backend }: HostNeeds): Diagnosis {
  const check = 'capabilities';
  if (capabilities === undefined) {
    return unknown(check, 'cannot be read', MOUNT_PROC);
  }
  if ((capabilities >> CAP_NET_ADMIN) & 1n) {
    return ok(check, 'CAP_NET_ADMIN is present');
  }
  return backend.requirements?.netAdmin === 'optional'
    ? warning(
        check,
        'CAP_NET_ADMIN is missing',
        'only NodePorts and local addresses can be served; run as root for more',
      )
    : problem(check, 'CAP_NET_ADMIN is missing', 'run as root, or with the capability NET_ADMIN');
}

function checkVariants({ iptables: { legacy, nft }, unreadable }: HostFacts): Diagnosis {
  const check = 'iptables variants';
  const count = (rules: number | undefined) => rules ?? 0;
  if (count(legacy) > 0 && count(nft) > 0) {
    return warning(
      check,
      `both contain rules: legacy ${count(legacy)}, nft ${count(nft)}; each packet traverses both`,
      'make all programs of the host use one variant (update-alternatives --config iptables), and flush the other',
    );
  }
  const reasons = [
    ...(unreadable.legacy === undefined ? [] : [`legacy: ${unreadable.legacy}`]),
    ...(unreadable.nft === undefined ? [] : [`nft: ${unreadable.nft}`]),
  ];
  if (reasons.length > 0) {
    return unknown(check, `not all rules could be listed: ${reasons.join('; ')}`, AS_ROOT);
  }
  const which = count(legacy) > 0 ? 'legacy' : count(nft) > 0 ? 'nft' : undefined;
  return ok(
    check,
    which === undefined ? 'no rules are installed' : `all ${count(legacy) + count(nft)} rules are ${which}`,
  );
}

function checkOthers({ instance, kubeProxy, listening }: HostFacts, { ports }: HostNeeds): readonly Diagnosis[] {
  return [
    checkProxies(instance, kubeProxy),
    ...ports.map(({ port, name }) => {
      const check = `port ${port}`;
      if (listening === undefined) {
        return unknown(check, 'cannot check whether it is in use', MOUNT_PROC);
      }
      if (!listening.has(port)) {
        return ok(check, `is free for ${name}`);
      }
      return instance?.known
        ? ok(check, 'is in use while a kube-proxier runs')
        : problem(
            check,
            `is in use, but needed for ${name}`,
            'stop the program that uses it, possibly another proxy; run ss -ltnp to find it',
          );
    }),
  ];
}

function checkProxies(instance: HostFacts['instance'], kubeProxy: HostFacts['kubeProxy']): Diagnosis {
  const check = 'other proxies';
  if (kubeProxy.status === 'found') {
    return problem(
      check,
      `${describeKubeProxy(kubeProxy)} runs in this network namespace`,
      'only one may run: delete its DaemonSet (kubectl -n kube-system delete daemonset kube-proxy) or stop its service',
    );
  }
  if (instance?.known === false) {
    return warning(check, `the lock is held by ${describeHolder(instance)}`, 'run ss -xlp to find its process');
  }
  if (kubeProxy.status === 'unknown') {
    const found = instance === undefined ? 'no kube-proxier runs' : `kube-proxier runs: ${describeHolder(instance)}`;
    const advice = 'run doctor as root, on the host or with hostPID';
    return unknown(check, `${found}; cannot determine whether kube-proxy runs: ${kubeProxy.reason}`, advice);
  }
  return ok(
    check,
    instance === undefined ? 'none runs in this network namespace' : `kube-proxier runs: ${describeHolder(instance)}`,
  );
}

function checkForwarding({ sysctls }: HostFacts, { ipv6, backend }: HostNeeds): readonly Diagnosis[] {
  if (backend.capabilities?.tracksConnections === false) {
    return [];
  }
  const row = (check: string, name: string, serious: boolean): Diagnosis => {
    const value = sysctls[name];
    if (value === '1') {
      return ok(check, 'is on');
    }
    if (value === undefined) {
      return unknown(check, `${name} cannot be read`, MOUNT_PROC);
    }
    const found = 'is off: packets to endpoints on other nodes are dropped';
    return (serious ? problem : warning)(check, found, `set sysctl ${dotted(name)}=1`);
  };
  return [
    row('IPv4 forwarding', 'net/ipv4/ip_forward', true),
    ...(ipv6 && sysctls['net/ipv6/conf/all/disable_ipv6'] === '0'
      ? [row('IPv6 forwarding', 'net/ipv6/conf/all/forwarding', false)]
      : []),
  ];
}

/** Other programs may drop packets of Services in the hook `forward`, and no backend can override that. */
function checkForwarded(
  { forwarded, knowsPods, sysctls }: HostFacts,
  { backend: { requirements, capabilities }, ipv6 }: HostNeeds,
): readonly Diagnosis[] {
  const { forwards = 'all' } = requirements ?? {};
  if (forwards === 'none' || capabilities?.servesWithoutProcess === false) {
    return [];
  }
  const isServed = { IPv4: true, IPv6: ipv6 && sysctls['net/ipv6/conf/all/disable_ipv6'] === '0' };
  return (['IPv4', 'IPv6'] as const).flatMap((family) => {
    if (!isServed[family]) {
      return [];
    }
    const check = `${family} firewall`;
    const packet = forwarded[family];
    switch (packet.result) {
      case 'passed':
        return [ok(check, 'no rule of another program stops forwarded packets of Services')];
      case 'unknown':
        return [unknown(check, `cannot check forwarded packets: ${packet.reason}`, AS_ROOT)];
      case 'stopped': {
        if (isNetworkPolicyRule(packet.by)) {
          return [
            unknown(
              check,
              `a network policy stops the packet that was checked (${describePathRule(packet.by)}); rules after it were not checked`,
              'run kube-proxier verify, which checks packets of all Services',
            ),
          ];
        }
        // The backend accepts masqueraded packets in the chain FORWARD, and no other.
        const accepts =
          forwards === 'source-kept' && packet.by.system.startsWith('iptables') && packet.by.chain === 'FORWARD';
        const which = accepts ? ', except masqueraded ones,' : '';
        const unless = knowsPods[family] ? '' : ', unless it accepts those of pods (--cluster-cidr checks that)';
        return [
          warning(
            check,
            `forwarded packets of Services${which} are ${packet.verdict} by ${describePathRule(packet.by)}${unless}`,
            'make the program that owns it accept them (ct status dnat, or networks of pods); docs/operating.md has the commands for ufw, Docker and nftables',
          ),
        ];
      }
      default:
        return assertNever(packet);
    }
  });
}

/** Some sysctls exist only with their module: their absence is conclusive only if other sysctls can be read. */
function canReadSettings({ sysctls }: Pick<HostFacts, 'sysctls'>): boolean {
  return Object.values(sysctls).some((value) => value !== undefined);
}

function checkBridge({ sysctls }: HostFacts): Diagnosis {
  const check = 'bridged packets';
  if (!canReadSettings({ sysctls })) {
    return unknown(check, 'settings cannot be read', MOUNT_PROC);
  }
  const names = ['net/bridge/bridge-nf-call-iptables', 'net/bridge/bridge-nf-call-ip6tables'] as const;
  const off = names.filter((name) => sysctls[name] === '0');
  if (off.length > 0) {
    return warning(
      check,
      `bypass the rules (${off.map(dotted).join(', ')} is 0): pods on the same bridge cannot reach each other through ` +
        `a Service`,
      `where pods are on a bridge, set sysctl ${off.map((name) => `${dotted(name)}=1`).join(' ')}`,
    );
  }
  return ok(
    check,
    names.some((name) => sysctls[name] === '1')
      ? 'traverse the rules'
      : 'br_netfilter is not loaded; it is needed only with bridges',
  );
}

function checkReversePath({ sysctls }: HostFacts): Diagnosis {
  const check = 'reverse path filter';
  if (sysctls['net/ipv4/conf/all/rp_filter'] === undefined) {
    return unknown(check, 'net/ipv4/conf/all/rp_filter cannot be read', MOUNT_PROC);
  }
  const strict = (['net/ipv4/conf/all/rp_filter', 'net/ipv4/conf/default/rp_filter'] as const).filter(
    (name) => sysctls[name] === '1',
  );
  return strict.length > 0
    ? warning(
        check,
        `is strict (${strict.map(dotted).join(', ')} is 1): packets of asymmetric routes are dropped`,
        'if pod networks or load balancers use asymmetric routes, set it to 2 (loose) or 0',
      )
    : ok(check, 'is not strict');
}

function checkLocalnet({ sysctls }: HostFacts, { backend }: HostNeeds): Diagnosis {
  const check = 'route_localnet';
  if (sysctls['net/ipv4/conf/all/route_localnet'] === undefined) {
    return unknown(check, 'net/ipv4/conf/all/route_localnet cannot be read', MOUNT_PROC);
  }
  const on = sysctls['net/ipv4/conf/all/route_localnet'] === '1';
  if (on && backend.requirements?.routesLocalnet !== true) {
    return warning(
      check,
      `is on, and mode ${backend.mode} does not need it`,
      'unless another program needs it, set sysctl net.ipv4.conf.all.route_localnet=0',
    );
  }
  return ok(check, on ? 'is on, for NodePorts on 127.0.0.1' : 'is off');
}

function checkConntrack({ sysctls }: HostFacts, { conntrack, cpus, backend }: HostNeeds): Diagnosis {
  const check = 'connection tracking';
  const number = (name: string) => (sysctls[name] === undefined ? undefined : Number(sysctls[name]));
  const [count, max] = [number('net/netfilter/nf_conntrack_count'), number('net/netfilter/nf_conntrack_max')];
  if (!canReadSettings({ sysctls })) {
    return unknown(check, 'settings cannot be read', MOUNT_PROC);
  }
  if (count === undefined || max === undefined) {
    return ok(check, 'is not loaded yet; the first rules load the module');
  }
  const found = `${count} of ${max} connections`;
  const share = count / Math.max(max, 1);
  const advice =
    'raise --conntrack-max-per-core or --conntrack-min, or find out which program opens so many connections';
  if (share >= 0.95) {
    return problem(check, `${found}: new ones are about to be dropped`, advice);
  }
  if (share >= 0.8) {
    return warning(check, `${found}: the table is nearly full`, advice);
  }
  const tracks = backend.capabilities?.tracksConnections !== false;
  if (tracks && number('net/netfilter/nf_conntrack_tcp_loose') === 0) {
    return warning(
      check,
      `${found}; net.netfilter.nf_conntrack_tcp_loose is 0, so kube-proxier.io/when-endpoint-goes: reset has no effect for packets of other hosts and pods`,
      'where Services have that annotation, set sysctl net.netfilter.nf_conntrack_tcp_loose=1',
    );
  }
  const wanted = tracks ? conntrackMax(conntrack, cpus) : 0;
  return max < wanted
    ? warning(
        check,
        `${found}, fewer than the configured limit of ${wanted}`,
        'kube-proxier sets the limit if it has the privileges: run it with --init-only in a privileged container',
      )
    : ok(check, found);
}

function dotted(name: string): string {
  return name.replaceAll('/', '.');
}
