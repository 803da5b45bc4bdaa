import { type ChildProcess, spawn } from 'node:child_process';
import { createPrivateKey, generateKeyPairSync, sign } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { type Agent, request as httpsRequest } from 'node:https';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ApiObject } from './api-object.js';
import { TestCertificateAuthority } from './test-certificates.js';

/** Programs of a real API server. */
export interface ApiServerPrograms {
  /** Path of `kube-apiserver`. */
  readonly apiServer: string;
  /** Path of `etcd`. */
  readonly etcd: string;
}

export interface ApiServerProcessOptions extends ApiServerPrograms {
  /** Command that starts both programs, such as one that enters a network namespace. Default: none. */
  readonly prefix?: readonly string[];
  /** Sends a request. Default: from this process, which does not work for another network namespace. */
  readonly send?: (request: ApiServerRequest) => Promise<ApiServerResponse>;
}

export interface ApiServerRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** PEM of the authority that signed the server's certificate; undefined for plain HTTP. */
  readonly authority?: string;
}

export interface ApiServerResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: string;
}

/** Claims of a service account token. */
export interface TokenRequest {
  readonly namespace: string;
  readonly name: string;
  /** Seconds from now. */
  readonly expiresIn: number;
}

/** API paths by resource. */
const COLLECTIONS: Readonly<Record<string, readonly [group: string, isNamespaced: boolean]>> = {
  namespaces: ['/api/v1', false],
  services: ['/api/v1', true],
  nodes: ['/api/v1', false],
  serviceaccounts: ['/api/v1', true],
  endpointslices: ['/apis/discovery.k8s.io/v1', true],
  events: ['/apis/events.k8s.io/v1', true],
  servicecidrs: ['/apis/networking.k8s.io/v1', false],
  clusterroles: ['/apis/rbac.authorization.k8s.io/v1', false],
  clusterrolebindings: ['/apis/rbac.authorization.k8s.io/v1', false],
};

/** Objects written to etcd at once; etcd's limit is 128. */
const WRITTEN_AT_ONCE = 100;

const YAML = 'application/yaml';
/** Token of a member of `system:masters`, in a kubeconfig for {@link ApiServerProcess}. */
export const ADMINISTRATOR_TOKEN = 'administrator';
const ISSUER = 'https://kubernetes.default.svc';
/** Milliseconds; the first start writes the built-in roles. */
const START_TIMEOUT = 180_000;
const POLL_INTERVAL = 100;

/** Paths of the programs of a real API server, from `KUBE_APISERVER` and `ETCD`; undefined when one is missing. */
export function apiServerPrograms(environment: NodeJS.ProcessEnv = process.env): ApiServerPrograms | undefined {
  const { KUBE_APISERVER: apiServer = '', ETCD: etcd = '' } = environment;
  return apiServer === '' || etcd === '' ? undefined : { apiServer, etcd };
}

/**
 * A real API server with its etcd, on free ports of the loopback address: RBAC, service account tokens signed by the
 * test, TLS by an authority of the test. Its objects are deleted when it is stopped.
 */
export class ApiServerProcess {
  readonly authority = new TestCertificateAuthority();
  readonly #directory = mkdtempSync(join(tmpdir(), 'api-server-'));
  readonly #signer = generateKeyPairSync('rsa', { modulusLength: 2048 });
  readonly #options: ApiServerProcessOptions;
  #etcd: ChildProcess | undefined;
  #apiServer: ChildProcess | undefined;
  #ports: readonly [etcd: number, peers: number, api: number] = [0, 0, 0];
  #log = '';

  private constructor(options: ApiServerProcessOptions) {
    this.#options = options;
  }

  /** Starts both programs, and waits until the server is ready. */
  static async start(options: ApiServerProcessOptions): Promise<ApiServerProcess> {
    const server = new ApiServerProcess(options);
    try {
      await server.#prepare();
      await server.startEtcd();
      await server.startServer();
      return server;
    } catch (error) {
      await server.stop();
      throw error;
    }
  }

