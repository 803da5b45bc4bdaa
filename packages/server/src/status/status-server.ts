import { createHash, randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  answerPacketQuestion,
  type Clock,
  explainSimulation,
  familyOf,
  firstServicePorts,
  type IPFamily,
  type Logger,
  type ModeSelection,
  messageOf,
  type Node,
  nodeObjectOf,
  type Packet,
  type Protocol,
  type ProxyState,
  parseAddress,
  QuestionError,
  type QuestionText,
  readPacketQuestion,
  type ServiceCIDR,
  type ServiceSelection,
  type SimulationHost,
  type SyncSuccess,
  serviceObjectsOf,
  silentLogger,
  simulatePacket,
  systemClock,
  type TrafficCounts,
  viewServicePorts,
} from '@kube-proxier/core';
import type { ConnectionShare } from '../health/descriptor-shares.js';
import { HttpListener, JSON_TYPE, reply, replyMethodNotAllowed, TEXT } from '../health/http-listener.js';
import { hostNameOf, isTrustedHost } from '../health/trusted-host.js';
import type { ServerObserver } from '../server-observer.js';
import type { BackgroundVerification } from '../verification/background-verification.js';
import { verificationNotes } from '../verification/verification-notes.js';
import { DebugRoutes, type ProfilingOptions } from './debug-routes.js';
import type { NodeStatus } from './node-status.js';
import type { StatusPage } from './status-page.js';
import type { SyncRecord } from './sync-history.js';

/** Options of {@link StatusServer}. */
export interface StatusServerOptions {
  /**
   * Address to listen on, without brackets. The information is for operators of the node: use loopback unless there is a
   * reason.
   */
  readonly host: string;
  /** 0 selects any free port. */
  readonly port: number;
  /** Default: no logs. */
  readonly logger?: Logger;
  readonly clock?: Clock;
  /** Failure to listen is fatal. Default false: it is retried. */
  readonly hardFail?: boolean;
  /** Called for each failed attempt to listen. Default: nothing. */
  readonly onFailure?: () => void;
  /**
   * Host names accepted in requests, besides IP addresses and `localhost`. Requests for other names are answered with
   * 403: a web page in a browser on this node could otherwise read all responses, by a name of its own that resolves to
   * this address (DNS rebinding). Default: none.
   */
  readonly hostNames?: readonly string[];
  /** Name of this node, whose Node is part of `/debug/objects`. Default: derived from the states. */
  readonly nodeName?: string;
  /**
   * Whether an address belongs to the node, whose connections have a reserved limit. Default: loopback addresses only.
   */
  readonly isOwnAddress?: (address: string) => boolean;
  /** Maximum concurrent connections. Default: 256 remote, 64 of the node. */
  readonly connections?: ConnectionShare;
  /** Addresses of this host's interfaces, to recognise NodePorts. Default: those of the Node object. */
  readonly localAddresses?: () => Promise<readonly string[]>;
  /** Content of `/metrics`. Default: not served. */
  readonly metrics?: { readonly contentType: string; metrics(): Promise<string> };
  /** Counts of service ports, for `/debug/services`. Must not wait for the kernel. Default: none. */
  readonly counts?: () => TrafficCounts | undefined;
  /** Whether newer `counts` are being read from the kernel, so that a client should retry. Default: false. */
  readonly isReadingCounts?: () => boolean;
  /** Content of `/configz`, as JSON. Default: not served. */
  readonly configuration?: () => unknown;
  /** Content of `/debug/status`. Default: not served. */
  readonly nodeStatus?: () => Promise<NodeStatus>;
  /** The verification for `/debug/verify`, started by POST. Default: not served. */
  readonly verification?: Pick<BackgroundVerification, 'request' | 'report'>;
  /** Content of `/debug/recording`: gzip of one JSON object per line. Default: not served. */
  readonly recording?: () => AsyncIterable<Uint8Array>;
  /** Content of `/debug/syncs`. Default: not served. */
  readonly syncs?: () => readonly SyncRecord[];
  /** Serves the status page at `/`. Default: not served. */
  readonly page?: Pick<StatusPage, 'answer'>;
  /** Serves `/debug/pprof` and `/debug/flags/v`. Default: not served. */
  readonly profiling?: ProfilingOptions;
}

