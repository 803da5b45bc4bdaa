/**
 * A kube-proxy as a backend of the conformance kit, so that its cases show where kube-proxy does the same:
 * `KUBE_PROXY=PATH npm run conformance -- kube-proxy`. It runs as a process beside the kit's, against the fake API server, and
 * what the kit reports as programmed is in its rules.
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { ProxierError, ReconcilingProxier, Tokens } from '@kube-proxier/core';
import { FakeApiServer } from '@kube-proxier/source-kubernetes/testing';
import { ContainerModule } from 'inversify';
import { plainKubeconfig } from '../plain-kubeconfig.mjs';

/**
 * @typedef {import('@kube-proxier/core').BackendModule} BackendModule
 * @typedef {import('@kube-proxier/core').EndpointSlice} EndpointSlice
 * @typedef {import('@kube-proxier/core').IPFamily} IPFamily
 * @typedef {import('@kube-proxier/core').Node} Node
 * @typedef {import('@kube-proxier/core').Proxier} Proxier
 * @typedef {import('@kube-proxier/core').ProxierContext} ProxierContext
 * @typedef {import('@kube-proxier/core').ProxierOptions} ProxierOptions
 * @typedef {import('@kube-proxier/core').ProxyState} ProxyState
 * @typedef {import('@kube-proxier/core').Service} Service
 * @typedef {'services' | 'endpointslices' | 'nodes'} Resource
 * @typedef {Parameters<FakeApiServer['store']['put']>[1]} ApiObject
 */

/** Namespace of the Services by which the kit recognizes what is programmed. */
const MARKER_NAMESPACE = 'kube-proxier-conformance';
/** Milliseconds without a sync after which kube-proxy has nothing more to do. */
const SETTLED = 200;
/** Of the endpoint of a marker. */
const MARKER_PORT = 9;
/** Milliseconds after which kube-proxy is considered stuck. */
const PATIENCE = 55_000;
const POLL_INTERVAL = 50;
/** Of the end of kube-proxy's log that is kept. */
const LOG_LENGTH = 20_000;

/** What kube-proxy has not; the cases that need it are skipped by name. */
const CAPABILITIES = {
  // It deletes stale flows itself: if the kit's server did so too, it would not show whether kube-proxy does.
  tracksConnections: false,
  ...{ localhostNodePortsIPv6: false, weights: false, resets: false },
  ...{ portRanges: false, shiftedPortRanges: false },
};

/**
 * @param {IPFamily} family
 * @param {string} marker its name, which ends with a number
 */
function markerAddress(family, marker) {
  const number = Number(/\d+$/.exec(marker)?.[0]) % 250;
  return family === 'IPv4' ? `192.0.2.${number + 1}` : `2001:db8:9::${(number + 1).toString(16)}`;
}

/**
 * Whether rules, as iptables or nft prints them, send packets for a marker to its endpoint.
 *
 * @param {string} rules
 * @param {IPFamily} family
 * @param {string} marker
 */
function leadTo(rules, family, marker) {
  const address = markerAddress(family, marker);
  const bracketed = family === 'IPv4' ? address : `[${address}]`;
  return rules.includes(`${bracketed}:${MARKER_PORT}`) || rules.includes(`${address} . ${MARKER_PORT} `);
}

class KubeProxyError extends ProxierError {
  /** @param {string} message */
  constructor(message) {
    super('KUBE_PROXY_STUCK', message);
  }
}

/**
 * The options of a proxier as a KubeProxyConfiguration.
 *
 * @param {ProxierOptions} options
 * @param {string} mode
 * @param {string} kubeconfig path
 */
