import {
  type Clock,
  type EndpointSlice,
  type IPFamily,
  joinHostPort,
  type Logger,
  messageOf,
  PROBE_NAMESPACE,
  type ProxyState,
  parseAddress,
  type ResolvedServicePort,
  type Service,
  type SourceHandler,
  type SyncSuccess,
  servicePortKey,
  specialAddress,
} from '@kube-proxier/core';
import { ServicePortTally } from '../metrics/service-port-tally.js';
import { type KeptTime, keepTime, presentTime } from '../status/kept-time.js';
import { probeConnection } from './probe-connection.js';
import { ProbeListener } from './probe-listener.js';
import { PROBE_PORT, probeObjects, probeServiceName } from './probe-objects.js';
import type { ProbeStatus, ProbeVerdict } from './probe-options.js';

/** Dependencies of a {@link FamilyProbe}. */
export interface FamilyProbeContext {
  readonly family: IPFamily;
  /** Cluster IP of its Service. */
  readonly clusterIP: string;
  readonly nodeName: string;
  readonly handler: Pick<SourceHandler, 'onServiceUpdate' | 'onEndpointsUpdate'>;
  /** Canonical addresses of this host, of both families. */
  readonly localAddresses: () => Promise<readonly string[]>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Timeout of a probe in milliseconds. */
  readonly timeout: number;
  readonly signal: AbortSignal;
}

/** A finished probe of a family; `unknown` when it could not be probed. */
export interface ProbeResult {
  readonly verdict: ProbeVerdict;
  readonly milliseconds?: number;
}

interface Finding {
  readonly verdict: ProbeVerdict;
  readonly reason: string | undefined;
  readonly impossible: boolean;
}

/**
 * Probes the data plane of one IP family: reports a Service whose endpoint is a listener of this process, and connects
 * to its cluster IP. Real Services have precedence: while one has the address or the name, the Service of the probe is
 * withdrawn.
 */
export class FamilyProbe {
  readonly #context: FamilyProbeContext;
  /** Service ports of the cluster that have the address. */
  readonly #others = new ServicePortTally((port: ResolvedServicePort) => this.#nameOfClaimant(port));
  readonly #key;
  #claimants: readonly string[] = [];
  /** Addresses of this host, as of the last probe. */
  #local: ReadonlySet<string> = new Set();
  #state: ProxyState | undefined;
  #listener: ProbeListener | undefined;
  #objects: { readonly service: Service; readonly slice: EndpointSlice } | undefined;
  #finding: Finding = unknown('waiting for the first sync');
  #failures = 0;
  #hasAddress = true;
  #lastSuccess: KeptTime | undefined;
  #milliseconds: number | undefined;

  constructor(context: FamilyProbeContext) {
    this.#context = context;
    const name = probeServiceName(context.family);
    this.#key = servicePortKey({ namespace: PROBE_NAMESPACE, name, portName: '', protocol: 'TCP' });
  }

  /** Whether the host has an address of this family, so that its data plane is relevant. */
  get hasAddress(): boolean {
    return this.#hasAddress;
  }

  /** The kernel now has this state. */
  synced({ state, changes }: Pick<SyncSuccess, 'state' | 'changes'>): void {
    const isAnew = changes.previous === undefined;
    const others = this.#others.update(state.family, changes.resolvedServicePorts, isAnew);
    this.#claimants = [...new Set(others.values())];
    this.#state = state;
    if (this.#claimants.length > 0) {
      this.#withdraw();
    }
  }

  status(): ProbeStatus {
    const { clusterIP, clock } = this.#context;
    const { verdict, reason, impossible } = this.#finding;
    return {
      verdict,
      frontend: joinHostPort(clusterIP, PROBE_PORT),
      endpoint: this.#listener === undefined ? null : joinHostPort(this.#listener.address, this.#listener.port),
      reason: reason ?? null,
      impossible,
      failures: this.#failures,
      lastSuccess:
        this.#lastSuccess === undefined ? null : new Date(presentTime(this.#lastSuccess, clock)).toISOString(),
      milliseconds: this.#milliseconds ?? null,
    };
  }

  /** Probes once. Never rejects. */
  async probe(): Promise<ProbeResult> {
    const obstacle = await this.#prepare();
    const listener = this.#listener;
    if (obstacle !== undefined || listener === undefined) {
      this.#note(obstacle ?? unknown('the listener is not open'));
      return { verdict: 'unknown' };
    }
    const { clusterIP, timeout, signal, clock } = this.#context;
    const target = { address: clusterIP, port: PROBE_PORT, answer: listener.answer, timeout };
    const outcome = await probeConnection(target, signal);
    if (signal.aborted) {
      return { verdict: 'unknown' };
    }
    if (outcome.kind === 'failed') {
      // The result may be due to a concurrent sync.
      const changed = this.#waiting(listener);
      if (changed !== undefined) {
        this.#note(changed);
        return { verdict: 'unknown' };
      }
      this.#failures += 1;
      this.#note({ verdict: 'failed', reason: outcome.reason, impossible: false });
      return { verdict: 'failed' };
    }
    this.#failures = 0;
    this.#lastSuccess = keepTime(clock);
    this.#milliseconds = Math.round(outcome.milliseconds * 10) / 10;
    this.#note({ verdict: 'ok', reason: undefined, impossible: false });
    return { verdict: 'ok', milliseconds: outcome.milliseconds };
  }

