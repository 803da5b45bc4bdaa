import type { IPFamily } from '../model/address.js';
import type { Protocol } from '../model/service-port-name.js';

/** The first packet of a connection, for a {@link PacketPath}. Addresses are canonical. */
export interface PathPacket {
  readonly source: string;
  /** 1…65535. */
  readonly sourcePort: number;
  readonly destination: string;
  readonly protocol: Protocol;
  /** Destination port, 1…65535. */
  readonly port: number;
  /** Origin: a process of the host, or an input interface, whose name is undefined where it is not known. */
  readonly entry: { readonly kind: 'host' } | { readonly kind: 'interface'; readonly name: string | undefined };
}

/** A rule, element or setting of the kernel that decides about packets. */
export interface PathRule {
  /** The part of the kernel: `iptables`, `iptables-legacy`, `nftables`, `ipvs`, `sysctl`, `route`. */
  readonly system: string;
  /** `nat`; `ip kube-proxier`. Undefined where there are no tables. */
  readonly table?: string;
  readonly chain?: string;
  /** The rule, element or setting as the tool of the system prints it. */
  readonly text: string;
  /** Installed by another program than the backend. Default false. */
  readonly foreign?: boolean;
}

/** One possible outcome of a packet. */
export interface PathOutcome {
  /** 0…1, for a client without session affinity state. All outcomes of a packet sum to 1. */
  readonly probability: number;
  readonly verdict: 'accepted' | 'refused' | 'dropped';
  /** `address:port` (`[address]:port`) that the packet is sent to instead; undefined when its destination is kept. */
  readonly destination: string | undefined;
  /** The source address is replaced. */
  readonly masqueraded: boolean;
  /** The rule that decided the verdict or the destination; undefined where no rule did. */
  readonly decidedBy: PathRule | undefined;
  /** The rule that replaces the source address; undefined where none does. */
  readonly masqueradedBy?: PathRule;
  /** The rule that ended the search for a rule that replaces the source address; undefined where none did. */
  readonly sourceKeptBy?: PathRule;
  /** The final packet mark. Default 0. */
  readonly mark?: number;
  /** The rule that set the mark. */
  readonly markedBy?: PathRule;
  /**
   * For a kept destination: how far the packet got in the DNAT rules, and why it did not match, as one sentence without
   * a full stop.
   */
  readonly missed?: string;
  /** An empty chain on the path of the packet to DNAT: `chain web of table nat`. */
  readonly emptyChain?: string;
  /** The endpoint is not selected at random, so its probability is unknown. Default false. */
  readonly unevenly?: boolean;
  /** Rules on the path with an unknown effect, at most 16. The outcome holds only under an assumption about their match. */
  readonly unknown: readonly PathRule[];
}

/**
 * Predicts outcomes of packets from objects read from a kernel. Pure after the read, unless it {@link isLive}. Must be
 * closed after use.
 */
export interface PacketPath {
  readonly family: IPFamily;
  /** Addresses of the host, canonical, without those that only serve virtual servers of IPVS. */
  readonly localAddresses: ReadonlySet<string>;
  /** Names of interfaces, to choose packets of pods where the detector matches interfaces. Empty when unknown. */
  readonly interfaces: readonly string[];
  /** Read failures, as sentences without a full stop. While this is not empty, nothing is verified. */
  readonly unread: readonly string[];
  /**
   * Every possible outcome of a packet; never empty.
   *
   * @param explains whether outcomes say why a packet keeps its destination (`missed`, `emptyChain`), which costs time. Default true.
   */
  outcomesOf(packet: PathPacket, explains?: boolean): readonly PathOutcome[];
  /**
   * {@link outcomesOf} that can pause, because the rules of another program may be many. Yields after about a
   * millisecond of work, possibly of several calls. Default: `outcomesOf` never takes long.
   */
  outcomesInSlices?(packet: PathPacket, explains?: boolean): Generator<undefined, readonly PathOutcome[]>;
  /**
   * For a live path, after {@link refresh}: reads long parts again, with pauses. Default: `outcomesOf` reads them without.
   */
  prepareInSlices?(): Generator<undefined, void>;
  /**
   * Parts that change with Services are read from the kernel by each call, so an outcome holds for the time of the
   * call, and `outcomesOf` throws when they cannot be read. Default false.
   */
  readonly isLive?: boolean;
  /**
   * For a live path: makes later calls of `outcomesOf` read the kernel again.
   *
   * @param isUrgent default true. Otherwise parts that take long to read may be read again only after a while.
   */
  refresh?(isUrgent?: boolean): void;
  /** Closes sockets. `outcomesOf` must not be called afterwards. */
  close?(): void;
}
