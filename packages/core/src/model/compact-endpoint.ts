import type { Endpoint } from './endpoint.js';

/** What endpoints of one node and port have in common. */
type Traits = Omit<Endpoint, 'key' | 'address' | 'podName' | 'sliceName'>;

/** Places for traits that endpoints share: a power of two. */
const PLACES = 4096;
/** Characters at the end of the name of a node that select its place. */
const HASHED = 5;

/** The traits of recent endpoints. */
const shared: (Traits | undefined)[] = [];

/**
 * An endpoint that takes half of the memory of a record of its fields: a large cluster has hundreds of thousands, and most of their fields are
 * equal. To copy one with other values, use {@link endpointWith}: a spread copies only the fields that are not shared.
 */
class CompactEndpoint implements Endpoint {
  readonly key: string;
  readonly podName: string | undefined;
  readonly sliceName: string | undefined;
  readonly #traits: Traits;

  static {
    // So that loops over the fields see them all, as with a record.
    for (const [name, descriptor] of Object.entries(Object.getOwnPropertyDescriptors(CompactEndpoint.prototype))) {
      if (descriptor.get !== undefined) {
        Object.defineProperty(CompactEndpoint.prototype, name, { ...descriptor, enumerable: true });
      }
    }
  }

  constructor(endpoint: Endpoint) {
    this.key = endpoint.key;
    this.podName = endpoint.podName;
    this.sliceName = endpoint.sliceName;
    this.#traits = sharedTraits(endpoint);
  }

  /** The key without the port. */
  get address(): string {
    const { key } = this;
    return key.startsWith('[') ? key.slice(1, key.indexOf(']')) : key.slice(0, key.indexOf(':'));
  }

  get port(): number {
    return this.#traits.port;
  }

  get isLocal(): boolean {
    return this.#traits.isLocal;
  }

  get ready(): boolean {
    return this.#traits.ready;
  }

  get serving(): boolean {
    return this.#traits.serving;
  }

  get terminating(): boolean {
    return this.#traits.terminating;
  }

  get weight(): number {
    return this.#traits.weight;
  }

  get slowStart(): number | undefined {
    return this.#traits.slowStart;
  }

  get notReadyReason(): string | undefined {
    return this.#traits.notReadyReason;
  }

  get nodeName(): string | undefined {
    return this.#traits.nodeName;
  }

  get zoneHints(): readonly string[] {
    return this.#traits.zoneHints;
  }

  get nodeHints(): readonly string[] {
    return this.#traits.nodeHints;
  }

  toJSON(): Endpoint {
    return fieldsOf(this);
  }
}

/** An endpoint with the fields of this one, in little memory. Its key is made of its address and port. */
export function compactEndpoint(endpoint: Endpoint): Endpoint {
  return new CompactEndpoint(endpoint);
}

/**
 * A copy of an endpoint with other values of some fields.
 *
 * @param changes with a new address or port, also the new key: `joinHostPort` of both.
 */
export function endpointWith(endpoint: Endpoint, changes: Partial<Endpoint>): Endpoint {
  return new CompactEndpoint({ ...fieldsOf(endpoint), ...changes });
}

/** All fields, as a record. */
function fieldsOf(endpoint: Endpoint): Endpoint {
  const { key, address, podName, sliceName } = endpoint;
  const { nodeName, zoneHints, nodeHints, notReadyReason, slowStart, ...conditions } = traitsOf(endpoint);
  return {
    ...{ key, address, ...conditions, nodeName, podName, sliceName, zoneHints, nodeHints },
    ...(notReadyReason === undefined ? {} : { notReadyReason }),
    ...(slowStart === undefined ? {} : { slowStart }),
  };
}

function traitsOf(endpoint: Endpoint): Traits {
  const { port, isLocal, ready, serving, terminating, weight, slowStart, notReadyReason } = endpoint;
  const { nodeName, zoneHints, nodeHints } = endpoint;
  const others = { nodeName, zoneHints, nodeHints, slowStart, notReadyReason };
  return { port, isLocal, ready, serving, terminating, weight, ...others };
}

/** The same object for equal traits, unless too many others were needed meanwhile. */
function sharedTraits(endpoint: Endpoint): Traits {
  const { nodeName = '', port } = endpoint;
  let hash = port + nodeName.length;
  for (let at = Math.max(0, nodeName.length - HASHED); at < nodeName.length; at += 1) {
    hash = (hash * 31 + nodeName.charCodeAt(at)) | 0;
  }
  const place = (hash ^ (hash >>> 12)) & (PLACES - 1);
  const known = shared[place];
  if (known !== undefined && hasTraits(endpoint, known)) {
    return known;
  }
  const traits = traitsOf(endpoint);
  shared[place] = traits;
  return traits;
}

/** Whether an endpoint equals another one in all but its address, its pod and its slice. */
export function hasTraits(endpoint: Endpoint, traits: Traits): boolean {
  return (
    endpoint.nodeName === traits.nodeName &&
    endpoint.port === traits.port &&
    endpoint.isLocal === traits.isLocal &&
    endpoint.ready === traits.ready &&
    endpoint.serving === traits.serving &&
    endpoint.terminating === traits.terminating &&
    endpoint.weight === traits.weight &&
    endpoint.slowStart === traits.slowStart &&
    endpoint.notReadyReason === traits.notReadyReason &&
    sameNames(endpoint.zoneHints, traits.zoneHints) &&
    sameNames(endpoint.nodeHints, traits.nodeHints)
  );
}

function sameNames(left: readonly string[], right: readonly string[]): boolean {
  return left === right || (left.length === right.length && left.every((name, index) => name === right[index]));
}
