import {
  AccumulatedCounts,
  type ChangeSet,
  countsConnections,
  type EndpointCounter,
  formatServicePortName,
  type IPFamily,
  joinHostPort,
  type ProxyState,
  type ResolvedServicePort,
  type ServiceCounts,
} from '@kube-proxier/core';
import type { Iptables } from '@kube-proxier/linux';
import { serviceChain } from '../plan/layout.js';
import { rangeDiscriminator } from '../plan/service-rules.js';

/** Maximum number of chains listed one by one before a write; more are read with the table. */
const MAX_LISTED = 8;
const CHAIN = /^KUBE-(?:SVC|SVL|SEP)-/;

/** Counters of chains that are being written. */
export interface WrittenCounters {
  readonly chains: ReadonlySet<string>;
  /** Counters that restart from 0. */
  readonly ids: readonly string[];
}

/** A state whose rules are in force, and what it changed. */
export interface StateInForce {
  readonly state: ProxyState;
  readonly changes: ChangeSet;
}

const NOTHING_WRITTEN: WrittenCounters = { chains: new Set(), ids: [] };

export interface RuleConnectionsOptions {
  readonly family: IPFamily;
  readonly iptables: () => Promise<Iptables>;
  /** Default for counting connections, for Services without the annotation. */
  readonly countAll: boolean;
}

/**
 * Connections by endpoint: the packets of the DNAT rules, which see the first packet of each connection only. Rewritten
 * rules count from 0, so they are read before. Counts between the read and the write, a few milliseconds, are lost.
 */
export class RuleConnections {
  readonly #counts: AccumulatedCounts;
  readonly #chainsOf = new WeakMap<ResolvedServicePort, readonly string[]>();
  /** In force, as far as this process wrote it. */
  #state: ProxyState | undefined;
  /** Service ports of it whose connections are counted, by the names of their chains; undefined until they are needed. */
  #owners: Map<string, ResolvedServicePort> | undefined;
  /** Chains being written: a read may see them before or after the write. */
  readonly #writing = new Set<string>();
  /** Time of the last write of chains. An earlier read of the table is outdated for them. */
  readonly #writtenAt = new Map<string, number>();
  #time = 0;
  #reading = 0;

  constructor(private readonly options: RuleConnectionsOptions) {
    this.#counts = new AccumulatedCounts(options.family);
  }

  /**
   * Called before a write of chains of the nat table; {@link written} follows. Costs nothing if connections to their
   * Services are not counted. Never rejects: if rules cannot be read, counts since the last read are lost.
   */
  async beforeWrite(chains: Iterable<string>): Promise<WrittenCounters> {
    if (this.#state === undefined) {
      return NOTHING_WRITTEN;
    }
    const owners = this.#ownersInForce();
    const counted = new Set<string>();
    if (owners.size > 0) {
      for (const chain of chains) {
        if (CHAIN.test(chain) && owners.has(chain)) {
          counted.add(chain);
        }
      }
    }
    if (counted.size === 0) {
      return NOTHING_WRITTEN;
    }
    for (const chain of counted) {
      this.#writing.add(chain);
    }
    let found: readonly ChainCounter[] = [];
    try {
      const iptables = await this.options.iptables();
      found =
        counted.size > MAX_LISTED
          ? await this.#readTable(iptables, owners)
          : (await Promise.all([...counted].map((chain) => iptables.counted('nat', chain)))).flatMap((text) =>
              countersIn(text, owners),
            );
    } catch {
      // The next read detects a lower value as a reset.
    }
    const own = found.filter(({ chain }) => counted.has(chain));
    this.#counts.add(own);
    return { chains: counted, ids: own.map(({ id }) => id) };
  }

  /** Called after the write or its failure. @param next in force now; undefined when unknown. */
  written({ chains, ids }: WrittenCounters = NOTHING_WRITTEN, next?: StateInForce): void {
    // After a failure, the rules keep counting; if they were written nevertheless, the next read detects a lower value.
    if (next !== undefined) {
      this.#counts.restart(ids);
      this.#replaceOwners(next.changes);
      this.#state = next.state;
    }
    this.#time += 1;
    for (const chain of chains) {
      this.#writing.delete(chain);
      this.#writtenAt.set(chain, this.#time);
    }
  }

