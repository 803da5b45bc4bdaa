import type { Service, SourceHandler } from '@kube-proxier/core';
import { Gauge, type Registry } from 'prom-client';

/**
 * An event handler of the agent: receives every event of the proxy, and counts Services by namespace and type, without a second
 * watch of the cluster.
 */
export class ServiceInventory implements SourceHandler {
  private readonly gauge: Gauge<'namespace' | 'type'>;

  constructor(registry: Registry) {
    this.gauge = new Gauge({
      name: 'node_agent_services',
      help: 'Number of Services',
      labelNames: ['namespace', 'type'],
      registers: [registry],
    });
  }

  onServiceUpdate(previous: Service | undefined, current: Service | undefined): void {
    if (previous) {
      this.gauge.dec(labelsOf(previous));
    }
    if (current) {
      this.gauge.inc(labelsOf(current));
    }
  }

  onEndpointsUpdate(): void {}
  onServicesSynced(): void {}
  onEndpointsSynced(): void {}
  onNodeUpdate(): void {}
  onServiceCIDRsUpdate(): void {}
}

function labelsOf({ metadata, spec }: Service) {
  return { namespace: metadata?.namespace ?? '', type: spec?.type ?? 'ClusterIP' };
}
