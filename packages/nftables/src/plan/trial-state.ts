import {
  type Endpoint,
  type Frontend,
  frontendKey,
  type IPFamily,
  type Protocol,
  type ProxyState,
  type ResolvedServicePort,
  type Route,
  type ServicePortKey,
  servicePortKey,
} from '@kube-proxier/core';

const PROTOCOLS: readonly Protocol[] = ['TCP', 'UDP', 'SCTP'];
/** Affinity, and ports: ranges to the same ports of the endpoints, and to others. */
const VARIANTS = [
  [undefined, { port: 1 }],
  [1, { port: 1 }],
  [undefined, { port: 1, lastPort: 2 }],
  [1, { port: 2, lastPort: 3 }],
] as const;

/**
 * A state with every kind of frontend, to test whether this host accepts the resulting table.
 *
 * @param combinations `all`: of each protocol every kind. `few`: of UDP and SCTP one kind, as the rest differs only in
 *   the protocol number. Default `all`.
 */
export function trialState(family: IPFamily, combinations: 'all' | 'few' = 'all'): ProxyState {
  const six = family === 'IPv6';
  const address = (number: number) => (six ? `2001:db8::${number}` : `192.0.2.${number}`);
  const endpoints = [address(1), address(2)].map(
    (text): Endpoint => ({
      key: six ? `[${text}]:1` : `${text}:1`,
      address: text,
      port: 1,
      isLocal: true,
      ready: true,
      serving: true,
      terminating: false,
      nodeName: undefined,
      zoneHints: [],
      nodeHints: [],
      weight: 1,
    }),
  );
  const forward = { action: 'forward', endpoints: 'cluster', masquerade: 'never' } as const;
  const short: readonly Route[] = [
    { ...forward, source: 'pod' },
    { ...forward, source: 'node', masquerade: 'always' },
    { ...forward, source: 'any', endpoints: 'local' },
  ];
  const routes: readonly (readonly Route[])[] = [
    short,
    [{ ...forward, source: 'any', masquerade: 'off-cluster' }],
    [{ source: 'any', action: 'reject' }],
    [{ source: 'any', action: 'drop' }],
  ];
  const servicePorts = new Map<ServicePortKey, ResolvedServicePort>();
  let number = 10;
  for (const protocol of PROTOCOLS) {
    const isWhole = combinations === 'all' || protocol === 'TCP';
    for (const [affinitySeconds, ports] of isWhole ? VARIANTS : VARIANTS.slice(0, 1)) {
      const name = { namespace: 'trial', name: `trial-${number}`, portName: '', protocol };
      const key = servicePortKey(name);
      const frontends = (isWhole ? routes : [short]).flatMap((list): Frontend[] => {
        number += 1;
        const frontend = { protocol, routes: list, allowedSources: [`${address(3)}/${six ? 128 : 32}`] };
        const at = address(number);
        return [
          { ...frontend, kind: 'LoadBalancerIP', key: frontendKey(protocol, at, ports.port), address: at, ...ports },
          {
            ...frontend,
            kind: 'NodePort',
            key: frontendKey(protocol, undefined, number),
            address: undefined,
            port: number,
          },
        ];
      });
      const servicePort = {
        key,
        name,
        clusterIP: address(number),
        port: 1,
        nodePort: 0,
        externalIPs: [],
        loadBalancerVIPs: [],
        loadBalancerSourceRanges: undefined,
        externalTrafficPolicy: 'Cluster',
        internalTrafficPolicy: 'Cluster',
        affinitySeconds,
        healthCheckNodePort: 0,
        slowStartSeconds: undefined,
        whenEndpointGoes: 'reset',
        createdAt: 0,
        annotations: {},
      } as const;
      servicePorts.set(key, {
        key,
        name,
        servicePort,
        frontends,
        cluster: endpoints,
        local: endpoints.slice(0, 1),
        affinitySeconds,
        candidates: endpoints,
        overlaps: [],
        selection: { topology: 'none', clusterBasis: 'ready', localBasis: 'ready' },
      });
    }
  }
  const network = six ? '2001:db8::/32' : '192.0.2.0/24';
  return {
    family,
    revision: 0,
    servicePorts,
    frontends: new Map(),
    healthCheckNodePorts: new Map(),
    clusterIPs: new Map([[address(9), 1]]),
    node: {
      name: 'trial',
      zone: undefined,
      addresses: [address(1)],
      detector: { kind: 'source-cidr', cidr: network },
      nodePortAddresses: { kind: 'all', loopback: false },
      serviceCIDRs: [network],
    },
  };
}