  /** Reads the counters of all rules; nothing if no connections are counted. */
  async read(): Promise<readonly ServiceCounts[]> {
    const owners = this.#ownersInForce();
    if (owners.size === 0) {
      this.#counts.retain([]);
      return [];
    }
    const begin = this.#time;
    this.#reading += 1;
    let found: readonly ChainCounter[];
    try {
      found = await this.#readTable(await this.options.iptables(), owners);
    } finally {
      this.#reading -= 1;
    }
    const isCurrent = (chain: string) => !this.#writing.has(chain) && (this.#writtenAt.get(chain) ?? 0) <= begin;
    this.#counts.add(found.filter(({ chain }) => isCurrent(chain)));
    if (this.#reading === 0) {
      this.#writtenAt.clear();
    }
    if (this.#time === begin && this.#writing.size === 0) {
      this.#counts.retain(found);
    }
    return this.#counts.counts();
  }

  async #readTable(iptables: Iptables, owners: ReadonlyMap<string, ResolvedServicePort>) {
    return countersIn(await iptables.counted('nat'), owners);
  }

  #ownersInForce(): ReadonlyMap<string, ResolvedServicePort> {
    if (this.#owners === undefined) {
      this.#owners = new Map();
      for (const port of this.#state?.servicePorts.values() ?? []) {
        this.#addOwner(this.#owners, port);
      }
    }
    return this.#owners;
  }

  /** Costs what changed, not what there is. */
  #replaceOwners({ previous, resolvedServicePorts }: ChangeSet): void {
    if (this.#owners === undefined || previous === undefined || previous !== this.#state) {
      this.#owners = undefined;
      return;
    }
    for (const { previous: former } of resolvedServicePorts.values()) {
      if (former !== undefined && this.#isCounted(former)) {
        for (const chain of this.#chains(former)) {
          this.#owners.delete(chain);
        }
      }
    }
    for (const { current } of resolvedServicePorts.values()) {
      if (current !== undefined) {
        this.#addOwner(this.#owners, current);
      }
    }
  }

  #addOwner(owners: Map<string, ResolvedServicePort>, port: ResolvedServicePort): void {
    if (this.#isCounted(port)) {
      for (const chain of this.#chains(port)) {
        owners.set(chain, port);
      }
    }
  }

  #isCounted({ servicePort }: ResolvedServicePort): boolean {
    return countsConnections(servicePort.annotations, this.options.countAll);
  }

  #chains(port: ResolvedServicePort): readonly string[] {
    const known = this.#chainsOf.get(port);
    if (known !== undefined) {
      return known;
    }
    const endpoints = port.affinitySeconds === undefined ? [] : [...port.cluster, ...port.local];
    const chains = [...new Set(port.frontends.map(rangeDiscriminator))].flatMap((range) => [
      ...(['SVC', 'SVL'] as const).map((kind) => serviceChain(kind, port.name, range)),
      ...new Set(endpoints.map(({ key }) => serviceChain('SEP', port.name, key + range))),
    ]);
    this.#chainsOf.set(port, chains);
    return chains;
  }
}

/** The endpoint that a rule sends packets to; those of a range have no port, or several. */
function endpointOf(destination: string, { servicePort }: ResolvedServicePort): string {
  return /:\d+$/.test(destination) && !/^[^[]*:[^[]*:/.test(destination)
    ? destination
    : destination.includes('/')
      ? destination.replace(/-\d+\/\d+$/, '')
      : joinHostPort(destination, servicePort.port);
}

interface ChainCounter extends EndpointCounter {
  readonly chain: string;
}

/** @param text lines such as `[1:60] -A CHAIN … -j DNAT --to-destination 10.244.0.5:8080`. */
function countersIn(text: string, owners: ReadonlyMap<string, ResolvedServicePort>): readonly ChainCounter[] {
  const found = new Map<string, ChainCounter>();
  for (const [, packets, chain = '', destination = ''] of text.matchAll(
    /^\[(\d+):\d+\] -A (KUBE-S\S+) .*-j DNAT --to-destination (\S+)/gm,
  )) {
    const port = owners.get(chain);
    if (port === undefined) {
      continue;
    }
    const endpoint = endpointOf(destination, port);
    // An endpoint may have several rules.
    const id = `${chain} ${endpoint}`;
    const value = Number(packets) + (found.get(id)?.value ?? 0);
    const { name } = port;
    found.set(id, { id, chain, service: formatServicePortName(name), protocol: name.protocol, endpoint, value });
  }
  return [...found.values()];
}
