import { type BackendModule, servesLoopback, withCompanion } from '@kube-proxier/core';
import { createNftablesBackend, type NftablesBackendOptions } from '@kube-proxier/nftables';
import { createUserspaceBackend } from '@kube-proxier/userspace';

export interface ConfiguredNftablesOptions extends NftablesBackendOptions {
  /**
   * Whether sockets serve NodePorts on 127.0.0.1 and ::1, which nftables cannot: `true` regardless of the proxier's
   * `nodePortAddresses`; `selected` if these and the proxier's `localhostNodePorts` include them. Default false.
   */
  readonly localhostNodePorts?: boolean | 'selected';
}

/** Mode nftables with its optional companion for localhost NodePorts. Has no side effects until it is used. */
export function createConfiguredNftablesBackend({
  localhostNodePorts = false,
  ...options
}: ConfiguredNftablesOptions = {}): BackendModule {
  const backend = createNftablesBackend(options);
  if (localhostNodePorts === false) {
    return backend;
  }
  // Not the shared userspace backend, whose cleanup runs when another mode takes over.
  const companion = createUserspaceBackend({ redirect: 'none' });
  const both = withCompanion(backend, companion, (context) =>
    localhostNodePorts === 'selected' && !servesLoopback(context.options, context.family)
      ? undefined
      : {
          ...context,
          options: {
            ...context.options,
            localhostNodePorts: true,
            nodePortAddresses: { kind: 'entries', entries: ['localhost'] },
            // Sockets are cheap: they need no minimum period.
            minSyncPeriod: 0,
          },
          // The companion does not affect health and metrics.
          observer: {},
        },
  );
  return {
    ...both,
    capabilities: {
      ...backend.capabilities,
      localhostNodePorts: true,
      localhostNodePortsIPv6: true,
      localhostNetwork: false,
    },
  };
}