export function configurationOf(options, mode, kubeconfig) {
  const { localTrafficDetection: detection } = options;
  const { nodePortAddresses: selection } = options;
  const nodePortAddresses =
    // No entry is every address in mode iptables, but only the primary ones in mode nftables.
    selection.kind === 'all'
      ? ['0.0.0.0/0', '::/0']
      : selection.kind === 'primary'
        ? ['primary']
        : selection.kind === 'cidrs'
          ? selection.cidrs
          : selection.entries;
  const rules = {
    masqueradeAll: options.masqueradeAll,
    masqueradeBit: options.masqueradeBit,
    minSyncPeriod: '0s',
    syncPeriod: '30s',
  };
  return {
    ...{ apiVersion: 'kubeproxy.config.k8s.io/v1alpha1', kind: 'KubeProxyConfiguration', mode },
    clientConnection: { kubeconfig },
    hostnameOverride: options.nodeName,
    ...detectLocalOf(detection),
    nodePortAddresses,
    iptables: { ...rules, localhostNodePorts: options.localhostNodePorts !== false },
    nftables: rules,
    conntrack: { maxPerCore: 0 },
    logging: { verbosity: 2 },
  };
}

/**
 * How packets of pods are recognized, in the fields of a KubeProxyConfiguration.
 *
 * @param {ProxierOptions['localTrafficDetection']} detection
 */
function detectLocalOf(detection) {
  switch (detection.kind) {
    case 'none':
      return {};
    case 'source-cidr':
      return { detectLocalMode: 'ClusterCIDR', clusterCIDR: detection.cidr };
    case 'cluster-cidr':
      return { detectLocalMode: 'ClusterCIDR', clusterCIDR: detection.cidrs.join(',') };
    case 'node-cidr':
      return { detectLocalMode: 'NodeCIDR' };
    case 'interface':
      return { detectLocalMode: 'BridgeInterface', detectLocal: { bridgeInterface: detection.name } };
    case 'interface-prefix':
      return { detectLocalMode: 'InterfaceNamePrefix', detectLocal: { interfaceNamePrefix: detection.prefix } };
  }
}

/**
 * An object with the defaults that an API server gives it: manifests lack them, and kube-proxy relies on them.
 *
 * @param {Resource} resource
 * @param {ApiObject} object
 * @returns {ApiObject}
 */
export function withDefaults(resource, object) {
  if (resource === 'endpointslices') {
    const ports = /** @type {object[] | undefined} */ (object.ports);
    return { ...object, ports: ports?.map((port) => ({ name: '', protocol: 'TCP', ...port })) };
  }
  if (resource === 'services') {
    return { ...object, spec: serviceSpec(/** @type {NonNullable<Service['spec']>} */ (object.spec ?? {})) };
  }
  return object;
}

/**
 * The end of a log with one more line. Of the flags, which kube-proxy logs one a line, nothing is kept: when it refuses its
 * configuration, they would be all that is seen.
 *
 * @param {string} log
 * @param {string} line
 */
export function appendToLog(log, line) {
  return / FLAG: --/.test(line) ? log : `${log}${line}\n`.slice(-LOG_LENGTH);
}

/** @param {NonNullable<Service['spec']>} spec */
function serviceSpec(spec) {
  const { type = 'ClusterIP', clusterIP, clusterIPs = clusterIP === undefined ? [] : [clusterIP] } = spec;
  const isExternal = type === 'NodePort' || type === 'LoadBalancer';
  const addresses = clusterIPs.filter((address) => address !== 'None' && address !== '');
  return {
    ...{ type, sessionAffinity: 'None', internalTrafficPolicy: 'Cluster' },
    ...(isExternal || (spec.externalIPs ?? []).length > 0 ? { externalTrafficPolicy: 'Cluster' } : {}),
    ...(addresses.length === 0
      ? {}
      : { ipFamilies: addresses.map((address) => (address.includes(':') ? 'IPv6' : 'IPv4')) }),
    ...(spec.sessionAffinity === 'ClientIP' ? { sessionAffinityConfig: { clientIP: { timeoutSeconds: 10_800 } } } : {}),
    ...spec,
    clusterIPs,
    ...(clusterIPs[0] === undefined ? {} : { clusterIP: clusterIPs[0] }),
    ports: spec.ports?.map((port) => ({ protocol: 'TCP', targetPort: port.port, ...port })),
  };
}

/** One kube-proxy for both families, with the API server that it watches. */
class KubeProxyProcess {
  #directory = mkdtempSync(join(tmpdir(), 'kube-proxy-'));
  /** @type {FakeApiServer | undefined} */
  #server;
  /** @type {import('node:child_process').ChildProcess | undefined} */
  #process;
  #lastSync = 0;
  /** Families of which it has written all rules: those of a kube-proxy before it lead to the same markers. @type {Set<string>} */
  #written = new Set();
  #log = '';
  /** Until the lists are complete, what comes is part of them. @type {[Resource, ApiObject | undefined, ApiObject | undefined][]} */
  #pending = [];
  #started = false;

