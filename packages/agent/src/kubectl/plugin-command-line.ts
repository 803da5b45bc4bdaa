import { nearestName, ProxierError } from '@kube-proxier/core';
import { nearestCommand } from '../commands/nearest-command.js';
import { isOutput, OUTPUTS, type Output } from '../flags/agent-settings.js';
import { FLAGS } from '../flags/flag.js';
import { parseGoDuration } from '../flags/go-values.js';

/** Commands that the plugin runs on nodes. */
export const PLUGIN_COMMANDS = ['status', 'get', 'explain', 'verify'] as const;
export type PluginCommand = (typeof PLUGIN_COMMANDS)[number];

/** Arguments of `kubectl proxier`. */
export interface PluginRequest {
  readonly command: PluginCommand;
  /** Arguments of the command on the node, without the output format. */
  readonly args: readonly string[];
  /** Nodes to query; empty for all. */
  readonly nodes: readonly string[];
  readonly output: Output;
  /** Where the agents run. */
  readonly agentNamespace: string;
  readonly selector: string;
  readonly container: string;
  /** Path; empty for the default. */
  readonly kubeconfig: string;
  /** Empty for the current one. */
  readonly context: string;
  /** Milliseconds for each node. */
  readonly timeout: number;
}

const DEFAULTS = {
  node: '',
  'agent-namespace': 'kube-system',
  selector: 'app.kubernetes.io/name=kube-proxier',
  container: 'kube-proxier',
  kubeconfig: '',
  context: '',
  timeout: '15s',
  output: 'text',
} as const;
type OwnFlag = keyof typeof DEFAULTS;

const SHORT: Readonly<Record<string, OwnFlag>> = { o: 'output', l: 'selector' };
/** Flags that are rejected: with exec, they would never end, or answer for another node. */
const REFUSED: Readonly<Record<string, string>> = {
  w: 'repeat the command, or watch one node with kubectl exec',
  watch: 'repeat the command, or watch one node with kubectl exec',
  manifests: 'it answers from files: run kube-proxier itself',
  'metrics-bind-address': 'the agent on each node is queried where it listens',
  'hostname-override': 'select nodes with --node',
};

/**
 * Parses the arguments after `kubectl proxier`. Arguments that are not of the plugin are passed to the command on the
 * node.
 *
 * @returns undefined when help is requested.
 * @throws ProxierError `INVALID_ARGUMENT`.
 */
export function parsePluginCommandLine(args: readonly string[]): PluginRequest | undefined {
  const values = new Map<OwnFlag, string>();
  const passed: string[] = [];
  let isAll = false;
  for (let index = 0; index < args.length; index += 1) {
    const text = args[index] ?? '';
    const [, dashes = '', name = '', value] = /^(--?)([a-z][a-z-]*)(?:=(.*))?$/s.exec(text) ?? [];
    if (text === '--help' || text === '-h' || (index === 0 && text === 'help')) {
      return undefined;
    }
    const refused = REFUSED[name];
    if (dashes !== '' && refused !== undefined) {
      throw invalid(`${dashes}${name} cannot be used here: ${refused}`);
    }
    if (dashes === '--' && name === 'all-nodes') {
      isAll = true;
      continue;
    }
    const own = dashes === '-' ? SHORT[name] : isOwnFlag(name) ? name : undefined;
    if (dashes === '' || own === undefined) {
      if (dashes === '--') {
        checkPassedFlag(name);
      }
      passed.push(text);
      continue;
    }
    index += value === undefined ? 1 : 0;
    const given = value ?? args[index];
    if (given === undefined) {
      throw invalid(`${text} needs a value`);
    }
    values.set(own, given);
  }
  const [command = '', ...rest] = passed;
  if (command === '') {
    return undefined;
  }
  if (command.startsWith('-')) {
    const flag = command.replace(/=.*$/s, '');
    throw invalid(
      `${JSON.stringify(flag)} is no flag of kubectl proxier; flags for the command on the node follow the command, as in: kubectl proxier get services -n shop`,
    );
  }
  if (!isPluginCommand(command)) {
    const meant = nearestCommand(command, PLUGIN_COMMANDS);
    const hint = meant === undefined ? `it must be one of ${PLUGIN_COMMANDS.join(', ')}` : `did you mean ${meant}?`;
    throw invalid(`unknown command ${JSON.stringify(command)}; ${hint}`);
  }
  const nodes = (values.get('node') ?? '').split(',').filter((name) => name !== '');
  if (isAll && nodes.length > 0) {
    throw invalid('--node and --all-nodes exclude each other');
  }
  const read = (flag: OwnFlag) => values.get(flag) ?? DEFAULTS[flag];
  const output = read('output');
  if (!isOutput(output) || (output === 'name' && command !== 'get')) {
    const known = OUTPUTS.filter((one) => one !== 'name' || command === 'get');
    throw invalid(`--output=${output}: must be one of ${known.join(', ')}`);
  }
  const timeout = parseGoDuration(read('timeout'));
  if (timeout === undefined || timeout <= 0) {
    throw invalid(`--timeout=${read('timeout')}: must be a duration such as 15s`);
  }
  return {
    ...{ command, args: rest, nodes, output, timeout },
    agentNamespace: read('agent-namespace'),
    ...{ selector: read('selector'), container: read('container') },
    ...{ kubeconfig: read('kubeconfig'), context: read('context') },
  };
}

