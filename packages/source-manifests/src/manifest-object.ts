import type { EndpointSlice, Node, Service, ServiceCIDR, ServiceKey } from '@kube-proxier/core';

/** Kinds of objects from manifests. (Endpoints are converted to EndpointSlices.) */
export type ManifestKind = 'Service' | 'EndpointSlice' | 'Node' | 'ServiceCIDR';

/** One validated object of a manifest, with its position. */
export type ManifestObject = {
  /** Identity among all manifests: `Service work/web`, `Node n1`. Safe to print. */
  readonly key: string;
  /** 1 in JSON, where positions are determined only for problems. */
  readonly line: number;
  readonly column: number;
} & (
  | { readonly kind: 'Service'; readonly value: Service }
  | {
      readonly kind: 'EndpointSlice';
      readonly value: EndpointSlice;
      /** Its Service; undefined when it has none. */
      readonly service: ServiceKey | undefined;
      /** Converted from an Endpoints object; EndpointSlices of the same Service have precedence. */
      readonly converted: boolean;
    }
  | { readonly kind: 'Node'; readonly value: Node }
  | {
      readonly kind: 'ServiceCIDR';
      readonly value: ServiceCIDR;
      /** Canonical networks. */
      readonly cidrs: readonly string[];
    }
);
