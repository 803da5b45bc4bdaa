import { isDeepStrictEqual } from 'node:util';
import type { IPFamily, ProxierOptions } from '@kube-proxier/core';
import { NetworkSandbox, SANDBOX_NETWORK, type SandboxHost, type SandboxProtocol } from '@kube-proxier/linux/testing';
import { BackendProcess } from '../backend/backend-process.js';
import type { BackendChoice, ObjectChange } from '../backend/messages.js';
import type { CaseObject, CaseOptions } from '../cases/conformance-case.js';

/** Hosts of the sandbox: as many as the largest case has endpoints. */
const PODS = { pods: 5, remotePods: 6 };

/** What every proxier of a run is told, unless a case says otherwise. */
const OPTIONS: Partial<ProxierOptions> = {
  nodeName: SANDBOX_NETWORK.nodeName,
  localTrafficDetection: { kind: 'cluster-cidr', cidrs: SANDBOX_NETWORK.clusterCIDRs },
  // Changes are in force as fast as the backend can.
  minSyncPeriod: 0,
  syncBurst: 1000,
};

/** The packet filters of a node, emptied by somebody who does not ask. */
const FLUSH = `for tool in iptables-legacy ip6tables-legacy; do
  for table in nat filter mangle; do command -v $tool >/dev/null && $tool -w 5 -t $table -F 2>/dev/null; done
done
for family in ip ip6 inet; do
  nft list tables $family 2>/dev/null | while read -r _ family name; do nft flush table $family "$name"; done
done
true`;

type ObjectKey = string;

/**
 * A sandbox with a backend on its node, and the objects that the backend was told of. It serves one case after the
 * other: the objects of the next replace those of the last in one go.
 */
export class ConformanceWorld {
  #backend: BackendProcess | undefined;
  #proxier: Partial<ProxierOptions> = {};
  /** What the backend should know. */
  #wanted = new Map<ObjectKey, object>();
  /** What it was told. */
  #told = new Map<ObjectKey, object>();
  #toldCIDRs: readonly string[] = [];
  #serviceCIDRs: readonly string[] = [];
  readonly #served = new Set<string>();
  readonly #lent = new Set<string>();
  #slot = 0;
  #hasStarted = false;

  private constructor(
    readonly sandbox: NetworkSandbox,
    private readonly choice: BackendChoice,
  ) {}

  /** @throws SandboxError where namespaces cannot be made. */
  static async create(choice: BackendChoice): Promise<ConformanceWorld> {
    return new ConformanceWorld(await NetworkSandbox.create(PODS), choice);
  }

  /** A number of its own for each run of a case. */
  nextSlot(): number {
    return this.#slot++;
  }

  /** IP families that the backend serves here. Known once it was started. */
  get families(): readonly IPFamily[] {
    return this.#backend?.families ?? [];
  }

  /** Whether the backend ever started here. */
  get hasStarted(): boolean {
    return this.#hasStarted;
  }

  /** Words to enter the node's network namespace with. */
  get enter(): string {
    return `ip netns exec ${this.sandbox.node.namespace} sh`;
  }

  /** Whether the backend runs with these options already. */
  runsWith(options: CaseOptions): boolean {
    return this.#backend !== undefined && isDeepStrictEqual(this.#proxier, { ...OPTIONS, ...options });
  }

  /** Forgets the objects of the last case, and has the backend run with these options. */
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

  /** Adds or replaces an object; told with the next {@link apply}. */
  put(object: CaseObject): void {
    if (object.kind === 'ServiceCIDR') {
      const { cidrs = [] } = object.spec as { cidrs?: readonly string[] };
      this.#serviceCIDRs = [...new Set([...this.#serviceCIDRs, ...cidrs])];
    } else {
      this.#wanted.set(keyOf(object), object);
    }
  }

  remove(object: CaseObject): void {
    this.#wanted.delete(keyOf(object));
  }

