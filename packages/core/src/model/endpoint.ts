/**
 * One backend address and port of a service port.
 *
 * Immutable, and the same object while it is unchanged. To copy one with other values, use `endpointWith`: not all fields are own properties,
 * which a spread would copy.
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
  /**
   * Its share of new connections relative to other endpoints: 0…65535. 0 drains it: no new connections; established
   * ones continue (spec E-5). From annotations of the EndpointSlice, else of the Service. Default 1.
   */
  readonly weight: number;
  /**
   * Tenths of its weight that it gets during slow start, 1…9; absent when it has its whole weight. `selectionWeights`
   * includes it.
   */
  readonly slowStart?: number | undefined;
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

/**
 * Whether it runs on this node, or may do so because its node is unknown. Only for such an endpoint can this node
 * forward its own packets back to it; they must be masqueraded (spec O-9).
 */
export function mayBeLocal({ isLocal, nodeName }: Pick<Endpoint, 'isLocal' | 'nodeName'>): boolean {
  return isLocal || nodeName === undefined;
}
