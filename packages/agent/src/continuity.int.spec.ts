import { type ChildProcess, spawnSync } from 'node:child_process';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createIptables, type Iptables } from '@kube-proxier/linux';
import { type ContinuousClient, failuresOf, NetworkSandbox, SANDBOX_NETWORK } from '@kube-proxier/linux/testing';

const AGENT = fileURLToPath(new URL('../bin/kube-proxier.js', import.meta.url));
const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const NODE_PORT = 31_269;

/** The whole agent, in the node's namespace, while somebody outside connects again and again. */
describe.each(['nft', 'legacy'] as const)('a client that never stops, iptables-%s', (variant) => {
  let sandbox: NetworkSandbox;
  let directory: string;
  let iptables: Iptables;
  let agent: ChildProcess | undefined;
  let log = '';

  beforeAll(() => {
    const build = spawnSync(process.execPath, ['node_modules/typescript/bin/tsc', '-b'], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    expect(build.stdout).toBe('');
  }, 120_000);

  beforeEach(async () => {
    sandbox = await NetworkSandbox.create({ pods: 2, remotePods: 1 });
    directory = mkdtempSync(join(tmpdir(), 'continuity-'));
    iptables = createIptables({ family: 'IPv4', variant, runner: sandbox.node.runner });
    log = '';
    await Promise.all([...sandbox.pods, ...sandbox.remotePods].map((pod) => pod.serve({ port: 8080 })));
    // The agent uses the variant in which the kubelet left its hint.
    await iptables.restore('*mangle\n:KUBE-IPTABLES-HINT - [0:0]\nCOMMIT\n');
  });

  afterEach(async () => {
    agent?.kill('SIGKILL');
    await sandbox.close();
    rmSync(directory, { recursive: true, force: true });
  });

  function write(...addresses: string[]): void {
    const text = `apiVersion: v1
kind: Service
metadata: {name: web, namespace: work}
spec:
  type: NodePort
  clusterIP: 10.96.0.10
  ports: [{port: 80, nodePort: ${NODE_PORT}}]
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: web-1, namespace: work, labels: {kubernetes.io/service-name: web}}
addressType: IPv4
ports: [{port: 8080}]
endpoints: [${addresses.map((address) => `{addresses: [${address}]}`).join(', ')}]
---
apiVersion: v1
kind: Node
metadata: {name: ${SANDBOX_NETWORK.nodeName}}
status: {addresses: [{type: InternalIP, address: ${sandbox.node.ipv4}}]}
`;
    writeFileSync(join(directory, '.next'), text);
    renameSync(join(directory, '.next'), join(directory, 'web.yaml'));
  }

  function startAgent(mode = 'iptables'): void {
    agent = sandbox.node.spawn([
      process.execPath,
      AGENT,
      `--proxy-mode=${mode}`,
      `--manifests=${directory}`,
      `--hostname-override=${SANDBOX_NETWORK.nodeName}`,
      `--cluster-cidr=${SANDBOX_NETWORK.clusterCIDRs[0]}`,
      '--iptables-min-sync-period=0s',
      '-v=2',
    ]);
    agent.stderr?.on('data', (data) => {
      log += data;
    });
  }

  async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
    const deadline = Date.now() + 15_000;
    while (!(await holds())) {
      if (Date.now() > deadline) {
        throw new Error(`never: ${what}\n${log}`);
      }
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  const rules = async () => await iptables.save('nat');
  const installed = async (...addresses: string[]) => {
    const text = await rules();
    return addresses.every((address) => text.includes(`--to-destination ${address}:8080`));
  };

  /** Starts the agent with these endpoints, and a client that connects about fifty times a second. */
  async function running(...addresses: string[]): Promise<ContinuousClient> {
    write(...addresses);
    startAgent();
    await until('first sync', () => installed(...addresses));
    return await sandbox.client.startClient({ to: sandbox.node.ipv4, port: NODE_PORT }, 20);
  }

  test('ipvs on a kernel without ip_vs falls back, says why in one line, and traffic flows', async () => {
    const { ipv4 } = sandbox.pod(1);
    write(ipv4);
    startAgent('ipvs');
    await until('first sync', () => installed(ipv4));
    const lines = log.split('\n').filter((line) => line.includes('ipvs') && line.includes('WARN'));
    expect(lines).toEqual([expect.stringMatching(/Cannot use proxy mode ipvs: .+; falling back to iptables$/)]);
    expect(await sandbox.client.connect({ to: sandbox.node.ipv4, port: NODE_PORT })).toMatchObject({
      kind: 'answered',
      by: 'pod1',
    });
  }, 60_000);

  test('endpoints come and go: no connection fails, and one that is open stays', async () => {
    const [one, two] = sandbox.pods.map((pod) => pod.ipv4) as [string, string];
    const three = sandbox.remotePod(1).ipv4;
    const client = await running(one, two);
    const open = await sandbox.client.open({ to: sandbox.node.ipv4, port: NODE_PORT });
    for (const next of [[one, two, three], [three], [two, three], [one], [one, two]]) {
      write(...next);
      const gone = [one, two, three].filter((address) => !next.includes(address));
      await until(`endpoints ${next}`, async () => {
        const text = await rules();
        return (await installed(...next)) && gone.every((address) => !text.includes(`${address}:8080`));
      });
      await client.moreAttempts(10);
      expect(await open.send('still there')).toEqual({ kind: 'echoed', text: 'still there' });
    }
    const progress = await client.stop();
    expect(progress.attempts).toBeGreaterThanOrEqual(50);
    expect(failuresOf(progress)).toBe(0);
  }, 60_000);

  test('the agent is killed and started again: no connection fails, and nothing is written', async () => {
    const addresses = sandbox.pods.map((pod) => pod.ipv4);
    const client = await running(...addresses);
    const before = (await rules()).replace(/^#.*$|\[\d+:\d+\]/gm, '');
    agent?.kill('SIGKILL');
    await client.moreAttempts(20);
    log = '';
    startAgent();
    await until('second sync', () => /Synced family="IPv4"/.test(log));
    await client.moreAttempts(20);
    expect((await rules()).replace(/^#.*$|\[\d+:\d+\]/gm, '')).toBe(before);
    expect(failuresOf(await client.stop())).toBe(0);
  }, 60_000);

  test('a foreigner flushes the tables: it is noticed, repaired and told within a second or so', async () => {
    const addresses = sandbox.pods.map((pod) => pod.ipv4);
    const client = await running(...addresses);
    // The jumps must have been seen once before they can be missed.
    await client.moreAttempts(60);
    for (const table of ['nat', 'filter']) {
      await sandbox.node.exec([`iptables-${variant}`, '-t', table, '-F']);
    }
    const { attempts } = await client.progress();
    await until('repair', () => /Repaired what others had changed/.test(log));
    const failed = failuresOf(await client.moreAttempts(5));
    expect(await installed(...addresses)).toBe(true);
    expect(log).toMatch(
      /Others changed what is installed: the jump from (PREROUTING|FORWARD) in the (nat|filter) table is gone/,
    );
    const after = await client.moreAttempts(30);
    expect(failuresOf(after)).toBe(failed);
    // Refused at once while the rules are gone, one attempt each 20 ms: a second and a half is at most 75 of them.
    expect(after.attempts - attempts).toBeLessThan(75 + 35 + 60);
    expect(failed).toBeLessThan(75);
    await client.stop();
  }, 60_000);
});
