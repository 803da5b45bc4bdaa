import type { Logger, Node } from '@kube-proxier/core';
import type { ServerObserver } from '@kube-proxier/server';
import type { AgentSettings } from '../flags/settings.js';

/**
 * Tells when `--detect-local-mode=NodeCIDR` cannot work, since this node has no pod CIDR. kube-proxy waits for one and
 * then ends (spec W-20, W-21); here everything else works, and this does as soon as the node has one.
 */
export class PodNetworkCheck implements ServerObserver {
  private missing = false;

  constructor(
    private readonly settings: Pick<AgentSettings, 'proxier'>,
    private readonly logger: Logger,
  ) {}

  nodeEvent({ spec }: Node): void {
    if (this.settings.proxier.localTrafficDetection?.kind !== 'node-cidr') {
      return;
    }
    const missing = !spec?.podCIDR && !spec?.podCIDRs?.length;
    if (missing === this.missing) {
      return;
    }
    this.missing = missing;
    if (missing) {
      this.logger.warn(
        'This node has no spec.podCIDRs, so --detect-local-mode=NodeCIDR takes no client for one from outside: what others ' +
          'send to cluster IPs through this node is not masqueraded. Have pod CIDRs allocated to nodes, or choose another mode',
      );
    } else {
      this.logger.info('This node has spec.podCIDRs now, and --detect-local-mode=NodeCIDR works');
    }
  }
}