/** Timeout in milliseconds for a client to read a recording. */
const RECORDING_TIMEOUT = 120_000;

const READ_METHODS: readonly string[] = ['GET', 'HEAD'];
/** Placeholder for the host of a request line that has a path only. */
const NO_HOST = 'no-host.invalid';

/** Characters of a long answer generated at a time. */
const PIECE = 65_536;

/** Maximum service ports in a response with `limit`. */
const MAX_LIMIT = 1000;

const PROTOCOLS: readonly Protocol[] = ['TCP', 'UDP', 'SCTP'];

/**
 * Reports the state of the proxy over HTTP (spec H-30…H-36):
 *
 * - `/proxyMode`, `/healthz`, `/metrics`, `/configz`: as kube-proxy does.
 * - `/`: the status page.
 * - `/debug/status`: the status of the node. `/debug/syncs`: its last syncs.
 * - `/debug/state`: the programmed state. `/debug/services`: service ports with used and unused endpoints, and why; with
 *   `limit`, the first ones.
 * - `/debug/objects`: the objects that the state was resolved from.
 * - `/debug/explain?source=…&destination=…&port=…&protocol=…`, or with names, as `kube-proxier explain` has them,
 *   `/debug/explain?source=pod/web-1&destination=svc/checkout:http&namespace=shop&via=node-port`: the handling of a
 *   packet.
 * - `/debug/verify`: the last verification; POST starts another one.
 * - `/debug/recording`: the recording of the last hour.
 * - With profiling: `/debug/pprof` and `/debug/flags/v`.
 *
 * It answers from the last programmed states, and changes nothing. A port in use is logged and retried.
 */
export class StatusServer implements ServerObserver {
  readonly #states = new Map<IPFamily, ProxyState>();
  readonly #listener: HttpListener;
  readonly #debug: DebugRoutes | undefined;
  /** Distinguishes this server from another one at the same address, such as a restarted agent. */
  readonly #instance = randomUUID();
  #mode = '';
  #clusterIPsOfNode = true;
  /** The Node as reported by a source. */
  #node: Node | undefined;

