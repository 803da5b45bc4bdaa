import type { PathPacket, PathRule, Protocol } from '@kube-proxier/core';
import { bitsOf } from './ip-bits.js';

/** A linked list, so that walkers share their history. */
export interface Trail<Item> {
  readonly item: Item;
  readonly before: Trail<Item> | undefined;
  readonly length: number;
}

export function append<Item>(before: Trail<Item> | undefined, item: Item): Trail<Item> {
  return { item, before, length: (before?.length ?? 0) + 1 };
}

export function itemsOf<Item>(trail: Trail<Item> | undefined): Item[] {
  const items: Item[] = [];
  for (let at = trail; at !== undefined; at = at.before) {
    items.push(at.item);
  }
  return items.reverse();
}

/** Netfilter hooks. */
export type Hook = 'prerouting' | 'input' | 'forward' | 'output' | 'postrouting';

/** A chain that the packet entered, for findings. */
export interface Visit {
  readonly table: string;
  readonly chain: string;
  readonly depth: number;
}

/** A packet during evaluation, with its changes. Immutable; branches share common parts. */
export interface Walker {
  readonly packet: PathPacket;
  readonly probability: number;
  readonly hook: Hook;
  readonly protocol: 'tcp' | 'udp' | 'sctp';
  readonly source: string;
  readonly sourceBits: bigint;
  readonly destination: string;
  readonly destinationBits: bigint;
  readonly port: number;
  readonly originalDestination: string;
  /** Name; undefined when unknown, null when the packet has none. */
  readonly inInterface: string | undefined | null;
  readonly outInterface: string | undefined | null;
  readonly mark: number;
  readonly markedBy: PathRule | undefined;
  /** `ct mark`. */
  readonly connectionMark: number;
  /** `meta priority`. */
  readonly priority: number;
  /** The rule that changed the destination. */
  readonly translatedBy: PathRule | undefined;
  /** The NAT rule that kept the destination. */
  readonly destinationDecided: boolean;
  readonly masqueradedBy: PathRule | undefined;
  readonly sourceDecided: boolean;
  /** Rules that ended NAT evaluation without a translation. */
  readonly destinationKeptBy: PathRule | undefined;
  readonly sourceKeptBy: PathRule | undefined;
  /** IPVS has selected the destination, and does not process the packet again. */
  readonly isBalanced: boolean;
  /** The destination was not selected at random. */
  readonly unevenly: boolean;
  /** The packet is the first reply of an established connection. */
  readonly isReply: boolean;
  /** Not tracked: no NAT applies. */
  readonly untracked: boolean;
  /** Elements that rules added or removed on this path, by set. */
  readonly written: ReadonlyMap<string, ReadonlyMap<string, string | null>> | undefined;
  readonly unknown: Trail<PathRule> | undefined;
  /** Whether to record why a packet keeps its destination. */
  readonly explains: boolean;
  /** Whether the packet is in a chain that may change its destination: its path is then recorded. */
  readonly isNoted: boolean;
  /** Chains entered while recording. */
  readonly visits: Trail<Visit> | undefined;
  /** The first empty chain entered while recording. */
  readonly emptyChain: Visit | undefined;
  /** Failed lookups in sets and maps of the backend while recording. */
  readonly misses: Trail<string> | undefined;
}

/**
 * All walkers have one hidden class: copies are cheap, while object spreads would create a class for each place in the
 * code.
 */
