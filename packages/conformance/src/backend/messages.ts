import type { BackendCapabilities, IPFamily, ProxierOptions } from '@kube-proxier/core';
import type { ConformanceErrorCode } from '../conformance-error.js';

/** Which backend to load. */
export interface BackendChoice {
  /** Package name, or absolute path of a module. */
  readonly backend: string;
  /** Mode of the backend, where the module has several. */
  readonly mode?: string;
  /** For the module's `create…Backend`. */
  readonly options: Readonly<Record<string, unknown>>;
}

/** A change of one object, as reported by a source. */
export interface ObjectChange {
  readonly kind: 'Service' | 'EndpointSlice' | 'Node';
  readonly previous?: object;
  readonly current?: object;
}

/** Messages of the kit to the process of the backend. */
export type Request =
  | { readonly op: 'describe'; readonly choice: BackendChoice }
  /** Starts the proxier; the first `apply` is the first full list. */
  | { readonly op: 'start'; readonly choice: BackendChoice; readonly proxier: Partial<ProxierOptions> }
  /** Sends changes. `marker` is the name of a Service among them whose presence shows that they are programmed. */
  | {
      readonly op: 'apply';
      readonly changes: readonly ObjectChange[];
      readonly serviceCIDRs?: readonly string[];
      readonly marker: string;
    }
  /** Reads the counts of the backend. */
  | { readonly op: 'count' }
  /** Runs the cleanup of a backend that was never started in this process. */
  | { readonly op: 'cleanup'; readonly choice: BackendChoice };

/** Connections or bytes of a service port, or of one of its endpoints, as the backend counted them. */
export interface CountedTotal {
  readonly quantity: 'connections' | 'bytes';
  /** `namespace/name`, and `:` and the name of the port where it has one. */
  readonly service: string;
  readonly protocol: string;
  readonly family: string;
  /** `address:port`; absent for the service port as a whole. */
  readonly endpoint?: string;
  /** Of bytes. */
  readonly direction?: string;
  readonly value: number;
}

/** Description of a backend that is not running. */
export interface BackendDescription {
  readonly mode: string;
  readonly description: string;
  readonly capabilities: BackendCapabilities;
}

/** Messages of the process of the backend to the kit. */
export type Reply =
  | { readonly event: 'described'; readonly description: BackendDescription }
  | { readonly event: 'started'; readonly families: readonly IPFamily[] }
  | { readonly event: 'in-force'; readonly family: IPFamily; readonly marker: string }
  | { readonly event: 'counted'; readonly totals: readonly CountedTotal[] }
  | { readonly event: 'cleaned-up' }
  /** `code` for errors of the kit about its input; `isComplete` if the log adds nothing to the message. */
  | {
      readonly event: 'failed';
      readonly message: string;
      readonly code?: ConformanceErrorCode;
      readonly isComplete?: boolean;
    };

/** Namespace of the Services that show when changes are programmed. */
export const MARKER_NAMESPACE = 'kube-proxier-conformance';
