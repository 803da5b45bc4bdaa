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
import { Entry, placeOfAddress, placeOfPort, type TreeName } from './dispatch-tree.js';
import type { Chain } from './iptables-transaction.js';
import { CHAINS, type ServiceChainKind, serviceChain } from './layout.js';
import { BareRule, type RuleText } from './rule-text.js';

/** All rules that service ports have. */
export interface ServiceRules {
  /** Their own chains. */
  readonly nat: ReadonlyMap<string, Chain>;
  readonly filter: ReadonlyMap<string, Chain>;
  /** Their rules in chains that they share. */
  readonly entries: readonly Entry[];
}

/** {@link ServiceRules} under construction. */
export interface ServiceRulesDraft extends ServiceRules {
  readonly nat: Map<string, Chain>;
  readonly filter: Map<string, Chain>;
  readonly entries: Entry[];
}

/** What the rules of service ports depend on, besides the service port. */
export interface RenderSettings {
  readonly family: IPFamily;
  readonly detector: LocalTrafficDetector;
  /** Whether rules in chains of a service port have their comments, which take memory until they are written. */
  readonly comments: boolean;
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

/** Adds the rules of one resolved service port. It makes no decisions: it only renders the state. */
export function addServiceRules(draft: ServiceRulesDraft, port: ResolvedServicePort, settings: RenderSettings): void {
  new ServiceRenderer(draft, port, settings).render();
}

export function emptyServiceRules(): ServiceRulesDraft {
  return { nat: new Map(), filter: new Map(), entries: [] };
}

const MARK: IptablesTarget = { target: 'jump', chain: CHAINS.markMasquerade };
const NO_PARTS: IptablesRuleParts = {};
const FROM_ANY = { where: 'traffic', parts: NO_PARTS };
const FROM_NODE: { readonly where: string; readonly parts: IptablesRuleParts } = {
  where: 'LOCAL traffic',
  parts: { matches: [{ match: 'addrtype', side: 'src', type: 'LOCAL' }] },
};
const NO_MATCHES: readonly IptablesMatch[] = [];

/** The end of the comment of the rule that leads to a frontend. */
const NOTES: Readonly<Record<Frontend['kind'], string>> = {
  ClusterIP: ' cluster IP',
  ExternalIP: ' external IP',
  LoadBalancerIP: ' loadbalancer IP',
  NodePort: '',
};

interface EffectiveFrontend {
  readonly frontend: Frontend;
  /** Routes that can match, and a route to a list without endpoints rejects. */
  readonly routes: readonly Route[];
}

/**
 * Renders one service port. A start renders all of them, so what only some service ports need, such as its maps, is
 * created when it is first needed.
 */
class ServiceRenderer {
  readonly #label: string;
  readonly #protocol: IptablesProtocol;
  readonly #frontends: readonly EffectiveFrontend[];
  /** External chains by effect: frontends with the same effect share one. */
  #external: Map<string, string> | undefined;
  #firewalls: Map<string, string> | undefined;
  /** Cache of chain names: a hash is more expensive than the rest of a rule. */
  readonly #plainNames: Partial<Record<ServiceChainKind, string>> = {};
  #names: Map<string, string> | undefined;

  constructor(
    private readonly draft: ServiceRulesDraft,
    private readonly port: ResolvedServicePort,
    private readonly settings: RenderSettings,
  ) {
    this.#label = formatServicePortName(port.name);
    this.#protocol = port.name.protocol.toLowerCase() as IptablesProtocol;
    this.#frontends = port.frontends.map((frontend) => ({ frontend, routes: this.#effectiveRoutes(frontend) }));
  }

  render(): void {
    for (const { frontend, routes } of this.#frontends) {
      const entry = this.#entryChain(frontend, routes);
      if (entry !== undefined) {
        const tree = frontend.address === undefined ? 'nodePorts' : 'services';
        const comment = this.#label + NOTES[frontend.kind];
        this.#enter(tree, frontend, 0, { comment, target: { target: 'jump', chain: entry } });
      }
      this.#refuse(frontend, routes);
      this.#restrict(frontend, routes);
    }
    this.#pickChains();
  }