class PacketWalker implements Walker {
  readonly packet: Walker['packet'];
  readonly probability: Walker['probability'];
  readonly hook: Walker['hook'];
  readonly protocol: Walker['protocol'];
  readonly source: Walker['source'];
  readonly sourceBits: Walker['sourceBits'];
  readonly destination: Walker['destination'];
  readonly destinationBits: Walker['destinationBits'];
  readonly port: Walker['port'];
  readonly originalDestination: Walker['originalDestination'];
  readonly inInterface: Walker['inInterface'];
  readonly outInterface: Walker['outInterface'];
  readonly mark: Walker['mark'];
  readonly markedBy: Walker['markedBy'];
  readonly connectionMark: Walker['connectionMark'];
  readonly priority: Walker['priority'];
  readonly translatedBy: Walker['translatedBy'];
  readonly destinationDecided: Walker['destinationDecided'];
  readonly masqueradedBy: Walker['masqueradedBy'];
  readonly sourceDecided: Walker['sourceDecided'];
  readonly destinationKeptBy: Walker['destinationKeptBy'];
  readonly sourceKeptBy: Walker['sourceKeptBy'];
  readonly isBalanced: Walker['isBalanced'];
  readonly unevenly: Walker['unevenly'];
  readonly isReply: Walker['isReply'];
  readonly untracked: Walker['untracked'];
  readonly written: Walker['written'];
  readonly unknown: Walker['unknown'];
  readonly explains: Walker['explains'];
  readonly isNoted: Walker['isNoted'];
  readonly visits: Walker['visits'];
  readonly emptyChain: Walker['emptyChain'];
  readonly misses: Walker['misses'];

  constructor(walker: Walker) {
    this.packet = walker.packet;
    this.probability = walker.probability;
    this.hook = walker.hook;
    this.protocol = walker.protocol;
    this.source = walker.source;
    this.sourceBits = walker.sourceBits;
    this.destination = walker.destination;
    this.destinationBits = walker.destinationBits;
    this.port = walker.port;
    this.originalDestination = walker.originalDestination;
    this.inInterface = walker.inInterface;
    this.outInterface = walker.outInterface;
    this.mark = walker.mark;
    this.markedBy = walker.markedBy;
    this.connectionMark = walker.connectionMark;
    this.priority = walker.priority;
    this.translatedBy = walker.translatedBy;
    this.destinationDecided = walker.destinationDecided;
    this.masqueradedBy = walker.masqueradedBy;
    this.sourceDecided = walker.sourceDecided;
    this.destinationKeptBy = walker.destinationKeptBy;
    this.sourceKeptBy = walker.sourceKeptBy;
    this.isBalanced = walker.isBalanced;
    this.unevenly = walker.unevenly;
    this.isReply = walker.isReply;
    this.untracked = walker.untracked;
    this.written = walker.written;
    this.unknown = walker.unknown;
    this.explains = walker.explains;
    this.isNoted = walker.isNoted;
    this.visits = walker.visits;
    this.emptyChain = walker.emptyChain;
    this.misses = walker.misses;
  }
}

/** A copy with other values. */
export function withChanges(walker: Walker, changes: Partial<Walker>): Walker {
  return Object.assign(new PacketWalker(walker), changes);
}

const PROTOCOL: Readonly<Record<Protocol, Walker['protocol']>> = { TCP: 'tcp', UDP: 'udp', SCTP: 'sctp' };

export function startWalk(packet: PathPacket, hook: Hook, inInterface: string | undefined | null): Walker {
  return new PacketWalker({
    packet,
    probability: 1,
    hook,
    protocol: PROTOCOL[packet.protocol],
    source: packet.source,
    sourceBits: bitsOf(packet.source) ?? 0n,
    destination: packet.destination,
    destinationBits: bitsOf(packet.destination) ?? 0n,
    port: packet.port,
    originalDestination: packet.destination,
    inInterface,
    outInterface: null,
    mark: 0,
    markedBy: undefined,
    connectionMark: 0,
    priority: 0,
    translatedBy: undefined,
    destinationDecided: false,
    masqueradedBy: undefined,
    sourceDecided: false,
    destinationKeptBy: undefined,
    sourceKeptBy: undefined,
    isBalanced: false,
    unevenly: false,
    isReply: false,
    untracked: false,
    written: undefined,
    unknown: undefined,
    explains: true,
    isNoted: false,
    visits: undefined,
    emptyChain: undefined,
    misses: undefined,
  });
}

/** The walker after destination NAT. */
export function translated(
  walker: Walker,
  address: string | undefined,
  port: number | undefined,
  rule: PathRule,
): Walker {
  const destination = address ?? walker.destination;
  return withChanges(walker, {
    destination,
    destinationBits: bitsOf(destination) ?? 0n,
    port: port ?? walker.port,
    translatedBy: rule,
    destinationDecided: true,
  });
}
