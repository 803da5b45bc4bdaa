import { type ClientRequest, type RequestOptions, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { isRecord, messageOf, printable } from '@kube-proxier/core';
import { tcpSocketIn } from '@kube-proxier/linux';
import type { ProbeSettings } from '../check-settings.js';
import { connectFailure, type HealthProbe, type ProbeResult, type ProbeTarget } from './health-probe.js';

type HttpSettings = Extract<ProbeSettings, { kind: 'http' | 'https' }>;

/** Maximum bytes of the headers of an answer. */
const MAX_HEADERS = 16_384;

/** The fraction of the timeout during which this process may be busy before the timeout is extended. */
const BUSY_PART = 0.25;

/**
 * Passes when a GET request is answered with an expected status. The body is not read, redirects are not followed, and the
 * connection is closed.
 *
 * A busy process reads answers late: its busy time is added to the timeout of the check, which is at most doubled.
 */
export function httpProbe({ family, address, port, settings }: ProbeTarget, http: HttpSettings): HealthProbe {
  const { timeout, namespace } = settings;
  const defaultPort = http.kind === 'https' ? 443 : 80;
  const literal = address.includes(':') ? `[${address}]` : address;
  const host = http.host ?? (port === defaultPort ? literal : `${literal}:${port}`);
  const name = host.replace(/:\d+$/, '');
  // A name only: TLS has no addresses there.
  const tls = {
    rejectUnauthorized: http.verifiesCertificate,
    servername: isIP(name.replace(/[[\]]/g, '')) === 0 ? name : '',
  };
  const options: RequestOptions = {
    ...tls,
    host: address,
    port,
    path: http.path,
    method: 'GET',
    agent: false,
    maxHeaderSize: MAX_HEADERS,
    headers: { Host: host, 'User-Agent': 'kube-proxier-health-check', Accept: '*/*', Connection: 'close' },
  };
  const isExpected = (status: number) => http.statuses.some(([first, last]) => status >= first && status <= last);
  return (callback) => {
    const begin = performance.now();
    const load = performance.eventLoopUtilization();
    let isDone = false;
    let request: ClientRequest | undefined;
    let socket: Socket | undefined;
    const finish = (result: Omit<ProbeResult, 'milliseconds'>) => {
      if (!isDone) {
        isDone = true;
        clearTimeout(timer);
        if (http.kind === 'http') {
          // A reset leaves no socket in TIME_WAIT. TLS sockets have none.
          (request?.socket ?? socket)?.resetAndDestroy();
        }
        request?.destroy();
        socket?.destroy();
        callback({ ...result, milliseconds: performance.now() - begin });
      }
    };
    const failed = (error: unknown) => finish(httpFailure(error, timeout));
    const expired = () => finish(connectFailure('ETIMEDOUT', 0, timeout));
    let timer = setTimeout(() => {
      const busy = performance.eventLoopUtilization(load).active;
      if (busy < timeout * BUSY_PART) {
        expired();
      } else {
        timer = setTimeout(expired, Math.min(busy, timeout));
        timer.unref();
      }
    }, timeout);
    timer.unref();
    const send = (own: RequestOptions) => {
      request = (http.kind === 'https' ? requestHttps : requestHttp)({ ...options, ...own });
      request.on('error', failed);
      request.on('response', (response) => {
        const status = response.statusCode ?? 0;
        response.on('error', () => {});
        finish(
          isExpected(status)
            ? { outcome: 'passed', reason: '' }
            : { outcome: 'status', reason: `HTTP status ${status}` },
        );
      });
      request.end();
    };
    if (namespace === undefined) {
      send({});
      return;
    }
    tcpSocketIn(namespace, family).then(
      (own) => {
        if (isDone) {
          own.destroy();
          return;
        }
        socket = own;
        own.on('error', failed);
        own.connect({ host: address, port }, () => {
          if (!isDone) {
            send({
              createConnection: () => (http.kind === 'https' ? connectTls({ ...tls, socket: own }) : own),
            });
          }
        });
      },
      (error: unknown) => finish({ outcome: 'error', reason: messageOf(error) }),
    );
  };
}

function httpFailure(error: unknown, timeout: number): Omit<ProbeResult, 'milliseconds'> {
  const code = isRecord(error) && typeof error.code === 'string' ? error.code : '';
  const isLocal = ['EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM', 'EADDRNOTAVAIL', 'EPERM', 'EACCES', 'EAGAIN'].includes(
    code,
  );
  if (isLocal || ['ECONNREFUSED', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'ECONNRESET'].includes(code)) {
    return connectFailure(code, 0, timeout);
  }
  return { outcome: 'failed', reason: printable(messageOf(error), 200) };
}
