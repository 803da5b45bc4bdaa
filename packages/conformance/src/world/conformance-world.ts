import { isDeepStrictEqual } from 'node:util';
import type { Branded, IPFamily, ProxierOptions } from '@kube-proxier/core';
import { NetworkSandbox, SANDBOX_NETWORK, type SandboxHost, type SandboxProtocol } from '@kube-proxier/network-sandbox';
import { BackendProcess } from '../backend/backend-process.js';
import type { BackendChoice, CountedTotal, ObjectChange } from '../backend/messages.js';
import type { CaseObject, CaseOptions } from '../cases/conformance-case.js';

/** Hosts of the sandbox: as many as the largest case has endpoints. */
const PODS = { pods: 5, remotePods: 6 };

/** Default options of the proxier of a run; cases may override them. */
const OPTIONS: Partial<ProxierOptions> = {
  nodeName: SANDBOX_NETWORK.nodeName,
  localTrafficDetection: { kind: 'cluster-cidr', cidrs: SANDBOX_NETWORK.clusterCIDRs },
  // Changes are programmed without delay.
  minSyncPeriod: 0,
  syncBurst: 1000,
};

/** Script that flushes the packet filters of a node, as another program would. */
const FLUSH = `for tool in iptables-legacy ip6tables-legacy; do
  for table in nat filter mangle; do command -v $tool >/dev/null && $tool -w 5 -t $table -F 2>/dev/null; done
done
for family in ip ip6 inet; do
  nft list tables $family 2>/dev/null | while read -r _ family name; do nft flush table $family "$name"; done
done
true`;

/** `kind namespace/name`. */
type ObjectKey = Branded<'ObjectKey'>;

/** An object that the backend receives as such. */
type SentObject = CaseObject & Pick<ObjectChange, 'kind'>;

/**
 * A sandbox with a backend on its node, and the objects that were sent to the backend. It runs one case after the other:
 * the objects of the next replace those of the last in one step.
 */
export class ConformanceWorld {
  #backend: BackendProcess | undefined;
  #proxier: Partial<ProxierOptions> = {};
  /** Objects that the backend should have. */
  #wanted = new Map<ObjectKey, SentObject>();
  /** Objects that were sent to it. */
  #sent = new Map<ObjectKey, SentObject>();
  #sentCIDRs: readonly string[] = [];
  #serviceCIDRs: readonly string[] = [];
  /** Servers that listen or are starting. */
  readonly #served = new Map<string, Promise<unknown>>();
  readonly #lent = new Set<string>();
  #slot = 0;
  #hasStarted = false;

  private constructor(
    readonly sandbox: NetworkSandbox,
    private readonly choice: BackendChoice,
    private readonly patience: number,
  ) {}

  /**
   * @param patience - factor on all timeouts
   * @throws SandboxError when namespaces cannot be created.
   */
  static async create(choice: BackendChoice, patience: number): Promise<ConformanceWorld> {
    return new ConformanceWorld(await NetworkSandbox.create(PODS), choice, patience);
  }

  /** A unique number for each run of a case. */
  nextSlot(): number {
    return this.#slot++;
  }

  /** IP families that the backend serves on this host. Known after its start. */
  get families(): readonly IPFamily[] {
    return this.#backend?.families ?? [];
  }

  /** Whether the backend ever started in this sandbox. */
  get hasStarted(): boolean {
    return this.#hasStarted;
  }

  /** Command that enters the node's network namespace. */
  get enter(): string {
    return `ip netns exec ${this.sandbox.node.namespace} sh`;
  }

  /** Whether the backend runs with these options already. */
  runsWith(options: CaseOptions): boolean {
    return this.#backend !== undefined && isDeepStrictEqual(this.#proxier, { ...OPTIONS, ...options });
  }

  /** Drops the objects of the last case, and makes the backend run with these options. */
  async begin(options: CaseOptions): Promise<void> {
    this.#wanted.clear();
    this.#serviceCIDRs = [];
    this.put(defaultNode(this.sandbox));
    if (!this.runsWith(options)) {
      this.#proxier = { ...OPTIONS, ...options };
      await this.kill();
      await this.start();
    }
  }

  /** Adds or replaces an object; sent with the next {@link apply}. */
  put(object: CaseObject): void {
    const { kind } = object;
    if (kind === 'ServiceCIDR') {
      const { cidrs = [] } = object.spec as { cidrs?: readonly string[] };
      this.#serviceCIDRs = [...new Set([...this.#serviceCIDRs, ...cidrs])];
    } else {
      this.#wanted.set(keyOf(object), { ...object, kind });
    }
  }

  remove(object: CaseObject): void {
    this.#wanted.delete(keyOf(object));
  }

