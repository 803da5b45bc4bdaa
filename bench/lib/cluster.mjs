import { diffStates, ENDPOINT_WEIGHTS_ANNOTATION } from '../../packages/core/dist/index.js';
import { makeResolver, makeService, makeSlice } from '../../packages/core/dist/testing/index.js';

/**
 * @typedef {import('../../packages/core/dist/index.js').ChangeSet} ChangeSet
 * @typedef {import('../../packages/core/dist/index.js').EndpointSlice} EndpointSlice
 * @typedef {import('../../packages/core/dist/index.js').ProxyState} ProxyState
 * @typedef {import('../../packages/core/dist/index.js').Service} Service
 * @typedef {import('../../packages/core/dist/testing/index.js').EndpointDescription} EndpointDescription
 * @typedef {import('../../packages/core/dist/testing/index.js').ResolveOptions} ResolveOptions
 */

/**
 * @template Transaction, Installed
 * @typedef {import('../../packages/core/dist/index.js').Dataplane<Transaction, Installed>} Dataplane
 */

/** Networks by the second byte of their first address. */
const CLUSTER_NETWORK = 96;
const POD_NETWORK = 200;
const FRESH_POD_NETWORK = 198;

/**
 * An IPv4 address by its number in 10.<network>.0.0 and the networks that follow.
 *
 * @param {number} network
 * @param {number} number
 */
export function address(network, number) {
  return `10.${network + (number >> 16)}.${(number >> 8) & 255}.${number & 255}`;
}

/** @param {number} index of the Service */
export function clusterIP(index) {
  return address(CLUSTER_NETWORK, index);
}

/** @param {number} number of the pod, in the whole cluster */
export function podAddress(number) {
  return address(POD_NETWORK, number);
}

/**
 * The pods of a Service when each has as many.
 *
 * @param {number} index of the Service
 * @param {number} count
 * @returns {EndpointDescription[]}
 */
export function podsOf(index, count) {
  return Array.from({ length: count }, (_, offset) => pod(index * count + offset));
}

/**
 * @param {number} number in the whole cluster
 * @returns {EndpointDescription}
 */
export function pod(number) {
  return { address: podAddress(number), node: `node${2 + (number % 100)}` };
}

/**
 * @param {number} index
 * @returns {Service} `bench/svc-<index>`, with one port
 */
export function service(index) {
  return makeService(`bench/svc-${index}`, {
    clusterIP: clusterIP(index),
    ports: [{ name: 'http', port: 80, protocol: 'TCP' }],
  });
}

/**
 * @param {number} index of the Service
 * @param {readonly (string | EndpointDescription)[]} endpoints
 * @param {string} [name] default `svc-<index>-1`
 * @returns {EndpointSlice}
 */
export function slice(index, endpoints, name) {
  return makeSlice(`bench/svc-${index}`, endpoints, {
    ...(name === undefined ? {} : { name }),
    ports: [{ name: 'http', port: 8080, protocol: 'TCP' }],
    addressType: 'IPv4',
  });
}

/** Services of as many endpoints each, resolved by core, of which one changes at a time. */
export class BenchCluster {
  #resolver;
  #endpoints;
  #fresh = 0;
  /** @type {Map<number, EndpointSlice>} */
  #slices = new Map();

  /**
   * @param {number} services numbered from 0
   * @param {number} endpoints of each
   * @param {ResolveOptions} [options]
   * @param {(index: number) => readonly (string | EndpointDescription)[]} [pods] default: `endpoints` addresses of its own
   */
  constructor(services, endpoints, options = {}, pods = (index) => podsOf(index, endpoints)) {
    this.#resolver = makeResolver(options);
    this.#endpoints = endpoints;
    for (let index = 0; index < services; index += 1) {
      this.#resolver.updateService(undefined, service(index));
      this.setEndpoints(index, pods(index));
    }
  }

  /**
   * @param {number} index of the Service
   * @param {readonly (string | EndpointDescription)[]} endpoints
   */
  setEndpoints(index, endpoints) {
    const next = slice(index, endpoints);
    this.#resolver.updateEndpointSlice(this.#slices.get(index), next);
    this.#slices.set(index, next);
  }

  /**
   * Replaces one endpoint of a Service by one at an address that no other has.
   *
   * @param {number} index
   */
  replaceEndpoint(index) {
    const [, ...others] = podsOf(index, this.#endpoints);
    this.setEndpoints(index, [{ address: address(FRESH_POD_NETWORK, this.#fresh), node: 'node2' }, ...others]);
    this.#fresh = (this.#fresh + 1) % 0x20000;
  }

  /**
   * Adds an endpoint to a Service that has as many as the others, at an address that no other has.
   *
   * @param {number} index
   */
  addEndpoint(index) {
    const fresh = { address: address(FRESH_POD_NETWORK, this.#fresh), node: 'node2' };
    this.setEndpoints(index, [...podsOf(index, this.#endpoints), fresh]);
    this.#fresh = (this.#fresh + 1) % 0x20000;
  }

  /**
   * Gives the last endpoint of a Service another weight.
   *
   * @param {number} index
   * @param {number} weight
   */
  setWeight(index, weight) {
    const annotations = { [ENDPOINT_WEIGHTS_ANNOTATION]: `${podAddress((index + 1) * this.#endpoints - 1)}=${weight}` };
    const changed = service(index);
    this.#resolver.updateService(undefined, { ...changed, metadata: { ...changed.metadata, annotations } });
  }

  /** The current state, and the changes since the last call. */
  resolve() {
    return this.#resolver.applyPending();
  }
}

/**
 * Brings a dataplane from what is installed to a state.
 *
 * @template Transaction, Installed
 * @param {Dataplane<Transaction, Installed>} dataplane
 * @param {ProxyState} state
 */
export async function install(dataplane, state) {
  await applyPlanned(dataplane, dataplane.plan(state, diffStates(undefined, state), await dataplane.readBack()));
}

/**
 * Applies the changes since the last state.
 *
 * @template Transaction, Installed
 * @param {Dataplane<Transaction, Installed>} dataplane
 * @param {{state: ProxyState, changes: ChangeSet}} resolved
 */
export async function applyChanges(dataplane, { state, changes }) {
  await applyPlanned(dataplane, dataplane.plan(state, changes));
}

/**
 * Fails when what is installed is not the state.
 *
 * @template Transaction, Installed
 * @param {Dataplane<Transaction, Installed>} dataplane
 * @param {ProxyState} state
 */
export async function verifyInstalled(dataplane, state) {
  if (dataplane.plan(state, diffStates(undefined, state), await dataplane.readBack()) !== undefined) {
    throw new Error('the state read back differs from the planned one');
  }
}

/**
 * @template Transaction, Installed
 * @param {Dataplane<Transaction, Installed>} dataplane
 * @param {Transaction | undefined} transaction
 */
async function applyPlanned(dataplane, transaction) {
  if (transaction !== undefined) {
    await dataplane.apply(transaction);
  }
}
