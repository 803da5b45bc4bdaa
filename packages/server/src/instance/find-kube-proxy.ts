import { get } from 'node:http';
import { basename } from 'node:path';
import { listProcesses, type ProcessInfo, seesAllProcesses } from '@kube-proxier/linux';
import { SERVER_NAME } from '../health/http-listener.js';

/** Whether a kube-proxy runs in this network namespace. */
export type KubeProxyFinding =
  | {
      readonly status: 'found';
      /** Undefined if its process is not visible. */
      readonly pid?: number;
      /** Undefined if unknown. */
      readonly mode?: string;
      /** How it was detected: `process 12`, `http://127.0.0.1:10249/proxyMode`. */
      readonly how: string;
    }
  | { readonly status: 'not-found' }
  /** Not found, but the search was incomplete. */
  | { readonly status: 'unknown'; readonly reason: string };

/** For logs and errors: `kube-proxy (pid 12, mode iptables)`. */
export function describeKubeProxy({ pid, mode, how }: Extract<KubeProxyFinding, { status: 'found' }>): string {
  const who = pid === undefined ? `detected by ${how}` : `pid ${pid}`;
  return `kube-proxy (${who}${mode === undefined ? '' : `, mode ${mode}`})`;
}

/** Inputs of {@link findKubeProxy}. */
export interface KubeProxySurroundings {
  /** Default: those of this host. */
  readonly processes?: () => Promise<readonly ProcessInfo[]>;
  /** Whether `processes` lists all processes of this host. */
  readonly seesAllProcesses?: () => Promise<boolean>;
  /** GETs a URL. Default: by HTTP, with a time and size limit. */
  readonly get?: (url: string) => Promise<HttpAnswer | undefined>;
}

/** Response of an HTTP server. */
export interface HttpAnswer {
  readonly status: number;
  /** Header `Server`; empty if absent. */
  readonly server: string;
  /** The first 1024 characters. */
  readonly body: string;
}

const PROXY_MODE_URL = 'http://127.0.0.1:10249/proxyMode';
const HEALTH_URL = 'http://127.0.0.1:10256/healthz';
const MODES = /^(iptables|ipvs|nftables|userspace)$/;

/**
 * Detects a kube-proxy that runs in this process's network namespace: by its process, or, if that is not visible or is
 * part of another program, by its response at the default address. A kube-proxier is not reported. Never rejects, and
 * resolves within about two seconds.
 */
export async function findKubeProxy({
  processes = listProcesses,
  seesAllProcesses: seesAll = seesAllProcesses,
  get: fetchAnswer = getByHttp,
}: KubeProxySurroundings = {}): Promise<KubeProxyFinding> {
  const candidates = (await processes()).filter((candidate) => candidate.pid !== process.pid && isKubeProxy(candidate));
  const here = candidates.find(({ sharesNetwork }) => sharesNetwork === true);
  const answer = await fetchAnswer(PROXY_MODE_URL);
  const answered =
    answer?.status === 200 && answer.server !== SERVER_NAME && MODES.test(answer.body.trim())
      ? answer.body.trim()
      : undefined;
  if (here) {
    const mode = answered ?? modeArgument(here.command);
    return { status: 'found', pid: here.pid, ...(mode === undefined ? {} : { mode }), how: `process ${here.pid}` };
  }
  if (answered !== undefined) {
    return { status: 'found', mode: answered, how: PROXY_MODE_URL };
  }
  const hidden = candidates.find(({ sharesNetwork }) => sharesNetwork === undefined);
  if (hidden) {
    const reason = `this user has no permission to read the network namespace of process ${hidden.pid} (kube-proxy)`;
    return { status: 'unknown', reason };
  }
  const health = await fetchAnswer(HEALTH_URL);
  if (health && health.server !== SERVER_NAME && /"lastUpdated"/.test(health.body)) {
    return { status: 'unknown', reason: `a server at ${HEALTH_URL} answers like kube-proxy` };
  }
  if (!(await seesAll())) {
    const reason = `not all processes of this host are visible, and no kube-proxy answers at ${PROXY_MODE_URL}`;
    return { status: 'unknown', reason };
  }
  return { status: 'not-found' };
}

/** Matches the executable, never the arguments. */
function isKubeProxy({ command: [program = ''], executable }: ProcessInfo): boolean {
  return basename(program) === 'kube-proxy' || (executable !== undefined && basename(executable) === 'kube-proxy');
}

function modeArgument(command: readonly string[]): string | undefined {
  const at = command.findIndex((word) => /^--?proxy-mode(=|$)/.test(word));
  const word = command[at] ?? '';
  const mode = word.includes('=') ? word.slice(word.indexOf('=') + 1) : at >= 0 ? (command[at + 1] ?? '') : '';
  return MODES.test(mode) ? mode : undefined;
}

/** Milliseconds. */
const HTTP_TIMEOUT = 1000;
const MAX_HTTP_SIZE = 1024;

function getByHttp(url: string): Promise<HttpAnswer | undefined> {
  return new Promise((resolve) => {
    const request = get(url, { agent: false, signal: AbortSignal.timeout(HTTP_TIMEOUT) }, (response) => {
      let body = '';
      const end = () => {
        resolve({ status: response.statusCode ?? 0, server: String(response.headers.server ?? ''), body });
        request.destroy();
      };
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        body = (body + chunk).slice(0, MAX_HTTP_SIZE);
        if (body.length >= MAX_HTTP_SIZE) {
          end();
        }
      });
      response.on('end', end);
      response.on('error', () => resolve(undefined));
    });
    request.on('error', () => resolve(undefined));
  });
}
