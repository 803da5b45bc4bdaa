/**
 * One address and port of a service port that can answer.
 *
 * Immutable, and the same object while it is unchanged.
 */
export interface Endpoint {
  /** `10.0.0.1:80` or `[fd00::1]:80`: identity within a service port, and the sort key (spec K-4, K-37). */
  readonly key: string;
  /** Canonical IP address. */
  readonly address: string;
  /** 1…65535. */
  readonly port: number;
  /** Runs on this node. */
  readonly isLocal: boolean;
  /** `conditions.ready`, absent means true (spec K-35). */
  readonly ready: boolean;
  /** `conditions.serving`, absent means true. */
  readonly serving: boolean;
  /** `conditions.terminating`, absent means false. */
  readonly terminating: boolean;
  /** Why it is not ready, where that is known, as text that follows a colon. For explanations only. */
  readonly notReadyReason?: string | undefined;
  /** The node it runs on, when known. */
  readonly nodeName: string | undefined;
  /** The pod that has the address (`targetRef`), in the namespace of the Service; undefined when unknown. For names only. */
  readonly podName?: string | undefined;
  /** The EndpointSlice that lists it; undefined when unknown. For names only. */
  readonly sliceName?: string | undefined;
  /** Zones that the zone hints assign this endpoint to; empty without zone hints. */
  readonly zoneHints: readonly string[];
  /** Nodes that the node hints assign this endpoint to; empty without node hints. */
  readonly nodeHints: readonly string[];
}
