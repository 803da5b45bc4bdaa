/** A resource that is served. */
export interface ServedResource {
  readonly name: string;
  readonly kind: string;
  readonly apiVersion: string;
  readonly group: string;
}

/** By path. */
export const RESOURCES: Readonly<Record<string, ServedResource>> = {
  '/api/v1/services': { name: 'services', kind: 'Service', apiVersion: 'v1', group: '' },
  '/api/v1/pods': { name: 'pods', kind: 'Pod', apiVersion: 'v1', group: '' },
  '/api/v1/nodes': { name: 'nodes', kind: 'Node', apiVersion: 'v1', group: '' },
  '/apis/discovery.k8s.io/v1/endpointslices': {
    name: 'endpointslices',
    kind: 'EndpointSlice',
    apiVersion: 'discovery.k8s.io/v1',
    group: 'discovery.k8s.io',
  },
  '/apis/networking.k8s.io/v1/servicecidrs': {
    name: 'servicecidrs',
    kind: 'ServiceCIDR',
    apiVersion: 'networking.k8s.io/v1',
    group: 'networking.k8s.io',
  },
};

/** A collection in one namespace. */
export const NAMESPACED = /^(\/(?:api|apis\/[a-z0-9.-]+)\/[a-z0-9]+)\/namespaces\/([a-z0-9-]+)\/([a-z0-9]+)$/;
export const EXEC = /^\/api\/v1\/namespaces\/([a-z0-9-]+)\/pods\/([a-z0-9.-]+)\/exec$/;
export const EVENTS = /^\/apis\/events\.k8s\.io\/v1\/namespaces\/[a-z0-9-]+\/events$/;
export const EVENT: ServedResource = {
  name: 'events',
  kind: 'Event',
  apiVersion: 'events.k8s.io/v1',
  group: 'events.k8s.io',
};
/** Resources of which an object is answered, and not kept, by path. */
export const REVIEWS: Readonly<Record<string, ServedResource>> = {
  '/apis/authentication.k8s.io/v1/tokenreviews': {
    name: 'tokenreviews',
    kind: 'TokenReview',
    apiVersion: 'authentication.k8s.io/v1',
    group: 'authentication.k8s.io',
  },
  '/apis/authorization.k8s.io/v1/subjectaccessreviews': {
    name: 'subjectaccessreviews',
    kind: 'SubjectAccessReview',
    apiVersion: 'authorization.k8s.io/v1',
    group: 'authorization.k8s.io',
  },
};