  constructor(private readonly options: StatusServerOptions) {
    const { host, port, logger = silentLogger, clock = systemClock, hardFail = false } = options;
    this.#debug = options.profiling && new DebugRoutes(options.profiling, clock);
    this.#listener = new HttpListener({
      name: 'status server',
      host,
      port,
      logger,
      clock,
      hardFail,
      onFailure: () => options.onFailure?.(),
      ...(options.isOwnAddress ? { isOwnAddress: options.isOwnAddress } : {}),
      ...(options.connections ? { connections: options.connections } : {}),
      answer: (request, response) => this.#answer(request, response),
    });
  }

  /** Where it listens; undefined while it does not. */
  get address(): HttpListener['address'] {
    return this.#listener.address;
  }

  /** Why it does not listen; undefined while it listens. */
  get obstacle(): string | undefined {
    return this.#listener.obstacle;
  }

  modeSelected({ mode, backend }: Pick<ModeSelection, 'mode'> & Partial<Pick<ModeSelection, 'backend'>>): void {
    this.#mode = mode;
    this.#clusterIPsOfNode = backend?.capabilities?.clusterIPsOfNode ?? true;
  }

  nodeEvent(node: Node): void {
    this.#node = node.metadata?.name === this.options.nodeName ? node : this.#node;
  }

  synced({ family, state }: SyncSuccess): void {
    this.#states.set(family, state);
  }

  /**
   * Resolves when it listens, or after the first attempt failed.
   *
   * @throws ListenError
   */
  start(): Promise<void> {
    return this.#listener.start();
  }

  stop(): Promise<void> {
    return this.#listener.stop();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = targetOf(request);
    if (!url) {
      return reply(response, 400, TEXT, 'the path is not valid; it must begin with one slash\n');
    }
    const host = url.hostname === NO_HOST ? hostNameOf(request.headers.host) : url.hostname;
    if (!isTrustedHost(host, this.options.hostNames ?? [])) {
      const advice = 'use an IP address, localhost, or the name of the node';
      return reply(response, 403, TEXT, `the host of the request is not one of this server; ${advice}\n`);
    }
    const { verification } = this.options;
    const methods =
      url.pathname === '/debug/verify' && verification
        ? [...READ_METHODS, 'POST']
        : (this.#debug?.methods(url.pathname) ?? READ_METHODS);
    if (!methods.includes(request.method ?? '')) {
      return replyMethodNotAllowed(response, methods);
    }
    if (await this.#debug?.answer(url, request, response)) {
      return;
    }
    switch (url.pathname) {
      case '/healthz':
        return reply(response, 200, TEXT, 'ok');
      case '/proxyMode':
        return reply(response, 200, TEXT, this.#mode);
      case '/debug/explain':
        return await this.#explain(url.searchParams, response);
      case '/debug/objects':
        response.writeHead(200, { 'Content-Type': JSON_TYPE });
        // A disconnect of the client aborts it.
        await pipeline(Readable.from(this.#objects()), response).catch(() => {});
        return;
      case '/debug/state':
        return reply(response, 200, JSON_TYPE, `${JSON.stringify(this.#describeStates())}\n`);
      case '/debug/services': {
        const limit = url.searchParams.get('limit');
        if (limit !== null) {
          this.#replyFirstServices(Number(limit), url.searchParams, request, response);
          return;
        }
        const counts = this.options.counts?.();
        const servicePorts = [...this.#states.values()].flatMap((state) =>
          viewServicePorts(state, selectionOf(url.searchParams), counts),
        );
        const answer = {
          ...{ mode: this.#mode, families: [...this.#states.keys()] },
          ...(this.options.isReadingCounts?.() ? { readingCounts: true } : {}),
          servicePorts,
        };
        return reply(response, 200, JSON_TYPE, `${JSON.stringify(answer)}\n`);
      }
    }
    const { metrics, configuration, nodeStatus, recording, syncs, page } = this.options;
    if (page?.answer(url.pathname, response)) {
      return;
    }
    if (url.pathname === '/debug/verify' && verification) {
      return answerVerification(request, response, verification);
    }
    if (url.pathname === '/debug/syncs' && syncs) {
      return reply(response, 200, JSON_TYPE, `${JSON.stringify({ syncs: syncs() })}\n`);
    }
    if (url.pathname === '/debug/recording' && recording) {
      return await replyRecording(recording(), response);
    }
    if (url.pathname === '/debug/status' && nodeStatus) {
      return reply(response, 200, JSON_TYPE, `${JSON.stringify(await nodeStatus())}\n`);
    }
    if (url.pathname === '/metrics' && metrics) {
      return reply(response, 200, metrics.contentType, await metrics.metrics());
    }
    // It reports named health checks, of which kube-proxy has none either (spec H-32).
    if (url.pathname === '/metrics/slis' && metrics) {
      return reply(response, 200, metrics.contentType, '');
    }
    if (url.pathname === '/configz' && configuration) {
      return reply(response, 200, JSON_TYPE, `${JSON.stringify(configuration())}\n`);
    }
    const paths = [
      ...['/healthz', '/proxyMode'],
      ...(metrics ? ['/metrics'] : []),
      ...(configuration ? ['/configz'] : []),
      ...(nodeStatus ? ['/debug/status'] : []),
      ...(verification ? ['/debug/verify'] : []),
      ...['/debug/state', '/debug/services', '/debug/objects'],
      ...(syncs ? ['/debug/syncs'] : []),
      ...(recording ? ['/debug/recording'] : []),
    ];
    reply(response, 404, TEXT, `not found; use ${paths.join(', ')} or /debug/explain\n`);
  }

  /**
   * The objects that the states in force were resolved from, as a `List` that is also a manifest: those that a proxy
   * reads, with the fields that it reads. Generated in parts, so that the event loop is not blocked.
   */
  async *#objects(): AsyncGenerator<string> {
    const states = [...this.#states.values()];
    const families = states.map(({ family }) => family);
    const head = { apiVersion: 'v1', kind: 'List', mode: this.#mode, families };
    yield `${JSON.stringify(head).slice(0, -1)},"items":[`;
    const cidrs = states.flatMap(({ node }) => node.serviceCIDRs);
    const others = [
      ...(states.length === 0 ? [] : [nodeObjectOf(states, this.#node)]),
      ...(cidrs.length === 0 ? [] : [serviceCIDROf(cidrs)]),
    ];
    let separator = '';
    let text = '';
    const add = (object: object) => {
      text += `${separator}${JSON.stringify(object)}`;
      separator = ',\n';
    };
    others.forEach(add);
    for (const { service, endpointSlices } of serviceObjectsOf(states)) {
      [service, ...endpointSlices].forEach(add);
      if (text.length > PIECE) {
        yield text;
        text = '';
        await new Promise((resolve) => setImmediate(resolve));
      }
    }
    yield `${text}]}\n`;
  }

  /** While states and counts are unchanged, a client with the current ETag gets 304. */
  #replyFirstServices(limit: number, query: URLSearchParams, request: IncomingMessage, response: ServerResponse): void {
    if (!Number.isSafeInteger(limit) || limit < 1 || limit > MAX_LIMIT) {
      reply(response, 400, TEXT, `limit must be a whole number from 1 to ${MAX_LIMIT}\n`);
      return;
    }
    const states = [...this.#states.values()];
    const revisions = states.map(({ family, revision }) => `${family}-${revision}`);
    const counts = this.options.counts?.();
    const isCounted = counts !== undefined && !counts.isEmpty;
    const list = () =>
      `${JSON.stringify({ mode: this.#mode, ...firstServicePorts(states, selectionOf(query), limit, counts) })}\n`;
    const counted = isCounted ? list() : undefined;
    const digest = counted === undefined ? [] : [createHash('sha256').update(counted).digest('hex').slice(0, 16)];
    const tag = `"${[this.#instance, this.#mode, ...revisions, ...digest].join('.')}"`;
    if (request.headers['if-none-match'] === tag) {
      response.writeHead(304, { ETag: tag });
      response.end();
      return;
    }
    reply(response, 200, JSON_TYPE, counted ?? list(), { ETag: tag });
  }

  #describeStates(): object {
    const states = [...this.#states].map(([family, state]) => [
      family,
      {
        revision: state.revision,
        node: state.node,
        servicePorts: [...state.servicePorts.values()].map(({ key, frontends, cluster, local, affinitySeconds }) => ({
          key,
          frontends,
          cluster: cluster.map((endpoint) => endpoint.key),
          local: local.map((endpoint) => endpoint.key),
          affinitySeconds: affinitySeconds ?? null,
        })),
        healthCheckNodePorts: [...state.healthCheckNodePorts.values()],
      },
    ]);
    return { mode: this.#mode, families: Object.fromEntries(states) };
  }

  async #explain(query: URLSearchParams, response: ServerResponse): Promise<void> {
    if (!query.has('port')) {
      return await this.#answerQuestion(query, response);
    }
    const destination = parseAddress(query.get('destination'));
    const state = destination && this.#states.get(familyOf(destination.text));
    if (!destination) {
      return reply(response, 400, TEXT, 'destination is not an IP address\n');
    }
    if (!state) {
      return reply(response, 503, TEXT, `nothing is programmed for ${destination.family} yet\n`);
    }
    const protocol = PROTOCOLS.find((known) => known === (query.get('protocol') ?? 'TCP'));
    if (!protocol) {
      return reply(response, 400, TEXT, `protocol is not one of ${PROTOCOLS.join(', ')}\n`);
    }
    const packet: Packet = {
      source: query.get('source') ?? '',
      destination: destination.text,
      port: Number(query.get('port')),
      protocol,
    };
    const host = await this.#host();
    try {
      const simulation = simulatePacket(state, packet, host);
      reply(response, 200, 'application/json', `${JSON.stringify(explainSimulation(simulation))}\n`);
    } catch (error) {
      if (!(error instanceof RangeError)) {
        throw error;
      }
      reply(response, 400, TEXT, `${messageOf(error)}\n`);
    }
  }

  /** A question as `kube-proxier explain` has it: with names of pods and Services. */
  async #answerQuestion(query: URLSearchParams, response: ServerResponse): Promise<void> {
    if (this.#states.size === 0) {
      return reply(response, 503, TEXT, 'nothing is programmed yet\n');
    }
    try {
      const answer = answerPacketQuestion(
        [...this.#states.values()],
        readPacketQuestion(questionOf(query)),
        await this.#host(),
      );
      const last = this.options.verification?.report().last ?? null;
      const notes = [...answer.notes, ...verificationNotes(answer, last)];
      reply(response, 200, JSON_TYPE, `${JSON.stringify({ ...answer, notes })}\n`);
    } catch (error) {
      if (!(error instanceof QuestionError)) {
        throw error;
      }
      reply(response, error.code === 'NOT_FOUND' ? 404 : 400, TEXT, `${error.message}\n`);
    }
  }

  async #host(): Promise<SimulationHost> {
    const localAddresses = await this.options.localAddresses?.();
    return { clusterIPsOfNode: this.#clusterIPsOfNode, ...(localAddresses ? { localAddresses } : {}) };
  }
}

function serviceCIDROf(cidrs: readonly string[]): ServiceCIDR {
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'ServiceCIDR',
    metadata: { name: 'kube-proxier' },
    spec: { cidrs: [...new Set(cidrs)] },
  };
}

/** The parameters of a question, as far as they are set. */
function questionOf(query: URLSearchParams): QuestionText {
  const set = (['source', 'namespace', 'via'] as const).flatMap((name) => {
    const value = query.get(name);
    return value === null ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(set), destination: query.get('destination') ?? '' };
}

/** A client that does not read it is disconnected. */
async function replyRecording(recording: AsyncIterable<Uint8Array>, response: ServerResponse): Promise<void> {
  response.writeHead(200, {
    'Content-Type': 'application/gzip',
    'X-Content-Type-Options': 'nosniff',
    'Content-Disposition': 'attachment; filename="recording.jsonl.gz"',
  });
  // A disconnect of the client also ends it.
  await pipeline(Readable.from(recording), response, { signal: AbortSignal.timeout(RECORDING_TIMEOUT) }).catch(() =>
    response.destroy(),
  );
}

/** POST starts a verification and answers its number at once; GET reports the last one. */
function answerVerification(
  { method }: IncomingMessage,
  response: ServerResponse,
  verification: Pick<BackgroundVerification, 'request' | 'report'>,
): void {
  if (method !== 'POST') {
    reply(response, 200, JSON_TYPE, `${JSON.stringify(verification.report())}\n`);
    return;
  }
  const number = verification.request();
  if (number === undefined) {
    reply(response, 503, TEXT, 'nothing is programmed yet, so nothing can be verified\n');
  } else {
    reply(response, 202, JSON_TYPE, `${JSON.stringify({ number })}\n`);
  }
}

/** The parameters of a selection, as far as they are set. */
function selectionOf(query: URLSearchParams): ServiceSelection {
  const set = (['namespace', 'name', 'search'] as const).flatMap((name) => {
    const value = query.get(name);
    return value === null ? [] : [[name, value] as const];
  });
  return Object.fromEntries(set);
}

/** The requested URL; undefined if the target is neither a path nor a URL. */
function targetOf({ url = '' }: IncomingMessage): URL | undefined {
  if (!/^(?:\/(?!\/)|http:\/\/[^/])/i.test(url)) {
    return undefined;
  }
  const text = url.startsWith('/') ? `http://${NO_HOST}${url}` : url;
  return URL.canParse(text) ? new URL(text) : undefined;
}
