import type { SandboxHost, Target } from '@kube-proxier/network-sandbox';
import type { CountedTotal } from '../backend/messages.js';
import type { ConformanceFixture } from '../fixture/conformance-fixture.js';
import type { CaseVariant } from './case-result.js';
import { judgeCounters } from './judge-counters.js';
import { ANSWER_TIMEOUT, type FlowMismatch, hostNamed } from './judge-flow.js';

/** Connections of a transfer over TCP, and bytes of each datagram of one over UDP. */
const CONNECTIONS = 4;
const DATAGRAM = 1000;
/** Maximum attempts to send counted datagrams, if one of them gets no answer. */
const DATAGRAM_TRIES = 3;
/** Milliseconds: timeout of counting, interval between two reads, and time without a change until counts are final. */
const COUNTED_WITHIN = 15_000;
const COUNT_INTERVAL = 250;
const SETTLED_AFTER = 2500;

/** The environment of a case. */
export interface CountingPlace {
  readonly fixture: ConformanceFixture;
  /** Factor on all timeouts. */
  readonly patience: number;
}

/** The sender and the Service. */
export interface CountedRoute {
  /** `NAMESPACE/NAME`, as the names of the other Services of the case. */
  readonly service: string;
  readonly otherServices: readonly string[];
  readonly variant: CaseVariant;
  /** Name of a host. */
  readonly from: string;
  readonly to: string;
  readonly port: number;
}

/** The counted traffic: bytes, which the endpoint echoes, or connections. */
export type SentAmount = { readonly bytes: number } | { readonly connections: number };

/** A repeated transmission. */
interface Sending {
  readonly flow: string;
  readonly quantity: CountedTotal['quantity'];
  /** The expected count of each transmission. */
  readonly each: number;
  readonly times: number;
  /** @returns the answering endpoint; undefined without an answer. */
  send(host: SandboxHost, target: Target): Promise<string | undefined>;
}

/**
 * Sends traffic to a Service, and evaluates the counts of the backend.
 *
 * @returns the error; undefined when correct.
 */
export async function sendCounted(
  { fixture, patience }: CountingPlace,
  route: CountedRoute,
  amount: SentAmount,
): Promise<FlowMismatch | undefined> {
  const { service, otherServices, variant, from, to, port } = route;
  const { flow, quantity, each, times, send } = sendingOf(route, amount);
  const host = hostNamed(fixture.sandbox, from);
  const target = { protocol: variant.protocol, to, port, timeout: ANSWER_TIMEOUT * patience };
  let before = await fixture.count();
  let byEndpoint = new Map<string, number>();
  let tries = 1;
  for (let sent = 0; sent < times; sent++) {
    const by = await send(host, target);
    if (by === undefined && variant.protocol === 'UDP' && tries < DATAGRAM_TRIES) {
      // Datagrams may be lost, and a lost one is counted for an unknown endpoint: restarts.
      tries += 1;
      before = await settledCounts({ fixture, patience }, service);
      byEndpoint = new Map();
      sent = -1;
      continue;
    }
    if (by === undefined) {
      return { flow, expected: 'all are answered', actual: `not after ${sent * each} ${quantity}` };
    }
    const address = hostNamed(fixture.sandbox, by).address(variant.family);
    byEndpoint.set(address, (byEndpoint.get(address) ?? 0) + each);
  }
  const counted = { flow, quantity, service, otherServices, variant, byEndpoint };
  const isEnough = (counts: readonly CountedTotal[]) => !judgeCounters(counted, before, counts)?.isTooLittle;
  return judgeCounters(counted, before, await settledCounts({ fixture, patience }, service, isEnough));
}

function sendingOf({ from, to, port, variant }: CountedRoute, amount: SentAmount): Sending {
  if ('connections' in amount) {
    const { connections } = amount;
    const flow = `${connections} connections from ${from} to ${to} port ${port}`;
    const send = (host: SandboxHost, target: Target) => answered(host, target, 1);
    return { flow, quantity: 'connections', each: 1, times: connections, send };
  }
  const { bytes } = amount;
  const isTCP = variant.protocol === 'TCP';
  const each = isTCP ? bytes / CONNECTIONS : DATAGRAM;
  return {
    flow: `${bytes} bytes from ${from} to ${to} port ${port}, and back`,
    ...{ quantity: 'bytes', each, times: bytes / each },
    send: (host, target) => (isTCP ? echoed(host, target, each) : answered(host, target, each)),
  };
}

/**
 * The counts of the backend when those of a Service are sufficient and stable. IPVS updates its statistics every two
 * seconds, so the first values may be incomplete.
 */
async function settledCounts(
  { fixture, patience }: CountingPlace,
  service: string,
  isEnough: (counts: readonly CountedTotal[]) => boolean = () => true,
): Promise<readonly CountedTotal[]> {
  const deadline = performance.now() + COUNTED_WITHIN * patience;
  let last = '';
  let since = performance.now();
  for (;;) {
    const counts = await fixture.count();
    const text = JSON.stringify(counts.filter((one) => one.service === service));
    const now = performance.now();
    since = text === last ? since : now;
    last = text;
    if (now > deadline || (now - since > SETTLED_AFTER && isEnough(counts))) {
      return counts;
    }
    await new Promise((resolve) => setTimeout(resolve, COUNT_INTERVAL));
  }
}

/** Sends bytes over a new connection. @returns the echoing endpoint; undefined without an answer. */
async function echoed(host: SandboxHost, target: Target, bytes: number): Promise<string | undefined> {
  try {
    const connection = await host.open(target);
    const answer = await connection.send('x'.repeat(bytes), target.timeout);
    await connection.close();
    return answer.kind === 'echoed' ? connection.by : undefined;
  } catch {
    return undefined;
  }
}

/** Sends a datagram or opens a connection. @returns the answering endpoint; undefined without an answer. */
async function answered(host: SandboxHost, target: Target, payload: number): Promise<string | undefined> {
  const outcome = await host.connect({ ...target, payload });
  return outcome.kind === 'answered' ? outcome.by : undefined;
}
