import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Protocol } from '@kube-proxier/core';
import { until } from '@kube-proxier/core/testing';
import {
  createIptables,
  EMPTY_TABLE_DOCUMENT,
  type Iptables,
  type IptablesVariant,
  renderDocument,
  userChain,
} from '@kube-proxier/linux';
import { NetworkSandbox, SANDBOX_NETWORK } from '@kube-proxier/network-sandbox';
import { NOBODY } from './nobody.js';

const AGENT = fileURLToPath(new URL('../../bin/kube-proxier.js', import.meta.url));
/** Milliseconds; on one slow CPU the agent needs much time to start. */
const ANSWER_TIMEOUT = 60_000;

/** The Service that {@link AgentOnNode} serves, besides its cluster IP `10.96.0.10:80`. */
export const NODE_PORT = 31_269;

/** What a command has printed, and its exit status. */
export interface CommandOutcome {
  /** Null when a signal ended it. */
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The agent as a separate process on the node of a sandbox, with one Service `work/web` from a manifest. */
export class AgentOnNode {
  /** Output of the agent since its last start, or since this was cleared. */
  log = '';
  /** A command that runs the agent and its commands, such as `['env', 'A=b']`. Default none. */
  wrapper: readonly string[] = [];
  /** Annotations of the Service, for the next {@link write}. */
  annotations: Readonly<Record<string, string>> = {};
  /** Protocol of the Service, for the next {@link write}. */
  protocol: Protocol = 'TCP';
  #agent: ChildProcess | undefined;
  readonly #others: AgentOnNode[] = [];

  private constructor(
    readonly sandbox: NetworkSandbox,
    readonly iptables: Iptables,
    readonly directory: string,
  ) {}

  /** Creates serving pods, without an agent. The agent will use this variant of iptables if it uses iptables. */
  static async create(variant: IptablesVariant): Promise<AgentOnNode> {
    const sandbox = await NetworkSandbox.create({ pods: 2, remotePods: 1 });
    const iptables = createIptables({ family: 'IPv4', variant, runner: sandbox.node.runner });
    await Promise.all([...sandbox.pods, ...sandbox.remotePods].map((pod) => pod.serve({ port: 8080 })));
    // The agent uses the variant in which the kubelet left its hint.
    const hint = { ...EMPTY_TABLE_DOCUMENT, written: new Map([['KUBE-IPTABLES-HINT', userChain()]]) };
    await iptables.restore(renderDocument(new Map([['mangle', hint]])));
    return new AgentOnNode(sandbox, iptables, mkdtempSync(join(tmpdir(), 'agent-on-node-')));
  }

  /** Prepares another agent on the same node, with the same manifests. Closed with this one. */
  another(): AgentOnNode {
    const other = new AgentOnNode(this.sandbox, this.iptables, this.directory);
    this.#others.push(other);
    return other;
  }

  get #program(): readonly [string, ...string[]] {
    const [command = process.execPath, ...args] = [...this.wrapper, process.execPath, AGENT];
    return [command, ...args];
  }

  /** Process id of the agent; 0 while there is none. */
  get pid(): number {
    return this.#agent?.pid ?? 0;
  }

  /** The HTTP response, requested on the node; undefined when there is none. */
  async get(url: string): Promise<{ readonly status: number; readonly body: string } | undefined> {
    const script =
      'const a = await fetch(process.argv[1]); console.log(JSON.stringify({ status: a.status, body: await a.text() }))';
    try {
      const { stdout } = await this.sandbox.node.exec([process.execPath, '--input-type=module', '-e', script, url]);
      return JSON.parse(stdout) as { readonly status: number; readonly body: string };
    } catch {
      return undefined;
    }
  }

