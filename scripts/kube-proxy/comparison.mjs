/** One run of `npm run compare-kube-proxy`: two nodes, a random cluster, and random changes. */
import { BlockList, isIPv6 } from 'node:net';
import { isDeepStrictEqual } from 'node:util';
import { Random } from '@kube-proxier/core/testing';
import { SANDBOX_NETWORK } from '@kube-proxier/network-sandbox';
import { FakeApiServer } from '@kube-proxier/source-kubernetes/testing';
import { ComparedNode } from './compared-node.mjs';
import { knownDifferenceOf } from './known-differences.mjs';
import { healthCheckNodePortOf, keyOf, NODE_NAME, PORTS, RandomCluster, SLOTS } from './random-cluster.mjs';
import { smallerClusters } from './smaller-clusters.mjs';

/**
 * @typedef {import('./compared-node.mjs').Flow} Flow
 * @typedef {import('./compared-node.mjs').HttpAnswer} HttpAnswer
 * @typedef {import('./known-differences.mjs').Difference} Difference
 * @typedef {import('./random-cluster.mjs').ClusterObject} ClusterObject
 * @typedef {import('./random-cluster.mjs').EndpointSlice} EndpointSlice
 * @typedef {import('./random-cluster.mjs').Resource} Resource
 * @typedef {import('./random-cluster.mjs').Service} Service
 * @typedef {Map<string, {resource: Resource, object: ClusterObject}>} Objects by their keys
 *
 * @typedef {object} Options
 * @property {'iptables' | 'nftables'} mode
 * @property {number} seed
 * @property {number} rounds
 * @property {string} program path of kube-proxy
 * @property {string} agent path of kube-proxier
 *
 * @typedef {Flow & {frontend: Difference['frontend'], service: Service}} FrontendFlow
 */

/** Milliseconds after which a proxy is stuck. */
const PATIENCE = 60_000;
/** For all packets, and for those of a flow that may differ: more of them, on a machine that may be busy. */
const QUICK = { attempts: 8, unanswered: 1, timeout: 350 };
const THOROUGH = { attempts: 61, unanswered: 13, timeout: 1500 };
const ONCE = { attempts: 1, unanswered: 1, timeout: 700 };
/** Of session affinity: at least, and until both proxies have chosen the same endpoints. */
const LEAST_CHOICES = 4;
const CHOICES = 40;
/** Before a difference is one that stays. */
const LOOKS = 3;
const BETWEEN_LOOKS = 700;
const MOST_STEPS = 150;
const MARKER = { namespace: 'marker', IPv4: '10.96.2.1', IPv6: 'fd00:10:96::2:1', firstPort: 1000 };
const HEALTH_CHECK_ADDRESSES = ['192.168.0.2', '192.168.1.2', '[fd00:192:168::2]', '127.0.0.1'];

const METRICS = 'http://127.0.0.1:10249/metrics';

