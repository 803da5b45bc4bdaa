import { type ProxyState, type SimulatedChoice, simulatePacket } from '@kube-proxier/core';
import type { NetworkSandbox } from '../sandbox/network-sandbox.js';
import type { Outcome, SandboxProtocol } from '../sandbox/outcome.js';
import type { SandboxHost } from '../sandbox/sandbox-host.js';

/** One flow to test: sender and destination. */
export interface Flow {
  readonly from: SandboxHost;
  /** Source address. Default: the sender's own of the destination's family. */
  readonly source?: string;
  readonly to: string;
  readonly port: number;
  readonly protocol: SandboxProtocol;
  /** False for a mode that never preserves a client's address (`BackendCapabilities.preservesSource`). Default true. */
  readonly preservesSource?: boolean;
}

/** Connections per expected endpoint: with 12, one of two endpoints is missed once in four thousand flows. */
const TRIES = 12;
/** Milliseconds without an answer after which a packet counts as dropped. */
const SILENCE = 350;

/**
 * Sends real packets and compares the outcome with the result of the simulator for the state.
 *
 * Servers must answer on every endpoint of the state. Flows that the simulator passes through are not tested.
 *
 * @returns the difference, in one line; undefined when all is as expected.
 */
export async function verifyFlow(sandbox: NetworkSandbox, state: ProxyState, flow: Flow): Promise<string | undefined> {
  const family = flow.to.includes(':') ? 'IPv6' : 'IPv4';
  const source = flow.source ?? flow.from.address(family);
  const { node } = sandbox;
  const { outcome } = simulatePacket(
    state,
    { source, destination: flow.to, port: flow.port, protocol: flow.protocol },
    { localAddresses: node.addresses },
  );
  const send = (timeout: number): Promise<Outcome> =>
    flow.from.connect({
      protocol: flow.protocol,
      to: flow.to,
      port: flow.port,
      timeout,
      ...(flow.source === undefined ? {} : { from: flow.source }),
    });
  const what = `${flow.from.name} (${source}) to ${flow.to} port ${flow.port}/${flow.protocol}`;
  switch (outcome.kind) {
    case 'passed-on':
      return undefined;
    case 'refused':
    case 'dropped': {
      const { kind } = await send(outcome.kind === 'refused' ? 2000 : SILENCE);
      const expected = outcome.kind === 'refused' ? 'refused' : 'timeout';
      // A packet that the local output chain rejects or drops fails in the sender's system call (EPERM): with UDP and, on some
      // kernels, SCTP, both look the same.
      const isAmbiguous = flow.protocol !== 'TCP';
      const inOutput = flow.from === node && isAmbiguous && kind === 'unreachable';
      return kind === expected || inOutput ? undefined : `${what}: ${kind}, not ${expected}`;
    }
    case 'forwarded':
      return await verifyForwarded(
        sandbox,
        what,
        flow.preservesSource === false ? undefined : source,
        outcome.choices,
        flow.from === sandbox.client,
        () => send(2000),
      );
  }
}

async function verifyForwarded(
  { hosts, node }: NetworkSandbox,
  what: string,
  source: string | undefined,
  choices: readonly SimulatedChoice[],
  fromOutside: boolean,
  send: () => Promise<Outcome>,
): Promise<string | undefined> {
  // The answer of a pod of another node to an outside client whose address it sees bypasses this node, and is not
  // translated back: as in real networks, such a connection fails.
  const isLost = (choice: SimulatedChoice) =>
    fromOutside && source !== undefined && !choice.masqueraded && !choice.endpoint.isLocal;
  const mayBeLost = choices.some(isLost);
  const byName = new Map(
    choices.map((choice) => {
      const host = hosts.find(({ addresses }) => addresses.includes(choice.endpoint.address));
      return [host?.name ?? choice.endpoint.address, choice] as const;
    }),
  );
  const missing = new Set([...byName].flatMap(([name, choice]) => (isLost(choice) ? [] : [name])));
  const outcomes = await Promise.all(Array.from({ length: choices.length * TRIES }, send));
  for (const outcome of outcomes) {
    if (mayBeLost && (outcome.kind === 'timeout' || outcome.kind === 'reset')) {
      continue;
    }
    if (outcome.kind !== 'answered') {
      return `${what}: ${outcome.kind}, not answered by ${[...byName.keys()].join(' or ')}`;
    }
    const choice = byName.get(outcome.by);
    if (!choice) {
      return `${what}: answered by ${outcome.by}, not by ${[...byName.keys()].join(' or ')}`;
    }
    const allowed = choice.masqueraded || source === undefined ? node.addresses : [source];
    if (!allowed.includes(outcome.sourceSeen)) {
      return `${what}: ${outcome.by} saw ${outcome.sourceSeen}, not ${allowed.join(' or ')}`;
    }
    missing.delete(outcome.by);
  }
  return missing.size === 0 ? undefined : `${what}: never answered by ${[...missing].join(' and ')}`;
}
