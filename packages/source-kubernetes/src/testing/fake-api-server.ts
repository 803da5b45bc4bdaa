import { createServer as createHttpServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { type Clock, systemClock } from '@kube-proxier/core';
import { ApiAnswers, JSON_TYPE, PROTOBUF_TYPE } from './api-answers.js';
import { beginEndlessList, encodeItem, encodeMessage, hasMessage } from './api-encoding.js';
import type { ApiRequestInfo, RequestFault, WatchFault } from './api-faults.js';
import type { ApiObject } from './api-object.js';
import { ApiObjectStore, type StoreSnapshot } from './api-object-store.js';
import { acceptWebSocket, sendExecOutcome } from './exec-web-socket.js';
import { ObjectEncoder } from './object-encoder.js';
import { decodeToken, encodeToken, invalidOptions, preferredEncoding } from './request-options.js';
import { resetConnection } from './reset-connection.js';
import { type Matcher, parseFieldSelector, parseLabelSelector, SelectorError } from './selectors.js';
import { EVENT, EVENTS, EXEC, NAMESPACED, RESOURCES, REVIEWS, type ServedResource } from './served-resources.js';
import { jsonWatch, protobufWatch } from './watch-encoding.js';
import { endlessly, WatchStream } from './watch-stream.js';

/** Options of a {@link FakeApiServer}. */
export interface FakeApiServerOptions {
  /** Serve HTTPS with this certificate. Default: HTTP. */
  readonly tls?: { readonly certificate: string; readonly key: string; readonly clientAuthority?: string };
  /** Accepted bearer tokens; can be changed while it runs. Default: no authentication. */
  readonly tokens?: ReadonlySet<string>;
  /** Clock for bookmarks and watch timeouts. Default: the system clock. */
  readonly clock?: Clock;
  /** Milliseconds between bookmarks. Default 60000. */
  readonly bookmarkInterval?: number;
  /** Reject field labels, as by an old API server. Default: the known ones are supported. */
  readonly refuseFieldLabels?: readonly string[];
  /** Resources that the server does not have. Default none. */
  readonly unknownResources?: readonly string[];
  /** Further resources that it serves. Default none. */
  readonly resources?: readonly { readonly apiVersion: string; readonly kind: string; readonly plural: string }[];
  /** Lists of any version are answered from the watch cache, whole; without it in pages, from etcd. Default true. */
  readonly watchCache?: boolean;
  /**
   * Handling of `sendInitialEvents`: `served` (Kubernetes 1.34 and later), `refused` (1.27 to 1.33, as most of them are
   * configured) or `ignored` (before). Default `served`.
   */
  readonly watchList?: 'served' | 'refused' | 'ignored';
  /**
   * Handling of a request for protobuf: `served`, as by every API server; `ignored`, and answered with JSON if
   * accepted; or `refused` (406), as by a JSON-only proxy. Custom resources have no protobuf. Default `served`.
   */
  readonly protobuf?: 'served' | 'ignored' | 'refused';
}

/** A command that a client runs in a container. */
export interface ExecRequest {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  readonly command: readonly string[];
}

/** A user, as a TokenReview names it. */
export interface ReviewedUser {
  readonly username: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** The behaviour of a command in a container; `hang` never ends, `reset` resets the connection. */
export type ExecOutcome =
  | { readonly stdout: string; readonly stderr: string; readonly exitStatus: number }
  | { readonly refused: string }
  | 'hang'
  | 'reset';

/** Milliseconds that a list waits until the watch cache has its version. */
const CACHE_PATIENCE = 3000;

/**
 * An API server for tests, over real sockets: serves paged lists and watches of Services, EndpointSlices, Nodes and
 * ServiceCIDRs, with selectors, versions, bookmarks, expiry and errors as a real one (1.36). It accepts events, and
 * answers TokenReviews and SubjectAccessReviews. It injects faults on request.
 *
 * @example
 * const server = await FakeApiServer.start();
 * server.store.put('services', { metadata: { name: 'web', namespace: 'default' }, spec: { clusterIP: '10.96.0.1' } });
 * server.faultFor = ({ verb }) => (verb === 'list' ? { kind: 'status', code: 500 } : undefined);
 * server.disturbWatches('reset');
 * await server.stop();
 */
export class FakeApiServer {
  /** Its objects; watches see changes at once. */
  readonly store = new ApiObjectStore();
  /** All requests so far. */
  readonly requests: ApiRequestInfo[] = [];
  /** Called for each request to select a fault; undefined for a normal answer. */
  faultFor: (request: ApiRequestInfo) => RequestFault | undefined = () => undefined;
  /** Called for each command in a container. */
  onExec: (request: ExecRequest) => Promise<ExecOutcome> = async () => ({ refused: 'no container is served' });
  /** Events that clients created (`events.k8s.io/v1`), in order. */
  readonly events: Readonly<Record<string, unknown>>[] = [];
  /** Resources that are forbidden (403); with `events`, events cannot be created. */
  readonly forbidden = new Set<string>();
  /** Users that a TokenReview finds, by their token. */
  readonly users = new Map<string, ReviewedUser>();
  /** Permissions for non-resource URLs, as `verb path`, by user name. */
  readonly permissions = new Map<string, ReadonlySet<string>>();
  /** Accepted bearer tokens; undefined for no authentication. */
  tokens: ReadonlySet<string> | undefined;

  readonly #options: FakeApiServerOptions;
  readonly #clock: Clock;
  /** By path. */
  readonly #resources: ReadonlyMap<string, ServedResource>;
  readonly #sockets = new Set<Socket>();
  readonly #rawSockets = new Set<Socket>();
  readonly #watches = new Set<WatchStream>();
  readonly #matched = new WeakMap<StoreSnapshot, Map<string, readonly ApiObject[]>>();
  readonly #encoder = new ObjectEncoder();
  readonly #answers = new ApiAnswers(this.#encoder);
  #server: Server;
  #port = 0;
  #connections = 0;
  #bytesOfClosed = 0;
  /** Number of generated names. */
  #inventions = 0;

  private constructor(options: FakeApiServerOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    const further = (options.resources ?? []).map(({ apiVersion, kind, plural }): [string, ServedResource] => {
      const group = apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : '';
      return [`/${group === '' ? 'api' : 'apis'}/${apiVersion}/${plural}`, { name: plural, kind, apiVersion, group }];
    });
    this.#resources = new Map([...Object.entries(RESOURCES), ...further]);
    this.tokens = options.tokens;
    this.#server = this.#createServer();
  }

  /** Starts a server on a free port of the loopback address. */
  static async start(options: FakeApiServerOptions = {}): Promise<FakeApiServer> {
    const server = new FakeApiServer(options);
    await server.#listen();
    return server;
  }

  /** Its URL, without a trailing slash. */
  get url(): string {
    return `${this.#options.tls ? 'https' : 'http'}://127.0.0.1:${this.#port}`;
  }

  /**
   * Encodes all objects in protobuf now, instead of with the first answer that has them: for tens of thousands, that
   * takes seconds, unlike a real API server.
   */
  encodeAll(): void {
    for (const { name, kind } of this.#resources.values()) {
      if (hasMessage(kind)) {
        this.#encoder.messages(kind, this.store.list(name));
      }
    }
  }

  /** Number of open connections. */
  get openConnections(): number {
    return this.#sockets.size;
  }

  /** Bytes that were sent on connections of plain HTTP. */
  get bytesSent(): number {
    return [...this.#sockets].reduce((sum, socket) => sum + socket.bytesWritten, this.#bytesOfClosed);
  }

  /** Total number of connections. */
  get totalConnections(): number {
    return this.#connections;
  }

  /** Running watches, by resource. */
  get openWatches(): readonly string[] {
    return [...this.#watches].map(({ resource }) => resource).sort();
  }

  /** Applies a fault to the running watches. @returns to how many. */
  disturbWatches(fault: WatchFault, resource?: string): number {
    const watches = [...this.#watches].filter((watch) => resource === undefined || watch.resource === resource);
    for (const watch of watches) {
      watch.disturb(fault);
    }
    return watches.length;
  }

  /** Stops listening: connections are reset, and new ones refused. Its objects are kept. */
  async goAway(): Promise<void> {
    await this.#close(resetConnection);
  }

  /** Listens again, on the same port. */
  async comeBack(): Promise<void> {
    this.#server = this.#createServer();
    await this.#listen();
  }

  /** Stops it. Idempotent. */
  async stop(): Promise<void> {
    if (this.#server.listening) {
      // Not reset: if the client has already disconnected, a reset fails and leaks a handle that keeps Node 20 alive.
      await this.#close((socket) => socket.destroy());
    }
  }

  async #close(abort: (socket: Socket) => void): Promise<void> {
    const closed = new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
    });
    for (const watch of [...this.#watches]) {
      watch.end();
    }
    for (const socket of this.#sockets) {
      abort(socket);
    }
    // Connections during the TLS handshake; others are aborted.
    for (const socket of this.#rawSockets) {
      if (!this.#sockets.has(socket)) {
        socket.destroy();
      }
    }
    await closed;
  }

  #createServer(): Server {
    const { tls } = this.#options;
    const handle = (request: IncomingMessage, response: ServerResponse) => this.#handle(request, response);
    const server = tls
      ? createHttpsServer(
          {
            cert: tls.certificate,
            key: tls.key,
            requestCert: true,
            rejectUnauthorized: false,
            ...(tls.clientAuthority === undefined ? {} : { ca: tls.clientAuthority }),
          },
          handle,
        )
      : createHttpServer(handle);
    server.on('upgrade', (request: IncomingMessage, socket: Socket) => void this.#upgrade(request, socket));
    server.keepAliveTimeout = 0;
    server.on(tls ? 'secureConnection' : 'connection', (socket: Socket) => {
      this.#connections += 1;
      this.#sockets.add(socket);
      socket.on('close', () => {
        this.#bytesOfClosed += socket.bytesWritten;
        this.#sockets.delete(socket);
      });
      socket.on('error', () => {});
    });
    // Connections during the TLS handshake must not delay its end.
    server.on('connection', (socket: Socket) => {
      this.#rawSockets.add(socket);
      socket.on('close', () => this.#rawSockets.delete(socket));
    });
    server.on('tlsClientError', (_error, socket) => socket.destroy());
    return server;
  }

  #listen(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(this.#port, '127.0.0.1', () => {
        this.#port = (this.#server.address() as AddressInfo).port;
        resolve();
      });
    });
  }

  #handle(request: IncomingMessage, response: ServerResponse): void {
    const url = new URL(request.url ?? '/', 'http://server');
    const created = request.method !== 'POST' ? undefined : EVENTS.test(url.pathname) ? EVENT : REVIEWS[url.pathname];
    const create = created !== undefined;
    const [, version = '', namespace, plural = ''] = NAMESPACED.exec(url.pathname) ?? [];
    const path = namespace === undefined ? url.pathname : `${version}/${plural}`;
    const resource = created ?? this.#resources.get(path);
    const query = url.searchParams;
    const watch = query.get('watch') === 'true' || query.get('watch') === '1';
    const verb = create ? 'create' : watch ? 'watch' : 'list';
    const preference = preferredEncoding(request.headers.accept ?? '', this.#options.protobuf ?? 'served');
    const inProtobuf = preference === 'protobuf' || preference === 'only-protobuf';
    const info: ApiRequestInfo = {
      resource: resource?.name ?? url.pathname,
      verb,
      query,
      encoding: inProtobuf ? 'protobuf' : 'json',
      index: this.requests.length,
      readsEtcd: verb === 'list' && ((query.get('resourceVersion') ?? '') === '' || this.#options.watchCache === false),
      authorization: request.headers.authorization,
      certificate: certificateName(request),
      acceptedCompression: request.headers['accept-encoding'],
    };
    this.requests.push(info);
    if (inProtobuf) {
      this.#answers.preferProtobuf(response);
    }
    const fault = this.faultFor(info);
    switch (fault?.kind) {
      case 'reset':
        resetConnection(request.socket);
        return;
      case 'hang':
        return;
      case 'status':
        this.#answers.status(response, fault.code, fault.reason ?? '', 'made to fail', {}, fault.retryAfter);
        return;
      case 'html':
        response.writeHead(200, { 'Content-Type': 'text/html' }).end('<html><body>Welcome</body></html>');
        return;
      case 'empty':
        this.#answers.send(response, 200, '{}', undefined);
        return;
      default:
        break;
    }
    const refusal = this.#refusal(info, resource);
    const discovered = refusal === undefined ? this.#discovered(url.pathname) : undefined;
    if (discovered !== undefined) {
      this.#answers.send(response, 200, JSON.stringify(discovered), undefined);
      return;
    }
    if (refusal || !resource) {
      const [code, reason, message] = refusal ?? [404, 'NotFound', 'the server could not find the requested resource'];
      this.#answers.status(response, code, reason, message);
      return;
    }
    if (preference === 'none' || (preference === 'only-protobuf' && !hasMessage(resource.kind))) {
      const types =
        hasMessage(resource.kind) && this.#options.protobuf !== 'refused'
          ? `${JSON_TYPE}, ${PROTOBUF_TYPE}`
          : JSON_TYPE;
      this.#answers.status(response, 406, 'NotAcceptable', `only the following media types are accepted: ${types}`);
      return;
    }
    if (verb === 'create') {
      this.#create(resource, request, response, fault);
      return;
    }
    try {
      const selected = this.#selection(resource, query);
      const matches: Matcher = (object) =>
        (namespace === undefined || object.metadata.namespace === namespace) && selected(object);
      const invalid = invalidOptions(verb, query, this.#options.watchList ?? 'served');
      if (invalid) {
        this.#answers.status(response, invalid.code, invalid.reason, invalid.message);
      } else if (verb === 'watch') {
        this.#watch(resource, matches, query, response, fault);
      } else {
        const compressed = /\bgzip\b/.test(request.headers['accept-encoding'] ?? '');
        this.#list(resource, matches, query, response, compressed, fault);
      }
    } catch (error) {
      if (!(error instanceof SelectorError)) {
        throw error;
      }
      this.#answers.status(response, 400, 'BadRequest', error.message);
    }
  }

  async #upgrade(request: IncomingMessage, socket: Socket): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://server');
    const query = url.searchParams;
    const [, namespace = '', pod = ''] = EXEC.exec(url.pathname) ?? [];
    const info: ApiRequestInfo = {
      resource: 'pods/exec',
      verb: 'create',
      query,
      encoding: 'json',
      index: this.requests.length,
      readsEtcd: false,
      authorization: request.headers.authorization,
      certificate: certificateName(request),
      acceptedCompression: request.headers['accept-encoding'],
    };
    this.requests.push(info);
    const resource = { name: 'pods/exec', kind: '', apiVersion: 'v1', group: '' };
    const missing: [number, string, string] = [404, 'NotFound', `pods "${pod}" not found`];
    const known = this.store.list('pods').some(({ metadata }) => metadata.name === pod);
    const refusal = this.#refusal(info, resource) ?? (known ? undefined : missing);
    if (refusal !== undefined) {
      const [code, reason, message] = refusal;
      const body = JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', reason, message, code });
      socket.end(`HTTP/1.1 ${code} ${reason}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
      return;
    }
    acceptWebSocket(request, socket);
    const command = query.getAll('command');
    const outcome = await this.onExec({ namespace, pod, container: query.get('container') ?? '', command });
    if (outcome === 'hang') {
      return;
    }
    if (outcome === 'reset') {
      resetConnection(socket);
      return;
    }
    sendExecOutcome(socket, outcome);
  }

  #create(
    resource: ServedResource,
    request: IncomingMessage,
    response: ServerResponse,
    fault: RequestFault | undefined,
  ): void {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => {
      body += text;
    });
    request.on('end', () => {
      if (!/^application\/json\b/.test(request.headers['content-type'] ?? '')) {
        // Lists and watches have protobuf; objects that are created have JSON only.
        const message =
          'the body of the request was in an unknown format - accepted media types include: application/json';
        this.#answers.status(response, 415, 'UnsupportedMediaType', message);
        return;
      }
      const object = readJson(body);
      if (object === undefined) {
        this.#answers.status(response, 400, 'BadRequest', 'the body of the request is not JSON');
        return;
      }
      if (resource === EVENT) {
        this.events.push(object);
        this.#answers.send(response, 201, JSON.stringify(object), undefined);
        return;
      }
      this.#answers.send(response, 201, JSON.stringify({ ...object, status: this.#reviewed(resource, object) }), fault);
    });
  }

  #reviewed({ kind }: ServedResource, { spec = {} }: CreatedObject): object {
    if (kind === 'TokenReview') {
      const user = this.users.get(spec.token ?? '');
      return user ? { authenticated: true, user } : { user: {}, error: '[invalid bearer token]' };
    }
    const { verb = '', path = '' } = spec.nonResourceAttributes ?? {};
    return { allowed: this.permissions.get(spec.user ?? '')?.has(`${verb} ${path}`) ?? false };
  }

  #refusal(info: ApiRequestInfo, resource: ServedResource | undefined): [number, string, string] | undefined {
    const token = info.authorization?.startsWith('Bearer ') ? info.authorization.slice(7) : undefined;
    if (token !== undefined && this.tokens && !this.tokens.has(token)) {
      return [401, 'Unauthorized', 'Unauthorized'];
    }
    const anonymous = this.tokens !== undefined && token === undefined && info.certificate === undefined;
    if (resource && (anonymous || this.forbidden.has(resource.name))) {
      const user = anonymous ? 'system:anonymous' : (info.certificate ?? 'system:kube-proxy');
      return [
        403,
        'Forbidden',
        `${resource.name}${resource.group === '' ? '' : `.${resource.group}`} is forbidden: User "${user}" cannot ` +
          `${info.verb} resource "${resource.name}" in API group "${resource.group}" at the cluster scope`,
      ];
    }
    // As in a real server, authorization comes first.
    if (resource && this.#options.unknownResources?.includes(resource.name)) {
      return [404, 'NotFound', 'the server could not find the requested resource'];
    }
    return undefined;
  }

  /** The resources of a group in one version (discovery); undefined for other paths, and where the group has none. */
  #discovered(path: string): object | undefined {
    const resources = [...this.#resources].flatMap(([at, { kind, name }]) =>
      at === `${path}/${name}` && !this.#options.unknownResources?.includes(name) ? [{ name, kind }] : [],
    );
    const groupVersion = path.replace(/^\/apis?\//, '');
    return resources.length === 0 ? undefined : { kind: 'APIResourceList', apiVersion: 'v1', groupVersion, resources };
  }

  #selection(resource: ServedResource, query: URLSearchParams): Matcher {
    const fieldSelector = query.get('fieldSelector') ?? '';
    for (const label of this.#options.refuseFieldLabels ?? []) {
      if (fieldSelector.includes(label)) {
        throw new SelectorError(`field label not supported: ${label}`);
      }
    }
    const byLabel = parseLabelSelector(query.get('labelSelector') ?? '');
    const byField = parseFieldSelector(fieldSelector, resource.name);
    return (object) => byLabel(object) && byField(object);
  }

  #list(
    resource: ServedResource,
    matches: Matcher,
    query: URLSearchParams,
    response: ServerResponse,
    compressed: boolean,
    fault: RequestFault | undefined,
  ): void {
    if (fault?.kind === 'endless' || fault?.kind === 'endless-page') {
      this.#listWithoutEnd(resource, this.store.currentVersion, fault, response);
      return;
    }
    const since = query.get('resourceVersion') ?? '';
    if (Number(since) > this.store.cachedVersion) {
      this.#awaitVersion(Number(since), response, () => {
        this.#list(resource, matches, query, response, compressed, fault);
      });
      return;
    }
    // As a real server: from the watch cache the whole list is sent at once.
    const fromCache = since !== '' && (this.#options.watchCache ?? true);
    const limit = fromCache && since === '0' ? 0 : Number(query.get('limit') ?? 0);
    const text = query.get('continue') ?? '';
    const token = text === '' ? undefined : decodeToken(text);
    if (text !== '' && !token) {
      this.#answers.status(response, 400, 'BadRequest', 'invalid continue token: continue key is not valid');
      return;
    }
    const fresh = !token || token.rv < 0;
    const snapshot = fromCache
      ? this.store.cached(resource.name)
      : fresh
        ? this.store.snapshot(resource.name)
        : this.store.snapshotAt(resource.name, token.rv);
    if (!snapshot) {
      const message =
        'The provided continue parameter is too old to display a consistent list result. You can start a new list ' +
        'without the continue parameter, or use the continue token in this response to retrieve the remainder of the results.';
      const again = encodeToken({ rv: -1, start: token?.start ?? '' });
      this.#answers.status(response, 410, 'Expired', message, { continue: again });
      return;
    }
    const path = new URL(response.req.url ?? '/', 'http://server').pathname;
    const objects = this.#matching(
      snapshot,
      matches,
      [path, query.get('labelSelector'), query.get('fieldSelector')].join(' '),
    );
    const begin = token === undefined ? 0 : firstAfter(objects, token.start);
    const items = objects.slice(begin, limit > 0 ? begin + limit : undefined);
    const last = items.at(-1);
    const left = objects.length - begin - items.length;
    const version = fault?.kind === 'stale' ? snapshot.version - fault.versions : snapshot.version;
    const metadata = {
      resourceVersion: String(version),
      ...(left > 0 && last
        ? { continue: encodeToken({ rv: snapshot.version, start: nameOf(last) }), remainingItemCount: left }
        : {}),
    };
    this.#answers.send(response, 200, this.#answers.list(resource, metadata, items, response), fault, compressed);
  }

  /**
   * The objects of a snapshot that match. Cached, as pages of a list are of one snapshot.
   *
   * @param selection cache key of `matches`
   */
  #matching(snapshot: StoreSnapshot, matches: Matcher, selection: string): readonly ApiObject[] {
    const known = this.#matched.get(snapshot) ?? new Map<string, readonly ApiObject[]>();
    this.#matched.set(snapshot, known);
    const objects = known.get(selection) ?? snapshot.objects.filter(matches);
    known.set(selection, objects);
    return objects;
  }

  /** As a real server: waits 3 s until the watch cache has the version. */
  #awaitVersion(version: number, response: ServerResponse, then: () => void): void {
    const timer = this.#clock.setTimer(CACHE_PATIENCE, () => {
      unsubscribe();
      const message = `Timeout: Too large resource version: ${version}, current: ${this.store.cachedVersion}`;
      const causes = [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }];
      this.#answers.status(response, 504, 'Timeout', message, {}, 1, { causes });
    });
    const unsubscribe = this.store.onChange(() => {
      if (this.store.cachedVersion >= version) {
        unsubscribe();
        timer.cancel();
        then();
      }
    });
    response.on('close', () => {
      unsubscribe();
      timer.cancel();
    });
  }

  #listWithoutEnd(
    resource: ServedResource,
    version: number,
    fault: Extract<RequestFault, { readonly kind: 'endless' | 'endless-page' }>,
    response: ServerResponse,
  ): void {
    const { kind, apiVersion } = resource;
    const made = (name: string) => ({
      metadata: { name, namespace: 'endless', resourceVersion: '1' },
      spec: { clusterIP: '10.96.0.9', ports: [{ port: 80 }] },
    });
    const resourceVersion = String(version);
    if (fault.kind === 'endless') {
      const inProtobuf = this.#answers.isInProtobuf(response, kind);
      response.writeHead(200, { 'Content-Type': inProtobuf ? PROTOBUF_TYPE : JSON_TYPE });
      response.write(
        inProtobuf
          ? beginEndlessList(apiVersion, kind, { resourceVersion })
          : `${JSON.stringify({ kind: `${kind}List`, apiVersion, metadata: { resourceVersion } }).slice(0, -1)},"items":[`,
      );
      endlessly(response, () => {
        const object = made(`x-${++this.#inventions}`);
        return inProtobuf ? encodeItem(encodeMessage(kind, object)) : Buffer.from(`${JSON.stringify(object)},`);
      });
      return;
    }
    const items = Array.from({ length: fault.objects }, (_, index) =>
      made(`x-${fault.names === 'same' ? index : ++this.#inventions}`),
    );
    // A new token for each page; earlier ones are invalid.
    const token = encodeToken({ rv: version + 1e9, start: `~${++this.#inventions}` });
    const metadata = { resourceVersion, continue: token };
    this.#answers.send(response, 200, this.#answers.list(resource, metadata, items, response), undefined);
  }

  #watch(
    resource: ServedResource,
    matches: Matcher,
    query: URLSearchParams,
    response: ServerResponse,
    fault: RequestFault | undefined,
  ): void {
    const encoding = (this.#answers.isInProtobuf(response, resource.kind) ? protobufWatch : jsonWatch)(
      resource,
      this.#encoder,
    );
    response.writeHead(200, { 'Cache-Control': 'no-cache, private', 'Content-Type': encoding.mediaType });
    response.flushHeaders();
    const stream = new WatchStream({
      resource: resource.name,
      encoding,
      matches,
      store: this.store,
      response,
      clock: this.#clock,
      timeout: Number(query.get('timeoutSeconds') ?? 1800) * 1000,
      bookmarkInterval:
        query.get('allowWatchBookmarks') === 'true' ? (this.#options.bookmarkInterval ?? 60_000) : undefined,
      sendInitialEvents: query.get('sendInitialEvents') === 'true' && this.#options.watchList !== 'ignored',
      staleBy: fault?.kind === 'stale' ? fault.versions : undefined,
      cutAfter: fault?.kind === 'cut-initial-events' ? fault.events : undefined,
    });
    this.#watches.add(stream);
    response.on('close', () => {
      this.#watches.delete(stream);
      stream.end();
    });
    if (fault?.kind === 'gone') {
      stream.disturb('gone');
    } else {
      stream.begin(query.get('resourceVersion') ?? '');
    }
  }
}

interface CreatedObject extends Readonly<Record<string, unknown>> {
  readonly spec?: {
    readonly token?: string;
    readonly user?: string;
    readonly nonResourceAttributes?: { readonly verb?: string; readonly path?: string };
  };
}

function certificateName(request: IncomingMessage): string | undefined {
  const { socket } = request;
  if (!(socket instanceof TLSSocket) || !socket.authorized) {
    return undefined;
  }
  const name: string | string[] | undefined = socket.getPeerCertificate().subject?.CN;
  return typeof name === 'string' ? name : name?.[0];
}

function nameOf(object: ApiObject): string {
  const { namespace, name } = object.metadata;
  return namespace === undefined ? name : `${namespace}/${name}`;
}

/** The index of the first object after one of this name, in a list in the order of names. */
function firstAfter(objects: readonly ApiObject[], name: string): number {
  let [low, high] = [0, objects.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const object = objects[middle];
    if (object !== undefined && nameOf(object) > name) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

function readJson(text: string): CreatedObject | undefined {
  try {
    return JSON.parse(text) as CreatedObject;
  } catch {
    return undefined;
  }
}
