import type { IPFamily, PathRule } from '@kube-proxier/core';
import type { RealServerStatus, VirtualServer } from '../ipvs/ipvs.js';
import { virtualServerKey } from '../ipvs/ipvs.js';
import type { PathStage, StageOutcome } from './netfilter-path.js';
import type { PathHost } from './path-host.js';
import { sysctlRule } from './sysctl-rule.js';
import { translated, type Walker, withChanges } from './walker.js';

/** A virtual server with its real servers, as read from the kernel. */
export interface VirtualServerListing {
  readonly virtual: VirtualServer;
  readonly reals: readonly RealServerStatus[];
}

/** Schedulers that give real servers of equal weight equal shares of new clients. */
const EVEN_SCHEDULERS: ReadonlySet<string> = new Set(['rr', 'wrr', 'lc', 'wlc', 'sed', 'nq', 'sh', 'mh']);
/** Of those, schedulers whose shares follow the weights. */
const WEIGHTED_SCHEDULERS: ReadonlySet<string> = new Set(['wrr', 'wlc', 'sed', 'sh', 'mh']);
/** Forwarding methods of the kernel (`IP_VS_CONN_F_FWD_MASK`); 0 rewrites the destination. */
const FORWARDING: Readonly<Record<number, string>> = {
  0: 'masquerading',
  1: 'local',
  2: 'tunnelling',
  3: 'direct routing',
};

/**
 * A model of the IPVS load balancer: the candidate real servers for the first packet of a client without a history.
 * Persistence, connection counts and timeouts are not modelled. Pure.
 */
export class IpvsStage implements PathStage {
  readonly #byKey = new Map<string, VirtualServerListing>();
  readonly #tracks: boolean;

  /** @param servers all virtual servers of the kernel, whoever created them. */
  constructor(
    private readonly family: IPFamily,
    servers: readonly VirtualServerListing[],
    private readonly host: PathHost,
    /** Name of the interface with the virtual addresses, for findings. */
    private readonly interfaceName: string,
  ) {
    for (const server of servers) {
      if (server.virtual.at.family === family) {
        this.#byKey.set(virtualServerKey(server.virtual.at), server);
      }
    }
    this.#tracks = host.sysctl('net/ipv4/vs/conntrack') !== 0;
  }

  balance(walker: Walker): readonly StageOutcome[] | undefined {
    const server = this.#find(walker);
    if (server === undefined) {
      return undefined;
    }
    const { virtual, reals } = server;
    const table = virtualServerKey(virtual.at);
    const usable = reals.filter(({ weight }) => weight > 0);
    if (usable.length === 0) {
      const text = reals.length === 0 ? 'no real servers' : 'no real server with a weight above 0';
      return [{ walker, verdict: 'refused', by: { system: 'ipvs', table, text } }];
    }
    const isWeighted = WEIGHTED_SCHEDULERS.has(virtual.scheduler);
    const sum = usable.reduce((total, { weight }) => total + (isWeighted ? weight : 1), 0);
    return usable.map((real): StageOutcome => {
      const by: PathRule = { system: 'ipvs', table, text: describeReal(real) };
      const probability = (walker.probability * (isWeighted ? real.weight : 1)) / sum;
      const share = withChanges(walker, {
        probability,
        unevenly: real.connectionLimit > 0 || !EVEN_SCHEDULERS.has(virtual.scheduler),
      });
      if (real.forwarding !== 0) {
        // The endpoint would receive packets for an address that it does not have.
        return { walker: share, verdict: 'dropped', by };
      }
      const sent = translated(share, real.address, real.port === 0 ? undefined : real.port, by);
      return { walker: this.#tracks ? sent : untracked(sent), verdict: 'forwarded', by };
    });
  }

  missed({ destination, mark, packet, port }: Walker): string {
    const { family } = this;
    const at = virtualServerKey({ kind: 'address', family, protocol: packet.protocol, address: destination, port });
    if (packet.entry.kind !== 'host' && !this.host.isLocal(destination)) {
      return `interface ${this.interfaceName} does not have the address ${destination}`;
    }
    const marked = `for the mark 0x${mark.toString(16)}`;
    if (this.#byKey.has(at)) {
      return mark === 0 ? `virtual server ${at} does not get it` : `IPVS has no virtual server ${marked}`;
    }
    return `IPVS has no virtual server ${at}${mark === 0 ? '' : `, and none ${marked}`}`;
  }

  /** The kernel looks up the mark first. */
  #find({ mark, packet, destination, port }: Walker): VirtualServerListing | undefined {
    const { family } = this;
    const marked = mark === 0 ? undefined : this.#byKey.get(virtualServerKey({ kind: 'mark', family, mark }));
    if (marked !== undefined) {
      return marked;
    }
    const at = { kind: 'address', family, protocol: packet.protocol, address: destination } as const;
    return (
      this.#byKey.get(virtualServerKey({ ...at, port })) ??
      // All ports of an address.
      this.#byKey.get(virtualServerKey({ ...at, port: 0 }))
    );
  }
}

/** NAT rules do not apply to untracked packets. */
function untracked(walker: Walker): Walker {
  return withChanges(walker, { untracked: true, sourceKeptBy: sysctlRule('net/ipv4/vs/conntrack', 0) });
}

function describeReal({ address, port, weight, forwarding }: RealServerStatus): string {
  const host = address.includes(':') ? `[${address}]` : address;
  const method = forwarding === 0 ? '' : ` by ${FORWARDING[forwarding] ?? `method ${forwarding}`}`;
  return `real server ${host}:${port} with weight ${weight}${method}`;
}
