import { type BackendCapabilities, isProxierError } from '@kube-proxier/core';
import { type ContinuousClient, failuresOf, type SandboxConnection } from '@kube-proxier/network-sandbox';
import type { Capability, CaseFlow, CaseObject, CaseStep, ConformanceCase } from '../cases/conformance-case.js';
import { fill, type Placeholders, placeholdersOf } from '../cases/placeholders.js';
import { type ConformanceFixture, isLoopback } from '../fixture/conformance-fixture.js';
import type { CaseFailure, CaseResult, CaseVariant, LeftOut } from './case-result.js';
import {
  ANSWER_TIMEOUT,
  type FlowContext,
  type FlowMismatch,
  hostNamed,
  judgeFlow,
  type ReadyFlow,
  serverName,
} from './judge-flow.js';
import { Limiter } from './limiter.js';
import { mergePatch } from './merge-patch.js';
import { type SentAmount, sendCounted } from './send-counted.js';

/** Number of concurrent flows: with more, the last of many clients would time out. */
const FLOWS_AT_ONCE = 16;

/**
 * Milliseconds until every endpoint must have answered. A proxy that relays datagrams may avoid an endpoint for some
 * seconds after an ICMP error (userspace: 10, spec U-35), and on rare occasions the kernel sends one for a socket that
 * listens.
 */
const AVOIDED_FOR = 12_000;

/**
 * Timeout in milliseconds for the reset of a connection to a removed endpoint, and the interval between lines sent over
 * it.
 */
const RESET_WITHIN = 10_000;
const TALK_INTERVAL = 300;
/** Errors of a program whose connection is reset by the other end, or by its own host. */
const RESETS: readonly string[] = ['ECONNRESET', 'ECONNABORTED', 'EPIPE'];

/** Default capabilities of a backend. */
const CAPABILITIES: Required<BackendCapabilities> = {
  localhostNodePorts: false,
  localhostNodePortsIPv6: false,
  localhostNetwork: true,
  tracksConnections: true,
  udp: true,
  sctp: true,
  preservesSource: true,
  detectsInterfaces: true,
  serviceAddresses: true,
  externalIPsOfPods: true,
  clusterIPsOfNode: true,
  weights: true,
  resets: true,
  portRanges: false,
  shiftedPortRanges: false,
  servesWithoutProcess: true,
  counting: { servicePorts: [], endpoints: [] },
};

/** Whether a backend has a capability. */
function hasCapability(capabilities: Required<BackendCapabilities>, one: Capability): boolean {
  const { servicePorts, endpoints } = capabilities.counting;
  const counts = (what: 'connections' | 'bytes') => servicePorts.includes(what) && endpoints.includes(what);
  switch (one) {
    case 'connectionCounters':
      return counts('connections');
    case 'trafficCounters':
      return counts('bytes');
    default:
      return Boolean(capabilities[one]);
  }
}

/** State of a case in one of its variants. */
interface VariantRun {
  readonly variant: CaseVariant;
  readonly label: string;
  readonly placeholders: Placeholders;
  readonly objects: Map<string, CaseObject>;
  readonly remembered: Map<string, string>;
  readonly connections: Map<string, SandboxConnection>;
  readonly clients: Map<string, ContinuousClient>;
  /** Connections and clients to addresses that the backend does not serve. */
  readonly leftOut: Set<string>;
}

/** Missing capabilities that a whole case needs. */
export function lackingFor({ needs }: ConformanceCase, capabilities: BackendCapabilities): readonly Capability[] {
  const all = { ...CAPABILITIES, ...capabilities };
  return needs.filter((need) => !hasCapability(all, need));
}

/** Result of a skipped case. */
export function skippedResult({ id, title, spec }: ConformanceCase, lacks: readonly Capability[]): CaseResult {
  return {
    case: { id, title, spec },
    outcome: 'skipped',
    failures: [],
    lacks: lacks.map((capability) => ({ capability, count: 1 })),
    flows: 0,
    milliseconds: 0,
  };
}

/**
 * Runs a case in all its variants concurrently. Failures are in the result.
 *
 * @param patience - factor on all timeouts
 * @throws ConformanceError `CONFORMANCE_BACKEND_UNUSABLE` when the backend reports that it cannot run on this host, and
 * never ran: every case would fail.
 */
