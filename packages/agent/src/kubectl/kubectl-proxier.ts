import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { isRecord, messageOf, ProxierError, pause, printable, systemClock } from '@kube-proxier/core';
import type { NodeStatus } from '@kube-proxier/server';
import { PodClient, type PodClientOptions } from '@kube-proxier/source-kubernetes';
import { stringify } from 'yaml';
import { MAX_MESSAGE_LENGTH } from '../logging/log-line.js';
import { VERSION } from '../version.js';
import { compareDigests } from './compare-digests.js';
import { formatNodeAnswers, formatNodeStatuses, type NodeAnswerList, type NodeStatusList } from './format-nodes.js';
import { PLUGIN_HELP, type PluginRequest, parsePluginCommandLine } from './plugin-command-line.js';
import { type AgentNode, findAgents, type NodeAnswer, type NodeTransport, queryNodes } from './query-nodes.js';

/** Environment of the plugin. */
export interface PluginEnvironment {
  readonly print: (text: string) => void;
  readonly printError: (text: string) => void;
  /** Environment variables. */
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  /** Default: a {@link PodClient}. */
  readonly connect?: (options: PodClientOptions) => NodeTransport & Pick<PodClient, 'close'>;
}

const NO_ANSWER = 3;
const ERROR = 4;
const VERDICT_STATUS = { ok: 0, degraded: 1, 'not-serving': 2 } as const;
/** Milliseconds until differing nodes are queried again: changes propagate within that time. */
const SETTLE_TIME = 2000;
const SETTLE_ATTEMPTS = 2;

/**
 * Runs `kubectl proxier`.
 *
 * @returns the exit status; see its help.
 */
export async function runPlugin(args: readonly string[], environment: PluginEnvironment): Promise<number> {
  const { print, printError, signal } = environment;
  try {
    const request = parsePluginCommandLine(args);
    if (request === undefined) {
      print(PLUGIN_HELP);
      return 0;
    }
    const connect = environment.connect ?? ((options: PodClientOptions) => new PodClient(options));
    const transport = connect({
      ...credentialsOf(request, environment.variables),
      timeout: request.timeout,
      userAgent: `kubectl-proxier/${VERSION}`,
    });
    try {
      const { agents, note } = await findAgents(transport, request, signal);
      if (note !== undefined && request.nodes.length === 0) {
        printError(`kubectl proxier: ${note}\n`);
      }
      return await answer(transport, agents, request, environment);
    } finally {
      transport.close();
    }
  } catch (error) {
    printError(`kubectl proxier: ${printable(messageOf(error), MAX_MESSAGE_LENGTH)}\n`);
    return ERROR;
  }
}

function answer(
  transport: NodeTransport,
  agents: readonly AgentNode[],
  request: PluginRequest,
  environment: PluginEnvironment,
): Promise<number> {
  if (request.nodes.length === 1) {
    return answerOfOne(transport, agents, request, environment);
  }
  return request.command === 'status'
    ? statusOfAll(transport, agents, request, environment)
    : answersOfAll(transport, agents, request, environment);
}

/** Output and exit status are those of the command on the node. */
async function answerOfOne(
  transport: NodeTransport,
  agents: readonly AgentNode[],
  request: PluginRequest,
  { print, printError, signal }: PluginEnvironment,
): Promise<number> {
  const { command, args, output } = request;
  const all = [command, ...args, ...(output === 'text' ? [] : [`--output=${output}`])];
  const [only] = await queryNodes(transport, agents, all, request, signal);
  if (only?.result === undefined) {
    printError(`kubectl proxier: node ${only?.nodeName ?? ''} did not answer: ${only?.error ?? 'unknown error'}\n`);
    return NO_ANSWER;
  }
  print(only.result.stdout);
  printError(only.result.stderr);
  return only.result.exitStatus;
}

