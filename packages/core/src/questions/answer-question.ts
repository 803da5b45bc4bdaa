import type { IPFamily } from '../model/address.js';
import type { Frontend, FrontendKind } from '../model/frontend.js';
import type { ProxyState } from '../model/proxy-state.js';
import { serviceKey } from '../model/service-port-name.js';
import { type Explanation, explainSimulation } from '../simulator/format-simulation.js';
import { type SimulationHost, simulatePacket } from '../simulator/simulate-packet.js';
import {
  type Client,
  localPod,
  nodeAddress,
  nodeItself,
  outsideClients,
  podEntry,
  remotePod,
} from './client-samples.js';
import { type FoundPod, type FoundServicePort, findPod, findServicePorts, stateOf } from './find-names.js';
import { type ClientReference, type PacketQuestion, QuestionError } from './packet-question.js';

/** The handling of the packets of one client to one frontend. */
export interface AnsweredCase {
  readonly client: Client;
  /** Kind of the frontend that was asked for; null when the destination is an address. */
  readonly via: FrontendKind | null;
  readonly explanation: Explanation;
}

/** The answer to a {@link PacketQuestion}. */
export interface PacketAnswer {
  /** By frontend, then by client. */
  readonly cases: readonly AnsweredCase[];
  /** Limitations of the answer, in full sentences. */
  readonly notes: readonly string[];
}

/**
 * Answers a question from the states of a node: which Service gets a packet, which endpoints can get it, and why. Where
 * the question names a Service, there is a case for each of its frontends and each kind of client that reaches this node
 * there.
 *
 * @param states one for each IP family that is served.
 * @throws QuestionError when the question names an unknown object, or there is no state for its IP family.
 */
export function answerPacketQuestion(
  states: readonly ProxyState[],
  question: PacketQuestion,
  host: SimulationHost = {},
): PacketAnswer {
  const { client, destination } = question;
  const pod = client?.kind === 'pod' ? findPod(states, client.namespace, client.name) : undefined;
  if (destination.kind === 'address') {
    const { address, port, protocol } = destination;
    const state = stateOf(states, address);
    if (state === undefined || client === undefined) {
      throw new QuestionError(`nothing is programmed for the IP family of ${address}`);
    }
    const clients = clientsTo(state, undefined, undefined, client, pod, host);
    if (clients.length === 0) {
      throw new QuestionError(`${spoken(client)} has no address of the IP family of ${address}`);
    }
    const cases = clients.map((one) => answered(state, one, { destination: address, port, protocol }, null, host));
    return { cases, notes: [] };
  }
  const notes = new Set<string>();
  const found = findServicePorts(states, destination);
  const cases = found.flatMap((one) => casesOf(one, question, pod, host, notes));
  if (pod !== undefined && !pod.isLocal) {
    const where = pod.nodeName === undefined ? 'another node' : `node ${pod.nodeName}`;
    notes.add(
      `${spoken(client)} runs on ${where}: its packets to cluster IPs are handled there. This is the answer of this node.`,
    );
  }
  if (cases.length === 0) {
    const name = serviceKey(destination);
    throw new QuestionError(
      `Service ${name} has no address that ${spoken(client)} can send to${question.via === undefined ? '' : ` with --via`}` +
        `; it has ${kindsOf(found)}`,
      'NOT_FOUND',
    );
  }
  return { cases, notes: [...notes] };
}

function casesOf(
  { state, servicePort }: FoundServicePort,
  question: PacketQuestion,
  pod: FoundPod | undefined,
  host: SimulationHost,
  notes: Set<string>,
): readonly AnsweredCase[] {
  const { client, via } = question;
  const isExternal = servicePort.frontends.some(({ kind }) => kind !== 'ClusterIP');
  return servicePort.frontends
    .filter(({ kind }) => (via === undefined ? isUsedBy(client, kind, isExternal) : kind === via))
    .flatMap((frontend) => {
      const to = addressOf(frontend, state, host);
      if (to === undefined) {
        notes.add(`No ${state.family} address of this node is known, so its NodePorts are left out.`);
        return [];
      }
      const packet = { destination: to, port: portOf(frontend, question), protocol: frontend.protocol };
      return clientsTo(state, servicePort, frontend, client, pod, host).map((one) =>
        answered(state, one, packet, frontend.kind, host),
      );
    });
}