export async function runCase(
  fixture: ConformanceFixture,
  one: ConformanceCase,
  capabilities: BackendCapabilities,
  patience: number,
): Promise<CaseResult> {
  return await new CaseRun(fixture, one, { ...CAPABILITIES, ...capabilities }, patience).run();
}

class CaseRun {
  readonly #failures: CaseFailure[] = [];
  readonly #lacks = new Map<LeftOut['capability'], number>();
  #runs: VariantRun[] = [];
  /** Flows to repeat, one after the other. */
  #again: { run: VariantRun; context: FlowContext; ready: ReadyFlow; spec: string | undefined }[] = [];
  readonly #limiter = new Limiter(FLOWS_AT_ONCE);
  #flows = 0;
  #step = 0;

  constructor(
    private readonly fixture: ConformanceFixture,
    private readonly one: ConformanceCase,
    private readonly capabilities: Required<BackendCapabilities>,
    private readonly patience: number,
  ) {}

  async run(): Promise<CaseResult> {
    const { id, title, spec, steps, options } = this.one;
    const started = performance.now();
    try {
      await this.fixture.begin(fill(options, this.#shared()));
      this.#runs = this.#variants();
      for (const step of steps) {
        this.#step += 1;
        await this.#do(step);
        if (this.#failures.length > 0) {
          break;
        }
      }
    } catch (error) {
      if (isProxierError(error) && error.code === 'CONFORMANCE_BACKEND_UNUSABLE' && !this.fixture.hasStarted) {
        throw error;
      }
      this.#fail('all', {
        flow: 'the case could not continue',
        expected: 'no error',
        actual: error instanceof Error ? error.message : String(error),
      });
    } finally {
      await this.#end();
    }
    return {
      case: { id, title, spec },
      outcome: this.#failures.length > 0 ? 'failed' : this.#runs.length === 0 ? 'skipped' : 'passed',
      failures: this.#failures,
      lacks: [...this.#lacks].map(([capability, count]) => ({ capability, count })),
      flows: this.#flows,
      milliseconds: performance.now() - started,
    };
  }

  /** Placeholders with equal values in every variant. */
  #shared(): Placeholders {
    return placeholdersOf(this.fixture.sandbox, this.one.families[0] ?? 'IPv4', 'TCP', 0);
  }

  #variants(): VariantRun[] {
    const { families } = this.one;
    const there = this.fixture.families;
    const protocols = this.one.protocols.filter((protocol) => this.#speaks(protocol));
    if (protocols.length < this.one.protocols.length) {
      this.#lacks.set('udp', families.length);
    }
    for (const family of families.filter((candidate) => !there.includes(candidate))) {
      this.#lacks.set(family, protocols.length);
    }
    return families
      .filter((family) => there.includes(family))
      .flatMap((family) =>
        protocols.map((protocol) => ({
          variant: { family, protocol },
          label: `${family} ${protocol}`,
          placeholders: placeholdersOf(this.fixture.sandbox, family, protocol, this.fixture.nextSlot()),
          objects: new Map(),
          remembered: new Map(),
          connections: new Map(),
          clients: new Map(),
          leftOut: new Set(),
        })),
      );
  }