  /**
   * Sends changes to the backend, and waits until they are programmed. Endpoints answer before that. While the backend is killed,
   * changes wait for its start.
   */
  async apply(): Promise<void> {
    await this.#serveEndpoints();
    if (this.#backend === undefined && this.#hasStarted) {
      return;
    }
    const changes: ObjectChange[] = [];
    for (const [key, previous] of this.#sent) {
      if (!this.#wanted.has(key)) {
        changes.push({ kind: previous.kind, previous });
      }
    }
    for (const [key, current] of this.#wanted) {
      const previous = this.#sent.get(key);
      if (!isDeepStrictEqual(previous, current)) {
        changes.push({ kind: current.kind, ...(previous ? { previous } : {}), current });
      }
    }
    const cidrs = isDeepStrictEqual(this.#sentCIDRs, this.#serviceCIDRs) ? undefined : this.#serviceCIDRs;
    this.#sent = new Map(this.#wanted);
    this.#sentCIDRs = this.#serviceCIDRs;
    await this.#running.apply(changes, cidrs);
  }

  /** The counts of the backend. */
  count(): Promise<readonly CountedTotal[]> {
    return this.#running.count();
  }

  /** Kills the backend with SIGKILL. */
  async kill(): Promise<void> {
    await this.#backend?.kill();
    this.#backend = undefined;
  }

  /** Starts the backend; all objects are sent with the next {@link apply}. */
  async start(): Promise<void> {
    this.#sent.clear();
    this.#sentCIDRs = [];
    this.#backend = await BackendProcess.start(
      (command, options) => this.sandbox.node.spawn(command, options),
      this.choice,
      this.#proxier,
      this.patience,
    );
    this.#hasStarted = true;
  }

  async flush(): Promise<void> {
    await this.sandbox.node.exec(['sh', '-s'], { stdin: FLUSH });
  }

  /** Adds an address to the node, so that a flow can use it as its source. */
  async lend(address: string): Promise<void> {
    const known = this.sandbox.hosts.some(({ addresses }) => addresses.includes(address));
    if (known || isLoopback(address) || this.#lent.has(address)) {
      return;
    }
    this.#lent.add(address);
    await this.#changeAddress('add', address);
  }

  /** Removes the added addresses. */
  async returnAddresses(): Promise<void> {
    const lent = [...this.#lent];
    this.#lent.clear();
    await Promise.all(lent.map((address) => this.#changeAddress('del', address)));
  }

  /** With scope host, so that it is never chosen for masquerading. */
  async #changeAddress(verb: 'add' | 'del', address: string): Promise<void> {
    const rest = address.includes(':') ? ['nodad'] : ['scope', 'host'];
    const network = `${address}/${address.includes(':') ? 128 : 32}`;
    await this.sandbox.node.exec(['ip', 'addr', verb, network, 'dev', 'lo', ...(verb === 'add' ? rest : [])]);
  }

  /** Makes a host other than the node answer. */
  async serve(host: SandboxHost, port: number, protocol: SandboxProtocol, name = host.name): Promise<void> {
    if (host !== this.sandbox.node) {
      await this.#listen(host, port, protocol, name);
    }
  }

  async #listen(host: SandboxHost, port: number, protocol: SandboxProtocol, name = host.name): Promise<void> {
    const key = `${host.name} ${port} ${protocol}`;
    const served = this.#served.get(key) ?? host.serve({ port, protocol, name });
    this.#served.set(key, served);
    await served;
  }

  /** Kills the backend, and runs its cleanup. */
  async cleanUp(): Promise<void> {
    await this.kill();
    await BackendProcess.cleanUp(
      (command, options) => this.sandbox.node.spawn(command, options),
      this.choice,
      this.patience,
    );
  }

  async close(): Promise<void> {
    try {
      await this.kill();
    } finally {
      await this.sandbox.close();
    }
  }

  get #running(): BackendProcess {
    if (!this.#backend) {
      throw new Error('the backend is not running: a case that kills it must start it again');
    }
    return this.#backend;
  }

  /** Makes every endpoint of an EndpointSlice that is a host of the sandbox answer on the ports of the slice. */
  async #serveEndpoints(): Promise<void> {
    const starting: Promise<unknown>[] = [];
    for (const object of this.#wanted.values() as Iterable<Record<string, unknown>>) {
      const ports = (object.kind === 'EndpointSlice' ? object.ports : []) as { port?: number; protocol?: string }[];
      const endpoints = (object.endpoints ?? []) as { addresses?: string[] }[];
      for (const address of endpoints.flatMap(({ addresses = [] }) => addresses)) {
        const host = this.sandbox.hosts.find(({ addresses }) => addresses.includes(address));
        for (const { port = 0, protocol = 'TCP' } of ports ?? []) {
          if (host && (protocol === 'TCP' || protocol === 'UDP')) {
            starting.push(this.#listen(host, port, protocol));
          }
        }
      }
    }
    await Promise.all(starting);
  }
}

function keyOf({ kind, metadata }: CaseObject): ObjectKey {
  return `${kind} ${metadata.namespace ?? 'default'}/${metadata.name}` as ObjectKey;
}

/** Whether an address is a loopback address. */
export function isLoopback(address: string): boolean {
  return address === '::1' || address.startsWith('127.');
}

/** The default Node. */
function defaultNode({ node }: NetworkSandbox): CaseObject {
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: SANDBOX_NETWORK.nodeName },
    status: {
      addresses: [node.ipv4, node.ipv6].map((address) => ({ type: 'InternalIP', address })),
    },
  };
}
