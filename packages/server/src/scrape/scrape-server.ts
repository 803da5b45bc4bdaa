import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { hostname } from 'node:os';
import {
  type Clock,
  type Logger,
  messageOf,
  ProxierError,
  silentLogger,
  systemClock,
  type Timer,
} from '@kube-proxier/core';
import type { Registry } from 'prom-client';
import { sourceOf } from '../health/connection-limits.js';
import type { ConnectionShare } from '../health/descriptor-shares.js';
import { atIntervals, HttpListener, reply, type ServerCertificate, TEXT } from '../health/http-listener.js';
import { CachedAccess } from './cached-access.js';
import type { CertificateFiles, ScrapeOptions } from './scrape-options.js';
import { selfSignedCertificate } from './self-signed-certificate.js';

/** Options of {@link ScrapeServer}. */
export interface ScrapeServerOptions extends ScrapeOptions {
  readonly metrics: Registry;
  /** Default: no logs. */
  readonly logger?: Logger;
  readonly clock?: Clock;
  /** Name in a certificate generated at start. Default: the name of the host. */
  readonly hostName?: string;
  /** Failure to listen, or to read the certificate, is fatal instead of being retried. Default false. */
  readonly hardFail?: boolean;
  /** Whether an address belongs to the node, whose connections have a reserved limit. Default: loopback only. */
  readonly isOwnAddress?: (address: string) => boolean;
  /** Maximum concurrent connections. Default: 256 remote, 64 of the node. */
  readonly connections?: ConnectionShare;
  /** Called for each failure to listen, to read the certificate, or to decide about a request. Default: nothing. */
  readonly onFailure?: () => void;
}

const PATH = '/metrics';
const METHODS: readonly string[] = ['GET', 'HEAD'];
/** A bearer token (RFC 6750, 2.1). */
const BEARER = /^Bearer +([A-Za-z0-9\-._~+/]+=*) *$/i;
/** Milliseconds between two readings of certificate files. */
const CERTIFICATE_PERIOD = 60_000;
/** Milliseconds until unreadable certificate files are read again. */
const CERTIFICATE_RETRY = 5000;

/**
 * Serves only `/metrics`, to clients that an {@link AccessReviewer} accepts: a port for Prometheus that does not expose
 * the state of the node. Fails closed.
 */
export class ScrapeServer {
  readonly #options: ScrapeServerOptions;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #access: CachedAccess | undefined;
  readonly #reportUndecided: (message: string) => void;
  #listener: HttpListener | undefined;
  #certificate: ServerCertificate | undefined;
  #timer: Timer | undefined;
  /** Why its certificate files are not in use; undefined while they are, or without files. */
  #certificateProblem: string | undefined;
  #stopped = false;

