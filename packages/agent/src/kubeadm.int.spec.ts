import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { canMakeNamespaces, makeNamespace, type TestNamespace } from '@kube-proxier/linux/testing';
import { KUBEADM_CONFIG, kubeadmKubeconfig } from './testing/kubeadm-files.js';

const PACKAGE = fileURLToPath(new URL('..', import.meta.url));

/** Mounts the files at the paths of kube-proxy's pod, in a private mount namespace, then executes the rest as a command. */
const AS_IN_THE_POD = `set -e
mount -t tmpfs none /var/lib
mkdir /var/lib/kube-proxy
mount --bind "$1/config" /var/lib/kube-proxy
mount -t tmpfs none /run
mkdir -p /run/secrets/kubernetes.io/serviceaccount
mount --bind "$1/account" /run/secrets/kubernetes.io/serviceaccount
PATH="$1/bin:$PATH"
shift
exec "$@"`;

const whereAllowed = canMakeNamespaces() ? describe : describe.skip;

whereAllowed('in the place of kube-proxy in a cluster of kubeadm', () => {
  let namespace: TestNamespace;
  let directory: string;
  let children: ChildProcess[];

  beforeEach(() => {
    namespace = makeNamespace();
    directory = mkdtempSync(join(tmpdir(), 'kubeadm-'));
    children = [];
    for (const name of ['config', 'account', 'bin']) {
      mkdirSync(join(directory, name));
    }
    symlinkSync(join(PACKAGE, 'bin/kube-proxier.js'), join(directory, 'bin/kube-proxier'));
    inside('ip', 'link', 'set', 'lo', 'up');
  });

  afterEach(() => {
    for (const child of children) {
      child.kill('SIGKILL');
    }
    namespace.remove();
    rmSync(directory, { recursive: true, force: true });
  });

  function inside(...command: readonly string[]): string {
    const [enter = '', ...words] = [...namespace.prefix, ...command];
    return execFileSync(enter, words, { encoding: 'utf8' });
  }

  /** Starts it; resolves when its output, on either stream, matches, with all output so far. */
  function start(pattern: RegExp, ...command: readonly string[]): Promise<string> {
    const [enter = '', ...words] = [...namespace.prefix, ...command];
    const env = { ...process.env, KUBERNETES_SERVICE_HOST: '' };
    const child = spawn(enter, words, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    children.push(child);
    return new Promise((resolve, reject) => {
      let output = '';
      const listen = (text: string) => {
        output += text;
        if (pattern.test(output)) {
          resolve(output);
        }
      };
      child.stdout?.setEncoding('utf8').on('data', listen);
      child.stderr?.setEncoding('utf8').on('data', listen);
      child.on('close', () => reject(new Error(`it ended without ${pattern}:\n${output}`)));
    });
  }

  test('its command line and files work with only the program name changed', async () => {
    const api = join(PACKAGE, 'test/fake-api-server.mjs');
    const url = (await start(/https:.*\n/, process.execPath, api, join(directory, 'account'))).trim();
    writeFileSync(join(directory, 'config/config.conf'), KUBEADM_CONFIG);
    writeFileSync(join(directory, 'config/kubeconfig.conf'), kubeadmKubeconfig(url));

    const pod = ['unshare', '--mount', 'sh', '-c', AS_IN_THE_POD, 'sh', directory];
    // As in kubeadm's DaemonSet, except for /usr/local/bin/kube-proxy.
    const commandLine = ['kube-proxier', '--config=/var/lib/kube-proxy/config.conf', '--hostname-override=worker-1'];
    const log = await start(/is running/, ...pod, ...commandLine);
    expect(log).toMatch(/is running mode="iptables".* nodeName="worker-1".*watching="the API server https:/);
    expect(log).not.toMatch(/ERROR/);

    const ask = 'process.stdout.write(await (await fetch(process.argv[1])).text())';
    const get = (address: string) => inside(process.execPath, '--input-type=module', '-e', ask, address);
    // kube-proxy's ports, and rules once the first sync is over.
    await start(/web/, 'sh', '-c', 'until iptables-save -t nat | grep "10.96.0.10/32.*web"; do :; done');
    expect(inside('iptables-save', '-t', 'nat')).toMatch(/DNAT --to-destination 10\.244\.0\.5:8080/);
    expect(get('http://127.0.0.1:10249/proxyMode')).toBe('iptables');
    expect(JSON.parse(get('http://127.0.0.1:10256/healthz'))).toHaveProperty('lastUpdated');
    expect(get('http://127.0.0.1:10249/configz')).toContain('"clusterCIDR":"10.244.0.0/16"');
  });
});
