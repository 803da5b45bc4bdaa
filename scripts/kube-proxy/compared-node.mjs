/** A node in a sandbox with a proxy, kube-proxy or kube-proxier, that reads from an API server outside of the sandbox. */
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { ProxierError } from '@kube-proxier/core';
import { NetworkSandbox } from '@kube-proxier/network-sandbox';
import { plainKubeconfig } from '../plain-kubeconfig.mjs';
import { appendToLog } from './kube-proxy-backend.mjs';
import { HOST_PORTS, TARGET_PORTS } from './random-cluster.mjs';

/**
 * @typedef {import('@kube-proxier/network-sandbox').SandboxHost} SandboxHost
 *
 * @typedef {object} Flow
 * @property {string} client name of a host
 * @property {string} [from] its source address, where it is not the first one
 * @property {'TCP' | 'UDP'} protocol
 * @property {string} to
 * @property {number} port
 *
 * @typedef {{status?: number, type?: string, weight?: string, body?: string, error?: string}} HttpAnswer
 */

const FORWARDER = fileURLToPath(new URL('./forward-to-socket.mjs', import.meta.url));
const FETCH = fileURLToPath(new URL('./fetch-all.mjs', import.meta.url));
/** Of the API server, on the node. */
const API_PORT = 6443;
/** Flows at the same time, of a sandbox. */
const CONCURRENCY = 32;
/** Packets of one flow at the same time. */
const AT_ONCE = 6;
const POLL_INTERVAL = 50;

export class ComparedNodeError extends ProxierError {
  /** @param {string} message */
  constructor(message) {
    super('COMPARED_NODE_FAILED', message);
  }
}

export class ComparedNode {
  log = '';
  /** @type {import('node:child_process').ChildProcess | undefined} */
  #process;
  #directory = mkdtempSync(join(tmpdir(), 'compared-node-'));
  #removeDirectory = () => rmSync(this.#directory, { recursive: true, force: true });
  /** @type {import('node:net').Server | undefined} */
  #socket;
  /** @type {Map<string, SandboxHost>} */
  #hosts = new Map();
  #stopping = false;

  /**
   * @param {string} name
   * @param {readonly [string, ...string[]]} command of the proxy; `--config` is added
   * @param {NetworkSandbox} sandbox
   */
  constructor(name, command, sandbox) {
    this.name = name;
    this.command = command;
    this.sandbox = sandbox;
    process.once('exit', this.#removeDirectory);
    for (const host of sandbox.hosts) {
      this.#hosts.set(host.name, host);
    }
  }

  /**
   * @param {string} name
   * @param {readonly [string, ...string[]]} command
   * @param {string} apiServer its URL
   */
  static async create(name, command, apiServer) {
    const node = new ComparedNode(name, command, await NetworkSandbox.create({ pods: 3, remotePods: 2 }));
    try {
      await node.#connectTo(new URL(apiServer));
      await node.#serve();
      return node;
    } catch (error) {
      await node.close();
      throw error;
    }
  }

  /** @param {URL} server */
  async #connectTo(server) {
    const path = join(this.#directory, 'api');
    this.#socket = createServer((client) => {
      const upstream = connect(Number(server.port), server.hostname);
      client.on('error', () => upstream.destroy());
      upstream.on('error', () => client.destroy());
      client.pipe(upstream).pipe(client);
    }).listen(path);
    await once(this.#socket, 'listening');
    const forwarder = this.sandbox.node.spawn([process.execPath, FORWARDER, String(API_PORT), path], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(/** @type {import('node:stream').Readable} */ (forwarder.stdout), 'data');
  }

  async #serve() {
    const { pods, remotePods, node, remoteNode } = this.sandbox;
    const served = [
      ...[...pods, ...remotePods].flatMap((host) => TARGET_PORTS.map((port) => ({ host, port }))),
      ...[node, remoteNode].flatMap((host) => HOST_PORTS.map((port) => ({ host, port }))),
    ];
    for (const protocol of /** @type {const} */ (['TCP', 'UDP'])) {
      await Promise.all(served.map(({ host, port }) => host.serve({ protocol, port, name: `${host.name}:${port}` })));
    }
  }