async function statusOfAll(
  transport: NodeTransport,
  agents: readonly AgentNode[],
  request: PluginRequest,
  { print, signal }: PluginEnvironment,
): Promise<number> {
  const query = async () =>
    listStatuses(await queryNodes(transport, agents, ['status', ...request.args, '--output=json'], request, signal));
  let list = await query();
  for (let attempt = 0; attempt < SETTLE_ATTEMPTS && list.differing.length > 0; attempt += 1) {
    await pause(systemClock, SETTLE_TIME, signal);
    list = await query();
  }
  print(formatDocument(list, request) ?? formatNodeStatuses(list, Date.now()));
  const statuses = list.items.map(({ status }) => (status === null ? NO_ANSWER : VERDICT_STATUS[status.verdict]));
  return Math.max(...statuses, list.differing.length > 0 ? 1 : 0);
}

function listStatuses(answers: readonly NodeAnswer[]): NodeStatusList {
  const items = answers.map(({ nodeName, podName, result, error }) => {
    const status = result === undefined ? undefined : readStatus(result.stdout);
    const reason =
      error ?? (printable((result?.stderr ?? '').trim(), 500) || `it ended with exit status ${result?.exitStatus}`);
    return { nodeName, podName, status: status ?? null, error: status === undefined ? reason : null };
  });
  // Uses the name of the Node object: the agent may use another name.
  const compared = items.flatMap(({ nodeName, status }) => (status === null ? [] : [{ ...status, nodeName }]));
  return { apiVersion: 'kube-proxier.io/v1alpha1', kind: 'NodeStatusList', items, ...compareDigests(compared) };
}

function readStatus(text: string): NodeStatus | undefined {
  const document = parseJson(text);
  // It may be from another version: printed fields are validated.
  return isRecord(document) &&
    document.kind === 'NodeStatus' &&
    typeof document.verdict === 'string' &&
    Object.hasOwn(VERDICT_STATUS, document.verdict) &&
    isRecord(document.families) &&
    Array.isArray(document.problems)
    ? (document as unknown as NodeStatus)
    : undefined;
}

async function answersOfAll(
  transport: NodeTransport,
  agents: readonly AgentNode[],
  request: PluginRequest,
  { print, signal }: PluginEnvironment,
): Promise<number> {
  const { command, args, output } = request;
  const format = output === 'text' ? [] : [`--output=${output === 'yaml' ? 'json' : output}`];
  const answers = await queryNodes(transport, agents, [command, ...args, ...format], request, signal);
  const items = answers.map(({ nodeName, podName, result, error }) => ({
    ...{ nodeName, podName },
    exitStatus: result?.exitStatus ?? null,
    answer: result === undefined ? null : (parseJson(result.stdout) ?? null),
    error: error ?? (result?.stderr === '' ? null : printable(result?.stderr.trim() ?? '', 500)),
  }));
  const list: NodeAnswerList = { apiVersion: 'kube-proxier.io/v1alpha1', kind: 'NodeAnswerList', items };
  print(formatDocument(list, request) ?? formatNodeAnswers(answers));
  return Math.max(...items.map(({ exitStatus }) => exitStatus ?? NO_ANSWER));
}

function formatDocument(document: object, { output }: PluginRequest): string | undefined {
  switch (output) {
    case 'json':
      return `${JSON.stringify(document, undefined, 2)}\n`;
    case 'yaml':
      return stringify(document, { aliasDuplicateObjects: false });
    default:
      return undefined;
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * The kubeconfig as kubectl selects it.
 *
 * @throws ProxierError `INVALID_ARGUMENT` for several files, which kubectl merges.
 */
function credentialsOf(
  { kubeconfig, context }: PluginRequest,
  { KUBECONFIG = '', HOME = homedir() }: PluginEnvironment['variables'],
): Pick<PodClientOptions, 'kubeconfig' | 'context'> {
  const chosen = context === '' ? {} : { context };
  if (kubeconfig !== '') {
    return { kubeconfig, ...chosen };
  }
  const files = KUBECONFIG.split(delimiter).filter((path) => path !== '');
  const found = files.filter((path) => existsSync(path));
  if (found.length > 1) {
    throw new ProxierError(
      'INVALID_ARGUMENT',
      'KUBECONFIG has several files, and only one is read: write kubectl config view --flatten --raw to a file, and set --kubeconfig',
    );
  }
  const [first = files[0]] = found;
  const standard = join(HOME, '.kube', 'config');
  const path = first ?? (existsSync(standard) ? standard : undefined);
  return { ...(path === undefined ? {} : { kubeconfig: path }), ...chosen };
}