  /** Without a trailing slash. */
  get url(): string {
    return `https://127.0.0.1:${this.#ports[2]}`;
  }

  /** What the server logged since its last start. */
  get log(): string {
    return this.#log;
  }

  async startEtcd(): Promise<void> {
    const [client, peers] = this.#ports;
    this.#etcd = this.#spawn(this.#options.etcd, [
      `--data-dir=${join(this.#directory, 'etcd')}`,
      `--listen-client-urls=http://127.0.0.1:${client}`,
      `--advertise-client-urls=http://127.0.0.1:${client}`,
      `--listen-peer-urls=http://127.0.0.1:${peers}`,
      `--initial-advertise-peer-urls=http://127.0.0.1:${peers}`,
      `--initial-cluster=default=http://127.0.0.1:${peers}`,
      '--unsafe-no-fsync',
      '--log-level=error',
    ]);
    await this.#until(this.#etcd, async () => (await this.#etcdRequest('/v3/maintenance/status', {})).status === 200);
  }

  /** Starts the server, and waits until it is ready. */
  async startServer(): Promise<void> {
    const file = (name: string) => join(this.#directory, name);
    this.#log = '';
    this.#apiServer = this.#spawn(this.#options.apiServer, [
      `--etcd-servers=http://127.0.0.1:${this.#ports[0]}`,
      '--etcd-compaction-interval=0',
      `--secure-port=${this.#ports[2]}`,
      '--bind-address=127.0.0.1',
      '--advertise-address=127.0.0.1',
      '--endpoint-reconciler-type=none',
      `--cert-dir=${this.#directory}`,
      `--tls-cert-file=${file('server.crt')}`,
      `--tls-private-key-file=${file('server.key')}`,
      `--token-auth-file=${file('tokens.csv')}`,
      `--service-account-issuer=${ISSUER}`,
      `--service-account-key-file=${file('signer.pub')}`,
      `--service-account-signing-key-file=${file('signer.key')}`,
      '--allow-privileged=true',
      '--authorization-mode=RBAC',
      '--service-cluster-ip-range=10.96.0.0/12,fd00:96::/112',
      '--disable-admission-plugins=ServiceAccount',
    ]);
    await this.#until(this.#apiServer, async () => (await this.request('GET', '/readyz')).status === 200);
  }

  /** Kills the server; its objects stay in etcd. */
  async stopServer(): Promise<void> {
    await end(this.#apiServer);
    this.#apiServer = undefined;
  }

  /** Ends both programs, and removes everything. Idempotent. */
  async stop(): Promise<void> {
    await this.stopServer();
    await end(this.#etcd);
    this.#etcd = undefined;
    rmSync(this.#directory, { recursive: true, force: true });
  }

  /**
   * Sends a request.
   *
   * @param body an object, or YAML.
   * @param token default: that of an administrator; null for none.
   */
  request(
    method: string,
    path: string,
    body?: unknown,
    token: string | null = ADMINISTRATOR_TOKEN,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<ApiServerResponse> {
    return this.#send({
      ...{ method, url: `${this.url}${path}`, authority: this.authority.certificate },
      headers: {
        ...(token === null ? {} : { Authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'Content-Type': typeof body === 'string' ? YAML : 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
  }

  /**
   * Creates the objects of manifests, one in each file.
   *
   * @param files paths.
   * @throws Error when one is refused.
   */
  async create(files: readonly string[], namespace: string): Promise<void> {
    for (const file of files) {
      const yaml = readFileSync(file, 'utf8');
      const [, kind = ''] = /^kind: (\w+)$/m.exec(yaml) ?? [];
      await this.#write('POST', collection(`${kind.toLowerCase()}s`, namespace), yaml);
    }
  }

  /**
   * A kubeconfig, as text.
   *
   * @param user credentials: `{ token }` or `{ tokenFile }`.
   * @param url default: that of the server.
   */
  kubeconfig(user: Readonly<Record<string, string>>, url = this.url): string {
    const authority = Buffer.from(this.authority.certificate).toString('base64');
    return JSON.stringify({
      ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'c' },
      clusters: [{ name: 'c', cluster: { server: url, 'certificate-authority-data': authority } }],
      users: [{ name: 'u', user }],
      contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
    });
  }

  /** Creates an object, or replaces the one of the same name. Its status, too, where the resource has one. */
  async put(resource: string, object: ApiObject): Promise<ApiObject> {
    const { name, namespace } = object.metadata;
    const one = `${collection(resource, namespace)}/${name}`;
    const current = await this.request('GET', one);
    const exists = current.status === 200;
    const { metadata, spec } = exists ? (JSON.parse(current.body) as ApiObject) : { metadata: {}, spec: {} };
    const next = exists
      ? {
          ...object,
          metadata: { ...object.metadata, resourceVersion: (metadata as ApiObject['metadata']).resourceVersion },
          ...(object.spec === undefined ? {} : { spec: { ...(spec as object), ...(object.spec as object) } }),
        }
      : object;
    const written = await this.#write(exists ? 'PUT' : 'POST', exists ? one : collection(resource, namespace), next);
    return object.status === undefined || resource !== 'nodes'
      ? written
      : this.#write('PUT', `${one}/status`, { ...written, status: object.status });
  }

  async delete(resource: string, name: string, namespace?: string): Promise<void> {
    const { status, body } = await this.request('DELETE', `${collection(resource, namespace)}/${name}`);
    if (status >= 300) {
      throw new Error(`DELETE ${resource} ${name}: ${status} ${body}`);
    }
  }

  /** Names of all objects, as `namespace/name`. */
  async names(resource: string): Promise<readonly string[]> {
    const { body } = await this.request('GET', collection(resource, undefined));
    return (JSON.parse(body) as { items: ApiObject[] }).items
      .map(({ metadata }) => `${metadata.namespace ?? ''}/${metadata.name}`)
      .sort();
  }

  /**
   * Writes objects to etcd, as the server stores them: thousands a second. The server sets no default, allocates nothing, and does not
   * validate them, so they have to be complete, with a uid and a time of creation. It must not run meanwhile.
   *
   * @param objects by the key in etcd without the prefix, such as `services/specs/default/web`. Each has `apiVersion` and `kind`.
   * @throws Error when etcd refuses them.
   */
  async store(objects: Iterable<readonly [key: string, object: object]>): Promise<void> {
    const base64 = (text: string) => Buffer.from(text).toString('base64');
    let success: object[] = [];
    const write = async () => {
      const { status, body } = await this.#etcdRequest('/v3/kv/txn', { success });
      if (status !== 200) {
        throw new Error(`objects were not written to etcd: ${status} ${body}`);
      }
      success = [];
    };
    for (const [key, object] of objects) {
      success.push({ requestPut: { key: base64(`/registry/${key}`), value: base64(JSON.stringify(object)) } });
      if (success.length === WRITTEN_AT_ONCE) {
        await write();
      }
    }
    if (success.length > 0) {
      await write();
    }
  }

  /** Compacts etcd: versions before the current one cannot be watched or listed. */
  async compact(): Promise<void> {
    const { body } = await this.#etcdRequest('/v3/kv/range', { key: Buffer.from('/').toString('base64') });
    const { revision } = (JSON.parse(body) as { header: { revision: string } }).header;
    const { status, body: answer } = await this.#etcdRequest('/v3/kv/compaction', { revision, physical: true });
    if (status !== 200) {
      throw new Error(`compaction of etcd: ${status} ${answer}`);
    }
  }

  /** A token of an existing service account, signed by the key of the server. */
  async token({ namespace, name, expiresIn }: TokenRequest): Promise<string> {
    const { body } = await this.request('GET', `${collection('serviceaccounts', namespace)}/${name}`);
    const { uid } = (JSON.parse(body) as ApiObject).metadata;
    const now = Math.floor(Date.now() / 1000);
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const text = `${part({ alg: 'RS256', typ: 'JWT' })}.${part({
      ...{ iss: ISSUER, aud: [ISSUER], sub: `system:serviceaccount:${namespace}:${name}` },
      ...{ iat: now, nbf: now - 1, exp: now + expiresIn },
      'kubernetes.io': { namespace, serviceaccount: { name, uid } },
    })}`;
    const signature = sign('sha256', Buffer.from(text), createPrivateKey(this.#pem()));
    return `${text}.${signature.toString('base64url')}`;
  }

  #pem(): string {
    return this.#signer.privateKey.export({ type: 'pkcs1', format: 'pem' }).toString();
  }

  async #prepare(): Promise<void> {
    // In another network namespace all ports are free.
    this.#ports = [await freePort(), await freePort(), await freePort()];
    const { certificate, key } = this.authority.issue({ commonName: 'api', hosts: ['127.0.0.1'], use: 'server' });
    const files = {
      'server.crt': certificate,
      'server.key': key,
      'signer.key': this.#pem(),
      'signer.pub': this.#signer.publicKey.export({ type: 'spki', format: 'pem' }).toString(),
      'tokens.csv': `${ADMINISTRATOR_TOKEN},administrator,administrator,system:masters\n`,
    };
    for (const [name, text] of Object.entries(files)) {
      writeFileSync(join(this.#directory, name), text, { mode: 0o600 });
    }
  }

  #spawn(program: string, flags: readonly string[]): ChildProcess {
    const [command = program, ...rest] = [...(this.#options.prefix ?? []), program, ...flags];
    const child = spawn(command, rest, { stdio: ['ignore', 'ignore', 'pipe'] });
    child.on('error', (error) => {
      this.#log += `${error.message}\n`;
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#log = `${this.#log}${text}`.slice(-100_000);
    });
    return child;
  }

  #send(request: ApiServerRequest): Promise<ApiServerResponse> {
    return (this.#options.send ?? sendApiRequest)(request);
  }

  #etcdRequest(path: string, body: object): Promise<ApiServerResponse> {
    const url = `http://127.0.0.1:${this.#ports[0]}${path}`;
    return this.#send({ method: 'POST', url, headers: {}, body: JSON.stringify(body) });
  }

  async #write(method: string, path: string, object: object | string): Promise<ApiObject> {
    const { status, body } = await this.request(method, path, object);
    if (status >= 300) {
      throw new Error(`${method} ${path}: ${status} ${body}`);
    }
    return JSON.parse(body) as ApiObject;
  }

  async #until(child: ChildProcess, isReady: () => Promise<boolean>): Promise<void> {
    const deadline = performance.now() + START_TIMEOUT;
    while (!(await isReady().catch(() => false))) {
      if (child.exitCode !== null || child.pid === undefined || performance.now() > deadline) {
        throw new Error(`${child.spawnfile} did not get ready:\n${this.#log.slice(-4000)}`);
      }
      await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL));
    }
  }
}

/**
 * Sends a request from the network namespace of this process.
 *
 * @param agent whose connections are used, for a server with TLS. Default: Node's own.
 */
export function sendApiRequest(
  { url, method, headers, body, authority }: ApiServerRequest,
  agent?: Agent,
): Promise<ApiServerResponse> {
  const begin = authority === undefined ? httpRequest : httpsRequest;
  return new Promise((resolve, reject) => {
    const request = begin(
      url,
      { method, headers, ...(authority === undefined ? {} : { ca: authority, ...(agent ? { agent } : {}) }) },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.once('error', reject);
        response.once('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: Buffer.concat(chunks).toString('utf8'),
          }),
        );
      },
    );
    request.once('error', reject);
    request.end(body);
  });
}

function collection(resource: string, namespace: string | undefined): string {
  const [group, isNamespaced] = COLLECTIONS[resource] ?? ['', false];
  return isNamespaced && namespace !== undefined
    ? `${group}/namespaces/${namespace}/${resource}`
    : `${group}/${resource}`;
}

/** A port of the loopback address that nothing listens on now. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

async function end(child: ChildProcess | undefined): Promise<void> {
  if (child?.pid !== undefined && child.exitCode === null && child.signalCode === null) {
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }
}
