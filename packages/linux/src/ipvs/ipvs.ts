import type { IPFamily, Protocol } from '@kube-proxier/core';
import type { NetlinkRefused } from '../netlink/netlink-error.js';

/**
 * What a virtual server catches: packets to an address and port, or, without them, packets that carry a mark, whatever
 * they are for.
 */
export type VirtualServerAddress =
  | {
      readonly kind: 'address';
      readonly family: IPFamily;
      readonly protocol: Protocol;
      /** Canonical address. */
      readonly address: string;
      readonly port: number;
    }
  | { readonly kind: 'mark'; readonly family: IPFamily; readonly mark: number };

/** How a virtual server spreads what it catches. */
export interface VirtualServerSettings {
  /** As the kernel calls it: `rr`, `wlc`, … */
  readonly scheduler: string;
  /** Options of the scheduler, of {@link IPVS_SCHEDULER_FLAGS}; what is read back has 0x4 where each packet is by itself. */
  readonly schedulerFlags: number;
  /** Seconds that a client address stays with its server; undefined for not at all. */
  readonly persistence: number | undefined;
}

/** What the flags of schedulers mean depends on the scheduler; these are `sh` and `mh`'s. */
export const IPVS_SCHEDULER_FLAGS = { fallback: 0x08, sourcePort: 0x10, third: 0x20 } as const;

export interface VirtualServer extends VirtualServerSettings {
  readonly at: VirtualServerAddress;
}

export interface RealServer {
  /** Canonical address. */
  readonly address: string;
  readonly port: number;
  /** 0: no new connections. */
  readonly weight: number;
}

/** A real server with what the kernel counts. */
export interface RealServerStatus extends RealServer {
  /** How packets get there; 0 is masquerading (`ipvsadm -m`), the only way this project uses. */
  readonly forwarding: number;
  /** With so many it gets no more; 0 is without a limit, the only way this project uses. */
  readonly connectionLimit: number;
  readonly activeConnections: number;
  readonly inactiveConnections: number;
  readonly persistentConnections: number;
}

/**
 * One change. Adding what is there is refused with EEXIST, setting or deleting a virtual server that is not there with
 * ESRCH, a real server that is not there with ENOENT, a scheduler that the kernel lacks with ENOENT.
 */
export type IpvsCommand =
  | { readonly do: 'add-virtual' | 'set-virtual'; readonly virtual: VirtualServer }
  | { readonly do: 'delete-virtual'; readonly at: VirtualServerAddress }
  | { readonly do: 'add-real' | 'set-real'; readonly at: VirtualServerAddress; readonly real: RealServer }
  | { readonly do: 'delete-real'; readonly at: VirtualServerAddress; readonly address: string; readonly port: number };

/** Seconds without a packet after which a connection is forgotten; 0 leaves a timeout as it is. */
export interface IpvsTimeouts {
  readonly tcp: number;
  readonly tcpFin: number;
  readonly udp: number;
}

/**
 * The kernel's load balancer, of one network namespace.
 *
 * Every method rejects with a `NetlinkError`: `NETLINK_LOST` when it is not known what happened, `NETLINK_UNAVAILABLE`
 * when the kernel has no IPVS.
 */
export interface Ipvs {
  /**
   * Carries out commands in their order. One that is refused does not keep the others from being carried out.
   *
   * @returns for each command undefined, or how the kernel refused it.
   */
  execute(commands: readonly IpvsCommand[]): Promise<readonly (NetlinkRefused | undefined)[]>;

  /** Every virtual server of both families, those of others included. */
  virtualServers(): Promise<readonly VirtualServer[]>;

  /** Whether there is such a virtual server. Costs one message. */
  has(at: VirtualServerAddress): Promise<boolean>;

  /** With what the kernel counts now; none for a virtual server that is not there. */
  realServers(at: VirtualServerAddress): Promise<readonly RealServerStatus[]>;

  timeouts(): Promise<IpvsTimeouts>;
  setTimeouts(timeouts: IpvsTimeouts): Promise<void>;

  /** The version of IPVS, as `1.2.1`. */
  version(): Promise<string>;
}

/** `TCP/10.96.0.1:80`, `UDP/[fd00::1]:53`, `mark/IPv4/0x5a000001`: identity of a virtual server. */
export function virtualServerKey(at: VirtualServerAddress): string {
  if (at.kind === 'mark') {
    return `mark/${at.family}/0x${at.mark.toString(16)}`;
  }
  const host = at.family === 'IPv6' ? `[${at.address}]` : at.address;
  return `${at.protocol}/${host}:${at.port}`;
}
