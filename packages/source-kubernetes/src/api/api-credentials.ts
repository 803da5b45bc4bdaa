import { readFile } from 'node:fs/promises';
import type { Agent } from 'node:http';
import { isIPv6 } from 'node:net';
import { dirname, join } from 'node:path';
import { type Clock, isRecord, messageOf, printable } from '@kube-proxier/core';
import { type ExecCredential, runExecPlugin } from './exec-plugin.js';
import { type KubeconfigContext, type Material, parseKubeconfig, parseServer } from './kubeconfig.js';
import { KubernetesError } from './kubernetes-error.js';

/** Connection settings and credentials of one request. */
export interface RequestCredentials {
  /** The base URL, including any path prefix of the server. */
  readonly server: URL;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly tls: {
    readonly ca?: Buffer;
    readonly cert?: Buffer | string;
    readonly key?: Buffer | string;
    readonly servername?: string;
    readonly rejectUnauthorized?: boolean;
  };
  /** Whether answers may be compressed. */
  readonly compression: boolean;
  /** Agent for the connections (a proxy), instead of the client's own. */
  readonly agent: Agent | undefined;
}

/** Credentials for an API server. */
export interface ApiCredentials {
  /** Name of the API server for log lines; known after the first `get`. */
  readonly server: string;
  /**
   * The settings of the next request: files are read for each request, so that tokens and certificates may rotate.
   *
   * @throws KubernetesError when they cannot be read.
   */
  get(signal: AbortSignal): Promise<RequestCredentials>;
  /** The server rejected the credentials: cached ones are discarded. */
  refused(): void;
}

/** Where to read credentials from. */
export interface CredentialOptions {
  /** Path of a kubeconfig file. Default: in-cluster, unless `master` is given. */
  readonly kubeconfig?: string;
  /** URL of the API server, instead of the kubeconfig's. */
  readonly master?: string;
  /** Context of the kubeconfig. Default: its current context. */
  readonly context?: string;
  /** Environment variables. Default: those of this process. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Directory of the pod's token and CA. Default `/var/run/secrets/kubernetes.io/serviceaccount`. */
  readonly serviceAccountDirectory?: string;
  /** Loads the optional peer. Default: an import of it. */
  readonly importClientNode?: () => Promise<ClientNode>;
  readonly clock: Clock;
}

const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';
/** Plug-in credentials are renewed this many milliseconds before they expire. */
const RENEW_EARLY = 10_000;

const NOTHING: KubeconfigContext = {
  server: '',
  ca: {},
  skipTlsVerify: false,
  tlsServerName: undefined,
  proxyUrl: undefined,
  disableCompression: false,
  certificate: {},
  key: {},
  token: undefined,
  tokenFile: undefined,
  basic: undefined,
  impersonate: {},
  exec: undefined,
  authProvider: undefined,
};

/**
 * Selects the credentials as kube-proxy does: a kubeconfig, a server URL only, or the pod's service account (spec
 * C-82).
 */
export function createApiCredentials(options: CredentialOptions): ApiCredentials {
  const { kubeconfig = '', master = '', environment = process.env } = options;
  if (kubeconfig !== '') {
    return new ContextCredentials(options, kubeconfigReader(kubeconfig, options.context), 'the kubeconfig');
  }
  if (master !== '') {
    return new ContextCredentials(options, async () => NOTHING, 'master');
  }
  const inCluster = inClusterContext(environment, options.serviceAccountDirectory ?? SERVICE_ACCOUNT);
  return new ContextCredentials(options, async () => inCluster(), 'in-cluster');
}

/** Reads the file each time, and parses it when its text changed; after a valid version, an invalid one is ignored. */
function kubeconfigReader(path: string, contextName: string | undefined): () => Promise<KubeconfigContext> {
  let last: { readonly text: string; readonly context: KubeconfigContext } | undefined;
  return async () => {
    try {
      const text = await readFile(path, 'utf8').catch((error: unknown) => {
        const missing = isRecord(error) && error.code === 'ENOENT';
        throw new KubernetesError(
          missing ? 'KUBECONFIG_NOT_FOUND' : 'KUBECONFIG_UNREADABLE',
          `the kubeconfig cannot be read: ${printable(messageOf(error))}; give the path of one that this user can read`,
          { cause: error },
        );
      });
      if (last?.text !== text) {
        last = { text, context: parseKubeconfig(text, path, dirname(path), contextName) };
      }
    } catch (error) {
      if (!last) {
        throw error;
      }
    }
    return last.context;
  };
}

