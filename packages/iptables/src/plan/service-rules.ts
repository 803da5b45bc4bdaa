import {
  type Endpoint,
  type Frontend,
  type FrontendPorts,
  formatServicePortName,
  hostCIDR,
  type IPFamily,
  type LocalTrafficDetector,
  mayBeLocal,
  type ResolvedServicePort,
  type Route,
  resetsConnections,
  selectionWeights,
} from '@kube-proxier/core';
import {
  type IptablesMatch,
  type IptablesProtocol,
  IptablesRule,
  type IptablesRuleParts,
  type IptablesTarget,
  type RejectAnswer,
} from '@kube-proxier/linux';
import { type Entry, placeOfAddress, placeOfPort, type TreeName } from './dispatch-tree.js';
import type { Chain } from './iptables-transaction.js';
import { CHAINS, type ServiceChainKind, serviceChain } from './layout.js';

/** All rules that one service port has. */
export interface ServiceRules {
  /** Its own chains. */
  readonly nat: ReadonlyMap<string, Chain>;
  readonly filter: ReadonlyMap<string, Chain>;
  /** Its rules in chains that it shares. */
  readonly entries: readonly Entry[];
}

/** Name suffix of chains for a range; empty without a range. */
export function rangeDiscriminator({ port, lastPort }: FrontendPorts): string {
  return lastPort === undefined ? '' : ` ${port}-${lastPort}`;
}

/**
 * The destination of packets to a frontend: the port of a range is kept, or shifted (`base` is the port that the first
 * one maps to).
 */
export function destinationOf(endpoint: Endpoint, { port, lastPort }: FrontendPorts): string {
  if (lastPort === undefined) {
    return endpoint.key;
  }
  return endpoint.port === port ? endpoint.address : `${endpoint.key}-${endpoint.port + lastPort - port}/${port}`;
}

type Forward = Extract<Route, { action: 'forward' }>;

/** Turns one resolved service port into rules. It makes no decisions: it only renders the state. */
export function serviceRules(
  port: ResolvedServicePort,
  family: IPFamily,
  detector: LocalTrafficDetector,
): ServiceRules {
  return new ServiceRenderer(port, family, detector).render();
}

const MARK: IptablesTarget = { target: 'jump', chain: CHAINS.markMasquerade };

class ServiceRenderer {
  readonly #nat = new Map<string, Chain>();
  readonly #filter = new Map<string, Chain>();
  readonly #entries: Entry[] = [];
  readonly #label: string;
  readonly #protocol: IptablesProtocol;
  /** External chains by effect: frontends with the same effect share one. */
  readonly #external = new Map<string, string>();
  readonly #firewalls = new Map<string, string>();
  /** Cache of chain names: a hash is more expensive than the rest of a rule. */
  readonly #names = new Map<string, string>();

  constructor(
    private readonly port: ResolvedServicePort,
    private readonly family: IPFamily,
    private readonly detector: LocalTrafficDetector,
  ) {
    this.#label = formatServicePortName(port.name);
    this.#protocol = port.name.protocol.toLowerCase() as IptablesProtocol;
  }

  render(): ServiceRules {
    for (const frontend of this.port.frontends) {
      const routes = this.#effectiveRoutes(frontend);
      const entry = this.#entryChain(frontend, routes);
      if (entry !== undefined) {
        const note = {
          ClusterIP: ' cluster IP',
          ExternalIP: ' external IP',
          LoadBalancerIP: ' loadbalancer IP',
          NodePort: '',
        }[frontend.kind];
        const tree = frontend.address === undefined ? 'nodePorts' : 'services';
        this.#enter(tree, frontend, 0, { comment: this.#label + note, target: { target: 'jump', chain: entry } });
      }
      this.#refuse(frontend, routes);
      this.#restrict(frontend, routes);
    }
    this.#pickChains();
    return { nat: this.#nat, filter: this.#filter, entries: this.#entries };
  }

  /** Routes that can match, and a route to a list without endpoints rejects. */
  #effectiveRoutes(frontend: Frontend): readonly Route[] {
    return frontend.routes
      .filter((route) => route.source !== 'pod' || this.detector.kind !== 'none')
      .map((route) =>
        route.action === 'forward' && this.port[route.endpoints].length === 0
          ? { source: route.source, action: 'reject' as const }
          : route,
      );
  }

