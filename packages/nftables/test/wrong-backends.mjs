/**
 * Backends that are wrong on purpose: nftables, given a state that was tampered with. The conformance kit has to
 * catch each in the cases that name what it does wrong.
 */
import { countsMeasurement, diffStates, ReconcilingProxier, Tokens } from '@kube-proxier/core';
import { createCommandRunner, createNft } from '@kube-proxier/linux';
import { ContainerModule } from 'inversify';
import { NftablesDataplane, nftablesBackend } from '../dist/index.js';

/**
 * @typedef {import('@kube-proxier/core').ResolvedServicePort} ResolvedServicePort
 * @typedef {import('@kube-proxier/core').Frontend} Frontend
 * @typedef {import('@kube-proxier/core').Endpoint} Endpoint
 * @typedef {import('@kube-proxier/core').ProxyState} ProxyState
 * @typedef {import('@kube-proxier/core').ServiceCounts} ServiceCounts
 * @typedef {(counts: readonly ServiceCounts[]) => readonly ServiceCounts[]} CountsTampering
 */

/** @type {import('@kube-proxier/core').CountingCapability} */
const COUNTING = { servicePorts: ['bytes'], endpoints: ['bytes'] };
/** @type {import('@kube-proxier/core').CountingCapability} */
const COUNTING_CONNECTIONS = { servicePorts: ['connections'], endpoints: ['connections'] };

/**
 * Makes a backend that sees every service port through the function that `tamper` makes for each proxier.
 *
 * @param {string} mode
 * @param {() => (port: ResolvedServicePort) => ResolvedServicePort} tamper
 * @param {import('@kube-proxier/core').BackendCapabilities} [capabilities]
 * @param {CountsTampering} [tamperCounts] what it says it has counted, of what it has. Default: it counts nothing.
 * @returns {import('@kube-proxier/core').BackendModule}
 */
function wrongBackend(mode, tamper, capabilities = {}, tamperCounts) {
  /** @type {NftablesDataplane[]} */
  const dataplanes = [];
  const { counting = COUNTING } = capabilities;
  const read = async () => {
    const counts = (await Promise.all(dataplanes.map((dataplane) => dataplane.connections()))).flat();
    return tamperCounts?.(counts) ?? [];
  };
  return {
    mode,
    description: 'nftables, wrong on purpose',
    capabilities,
    ...(tamperCounts === undefined ? {} : { metrics: [countsMeasurement(counting, { source: 'kernel', read })] }),
    probe: () => nftablesBackend.probe(),
    module: new ContainerModule(({ bind }) => {
      bind(Tokens.Cleanup).toConstantValue(async () => {});
      bind(Tokens.ProxierFactory).toConstantValue((context) => {
        const dataplane = new NftablesDataplane({
          family: context.family,
          nft: createNft({ runner: createCommandRunner() }),
          countConnections: context.options.countConnections,
          countTraffic: context.options.countTraffic,
        });
        dataplanes.push(dataplane);
        const change = tamper();
        /** @type {ProxyState | undefined} */
        let believed;
        return new ReconcilingProxier({
          mode,
          context,
          dataplane: {
            plan(next, _changes, installed) {
              const servicePorts = new Map([...next.servicePorts].map(([key, port]) => [key, change(port)]));
              const state = { ...next, servicePorts };
              const changes = diffStates(installed ? undefined : believed, state);
              believed = state;
              return dataplane.plan(state, changes, installed);
            },
            apply: (transaction) => dataplane.apply(transaction),
            readBack: () => dataplane.readBack(),
            cleanup: () => dataplane.cleanup(),
          },
        });
      });
    }),
  };
}

/**
 * @param {ResolvedServicePort} port
 * @param {(frontend: Frontend) => Frontend['routes']} change
 * @returns {ResolvedServicePort}
 */
const withRoutes = (port, change) => ({
  ...port,
  frontends: port.frontends.map((frontend) => ({ ...frontend, routes: change(frontend) })),
});

export const ignoresExternalLocal = wrongBackend('ignores-external-local', () => (port) => {
  const isLocal = port.servicePort.externalTrafficPolicy === 'Local' && port.cluster.length > 0;
  /** @type {Frontend['routes']} */
  const anywhere = [{ source: 'any', action: 'forward', endpoints: 'cluster', masquerade: 'always' }];
  return isLocal ? withRoutes(port, ({ kind, routes }) => (kind === 'ClusterIP' ? routes : anywhere)) : port;
});

