import type { NetworkSandbox, Outcome, SandboxHost, SandboxProtocol } from '@kube-proxier/network-sandbox';
import type { CaseFlow, FlowExpectation } from '../cases/conformance-case.js';

/** A flow with every placeholder filled in. */
export interface ReadyFlow extends Omit<CaseFlow, 'port' | 'fromPort' | 'protocol'> {
  readonly fromPort?: number;
  readonly port: number;
  readonly protocol: SandboxProtocol;
}

/** Description of a failed flow. */
export interface FlowMismatch {
  /** Sender, destination, port and protocol. */
  readonly flow: string;
  readonly expected: string;
  readonly actual: string;
  /**
   * The only failure is that an endpoint never answered: with round robin and a concurrent flow, it may answer only the
   * other flow.
   */
  readonly missing?: boolean;
}

/** Context of the flows of a run. */
export interface FlowContext {
  readonly sandbox: NetworkSandbox;
  /** False for a backend that declares that it never keeps a client's address. */
  readonly preservesSource: boolean;
  /** Stored hosts, by their names in the case. */
  readonly remembered: Map<string, string>;
  /** Factor on the timeout of an answer. */
  readonly patience: number;
}

/** Connections for each endpoint that may answer: with 12, one of two is missed once in four thousand flows. */
const TRIES = 12;
/** Connections where only one endpoint may answer: another endpoint that answers half of them is missed once in 250 flows. */
const TRIES_OF_ONE = 8;
/** Connections where the proportion of answers is checked: nine to one is distinguished from one to one. */
const TRIES_OF_SHARES = 160;
/** Maximum concurrency of these connections. */
const CONCURRENT_TRIES = 20;
/** Standard deviations of a binomial distribution: chance exceeds them once in ten million flows. */
const DEVIATIONS = 5.4;
/** Further rounds of tries while an endpoint that may answer has not. */
const ROUNDS = 3;
/** Milliseconds after which a packet counts as dropped. */
const SILENCE = 350;
/** Milliseconds for an expected answer, with time for retransmissions on a busy machine. */
export const ANSWER_TIMEOUT = 8000;
/** Milliseconds for an answer that may be missing, or whose request is repeated. */
const SHORT_ANSWER_TIMEOUT = 2000;
/** Maximum number of times that a datagram is sent. */
const DATAGRAMS = 3;

/**
 * Sends packets and evaluates their outcome.
 *
 * @returns the mismatch; undefined when the outcome is as expected.
 */
export async function judgeFlow(context: FlowContext, flow: ReadyFlow): Promise<FlowMismatch | undefined> {
  const { sandbox } = context;
  const from = hostNamed(sandbox, flow.from);
  const { expect } = flow;
  const mismatch = (actual: string): FlowMismatch => ({
    flow: `${flow.from}${flow.source ? ` (${flow.source})` : ''} to ${flow.to} port ${flow.port}/${flow.protocol}`,
    expected: describeExpectation(expect, context),
    actual,
  });
  if (typeof expect !== 'string') {
    return await judgeAnswers(context, flow, from, expect, mismatch);
  }
  const wanted =
    expect === 'untouched' ? withoutProxy(sandbox, flow) : { refused: 'refused', dropped: 'timeout' }[expect];
  const outcome = await send(from, flow, wanted === 'timeout' ? SILENCE : ANSWER_TIMEOUT * context.patience);
  if (outcome.kind === 'answered') {
    const actual = `answered by ${outcome.by}, which saw ${outcome.sourceSeen} (1 of 1)`;
    return outcome.by === wanted ? undefined : mismatch(actual);
  }
  // A datagram that the output hook of the node rejects or drops fails in the sender with EPERM: both look alike.
  const inOutput = flow.from === 'node' && flow.protocol === 'UDP' && outcome.kind === 'unreachable';
  return outcome.kind === wanted || inOutput ? undefined : mismatch(SPOKEN[outcome.kind]);
}

const SPOKEN = {
  refused: 'refused',
  timeout: 'no answer',
  unreachable: 'unreachable',
  reset: 'connected, then cut',
} as const;