  /** Closes the listener. The Service stays installed, as all rules do. */
  close(): void {
    this.#listener?.close();
    this.#listener = undefined;
  }

  /** Opens the listener and reports the objects, if needed. @returns why the family cannot be probed now. */
  async #prepare(): Promise<Finding | undefined> {
    const { clusterIP, family, localAddresses } = this.#context;
    const state = this.#state;
    if (state === undefined) {
      return unknown('waiting for the first sync');
    }
    if (this.#claimants.length > 0) {
      return impossible(`${clusterIP} is an address of Service ${this.#claimants.slice(0, 3).join(', ')}`);
    }
    let local: readonly string[];
    try {
      local = await localAddresses();
    } catch (error) {
      return impossible(`the addresses of this host cannot be read: ${messageOf(error)}`);
    }
    this.#local = new Set(local);
    const foundLocal = this.#localConflict(local, state);
    if (foundLocal !== undefined) {
      this.#withdraw();
      return impossible(foundLocal);
    }
    const address = endpointAddress(local, state);
    if (address === undefined) {
      this.#withdraw();
      this.#hasAddress = false;
      return unknown(`this host has no ${family} address`);
    }
    this.#hasAddress = true;
    if (this.#listener?.address !== address) {
      this.close();
      try {
        this.#listener = await ProbeListener.open(address, (source) => this.#local.has(source));
      } catch (error) {
        this.#withdraw();
        return impossible(`cannot listen at ${joinHostPort(address, 0)}: ${messageOf(error)}`);
      }
      this.#report(this.#listener);
    } else if (this.#objects === undefined) {
      this.#report(this.#listener);
    }
    return this.#listener && this.#waiting(this.#listener);
  }

  /** Why the address cannot be a Service address on this host. */
  #localConflict(local: readonly string[], state: ProxyState): string | undefined {
    const { clusterIP } = this.#context;
    // Mode ipvs adds cluster IPs to the host.
    const isOurs = this.#objects !== undefined || state.clusterIPs.has(clusterIP);
    return local.includes(clusterIP) && !isOurs ? `${clusterIP} is an address of this host` : undefined;
  }

  /** Why the state in force lacks the endpoint. */
  #waiting({ address, port }: ProbeListener): Finding | undefined {
    const installed = this.#state?.servicePorts.get(this.#key);
    const isInstalled = installed?.cluster.some((endpoint) => endpoint.address === address && endpoint.port === port);
    return isInstalled === true ? undefined : unknown('waiting for the sync that programs its Service');
  }

  #report({ address, port }: ProbeListener): void {
    const { family, clusterIP, nodeName, handler } = this.#context;
    const previous = this.#objects;
    const next = probeObjects({ family, nodeName, clusterIP, endpoint: { address, port } });
    this.#objects = { service: previous?.service ?? next.service, slice: next.slice };
    if (previous === undefined) {
      handler.onServiceUpdate(undefined, next.service);
    }
    handler.onEndpointsUpdate(previous?.slice, next.slice);
  }

  #withdraw(): void {
    const objects = this.#objects;
    if (objects !== undefined) {
      this.#objects = undefined;
      this.#context.handler.onServiceUpdate(objects.service, undefined);
      this.#context.handler.onEndpointsUpdate(objects.slice, undefined);
    }
    this.close();
  }

  #nameOfClaimant({ key, name, frontends, servicePort }: ResolvedServicePort): string | undefined {
    const { clusterIP } = this.#context;
    const hasAddress = servicePort.clusterIP === clusterIP || frontends.some(({ address }) => address === clusterIP);
    return key !== this.#key && hasAddress ? `${name.namespace}/${name.name}` : undefined;
  }

  #note(finding: Finding): void {
    const before = this.#finding;
    this.#finding = finding;
    if (before.verdict === finding.verdict && before.reason === finding.reason) {
      return;
    }
    const { family, clusterIP, logger } = this.#context;
    const what = `The ${family} data plane`;
    const detail = { address: joinHostPort(clusterIP, PROBE_PORT) };
    if (finding.verdict === 'failed') {
      logger.warn(`${what} failed a probe: ${finding.reason}`, detail);
    } else if (finding.impossible) {
      logger.warn(`${what} cannot be probed: ${finding.reason}; set --probe-addresses to an unused address`, detail);
    } else if (finding.verdict === 'ok' && before.verdict !== 'ok') {
      logger.info(`${what} passes its probe`, detail);
    }
  }
}

function unknown(reason: string): Finding {
  return { verdict: 'unknown', reason, impossible: false };
}

function impossible(reason: string): Finding {
  return { verdict: 'unknown', reason, impossible: true };
}

/** An address of the Node that this host has; else any non-loopback address. */
function endpointAddress(local: readonly string[], { family, node, clusterIPs }: ProxyState): string | undefined {
  const isUsable = (text: string) => {
    const address = parseAddress(text);
    // Mode ipvs adds cluster IPs to the host.
    return address?.family === family && specialAddress(address) === undefined && !clusterIPs.has(text);
  };
  return node.addresses.find((address) => local.includes(address) && isUsable(address)) ?? local.find(isUsable);
}
