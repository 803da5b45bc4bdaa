import type { IPFamily, Protocol } from '@kube-proxier/core';
import type { NetlinkRefused } from '../netlink/netlink-error.js';

/**
 * The packets that a virtual server receives: those to an address and port, or those that carry a firewall mark,
 * for any destination.
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

/** How a virtual server distributes connections. */
export interface VirtualServerSettings {
  /** The kernel's name of the scheduler: `rr`, `wlc`, … */
  readonly scheduler: string;
  /** Options of the scheduler, see {@link IPVS_SCHEDULER_FLAGS}; with one-packet scheduling, the kernel reports 0x4. */
  readonly schedulerFlags: number;
  /** Persistence timeout in seconds; undefined for no persistence. */
  readonly persistence: number | undefined;
}

/** The meaning of scheduler flags depends on the scheduler; these are the flags of `sh` and `mh`. */
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

/** A real server with the kernel's connection counts. */
export interface RealServerStatus extends RealServer {
  /** Forwarding method; 0 is masquerading (`ipvsadm -m`), the only method that this project uses. */
  readonly forwarding: number;
  /** Upper connection threshold; 0 means unlimited, the only value that this project uses. */
  readonly connectionLimit: number;
  readonly activeConnections: number;
  readonly inactiveConnections: number;
  readonly persistentConnections: number;
}

/** Kernel counters of a real server since it was added. */
export interface RealServerCounts {
  /** Canonical address. */
  readonly address: string;
  readonly port: number;
  /** New connections (UDP: flows). */
  readonly connections: number;
  readonly packetsToServer: number;
  readonly packetsToClients: number;
  /** Including IP headers. */
  readonly bytesToServer: number;
  readonly bytesToClients: number;
}

/**
 * One change. Adding an existing object is refused with EEXIST, setting or deleting a missing virtual server with
 * ESRCH, a missing real server with ENOENT, a scheduler that the kernel lacks with ENOENT.
 */
export type IpvsCommand =
  | { readonly do: 'add-virtual' | 'set-virtual'; readonly virtual: VirtualServer }
  | { readonly do: 'delete-virtual'; readonly at: VirtualServerAddress }
  | { readonly do: 'add-real' | 'set-real'; readonly at: VirtualServerAddress; readonly real: RealServer }
  | { readonly do: 'delete-real'; readonly at: VirtualServerAddress; readonly address: string; readonly port: number };

/** Seconds without a packet after which a connection expires; 0 leaves a timeout unchanged. */
export interface IpvsTimeouts {
  readonly tcp: number;
  readonly tcpFin: number;
  readonly udp: number;
}

/**
 * The kernel's IPVS load balancer, of one network namespace.
 *
 * Every method rejects with a `NetlinkError`: `NETLINK_LOST` when the outcome is unknown, `NETLINK_UNAVAILABLE` when
 * the kernel has no IPVS.
 */
export interface Ipvs {
  /**
   * Executes commands in order. A refused command does not stop the others.
   *
   * @returns for each command undefined, or the error of the kernel.
   */
  execute(commands: readonly IpvsCommand[]): Promise<readonly (NetlinkRefused | undefined)[]>;

  /** Every virtual server of both families, foreign ones included. */
  virtualServers(): Promise<readonly VirtualServer[]>;

  /** Whether the virtual server exists. Costs one message. */
  has(at: VirtualServerAddress): Promise<boolean>;

  /** With the kernel's current counts; empty for a virtual server that does not exist. */
  realServers(at: VirtualServerAddress): Promise<readonly RealServerStatus[]>;

  /** Totals of each real server; empty for a virtual server that does not exist, and before Linux 4.1. */
  counts(at: VirtualServerAddress): Promise<readonly RealServerCounts[]>;

  timeouts(): Promise<IpvsTimeouts>;
  setTimeouts(timeouts: IpvsTimeouts): Promise<void>;

  /** The version of IPVS, for example `1.2.1`. */
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