async function judgeAnswers(
  context: FlowContext,
  flow: ReadyFlow,
  from: SandboxHost,
  expect: Exclude<FlowExpectation, string>,
  mismatch: (actual: string) => FlowMismatch,
): Promise<FlowMismatch | undefined> {
  const { sandbox, preservesSource, remembered } = context;
  if (expect.shares !== undefined) {
    return await judgeShares(context, flow, from, expect.shares, mismatch);
  }
  const hosts = expect.same ? [remembered.get(expect.same) ?? ''] : expect.by;
  const allowed = hosts.map((host) => serverName(host, expect.at));
  const sticky = expect.one !== undefined || expect.same !== undefined || expect.other !== undefined;
  const lost = allowed.filter((host) => isLost(context, flow, host));
  const missing = new Set(sticky ? [] : allowed.filter((host) => !lost.includes(host)));
  const answers = (flow.protocol === 'UDP' ? SHORT_ANSWER_TIMEOUT : ANSWER_TIMEOUT) * context.patience;
  const patience = lost.length > 0 ? SHORT_ANSWER_TIMEOUT : answers;
  const seen = new Map<string, number>();
  const perRound = flow.fromPort !== undefined ? 1 : allowed.length === 1 ? TRIES_OF_ONE : TRIES * allowed.length;
  for (let round = 0; round < ROUNDS && (round === 0 || missing.size > 0); round += 1) {
    const outcomes = await Promise.all(Array.from({ length: perRound }, () => sendAgain(from, flow, patience)));
    for (const outcome of outcomes) {
      if (outcome.kind !== 'answered') {
        if (lost.length > 0 && (outcome.kind === 'timeout' || outcome.kind === 'reset')) {
          continue;
        }
        const count = outcomes.filter(({ kind }) => kind === outcome.kind).length;
        return mismatch(`${SPOKEN[outcome.kind]} (${count} of ${perRound})`);
      }
      if (!allowed.includes(outcome.by)) {
        const count = outcomes.filter((one) => one.kind === 'answered' && one.by === outcome.by).length;
        return mismatch(`answered by ${outcome.by}, which saw ${outcome.sourceSeen} (${count} of ${perRound})`);
      }
      const source = sourceMismatch(sandbox, preservesSource, flow, from, expect, outcome);
      if (source) {
        return mismatch(source);
      }
      missing.delete(outcome.by);
      seen.set(outcome.by, (seen.get(outcome.by) ?? 0) + 1);
    }
  }
  const who = [...seen.keys()];
  if (sticky && who.length > 1) {
    return mismatch(`answered by ${who.join(' and ')}`);
  }
  if (expect.other !== undefined && who.includes(serverName(remembered.get(expect.other) ?? '', expect.at))) {
    return mismatch(`answered by ${who.join()} again`);
  }
  if (expect.one !== undefined && who[0] !== undefined) {
    remembered.set(expect.one, who[0].replace(/:.*/, ''));
  }
  return missing.size === 0
    ? undefined
    : {
        ...mismatch(`never answered by ${[...missing].join(' nor ')}, but by ${who.join(' and ') || 'no host'}`),
        missing: true,
      };
}

/** The name in answers of a host at a separate port. */
export function serverName(host: string, at: number | undefined): string {
  return at === undefined ? host : `${host}:${at}`;
}

/** Distribution over endpoints: each count is within the deviations that chance explains. */
async function judgeShares(
  { patience }: FlowContext,
  flow: ReadyFlow,
  from: SandboxHost,
  shares: Readonly<Record<string, number>>,
  mismatch: (actual: string) => FlowMismatch,
): Promise<FlowMismatch | undefined> {
  const counts = new Map<string, number>();
  for (let sent = 0; sent < TRIES_OF_SHARES; sent += CONCURRENT_TRIES) {
    const outcomes = await Promise.all(
      Array.from({ length: CONCURRENT_TRIES }, () => sendAgain(from, flow, ANSWER_TIMEOUT * patience)),
    );
    for (const outcome of outcomes) {
      if (outcome.kind !== 'answered') {
        return mismatch(SPOKEN[outcome.kind]);
      }
      counts.set(outcome.by, (counts.get(outcome.by) ?? 0) + 1);
    }
  }
  const sum = Object.values(shares).reduce((total, share) => total + share, 0);
  const isOff = [...new Set([...counts.keys(), ...Object.keys(shares)])].some((host) => {
    const share = (shares[host] ?? 0) / sum;
    const deviation = Math.sqrt(TRIES_OF_SHARES * share * (1 - share));
    return Math.abs((counts.get(host) ?? 0) - TRIES_OF_SHARES * share) > DEVIATIONS * deviation;
  });
  return isOff
    ? mismatch(`answered by ${[...counts].map(([host, count]) => `${host} (${count})`).join(', ')}`)
    : undefined;
}