export const forgetsMasquerade = wrongBackend(
  'forgets-masquerade',
  () => (port) =>
    withRoutes(port, ({ routes }) =>
      routes.map((route) => (route.action === 'forward' ? { ...route, masquerade: 'never' } : route)),
    ),
);

export const keepsRemovedEndpoints = wrongBackend('keeps-removed-endpoints', () => {
  /** @type {Map<string, Map<string, Endpoint>>} */
  const seen = new Map();
  return (port) => {
    const collect = (/** @type {'cluster' | 'local'} */ list) => {
      const known = seen.get(`${port.key} ${list}`) ?? new Map();
      seen.set(`${port.key} ${list}`, known);
      for (const endpoint of port[list]) {
        known.set(endpoint.key, endpoint);
      }
      return port[list].length > 0 ? [...known.values()] : [];
    };
    return { ...port, cluster: collect('cluster'), local: collect('local') };
  };
});

export const ignoresWeights = wrongBackend('ignores-weights', () => (port) => {
  const equal = (/** @type {Endpoint} */ endpoint) => ({ ...endpoint, weight: 1 });
  return { ...port, cluster: port.cluster.map(equal), local: port.local.map(equal) };
});

/** @param {ResolvedServicePort} port @returns {ResolvedServicePort} */
const withoutResets = (port) => ({ ...port, servicePort: { ...port.servicePort, whenEndpointGoes: 'keep' } });

/** The host forgets connections, and nothing answers their next packet where there is no endpoint for it. */
export const answersNothing = wrongBackend('answers-nothing', () => withoutResets);

/** The host leaves connections alone, as if the backend knew them. */
export const leavesConnections = wrongBackend('leaves-connections', () => withoutResets, { tracksConnections: false });

/** @param {string} mode @param {CountsTampering} tamperCounts */
const wrongCounter = (mode, tamperCounts) =>
  wrongBackend(mode, () => (port) => port, { counting: COUNTING }, tamperCounts);

export const countsNothing = wrongCounter('counts-nothing', (counts) =>
  counts.map((one) => ({ ...one, bytes: { toEndpoints: 0, toClients: 0 } })),
);

/** What an endpoint had is said of another one. */
export const countsOtherEndpoint = wrongCounter('counts-other-endpoint', (counts) => {
  const endpoints = counts.filter(({ endpoint }) => endpoint !== undefined);
  return counts.map((one) => {
    const others = endpoints.filter(({ service, family }) => service === one.service && family === one.family);
    const index = others.indexOf(one);
    const { bytes } = others.at(index - 1) ?? one;
    return index < 0 || bytes === undefined ? one : { ...one, bytes };
  });
});

/** As where packets of the node to itself are seen on their way out, and again on their way in. */
export const countsTwice = wrongCounter('counts-twice', (counts) =>
  counts.map(({ bytes = { toEndpoints: 0, toClients: 0 }, ...one }) => ({
    ...one,
    bytes: { ...bytes, toEndpoints: 2 * bytes.toEndpoints },
  })),
);

export const countsOneDirection = wrongCounter('counts-one-direction', (counts) =>
  counts.map(({ bytes, ...one }) => ({ ...one, bytes: { toEndpoints: bytes?.toEndpoints ?? 0, toClients: 0 } })),
);

/** @param {string} mode @param {(one: ServiceCounts, all: readonly ServiceCounts[]) => number} connections */
const wrongConnections = (mode, connections) =>
  wrongBackend(
    mode,
    () => (port) => port,
    { counting: COUNTING_CONNECTIONS },
    (counts) => counts.map((one) => ({ ...one, connections: connections(one, counts) })),
  );

export const countsNoConnections = wrongConnections('counts-no-connections', ({ endpoint, connections = 0 }) =>
  endpoint === undefined ? connections : 0,
);

/** As where the first packet of a connection of the node to itself is seen on its way out, and again on its way in. */
export const countsConnectionsTwice = wrongConnections('counts-connections-twice', ({ endpoint, connections = 0 }) =>
  endpoint === undefined ? connections : 2 * connections,
);

/** As where the name of the Service is left out of the key: all Services that have an endpoint count its connections. */
export const countsSharedEndpoints = wrongConnections('counts-shared-endpoints', ({ connections = 0, ...one }, all) =>
  one.endpoint === undefined
    ? connections
    : all
        .filter(({ endpoint, protocol }) => endpoint === one.endpoint && protocol === one.protocol)
        .reduce((sum, other) => sum + (other.connections ?? 0), 0),
);
