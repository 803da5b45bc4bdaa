import type { Logger, Node } from '@kube-proxier/core';
import type { ServerObserver } from '@kube-proxier/server';
import type { AgentSettings } from '../flags/agent-settings.js';

/**
 * Logs that `--detect-local-mode=NodeCIDR` cannot work while this node has no pod CIDR. kube-proxy waits for one and then
 * exits (spec W-20, W-21); here everything else works, and the detection works once the node has one.
 */
export class PodNetworkCheck implements ServerObserver {
  #missing = false;

  constructor(
    private readonly settings: Pick<AgentSettings, 'proxier'>,
    private readonly logger: Logger,
  ) {}

  nodeEvent({ spec }: Node): void {
    if (this.settings.proxier.localTrafficDetection?.kind !== 'node-cidr') {
      return;
    }
    const missing = !spec?.podCIDR && !spec?.podCIDRs?.length;
    if (missing === this.#missing) {
      return;
    }
    this.#missing = missing;
    if (missing) {
      this.logger.warn(
        'This node has no spec.podCIDRs, so --detect-local-mode=NodeCIDR cannot detect off-cluster traffic: such ' +
          'traffic to cluster IPs through this node is not masqueraded. Enable the allocation of pod CIDRs to nodes, or ' +
          'use another mode',
      );
    } else {
      this.logger.info('This node has spec.podCIDRs now, and --detect-local-mode=NodeCIDR works');
    }
  }
}
