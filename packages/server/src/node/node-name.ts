import { ProxierError } from '@kube-proxier/core';

/**
 * This node's name (spec W-30): `override` if given, else the host's name; trimmed, in lower case.
 *
 * @throws ProxierError `NO_NODE_NAME` when the result is empty.
 */
export function resolveNodeName(override: string | undefined, hostname: string): string {
  const name = (override === undefined || override === '' ? hostname : override).trim().toLowerCase();
  if (name === '') {
    throw new ProxierError(
      'NO_NODE_NAME',
      'the name of this node is empty; give the host a name, or set nodeName to the name of its Node object',
    );
  }
  return name;
}