function inClusterContext(
  environment: Readonly<Record<string, string | undefined>>,
  directory: string,
): () => KubeconfigContext {
  return () => {
    const host = environment.KUBERNETES_SERVICE_HOST ?? '';
    const port = environment.KUBERNETES_SERVICE_PORT ?? '';
    if (host === '' || port === '') {
      throw new KubernetesError(
        'NOT_IN_CLUSTER',
        'KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set, so this process does not run in a pod; set a kubeconfig',
      );
    }
    return {
      ...NOTHING,
      server: `https://${isIPv6(host) ? `[${host}]` : host}:${port}`,
      ca: { file: join(directory, 'ca.crt') },
      tokenFile: join(directory, 'token'),
    };
  };
}

class ContextCredentials implements ApiCredentials {
  server = 'the API server';
  #execCredential: { readonly of: KubeconfigContext['exec']; readonly value: ExecCredential } | undefined;
  #execRunning: Promise<ExecCredential> | undefined;
  #foreign: { readonly of: KubeconfigContext; readonly config: ForeignConfig } | undefined;

  constructor(
    private readonly options: CredentialOptions,
    private readonly readContext: () => Promise<KubeconfigContext>,
    private readonly origin: string,
  ) {}

  async get(signal: AbortSignal): Promise<RequestCredentials> {
    const context = await this.readContext();
    const { master = '' } = this.options;
    const text = master === '' ? context.server : master;
    if (text === '') {
      throw new KubernetesError('KUBECONFIG_INVALID', `${this.origin} names no server; give one, or its URL as master`);
    }
    const server = parseServer(text, master === '' ? this.origin : 'master');
    this.server = `the API server ${server.origin}`;

    const [ca, cert, key, token] = await Promise.all([
      read(context.ca, 'CA certificate'),
      read(context.certificate, 'client certificate'),
      read(context.key, 'client key'),
      context.tokenFile === undefined ? context.token : readToken(context.tokenFile, context.token),
    ]);
    const headers: Record<string, string | readonly string[]> = { ...context.impersonate };
    if (token !== undefined) {
      headers.Authorization = `Bearer ${token}`;
    } else if (context.basic) {
      const { username, password } = context.basic;
      headers.Authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
    }
    const tls: { -readonly [K in keyof RequestCredentials['tls']]: RequestCredentials['tls'][K] } = {
      ...(ca ? { ca } : {}),
      ...(cert ? { cert } : {}),
      ...(key ? { key } : {}),
      ...(context.tlsServerName === undefined ? {} : { servername: context.tlsServerName }),
      ...(context.skipTlsVerify ? { rejectUnauthorized: false } : {}),
    };
    if (context.exec) {
      const credential = await this.#fromPlugin(context, server, ca, signal);
      if (credential.token !== undefined) {
        headers.Authorization = `Bearer ${credential.token}`;
      }
      if (credential.certificate !== undefined && credential.key !== undefined) {
        tls.cert = credential.certificate;
        tls.key = credential.key;
      }
    }
    let agent: Agent | undefined;
    if (context.authProvider || context.proxyUrl !== undefined) {
      const foreign = await this.#fromClientNode(context, server, tls);
      Object.assign(headers, foreign.headers);
      agent = foreign.agent;
    }
    return { server, headers, tls, compression: !context.disableCompression, agent };
  }

  refused(): void {
    this.#execCredential = undefined;
    this.#foreign = undefined;
  }