/**
 * Replies of a pod on another node to a client outside this node, whose address it sees, bypass this node and are not
 * translated back: as on real networks, such a connection fails.
 */
function isLost({ preservesSource }: FlowContext, { from, expect }: ReadyFlow, host: string): boolean {
  const source = typeof expect === 'string' ? undefined : expect.source;
  const kept = typeof source === 'object' ? source[host] === 'kept' : source === 'kept';
  const away = from === 'client' || from.startsWith('remote-');
  return preservesSource && kept && away && host.startsWith('remote-');
}

function sourceMismatch(
  { node }: NetworkSandbox,
  preservesSource: boolean,
  flow: ReadyFlow,
  from: SandboxHost,
  { source }: Exclude<FlowExpectation, string>,
  { by, sourceSeen }: Extract<Outcome, { kind: 'answered' }>,
): string | undefined {
  const wanted = typeof source === 'object' ? source[by] : source;
  const own = flow.source ?? from.address(flow.to.includes(':') ? 'IPv6' : 'IPv4');
  const allowed = wanted === 'kept' && preservesSource ? [own] : node.addresses;
  return wanted === undefined || allowed.includes(sourceSeen)
    ? undefined
    : `${by} saw the source address ${sourceSeen}`;
}

/** Name of the host that answers, or the kind of outcome, as determined by routing alone. */
function withoutProxy(sandbox: NetworkSandbox, { to }: ReadyFlow): string {
  const loopback = to === '::1' || to.startsWith('127.');
  const host = loopback ? sandbox.node : sandbox.hosts.find(({ addresses }) => addresses.includes(to));
  return host === undefined ? 'timeout' : host === sandbox.node ? 'refused' : host.name;
}

/** Datagrams may be lost, so they are sent repeatedly, as DNS resolvers do. */
async function sendAgain(from: SandboxHost, flow: ReadyFlow, patience: number): Promise<Outcome> {
  let outcome = await send(from, flow, patience);
  for (let again = 1; again < DATAGRAMS && flow.protocol === 'UDP' && outcome.kind === 'timeout'; again += 1) {
    outcome = await send(from, flow, patience);
  }
  return outcome;
}

function send(from: SandboxHost, flow: ReadyFlow, timeout: number): Promise<Outcome> {
  const { protocol, to, port, source, fromPort } = flow;
  return from.connect({
    protocol,
    to,
    port,
    timeout,
    ...(source === undefined ? {} : { from: source }),
    ...(fromPort === undefined ? {} : { fromPort }),
  });
}

/** @throws RangeError naming an unknown host. */
export function hostNamed(sandbox: NetworkSandbox, name: string): SandboxHost {
  const found = sandbox.hosts.find((host) => host.name === name);
  if (!found) {
    throw new RangeError(`unknown host ${name}; use one of ${sandbox.hosts.map((host) => host.name).join(', ')}`);
  }
  return found;
}

function describeExpectation(expect: FlowExpectation, { remembered }: FlowContext): string {
  if (typeof expect === 'string') {
    return { refused: 'refused', dropped: 'no answer', untouched: 'the outcome without a proxy' }[expect];
  }
  const { by, source, same, one, other, shares } = expect;
  if (shares !== undefined) {
    const listed = Object.entries(shares).map(([host, share]) => `${host} (${share})`);
    return `answered in the proportion ${listed.join(', ')}`;
  }
  const who =
    same !== undefined
      ? `always ${remembered.get(same)}`
      : `${one === undefined && other === undefined ? by.join(' and ') : `always the same of ${by.join(', ')}`}${other === undefined ? '' : `, but not ${remembered.get(other)}`}`;
  const spoken = { kept: "the client's own address", node: "the node's address" };
  const seen =
    source === undefined
      ? ''
      : typeof source === 'string'
        ? `, seeing ${spoken[source]}`
        : `, seeing ${Object.entries(source)
            .map(([host, kind]) => `${spoken[kind]} (${host})`)
            .join(', ')}`;
  return `answered by ${who}${seen}`;
}
