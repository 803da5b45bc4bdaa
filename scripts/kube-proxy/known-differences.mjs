/**
 * Differences between kube-proxy and kube-proxier that `npm run compare-kube-proxy` expects, with the reason of each.
 *
 * @typedef {import('./compared-node.mjs').Flow} Flow
 * @typedef {import('./random-cluster.mjs').Service} Service
 * @typedef {import('./random-cluster.mjs').EndpointSlice} EndpointSlice
 *
 * @typedef {object} Difference
 * @property {'iptables' | 'nftables'} mode
 * @property {Flow & {service: Service}} flow with the Service that has, or had, its frontend
 * @property {ReadonlySet<string>} kubeProxy
 * @property {ReadonlySet<string>} kubeProxier
 * @property {Service | undefined} service as it is now
 * @property {'cluster IP' | 'external IP' | 'load balancer IP' | 'node port' | undefined} frontend
 * @property {boolean} hasPort whether the Service has the port there
 * @property {boolean} isServed whether NodePorts are on the destination, where that is an address of the node
 * @property {boolean} hasMoved whether an EndpointSlice of the Service got the label of another one while kube-proxy ran
 * @property {readonly EndpointSlice[]} slices of the Service
 *
 * @typedef {object} KnownDifference
 * @property {string} id of docs/behaviour, where it has one
 * @property {string} reason
 * @property {(difference: Difference) => boolean} explains
 */

/**
 * Whether an address and port of a Service's port has two different entries, of which neither applies for a defined reason: an entry that
 * is terminating gives way to one that is not.
 *
 * @param {Service | undefined} service
 * @param {readonly EndpointSlice[]} slices
 */
export function hasAmbiguousEntries(service, slices) {
  /** @type {Map<string, {terminating: boolean, text: string}[]>} */
  const entries = new Map();
  for (const { ports = [], endpoints } of slices) {
    for (const { name = '', protocol = 'TCP', port } of ports) {
      for (const { addresses, conditions, nodeName, hints } of endpoints) {
        const key = [name, protocol, addresses[0], port].join(' ');
        const { ready = true, serving = true, terminating = false } = conditions;
        const text = JSON.stringify([ready, serving, terminating, nodeName, hints]);
        entries.set(key, [...(entries.get(key) ?? []), { terminating, text }]);
      }
    }
  }
  return (
    service !== undefined &&
    [...entries.values()].some((list) => {
      const running = list.filter(({ terminating }) => !terminating);
      return new Set((running.length === 0 ? list : running).map(({ text }) => text)).size > 1;
    })
  );
}

/**
 * Whether all outcomes are of a kind, but for timeouts of a busy machine.
 *
 * @param {ReadonlySet<string>} outcomes
 * @param {string} kind
 */
function isOnly(outcomes, kind) {
  const others = [...outcomes].filter((outcome) => outcome !== 'timeout');
  return others.length === 0 ? outcomes.size > 0 && kind === 'timeout' : others.every((outcome) => outcome === kind);
}

