import type { EndpointSlice } from '../objects/objects.js';

/** An EndpointSlice was added, changed or deleted: its previous and its current version. */
export type EndpointSliceEvent = readonly [previous: EndpointSlice | undefined, current: EndpointSlice | undefined];

/**
 * The events that handlers receive for a change of an EndpointSlice. Kubernetes never changes the address type of a
 * slice, so handlers need not support it: a change of the address type is reported as a deletion and an addition. Pure.
 */
export function eventsOfSliceChange(
  previous: EndpointSlice | undefined,
  current: EndpointSlice | undefined,
): readonly EndpointSliceEvent[] {
  return previous && current && previous.addressType !== current.addressType
    ? [
        [previous, undefined],
        [undefined, current],
      ]
    : [[previous, current]];
}
