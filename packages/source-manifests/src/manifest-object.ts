import type { EndpointSlice, Node, Service, ServiceCIDR } from '@kube-proxier/core';

/** Kinds that come out of manifests. (Endpoints come out as EndpointSlices.) */
export type ManifestKind = 'Service' | 'EndpointSlice' | 'Node' | 'ServiceCIDR';

/** One object of a manifest, checked, and where it stands. */
export type ManifestObject = {
  /** Identity among all manifests: `Service work/web`, `Node n1`. Safe to print. */
  readonly key: string;
  /** 1 in JSON, where positions are looked up only when something is wrong. */
  readonly line: number;
  readonly column: number;
} & (
  | { readonly kind: 'Service'; readonly value: Service }
  | {
      readonly kind: 'EndpointSlice';
      readonly value: EndpointSlice;
      /** The Service it belongs to, `namespace/name`; undefined when it names none. */
      readonly service: string | undefined;
      /** Made from an Endpoints object; gives way to EndpointSlices of the same Service. */
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
