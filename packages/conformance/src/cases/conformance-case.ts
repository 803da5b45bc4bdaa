import type { BackendCapabilities, IPFamily, ProxierOptions } from '@kube-proxier/core';
import type { SandboxProtocol } from '@kube-proxier/network-sandbox';

/**
 * A capability that a backend may declare as missing. `connectionCounters` and `trafficCounters` follow from what it declares to
 * count: connections or bytes, of service ports and of their endpoints.
 */
export type Capability = keyof BackendCapabilities | 'connectionCounters' | 'trafficCounters';

/** A Kubernetes object of a case, with placeholders such as `${clusterIP}`. */
export interface CaseObject {
  readonly apiVersion?: string;
  readonly kind: 'Service' | 'EndpointSlice' | 'Node' | 'ServiceCIDR';
  readonly metadata: { readonly name: string; readonly [field: string]: unknown };
  readonly [field: string]: unknown;
}

/** Whether endpoints see the client's own address, or the node's; for all, or by endpoint. */
export type SourceExpectation = 'kept' | 'node' | Readonly<Record<string, 'kept' | 'node'>>;

/**
 * Expected outcome of a flow.
 * - `refused`: rejected, as by a closed port.
 * - `dropped`: no answer.
 * - `untouched`: the outcome without a proxy.
 * - `by`: answered by each of these hosts, and no other.
 */
export type FlowExpectation =
  | 'refused'
  | 'dropped'
  | 'untouched'
  | {
      readonly by: readonly string[];
      /**
       * The answering port of these hosts, if it differs from that of their EndpointSlice: a separate server listens
       * there. Default: not checked.
       */
      readonly at?: number;
      /** Default: not checked. */
      readonly source?: SourceExpectation;
      /** The proportion in which they answer; chance explains the answers with a probability of at least 10⁻⁷. Default: not checked. */
      readonly shares?: Readonly<Record<string, number>>;
      /** Always the same one; stored under this name. */
      readonly one?: string;
      /** Always the one stored under this name. */
      readonly same?: string;
      /** Always the same one, but not the one stored under this name. */
      readonly other?: string;
    };

/** One flow: sender, destination and expected outcome. */
export interface CaseFlow {
  /** `pod1`, `remote-pod1`, `node`, `remote-node`, `client`. */
  readonly from: string;
  /** Source address. Default: the sender's own. An unassigned address is added to the node. */
  readonly source?: string;
  readonly fromPort?: number | string;
  readonly to: string;
  readonly port: number | string;
  /** Default: the variant's. */
  readonly protocol?: SandboxProtocol;
  /** Spec id of this flow, if it differs from the case's. */
  readonly spec?: string;
  /** Capabilities that the backend needs for this flow. */
  readonly needs?: readonly Capability[];
  readonly expect: FlowExpectation;
}

/** One action or check. Steps run in order; flows of one step run concurrently. */
export type CaseStep =
  | { readonly apply: readonly CaseObject[] }
  | { readonly delete: readonly { readonly kind: CaseObject['kind']; readonly name: string }[] }
  /** JSON merge patch (RFC 7386) on an object, as `kubectl patch --type merge`. */
  | { readonly patch: CaseObject }
  /** Removes and adds endpoints of an EndpointSlice. */
  | {
      readonly endpoints: {
        readonly slice: string;
        readonly remove?: readonly string[];
        readonly add?: readonly unknown[];
      };
    }
  /** With `within` (seconds), each flow is retried until it succeeds or the time has elapsed. */
  | { readonly flows: readonly CaseFlow[]; readonly within?: number }
  /** Opens a TCP connection and keeps it open. */
  | {
      readonly open: {
        readonly as: string;
        readonly from: string;
        readonly to: string;
        readonly port: number | string;
      };
    }
  /** Sends over an open connection and expects the echo. */
  | { readonly talk: string }
  /** Sends over an open connection until it is reset, which must not take longer than ten seconds. */
  | { readonly reset: string }
  /** Starts a client that connects continuously. */
  | {
      readonly client: {
        readonly as: string;
        readonly from: string;
        readonly to: string;
        readonly port: number | string;
      };
    }
  /** Waits for this many further attempts of the client. */
  | { readonly attempts: { readonly of: string; readonly count: number } }
  /** Stops the client; at most this many attempts may have failed, default none. */
  | { readonly stop: { readonly of: string; readonly failures?: number } }
  /**
   * Sends this many bytes to an address of a Service, by the protocol of the variant; its endpoints echo them. The
   * backend must count them exactly once, for the Service and for the answering endpoints, in both directions, and
   * nothing for others.
   */
  | {
      readonly transfer: {
        readonly service: string;
        readonly from: string;
        readonly to: string;
        readonly port: number | string;
        readonly bytes: number;
      };
    }
  /**
   * Opens this many connections to an address of a Service, by the protocol of the variant; a datagram from a new port
   * counts as one. The backend must count each exactly once, for the Service and for the answering endpoint, and none
   * for other endpoints and Services of the case.
   */
  | {
      readonly connect: {
        readonly service: string;
        readonly from: string;
        readonly to: string;
        readonly port: number | string;
        readonly times: number;
      };
    }
  /** SIGKILL to the backend's process. */
  | { readonly kill: true }
  /** Starts it again with the current objects. */
  | { readonly start: true }
  /** Kills it, and runs its cleanup. */
  | { readonly cleanup: true }
  /** Flushes all packet filter tables of the node, as another program would. */
  | { readonly flush: true };

/** Options of the proxier for a case; networks may contain placeholders. */
export type CaseOptions = Partial<
  Pick<
    ProxierOptions,
    | 'localTrafficDetection'
    | 'masqueradeAll'
    | 'nodePortAddresses'
    | 'localhostNodePorts'
    | 'nodeTopologyHints'
    | 'countConnections'
    | 'countTraffic'
  >
>;

/** One case, as data. It runs in all of its families and protocols concurrently. */
export interface ConformanceCase {
  /** Unique; matched by `--cases`. */
  readonly id: string;
  readonly title: string;
  /** Ids of the specification that it tests. */
  readonly spec: readonly string[];
  /** Part of the subset that is meant for every push. */
  readonly quick: boolean;
  readonly families: readonly IPFamily[];
  readonly protocols: readonly SandboxProtocol[];
  readonly needs: readonly Capability[];
  readonly options: CaseOptions;
  readonly steps: readonly CaseStep[];
}