  /** The chain in nat that packets to the frontend are sent to; undefined when it forwards nothing. */
  #entryChain(frontend: Frontend, routes: readonly Route[]): string | undefined {
    if (frontend.allowedSources?.length === 0 || !routes.some((route) => route.action === 'forward')) {
      return undefined;
    }
    const [only] = routes;
    const inside =
      routes.length === 1 &&
      only?.action === 'forward' &&
      (frontend.kind === 'ClusterIP' || only.masquerade === 'never')
        ? this.#pick(only, frontend)
        : this.#externalChain(routes, frontend);
    return frontend.allowedSources === undefined ? inside : this.#firewallChain(frontend.allowedSources, inside);
  }

  #pick(route: Forward, ports: FrontendPorts): string {
    return this.#name(route.endpoints === 'local' ? 'SVL' : 'SVC', rangeDiscriminator(ports));
  }

  /** Applies routes one after another (spec I-36). */
  #externalChain(routes: readonly Route[], ports: FrontendPorts): string {
    const signature = JSON.stringify(routes) + rangeDiscriminator(ports);
    const known = this.#external.get(signature);
    if (known !== undefined) {
      return known;
    }
    const chain = this.#variantChain('EXT', this.#external, signature);
    const rules: IptablesRule[] = [];
    for (const route of routes) {
      const { where, parts } = this.#from(route.source);
      if (route.action !== 'forward') {
        rules.push(new IptablesRule({ ...parts, target: { target: 'RETURN' } }));
        continue;
      }
      const mark = this.#markParts(route);
      if (mark !== undefined) {
        const comment = `masquerade ${where} for ${this.#label} external destinations`;
        rules.push(new IptablesRule({ ...parts, ...mark, comment, target: MARK }));
      }
      const comment = route.source === 'any' ? undefined : `route ${where} for ${this.#label} external destinations`;
      rules.push(
        new IptablesRule({
          ...parts,
          ...(comment === undefined ? {} : { comment }),
          target: { target: 'jump', chain: this.#pick(route, ports) },
        }),
      );
    }
    this.#nat.set(chain, this.#own(rules));
    return chain;
  }

  /** Match for masquerading, in addition to the route's source; undefined for never. */
  #markParts(route: Forward): IptablesRuleParts | undefined {
    if (route.masquerade === 'always') {
      return {};
    }
    // Packets from a pod are not off-cluster.
    return route.masquerade === 'never' || route.source === 'pod' ? undefined : this.#pods(true);
  }

  /** Accepts allowed sources; other packets pass unchanged to {@link #restrict} in the filter table. */
  #firewallChain(sources: readonly string[], inside: string): string {
    const signature = `${inside} ${sources.join(' ')}`;
    const known = this.#firewalls.get(signature);
    if (known !== undefined) {
      return known;
    }
    const chain = this.#variantChain('FW', this.#firewalls, signature);
    const comment = `${this.#label} loadbalancer IP`;
    const target: IptablesTarget = { target: 'jump', chain: inside };
    const rules = sources.map((source) => new IptablesRule({ source: { value: source }, comment, target }));
    this.#nat.set(chain, this.#own(rules));
    return chain;
  }

  /** kube-proxy's name for the first chain of a kind; it never needs a second. */
  #variantChain(kind: ServiceChainKind, known: Map<string, string>, signature: string): string {
    const chain = this.#name(kind, known.size === 0 ? '' : signature);
    known.set(signature, chain);
    return chain;
  }

  /** Packets here were not forwarded, so only the other routes apply. */
  #refuse(frontend: Frontend, routes: readonly Route[]): void {
    const tree: TreeName =
      frontend.address === undefined
        ? 'closedNodePorts'
        : frontend.kind === 'ClusterIP'
          ? 'refused'
          : 'refusedExternal';
    routes.forEach((route, index) => {
      if (route.action === 'forward') {
        return;
      }
      const { parts } = this.#from(route.source);
      const comment = `${this.#label} has no ${route.action === 'drop' ? 'local ' : ''}endpoints`;
      if (route.action === 'reject') {
        this.#enter(tree, frontend, index, { ...parts, comment, target: { target: 'REJECT', with: this.#refusal() } });
      } else if (resetsConnections(this.port)) {
        // Packets of unknown connections are reset; new connections are dropped (spec R-4).
        const target: IptablesTarget = { target: 'REJECT', with: 'tcp-reset' };
        this.#enter(tree, frontend, index, { ...parts, comment, target }, 'no-syn');
        this.#enter(tree, frontend, index, { ...parts, comment, target: { target: 'DROP' } }, 'after');
      } else {
        this.#enter(tree, frontend, index, { ...parts, comment, target: { target: 'DROP' } });
      }
    });
  }

  /** A reset ends connections, too, which ICMP does not. To a client that connects, both are refusals (spec R-4). */
  #refusal(): RejectAnswer {
    if (resetsConnections(this.port)) {
      return 'tcp-reset';
    }
    return this.family === 'IPv4' ? 'icmp-port-unreachable' : 'icmp6-port-unreachable';
  }

  #restrict(frontend: Frontend, routes: readonly Route[]): void {
    const { allowedSources } = frontend;
    if (allowedSources === undefined) {
      return;
    }
    const tree: TreeName = frontend.address === undefined ? 'blockedNodePorts' : 'firewall';
    const chain = this.#name('FW');
    const comment = `${this.#label} traffic not accepted by ${chain}`;
    if (allowedSources.length === 0 || routes.every((route) => route.action === 'forward')) {
      this.#enter(tree, frontend, 0, { comment, target: { target: 'DROP' } });
      return;
    }
    // Some allowed packets are not forwarded either: they continue to the rule that rejects them.
    const signature = allowedSources.join(' ');
    const filterChain = this.#name('FW', signature);
    const rules = [
      ...allowedSources.map((source) => new IptablesRule({ source: { value: source }, target: { target: 'RETURN' } })),
      new IptablesRule({ comment, target: { target: 'DROP' } }),
    ];
    this.#filter.set(filterChain, this.#own(rules));
    this.#enter(tree, frontend, 0, { comment, target: { target: 'jump', chain: filterChain } });
  }

  /** The chains that select an endpoint, for the used lists. */
  #pickChains(): void {
    const reachable = new Map<string, Endpoint>();
    for (const [endpoints, kind] of [
      ['cluster', 'SVC'],
      ['local', 'SVL'],
    ] as const) {
      const used = this.port.frontends.filter(
        (frontend) =>
          frontend.allowedSources?.length !== 0 &&
          this.#effectiveRoutes(frontend).some((route) => route.action === 'forward' && route.endpoints === endpoints),
      );
      const list = this.port[endpoints];
      // Frontends with a range and those without lead to other ports.
      for (const ports of new Map(used.map((frontend) => [rangeDiscriminator(frontend), frontend])).values()) {
        const chain = this.#name(kind, rangeDiscriminator(ports));
        this.#nat.set(chain, this.#own([...this.#guards(endpoints, ports), ...this.#choices(list, ports)]));
        for (const endpoint of list) {
          reachable.set(endpoint.key, endpoint);
          if (this.port.affinitySeconds !== undefined) {
            const endpointChain = this.#endpointChain(endpoint, ports);
            this.#nat.set(endpointChain, this.#own([this.#remembering(endpoint, ports)]));
          }
        }
      }
    }
    for (const endpoint of reachable.values()) {
      this.#hairpin(endpoint);
    }
  }

  /** Cluster IPs jump directly here, so their masquerading is decided here (spec I-30). */
  #guards(endpoints: Forward['endpoints'], ports: FrontendPorts): readonly IptablesRule[] {
    return this.port.frontends.flatMap((frontend) => {
      const [route, another] = this.#effectiveRoutes(frontend);
      if (
        frontend.kind !== 'ClusterIP' ||
        frontend.address === undefined ||
        route?.action !== 'forward' ||
        route.endpoints !== endpoints ||
        frontend.lastPort !== ports.lastPort ||
        another !== undefined
      ) {
        return [];
      }
      const mark = this.#markParts(route);
      const destination = { value: hostCIDR(frontend.address) };
      return mark === undefined
        ? []
        : [new IptablesRule({ ...mark, destination, comment: `${this.#label} cluster IP`, target: MARK })];
    });
  }

  #choices(list: readonly Endpoint[], ports: FrontendPorts): readonly IptablesRule[] {
    const { affinitySeconds } = this.port;
    const sticky =
      affinitySeconds === undefined
        ? []
        : list.map((endpoint) => {
            const chain = this.#endpointChain(endpoint, ports);
            return new IptablesRule({
              comment: this.#arrow(endpoint),
              matches: [
                {
                  match: 'recent',
                  operation: 'rcheck',
                  seconds: affinitySeconds,
                  list: this.#clientList(endpoint),
                  mask: this.#fullMask(),
                },
              ],
              target: { target: 'jump', chain },
            });
          });
    const weights = selectionWeights(list);
    let left = weights?.reduce((sum, weight) => sum + weight, 0) ?? list.length;
    const chance = list.map((endpoint, index) => {
      const weight = weights?.[index] ?? 1;
      const probability = weight / left;
      left -= weight;
      const matches: readonly IptablesMatch[] = left === 0 ? [] : [{ match: 'statistic', probability }];
      return affinitySeconds === undefined
        ? new IptablesRule({
            protocol: this.#protocol,
            comment: this.#arrow(endpoint),
            matches,
            target: { target: 'DNAT', to: destinationOf(endpoint, ports) },
          })
        : new IptablesRule({
            comment: this.#arrow(endpoint),
            matches,
            target: { target: 'jump', chain: this.#endpointChain(endpoint, ports) },
          });
    });
    return [...sticky, ...chance];
  }

  /** Sends packets to the endpoint and records the client (spec I-43, I-45). */
  #remembering(endpoint: Endpoint, ports: FrontendPorts): IptablesRule {
    const list = this.#clientList(endpoint);
    return new IptablesRule({
      protocol: this.#protocol,
      comment: this.#label,
      matches: [{ match: 'recent', operation: 'set', list, mask: this.#fullMask() }],
      target: { target: 'DNAT', to: destinationOf(endpoint, ports) },
    });
  }

  /** Hairpin packets occur only on the node of the endpoint. */
  #hairpin(endpoint: Endpoint): void {
    if (!mayBeLocal(endpoint)) {
      return;
    }
    const host = { value: hostCIDR(endpoint.address) };
    this.#entries.push({
      tree: 'hairpin',
      key: `${endpoint.address} ${this.port.key} ${endpoint.key}`,
      owner: undefined,
      place: placeOfAddress(endpoint.address),
      text: new IptablesRule({ source: host, destination: host, target: MARK }).text,
    });
  }

  /** @param kind `no-syn`: only packets that do not open a connection; `after`: follows the rule of the same index. */
  #enter(tree: TreeName, frontend: Frontend, index: number, parts: IptablesRuleParts, kind?: 'no-syn' | 'after'): void {
    const { address, port, lastPort } = frontend;
    const key = index === 0 ? frontend.key : `${frontend.key} ${index}`;
    const match: IptablesMatch = {
      ...{ match: 'port', protocol: this.#protocol, first: port },
      ...(lastPort === undefined ? {} : { last: lastPort }),
      ...(kind === 'no-syn' ? { noSyn: true } : {}),
    } as const;
    this.#entries.push({
      tree,
      key: kind === 'after' ? `${frontend.key} ${index} drop` : key,
      owner: this.port.key,
      place: address === undefined ? placeOfPort(this.#protocol, port) : placeOfAddress(address),
      text: new IptablesRule({
        ...parts,
        ...(address === undefined ? {} : { destination: { value: hostCIDR(address) } }),
        protocol: this.#protocol,
        matches: [...(parts.matches ?? []), match],
      }).text,
    });
  }

  #from(source: Route['source']): { readonly where: string; readonly parts: IptablesRuleParts } {
    switch (source) {
      case 'any':
        return { where: 'traffic', parts: {} };
      case 'node':
        return { where: 'LOCAL traffic', parts: { matches: [{ match: 'addrtype', side: 'src', type: 'LOCAL' }] } };
      case 'pod':
        return { where: 'pod traffic', parts: this.#pods(false) ?? {} };
    }
  }

  /** The match for packets of pods (or for all others); undefined when they cannot be distinguished. */
  #pods(not: boolean): IptablesRuleParts | undefined {
    switch (this.detector.kind) {
      case 'none':
        return undefined;
      case 'source-cidr':
        return { source: { value: this.detector.cidr, not } };
      case 'interface':
        return { inInterface: { value: this.detector.name, not } };
      case 'interface-prefix':
        return { inInterface: { value: `${this.detector.prefix}+`, not } };
    }
  }

  #name(kind: ServiceChainKind, discriminator = ''): string {
    const key = `${kind} ${discriminator}`;
    let name = this.#names.get(key);
    if (name === undefined) {
      name = serviceChain(kind, this.port.name, discriminator);
      this.#names.set(key, name);
    }
    return name;
  }

  #own(rules: readonly IptablesRule[]): Chain {
    return { rules, owner: this.port.key };
  }

  #endpointChain(endpoint: Endpoint, ports: FrontendPorts): string {
    return this.#name('SEP', endpoint.key + rangeDiscriminator(ports));
  }

  /** The affinity list of an endpoint, over all frontends. */
  #clientList(endpoint: Endpoint): string {
    return this.#name('SEP', endpoint.key);
  }

  #arrow(endpoint: Endpoint): string {
    return `${this.#label} -> ${endpoint.key}`;
  }

  #fullMask(): string {
    return this.family === 'IPv4' ? '255.255.255.255' : 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff';
  }
}
