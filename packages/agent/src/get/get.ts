import { setTimeout } from 'node:timers/promises';
import {
  type IPFamily,
  nearestName,
  ProxierError,
  printable,
  type ServicePortView,
  type ServiceSelection,
  viewServicePorts,
} from '@kube-proxier/core';
import { stringify } from 'yaml';
import { NOTHING_IN_FORCE, queryAgentJson } from '../commands/agent-client.js';
import { resolveManifests } from '../commands/resolve-manifests.js';
import type { Composition } from '../compose.js';
import type { AgentSettings } from '../flags/agent-settings.js';
import { findResource, formatResources, RESOURCES, type Resource } from './resource-tables.js';

/**
 * Milliseconds between requests while the agent refreshes counters: 2 s in total, with few requests, as an answer may
 * be large.
 */
const PAUSES = [100, 300, 600, 1000] as const;

/** What `kube-proxier get` selects. */
export interface GetRequest {
  /** Resource, and names of Services (`name` or `namespace/name`) if given; or `resource/name`, each. */
  readonly operands: readonly string[];
  /** Undefined: all namespaces. */
  readonly namespace: string | undefined;
  readonly output: AgentSettings['output'];
}

/** The schema of `-o json` and `-o yaml`. */
export interface ServicePortList {
  readonly apiVersion: 'kube-proxier.io/v1alpha1';
  readonly kind: 'ServicePortList';
  readonly items: readonly ServicePortView[];
}

/** Output and exit status. */
export interface GetAnswer {
  readonly text: string;
  /** For standard error; empty for none. */
  readonly message: string;
  /** Exit status. */
  readonly status: number;
}

/**
 * Prints the state in force on this node, or the state of manifests.
 *
 * @throws ProxierError `UNKNOWN_RESOURCE`, `INVALID_ARGUMENT`, `NOT_FOUND`, `NO_AGENT`, `AGENT_REFUSED`, or `AGENT_NOT_READY` before the first sync.
 */
export async function get(
  { operands, namespace, output }: GetRequest,
  settings: AgentSettings,
  composition: Composition,
  now = Date.now(),
): Promise<GetAnswer> {
  const { resource, names } = readOperands(operands);
  if (output === 'name' && resource !== 'services') {
    throw new ProxierError('INVALID_ARGUMENT', '-o name prints names of Services: use kube-proxier get services');
  }
  const read = async (name: string | undefined) => ({
    name,
    ports: await readServicePorts(selectionOf(name, namespace), settings, composition, output !== 'text'),
  });
  const found: Awaited<ReturnType<typeof read>>[] = [];
  for (const name of names.length === 0 ? [undefined] : names) {
    found.push(await read(name));
  }
  const missing = found.flatMap(({ name, ports }) =>
    name === undefined || ports.length > 0
      ? []
      : [`Service "${printable(name)}" not found${inNamespace(name, namespace)}`],
  );
  if (missing.length > 0 && missing.length === found.length) {
    throw new ProxierError('NOT_FOUND', missing.join('; '));
  }
  const selected = found.flatMap(({ ports }) => ports);
  const message = missing.map((line) => `kube-proxier: ${line}`).join('\n');
  const status = missing.length > 0 ? 1 : 0;
  if (output === 'json' || output === 'yaml') {
    const list: ServicePortList = { apiVersion: 'kube-proxier.io/v1alpha1', kind: 'ServicePortList', items: selected };
    return { text: output === 'json' ? `${JSON.stringify(list, undefined, 2)}\n` : stringify(list), message, status };
  }
  if (selected.length === 0) {
    return { text: '', message: `No ${resource} found${inNamespace(undefined, namespace)}.`, status };
  }
  if (output === 'name') {
    const lines = new Set(selected.map(({ name }) => `service/${name}\n`));
    return { text: [...lines].join(''), message, status };
  }
  const withNamespace = namespace === undefined && !names.some((name) => name.includes('/'));
  const text = formatResources(resource, selected, { wide: output === 'wide', withNamespace, now });
  return { text, message, status };
}

/** `services web cart`, or `svc/web svc/cart`. */
function readOperands([first = '', ...rest]: readonly string[]): { resource: Resource; names: readonly string[] } {
  const [kind = '', ...words] = first.split('/');
  const resource = findResource(kind);
  if (resource === undefined) {
    const meant = nearestName(kind, RESOURCES);
    const hint = meant === undefined ? `use one of ${RESOURCES.join(', ')}` : `did you mean ${meant}?`;
    throw new ProxierError('UNKNOWN_RESOURCE', `unknown resource "${printable(kind)}"; ${hint}`);
  }
  if (words.length === 0) {
    return { resource, names: rest };
  }
  const names = [first, ...rest].map((operand) => {
    const [type = '', ...name] = operand.split('/');
    if (findResource(type) !== resource || name.join('/') === '') {
      const rule = `write all names as ${kind}/<name>, or ${kind} once and the names after it`;
      throw new ProxierError('INVALID_ARGUMENT', `"${printable(operand)}" is not a name of ${resource}: ${rule}`);
    }
    return name.join('/');
  });
  return { resource, names };
}

function inNamespace(name: string | undefined, namespace: string | undefined): string {
  return namespace === undefined || name?.includes('/') ? '' : ` in namespace ${printable(namespace)}`;
}

/** `name` and `namespace/name`. */
function selectionOf(name: string | undefined, namespace: string | undefined): ServiceSelection {
  const [first = '', second] = name?.split('/') ?? [];
  const selected = second === undefined ? { namespace, name } : { namespace: first, name: second };
  return {
    ...(selected.namespace === undefined ? {} : { namespace: selected.namespace }),
    ...(selected.name === undefined ? {} : { name: selected.name }),
  };
}

/** Content of `/debug/services`. */
interface ServicePortsAnswer {
  /** Families with a state in force. Absent in the answer of an older agent. */
  readonly families?: readonly IPFamily[];
  /** The agent is reading counters from the kernel. */
  readonly readingCounts?: boolean;
  readonly servicePorts: readonly ServicePortView[];
}

async function readServicePorts(
  selection: ServiceSelection,
  settings: AgentSettings,
  composition: Composition,
  showsCounts: boolean,
): Promise<readonly ServicePortView[]> {
  if (settings.manifests.length > 0) {
    const states = await resolveManifests(['IPv4', 'IPv6'], settings, composition);
    return states.flatMap((state) => viewServicePorts(state, selection));
  }
  const query = new URLSearchParams({ ...selection });
  const ask = async () =>
    (await queryAgentJson(
      settings.status,
      `/debug/services?${query}`,
      'set --manifests to read objects from files',
    )) as ServicePortsAnswer;
  let answer = await ask();
  // The counters may be old, as the agent itself does not wait for the kernel.
  for (const pause of showsCounts ? PAUSES : []) {
    if (!answer.readingCounts) {
      break;
    }
    await setTimeout(pause);
    answer = await ask();
  }
  const { families, servicePorts } = answer;
  if (families?.length === 0) {
    throw new ProxierError('AGENT_NOT_READY', `the agent on this node ${NOTHING_IN_FORCE}`);
  }
  return servicePorts;
}