  /** One run at a time, whose result is used for all requests until it expires. */
  async #fromPlugin(
    context: KubeconfigContext,
    server: URL,
    ca: Buffer | undefined,
    signal: AbortSignal,
  ): Promise<ExecCredential> {
    const { exec } = context;
    if (!exec) {
      throw new KubernetesError('EXEC_PLUGIN_FAILED', 'no credential plug-in is configured');
    }
    const known = this.#execCredential;
    const now = this.options.clock.now();
    if (known && known.of === exec && (known.value.expires === undefined || known.value.expires - RENEW_EARLY > now)) {
      return known.value;
    }
    const cluster = {
      server: server.href,
      ...(context.tlsServerName === undefined ? {} : { 'tls-server-name': context.tlsServerName }),
      ...(context.skipTlsVerify ? { 'insecure-skip-tls-verify': true } : {}),
      ...(ca ? { 'certificate-authority-data': ca.toString('base64') } : {}),
    };
    this.#execRunning ??= runExecPlugin(exec, cluster, signal).finally(() => {
      this.#execRunning = undefined;
    });
    const value = await this.#execRunning;
    this.#execCredential = { of: exec, value };
    return value;
  }

  /** @throws KubernetesError `CLIENT_NODE_MISSING` when it is not installed. */
  async #clientNode({ proxyUrl }: KubeconfigContext): Promise<ClientNode> {
    const { importClientNode = () => import('@kubernetes/client-node') } = this.options;
    try {
      return await importClientNode();
    } catch (error) {
      const field = proxyUrl === undefined ? 'auth-provider' : 'proxy-url';
      throw new KubernetesError(
        'CLIENT_NODE_MISSING',
        `the kubeconfig has ${field}, which needs the package @kubernetes/client-node; run npm install @kubernetes/client-node (${messageOf(error)})`,
        { cause: error },
      );
    }
  }

  /** Legacy providers and proxies are left to client-node. It is loaded only here: it takes 70 MB. */
  async #fromClientNode(
    context: KubeconfigContext,
    server: URL,
    tls: RequestCredentials['tls'],
  ): Promise<{ readonly headers: Record<string, string>; readonly agent: Agent | undefined }> {
    if (this.#foreign?.of !== context) {
      const { KubeConfig } = await this.#clientNode(context);
      const config = new KubeConfig();
      const cluster = {
        name: 'cluster',
        server: server.href,
        skipTLSVerify: context.skipTlsVerify,
        ...(context.proxyUrl === undefined ? {} : { proxyUrl: context.proxyUrl }),
      };
      const user = { name: 'user', ...(context.authProvider ? { authProvider: context.authProvider } : {}) };
      config.loadFromClusterAndUser(cluster, user);
      this.#foreign = { of: context, config };
    }
    const request: ForeignRequest = {
      headers: {},
      ...(tls.ca ? { ca: tls.ca } : {}),
      ...(tls.cert ? { cert: tls.cert } : {}),
      ...(tls.key ? { key: tls.key } : {}),
      ...(tls.servername === undefined ? {} : { servername: tls.servername }),
    };
    await this.#foreign.config.applyToHTTPSOptions(request);
    const headers: Record<string, string> = {};
    for (const [name, value] of Object.entries(request.headers ?? {})) {
      headers[name] = String(value);
    }
    const { agent } = request;
    return { headers, agent: context.proxyUrl !== undefined && typeof agent === 'object' ? agent : undefined };
  }
}

/** The part of client-node in use. Not its own types: they must not be needed where it is not installed. */
interface ClientNode {
  readonly KubeConfig: new () => ForeignConfig;
}

interface ForeignConfig {
  loadFromClusterAndUser(cluster: object, user: object): void;
  applyToHTTPSOptions(options: ForeignRequest): Promise<void>;
}

/** Options of `https.request` that client-node sets. */
interface ForeignRequest {
  headers?: Record<string, unknown>;
  agent?: Agent | boolean;
  ca?: Buffer;
  cert?: Buffer | string;
  key?: Buffer | string;
  servername?: string;
}

async function read({ data, file }: Material, what: string): Promise<Buffer | undefined> {
  if (file === undefined) {
    return data;
  }
  return readFile(file).catch((error: unknown) => {
    throw unreadable(what, error);
  });
}

/** As in client-go: while the file cannot be read, the token in the kubeconfig is used. */
async function readToken(file: string, inPlace: string | undefined): Promise<string> {
  try {
    const token = (await readFile(file, 'utf8')).trim();
    if (token === '') {
      throw new Error(`${file} is empty`);
    }
    return token;
  } catch (error) {
    if (inPlace !== undefined) {
      return inPlace;
    }
    throw unreadable('token', error);
  }
}

function unreadable(what: string, error: unknown): KubernetesError {
  return new KubernetesError(
    'CREDENTIALS_UNREADABLE',
    `the ${what} cannot be read: ${printable(messageOf(error))}; the configuration of the API server refers to it`,
    { cause: error },
  );
}
