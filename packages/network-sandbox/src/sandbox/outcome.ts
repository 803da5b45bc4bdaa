import type { Protocol } from '@kube-proxier/core';

/** Protocols that the sandbox can send: SCTP where `canSendSctp` returns true. */
export type SandboxProtocol = Protocol;

/** Destination and options of a probe. */
export interface Target {
  /** Default `TCP`. */
  readonly protocol?: SandboxProtocol;
  /** Address of either family, without brackets. */
  readonly to: string;
  readonly port: number;
  /** Source address; default is the choice of the routing table. */
  readonly from?: string;
  /** Source port, 1…65535; default is any free one. */
  readonly fromPort?: number;
  /** Milliseconds until the outcome is `timeout`. Default 2000. */
  readonly timeout?: number;
  /** Bytes of a datagram, whose answer has at least as many. Default 1. */
  readonly payload?: number;
}

/** An answer: the server's name, and the source address and port that the server saw. */
export interface Answered {
  readonly kind: 'answered';
  /** Name of the server, see {@link ServeOptions}. */
  readonly by: string;
  readonly sourceSeen: string;
  readonly sourcePortSeen: number;
  readonly milliseconds: number;
}

/**
 * The outcome of one connection or association, or of one datagram.
 * - `answered`
 * - `refused`: TCP reset in answer to SYN, SCTP ABORT in answer to INIT, or ICMP port unreachable.
 * - `timeout`: no answer.
 * - `unreachable`: no route, or another ICMP error.
 * - `reset`: connected, and reset before an answer.
 */
export type Outcome =
  | Answered
  | { readonly kind: 'refused' | 'timeout' | 'unreachable' | 'reset'; readonly milliseconds: number };

/** Number of outcomes of each kind. */
export interface Tally {
  /** Answers by the name of the server. */
  readonly answeredBy: Readonly<Record<string, number>>;
  /** Answers by the source address that the server saw. */
  readonly sourcesSeen: Readonly<Record<string, number>>;
  readonly refused: number;
  readonly timeout: number;
  readonly unreachable: number;
  readonly reset: number;
}

/** Outcomes of a continuous client so far. */
export interface ClientProgress extends Tally {
  readonly attempts: number;
}

/** Number of outcomes other than `answered`. */
export function failuresOf(tally: Tally): number {
  return tally.refused + tally.timeout + tally.unreachable + tally.reset;
}

/** Number of answers of all servers. */
export function answersOf(tally: Tally): number {
  return Object.values(tally.answeredBy).reduce((sum, count) => sum + count, 0);
}

export interface ServeOptions {
  /** Default `TCP`. */
  readonly protocol?: SandboxProtocol;
  /** 1…65535, or 0 for any free one. */
  readonly port: number;
  /** Address to listen on; default is every address of both families. */
  readonly address?: string;
  /** The server's name in answers. Default: the name of its host. */
  readonly name?: string;
}
