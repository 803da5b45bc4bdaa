import { type IPFamily, isProxierError, isRecord, ProxierError, type ProxyMode } from '@kube-proxier/core';
import { stringify } from 'yaml';
import { NOTHING_IN_FORCE, queryAgentJson } from '../commands/agent-client.js';
import { readKubeProxyConfiguration } from '../configuration/kube-proxy-configuration.js';
import type { CommandLine } from '../flags/command-line.js';
import type { StatusAddress } from '../flags/status-addresses.js';
import { type ClusterObjects, type ListedObject, objectsOfList } from '../objects/cluster-objects.js';

/** The state in force of the agent on this node. */
export interface RunningAgent {
  readonly mode: ProxyMode;
  readonly families: readonly IPFamily[];
  readonly objects: ClusterObjects;
  /** Its configuration, as flags. */
  readonly values: CommandLine['values'];
}

/** Timeout in milliseconds for all objects of a large cluster on a busy node. */
const LIST_TIMEOUT = 60_000;

/** Content of `/debug/objects`. */
interface ObjectList {
  readonly mode: ProxyMode;
  readonly families: readonly IPFamily[];
  readonly items: readonly ListedObject[];
}

/**
 * Queries the agent on this node.
 *
 * @returns undefined when none answers.
 * @throws ProxierError `AGENT_REFUSED`, `AGENT_TIMEOUT` when an agent listens and does not answer, `AGENT_NOT_READY` before its first sync.
 */
export async function queryRunningAgent(address: StatusAddress | undefined): Promise<RunningAgent | undefined> {
  let values: CommandLine['values'];
  try {
    // First, as its timeout is short: a program that listens and does not answer is found soon.
    values = await configurationOf(address);
  } catch (error) {
    if (isProxierError(error) && error.code === 'NO_AGENT') {
      return undefined;
    }
    throw error;
  }
  const answer = await queryAgentJson(address, '/debug/objects', undefined, { timeout: LIST_TIMEOUT });
  const { mode, families, items } = answer as ObjectList;
  if (families.length === 0) {
    throw new ProxierError('AGENT_NOT_READY', `the agent on this node ${NOTHING_IN_FORCE}`);
  }
  return { mode, families, objects: objectsOfList(items), values };
}

/** The configuration of the agent, parsed as a configuration file. */
async function configurationOf(address: StatusAddress | undefined): Promise<CommandLine['values']> {
  const parts: unknown = await queryAgentJson(address, '/configz');
  const documents = isRecord(parts) ? Object.values(parts) : [];
  const text = documents.map((part) => stringify(part)).join('---\n');
  return readKubeProxyConfiguration(text, 'configuration of the agent').values;
}
