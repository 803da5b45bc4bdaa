import type { HealthCheckNodePort, ModeSelection, Node, SyncObserver } from '@kube-proxier/core';

/** Told of what a `ProxyServer` does. A method that throws is logged and disturbs nothing. */
export interface ServerObserver extends SyncObserver {
  /** The mode is chosen. */
  modeSelected?(selection: ModeSelection): void;
  /** The health check node port of a Service cannot be listened on (spec H-19); it is tried again. */
  serviceHealthFailed?(service: HealthCheckNodePort, error: unknown): void;
  /** A source told of a Service. */
  serviceEvent?(): void;
  /** A source told of an EndpointSlice. */
  endpointsEvent?(): void;
  /** A source told of this node. */
  nodeEvent?(node: Node): void;
}
