import type { HealthCheckNodePort, ModeSelection, Node, ProxyMode, SyncObserver } from '@kube-proxier/core';
import type { RemovedOfMode } from './takeover/cleanup-backends.js';
import type { NodeVerification } from './verification/verify-node.js';

/** Result of a takeover. */
export interface FinishedTakeover {
  /** The mode that is in force. */
  readonly inForce: ProxyMode;
  /** The removed objects. */
  readonly removed: readonly RemovedOfMode[];
  /** Why not everything could be removed. Absent when only objects in use by open connections remain. */
  readonly error?: unknown;
}

/** Notified of the activity of a `ProxyServer`. An error of a method is logged and has no other effect. */
export interface ServerObserver extends SyncObserver {
  /** The mode was selected. */
  modeSelected?(selection: ModeSelection): void;
  /**
   * Called once, after the removal attempt of the takeover. Objects in use by open connections may be removed later.
   */
  takenOver?(takeover: FinishedTakeover): void;
  /** A verification of the node begins. */
  verifying?(): void;
  /** A verification of the node has ended. */
  verified?(result: NodeVerification): void;
  /** Cannot listen on the health check node port of a Service (spec H-19); it is retried. */
  serviceHealthFailed?(service: HealthCheckNodePort, error: unknown): void;
  /** A source reported a Service. */
  serviceEvent?(): void;
  /** A source reported an EndpointSlice. */
  endpointsEvent?(): void;
  /** A source reported this node. */
  nodeEvent?(node: Node): void;
}
