import type { BackendCapabilities, IPFamily, ProxierOptions } from '@kube-proxier/core';
import type { SandboxProtocol } from '@kube-proxier/linux/testing';

/** Something that a backend may declare it lacks. */
export type Capability = keyof BackendCapabilities;

/** A Kubernetes object as it stands in a case: placeholders such as `${clusterIP}` are not yet filled in. */
export interface CaseObject {
  readonly apiVersion?: string;
  readonly kind: 'Service' | 'EndpointSlice' | 'Node' | 'ServiceCIDR';
  readonly metadata: { readonly name: string; readonly [field: string]: unknown };
  readonly [field: string]: unknown;
}

/** Whether endpoints see the client's own address, or the node's; for all, or by endpoint. */
export type SourceExpectation = 'kept' | 'node' | Readonly<Record<string, 'kept' | 'node'>>;

/**
 * What must come of a flow.
 * - `refused`: as by a closed port.
 * - `dropped`: no answer.
 * - `untouched`: what would come without any proxy.
 * - `by`: answered by each of these hosts in turn, and no other.
 */
export type FlowExpectation =
  | 'refused'
  | 'dropped'
  | 'untouched'
  | {
      readonly by: readonly string[];
      /** Default: not looked at. */
      readonly source?: SourceExpectation;
      /** Always the same one; remembered under this name. */
      readonly one?: string;
      /** Always the one that was remembered under this name. */
      readonly same?: string;
      /** Never the one that was remembered under this name, and always the same. */
      readonly other?: string;
    };

/** One flow: who sends, where to, and what must come of it. */
export interface CaseFlow {
  /** `pod1`, `remote-pod1`, `node`, `remote-node`, `client`. */
  readonly from: string;
  /** Source address. Default: the sender's own. An address that nobody has is given to the node. */
  readonly source?: string;
  readonly fromPort?: number | string;
  readonly to: string;
  readonly port: number | string;
  /** Default: the variant's. */
  readonly protocol?: SandboxProtocol;
  /** Spec id of this flow, where it is not the case's. */
  readonly spec?: string;
  /** What the backend must be able to do for this flow. */
  readonly needs?: readonly Capability[];
  readonly expect: FlowExpectation;
}

/** One thing that is done or looked at. Steps follow each other; flows of one step go at the same time. */
export type CaseStep =
  | { readonly apply: readonly CaseObject[] }
  | { readonly delete: readonly { readonly kind: CaseObject['kind']; readonly name: string }[] }
  /** JSON merge patch (RFC 7386) on an object, as `kubectl patch --type merge`. */
  | { readonly patch: CaseObject }
  /** Endpoints of an EndpointSlice, out and in. */
  | {
      readonly endpoints: {
        readonly slice: string;
        readonly remove?: readonly string[];
        readonly add?: readonly unknown[];
      };
    }
  /** With `within` (seconds), each flow has so long until it comes right. */
  | { readonly flows: readonly CaseFlow[]; readonly within?: number }
  /** Opens a TCP connection that stays. */
  | {
      readonly open: {
        readonly as: string;
        readonly from: string;
        readonly to: string;
        readonly port: number | string;
      };
    }
  /** Sends over an open connection: the echo must come. */
  | { readonly talk: string }
  /** Starts a client that connects again and again. */
  | {
      readonly client: {
        readonly as: string;
        readonly from: string;
        readonly to: string;
        readonly port: number | string;
      };
    }
  /** Waits for so many further attempts of the client. */
  | { readonly attempts: { readonly of: string; readonly count: number } }
  /** Ends the client; it may have failed so many times, default none. */
  | { readonly stop: { readonly of: string; readonly failures?: number } }
  /** SIGKILL to the backend's process. */
  | { readonly kill: true }
  /** Starts it again on the objects that there are. */
  | { readonly start: true }
  /** Kills it, and has it remove every trace of itself. */
  | { readonly cleanup: true }
  /** Somebody else empties all packet filter tables of the node. */
  | { readonly flush: true };

/** Options of the proxier for a case; networks may hold placeholders. */
export type CaseOptions = Partial<
  Pick<
    ProxierOptions,
    'localTrafficDetection' | 'masqueradeAll' | 'nodePortAddresses' | 'localhostNodePorts' | 'nodeTopologyHints'
  >
>;

/** One case, as data. It is run once for each of its families and protocols, all in one go. */
export interface ConformanceCase {
  /** Unique; what `--cases` matches. */
  readonly id: string;
  readonly title: string;
  /** Ids of rules that it shows (docs/behaviour). */
  readonly spec: readonly string[];
  /** Part of the subset that runs on every push. */
  readonly quick: boolean;
  readonly families: readonly IPFamily[];
  readonly protocols: readonly SandboxProtocol[];
  readonly needs: readonly Capability[];
  readonly options: CaseOptions;
  readonly steps: readonly CaseStep[];
}
