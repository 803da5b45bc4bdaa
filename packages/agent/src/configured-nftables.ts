import { type BackendModule, servesLoopback, withCompanion } from '@kube-proxier/core';
import { createNftablesBackend, type NftablesBackendOptions } from '@kube-proxier/nftables';
import { createUserspaceBackend } from '@kube-proxier/userspace';

export interface ConfiguredNftablesOptions extends NftablesBackendOptions {
  /**
   * Whether sockets serve IPv4 NodePorts on 127.0.0.1, which nftables cannot: `true` beside whatever the proxier's
   * `nodePortAddresses` says, as `--nftables-localhost-nodeports` has it; `selected` where that, and the proxier's
   * `localhostNodePorts`, include it. Default false.
   */
  readonly localhostNodePorts?: boolean | 'selected';
}

const LOOPBACK = '127.0.0.0/8';

/** Mode nftables with what the agent can have beside it. Touches nothing until it is used. */
export function createConfiguredNftablesBackend({
  localhostNodePorts = false,
  ...options
}: ConfiguredNftablesOptions = {}): BackendModule {
  const backend = createNftablesBackend(options);
  if (localhostNodePorts === false) {
    return backend;
  }
  // Not the backend of mode userspace itself, which is asked to clean up when another mode takes over.
  const companion = createUserspaceBackend({ redirect: 'none' });
  const both = withCompanion(backend, companion, (context) =>
    context.family === 'IPv6' || (localhostNodePorts === 'selected' && !servesLoopback(context.options))
      ? undefined
      : {
          ...context,
          options: {
            ...context.options,
            localhostNodePorts: true,
            nodePortAddresses: { kind: 'cidrs', cidrs: [LOOPBACK] },
            // Sockets cost little: they need not come later than the rules.
            minSyncPeriod: 0,
          },
          // What it does beside is not what health and metrics are about.
          observer: {},
        },
  );
  return { ...both, capabilities: { ...backend.capabilities, localhostNodePorts: true, localhostNetwork: false } };
}
