import { isAbsolute, join } from 'node:path';
import {
  isRecord,
  isText,
  nestingOfText,
  printable,
  printableValue,
  type UnknownRecord,
  yamlBoolean,
} from '@kube-proxier/core';
import { parse } from 'yaml';
import { KubernetesError } from './kubernetes-error.js';

/** Inline data or a path. */
export interface Material {
  /** Absolute, or relative to the working directory. */
  readonly file?: string;
  /** Decoded. */
  readonly data?: Buffer;
}

/** A program that provides credentials (`user.exec`). */
export interface ExecPlugin {
  readonly apiVersion: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly installHint: string;
  /** The plug-in requests the cluster information (`KUBERNETES_EXEC_INFO`). */
  readonly provideClusterInfo: boolean;
}

/** How to reach an API server: the content of a context of a kubeconfig. */
export interface KubeconfigContext {
  /** Without a trailing slash; empty when the file has none. */
  readonly server: string;
  readonly ca: Material;
  readonly skipTlsVerify: boolean;
  /** Server name to verify in the certificate, when it is not the host of `server`. */
  readonly tlsServerName: string | undefined;
  readonly proxyUrl: string | undefined;
  /** Answers are requested without compression. */
  readonly disableCompression: boolean;
  readonly certificate: Material;
  readonly key: Material;
  readonly token: string | undefined;
  readonly tokenFile: string | undefined;
  readonly basic: { readonly username: string; readonly password: string } | undefined;
  /** Impersonation headers. */
  readonly impersonate: Readonly<Record<string, string | readonly string[]>>;
  readonly exec: ExecPlugin | undefined;
  /** A legacy provider (`oidc`, `gcp`, `azure`), unparsed. */
  readonly authProvider: { readonly name: string; readonly config: Readonly<Record<string, unknown>> } | undefined;
}

const PROXY_PROTOCOLS = ['http:', 'https:', 'socks5:'];

const EXEC_VERSIONS = ['client.authentication.k8s.io/v1', 'client.authentication.k8s.io/v1beta1'];

/**
 * Parses a kubeconfig file (YAML or JSON).
 *
 * client-node's own parser is not used: it does not support `tokenFile`, which kubeadm writes for kube-proxy.
 *
 * @param text content of the file.
 * @param path of the file, for messages.
 * @param directory base directory of relative paths in it.
 * @param contextName default: the current context.
 * @throws KubernetesError `KUBECONFIG_INVALID`.
 */
export function parseKubeconfig(
  text: string,
  path: string,
  directory: string,
  contextName?: string,
): KubeconfigContext {
  return new KubeconfigReader(path, directory).read(text, contextName);
}

const FIELDS = ['clusters', 'users', 'contexts', 'current-context'];

/** As with kubectl, a kubeconfig may omit its kind; but it has at least one of its fields. */
function isOtherThanConfig({ kind = 'Config', ...config }: UnknownRecord): boolean {
  return kind !== 'Config' || !FIELDS.some((field) => field in config);
}

function whatItIs(content: unknown): string {
  if (content === null || content === undefined) {
    return 'empty';
  }
  if (!isRecord(content)) {
    return Array.isArray(content) ? 'a list' : 'plain text';
  }
  if (isText(content.kind) && content.kind !== 'Config') {
    return `an object of kind ${printable(content.kind)}`;
  }
  const names = Object.keys(content);
  return names.length === 0 ? 'empty' : `YAML with the fields ${printable(names.slice(0, 5).join(', '))}`;
}