  /** Routes that can match, and a route to a list without endpoints rejects. */
  #effectiveRoutes({ routes }: Frontend): readonly Route[] {
    return routes.every((route) => this.#canMatch(route) && !this.#isClosed(route))
      ? routes
      : routes
          .filter((route) => this.#canMatch(route))
          .map((route) => (this.#isClosed(route) ? { source: route.source, action: 'reject' as const } : route));
  }

  #canMatch(route: Route): boolean {
    return route.source !== 'pod' || this.settings.detector.kind !== 'none';
  }

  #isClosed(route: Route): boolean {
    return route.action === 'forward' && this.port[route.endpoints].length === 0;
  }

  /** The chain in nat that packets to the frontend are sent to; undefined when it forwards nothing. */
  #entryChain(frontend: Frontend, routes: readonly Route[]): string | undefined {
    if (frontend.allowedSources?.length === 0 || !routes.some((route) => route.action === 'forward')) {
      return undefined;
    }
    const only = routes[0];
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
    this.#external ??= new Map();
    const known = this.#external.get(signature);
    if (known !== undefined) {
      return known;
    }
    const chain = this.#variantChain('EXT', this.#external, signature);
    const rules: RuleText[] = [];
    for (const route of routes) {
      const { where, parts } = this.#from(route.source);
      if (route.action !== 'forward') {
        rules.push(this.#rule({ ...parts, target: { target: 'RETURN' } }));
        continue;
      }
      const mark = this.#markParts(route);
      if (mark !== undefined) {
        const comment = `masquerade ${where} for ${this.#label} external destinations`;
        rules.push(this.#rule({ ...parts, ...mark, comment, target: MARK }));
      }
      const comment = route.source === 'any' ? undefined : `route ${where} for ${this.#label} external destinations`;
      rules.push(this.#rule({ ...parts, comment, target: { target: 'jump', chain: this.#pick(route, ports) } }));
    }
    this.draft.nat.set(chain, this.#own(rules));
    return chain;
  }

  /** Match for masquerading, in addition to the route's source; undefined for never. */
  #markParts(route: Forward): IptablesRuleParts | undefined {
    if (route.masquerade === 'always') {
      return NO_PARTS;
    }
    // Packets from a pod are not off-cluster.
    return route.masquerade === 'never' || route.source === 'pod' ? undefined : this.#pods(true);
  }

  /** Accepts allowed sources; other packets pass unchanged to {@link #restrict} in the filter table. */
  #firewallChain(sources: readonly string[], inside: string): string {
    const signature = `${inside} ${sources.join(' ')}`;
    this.#firewalls ??= new Map();
    const known = this.#firewalls.get(signature);
    if (known !== undefined) {
      return known;
    }
    const chain = this.#variantChain('FW', this.#firewalls, signature);
    const comment = `${this.#label} loadbalancer IP`;
    const target: IptablesTarget = { target: 'jump', chain: inside };
    const rules = sources.map((source) => this.#rule({ source: { value: source }, comment, target }));
    this.draft.nat.set(chain, this.#own(rules));
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
    if (routes.every((route) => route.action === 'forward')) {
      return;
    }
    for (const [index, route] of routes.entries()) {
      if (route.action === 'forward') {
        continue;
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
    }
  }

  /** A reset ends connections, too, which ICMP does not. To a client that connects, both are refusals (spec R-4). */
  #refusal(): RejectAnswer {
    if (resetsConnections(this.port)) {
      return 'tcp-reset';
    }
    return this.settings.family === 'IPv4' ? 'icmp-port-unreachable' : 'icmp6-port-unreachable';
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
      ...allowedSources.map((source) => this.#rule({ source: { value: source }, target: { target: 'RETURN' } })),
      this.#rule({ comment, target: { target: 'DROP' } }),
    ];
    this.draft.filter.set(filterChain, this.#own(rules));
    this.#enter(tree, frontend, 0, { comment, target: { target: 'jump', chain: filterChain } });
  }

  /** The chains that select an endpoint, for the used lists. */
  #pickChains(): void {
    const { cluster, local } = this.port;
    const usesCluster = this.#pickChainsOf('cluster', 'SVC');
    const usesLocal = this.#pickChainsOf('local', 'SVL');
    if (usesCluster && usesLocal) {
      const both = new Map<string, Endpoint>();
      for (const endpoint of [...cluster, ...local]) {
        both.set(endpoint.key, endpoint);
      }
      this.#hairpins(both.values());
    } else if (usesCluster || usesLocal) {
      this.#hairpins(usesCluster ? cluster : local);
    }
  }

  /** @returns whether the list is used. */
  #pickChainsOf(endpoints: Forward['endpoints'], kind: 'SVC' | 'SVL'): boolean {
    const list = this.port[endpoints];
    // Frontends with a range and those without lead to other ports.
    let ranges: string[] | undefined;
    for (const { frontend, routes } of this.#frontends) {
      const isUsed =
        frontend.allowedSources?.length !== 0 &&
        routes.some((route) => route.action === 'forward' && route.endpoints === endpoints);
      const range = rangeDiscriminator(frontend);
      if (!isUsed || ranges?.includes(range)) {
        continue;
      }
      ranges ??= [];
      ranges.push(range);
      const rules: RuleText[] = [];
      this.#addGuards(rules, endpoints, frontend);
      this.#addChoices(rules, list, frontend);
      this.draft.nat.set(this.#name(kind, range), this.#own(rules));
      if (this.port.affinitySeconds !== undefined) {
        for (const endpoint of list) {
          const chain = this.#endpointChain(endpoint, frontend);
          this.draft.nat.set(chain, this.#own([this.#remembering(endpoint, frontend)]));
        }
      }
    }
    return ranges !== undefined;
  }

  /** Cluster IPs jump directly here, so their masquerading is decided here (spec I-30). */
  #addGuards(rules: RuleText[], endpoints: Forward['endpoints'], ports: FrontendPorts): void {
    for (const { frontend, routes } of this.#frontends) {
      const route = routes[0];
      if (
        frontend.kind !== 'ClusterIP' ||
        frontend.address === undefined ||
        route?.action !== 'forward' ||
        route.endpoints !== endpoints ||
        frontend.lastPort !== ports.lastPort ||
        routes.length > 1
      ) {
        continue;
      }
      const mark = this.#markParts(route);
      if (mark !== undefined) {
        const destination = { value: hostCIDR(frontend.address) };
        const comment = this.#comment(' cluster IP');
        rules.push(this.#rule({ ...mark, destination, comment, target: MARK }));
      }
    }
  }

  #addChoices(rules: RuleText[], list: readonly Endpoint[], ports: FrontendPorts): void {
    const { affinitySeconds } = this.port;
    if (affinitySeconds !== undefined) {
      for (const endpoint of list) {
        rules.push(this.#returning(endpoint, affinitySeconds, ports));
      }
    }
    const weights = selectionWeights(list);
    let left = weights?.reduce((sum, weight) => sum + weight, 0) ?? list.length;
    let index = 0;
    for (const endpoint of list) {
      const weight = weights?.[index++] ?? 1;
      const probability = weight / left;
      left -= weight;
      const matches: readonly IptablesMatch[] = left === 0 ? NO_MATCHES : [{ match: 'statistic', probability }];
      const comment = this.#arrow(endpoint);
      rules.push(
        affinitySeconds === undefined
          ? this.#rule({
              protocol: this.#protocol,
              comment,
              matches,
              target: { target: 'DNAT', to: destinationOf(endpoint, ports) },
            })
          : this.#rule({ comment, matches, target: { target: 'jump', chain: this.#endpointChain(endpoint, ports) } }),
      );
    }
  }

  /** Sends a client with an affinity to its endpoint. */
  #returning(endpoint: Endpoint, seconds: number, ports: FrontendPorts): RuleText {
    const list = this.#clientList(endpoint);
    return this.#rule({
      comment: this.#arrow(endpoint),
      matches: [{ match: 'recent', operation: 'rcheck', seconds, list, mask: this.#fullMask() }],
      target: { target: 'jump', chain: this.#endpointChain(endpoint, ports) },
    });
  }

  /** Sends packets to the endpoint and records the client (spec I-43, I-45). */
  #remembering(endpoint: Endpoint, ports: FrontendPorts): RuleText {
    const list = this.#clientList(endpoint);
    return this.#rule({
      protocol: this.#protocol,
      comment: this.#comment(''),
      matches: [{ match: 'recent', operation: 'set', list, mask: this.#fullMask() }],
      target: { target: 'DNAT', to: destinationOf(endpoint, ports) },
    });
  }

  /** Hairpin packets occur only on the node of the endpoint. */
  #hairpins(endpoints: Iterable<Endpoint>): void {
    for (const endpoint of endpoints) {
      if (mayBeLocal(endpoint)) {
        const { address } = endpoint;
        const key = `${address} ${this.port.key} ${endpoint.key}`;
        const host = { value: hostCIDR(address) };
        const { text } = new IptablesRule({ source: host, destination: host, target: MARK });
        this.draft.entries.push(new Entry('hairpin', key, undefined, placeOfAddress(address), text));
      }
    }
  }

  /** @param kind `no-syn`: only packets that do not open a connection; `after`: follows the rule of the same index. */
  #enter(tree: TreeName, frontend: Frontend, index: number, parts: IptablesRuleParts, kind?: 'no-syn' | 'after'): void {
    const { address, port } = frontend;
    const protocol = this.#protocol;
    const suffix = kind === 'after' ? ` ${index} drop` : index === 0 ? '' : ` ${index}`;
    const match = portMatch(protocol, frontend, kind === 'no-syn');
    const { text } = new IptablesRule({
      ...parts,
      destination: address === undefined ? undefined : { value: hostCIDR(address) },
      protocol,
      matches: parts.matches === undefined ? [match] : [...parts.matches, match],
    });
    const place = address === undefined ? placeOfPort(protocol, port) : placeOfAddress(address);
    const key = suffix === '' ? frontend.key : frontend.key + suffix;
    this.draft.entries.push(new Entry(tree, key, this.port.key, place, text));
  }