  constructor(options: ScrapeServerOptions) {
    const { access, clock = systemClock, logger = silentLogger } = options;
    this.#options = options;
    this.#clock = clock;
    this.#logger = logger;
    this.#access = access === 'everybody' ? undefined : new CachedAccess(access, clock);
    this.#reportUndecided = atIntervals(clock, (message, count) =>
      logger.warn(`Requests for metrics were refused (${count}), as they could not be reviewed: ${message}`),
    );
  }

  /** Where it listens; undefined while it does not. */
  get address(): HttpListener['address'] {
    return this.#listener?.address;
  }

  /** Why it does not listen, or not with its certificate; undefined while it does. */
  get obstacle(): string | undefined {
    return this.#listener?.obstacle ?? this.#certificateProblem;
  }

  /**
   * Resolves when it listens, or after the first attempt failed.
   *
   * @throws ListenError, or ProxierError `CERTIFICATE_UNREADABLE`, with `hardFail`.
   */
  async start(): Promise<void> {
    const { tls = 'self-signed', hostName = hostname(), hardFail = false } = this.#options;
    if (typeof tls !== 'object') {
      return await this.#listen(tls === 'none' ? undefined : selfSignedCertificate(hostName, this.#clock.now()));
    }
    try {
      this.#certificate = await readCertificate(tls);
    } catch (error) {
      if (hardFail) {
        throw error;
      }
      this.#options.onFailure?.();
      this.#certificateProblem = `metrics server does not listen; retrying: ${messageOf(error)}`;
      this.#logger.error(`Metrics are not served, and this is retried: ${messageOf(error)}`);
      this.#later(CERTIFICATE_RETRY, () => this.start());
      return;
    }
    this.#certificateProblem = undefined;
    await this.#listen(this.#certificate);
    this.#later(CERTIFICATE_PERIOD, () => this.#renew(tls));
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#timer?.cancel();
    this.#access?.stop();
    await this.#listener?.stop();
  }

  async #listen(certificate: ServerCertificate | undefined): Promise<void> {
    const { host, port, hardFail = false, isOwnAddress, connections, onFailure } = this.#options;
    if (this.#stopped) {
      return;
    }
    this.#listener = new HttpListener({
      name: 'metrics server',
      host,
      port,
      logger: this.#logger,
      clock: this.#clock,
      hardFail,
      methods: METHODS,
      onFailure: () => onFailure?.(),
      ...(certificate ? { certificate } : {}),
      ...(isOwnAddress ? { isOwnAddress } : {}),
      ...(connections ? { connections } : {}),
      answer: (request, response) => this.#answer(request, response),
    });
    await this.#listener.start();
  }

  #later(milliseconds: number, action: () => Promise<void>): void {
    if (!this.#stopped) {
      this.#timer = this.#clock.setTimer(milliseconds, () => void action());
    }
  }

  async #renew(files: CertificateFiles): Promise<void> {
    try {
      const certificate = await readCertificate(files);
      this.#certificateProblem = undefined;
      const { certificate: previous, key } = this.#certificate ?? {};
      if (!this.#stopped && (certificate.certificate !== previous || certificate.key !== key)) {
        this.#listener?.renewCertificate(certificate);
        this.#certificate = certificate;
        this.#logger.info('The metrics server uses the new certificate', { file: files.certificate });
      }
    } catch (error) {
      this.#options.onFailure?.();
      this.#certificateProblem = `metrics server continues with its previous certificate: ${messageOf(error)}`;
      this.#logger.error(`The metrics server continues with its previous certificate: ${messageOf(error)}`);
    }
    this.#later(CERTIFICATE_PERIOD, () => this.#renew(files));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.url?.replace(/\?.*$/s, '') !== PATH) {
      return reply(response, 404, TEXT, `not found; use ${PATH}\n`);
    }
    if (this.#access && !(await this.#admits(this.#access, request, response))) {
      return;
    }
    const { metrics } = this.#options;
    reply(response, 200, metrics.contentType, await metrics.metrics());
  }

  /** Answers the request when it is not allowed. */
  async #admits(access: CachedAccess, request: IncomingMessage, response: ServerResponse): Promise<boolean> {
    const authorizations = request.headersDistinct.authorization ?? [];
    const token = authorizations.length === 1 ? BEARER.exec(authorizations[0] ?? '')?.[1] : undefined;
    if (token === undefined) {
      reply(response, 401, TEXT, 'send a bearer token\n', CHALLENGE);
      return false;
    }
    let decision: Awaited<ReturnType<CachedAccess['decide']>>;
    try {
      decision = await access.decide(token, sourceOf(request.socket.remoteAddress ?? ''));
    } catch (error) {
      this.#options.onFailure?.();
      this.#reportUndecided(messageOf(error));
      reply(response, 503, TEXT, 'the token cannot be reviewed now; see the log\n');
      return false;
    }
    switch (decision) {
      case 'allowed':
        return true;
      case 'forbidden':
        reply(response, 403, TEXT, `the user of the token may not get the URL ${PATH}\n`);
        return false;
      case 'busy':
        reply(response, 429, TEXT, 'too many tokens to review\n', { 'Retry-After': '1' });
        return false;
      default:
        reply(response, 401, TEXT, 'the token is not valid\n', CHALLENGE);
        return false;
    }
  }
}

const CHALLENGE: Readonly<Record<string, string>> = { 'WWW-Authenticate': 'Bearer' };

/** @throws ProxierError `CERTIFICATE_UNREADABLE` when a file cannot be read, or they do not belong together. */
async function readCertificate(files: CertificateFiles): Promise<ServerCertificate> {
  try {
    const [certificate, key] = await Promise.all([readFile(files.certificate, 'utf8'), readFile(files.key, 'utf8')]);
    if (!new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key))) {
      throw new Error('the key is not that of the certificate');
    }
    return { certificate, key };
  } catch (error) {
    throw new ProxierError(
      'CERTIFICATE_UNREADABLE',
      `the certificate ${files.certificate} cannot be used with the key ${files.key}: ${messageOf(error)}`,
      { cause: error },
    );
  }
}
