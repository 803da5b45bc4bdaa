import { setTimeout } from 'node:timers/promises';
import {
  type IPFamily,
  ProxierError,
  printable,
  type ServicePortView,
  type ServiceSelection,
  viewServicePorts,
} from '@kube-proxier/core';
import { stringify } from 'yaml';
import { NOTHING_IN_FORCE, queryAgent } from '../commands/agent-client.js';
import { resolveManifests } from '../commands/resolve-manifests.js';
import type { Composition } from '../compose.js';
import type { AgentSettings } from '../flags/agent-settings.js';
import { findResource, formatResources, RESOURCES } from './resource-tables.js';

/** Milliseconds between requests while the agent reads counters that are old: 2 s in all, and few requests, as an answer may be large. */
const PAUSES = [100, 300, 600, 1000] as const;

/** What `kube-proxier get` selects. */
export interface GetRequest {
  /** Resource, and the name of a Service (`name` or `namespace/name`) if given. */
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

/**
 * Prints what is in force on this node, or what would be with manifests.
 *
 * @returns the output; `message` is for standard error, when nothing matches.
 * @throws ProxierError `UNKNOWN_RESOURCE`, `NOT_FOUND`, `NO_AGENT`, `AGENT_REFUSED`, or `AGENT_NOT_READY` before the first sync.
 */
export async function get(
  { operands, namespace, output }: GetRequest,
  settings: AgentSettings,
  composition: Composition,
  now = Date.now(),
): Promise<{ readonly text: string; readonly message: string }> {
  const [kind = '', name] = operands;
  const resource = findResource(kind);
  if (resource === undefined) {
    throw new ProxierError(
      'UNKNOWN_RESOURCE',
      `unknown resource "${printable(kind)}"; use one of ${RESOURCES.join(', ')}`,
    );
  }
  const selected = await readServicePorts(selectionOf(name, namespace), settings, composition, output !== 'text');
  if (name !== undefined && selected.length === 0) {
    throw new ProxierError('NOT_FOUND', `Service "${printable(name)}" not found${inNamespace(name, namespace)}`);
  }
  if (output === 'json' || output === 'yaml') {
    const list: ServicePortList = { apiVersion: 'kube-proxier.io/v1alpha1', kind: 'ServicePortList', items: selected };
    return { text: output === 'json' ? `${JSON.stringify(list, undefined, 2)}\n` : stringify(list), message: '' };
  }
  if (selected.length === 0) {
    return { text: '', message: `No ${resource} found${inNamespace(name, namespace)}.` };
  }
  const withNamespace = namespace === undefined && !(name?.includes('/') ?? false);
  return {
    text: formatResources(resource, selected, { wide: output === 'wide', withNamespace, now }),
    message: '',
  };
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
  /** Those with a state in force. Absent in the answer of an older agent. */
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
    JSON.parse(
      await queryAgent(settings.status, `/debug/services?${query}`, 'set --manifests to read objects from files'),
    ) as ServicePortsAnswer;
  let answer = await ask();
  // Nobody may have read the counters for long. The agent itself does not wait for the kernel.
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