/** @param {string} text */
const say = (text) => process.stdout.write(`${text}\n`);
const pause = (/** @type {number} */ milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

export class Comparison {
  #known = new Map();
  /** Services that an EndpointSlice was taken from by a change of its label since the start of kube-proxy, by their keys. @type {Set<string>} */
  #moved = new Set();
  #marker = 0;
  #states = 0;
  #flows = 0;
  #healthChecks = 0;
  /** What the proxies were given. @type {Objects} */
  #given = new Map();
  /** @type {ComparedNode[]} */
  #nodes = [];

  /** @param {Options} options */
  constructor(options) {
    this.options = options;
    this.random = new Random(options.seed);
    this.configuration = this.#randomConfiguration();
  }

  /** @returns {Promise<{states: number, flows: number, healthChecks: number, known: Map<string, number>, differences: number}>} */
  async run() {
    const { mode, seed, rounds, program, agent } = this.options;
    const server = await FakeApiServer.start();
    this.server = server;
    let differences = 0;
    try {
      server.store.put('servicecidrs', {
        metadata: { name: 'kubernetes' },
        spec: { cidrs: [...SANDBOX_NETWORK.serviceCIDRs] },
      });
      const cluster = new RandomCluster(this.random);
      cluster.begin();
      this.#give(cluster.objects);
      this.#mark();
      for (const [name, command] of /** @type {const} */ ([
        ['kube-proxy', [program]],
        ['kube-proxier', [process.execPath, agent, '--allow-multiple-instances']],
      ])) {
        this.#nodes.push(await ComparedNode.create(name, command, server.url));
      }
      this.#start();
      let previous = new Map(cluster.objects);
      for (let round = 0; round <= rounds; round += 1) {
        let what = 'the first objects';
        if (round > 0) {
          previous = new Map(cluster.objects);
          const changes = 1 + this.random.below(3);
          const restarts = this.random.chance(this.#moved.size > 0 ? 0.5 : 0.08);
          what = restarts ? 'a restart' : `${changes} changes`;
          if (restarts) {
            await Promise.all(this.#nodes.map((node) => node.stop('SIGKILL')));
          }
          for (let count = 0; count < changes; count += 1) {
            cluster.change();
          }
          this.#give(cluster.objects);
          this.#mark();
          if (restarts) {
            this.#start();
          }
        }
        await this.#settle();
        const flows = this.#randomFlows(cluster, previous);
        this.#flows += flows.length;
        const found = await this.#compareAll(flows);
        const health = await this.#compareHealthChecks();
        this.#states += 1;
        if (found.length > 0 || health.length > 0) {
          differences += 1;
          say(`seed ${seed}, mode ${mode}, after ${what} (round ${round} of ${rounds}): ${found.length} flows differ`);
          say(`  configuration: ${JSON.stringify(this.#differingConfiguration())}`);
          for (const one of health) {
            say(`  health check ${one}`);
          }
          for (const difference of found.slice(0, 12)) {
            say(`  ${describe(difference)}`);
          }
          for (const object of found[0] === undefined ? [] : [found[0].service, ...found[0].slices]) {
            say(`    ${JSON.stringify(object)}`);
          }
          await this.#explain(cluster.objects, previous, found, health.length > 0);
          break;
        }
      }
    } finally {
      await Promise.all(this.#nodes.map((node) => node.close()));
      await server.stop();
    }
    const expected = [...this.#known].map(([id, count]) => `; ${count} known differences ${id}`).join('');
    const end = `${expected}${differences === 0 ? '' : '; AN UNKNOWN DIFFERENCE'}`;
    say(`seed ${seed}, mode ${mode}: ${this.#states} states, ${this.#flows} flows${end}`);
    const [states, flows, healthChecks, known] = [this.#states, this.#flows, this.#healthChecks, this.#known];
    return { states, flows, healthChecks, known, differences };
  }

  #randomConfiguration() {
    const { random } = this;
    const { mode } = this.options;
    const rules = {
      masqueradeAll: random.chance(0.15),
      masqueradeBit: 14,
      minSyncPeriod: '0s',
      syncPeriod: '30s',
    };
    const detection = random.pick([
      ...Array.from({ length: 3 }, () => ({
        detectLocalMode: 'ClusterCIDR',
        clusterCIDR: SANDBOX_NETWORK.clusterCIDRs.join(','),
      })),
      { detectLocalMode: 'NodeCIDR' },
      { detectLocalMode: 'InterfaceNamePrefix', detectLocal: { interfaceNamePrefix: 'veth-' } },
      { detectLocalMode: 'BridgeInterface', detectLocal: { bridgeInterface: 'veth-pod1' } },
      {},
    ]);
    return {
      ...{ apiVersion: 'kubeproxy.config.k8s.io/v1alpha1', kind: 'KubeProxyConfiguration', mode },
      hostnameOverride: NODE_NAME,
      ...detection,
      nodePortAddresses: random.pick([
        ['0.0.0.0/0', '::/0'],
        ['primary'],
        ['192.168.0.0/24', 'fd00:192:168:1::/64'],
        ['192.168.1.0/24'],
        [],
      ]),
      iptables: { ...rules, localhostNodePorts: random.chance(0.7) },
      nftables: rules,
      conntrack: { maxPerCore: 0 },
      healthzBindAddress: '127.0.0.1:10256',
      metricsBindAddress: '127.0.0.1:10249',
      logging: { verbosity: 2 },
    };
  }

  #differingConfiguration() {
    const { detectLocalMode, detectLocal, nodePortAddresses, iptables } = /** @type {Record<string, any>} */ (
      this.configuration
    );
    const { masqueradeAll, localhostNodePorts } = iptables;
    return { detectLocalMode, detectLocal, nodePortAddresses, masqueradeAll, localhostNodePorts };
  }

  #start() {
    this.#moved.clear();
    for (const node of this.#nodes) {
      node.start(this.configuration);
    }
  }

  /**
   * Changes what the API server has.
   *
   * @param {Objects} objects
   */
  #give(objects) {
    const store = /** @type {FakeApiServer} */ (this.server).store;
    for (const [key, { resource, object }] of this.#given) {
      if (!objects.has(key)) {
        const { name, namespace } = /** @type {Service} */ (object).metadata;
        store.delete(resource, name, namespace);
      }
    }
    for (const [key, { resource, object }] of objects) {
      const before = this.#given.get(key)?.object;
      if (!isDeepStrictEqual(before, object)) {
        const [owner, newOwner] = [before, object].map((slice) => ownerOf(resource, slice));
        if (owner !== undefined && owner !== newOwner) {
          this.#moved.add(owner);
        }
        store.put(resource, /** @type {any} */ (object));
      }
    }
    this.#given = new Map(objects);
  }

  /** Changes a Service and its EndpointSlices: when they are in force, all changes before them are. */
  #mark() {
    const store = /** @type {FakeApiServer} */ (this.server).store;
    this.#marker += 1;
    const metadata = { name: 'marker', namespace: MARKER.namespace };
    const port = MARKER.firstPort + this.#marker;
    const clusterIPs = [MARKER.IPv4, MARKER.IPv6];
    // The port's name changes, so that neither the old Service nor the old EndpointSlices serve the new port.
    const name = `m${this.#marker}`;
    store.put('services', {
      metadata,
      spec: {
        ...{ type: 'ClusterIP', clusterIP: MARKER.IPv4, clusterIPs, ipFamilies: ['IPv4', 'IPv6'] },
        ...{ sessionAffinity: 'None', internalTrafficPolicy: 'Cluster' },
        ports: [{ name, protocol: 'TCP', port, targetPort: 8080 }],
      },
    });
    for (const [family, address] of [
      ['IPv4', '10.244.0.13'],
      ['IPv6', 'fd00:10:244::13'],
    ]) {
      store.put('endpointslices', {
        metadata: {
          ...metadata,
          name: `marker-${family?.toLowerCase()}`,
          labels: { 'kubernetes.io/service-name': 'marker' },
        },
        addressType: family,
        ports: [{ name, port: 8080, protocol: 'TCP' }],
        endpoints: [{ addresses: [address], conditions: { ready: true }, nodeName: NODE_NAME }],
      });
    }
  }

  async #settle() {
    const port = MARKER.firstPort + this.#marker;
    const flows = [MARKER.IPv4, MARKER.IPv6].map((to) => ({
      ...{ client: 'pod1', protocol: /** @type {const} */ ('TCP'), to, port },
    }));
    await Promise.all(this.#nodes.map((node) => node.answered(flows, PATIENCE)));
  }

  /**
   * @param {RandomCluster} cluster
   * @param {Objects} previous
   */
  #randomFlows(cluster, previous) {
    const { random } = this;
    const earlier = [...previous.values()].flatMap(({ resource, object }) =>
      resource === 'services' ? [/** @type {Service} */ (object)] : [],
    );
    /** @type {Map<string, FrontendFlow>} */
    const frontends = new Map();
    for (const service of [...cluster.services, ...earlier]) {
      for (const flow of frontendsOf(service)) {
        const key = `${flow.protocol} ${flow.to} ${flow.port}`;
        if (!frontends.has(key) && (flow.hasPort || random.chance(0.25))) {
          frontends.set(key, flow);
        }
      }
    }
    const flows = [...frontends.values()].flatMap((frontend) =>
      random
        .shuffle(clientsOf(frontend.to))
        .slice(0, 4)
        .map((client) => ({ ...frontend, ...client })),
    );
    return flows;
  }

  /**
   * Flows that differ, and stay so.
   *
   * @param {readonly FrontendFlow[]} flows
   * @returns {Promise<Difference[]>} unknown ones
   */
  async #compare(flows, looks = LOOKS) {
    await Promise.all(this.#nodes.map((node) => node.forgetConnections()));
    const [one = [], other = []] = await Promise.all(this.#nodes.map((node) => node.outcomesOfAll(flows, QUICK)));
    let suspects = flows.flatMap((flow, index) =>
      this.#differ(flow, one[index] ?? new Set(), other[index] ?? new Set()) ? [flow] : [],
    );
    /** @type {Difference[]} */
    let differences = [];
    for (let look = 0; look < looks && suspects.length > 0; look += 1) {
      await pause(look === 0 ? 0 : BETWEEN_LOOKS);
      await Promise.all(this.#nodes.map((node) => node.forgetConnections()));
      const [first = [], second = []] = await Promise.all(
        this.#nodes.map((node) => node.outcomesOfAll(suspects, THOROUGH)),
      );
      differences = suspects.flatMap((flow, index) => {
        const kubeProxy = first[index] ?? new Set();
        const kubeProxier = second[index] ?? new Set();
        return this.#differ(flow, kubeProxy, kubeProxier) ? [this.#difference(flow, kubeProxy, kubeProxier)] : [];
      });
      const unknown = differences.filter((difference) => knownDifferenceOf(difference) === undefined);
      if (unknown.length === 0) {
        break;
      }
      const left = new Set(differences.map(({ flow }) => flow));
      suspects = suspects.filter((flow) => left.has(flow));
    }
    return this.#unknownOf(differences);
  }

  /**
   * Also which endpoints session affinity chooses from.
   *
   * @param {readonly FrontendFlow[]} flows
   * @param {number} [looks]
   */
  async #compareAll(flows, looks = LOOKS) {
    const differences = await this.#compare(flows, looks);
    const sticky = flows.filter((flow) => this.#serviceOf(flow)?.spec.sessionAffinity === 'ClientIP');
    return differences.length > 0 ? differences : await this.#compareChoices(sticky);
  }

  /**
   * Flows with session affinity whose endpoints differ, where affinity is forgotten after each packet.
   *
   * @param {readonly FrontendFlow[]} flows
   * @returns {Promise<Difference[]>} unknown ones
   */
  async #compareChoices(flows) {
    /** @type {Map<FrontendFlow, [Set<string>, Set<string>]>} */
    const outcomes = new Map(flows.map((flow) => [flow, [new Set(), new Set()]]));
    let suspects = flows;
    for (let choice = 0; choice < CHOICES && suspects.length > 0; choice += 1) {
      await Promise.all(this.#nodes.map((node) => Promise.all([node.forgetConnections(), node.forgetAffinity()])));
      const results = await Promise.all(this.#nodes.map((node) => node.outcomesOfAll(suspects, ONCE)));
      for (const [index, flow] of suspects.entries()) {
        for (const [which, set] of (outcomes.get(flow) ?? []).entries()) {
          for (const outcome of results[which]?.[index] ?? []) {
            set.add(outcome);
          }
        }
      }
      if (choice >= LEAST_CHOICES) {
        suspects = suspects.filter((flow) => {
          const [one = new Set(), other = new Set()] = outcomes.get(flow) ?? [];
          return (
            !isDeepStrictEqual(asSeenBy(flow, one), asSeenBy(flow, other)) &&
            this.#unknownOf([this.#difference(flow, one, other)]).length > 0
          );
        });
      }
    }
    return suspects.map((flow) => {
      const [one = new Set(), other = new Set()] = outcomes.get(flow) ?? [];
      return this.#difference(flow, one, other);
    });
  }

  /** @param {readonly Difference[]} differences */
  #unknownOf(differences) {
    return differences.filter((difference) => {
      const id = knownDifferenceOf(difference)?.id;
      if (id !== undefined) {
        this.#known.set(id, (this.#known.get(id) ?? 0) + 1);
      }
      return id === undefined;
    });
  }

  /**
   * @param {FrontendFlow} flow
   * @param {ReadonlySet<string>} kubeProxy
   * @param {ReadonlySet<string>} kubeProxier
   */
  #differ(flow, kubeProxy, kubeProxier) {
    if (this.#serviceOf(flow)?.spec.sessionAffinity === 'ClientIP') {
      // Each sticks to an endpoint, not the same one. Which ones there are is compared separately.
      return kubeProxy.size > 1 !== kubeProxier.size > 1;
    }
    return !isDeepStrictEqual(asSeenBy(flow, kubeProxy), asSeenBy(flow, kubeProxier));
  }

  /** @param {FrontendFlow} flow */
  #serviceOf({ service }) {
    const given = this.#given.get(keyOf('services', service.metadata));
    return /** @type {Service | undefined} */ (given?.object);
  }

  /**
   * @param {FrontendFlow} flow
   * @param {ReadonlySet<string>} kubeProxy
   * @param {ReadonlySet<string>} kubeProxier
   * @returns {Difference}
   */
  #difference(flow, kubeProxy, kubeProxier) {
    const service = this.#serviceOf(flow);
    const { name, namespace } = flow.service.metadata;
    const slices = [...this.#given.values()].flatMap(({ resource, object }) => {
      const slice = /** @type {EndpointSlice} */ (object);
      return resource === 'endpointslices' &&
        slice.metadata.namespace === namespace &&
        slice.metadata.labels?.['kubernetes.io/service-name'] === name
        ? [slice]
        : [];
    });
    const current = service === undefined ? [] : frontendsOf(service);
    const here = current.find(
      ({ to, port, protocol }) => to === flow.to && port === flow.port && protocol === flow.protocol,
    );
    const { mode } = this.options;
    const hasPort = here?.hasPort ?? false;
    const isServed = servesNodePorts(this.configuration, flow.to);
    const hasMoved = this.#moved.has(keyOf('services', flow.service.metadata));
    return {
      mode,
      flow,
      isServed,
      hasMoved,
      kubeProxy,
      kubeProxier,
      service,
      frontend: here?.frontend,
      hasPort,
      slices,
    };
  }

  /** Answers to requests, and a metric. @returns {Promise<string[]>} those that differ */
  async #compareHealthChecks() {
    if (this.#moved.size > 0) {
      // They count endpoints that kube-proxy keeps by mistake.
      return [];
    }
    const ports = Array.from({ length: SLOTS }, (_none, slot) => healthCheckNodePortOf(slot));
    const urls = [
      ...HEALTH_CHECK_ADDRESSES.flatMap((address) => ports.map((port) => `http://${address}:${port}/`)),
      'http://127.0.0.1:10256/healthz',
      'http://127.0.0.1:10256/livez',
      METRICS,
    ];
    this.#healthChecks += urls.length;
    /** @type {string[]} */
    let different = [];
    for (let look = 0; look < LOOKS; look += 1) {
      await pause(look === 0 ? 0 : BETWEEN_LOOKS);
      const [one = [], other = []] = await Promise.all(this.#nodes.map((node) => node.fetch(urls)));
      different = urls.flatMap((url, index) => {
        const [first, second] = [one, other].map((answers) => comparable(url, answers[index] ?? {}));
        return isDeepStrictEqual(first, second)
          ? []
          : [`${url}: kube-proxy ${JSON.stringify(first)}, kube-proxier ${JSON.stringify(second)}`];
      });
      if (different.length === 0) {
        break;
      }
    }
    return different;
  }

  /**
   * Prints the fewest objects that show a difference, and whether it stays after a restart.
   *
   * @param {Objects} objects
   * @param {Objects} previous
   * @param {readonly Difference[]} found
   * @param {boolean} health
   */
  async #explain(objects, previous, found, health) {
    const [first] = found;
    const differs = async () =>
      first === undefined
        ? health && (await this.#compareHealthChecks()).length > 0
        : (await this.#compareAll([/** @type {FrontendFlow} */ (first.flow)], 1)).length > 0;
    const tries = async (/** @type {Objects} */ candidate) => {
      this.#give(candidate);
      this.#mark();
      await this.#settle();
      return await differs();
    };
    if (!(await differs())) {
      say('  it is gone');
      return;
    }
    const known = new Map(this.#known);
    let smallest = new Map(objects);
    let steps = 0;
    for (let smaller = true; smaller && steps < MOST_STEPS; ) {
      smaller = false;
      for (const candidate of smallerClusters(smallest, first?.flow.service)) {
        steps += 1;
        if (steps > MOST_STEPS) {
          break;
        }
        if (await tries(candidate)) {
          smallest = candidate;
          smaller = true;
          break;
        }
      }
    }
    const live = await tries(smallest);
    say(`  the fewest objects, after ${steps} steps${live ? '' : ' (not repeated)'}:`);
    for (const { object } of smallest.values()) {
      say(`    ${JSON.stringify(object)}`);
    }
    if (first !== undefined) {
      const [difference] = await this.#compareAll([/** @type {FrontendFlow} */ (first.flow)]);
      say(`  with them: ${difference === undefined ? 'no difference' : describe(difference)}`);
    }
    for (const node of this.#nodes) {
      await node.stop('SIGKILL');
      node.start(this.configuration);
      this.#mark();
      await this.#settle();
      say(`  after a restart of ${node.name}: ${(await differs()) ? 'still different' : 'the same'}`);
    }
    this.#known = known;
    const changed = [...new Set([...objects.keys(), ...previous.keys()])].filter(
      (key) => !isDeepStrictEqual(objects.get(key)?.object, previous.get(key)?.object),
    );
    say('  the last changes:');
    for (const key of changed) {
      say(`    ${key} was ${JSON.stringify(previous.get(key)?.object) ?? 'absent'}`);
      say(`    ${key} is ${JSON.stringify(objects.get(key)?.object) ?? 'absent'}`);
    }
  }
}

/**
 * Outcomes without what differs by chance. A timeout beside answers is a busy machine, or an endpoint whose replies take another way; an
 * endpoint that gets no packets is missing in the answers. A datagram of the node itself that a rule drops or rejects on its way out is
 * the same error of the socket; elsewhere it is a timeout or a refusal.
 *
 * @param {Flow} flow
 * @param {ReadonlySet<string>} outcomes
 */
function asSeenBy({ client, protocol }, outcomes) {
  const others = [...outcomes].filter((outcome) => outcome !== 'timeout');
  const seen = others.length === 0 ? [...outcomes] : others;
  return new Set(
    client === 'node' && protocol === 'UDP'
      ? seen.map((outcome) => (outcome.includes('<-') ? outcome : 'unreachable'))
      : seen,
  );
}

/**
 * The key of the Service of an EndpointSlice.
 *
 * @param {Resource} resource
 * @param {ClusterObject | undefined} object
 */
function ownerOf(resource, object) {
  const { namespace = '', labels } = /** @type {EndpointSlice | undefined} */ (object)?.metadata ?? {};
  const name = labels?.['kubernetes.io/service-name'];
  return resource === 'endpointslices' && name !== undefined ? keyOf('services', { name, namespace }) : undefined;
}

/**
 * Without what differs in every answer.
 *
 * @param {string} url
 * @param {HttpAnswer} answer
 */
function comparable(url, { body = '', ...answer }) {
  if (url === METRICS) {
    const series = body.matchAll(/^kubeproxy_sync_proxy_rules_no_local_endpoints_total\{(.*)\} (\S+)$/gm);
    return { body: [...series].map(([, labels = '', value]) => `${labels.split(',').sort().join()} ${value}`).sort() };
  }
  try {
    const withoutTimes = (/** @type {string} */ key, /** @type {unknown} */ value) =>
      ['lastUpdated', 'currentTime'].includes(key) ? undefined : value;
    const { lastUpdated, currentTime } = JSON.parse(body);
    return {
      ...answer,
      isCurrent: Date.parse(currentTime) - Date.parse(lastUpdated) <= 1,
      body: JSON.parse(body, withoutTimes),
    };
  } catch {
    return { ...answer, body };
  }
}

/** @param {Difference} difference */
function describe({ flow, kubeProxy, kubeProxier, frontend, service }) {
  const { client, from, protocol, to, port } = flow;
  const list = (/** @type {ReadonlySet<string>} */ outcomes) => [...outcomes].sort().join(' ');
  const name = service === undefined ? 'no Service' : `${service.metadata.namespace}/${service.metadata.name}`;
  return `${client}${from ? ` (${from})` : ''} to ${protocol} ${to} port ${port} (${frontend ?? 'no frontend'} of ${name}): kube-proxy ${list(kubeProxy)}; kube-proxier ${list(kubeProxier)}`;
}

/**
 * Whether NodePorts are on an address of the node. Without entries of the family they are on all, or, in mode nftables without any
 * entries, on the primary ones.
 *
 * @param {{mode: string, nodePortAddresses: readonly string[]}} configuration
 * @param {string} address
 */
export function servesNodePorts({ mode, nodePortAddresses }, address) {
  const primary = ['192.168.0.2', 'fd00:192:168::2'];
  if (nodePortAddresses.includes('primary') || (mode === 'nftables' && nodePortAddresses.length === 0)) {
    return primary.includes(address);
  }
  const family = isIPv6(address) ? 'ipv6' : 'ipv4';
  const entries = nodePortAddresses.filter((entry) => isIPv6(entry.replace(/\/.*/, '')) === isIPv6(address));
  const list = new BlockList();
  for (const entry of entries) {
    const [network = '', length] = entry.split('/');
    list.addSubnet(network, Number(length), family);
  }
  return entries.length === 0 || list.check(address, family);
}

/**
 * Frontends of a Service that a sandbox has packets for, with ports that it has, and others.
 *
 * @param {Service} service
 * @returns {(Omit<FrontendFlow, 'client' | 'from'> & {client: string, hasPort: boolean})[]}
 */
export function frontendsOf(service) {
  const { spec, status } = service;
  /** @type {[string, NonNullable<Difference['frontend']>][]} */
  const addresses = [
    ...(spec.clusterIPs ?? []).filter((ip) => ip !== 'None').map((ip) => /** @type {const} */ ([ip, 'cluster IP'])),
    .../** @type {string[]} */ (spec.externalIPs ?? []).map((ip) => /** @type {const} */ ([ip, 'external IP'])),
    ...(status.loadBalancer.ingress ?? []).flatMap(({ ip }) =>
      ip === undefined ? [] : [/** @type {const} */ ([ip, 'load balancer IP'])],
    ),
  ].map(([ip, frontend]) => [ip, frontend]);
  const protocols = /** @type {const} */ (['TCP', 'UDP']);
  const has = (/** @type {string} */ protocol, /** @type {number} */ port) =>
    (spec.ports ?? []).some((one) => one.port === port && one.protocol === protocol);
  const nodePorts = [
    ...new Set((spec.ports ?? []).flatMap(({ nodePort }) => (nodePort === undefined ? [] : [nodePort]))),
  ];
  return [
    ...addresses.flatMap(([to, frontend]) =>
      PORTS.flatMap((port) =>
        protocols.map((protocol) => ({
          ...{ client: '', protocol, to, port, frontend, service, hasPort: has(protocol, port) },
        })),
      ),
    ),
    ...['192.168.0.2', '192.168.1.2', 'fd00:192:168::2', 'fd00:192:168:1::2', '127.0.0.1'].flatMap((to) =>
      nodePorts.flatMap((port) =>
        protocols.map((protocol) => ({
          ...{ client: '', protocol, to, port, frontend: /** @type {const} */ ('node port'), service },
          hasPort: (spec.ports ?? []).some((one) => one.nodePort === port && one.protocol === protocol),
        })),
      ),
    ),
  ];
}

/**
 * @param {string} to
 * @returns {{client: string, from?: string}[]}
 */
function clientsOf(to) {
  if (to === '127.0.0.1') {
    return [{ client: 'node' }];
  }
  const second = to.includes(':') ? ['fd00:192:168:1::2', '2001:db8:203:80::2'] : ['192.168.1.2', '203.0.113.130'];
  return [
    ...['pod1', 'pod3', 'node', 'remote-pod1', 'remote-node', 'client'].map((client) => ({ client })),
    { client: 'node', from: second[0] ?? '' },
    { client: 'client', from: second[1] ?? '' },
  ];
}
