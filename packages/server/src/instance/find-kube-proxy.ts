import { get } from 'node:http';
import { basename } from 'node:path';
import { listProcesses, type ProcessInfo, seesAllProcesses } from '@kube-proxier/linux';
import { SERVER_NAME } from '../health/http-listener.js';

/** Whether a kube-proxy runs in this network namespace. */
export type KubeProxyFinding =
  | {
      readonly status: 'found';
      /** Undefined where its process cannot be seen. */
      readonly pid?: number;
      /** Undefined where it is not known. */
      readonly mode?: string;
      /** By what it was found: `process 12`, `http://127.0.0.1:10249/proxyMode`. */
      readonly how: string;
    }
  | { readonly status: 'not-found' }
  /** Not found, and it was not possible to look everywhere. */
  | { readonly status: 'unknown'; readonly reason: string };

/** For logs and errors: `kube-proxy (pid 12, mode iptables)`. */
export function describeKubeProxy({ pid, mode, how }: Extract<KubeProxyFinding, { status: 'found' }>): string {
  const who = pid === undefined ? `found by ${how}` : `pid ${pid}`;
  return `kube-proxy (${who}${mode === undefined ? '' : `, mode ${mode}`})`;
}

/** What {@link findKubeProxy} looks at; tests bring their own. */
export interface KubeProxySurroundings {
  /** Default: those of this host. */
  readonly processes?: () => Promise<readonly ProcessInfo[]>;
  /** Whether `processes` are all of this host. */
  readonly seesAllProcesses?: () => Promise<boolean>;
  /** GETs a URL. Default: by HTTP, with a limit of time and size. */
  readonly get?: (url: string) => Promise<HttpAnswer | undefined>;
}

/** What an HTTP server said. */
export interface HttpAnswer {
  readonly status: number;
  /** Header `Server`; empty where there is none. */
  readonly server: string;
  /** The first 1024 characters. */
  readonly body: string;
}

const PROXY_MODE_URL = 'http://127.0.0.1:10249/proxyMode';
const HEALTH_URL = 'http://127.0.0.1:10256/healthz';
const MODES = /^(iptables|ipvs|nftables|userspace)$/;

/**
 * Looks for a kube-proxy that runs in this process's network namespace: by its process, and where that cannot be seen,
 * or is part of another program, by what it answers at its usual address. A kube-proxier is no kube-proxy. Never rejects,
 * and ends within about two seconds.
 */
export async function findKubeProxy({
  processes = listProcesses,
  seesAllProcesses: seesAll = seesAllProcesses,
  get: ask = getByHttp,
}: KubeProxySurroundings = {}): Promise<KubeProxyFinding> {
  const candidates = (await processes()).filter((candidate) => candidate.pid !== process.pid && isKubeProxy(candidate));
  const here = candidates.find(({ sharesNetwork }) => sharesNetwork === true);
  const answer = await ask(PROXY_MODE_URL);
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
    const reason = `this user may not see in which network namespace process ${hidden.pid} (kube-proxy) runs`;
    return { status: 'unknown', reason };
  }
  const health = await ask(HEALTH_URL);
  if (health && health.server !== SERVER_NAME && /"lastUpdated"/.test(health.body)) {
    return { status: 'unknown', reason: `something answers at ${HEALTH_URL} as kube-proxy does` };
  }
  if (!(await seesAll())) {
    const reason = `not all processes of this host are visible, and no kube-proxy answers at ${PROXY_MODE_URL}`;
    return { status: 'unknown', reason };
  }
  return { status: 'not-found' };
}

/** By the program that it runs, never by its arguments. */
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
const HTTP_TIME = 1000;
const HTTP_SIZE = 1024;

function getByHttp(url: string): Promise<HttpAnswer | undefined> {
  return new Promise((resolve) => {
    const request = get(url, { agent: false, signal: AbortSignal.timeout(HTTP_TIME) }, (response) => {
      let body = '';
      const end = () => {
        resolve({ status: response.statusCode ?? 0, server: String(response.headers.server ?? ''), body });
        request.destroy();
      };
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        body = (body + chunk).slice(0, HTTP_SIZE);
        if (body.length >= HTTP_SIZE) {
          end();
        }
      });
      response.on('end', end);
      response.on('error', () => resolve(undefined));
    });
    request.on('error', () => resolve(undefined));
  });
}