  /** Writes the Service and its endpoints to the manifests of the agent. */
  write(...addresses: string[]): void {
    const text = `apiVersion: v1
kind: Service
metadata: {name: web, namespace: work, annotations: ${JSON.stringify(this.annotations)}}
spec:
  type: NodePort
  clusterIP: 10.96.0.10
  ports: [{port: 80, protocol: ${this.protocol}, nodePort: ${NODE_PORT}}]
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: web-1, namespace: work, labels: {kubernetes.io/service-name: web}}
addressType: IPv4
ports: [{port: 8080, protocol: ${this.protocol}}]
endpoints: [${addresses.map((address) => `{addresses: [${address}]}`).join(', ')}]
---
apiVersion: v1
kind: Node
metadata: {name: ${SANDBOX_NETWORK.nodeName}}
status: {addresses: [{type: InternalIP, address: ${this.sandbox.node.ipv4}}]}
`;
    writeFileSync(join(this.directory, '.next'), text);
    renameSync(join(this.directory, '.next'), join(this.directory, 'web.yaml'));
  }

  /** Starts the agent with the manifests of `directory`, or with the API server of `--kubeconfig=`. */
  start(mode: string, ...flags: string[]): void {
    const hasServer = flags.some((flag) => flag.startsWith('--kubeconfig='));
    this.log = '';
    this.#agent = this.sandbox.node.spawn([
      ...this.#program,
      `--proxy-mode=${mode}`,
      ...(hasServer ? [] : [`--manifests=${this.directory}`]),
      `--hostname-override=${SANDBOX_NETWORK.nodeName}`,
      `--cluster-cidr=${SANDBOX_NETWORK.clusterCIDRs[0]}`,
      '--iptables-min-sync-period=0s',
      '-v=2',
      ...flags,
    ]);
    this.#agent.stderr?.on('data', (data) => {
      this.log += data;
    });
  }

  /** Kills it with SIGKILL. */
  kill(): void {
    this.#agent?.kill('SIGKILL');
  }

  /** Ends it with SIGTERM, and waits until it has ended. */
  async stop(): Promise<void> {
    const agent = this.#agent;
    agent?.kill('SIGTERM');
    await this.until('the agent has ended', () => agent?.exitCode !== null || agent.signalCode !== null);
  }

  /**
   * Runs the cleanup as a separate process.
   *
   * @returns its standard output.
   * @throws CommandError with its output when it fails.
   */
  async cleanUp(...flags: string[]): Promise<string> {
    return (await this.sandbox.node.exec([...this.#program, '--cleanup', ...flags])).stdout;
  }

  /** Runs a command line that begins with `kube-proxier`, as in the documentation. */
  async command(line: string): Promise<string> {
    const [program, ...args] = line.split(' ');
    if (program !== 'kube-proxier') {
      throw new Error(`no command of kube-proxier: ${line}`);
    }
    return (await this.sandbox.node.exec([...this.#program, ...args])).stdout;
  }

  /**
   * Runs a command of kube-proxier on the node to its end.
   *
   * @param options.isUnprivileged run as {@link NOBODY}. Default: as the user of this process.
   */
  async run(
    args: readonly string[],
    { stdin = '', isUnprivileged = false }: { readonly stdin?: string; readonly isUnprivileged?: boolean } = {},
  ): Promise<CommandOutcome> {
    const as = isUnprivileged ? NOBODY : [];
    const [file = '', ...rest] = [...as, ...this.#program, ...args];
    const child = this.sandbox.node.spawn([file, ...rest]);
    const [out, error]: string[][] = [[], []];
    child.stdout?.setEncoding('utf8').on('data', (text: string) => out?.push(text));
    child.stderr?.setEncoding('utf8').on('data', (text: string) => error?.push(text));
    // A command that does not read its input may end before it is written.
    child.stdin?.on('error', () => {});
    child.stdin?.end(stdin);
    const [status] = (await once(child, 'close')) as [number | null];
    return { status, stdout: out?.join('') ?? '', stderr: error?.join('') ?? '' };
  }

  /** @throws Error with the log when the condition is not met within the timeout. */
  async until(what: string, holds: () => boolean | Promise<boolean>, timeout = ANSWER_TIMEOUT): Promise<void> {
    await until(holds, () => `${what}\n${this.log}`, timeout);
  }

  async close(): Promise<void> {
    for (const one of [this, ...this.#others]) {
      one.kill();
    }
    await this.sandbox.close();
    rmSync(this.directory, { recursive: true, force: true });
  }
}
