import { connect } from 'node:net';
import {
  type Clock,
  type ConnectionAttempt,
  ConnectionVerification,
  type FamilyVerification,
  joinHostPort,
  overallVerdict,
  type PacketClass,
  type ProxyState,
} from '@kube-proxier/core';
import type { Conntrack } from '@kube-proxier/linux';
import type { NodeVerification } from './verify-node.js';

/** Maximum connections of one IP family. */
export const MAX_CONNECTIONS = 500;
/** Maximum concurrent connections. */
const CONCURRENCY = 16;
/** Local ports of connections. */
const FIRST_PORT = 20_000;
const PORTS = 40_000;
/** Milliseconds until a connection counts as dropped. */
const TIMEOUT = 2000;

/** Options of {@link verifyConnections}. */
export interface VerifyConnectionsOptions {
  /** The states in force. */
  readonly states: readonly ProxyState[];
  /** The mode in force. */
  readonly mode: string;
  readonly localAddresses: readonly string[];
  /** `BackendCapabilities.clusterIPsOfNode` of the mode. Default true. */
  readonly clusterIPsOfNode?: boolean;
  /** Reads the destinations of connections. Without it, or after a read failure, endpoints are not compared. */
  readonly conntrack?: Pick<Conntrack, 'list'>;
  readonly clock: Clock;
  /** Aborts it: classes not attempted are unknown. */
  readonly signal?: AbortSignal;
}

/**
 * Verifies by real TCP connections of this node to addresses of Services: at most 500 for each IP family, 16 at a time.
 * They carry no data and are closed at once, but endpoints see them. Not verified: packets of pods and external
 * clients, UDP and SCTP.
 */
export async function verifyConnections(options: VerifyConnectionsOptions): Promise<NodeVerification> {
  const { clock, mode, states } = options;
  const start = clock.monotonic();
  const families: FamilyVerification[] = [];
  for (const state of states) {
    families.push(await verifyFamily(state, options));
  }
  return {
    apiVersion: 'kube-proxier.io/v1alpha1',
    kind: 'NodeVerification',
    verdict: overallVerdict(families),
    mode,
    time: new Date(clock.now()).toISOString(),
    seconds: Math.round(clock.monotonic() - start) / 1000,
    families,
  };
}

async function verifyFamily(
  state: ProxyState,
  { localAddresses, clusterIPsOfNode = true, conntrack, signal }: VerifyConnectionsOptions,
): Promise<FamilyVerification> {
  const host = { localAddresses: new Set(localAddresses), clusterIPsOfNode, interfaces: [] };
  const verification = new ConnectionVerification(state, host, MAX_CONNECTIONS);
  const pending = [...verification.classes];
  const attemptNext = async () => {
    for (let one = pending.shift(); one !== undefined; one = pending.shift()) {
      verification.add(
        one,
        signal?.aborted
          ? { result: 'failed', endpoint: null, reason: 'it was ended early' }
          : await attempt(one, conntrack),
      );
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, attemptNext));
  return verification.result();
}

/** Attempts one connection from the source address of the class, and looks up its translated destination. */
async function attempt(
  { packet }: PacketClass,
  conntrack: Pick<Conntrack, 'list'> | undefined,
): Promise<ConnectionAttempt> {
  const { destination: host, port, source: localAddress } = packet;
  // The local port is chosen here for the lookup of the flow, because a failed socket no longer has it.
  const localPort = FIRST_PORT + Math.floor(Math.random() * PORTS);
  const socket = connect({ host, port, localAddress, localPort });
  try {
    const result = await new Promise<Pick<ConnectionAttempt, 'result' | 'reason'>>((resolve) => {
      socket.once('connect', () => resolve({ result: 'connected' }));
      socket.once('error', (error: NodeJS.ErrnoException) =>
        resolve(
          error.code === 'ECONNREFUSED' || error.code === 'ECONNRESET'
            ? { result: 'refused' }
            : error.code === 'ETIMEDOUT'
              ? { result: 'timeout' }
              : { result: 'failed', reason: error.message },
        ),
      );
      socket.setTimeout(TIMEOUT, () => resolve({ result: 'timeout' }));
    });
    return { ...result, endpoint: await endpointOf(packet, localPort, conntrack) };
  } finally {
    socket.destroy();
  }
}

async function endpointOf(
  { destination, port }: PacketClass['packet'],
  localPort: number,
  conntrack: Pick<Conntrack, 'list'> | undefined,
): Promise<ConnectionAttempt['endpoint']> {
  if (conntrack === undefined) {
    return null;
  }
  try {
    const family = destination.includes(':') ? 'IPv6' : 'IPv4';
    const entries = await conntrack.list(
      family,
      'TCP',
      ({ original }) =>
        original.destination === destination && original.destinationPort === port && original.sourcePort === localPort,
    );
    const [entry] = entries;
    if (entry === undefined || entries.length > 1) {
      return entry === undefined ? undefined : null;
    }
    const { reply } = entry;
    return reply.source === destination && reply.sourcePort === port
      ? undefined
      : joinHostPort(reply.source, reply.sourcePort);
  } catch {
    return null;
  }
}
