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

/** A change of one object, as a source tells it. */
export interface ObjectChange {
  readonly kind: 'Service' | 'EndpointSlice' | 'Node';
  readonly previous?: object;
  readonly current?: object;
}

/** What the kit tells the backend's process. */
export type Request =
  | { readonly op: 'describe'; readonly choice: BackendChoice }
  /** Starts the proxier; the first `apply` is the first full list. */
  | { readonly op: 'start'; readonly choice: BackendChoice; readonly proxier: Partial<ProxierOptions> }
  /** Hands changes on. `marker` is the name of a Service among them that tells when they are in force. */
  | {
      readonly op: 'apply';
      readonly changes: readonly ObjectChange[];
      readonly serviceCIDRs?: readonly string[];
      readonly marker: string;
    }
  /** Has a backend that never ran here remove what others of its kind have left. */
  | { readonly op: 'cleanup'; readonly choice: BackendChoice };

/** What can be said of a backend without running it. */
export interface BackendDescription {
  readonly mode: string;
  readonly description: string;
  readonly capabilities: BackendCapabilities;
}

/** What the backend's process tells the kit. */
export type Reply =
  | { readonly event: 'described'; readonly description: BackendDescription }
  | { readonly event: 'started'; readonly families: readonly IPFamily[] }
  | { readonly event: 'in-force'; readonly family: IPFamily; readonly marker: string }
  | { readonly event: 'cleaned-up' }
  /** `code` where it is the kit's own error, about how it was asked; `told` where the log says no more. */
  | {
      readonly event: 'failed';
      readonly message: string;
      readonly code?: ConformanceErrorCode;
      readonly told?: boolean;
    };

/** Namespace of the Services that tell when changes are in force. */
export const MARKER_NAMESPACE = 'kube-proxier-conformance';