  #speaks(protocol: CaseVariant['protocol']): boolean {
    return protocol !== 'UDP' || this.capabilities.udp;
  }

  async #do(step: CaseStep): Promise<void> {
    const { fixture } = this;
    if ('apply' in step) {
      await this.#change((run) => step.apply.map((object) => this.#render(run, object)));
    } else if ('patch' in step) {
      await this.#change((run) => {
        const patch = this.#render(run, step.patch);
        return [mergePatch(this.#existing(run, patch.kind, patch.metadata.name), patch) as CaseObject];
      });
    } else if ('endpoints' in step) {
      await this.#change((run) => [this.#withEndpoints(run, step.endpoints)]);
    } else if ('delete' in step) {
      for (const run of this.#runs) {
        for (const { kind, name } of step.delete) {
          const object = this.#existing(run, kind, nameIn(run, name));
          run.objects.delete(keyOf(object));
          fixture.remove(object);
        }
      }
      await fixture.apply();
    } else if ('kill' in step) {
      await fixture.kill();
    } else if ('start' in step) {
      await fixture.start();
      await fixture.apply();
    } else if ('cleanup' in step) {
      await fixture.cleanUp();
    } else if ('flush' in step) {
      await fixture.flush();
    } else {
      await Promise.all(this.#runs.map((run) => this.#checkStep(run, step)));
      await this.#checkAgain();
    }
  }

  async #change(objectsOf: (run: VariantRun) => readonly CaseObject[]): Promise<void> {
    for (const run of this.#runs) {
      for (const object of objectsOf(run)) {
        run.objects.set(keyOf(object), object);
        this.fixture.put(object);
      }
    }
    await this.fixture.apply();
  }

  /** Replaces placeholders, and makes names of Services and EndpointSlices unique for each variant. */
  #render(run: VariantRun, object: CaseObject): CaseObject {
    const filled = fill(object, { ...run.placeholders, ...this.#rememberedAddresses(run) });
    if (filled.kind === 'Node') {
      // All variants share the node: a case that changes it lists only addresses of the variant's family.
      const { node } = this.fixture.sandbox;
      const addresses = [node.ipv4, node.ipv6].map((address) => ({ type: 'InternalIP', address }));
      return { ...filled, status: { addresses } };
    }
    const labels = filled.metadata.labels as Readonly<Record<string, string>> | undefined;
    const service = labels?.['kubernetes.io/service-name'];
    return {
      ...filled,
      metadata: {
        ...filled.metadata,
        name: nameIn(run, filled.metadata.name),
        namespace: 'default',
        ...(service ? { labels: { ...labels, 'kubernetes.io/service-name': nameIn(run, service) } } : {}),
      },
      ...(filled.kind === 'Service' ? { spec: { ipFamilies: [run.variant.family], ...(filled.spec as object) } } : {}),
    };
  }

  #existing(run: VariantRun, kind: string, name: string): CaseObject {
    const found = run.objects.get(`${kind} ${name}`);
    if (!found) {
      throw new RangeError(`unknown ${kind} ${name}; use one of ${[...run.objects.keys()].join(', ')}`);
    }
    return found;
  }

  #withEndpoints(run: VariantRun, change: Extract<CaseStep, { endpoints: unknown }>['endpoints']): CaseObject {
    const slice = this.#existing(run, 'EndpointSlice', nameIn(run, change.slice));
    const placeholders = { ...run.placeholders, ...this.#rememberedAddresses(run) };
    const gone = fill(change.remove ?? [], placeholders);
    const endpoints = (slice.endpoints as { addresses?: readonly string[] }[]).filter(
      ({ addresses = [] }) => !addresses.some((address) => gone.includes(address)),
    );
    return { ...slice, endpoints: [...endpoints, ...fill(change.add ?? [], placeholders)] };
  }

  /** Hosts that answered before, as placeholders for their addresses. */
  #rememberedAddresses(run: VariantRun): Placeholders {
    return Object.fromEntries(
      [...run.remembered].map(([name, host]) => [
        name,
        hostNamed(this.fixture.sandbox, host).address(run.variant.family),
      ]),
    );
  }

  async #checkStep(run: VariantRun, step: CaseStep): Promise<void> {
    if ('flows' in step) {
      await Promise.all(step.flows.map((flow) => this.#limiter.run(() => this.#flow(run, flow, step.within ?? 0))));
    } else if (this.#isLeftOut(run, step)) {
      return;
    } else if ('open' in step) {
      const { as, from, to, port } = fill(step.open, run.placeholders);
      const timeout = ANSWER_TIMEOUT * this.patience;
      const host = hostNamed(this.fixture.sandbox, from);
      run.connections.set(as, await host.open({ to, port: Number(port), timeout }));
    } else if ('talk' in step) {
      const connection = run.connections.get(step.talk);
      const answer = await connection?.send('still there', ANSWER_TIMEOUT * this.patience);
      if (answer?.kind !== 'echoed') {
        this.#fail(run.label, {
          flow: `the open connection ${step.talk}, answered by ${connection?.by}`,
          expected: 'continues',
          actual: answer?.kind === 'timeout' ? 'no answer' : 'cut',
        });
      }
    } else if ('reset' in step) {
      await this.#expectReset(run, step.reset);
    } else if ('client' in step) {
      const { as, from, to, port } = fill(step.client, run.placeholders);
      run.clients.set(as, await hostNamed(this.fixture.sandbox, from).startClient({ to, port: Number(port) }, 5));
    } else if ('attempts' in step) {
      await run.clients.get(step.attempts.of)?.moreAttempts(step.attempts.count);
    } else if ('stop' in step) {
      await this.#stop(run, step.stop);
    } else if ('transfer' in step) {
      await this.#sendCounted(run, step.transfer, { bytes: step.transfer.bytes });
    } else if ('connect' in step) {
      await this.#sendCounted(run, step.connect, { connections: step.connect.times });
    }
  }

  /** Sends traffic to a Service that must be counted. */
  async #sendCounted(
    run: VariantRun,
    step: { readonly service: string; readonly from: string; readonly to: string; readonly port: number | string },
    sent: SentAmount,
  ): Promise<void> {
    const { service, from, to, port } = fill(step, run.placeholders);
    if (!this.capabilities.serviceAddresses && !this.#isForNode(run, to)) {
      this.#lack('serviceAddresses');
      return;
    }
    const name = `default/${nameIn(run, service)}`;
    const services = [...run.objects.values()].filter(({ kind }) => kind === 'Service');
    const otherServices = services.map(({ metadata }) => `default/${metadata.name}`).filter((other) => other !== name);
    this.#flows += 1;
    const mismatch = await sendCounted(
      { fixture: this.fixture, patience: this.patience },
      { service: name, otherServices, variant: run.variant, from, to, port: Number(port) },
      sent,
    );
    if (mismatch !== undefined) {
      this.#fail(run.label, mismatch);
    }
  }

  async #expectReset(run: VariantRun, name: string): Promise<void> {
    const connection = run.connections.get(name);
    const deadline = performance.now() + RESET_WITHIN * this.patience;
    let answer = await connection?.send('anybody there', TALK_INTERVAL);
    while (answer !== undefined && answer.kind !== 'closed' && performance.now() < deadline) {
      answer = await connection?.send('anybody there', TALK_INTERVAL);
    }
    if (answer?.kind !== 'closed' || !RESETS.includes(answer.code ?? '')) {
      this.#fail(run.label, {
        flow: `the open connection ${name}, answered by ${connection?.by}`,
        expected: `is reset within ${(RESET_WITHIN * this.patience) / 1000} s`,
        actual:
          answer?.kind === 'closed'
            ? `ended${answer.code === undefined ? '' : ` (${answer.code})`}`
            : answer?.kind === 'echoed'
              ? 'continues'
              : 'no answer',
      });
    }
  }

  async #stop(run: VariantRun, { of, failures = 0 }: Extract<CaseStep, { stop: unknown }>['stop']): Promise<void> {
    const progress = await run.clients.get(of)?.stop();
    run.clients.delete(of);
    const failed = progress ? failuresOf(progress) : Number.POSITIVE_INFINITY;
    if (failed > failures) {
      const { refused, timeout, reset, unreachable, attempts } = progress ?? {};
      this.#fail(run.label, {
        flow: `the continuous client ${of}`,
        expected: failures === 0 ? 'every connection answered' : `at most ${failures} connections not answered`,
        actual:
          `of ${attempts} connections ${refused} refused, ${timeout} without answer, ${reset} cut, ${unreachable} ` +
          `unreachable`,
      });
    }
  }

  async #flow(run: VariantRun, flow: CaseFlow, within: number): Promise<void> {
    const udp: readonly Capability[] = this.#speaks(flow.protocol ?? run.variant.protocol) ? [] : ['udp'];
    const needs = [
      ...udp,
      ...(this.#isForNode(run, flow.to) ? [] : (['serviceAddresses'] as const)),
      ...(flow.needs ?? []),
    ];
    const lacking = needs.filter((need) => !hasCapability(this.capabilities, need));
    for (const capability of lacking) {
      this.#lack(capability);
    }
    if (lacking.length > 0) {
      return;
    }
    const { preservesSource } = this.capabilities;
    const source = typeof flow.expect === 'string' ? undefined : flow.expect.source;
    if (!preservesSource && source !== undefined && JSON.stringify(source).includes('kept')) {
      this.#lack('preservesSource');
    }
    const { fromPort, ...filled } = fill(flow, run.placeholders);
    const ready: ReadyFlow = {
      ...filled,
      ...(fromPort === undefined ? {} : { fromPort: Number(fromPort) }),
      port: Number(filled.port),
      protocol: filled.protocol ?? run.variant.protocol,
    };
    if (ready.source !== undefined) {
      await this.fixture.lend(ready.source);
    }
    const target = this.fixture.sandbox.hosts.find(({ addresses }) => addresses.includes(ready.to));
    if (ready.expect === 'untouched' && target) {
      await this.fixture.serve(target, ready.port, ready.protocol);
    }
    await this.#serveAt(ready);
    this.#flows += 1;
    const { patience, fixture } = this;
    const context = { sandbox: fixture.sandbox, preservesSource, remembered: run.remembered, patience };
    const deadline = performance.now() + within * 1000 * patience;
    let mismatch = await judgeFlow(context, ready);
    while (mismatch !== undefined && performance.now() < deadline) {
      mismatch = await judgeFlow(context, ready);
    }
    if (mismatch?.missing) {
      this.#again.push({ run, context, ready, spec: flow.spec });
    } else if (mismatch !== undefined) {
      const late = within > 0 ? ` within ${within * this.patience} s` : '';
      this.#fail(run.label, { ...mismatch, expected: `${mismatch.expected}${late}` }, flow.spec);
    }
  }

  /** Starts the separate servers of a flow, identified by their port. */
  async #serveAt({ expect, protocol }: ReadyFlow): Promise<void> {
    const { at, by } = typeof expect === 'string' ? { at: undefined, by: [] } : expect;
    if (at !== undefined) {
      const hosts = this.fixture.sandbox.hosts.filter(({ name }) => by.includes(name));
      await Promise.all(hosts.map((host) => this.fixture.serve(host, at, protocol, serverName(host.name, at))));
    }
  }

  /** Whether a step uses a connection or client that the backend cannot serve. */
  #isLeftOut(run: VariantRun, step: CaseStep): boolean {
    const begun = 'open' in step ? step.open : 'client' in step ? step.client : undefined;
    if (begun !== undefined && !this.capabilities.serviceAddresses && !this.#isForNode(run, begun.to)) {
      this.#lack('serviceAddresses');
      run.leftOut.add(begun.as);
      return true;
    }
    const name =
      'talk' in step
        ? step.talk
        : 'reset' in step
          ? step.reset
          : 'attempts' in step
            ? step.attempts.of
            : 'stop' in step
              ? step.stop.of
              : undefined;
    return name !== undefined && run.leftOut.has(name);
  }

  /** Whether the destination is an address of the node, so that the packet is for a NodePort. */
  #isForNode(run: VariantRun, to: string): boolean {
    const address = String(fill(to, run.placeholders));
    return isLoopback(address) || this.fixture.sandbox.node.addresses.includes(address);
  }

  /** Repeats flows that shared endpoints with others by round robin, one at a time, until all of their endpoints answered. */
  async #checkAgain(): Promise<void> {
    const again = this.#again;
    this.#again = [];
    const deadline = performance.now() + AVOIDED_FOR;
    for (const { run, context, ready, spec } of again) {
      let mismatch = await judgeFlow(context, ready);
      while (mismatch?.missing && performance.now() < deadline) {
        mismatch = await judgeFlow(context, ready);
      }
      if (mismatch !== undefined) {
        this.#fail(run.label, mismatch, spec);
      }
    }
  }

  /** Counts a check that is skipped. */
  #lack(capability: LeftOut['capability']): void {
    this.#lacks.set(capability, (this.#lacks.get(capability) ?? 0) + 1);
  }

  #fail(variant: string, mismatch: FlowMismatch, spec?: string): void {
    this.#failures.push({
      ...mismatch,
      variant,
      step: this.#step,
      spec: spec ?? (this.one.spec.join(', ') || this.one.id),
    });
  }

  async #end(): Promise<void> {
    const open = this.#runs.flatMap(({ connections, clients }) => [
      ...[...connections.values()].map((connection) => connection.close()),
      ...[...clients.values()].map((client) => client.stop()),
    ]);
    await Promise.allSettled([...open, this.fixture.returnAddresses()]);
  }
}

function keyOf({ kind, metadata }: CaseObject): string {
  return `${kind} ${metadata.name}`;
}

/** Names of the case, with variant and slot as suffix. */
function nameIn({ placeholders, variant }: VariantRun, name: string): string {
  return `${name}-${variant.family.toLowerCase()}-${variant.protocol.toLowerCase()}-${placeholders.nodePort}`;
}