  #from(source: Route['source']): { readonly where: string; readonly parts: IptablesRuleParts } {
    switch (source) {
      case 'any':
        return FROM_ANY;
      case 'node':
        return FROM_NODE;
      case 'pod':
        return { where: 'pod traffic', parts: this.#pods(false) ?? NO_PARTS };
    }
  }

  /** The match for packets of pods (or for all others); undefined when they cannot be distinguished. */
  #pods(not: boolean): IptablesRuleParts | undefined {
    const { detector } = this.settings;
    switch (detector.kind) {
      case 'none':
        return undefined;
      case 'source-cidr':
        return { source: { value: detector.cidr, not } };
      case 'interface':
        return { inInterface: { value: detector.name, not } };
      case 'interface-prefix':
        return { inInterface: { value: `${detector.prefix}+`, not } };
    }
  }

  #name(kind: ServiceChainKind, discriminator = ''): string {
    if (discriminator === '') {
      this.#plainNames[kind] ??= serviceChain(kind, this.port.name);
      return this.#plainNames[kind];
    }
    this.#names ??= new Map();
    const key = `${kind} ${discriminator}`;
    let name = this.#names.get(key);
    if (name === undefined) {
      name = serviceChain(kind, this.port.name, discriminator);
      this.#names.set(key, name);
    }
    return name;
  }

  /** A rule in a chain of the service port. */
  #rule(parts: IptablesRuleParts): RuleText {
    return this.settings.comments ? new IptablesRule(parts) : new BareRule(parts);
  }

  /** @param rules copied: an array that has grown has room for 16 further elements. */
  #own(rules: readonly RuleText[]): Chain {
    return { rules: rules.slice(), owner: this.port.key };
  }

  /** A comment that begins with the name of the service port; undefined for rules without comments. */
  #comment(rest: string): string | undefined {
    return this.settings.comments ? this.#label + rest : undefined;
  }

  #endpointChain(endpoint: Endpoint, ports: FrontendPorts): string {
    return this.#name('SEP', endpoint.key + rangeDiscriminator(ports));
  }

  /** The affinity list of an endpoint, over all frontends. */
  #clientList(endpoint: Endpoint): string {
    return this.#name('SEP', endpoint.key);
  }

  #arrow(endpoint: Endpoint): string | undefined {
    return this.settings.comments ? `${this.#label} -> ${endpoint.key}` : undefined;
  }

  #fullMask(): string {
    return this.settings.family === 'IPv4' ? '255.255.255.255' : 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff';
  }
}

function portMatch(protocol: IptablesProtocol, { port, lastPort }: FrontendPorts, noSyn: boolean): IptablesMatch {
  return lastPort === undefined && !noSyn
    ? { match: 'port', protocol, first: port }
    : { match: 'port', protocol, first: port, last: lastPort ?? port, noSyn };
}
