/** Annotation of a Service: what happens to established TCP connections when their endpoint is gone: `keep`, `reset`. */
export const WHEN_ENDPOINT_GOES_ANNOTATION = 'kube-proxier.io/when-endpoint-goes';

/**
 * What happens to established TCP connections when their endpoint is gone.
 * - `keep`: nothing, as in kube-proxy. The client notices when its own timeouts end.
 * - `reset`: they are reset (spec R-1).
 */
export type WhenEndpointGoes = 'keep' | 'reset';

/**
 * Milliseconds that an endpoint must be missing before it counts as removed (spec R-3), in addition to the minimum sync
 * period: controllers move endpoints between EndpointSlices in two writes.
 */
export const GONE_AFTER = 1000;
