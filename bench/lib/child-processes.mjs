import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const AGENT = fileURLToPath(new URL('../../packages/agent/bin/kube-proxier.js', import.meta.url));

/**
 * Runs a program of this directory in a network namespace of its own, with `inside` as its first argument, or fails.
 *
 * @param {string} program
 * @param {readonly string[]} [args]
 * @param {'inherit' | 'pipe'} [stdout] default: that of this process
 * @returns {{status: number, stdout: string}}
 */
export function runInNewNetwork(program, args = [], stdout = 'inherit') {
  const { status, signal, error, ...output } = spawnSync(
    'unshare',
    ['--net', process.execPath, program, 'inside', ...args],
    {
      stdio: ['ignore', stdout, 'inherit'],
      encoding: 'utf8',
    },
  );
  if (status === null) {
    console.error(`${program}: ${error?.message ?? `ended by ${signal}`}`);
  }
  return { status: status ?? 1, stdout: output.stdout };
}

/** Brings the loopback interface of a new network namespace up. */
export function bringLoopbackUp() {
  spawnSync('ip', ['link', 'set', 'lo', 'up']);
}

/**
 * Starts the agent, and waits for the first full sync of each of the families. It does not verify in the background, which takes
 * seconds with many Services: bench:verify measures that.
 *
 * @param {readonly string[]} flags
 * @param {readonly ('IPv4' | 'IPv6')[]} families
 * @param {readonly string[]} [nodeFlags] of Node itself
 */
export async function startAgent(flags, families, nodeFlags = []) {
  const begin = performance.now();
  const agent = spawn(
    process.execPath,
    [...nodeFlags, AGENT, '--verify-period=0', ...flags, '--hostname-override=node1', '-v=2'],
    {
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  );
  let log = '';
  await new Promise((resolve, reject) => {
    agent.once('exit', () => reject(new Error(log)));
    agent.stderr.setEncoding('utf8').on('data', (text) => {
      log += text;
      if (families.every((family) => log.includes(`Synced family="${family}"`))) {
        resolve(undefined);
      }
    });
  });
  const synced = performance.now() - begin;
  agent.removeAllListeners('exit');
  return {
    pid: Number(agent.pid),
    /** Milliseconds from the start of the process. */
    synced,
    async stop() {
      const exited = once(agent, 'exit');
      agent.kill('SIGTERM');
      await exited;
    },
  };
}

/** Removes what an agent installed. */
export function cleanUpAgent() {
  spawnSync(process.execPath, [AGENT, 'cleanup'], { stdio: 'ignore' });
}

/**
 * Writes a kubeconfig for an API server.
 *
 * @param {string} directory
 * @param {{url: string, ca: string}} server its address, and the certificate that it is verified with (PEM)
 * @returns {string} the file
 */
export function writeKubeconfig(directory, { url, ca }) {
  const file = join(directory, 'kubeconfig');
  const cluster = { server: url, 'certificate-authority-data': Buffer.from(ca).toString('base64') };
  const content = {
    'current-context': 'c',
    contexts: [{ name: 'c', context: { cluster: 'k' } }],
    clusters: [{ name: 'k', cluster }],
  };
  writeFileSync(file, JSON.stringify(content));
  return file;
}

/**
 * Sends a message to the process that forked this one.
 *
 * @param {unknown} message
 */
export function sendToParent(message) {
  if (process.send === undefined) {
    throw new Error('this process was not forked');
  }
  process.send(message);
}
