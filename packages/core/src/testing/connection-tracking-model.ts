import { type IPFamily, joinHostPort } from '../model/address.js';
import { type FrontendKey, frontendKey, parseFrontendKey } from '../model/frontend.js';
import type { ProxyState, ResolvedServicePort } from '../model/proxy-state.js';
import type { ServicePortKey } from '../model/service-port-name.js';
import type { InstalledServicePorts } from './fake-dataplane.js';
import type { Random } from './random.js';

/** A UDP flow tracked by the model, as in conntrack: both tuples of one client's packets. */
export interface SimulatedFlow {
  readonly family: IPFamily;
  readonly protocol: 'UDP';
  readonly original: SimulatedTuple;
  /** The reply tuple: its source is the endpoint, or the original destination where no rule translated it. */
  readonly reply: SimulatedTuple;
}

/** Addresses are canonical. */
export interface SimulatedTuple {
  readonly source: string;
  readonly sourcePort: number;
  readonly destination: string;
  readonly destinationPort: number;
}

/** Addresses of the simulated node: packets to them reach NodePorts. */
export const SIMULATED_NODE_ADDRESSES: Readonly<Record<IPFamily, string>> = { IPv4: '192.0.2.77', IPv6: 'fd00:9::77' };

const CLIENTS: Readonly<Record<IPFamily, string>> = { IPv4: '203.0.113.9', IPv6: 'fd00:8::9' };
/** Few source ports, so that clients reuse them. */
const SOURCE_PORTS = 8;

/**
 * The kernel's connection tracking for UDP: the first packet of a flow is translated by the rules installed at that
 * time, and every later packet of the same client takes the same path until the entry is deleted, whatever is installed
 * then. Clients never stop sending.
 */
export class ConnectionTrackingModel {
  readonly #flows = new Map<string, SimulatedFlow>();

  constructor(private readonly random: Random) {}

  /** All tracked flows. */
  get flows(): readonly SimulatedFlow[] {
    return [...this.#flows.values()];
  }

  /** Deletes the entry, as `conntrack -D` with both tuples. @returns whether it was tracked. */
  delete(flow: Pick<SimulatedFlow, 'family' | 'original'>): boolean {
    return this.#flows.delete(keyOf(flow));
  }

  /** A client sends one packet to the frontend of a UDP service port that exists, or existed. */
  send(family: IPFamily, frontendKeys: readonly FrontendKey[], installed: InstalledServicePorts): void {
    const frontends = frontendKeys.filter((key) => parseFrontendKey(key).protocol === 'UDP');
    if (frontends.length === 0) {
      return;
    }
    const frontend = this.random.pick(frontends);
    const { address, port } = destinationOf(frontend, family);
    const original = {
      source: CLIENTS[family],
      sourcePort: 1024 + this.random.below(SOURCE_PORTS),
      destination: address,
      destinationPort: port,
    };
    const key = keyOf({ family, original });
    if (this.#flows.has(key)) {
      return;
    }
    const endpoint = this.#translate(frontend, installed);
    if (endpoint !== undefined) {
      const reply = { ...split(endpoint === '' ? joinHostPort(address, port) : endpoint), ...clientOf(original) };
      this.#flows.set(key, { family, protocol: 'UDP', original, reply });
    }
  }

  /**
   * Removes flows to frontends that are not in this state. Frontends that were removed during a restart are unknown
   * afterwards.
   */
  forgetUnknown({ family, frontends }: ProxyState): void {
    for (const flow of this.#flows.values()) {
      if (flow.family === family && !frontends.has(frontendKeyOf(flow))) {
        this.delete(flow);
      }
    }
  }

  /**
   * Checks an invariant after a sync and its observers: no UDP flow leads to an address that is not an endpoint of its
   * Service, to an endpoint that does not serve while another does, or to another path than the current rules.
   *
   * @param flows the flows that were tracked at the end of the sync.
   * @returns a description of the first such flow; undefined when there is none.
   */
  findStale({ family, frontends, servicePorts }: ProxyState, flows: ReadonlySet<SimulatedFlow>): string | undefined {
    for (const flow of this.#flows.values()) {
      if (flow.family !== family || !flows.has(flow)) {
        continue;
      }
      const { destination, destinationPort } = flow.original;
      const frontend = frontendKeyOf(flow);
      const holder = servicePortOf(servicePorts, frontends.get(frontend));
      const endpoint = joinHostPort(flow.reply.source, flow.reply.sourcePort);
      const isTranslated = flow.reply.source !== destination || flow.reply.sourcePort !== destinationPort;
      const wrong =
        holder === undefined
          ? isTranslated
            ? 'which no endpoint serves any more'
            : ''
          : judge(holder, endpoint, isTranslated);
      if (wrong !== '') {
        return `${family} flow to ${frontend} leads to ${endpoint}, ${wrong}`;
      }
    }
    return undefined;
  }

  /** The endpoint; '' where no rule matches; undefined where a rule ends the flow. */
  #translate(frontend: FrontendKey, installed: InstalledServicePorts): string | undefined {
    for (const text of installed.values()) {
      const port = JSON.parse(text) as { frontends: string[]; cluster: string[]; local: string[] };
      for (const rendered of port.frontends) {
        const { key, allowedSources, routes } = JSON.parse(rendered) as {
          key: string;
          allowedSources?: string[];
          routes: { action: string; endpoints?: 'cluster' | 'local' }[];
        };
        if (key === frontend) {
          const route = routes.at(-1);
          return route?.endpoints === undefined || allowedSources !== undefined
            ? undefined
            : this.random.pick(port[route.endpoints]);
        }
      }
    }
    return '';
  }
}

function judge({ candidates }: ResolvedServicePort, endpoint: string, isTranslated: boolean): string {
  const isServed = candidates.some(({ serving }) => serving);
  const found = candidates.find(({ key }) => key === endpoint);
  if (found === undefined) {
    // Without a serving endpoint, a packet that no rule translates is rejected.
    return isServed || isTranslated ? 'which is not one of its endpoints' : '';
  }
  return isServed && !found.serving ? 'which does not serve while others do' : '';
}

function servicePortOf(
  servicePorts: ProxyState['servicePorts'],
  key: ServicePortKey | undefined,
): ResolvedServicePort | undefined {
  return key === undefined ? undefined : servicePorts.get(key);
}

function frontendKeyOf({ family, original: { destination, destinationPort } }: SimulatedFlow): FrontendKey {
  const isNodePort = destination === SIMULATED_NODE_ADDRESSES[family];
  return frontendKey('UDP', isNodePort ? undefined : destination, destinationPort);
}

function destinationOf(frontend: FrontendKey, family: IPFamily): { address: string; port: number } {
  const { address = SIMULATED_NODE_ADDRESSES[family], port } = parseFrontendKey(frontend);
  return { address, port };
}

function split(hostPort: string): { source: string; sourcePort: number } {
  const colon = hostPort.lastIndexOf(':');
  const host = hostPort.slice(0, colon);
  return { source: host.startsWith('[') ? host.slice(1, -1) : host, sourcePort: Number(hostPort.slice(colon + 1)) };
}

function clientOf({ source, sourcePort }: SimulatedTuple): { destination: string; destinationPort: number } {
  return { destination: source, destinationPort: sourcePort };
}

function keyOf({ family, original }: Pick<SimulatedFlow, 'family' | 'original'>): string {
  const { source, sourcePort, destination, destinationPort } = original;
  return `${family} ${joinHostPort(source, sourcePort)} ${joinHostPort(destination, destinationPort)}`;
}