/** The agent of a node may have flags that are not known here, but not ones that are misspelt flags of the plugin. */
function checkPassedFlag(name: string): void {
  const isKnown = FLAGS.some((flag) => flag.name === name);
  const meant = isKnown ? undefined : nearestName(name, [...Object.keys(DEFAULTS), 'all-nodes']);
  if (meant !== undefined) {
    throw invalid(`unknown flag --${name}; did you mean --${meant}?`);
  }
}

function isOwnFlag(name: string): name is OwnFlag {
  return Object.hasOwn(DEFAULTS, name);
}

function isPluginCommand(name: string): name is PluginCommand {
  return (PLUGIN_COMMANDS as readonly string[]).includes(name);
}

function invalid(message: string): ProxierError {
  return new ProxierError('INVALID_ARGUMENT', message);
}

/** Output of `--help`. */
export const PLUGIN_HELP = `\
Usage:
  kubectl proxier <status|get|explain|verify> [arguments] [flags]

Runs a command of kube-proxier on nodes, in the pods of its agents, through the
API server, and compares the answers. No port is opened. Without --node, all
nodes are queried at once. Needs permission to list pods and to run commands in
them (create and get of pods/exec) in the namespace of the agents, and to list
nodes to find those without an agent.

Examples:
  # Are all nodes well, and do they have the same Services in force?
  kubectl proxier status
  # What is in force on one node?
  kubectl proxier get services -A --node node1
  # What happens to connections to a Service, on every node?
  kubectl proxier explain svc/shop/checkout

Flags (others are passed to the command on the node):
      --all-nodes
          Query all nodes. This is the default.
      --node <name>[,<name>]
          Query these nodes only.
  -o, --output <format>
          text, wide, json or yaml; name for get services.
      --timeout <duration>
          Time limit of each node. Default: 15s.
      --agent-namespace <name>
          Namespace of the agents. Default: kube-system.
  -l, --selector <labels>
          Label selector of their pods.
          Default: app.kubernetes.io/name=kube-proxier.
      --container <name>
          Their container. Default: kube-proxier, or the only one.
      --kubeconfig <path>
          Default: KUBECONFIG, ~/.kube/config, or the service account of a pod.
      --context <name>
          Context of the kubeconfig. Default: the current one.

Exit status of status: 0 all nodes are ok and agree, 1 a node is degraded or
they differ, 2 a node is not serving, 3 a node did not answer, 4 an error of the
command line or the API server.

Exit status of the others: the highest of all nodes; at least 3 when a node did
not answer, 4 an error of the command line or the API server.
`;