/** The port of a range that was asked for, else the first one. */
function portOf({ port, kind }: Frontend, { destination }: PacketQuestion): number {
  const asked = destination.kind === 'service' ? Number(destination.port) : Number.NaN;
  return kind !== 'NodePort' && Number.isInteger(asked) ? asked : port;
}

/** Pods and the node use cluster IPs, external clients use external addresses, if any. */
function isUsedBy(client: ClientReference | undefined, kind: FrontendKind, isExternal: boolean): boolean {
  switch (client?.kind) {
    case undefined:
    case 'address':
      return true;
    case 'pod':
    case 'node':
      return kind === 'ClusterIP';
    case 'outside':
      return isExternal ? kind !== 'ClusterIP' : true;
  }
}

/** The clients that a reference denotes for a frontend; undefined frontend: for an address. */
function clientsTo(
  state: ProxyState,
  servicePort: FoundServicePort['servicePort'] | undefined,
  frontend: Frontend | undefined,
  client: ClientReference | undefined,
  pod: FoundPod | undefined,
  host: SimulationHost,
): readonly Client[] {
  switch (client?.kind) {
    case 'address':
      return familyMatches(client.address, state.family)
        ? [{ kind: 'address', name: client.address, address: client.address }]
        : [];
    case 'pod': {
      const address = pod?.addresses.get(state.family);
      const entry = pod?.isLocal ? podEntry(state) : {};
      const isOnHostNetwork = address !== undefined && state.node.addresses.includes(address);
      return address === undefined
        ? []
        : [{ kind: 'pod', name: spoken(client), address, ...(isOnHostNetwork ? {} : entry) }];
    }
    case 'node':
      return listOf(nodeItself(state, host));
    case 'outside':
      return outsideClients(state, frontend?.allowedSources);
    case undefined: {
      if (servicePort === undefined || frontend === undefined) {
        return [];
      }
      // A packet of another node's pod to a cluster IP is handled by that node.
      const remote = frontend.kind === 'ClusterIP' ? [] : [remotePod(state)];
      return [
        localPod(state, servicePort),
        ...remote,
        ...listOf(nodeItself(state, host)),
        ...outsideClients(state, frontend.allowedSources),
      ];
    }
  }
}

function answered(
  state: ProxyState,
  client: Client,
  to: { readonly destination: string; readonly port: number; readonly protocol: Frontend['protocol'] },
  via: FrontendKind | null,
  host: SimulationHost,
): AnsweredCase {
  const packet = { source: client.address, ...to, ...(client.entry ? { entry: client.entry } : {}) };
  return { client, via, explanation: explainSimulation(simulatePacket(state, packet, host)) };
}

/** The address to send to; that of a NodePort is one of this node. */
function addressOf(
  { address, exceptAddresses = [] }: Frontend,
  state: ProxyState,
  host: SimulationHost,
): string | undefined {
  if (address !== undefined) {
    return address;
  }
  const { nodePortAddresses } = state.node;
  const listed = nodePortAddresses.kind === 'listed' ? nodePortAddresses.addresses : [];
  return listed.find((one) => !exceptAddresses.includes(one)) ?? nodeAddress(state, host);
}

function spoken(client: ClientReference | undefined): string {
  switch (client?.kind) {
    case 'pod':
      return `pod ${client.namespace}/${client.name}`;
    case 'address':
      return client.address;
    case 'node':
      return 'this node';
    default:
      return 'a client';
  }
}

function kindsOf(found: readonly FoundServicePort[]): string {
  const kinds = new Set(found.flatMap(({ servicePort }) => servicePort.frontends.map(({ kind }) => kind)));
  return kinds.size === 0 ? 'no address on this node' : [...kinds].sort().join(', ');
}

function familyMatches(address: string, family: IPFamily): boolean {
  return address.includes(':') === (family === 'IPv6');
}

function listOf<T>(item: T | undefined): readonly T[] {
  return item === undefined ? [] : [item];
}
