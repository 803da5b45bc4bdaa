import { hostname } from 'node:os';
import {
  DEFAULT_PROXIER_OPTIONS,
  type Explanation,
  explainSimulation,
  familyOf,
  formatSimulation,
  joinHostPort,
  messageOf,
  ObjectReader,
  type Packet,
  ProxierError,
  ProxyStateResolver,
  type SourceHandler,
  silentLogger,
  simulatePacket,
} from '@kube-proxier/core';
import { resolveNodeName } from '@kube-proxier/server';
import type { Composition } from '../compose.js';
import type { AgentSettings } from '../flags/agent-settings.js';
import type { StatusAddress } from '../flags/status-addresses.js';
import { readQuestion } from './packet-question.js';

/** Milliseconds that a running agent may take to answer. */
const ANSWER_TIMEOUT = 5000;

/**
 * Explains how a packet is handled: from manifests if given, else by querying the agent on this host.
 *
 * @returns the answer, as text or JSON.
 * @throws ProxierError when the question is invalid or no agent answers.
 */
export async function explain(
  operands: readonly string[],
  settings: AgentSettings,
  composition: Composition,
): Promise<string> {
  const packet = readQuestion(operands[0] ?? '', operands[1] ?? '');
  const explanation =
    settings.manifests.length > 0
      ? await explainManifests(packet, settings, composition)
      : await askAgent(packet, settings.status);
  return settings.output === 'json' ? `${JSON.stringify(explanation, undefined, 2)}\n` : formatSimulation(explanation);
}

async function explainManifests(
  packet: Packet,
  settings: AgentSettings,
  composition: Composition,
): Promise<Explanation> {
  const nodeName = resolveNodeName(settings.proxier.nodeName, hostname());
  const family = familyOf(packet.destination);
  const addresses =
    settings.bindAddress === '' || /^(0\.0\.0\.0|::)$/.test(settings.bindAddress) ? [] : [settings.bindAddress];
  const options = { ...DEFAULT_PROXIER_OPTIONS, ...settings.proxier, nodeName, nodeAddresses: addresses };
  const resolver = new ProxyStateResolver({
    family,
    options,
    reader: new ObjectReader(undefined, { allowLoopbackEndpoints: settings.allowLoopbackEndpoints }),
    since: 0,
  });
  const handler: SourceHandler = {
    onServiceUpdate: (previous, current) => void resolver.updateService(previous, current),
    onEndpointsUpdate: (previous, current) => void resolver.updateEndpointSlice(previous, current),
    onNodeUpdate: (node) => void resolver.updateNode(node),
    onServiceCIDRsUpdate: (cidrs) => void resolver.updateServiceCIDRs(cidrs),
    onServicesSynced() {},
    onEndpointsSynced() {},
  };
  const sources = composition.sources({ ...settings, kubernetes: undefined }, silentLogger);
  try {
    for (const source of sources) {
      await source.start(handler, { nodeName });
    }
  } finally {
    await Promise.all(sources.map((source) => source.stop()));
  }
  // The manifests describe another host: its addresses are those of its Node object.
  resolver.updateLocalAddresses([...resolver.applyPending().state.node.addresses, '127.0.0.1', '::1']);
  return explainSimulation(simulatePacket(resolver.applyPending().state, packet));
}

async function askAgent(packet: Packet, address: StatusAddress | undefined): Promise<Explanation> {
  if (!address) {
    throw new ProxierError(
      'NO_AGENT',
      'set --manifests to simulate the packet, or --metrics-bind-address to query a running agent',
    );
  }
  const where = joinHostPort(address.host, address.port);
  const query = new URLSearchParams({
    source: packet.source,
    destination: packet.destination,
    port: String(packet.port),
    protocol: packet.protocol,
  });
  let response: Response;
  let body: string;
  try {
    response = await fetch(`http://${where}/debug/explain?${query}`, { signal: AbortSignal.timeout(ANSWER_TIMEOUT) });
    body = await response.text();
  } catch (error) {
    const reason = messageOf(error instanceof Error && error.cause ? error.cause : error);
    throw new ProxierError(
      'NO_AGENT',
      `no agent answers at ${where} (${reason}); start kube-proxier, or set --manifests to simulate the packet without it`,
      { cause: error },
    );
  }
  if (!response.ok) {
    throw new ProxierError('AGENT_REFUSED', `the agent at ${where} answers: ${body.trim()}`);
  }
  return JSON.parse(body) as Explanation;
}