  /**
   * @param {string} program
   * @param {'iptables' | 'nftables'} mode
   * @param {ProxierOptions} options
   */
  constructor(program, mode, options) {
    this.program = program;
    this.mode = mode;
    this.options = options;
  }

  /**
   * @param {Resource} resource
   * @param {object | undefined} previous
   * @param {object | undefined} current
   */
  update(resource, previous, current) {
    this.#pending.push([
      resource,
      /** @type {ApiObject | undefined} */ (previous),
      current && withDefaults(resource, /** @type {ApiObject} */ (current)),
    ]);
    this.#deliver();
  }

  /** The initial lists are complete: kube-proxy starts with them. */
  async start() {
    if (this.#started) {
      return;
    }
    this.#started = true;
    this.#server = await FakeApiServer.start();
    this.#server.store.put('nodes', {
      metadata: { name: this.options.nodeName },
      status: { addresses: this.options.nodeAddresses.map((address) => ({ type: 'InternalIP', address })) },
    });
    this.#deliver();
    const kubeconfig = join(this.#directory, 'kubeconfig');
    const configuration = join(this.#directory, 'config.json');
    writeFileSync(kubeconfig, plainKubeconfig(this.#server.url));
    writeFileSync(configuration, JSON.stringify(configurationOf(this.options, this.mode, kubeconfig)));
    // It ends with this process, also when that is killed.
    this.#process = spawn('setpriv', ['--pdeathsig', 'KILL', this.program, `--config=${configuration}`], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const { stderr } = this.#process;
    if (stderr) {
      createInterface({ input: stderr }).on('line', (line) => {
        this.#log = appendToLog(this.#log, line);
        const [, family] = /SyncProxyRules complete" ipFamily="(\w+)"/.exec(line) ?? [];
        if (family !== undefined) {
          this.#written.add(family);
        }
        if (/Syncing|SyncProxyRules|syncProxyRules|Reloading/.test(line)) {
          this.#lastSync = performance.now();
        }
      });
    }
  }

  #deliver() {
    if (this.#server === undefined) {
      return;
    }
    for (const [resource, previous, current] of this.#pending.splice(0)) {
      this.#markEndpoints(resource, previous, current);
      if (current !== undefined) {
        this.#server.store.put(resource, current);
      } else if (previous !== undefined) {
        this.#server.store.delete(resource, previous.metadata.name, previous.metadata.namespace);
      }
    }
  }

  /**
   * Services and EndpointSlices arrive by two watches: a marker has an endpoint, so that its rules show that both did.
   *
   * @param {Resource} resource
   * @param {ApiObject | undefined} previous
   * @param {ApiObject | undefined} current
   */
  #markEndpoints(resource, previous, current) {
    const { name = '', namespace } = (current ?? previous)?.metadata ?? {};
    if (resource !== 'services' || namespace !== MARKER_NAMESPACE || this.#server === undefined) {
      return;
    }
    for (const family of /** @type {const} */ (['IPv4', 'IPv6'])) {
      const slice = `${name}-${family.toLowerCase()}`;
      if (current === undefined) {
        this.#server.store.delete('endpointslices', slice, namespace);
      } else {
        this.#server.store.put('endpointslices', {
          metadata: { name: slice, namespace, labels: { 'kubernetes.io/service-name': name } },
          addressType: family,
          ports: [{ name: '', port: MARKER_PORT, protocol: 'TCP' }],
          endpoints: [{ addresses: [markerAddress(family, name)], conditions: { ready: true } }],
        });
      }
    }
  }

  /**
   * Waits until kube-proxy has programmed a state.
   *
   * @param {IPFamily} family
   * @param {ProxyState} state
   */
  async programmed(family, state) {
    const markers = [...state.servicePorts.values()]
      .filter(({ name }) => name.namespace === MARKER_NAMESPACE)
      .map(({ name }) => name.name);
    const deadline = performance.now() + PATIENCE;
    for (;;) {
      const rules = this.#rules(family);
      if (
        this.#written.has(family) &&
        markers.every((marker) => leadTo(rules, family, marker)) &&
        performance.now() - this.#lastSync > SETTLED
      ) {
        return;
      }
      if (performance.now() > deadline || this.#process?.exitCode !== null) {
        throw new KubeProxyError(
          `kube-proxy has not programmed ${markers.join(', ')}; its log ends with\n${this.#log}`,
        );
      }
      await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL));
    }
  }

  /** @param {IPFamily} family */
  #rules(family) {
    const [command, ...args] =
      this.mode === 'nftables'
        ? ['nft', 'list', 'table', family === 'IPv4' ? 'ip' : 'ip6', 'kube-proxy']
        : [family === 'IPv4' ? 'iptables-save' : 'ip6tables-save'];
    return spawnSync(command ?? '', args, { encoding: 'utf8', maxBuffer: 1 << 28 }).stdout ?? '';
  }

  async stop() {
    this.#process?.kill('SIGTERM');
    await this.#server?.stop();
    rmSync(this.#directory, { recursive: true, force: true });
  }
}