/** @type {readonly KnownDifference[]} */
export const KNOWN_DIFFERENCES = [
  {
    id: 'D-4',
    reason:
      'kube-proxy in mode iptables ignores packets to a port that a cluster IP does not have; kube-proxier rejects them',
    explains: ({ mode, frontend, hasPort, kubeProxy, kubeProxier }) =>
      mode === 'iptables' &&
      frontend === 'cluster IP' &&
      !hasPort &&
      !kubeProxy.has('refused') &&
      isOnly(kubeProxier, 'refused'),
  },
  {
    id: 'B-15',
    reason: 'kube-proxy in mode iptables does not reject packets of the node to an external IP without endpoints',
    explains: ({ mode, flow, frontend, kubeProxy, kubeProxier }) =>
      mode === 'iptables' &&
      flow.client === 'node' &&
      (frontend === 'external IP' || frontend === 'load balancer IP') &&
      !kubeProxy.has('refused') &&
      isOnly(kubeProxier, 'refused'),
  },
  {
    id: 'F-LB-11',
    reason:
      'kube-proxy in mode iptables rejects clients outside of the source ranges of a Service without endpoints; kube-proxier drops them',
    explains: ({ mode, frontend, service, kubeProxy, kubeProxier }) =>
      mode === 'iptables' &&
      frontend === 'load balancer IP' &&
      (service?.spec.loadBalancerSourceRanges?.length ?? 0) > 0 &&
      (isOnly(kubeProxy, 'refused') || isOnly(kubeProxy, 'unreachable') || isOnly(kubeProxy, 'timeout')) &&
      isOnly(kubeProxier, 'timeout'),
  },
  {
    id: 'F-LB-17',
    reason:
      'kube-proxy in mode iptables does not apply source ranges to a load balancer IP that is also an external IP of the Service',
    explains: ({ mode, flow, service, kubeProxier }) =>
      mode === 'iptables' &&
      (service?.spec.loadBalancerSourceRanges?.length ?? 0) > 0 &&
      service?.spec.externalIPs?.includes(flow.to) &&
      (service?.status.loadBalancer.ingress ?? []).some(({ ip }) => ip === flow.to) &&
      isOnly(kubeProxier, 'timeout'),
  },
  {
    id: 'F-Q-1',
    reason:
      'kube-proxy in mode iptables masquerades packets of an endpoint to itself also if it runs on another node; in kube-proxier its own ' +
      'node does so, and here they get no reply',
    explains: ({ mode, flow: { client }, kubeProxy, kubeProxier }) => {
      const ofOthers = (/** @type {ReadonlySet<string>} */ outcomes) =>
        [...outcomes].filter((outcome) => outcome !== 'timeout' && !outcome.startsWith(`${client}:`)).sort();
      return (
        mode === 'iptables' &&
        client.startsWith('remote-pod') &&
        [...kubeProxy].some((outcome) => outcome.startsWith(`${client}:`)) &&
        ofOthers(kubeProxy).join() === ofOthers(kubeProxier).join()
      );
    },
  },
  {
    id: 'node-port-on-other-address',
    reason:
      'kube-proxy in mode iptables drops packets to the number of a NodePort without a usable endpoint also on addresses of the node ' +
      'that have no NodePorts; kube-proxier leaves them to the node',
    explains: ({ mode, frontend, isServed, kubeProxy, kubeProxier }) =>
      mode === 'iptables' &&
      frontend === 'node port' &&
      !isServed &&
      isOnly(kubeProxy, 'timeout') &&
      isOnly(kubeProxier, 'refused'),
  },
  {
    id: 'K-31',
    reason:
      'kube-proxy keeps the endpoints of an EndpointSlice for the former Service when the label with the name of the Service changes, until ' +
      'it is restarted; in kube-proxier they belong to the new Service only',
    explains: ({ hasMoved }) => hasMoved,
  },
  {
    id: 'B-2',
    reason: 'which of two different entries for one address and port applies is not defined in kube-proxy',
    explains: ({ service, slices }) => hasAmbiguousEntries(service, slices),
  },
  {
    id: 'F-CIP-2b',
    reason:
      'kube-proxy in mode nftables does not masquerade packets of an endpoint to itself if its EndpointSlice has no node name; they get no ' +
      'reply',
    explains: ({ mode, flow, kubeProxy, kubeProxier, slices }) =>
      mode === 'nftables' &&
      slices.some(({ endpoints }) => endpoints.some(({ nodeName }) => nodeName === undefined)) &&
      [...kubeProxier].some((outcome) => outcome.startsWith(`${flow.client}:`)) &&
      kubeProxy.has('timeout'),
  },
];

/**
 * The known difference that explains one.
 *
 * @param {Difference} difference
 */
export const knownDifferenceOf = (difference) => KNOWN_DIFFERENCES.find(({ explains }) => explains(difference));
