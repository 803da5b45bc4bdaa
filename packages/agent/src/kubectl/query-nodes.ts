import { isProxierError, messageOf, ProxierError, printable } from '@kube-proxier/core';
import { isForbidden, type PodClient, type PodCommandResult, type PodSummary } from '@kube-proxier/source-kubernetes';
import type { PluginRequest } from './plugin-command-line.js';

/** The required part of a {@link PodClient}. */
export type NodeTransport = Pick<PodClient, 'listPods' | 'listNodeNames' | 'run'>;

/** A node, and the pod of its agent if it has one. */
export interface AgentNode {
  readonly nodeName: string;
  readonly pod: PodSummary | undefined;
}

/** What a node answered. Exactly one of `result` and `error` is set. */
export interface NodeAnswer {
  readonly nodeName: string;
  /** Null when it has no agent. */
  readonly podName: string | null;
  readonly result?: PodCommandResult;
  /** Why there is no answer. */
  readonly error?: string;
}

/** Maximum number of nodes queried concurrently. */
const CONCURRENCY = 32;
const NODES = 'kubernetes.io/os=linux';

/**
 * The nodes to query, by name, each with the pod of its agent.
 *
 * @returns with a note when nodes without an agent cannot be found.
 * @throws ProxierError when pods cannot be listed, `NO_AGENT` when there is none, `UNKNOWN_NODE` for a name that no node has.
 */
export async function findAgents(
  transport: NodeTransport,
  { agentNamespace, selector, nodes }: PluginRequest,
  signal: AbortSignal,
): Promise<{ readonly agents: readonly AgentNode[]; readonly note: string | undefined }> {
  const pods = await transport.listPods(agentNamespace, selector, signal).catch((error: unknown) => {
    throw isForbidden(error) ? lacking(`list pods in namespace ${agentNamespace}`, error) : error;
  });
  if (pods.length === 0) {
    throw new ProxierError(
      'NO_AGENT',
      `no pod in namespace ${agentNamespace} has the labels ${selector}; set --agent-namespace and --selector as kube-proxier is deployed`,
    );
  }
  const agents = new Map<string, PodSummary | undefined>();
  for (const pod of pods) {
    const other = agents.get(pod.nodeName);
    // While a pod is replaced, a node has two.
    if (pod.nodeName !== '' && (other === undefined || other.phase !== 'Running')) {
      agents.set(pod.nodeName, pod);
    }
  }
  let note: string | undefined;
  try {
    for (const name of await transport.listNodeNames(NODES, signal)) {
      agents.set(name, agents.get(name));
    }
  } catch (error) {
    note = `nodes without an agent are not shown: ${printable(messageOf(error), 300)}`;
  }
  const unknown = nodes.find((name) => !agents.has(name));
  if (unknown !== undefined) {
    throw new ProxierError(
      'UNKNOWN_NODE',
      `there is no node ${printable(unknown)} with an agent; see kubectl get nodes`,
    );
  }
  return {
    agents: [...agents]
      .filter(([nodeName]) => nodes.length === 0 || nodes.includes(nodeName))
      .map(([nodeName, pod]) => ({ nodeName, pod }))
      .sort((left, right) => (left.nodeName < right.nodeName ? -1 : 1)),
    note,
  };
}

/** Runs a command on all nodes, with limited concurrency. Never rejects: failures are in the answer of the node. */
export async function queryNodes(
  transport: NodeTransport,
  agents: readonly AgentNode[],
  args: readonly string[],
  { container }: Pick<PluginRequest, 'container'>,
  signal: AbortSignal,
): Promise<readonly NodeAnswer[]> {
  const answers: NodeAnswer[] = [];
  const pending = agents.entries();
  const work = async () => {
    for (const [index, agent] of pending) {
      answers[index] = await queryNode(transport, agent, args, container, signal);
    }
  };
  await Promise.all(Array.from({ length: Math.min(CONCURRENCY, agents.length) }, work));
  return answers;
}

async function queryNode(
  transport: NodeTransport,
  { nodeName, pod }: AgentNode,
  args: readonly string[],
  containerName: string,
  signal: AbortSignal,
): Promise<NodeAnswer> {
  if (pod === undefined) {
    return { nodeName, podName: null, error: 'no pod of kube-proxier is on this node' };
  }
  const base = { nodeName, podName: pod.name };
  if (pod.phase !== 'Running') {
    return { ...base, error: `pod ${pod.name} is ${pod.phase}` };
  }
  const [only] = pod.containers;
  const container =
    pod.containers.find(({ name }) => name === containerName) ?? (pod.containers.length === 1 ? only : undefined);
  if (container === undefined) {
    const names = pod.containers.map(({ name }) => name).join(', ');
    return { ...base, error: `pod ${pod.name} has no container ${containerName}, but ${names}; set --container` };
  }
  const command = ['kube-proxier', ...args, ...addressArgs(container.args)];
  try {
    const { namespace, name } = pod;
    return {
      ...base,
      result: await transport.run({ namespace, pod: name, container: container.name, command }, signal),
    };
  } catch (error) {
    const advice = isForbidden(error) ? '; it needs create and get of pods/exec' : '';
    const text = isProxierError(error) ? error.message : messageOf(error);
    return { ...base, error: `${printable(text, 500)}${advice}` };
  }
}

/** Arguments of the agent with the address of its status server. */
function addressArgs(args: readonly string[]): readonly string[] {
  return args.flatMap((arg, index) => {
    const [, name, value] = /^--(config|metrics-bind-address)(?:=(.*))?$/s.exec(arg) ?? [];
    if (name === undefined) {
      return [];
    }
    return [`--${name}=${value ?? args[index + 1] ?? ''}`];
  });
}

function lacking(what: string, cause: unknown): ProxierError {
  return new ProxierError('FORBIDDEN', `you are not allowed to ${what}: ${printable(messageOf(cause), 300)}`, {
    cause,
  });
}
