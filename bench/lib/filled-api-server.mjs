import { randomUUID } from 'node:crypto';
import { Agent } from 'node:https';
import {
  ApiServerProcess,
  apiServerPrograms,
  FakeApiServer,
  sendApiRequest,
} from '../../packages/source-kubernetes/dist/testing/index.js';
import { plainKubeconfig } from '../../scripts/plain-kubeconfig.mjs';
import { apiService, apiSlice } from './api-objects.mjs';
import { clusterIP } from './cluster.mjs';

const NAMESPACES = 50;
/** kube-proxy waits for its address. */
const NODE = {
  metadata: { name: 'node1' },
  status: { addresses: [{ type: 'InternalIP', address: '127.0.0.1' }] },
};
/** Addresses that the server needs for itself, before those of the Services. */
const RESERVED = 16;

/**
 * An API server with Services and their EndpointSlices: a real one where KUBE_APISERVER and ETCD name its programs, else the
 * fake one of this repository, in this process.
 *
 * @typedef {object} FilledApiServer
 * @property {string} name what it is, for the title of a report
 * @property {string} kubeconfig as text
 * @property {(index: number) => string} clusterIP of a Service
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
    clusterIP,
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
  const agent = new Agent({ keepAlive: true });
  const server = await ApiServerProcess.start({
    ...programs,
    send: (request) => sendApiRequest(request, agent),
  });
  try {
    for (let index = 0; index < NAMESPACES; index += 1) {
      await server.put('namespaces', { metadata: { name: `team-${index}` } });
    }
    await server.put('nodes', NODE);
    // Created one by one, they would take many minutes: the server allocates an address for each.
    await server.stopServer();
    await server.store(storedObjects(services, endpoints));
    await server.startServer();
  } catch (error) {
    await server.stop();
    throw error;
  }
  return {
    name: 'a real API server',
    kubeconfig: server.kubeconfig({ token: 'administrator' }),
    clusterIP: clusterIPAfterReserved,
    async replaceSlice(slice) {
      const path = `${pathOf(slice)}/${slice.metadata.name}`;
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

/** @param {number} index */
function clusterIPAfterReserved(index) {
  return clusterIP(index + RESERVED);
}

/**
 * Services and their EndpointSlices, as a server stores them, with the objects by which it knows that their addresses are allocated.
 *
 * @param {number} services
 * @param {number} endpoints of each
 * @returns {Iterable<[key: string, object: object]>}
 */
function* storedObjects(services, endpoints) {
  for (let index = 0; index < services; index += 1) {
    const service = apiService(index);
    const { name, namespace } = service.metadata;
    const ip = clusterIPAfterReserved(index);
    service.spec.clusterIP = ip;
    service.spec.clusterIPs = [ip];
    yield [`services/specs/${namespace}/${name}`, stored('v1', 'Service', service)];
    yield [
      `ipaddresses/${ip}`,
      stored('networking.k8s.io/v1', 'IPAddress', {
        metadata: {
          name: ip,
          labels: {
            'ipaddress.kubernetes.io/ip-family': 'IPv4',
            'ipaddress.kubernetes.io/managed-by': 'ipallocator.k8s.io',
          },
        },
        spec: { parentRef: { resource: 'services', namespace, name } },
      }),
    ];
    const slice = apiSlice(index, endpoints);
    yield [
      `endpointslices/${namespace}/${slice.metadata.name}`,
      stored('discovery.k8s.io/v1', 'EndpointSlice', ofUser(slice)),
    ];
  }
}

/**
 * @param {string} apiVersion
 * @param {string} kind
 * @param {{metadata: object, [field: string]: unknown}} object
 */
function stored(apiVersion, kind, object) {
  const metadata = { ...object.metadata, uid: randomUUID(), creationTimestamp: '2026-11-20T22:03:43Z' };
  return { apiVersion, kind, ...object, metadata };
}

/** @param {ReturnType<typeof apiSlice>} slice */
function pathOf({ metadata }) {
  return `/apis/discovery.k8s.io/v1/namespaces/${metadata.namespace}/endpointslices`;
}

/**
 * What a user would send: the server writes who manages which field itself, and owners need the uid of an object.
 *
 * @param {ReturnType<typeof apiSlice>} slice
 */
function ofUser({ metadata, ...rest }) {
  const { managedFields, ...kept } = metadata;
  return { ...rest, metadata: { ...kept, ownerReferences: undefined } };
}
