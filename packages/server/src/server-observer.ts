import type { HealthCheckNodePort, ModeSelection, Node, ProxyMode, SyncObserver } from '@kube-proxier/core';
import type { RemovedOfMode } from './cleanup-backends.js';

/** What a takeover came to. */
export interface FinishedTakeover {
  /** The mode that is in force. */
  readonly inForce: ProxyMode;
  /** What was removed. */
  readonly removed: readonly RemovedOfMode[];
  /** Why not everything could be removed. Absent when it was, but for what open connections go through. */
  readonly error?: unknown;
}

/** Told of what a `ProxyServer` does. A method that throws is logged and disturbs nothing. */
export interface ServerObserver extends SyncObserver {
  /** The mode is chosen. */
  modeSelected?(selection: ModeSelection): void;
  /** Called once: the takeover has removed what it can. What open connections go through may be removed later. */
  takenOver?(takeover: FinishedTakeover): void;
  /** The health check node port of a Service cannot be listened on (spec H-19); it is tried again. */
  serviceHealthFailed?(service: HealthCheckNodePort, error: unknown): void;
  /** A source told of a Service. */
  serviceEvent?(): void;
  /** A source told of an EndpointSlice. */
  endpointsEvent?(): void;
  /** A source told of this node. */
  nodeEvent?(node: Node): void;
}
