import { Agent } from 'node:https';
import {
  ApiServerProcess,
  apiServerPrograms,
  FakeApiServer,
  sendApiRequest,
} from '../../packages/source-kubernetes/dist/testing/index.js';
import { plainKubeconfig } from '../../scripts/plain-kubeconfig.mjs';
import { apiService, apiSlice } from './api-objects.mjs';

/** @typedef {Pick<ReturnType<typeof apiService> | ReturnType<typeof apiSlice>, 'metadata'>} ApiObject */

/** Requests at a time while a real server is filled. */
const PARALLEL = 16;
const NAMESPACES = 50;
/** kube-proxy waits for its address. */
const NODE = {
  metadata: { name: 'node1' },
  status: { addresses: [{ type: 'InternalIP', address: '127.0.0.1' }] },
};
const PATHS = { services: '/api/v1', endpointslices: '/apis/discovery.k8s.io/v1' };

/**
 * An API server with Services and their EndpointSlices: a real one where KUBE_APISERVER and ETCD name its programs, else the
 * fake one of this repository, in this process.
 *
 * @typedef {object} FilledApiServer
 * @property {string} name what it is, for the title of a report
 * @property {string} kubeconfig as text
 * @property {(slice: ReturnType<typeof apiSlice>) => Promise<void>} replaceSlice
 * @property {() => Promise<void>} stop
 */

/**
 * @param {number} services
 * @param {number} endpoints of each
 * @returns {Promise<FilledApiServer>}
 */
export async function startFilledApiServer(services, endpoints) {
  const programs = apiServerPrograms();
  return programs === undefined ? startFilledFake(services, endpoints) : real(programs, services, endpoints);
}

/**
 * The fake API server, in this process.
 *
 * @param {number} services
 * @param {number} endpoints
 * @returns {Promise<FilledApiServer & {fake: FakeApiServer}>}
 */
export async function startFilledFake(services, endpoints) {
  const server = await FakeApiServer.start();
  for (let index = 0; index < services; index += 1) {
    server.store.put('services', apiService(index));
    server.store.put('endpointslices', apiSlice(index, endpoints));
  }
  server.store.put('nodes', NODE);
  server.encodeAll();
  return {
    name: 'the fake API server',
    fake: server,
    kubeconfig: plainKubeconfig(server.url),
    replaceSlice: async (slice) => void server.store.put('endpointslices', slice),
    stop: () => server.stop(),
  };
}

/**
 * @param {import('../../packages/source-kubernetes/dist/testing/index.js').ApiServerPrograms} programs
 * @param {number} services
 * @param {number} endpoints
 * @returns {Promise<FilledApiServer>}
 */
async function real(programs, services, endpoints) {
  const agent = new Agent({ keepAlive: true, maxSockets: PARALLEL });
  const server = await ApiServerProcess.start({
    ...programs,
    send: (request) => sendApiRequest(request, agent),
  });
  try {
    await inParallel(NAMESPACES, (index) =>
      post(server, '/api/v1/namespaces', { metadata: { name: `team-${index}` } }),
    );
    await inParallel(services, async (index) => {
      // The server allocates the cluster IP: one is that of its own Service.
      const service = apiService(index);
      const { clusterIP, clusterIPs, ...spec } = service.spec;
      await post(server, pathOf('services', service), { ...ofUser(service), spec });
      await post(server, pathOf('endpointslices', apiSlice(index, endpoints)), ofUser(apiSlice(index, endpoints)));
    });
    await server.put('nodes', NODE);
  } catch (error) {
    await server.stop();
    throw error;
  }
  return {
    name: 'a real API server',
    kubeconfig: server.kubeconfig({ token: 'administrator' }),
    async replaceSlice(slice) {
      const path = `${pathOf('endpointslices', slice)}/${slice.metadata.name}`;
      const { status, body } = await server.request('PUT', path, ofUser(slice));
      if (status >= 300) {
        throw new Error(`PUT ${path}: ${status} ${body}`);
      }
    },
    async stop() {
      agent.destroy();
      await server.stop();
    },
  };
}

/**
 * @param {'services' | 'endpointslices'} resource
 * @param {ApiObject} object
 */
function pathOf(resource, { metadata }) {
  return `${PATHS[resource]}/namespaces/${metadata.namespace}/${resource}`;
}

/**
 * What a user would send: the server writes who manages which field itself, and owners need the uid of an object.
 *
 * @param {ApiObject} object
 */
function ofUser({ metadata, ...rest }) {
  const { managedFields, ...kept } = metadata;
  return { ...rest, metadata: { ...kept, ownerReferences: undefined } };
}

/**
 * @param {ApiServerProcess} server
 * @param {string} path
 * @param {object} object
 */
async function post(server, path, object) {
  const { status, body } = await server.request('POST', path, object);
  if (status >= 300) {
    throw new Error(`POST ${path}: ${status} ${body}`);
  }
}

/**
 * @param {number} count
 * @param {(index: number) => Promise<void>} work
 */
async function inParallel(count, work) {
  let next = 0;
  const worker = async () => {
    while (next < count) {
      next += 1;
      await work(next - 1);
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, worker));
}
