import type { ReportedKind, ReportedObjects, SourceHandler } from '../contract/source.js';
import type { ObjectIdentity } from '../objects/object-problem.js';
import type { EndpointSlice, Service } from '../objects/objects.js';

/** The objects of events that pass through {@link before}, as a source has them. */
export class ReportedObjectList implements ReportedObjects {
  readonly #objects = {
    Services: new Map<string, Service>(),
    EndpointSlices: new Map<string, EndpointSlice>(),
  };

  all(kind: ReportedKind): Iterable<Service | EndpointSlice> {
    return [...this.#objects[kind].values()];
  }

  get(kind: ReportedKind, { namespace, name }: ObjectIdentity): Service | EndpointSlice | undefined {
    return this.#objects[kind].get(`${namespace}/${name}`);
  }

  /** Passes events on to a handler once they are listed here. */
  before<Handler extends Pick<SourceHandler, 'onServiceUpdate' | 'onEndpointsUpdate'>>(handler: Handler): Handler {
    return {
      ...handler,
      onServiceUpdate: (...event) => {
        listChange(this.#objects.Services, ...event);
        handler.onServiceUpdate(...event);
      },
      onEndpointsUpdate: (...event) => {
        listChange(this.#objects.EndpointSlices, ...event);
        handler.onEndpointsUpdate(...event);
      },
    };
  }
}

function listChange<T extends Service | EndpointSlice>(
  objects: Map<string, T>,
  previous: T | undefined,
  current: T | undefined,
): void {
  const { metadata } = current ?? previous ?? {};
  const key = `${metadata?.namespace}/${metadata?.name}`;
  if (current === undefined) {
    objects.delete(key);
  } else {
    objects.set(key, current);
  }
}
