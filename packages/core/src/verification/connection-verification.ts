import { joinHostPort } from '../model/address.js';
import type { ProxyState } from '../model/proxy-state.js';
import { decidePacket, type PacketDecision } from '../simulator/simulate-packet.js';
import { type Difference, expectationText } from './compare-outcomes.js';
import { FindingGroups } from './finding-groups.js';
import { type ClassHost, type PacketClass, packetClasses } from './packet-classes.js';
import type { DifferenceKind, FamilyVerification } from './verification-result.js';

/** The result of one TCP connection attempt of this node. */
export interface ConnectionAttempt {
  /** `failed`: a local error, such as a source address that this host does not have. */
  readonly result: 'connected' | 'refused' | 'timeout' | 'failed';
  /**
   * The `address:port` (`[address]:port`) that connection tracking sent it to. Undefined when the destination was kept;
   * null when unknown.
   */
  readonly endpoint: string | undefined | null;
  /** Why it failed, for `failed`. */
  readonly reason?: string;
}

/**
 * Compares real connections of this node with a state. Each class of packets that the node itself can send over TCP is one
 * connection. Pure: the caller makes the connections.
 */
export class ConnectionVerification {
  /** The classes to connect to, in an order that treats Services equally. */
  readonly classes: readonly PacketClass[];
  readonly #findings: FindingGroups;
  readonly #omitted: number;
  #checked = 0;

  /** @param limit maximum number of connections; classes beyond it make the verdict unknown. */
  constructor(
    private readonly state: ProxyState,
    private readonly host: ClassHost,
    limit: number,
  ) {
    this.#findings = new FindingGroups(state);
    const all = [...packetClasses(state, host)].filter(
      (one) => one.from === 'node' && one.packet.protocol === 'TCP' && this.#decide(one).outcome.kind !== 'passed-on',
    );
    // Every n-th class, so that all kinds are sampled.
    const step = Math.max(1, all.length / limit);
    this.classes = Array.from(
      { length: Math.min(all.length, limit) },
      (_, index) => all[Math.floor(index * step)],
    ).flatMap((one) => one ?? []);
    this.#omitted = all.length - this.classes.length;
  }

  /** Records the result of the connection of a class. */
  add(one: PacketClass, attempt: ConnectionAttempt): void {
    this.#checked++;
    const difference = compareConnection(this.#decide(one), attempt);
    if (difference !== undefined) {
      this.#findings.add(one, difference);
    }
  }

  result(): FamilyVerification {
    if (this.#omitted > 0) {
      this.#findings.addUnread(
        `${this.#omitted} of ${this.#omitted + this.classes.length} connections were not made`,
        `${this.#omitted} of ${this.#omitted + this.classes.length} connections were not made, because of the limit`,
      );
    }
    return this.#findings.result(this.#checked);
  }

  #decide(one: PacketClass): PacketDecision {
    return decidePacket(this.state, one.packet, this.host);
  }
}

/**
 * Compares the decision of a state about a connection with its result.
 *
 * @returns undefined when it is as decided; `unknown` where an endpoint, not this node, may be the cause.
 */
export function compareConnection(
  { outcome }: PacketDecision,
  { result, endpoint, reason }: ConnectionAttempt,
): Difference | undefined {
  const expected = expectationText(outcome);
  const differs = (kind: DifferenceKind, actual: string, because: string): Difference => ({
    ...{ kind, expected, actual, because },
    decidedBy: undefined,
  });
  if (result === 'failed') {
    return differs('unknown', 'not sent', `the connection could not be attempted: ${reason ?? 'unknown error'}`);
  }
  const sentTo = typeof endpoint === 'string' ? `sent to ${endpoint}` : 'not sent to an endpoint';
  const got = { connected: 'accepted', refused: 'refused', timeout: 'dropped' } as const;
  switch (outcome.kind) {
    case 'passed-on':
      return undefined;
    case 'refused':
    case 'dropped':
      return got[result] === outcome.kind && typeof endpoint !== 'string'
        ? undefined
        : differs(got[result], typeof endpoint === 'string' ? sentTo : got[result], 'seen with a real connection');
    case 'forwarded': {
      const known = outcome.choices.some((choice) => {
        const { address, port } = choice.endpoint;
        return joinHostPort(address, port) === endpoint;
      });
      if (typeof endpoint === 'string' && !known) {
        return differs('wrong-endpoint', sentTo, 'seen with a real connection');
      }
      if (result === 'connected') {
        return endpoint === undefined ? differs('not-forwarded', sentTo, 'seen with a real connection') : undefined;
      }
      if (result === 'timeout' && endpoint === undefined) {
        return differs('dropped', 'dropped', 'seen with a real connection, which was sent to no endpoint');
      }
      // Conntrack deletes the entry at once when the endpoint refuses the connection.
      const who = typeof endpoint === 'string' ? `endpoint ${endpoint}` : 'an endpoint, or a rule of this node,';
      return differs('unknown', result === 'refused' ? 'refused' : 'not answered', `${who} may be the cause`);
    }
  }
}
