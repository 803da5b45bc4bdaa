import { messageOf } from '@kube-proxier/core';
import { createCommandRunner } from '@kube-proxier/linux';
import { SandboxError } from './sandbox-error.js';
import { SandboxHost } from './sandbox-host.js';
import {
  listNamespaces,
  namespacePrefix,
  prepareNamespaces,
  removeNamespaces,
  removeNamespacesNow,
  sweepLeftovers,
} from './sandbox-namespaces.js';
import { type HostPlan, planSandbox, renderBuildScript, renderRuleScript } from './sandbox-plan.js';

export interface NetworkSandboxOptions {
  /** Pods on the node, 1…200. Default 2. */
  readonly pods?: number;
  /** Pods on the remote node, 0…200. Default 1. */
  readonly remotePods?: number;
}

/** Open sandboxes of this process, to be removed if the process ends without closing them. */
const openSandboxes = new Set<NetworkSandbox>();
let lastSandbox = 0;

/**
 * A topology of network namespaces, to send real packets through the real kernel:
 *
 * ```
 *   client ──────── router ──────── remote-node ── remote-pod1 …
 *   203.0.113.2       │             192.168.0.3    10.244.7.11
 *                   node ── pod1, pod2 …
 *            192.168.0.2    10.244.0.11, 10.244.0.12
 * ```
 *
 * Every host has IPv6 addresses as well; see {@link SANDBOX_NETWORK} for the networks. Addresses that no host has, such
 * as cluster IPs, are routed to the node from everywhere; the node drops packets to unknown destinations. The node
 * starts without any packet filter rules. Sandboxes are isolated from each other.
 *
 * Needs root, or a user namespace (`unshare --user --map-root-user --net --mount`), and `ip` and `nsenter`.
 *
 * @example
 * const sandbox = await NetworkSandbox.create({ pods: 2 });
 * try {
 *   await sandbox.pod(1).serve({ port: 80 });
 *   await sandbox.client.connect({ to: sandbox.pod(1).ipv4, port: 80 }); // { kind: 'answered', by: 'pod1', … }
 * } finally {
 *   await sandbox.close();
 * }
 */
export class NetworkSandbox {
  /** The node of the proxy. */
  readonly node: SandboxHost;
  readonly pods: readonly SandboxHost[];
  readonly remoteNode: SandboxHost;
  readonly remotePods: readonly SandboxHost[];
  /** Outside the cluster. Has a second address in each family, for source ranges. */
  readonly client: SandboxHost;
  readonly router: SandboxHost;
  /** All hosts. */
  readonly hosts: readonly SandboxHost[];
  /** Common prefix of the names of its network namespaces. */
  readonly namespacePrefix: string;

  private constructor(podCount: number, remotePodCount: number) {
    const prefix = namespacePrefix(process.pid, ++lastSandbox);
    const plan = planSandbox(podCount, remotePodCount);
    const hosts = new Map(plan.hosts.map((host) => [host, new SandboxHost(host, `${prefix}${host.name}`)]));
    const built = (host: HostPlan): SandboxHost => hosts.get(host) as SandboxHost;
    this.namespacePrefix = prefix;
    this.node = built(plan.node);
    this.pods = plan.pods.map(built);
    this.remoteNode = built(plan.remoteNode);
    this.remotePods = plan.remotePods.map(built);
    this.client = built(plan.client);
    this.router = built(plan.router);
    this.hosts = [...hosts.values()];
  }

  /**
   * Creates a sandbox, and removes the sandboxes of processes that no longer exist.
   *
   * @throws SandboxError `SANDBOX_UNAVAILABLE` without permission, `SANDBOX_BUILD_FAILED` on other failures; nothing is
   *   left behind then.
   */
  static async create(options: NetworkSandboxOptions = {}): Promise<NetworkSandbox> {
    const podCount = inRange('pods', options.pods ?? 2, 1);
    const remotePodCount = inRange('remotePods', options.remotePods ?? 1, 0);
    await prepareNamespaces();
    await sweepLeftovers();
    const sandbox = new NetworkSandbox(podCount, remotePodCount);
    const plan = planSandbox(podCount, remotePodCount);
    const namespaceOf = (host: HostPlan): string => `${sandbox.namespacePrefix}${host.name}`;
    removeOpenSandboxesAtExit();
    openSandboxes.add(sandbox);
    try {
      await createCommandRunner().run({
        command: 'sh',
        args: ['-s'],
        stdin: renderBuildScript(plan, namespaceOf) + renderRuleScript(plan, namespaceOf),
      });
    } catch (error) {
      await sandbox.close().catch(() => {});
      throw new SandboxError('SANDBOX_BUILD_FAILED', `could not build the sandbox: ${messageOf(error)}`, {
        cause: error,
      });
    }
    return sandbox;
  }

  /**
   * Pod `number` of the node, from 1.
   *
   * @throws RangeError when it does not exist.
   */
  pod(number: number): SandboxHost {
    return pick('pod', this.pods, number);
  }

  /**
   * Pod `number` of the remote node, from 1.
   *
   * @throws RangeError when it does not exist.
   */
  remotePod(number: number): SandboxHost {
    return pick('remote pod', this.remotePods, number);
  }

  /** Removes it: processes, namespaces, and with these interfaces and rules. Idempotent. */
  async close(): Promise<void> {
    await Promise.all(this.hosts.map((host) => host.close()));
    await removeNamespaces(await listNamespaces(this.namespacePrefix));
    openSandboxes.delete(this);
  }

  /** Removes it at the end of an `await using` block. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

function pick(what: string, hosts: readonly SandboxHost[], number: number): SandboxHost {
  const host = hosts[number - 1];
  if (!host) {
    throw new RangeError(`${what} ${number} does not exist: the sandbox was created with ${hosts.length}`);
  }
  return host;
}

function inRange(name: string, value: number, least: number): number {
  if (!Number.isInteger(value) || value < least || value > 200) {
    throw new RangeError(`${name} must be a whole number from ${least} to 200, not ${value}`);
  }
  return value;
}

let removesAtExit = false;

function removeOpenSandboxesAtExit(): void {
  if (!removesAtExit) {
    removesAtExit = true;
    process.once('exit', () => {
      const names = [...openSandboxes].flatMap((sandbox) => sandbox.hosts.map((host) => host.namespace));
      if (names.length > 0) {
        removeNamespacesNow(names);
      }
    });
  }
}