  /** Tells the backend what changed, and waits until it is in force. Endpoints answer before that. */
  async apply(): Promise<void> {
    await this.#serveEndpoints();
    const changes: ObjectChange[] = [];
    for (const [key, previous] of this.#told) {
      if (!this.#wanted.has(key)) {
        changes.push({ kind: kindOf(key), previous });
      }
    }
    for (const [key, current] of this.#wanted) {
      const previous = this.#told.get(key);
      if (!isDeepStrictEqual(previous, current)) {
        changes.push({ kind: kindOf(key), ...(previous ? { previous } : {}), current });
      }
    }
    const cidrs = isDeepStrictEqual(this.#toldCIDRs, this.#serviceCIDRs) ? undefined : this.#serviceCIDRs;
    this.#told = new Map(this.#wanted);
    this.#toldCIDRs = this.#serviceCIDRs;
    await this.#running.apply(changes, cidrs);
  }

  /** SIGKILL to the backend. */
  async kill(): Promise<void> {
    await this.#backend?.kill();
    this.#backend = undefined;
  }

  /** Starts the backend; it is told everything with the next {@link apply}. */
  async start(): Promise<void> {
    this.#told.clear();
    this.#toldCIDRs = [];
    this.#backend = await BackendProcess.start(
      (command, options) => this.sandbox.node.spawn(command, options),
      this.choice,
      this.#proxier,
    );
    this.#hasStarted = true;
  }

  async flush(): Promise<void> {
    await this.sandbox.node.exec(['sh', '-s'], { stdin: FLUSH });
  }

  /** Gives the node an address that it does not have yet, so that a flow can have it for its source. */
  async lend(address: string): Promise<void> {
    const known = this.sandbox.hosts.some(({ addresses }) => addresses.includes(address));
    if (known || isLoopback(address) || this.#lent.has(address)) {
      return;
    }
    this.#lent.add(address);
    await this.#changeAddress('add', address);
  }

  /** Takes back what was lent. */
  async returnAddresses(): Promise<void> {
    const lent = [...this.#lent];
    this.#lent.clear();
    await Promise.all(lent.map((address) => this.#changeAddress('del', address)));
  }

  /** With the scope of the host, so that nobody is masqueraded with it. */
  async #changeAddress(verb: 'add' | 'del', address: string): Promise<void> {
    const rest = address.includes(':') ? ['nodad'] : ['scope', 'host'];
    const network = `${address}/${address.includes(':') ? 128 : 32}`;
    await this.sandbox.node.exec(['ip', 'addr', verb, network, 'dev', 'lo', ...(verb === 'add' ? rest : [])]);
  }

  /** Has a host other than the node answer. */
  async serve(host: SandboxHost, port: number, protocol: SandboxProtocol): Promise<void> {
    const key = `${host.name} ${port} ${protocol}`;
    if (host !== this.sandbox.node && !this.#served.has(key)) {
      this.#served.add(key);
      await host.serve({ port, protocol });
    }
  }

  /** Kills the backend, and has it remove what it programmed. */
  async cleanUp(): Promise<void> {
    await this.kill();
    await BackendProcess.cleanUp((command, options) => this.sandbox.node.spawn(command, options), this.choice);
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

  /** Every endpoint of an EndpointSlice that is a host of the sandbox answers on the ports of the slice. */
  async #serveEndpoints(): Promise<void> {
    const starting: Promise<unknown>[] = [];
    for (const object of this.#wanted.values() as Iterable<Record<string, unknown>>) {
      const ports = (object.kind === 'EndpointSlice' ? object.ports : []) as { port?: number; protocol?: string }[];
      const endpoints = (object.endpoints ?? []) as { addresses?: string[] }[];
      for (const address of endpoints.flatMap(({ addresses = [] }) => addresses)) {
        const host = this.sandbox.hosts.find(({ addresses }) => addresses.includes(address));
        for (const { port = 0, protocol = 'TCP' } of ports ?? []) {
          if (host && (protocol === 'TCP' || protocol === 'UDP')) {
            starting.push(this.serve(host, port, protocol));
          }
        }
      }
    }
    await Promise.all(starting);
  }
}

function keyOf({ kind, metadata }: CaseObject): ObjectKey {
  return `${kind} ${metadata.namespace ?? 'default'}/${metadata.name}`;
}

function kindOf(key: ObjectKey): ObjectChange['kind'] {
  return key.slice(0, key.indexOf(' ')) as ObjectChange['kind'];
}

/** Whether an address is one that every host has. */
export function isLoopback(address: string): boolean {
  return address === '::1' || address.startsWith('127.');
}

/** The Node as it is unless a case says otherwise. */
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
