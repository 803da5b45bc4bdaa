import { diffStates, type Preview, type PreviewContext, type ProxyState } from '@kube-proxier/core';
import type { InstalledUserspace, Reach } from './plan/installed-userspace.js';
import { planServicePort } from './plan/planned-service-port.js';
import { renderChanges } from './plan/render-changes.js';
import { UserspacePlanner } from './plan/userspace-planner.js';

/** Options of {@link createUserspacePreview}. */
export interface UserspacePreviewOptions {
  readonly context: Pick<PreviewContext, 'localAddresses'>;
  /** How clients reach sockets on this host. */
  readonly reach: () => Promise<Reach>;
  readonly listenAddresses?: readonly string[];
}

/** Sockets belong to the process of the agent, so they are derived from its state in force. */
export function createUserspacePreview({ context, reach, listenAddresses = [] }: UserspacePreviewOptions): Preview {
  return {
    followsLocalAddresses: true,
    localAddresses: context.localAddresses,
    async changes(next, previous) {
      const installed = installedFor(previous, await reach(), listenAddresses);
      const planner = new UserspacePlanner({ listenAddresses });
      const transaction = planner.plan(next, diffStates(undefined, next), installed);
      return transaction === undefined ? [] : renderChanges(transaction, installed);
    },
    async close() {},
  };
}

/** What an agent with this state in force has; nothing without one. */
function installedFor(
  state: ProxyState | undefined,
  reach: Reach,
  listenAddresses: readonly string[],
): InstalledUserspace {
  const planned = [...(state?.servicePorts.values() ?? [])].flatMap(
    (port) => planServicePort(port, { reach, listenAddresses }) ?? [],
  );
  return {
    reach,
    node: state?.node,
    services: new Map(planned.map(({ service }) => [service.key, service])),
    listeners: new Map(
      planned.flatMap(({ listeners }) => listeners.map((listener) => [listener.id, listener] as const)),
    ),
    clusterIPs: new Set(state?.clusterIPs.keys()),
    redirectInForce: true,
  };
}