/**
 * Makes the backend.
 *
 * @param {object} options
 * @param {string} options.program path of kube-proxy
 * @param {'iptables' | 'nftables'} options.mode
 * @returns {BackendModule}
 */
export function createKubeProxyBackend({ program, mode }) {
  /** Of both families. @type {KubeProxyProcess | undefined} */
  let shared;

  /**
   * @param {ProxierContext} context
   * @returns {Proxier}
   */
  const createProxier = (context) => {
    shared ??= new KubeProxyProcess(program, mode, context.options);
    const kubeProxy = shared;
    // Both proxiers get all events: one of them passes them on.
    const passesOn = context.family === 'IPv4';
    const proxier = new ReconcilingProxier({
      mode: `kube-proxy-${mode}`,
      context,
      dataplane: {
        plan: (next) => next,
        readBack: async () => ({}),
        apply: async (/** @type {ProxyState} */ state) => {
          await kubeProxy.start();
          await kubeProxy.programmed(context.family, state);
        },
        cleanup: async () => {},
        close: () => kubeProxy.stop(),
      },
    });
    /**
     * @param {Resource} resource
     * @param {object | undefined} previous
     * @param {object | undefined} current
     */
    const pass = (resource, previous, current) => {
      if (passesOn) {
        kubeProxy.update(resource, previous, current);
      }
    };
    return {
      mode: proxier.mode,
      onServiceUpdate(previous, current) {
        pass('services', previous, current);
        proxier.onServiceUpdate(previous, current);
      },
      onEndpointsUpdate(previous, current) {
        pass('endpointslices', previous, current);
        proxier.onEndpointsUpdate(previous, current);
      },
      onNodeUpdate(node) {
        pass('nodes', undefined, node);
        proxier.onNodeUpdate(node);
      },
      onServicesSynced: () => proxier.onServicesSynced(),
      onEndpointsSynced: () => proxier.onEndpointsSynced(),
      onServiceCIDRsUpdate: (cidrs) => proxier.onServiceCIDRsUpdate(cidrs),
      sync: () => proxier.sync(),
      syncLoop: (signal) => proxier.syncLoop(signal),
    };
  };

  return {
    mode: `kube-proxy-${mode}`,
    description: `kube-proxy in mode ${mode}`,
    capabilities: {
      ...CAPABILITIES,
      localhostNodePorts: mode === 'iptables',
    },
    probe: async () => {
      const { status, stdout, error } = spawnSync(program, ['--version'], { encoding: 'utf8' });
      return status === 0
        ? { usable: true, detail: stdout.trim() }
        : { usable: false, reason: `${program} does not run: ${error?.message ?? `status ${status}`}` };
    },
    module: new ContainerModule(({ bind }) => {
      bind(Tokens.ProxierFactory).toConstantValue(createProxier);
      bind(Tokens.Cleanup).toConstantValue(async () => {
        spawnSync(program, ['--cleanup'], { stdio: 'ignore' });
        return { removed: [] };
      });
    }),
  };
}
