import { spawn } from 'node:child_process';
import { isRecord, isText, messageOf, printable } from '@kube-proxier/core';
import type { ExecPlugin } from './kubeconfig.js';
import { KubernetesError } from './kubernetes-error.js';

/** The credentials from a plug-in. At least a token, or a certificate and its key. */
export interface ExecCredential {
  readonly token: string | undefined;
  readonly certificate: string | undefined;
  readonly key: string | undefined;
  /** Milliseconds since the epoch; undefined when they are valid until they are rejected. */
  readonly expires: number | undefined;
}

/** Timeout of a plug-in in milliseconds, after which it is killed. */
const TIME_LIMIT = 60_000;
const MAX_OUTPUT = 1024 * 1024;

/**
 * Runs a credential plug-in (`client.authentication.k8s.io`). It gets no standard input; its standard error is included
 * in the message when it fails.
 *
 * client-node's own runner is not used: it sets no `KUBERNETES_EXEC_INFO`, has no timeout, and runs the plug-in for
 * each request when the credentials do not expire.
 *
 * @param cluster for plug-ins that request it.
 * @param signal stops the plug-in.
 * @throws KubernetesError `EXEC_PLUGIN_FAILED`.
 */
export async function runExecPlugin(
  plugin: ExecPlugin,
  cluster: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
): Promise<ExecCredential> {
  const info = {
    apiVersion: plugin.apiVersion,
    kind: 'ExecCredential',
    spec: { interactive: false, ...(plugin.provideClusterInfo ? { cluster } : {}) },
  };
  const env = { ...process.env, ...plugin.env, KUBERNETES_EXEC_INFO: JSON.stringify(info) };
  const output = await run(plugin, env, signal);
  let answer: unknown;
  try {
    answer = JSON.parse(output);
  } catch (error) {
    throw failed(plugin, 'did not write JSON', error);
  }
  const status = isRecord(answer) && answer.kind === 'ExecCredential' ? answer.status : undefined;
  if (!isRecord(status)) {
    throw failed(plugin, 'did not write an ExecCredential with a status');
  }
  const { token, clientCertificateData: certificate, clientKeyData: key, expirationTimestamp } = status;
  if (!isText(token) && !(isText(certificate) && isText(key))) {
    throw failed(plugin, 'gave neither a token nor a client certificate with its key');
  }
  const expires = isText(expirationTimestamp) ? Date.parse(expirationTimestamp) : Number.NaN;
  return {
    token: isText(token) ? token : undefined,
    certificate: isText(certificate) ? certificate : undefined,
    key: isText(key) ? key : undefined,
    expires: Number.isNaN(expires) ? undefined : expires,
  };
}

function run(plugin: ExecPlugin, env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(plugin.command, plugin.args, {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      signal,
      timeout: TIME_LIMIT,
      killSignal: 'SIGKILL',
    });
    let output = '';
    let complaint = '';
    child.on('error', (error) => {
      // A descendant may hold the pipes open: it is not awaited. Without descriptors there are no pipes.
      child.stdout?.destroy();
      child.stderr?.destroy();
      reject(failed(plugin, `cannot be run: ${messageOf(error)}`, error));
    });
    if (child.pid === undefined) {
      return;
    }
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      if (output.length > MAX_OUTPUT) {
        child.kill('SIGKILL');
      }
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      complaint = (complaint + text).slice(-300);
    });
    child.on('exit', (_status, killedBy) => {
      if (killedBy !== null) {
        child.stdout.destroy();
        child.stderr.destroy();
      }
    });
    child.on('close', (status, killedBy) => {
      if (status === 0) {
        resolve(output);
      } else {
        const end = killedBy === null ? `ended with status ${status}` : 'did not end in time and was ended';
        reject(failed(plugin, `${end}: ${complaint.trim()}`));
      }
    });
  });
}

function failed(plugin: ExecPlugin, what: string, cause?: unknown): KubernetesError {
  const hint = plugin.installHint === '' ? '' : `; ${printable(plugin.installHint)}`;
  return new KubernetesError(
    'EXEC_PLUGIN_FAILED',
    `the credential plug-in ${printable(plugin.command)} ${printable(what)}; run it in a shell to see why${hint}`,
    { cause },
  );
}