/** The value of a text in JSON, without loading the YAML parser; undefined for YAML. */
function parsedJson(text: string): unknown {
  if (!text.startsWith('{')) {
    return undefined;
  }
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Maximum characters, far more than the certificates of many clusters. */
const MAX_LENGTH = 1024 * 1024;
/** As `nestingOfText` counts it; more could overflow the stack of the YAML parser. */
const MAX_NESTING = 200;

class KubeconfigReader {
  constructor(
    private readonly path: string,
    private readonly directory: string,
  ) {}

  read(text: string, contextName: string | undefined): KubeconfigContext {
    if (text.length > MAX_LENGTH || nestingOfText(text, MAX_NESTING) > MAX_NESTING) {
      throw this.#invalid('', 'is too large, or nested too deeply, for a kubeconfig');
    }
    let config: unknown;
    try {
      config = parsedJson(text) ?? parse(text, { merge: true });
    } catch (error) {
      if (isRecord(error) && error.code === 'MULTIPLE_DOCS') {
        throw this.#invalid('', 'has several YAML documents; a kubeconfig is one');
      }
      const first = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
      throw new KubernetesError('KUBECONFIG_INVALID', `${printable(this.path)} is no YAML: ${printable(first)}`, {
        cause: error,
      });
    }
    if (!isRecord(config) || isOtherThanConfig(config)) {
      const right = 'it should have clusters, users, contexts and current-context';
      throw this.#invalid('', `is no kubeconfig but ${whatItIs(config)}; ${right}`);
    }
    const name = contextName ?? config['current-context'];
    if (!isText(name)) {
      throw this.#invalid('current-context', 'is missing; set it with kubectl config use-context');
    }
    const context = this.#entry(config, 'contexts', 'context', name, 'current-context');
    const at = `contexts[${printable(name)}].context`;
    if (!isText(context.cluster)) {
      throw this.#invalid(`${at}.cluster`, 'is missing; it names an entry of clusters');
    }
    const cluster = this.#entry(config, 'clusters', 'cluster', context.cluster, `${at}.cluster`);
    const user = isText(context.user) ? this.#entry(config, 'users', 'user', context.user, `${at}.user`) : {};
    return {
      ...this.#readCluster(cluster, `clusters[${printable(context.cluster)}].cluster`),
      ...this.#readUser(user, `users[${printable(String(context.user))}].user`),
    };
  }

  #readCluster(cluster: UnknownRecord, at: string) {
    const server = this.#text(cluster, 'server', at) ?? '';
    if (server !== '') {
      parseServer(server, `${printable(this.path)}: ${at}.server`);
    }
    const skipTlsVerify = this.#boolean(cluster, 'insecure-skip-tls-verify', at);
    return {
      server: server.replace(/\/+$/, ''),
      // As with kubectl, one excludes the other.
      ca: skipTlsVerify ? {} : this.#material(cluster, 'certificate-authority', at),
      skipTlsVerify,
      tlsServerName: this.#text(cluster, 'tls-server-name', at),
      proxyUrl: this.#proxyUrl(cluster, at),
      disableCompression: this.#boolean(cluster, 'disable-compression', at),
    };
  }

  /** As with kubectl: http, https or socks5. */
  #proxyUrl(cluster: UnknownRecord, at: string): string | undefined {
    const text = this.#text(cluster, 'proxy-url', at);
    if (text !== undefined && !(URL.canParse(text) && PROXY_PROTOCOLS.includes(new URL(text).protocol))) {
      // It may contain a password.
      const right = 'write it like http://10.0.0.1:3128, with http, https or socks5';
      throw this.#invalid(`${at}.proxy-url`, `is no URL of a proxy; ${right}`);
    }
    return text;
  }

  #readUser(user: UnknownRecord, at: string) {
    const tokenFile = this.#text(user, 'tokenFile', at);
    const username = this.#text(user, 'username', at);
    const certificate = this.#material(user, 'client-certificate', at);
    const key = this.#material(user, 'client-key', at);
    if ((certificate.file ?? certificate.data) === undefined ? key.file || key.data : !(key.file || key.data)) {
      throw this.#invalid(at, 'has only one of client-certificate and client-key; it needs both, or none');
    }
    return {
      certificate,
      key,
      token: this.#text(user, 'token', at),
      tokenFile: tokenFile === undefined ? undefined : this.#resolve(tokenFile),
      basic: username === undefined ? undefined : { username, password: this.#text(user, 'password', at) ?? '' },
      impersonate: this.#impersonation(user, at),
      exec: this.#exec(user, at),
      authProvider: this.#authProvider(user, at),
    };
  }

  #impersonation(user: UnknownRecord, at: string): Readonly<Record<string, string | readonly string[]>> {
    const headers: Record<string, string | readonly string[]> = {};
    const as = this.#text(user, 'as', at);
    const uid = this.#text(user, 'as-uid', at);
    const groups = this.#texts(user['as-groups'], `${at}.as-groups`);
    if (as !== undefined) {
      headers['Impersonate-User'] = as;
    }
    if (uid !== undefined) {
      headers['Impersonate-Uid'] = uid;
    }
    if (groups.length > 0) {
      headers['Impersonate-Group'] = groups;
    }
    const extra = user['as-user-extra'];
    for (const [name, values] of Object.entries(isRecord(extra) ? extra : {})) {
      headers[`Impersonate-Extra-${encodeURIComponent(name)}`] = this.#texts(values, `${at}.as-user-extra`);
    }
    return headers;
  }

  #exec(user: UnknownRecord, at: string): ExecPlugin | undefined {
    const exec = user.exec;
    if (exec === undefined || exec === null) {
      return undefined;
    }
    if (!isRecord(exec) || !isText(exec.command)) {
      throw this.#invalid(`${at}.exec.command`, 'is missing; it names the program that provides credentials');
    }
    const apiVersion = this.#text(exec, 'apiVersion', `${at}.exec`) ?? '';
    if (!EXEC_VERSIONS.includes(apiVersion)) {
      const right = EXEC_VERSIONS.join(' or ');
      throw this.#invalid(`${at}.exec.apiVersion`, `is "${printable(apiVersion)}"; it must be ${right}`);
    }
    if (exec.interactiveMode === 'Always') {
      throw this.#invalid(
        `${at}.exec.interactiveMode`,
        'is Always, and there is no user to ask; use a plug-in that is not interactive',
      );
    }
    // As with kubectl: a bare name is searched in PATH, a path is relative to the file.
    const command = exec.command.includes('/') ? this.#resolve(exec.command) : exec.command;
    return {
      apiVersion,
      command,
      args: this.#texts(exec.args, `${at}.exec.args`),
      env: this.#environment(exec.env, `${at}.exec.env`),
      installHint: this.#text(exec, 'installHint', `${at}.exec`) ?? '',
      provideClusterInfo: this.#boolean(exec, 'provideClusterInfo', `${at}.exec`),
    };
  }

  #environment(entries: unknown, at: string): Readonly<Record<string, string>> {
    if (entries === undefined || entries === null) {
      return {};
    }
    if (!Array.isArray(entries)) {
      throw this.#invalid(at, 'is not a list of objects with name and value');
    }
    const env: Record<string, string> = {};
    for (const [index, entry] of (entries as unknown[]).entries()) {
      const place = `${at}[${index}]`;
      const name = isRecord(entry) ? this.#text(entry, 'name', place) : undefined;
      if (!isRecord(entry) || name === undefined) {
        throw this.#invalid(`${place}.name`, 'is missing; it names an environment variable');
      }
      env[name] = this.#text(entry, 'value', place) ?? '';
    }
    return env;
  }

  #authProvider(user: UnknownRecord, at: string): KubeconfigContext['authProvider'] {
    const provider = user['auth-provider'];
    if (provider === undefined || provider === null) {
      return undefined;
    }
    if (!isRecord(provider) || !isText(provider.name)) {
      throw this.#invalid(`${at}.auth-provider.name`, 'is missing');
    }
    return { name: provider.name, config: isRecord(provider.config) ? provider.config : {} };
  }

  #material(record: UnknownRecord, field: string, at: string): Material {
    const data = this.#text(record, `${field}-data`, at);
    if (data !== undefined) {
      return { data: Buffer.from(data, 'base64') };
    }
    const file = this.#text(record, field, at);
    return file === undefined ? {} : { file: this.#resolve(file) };
  }

  #entry(config: UnknownRecord, list: string, field: string, name: string, named: string): UnknownRecord {
    const entries = Array.isArray(config[list]) ? (config[list] as unknown[]) : [];
    const found = entries.find((entry) => isRecord(entry) && entry.name === name);
    const value = isRecord(found) ? found[field] : undefined;
    if (!isRecord(value)) {
      const names = entries.flatMap((entry) => (isRecord(entry) && isText(entry.name) ? [entry.name] : []));
      const there = names.length === 0 ? 'it is empty' : `it has ${printable(names.join(', '))}`;
      throw this.#invalid(named, `is "${printable(name)}", which is not in ${list}; ${there}`);
    }
    return value;
  }

  #text(record: UnknownRecord, field: string, at: string): string | undefined {
    const value = record[field];
    if (value === undefined || value === null || value === '') {
      return undefined;
    }
    if (typeof value !== 'string') {
      throw this.#invalid(`${at}.${field}`, 'is not text; put it in quotes');
    }
    return value;
  }

  /** A boolean of YAML 1.1, as kubectl reads it. */
  #boolean(record: UnknownRecord, field: string, at: string): boolean {
    const value = record[field] ?? false;
    const read = typeof value === 'boolean' ? value : yamlBoolean(value);
    if (read === undefined) {
      throw this.#invalid(`${at}.${field}`, `is ${printableValue(value)}; it must be true or false`);
    }
    return read;
  }

  #texts(value: unknown, at: string): readonly string[] {
    if (value === undefined || value === null) {
      return [];
    }
    if (!Array.isArray(value) || !value.every((item) => typeof item === 'string')) {
      throw this.#invalid(at, 'is not a list of texts');
    }
    return value as string[];
  }

  #resolve(path: string): string {
    return isAbsolute(path) ? path : join(this.directory, path);
  }

  #invalid(field: string, problem: string): KubernetesError {
    const where = field === '' ? printable(this.path) : `${printable(this.path)}: ${field}`;
    return new KubernetesError('KUBECONFIG_INVALID', `${where} ${problem}`);
  }
}

/**
 * Parses the URL of an API server.
 *
 * @param named its name in the message.
 * @throws KubernetesError `KUBECONFIG_INVALID`.
 */
export function parseServer(text: string, named: string): URL {
  // As with kubectl: a host without scheme uses http.
  const full = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  const url = URL.canParse(full) ? new URL(full) : undefined;
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:') || url.hostname === '') {
    throw new KubernetesError(
      'KUBECONFIG_INVALID',
      `${named} is "${printable(text)}", which is no URL of an API server; write it like https://10.0.0.1:6443`,
    );
  }
  return url;
}