  /**
   * Starts the proxy.
   *
   * @param {object} configuration a KubeProxyConfiguration
   */
  start(configuration) {
    const kubeconfig = join(this.#directory, 'kubeconfig');
    const file = join(this.#directory, 'config.json');
    writeFileSync(kubeconfig, plainKubeconfig(`http://127.0.0.1:${API_PORT}`));
    writeFileSync(file, JSON.stringify({ ...configuration, clientConnection: { kubeconfig } }));
    this.#stopping = false;
    // It ends with this process, also when that is killed.
    const child = this.sandbox.node.spawn(['setpriv', '--pdeathsig', 'KILL', ...this.command, `--config=${file}`], {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { KUBERNETES_SERVICE_HOST: '' },
    });
    this.#process = child;
    if (child.stderr) {
      createInterface({ input: child.stderr }).on('line', (line) => {
        this.log = appendToLog(this.log, line);
      });
    }
    child.once('exit', (status, signal) => {
      if (!this.#stopping) {
        this.log += `\n${this.name} ended by itself: ${status ?? signal}\n`;
      }
    });
  }

  /** @param {NodeJS.Signals} signal */
  async stop(signal) {
    const child = this.#process;
    this.#process = undefined;
    this.#stopping = true;
    if (child && child.exitCode === null && child.signalCode === null) {
      const ended = once(child, 'exit');
      child.kill(signal);
      await ended;
    }
  }

  /**
   * Waits until a frontend is answered.
   *
   * @param {readonly Flow[]} flows
   * @param {number} patience milliseconds
   */
  async answered(flows, patience) {
    const end = performance.now() + patience;
    for (const flow of flows) {
      while (![...(await this.outcomes(flow, 1, 300))].some((outcome) => outcome.includes('<-'))) {
        if (performance.now() > end || !this.#process || this.#process.exitCode !== null) {
          throw new ComparedNodeError(
            `${this.name} does not serve ${flow.to} port ${flow.port}; its log ends with\n${this.log.slice(-6000)}`,
          );
        }
        await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL));
      }
    }
  }

  /**
   * The outcomes of some packets: `ENDPOINT<-SOURCE` where there was an answer.
   *
   * @param {Flow} flow
   * @param {number} attempts
   * @param {number} timeout milliseconds
   * @returns {Promise<Set<string>>}
   */
  async outcomes({ client, protocol, to, port, from }, attempts, timeout) {
    const host = this.#hosts.get(client);
    if (host === undefined) {
      throw new ComparedNodeError(`there is no host ${client}`);
    }
    const target = { protocol, to, port, timeout, ...(from === undefined ? {} : { from }) };
    const outcomes = new Set();
    for (let begun = 0; begun < attempts; begun += AT_ONCE) {
      const count = Math.min(AT_ONCE, attempts - begun);
      for (const outcome of await Promise.all(Array.from({ length: count }, () => host.connect(target)))) {
        outcomes.add(outcome.kind === 'answered' ? `${outcome.by}<-${outcome.sourceSeen}` : outcome.kind);
      }
    }
    return outcomes;
  }

  /**
   * The outcomes of many flows.
   *
   * @param {readonly Flow[]} flows
   * @param {{attempts: number, unanswered: number, timeout: number}} options attempts of a flow, and if none of the first ones is
   *   answered
   * @returns {Promise<Set<string>[]>}
   */
  async outcomesOfAll(flows, { attempts, unanswered, timeout }) {
    /** @type {Set<string>[]} */
    const results = flows.map(() => new Set());
    let next = 0;
    const worker = async () => {
      for (let index = next++; index < flows.length; index = next++) {
        const flow = /** @type {Flow} */ (flows[index]);
        // The first one alone: with session affinity, it decides for the others.
        const first = await this.outcomes(flow, 1, timeout);
        const more = await this.outcomes(flow, unanswered - 1, timeout);
        const isAnswered = [...first, ...more].some((outcome) => outcome.includes('<-'));
        const others = await this.outcomes(flow, isAnswered ? attempts - unanswered : 0, timeout);
        results[index] = new Set([...first, ...more, ...others]);
      }
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, worker));
    return results;
  }

  /**
   * @param {readonly string[]} urls
   * @returns {Promise<HttpAnswer[]>}
   */
  async fetch(urls) {
    const { stdout } = await this.sandbox.node.exec([process.execPath, FETCH, ...urls]);
    return JSON.parse(stdout);
  }

  /** Tracked connections are forgotten: a new flow from a port that was used before is a new one. */
  async forgetConnections() {
    await this.sandbox.node.exec(['conntrack', '--flush']);
  }

  /** Session affinity is forgotten: the next packet of a client gets any endpoint. */
  async forgetAffinity() {
    await this.sandbox.node.exec([
      'sh',
      '-c',
      'for file in /proc/net/xt_recent/*; do [ ! -e "$file" ] || echo / > "$file"; done',
    ]);
    /** @type {{nftables: Record<string, {family: string, table: string, name: string, flags?: string[]}>[]}[]} */
    const lists = await Promise.all(
      ['sets', 'maps'].map(async (what) =>
        JSON.parse((await this.sandbox.node.exec(['nft', '--json', '--terse', 'list', what])).stdout),
      ),
    );
    const commands = lists
      .flatMap(({ nftables }) => nftables)
      .flatMap((one) => Object.entries(one))
      // The flag `dynamic` is missing in the JSON of nft 1.0.6.
      .filter(([, { flags }]) => flags?.some((flag) => flag === 'dynamic' || flag === 'timeout'))
      .map(([kind, { family, table, name }]) => `flush ${kind} ${family} ${table} ${name}\n`);
    await this.sandbox.node.exec(['nft', '--file', '-'], { stdin: commands.join('') });
  }

  async close() {
    await this.stop('SIGKILL');
    await this.sandbox.close();
    this.#socket?.close();
    this.#removeDirectory();
    process.off('exit', this.#removeDirectory);
  }
}
