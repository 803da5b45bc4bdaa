/**
 * `npm run demo`: a Service in a YAML file, and packets that reach its endpoints, in a sandbox of network namespaces.
 * Exits on its own and removes what it made; the exit status is 0 when every step went as described.
 *
 *   npm run demo              about half a minute
 *   npm run demo -- --keep    leaves the sandbox up, and prints how to play with it and how to take it down
 *   npm run demo -- --nftables    mode nftables in place of iptables; no tool of nftables is needed
 *
 * Needs root, or a kernel that allows user namespaces.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { messageOf, PrepareError, prepare, rootlessPrefix, runScript } from './prepare.mjs';

/**
 * @typedef {import('node:child_process').ChildProcess} ChildProcess
 * @typedef {import('@kube-proxier/network-sandbox').NetworkSandbox} NetworkSandbox
 * @typedef {NetworkSandbox['client']} Host
 */

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SCRIPT = fileURLToPath(import.meta.url);
const AGENT = join(ROOT, 'packages/agent/dist/main.js');
const EXAMPLE = join(ROOT, 'examples/saythx-redis');
const SERVICE = 'work/saythx-redis';
const CLUSTER_IP = '10.96.25.68';
const PORT = 6379;
const NODE_PORT = 31269;
/** Timeout of waits in milliseconds. */
const TIMEOUT = 60_000;

/** Set on the process that does the work, with what it was started with. */
const isInside = process.env.KUBE_PROXIER_DEMO === 'inside';
const keep = process.argv.includes('--keep');
const mode = process.argv.includes('--nftables') ? 'nftables' : 'iptables';
const colours = isInside ? process.env.KUBE_PROXIER_DEMO_COLOURS === '1' : process.stdout.isTTY === true;

class DemoError extends Error {}

/** Gets everything ready, then starts the part that needs to be root over network namespaces. */
async function launch() {
  const unknown = process.argv.slice(2).filter((argument) => !['--keep', '--nftables'].includes(argument));
  if (unknown.length > 0) {
    throw new PrepareError(`Unknown argument ${unknown[0]}. Use: npm run demo [-- --keep --nftables]`);
  }
  prepare({ demo: true });
  const prefix = rootlessPrefix();
  const [command = '', ...args] = [...prefix, process.execPath, SCRIPT, ...process.argv.slice(2)];
  const child = spawn(command, args, {
    cwd: ROOT,
    // Kept running, it must not inherit this process's streams, or their readers would never see the end.
    stdio: keep ? ['ignore', 'ignore', 'ignore', 'ipc'] : ['ignore', 'inherit', 'inherit', 'ipc'],
    detached: keep,
    env: { ...process.env, KUBE_PROXIER_DEMO: 'inside', KUBE_PROXIER_DEMO_COLOURS: colours ? '1' : '0' },
  });
  for (const signal of ['SIGINT', 'SIGTERM']) {
    // It takes down what it made and ends; then so does this process.
    process.on(signal, () => child.kill('SIGTERM'));
  }
  return await new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('message', (message) => {
      const { text, up } = /** @type {{text?: string, up?: boolean}} */ (message);
      if (text !== undefined) {
        process.stdout.write(text);
      }
      if (up) {
        child.disconnect();
        child.unref();
        resolve(0);
        process.exit(0);
      }
    });
    child.on('close', (status) => resolve(status ?? 1));
  });
}

// Narration

/** @param {string} text */
function write(text) {
  if (keep) {
    process.send?.({ text });
  } else {
    process.stdout.write(text);
  }
}

const paint = (/** @type {string} */ code, /** @type {string} */ text) =>
  colours ? `\x1b[${code}m${text}\x1b[0m` : text;
const indent = (/** @type {string} */ text) => text.replace(/^(?=.)/gm, '    ');

let lastStep = 0;

/** @param {string} title */
function step(title) {
  write(`\n${paint('1;36', `${++lastStep}. ${title}`)}\n`);
}

/** @param {string} text */
function say(text) {
  write(`${text}\n`);
}

/**
 * Prints a command, its host and its output.
 *
 * @param {string} where
 * @param {string} command
 * @param {string} output
 */
function show(where, command, output) {
  write(`${indent(`${paint('2', where === '' ? '$' : `${where} $`)} ${paint('1', command)}`)}\n`);
  write(`${indent(output.trimEnd())}\n`);
}

// The play

async function play() {
  const { NetworkSandbox } = await import('@kube-proxier/network-sandbox');
  const directory = mkdtempSync(join(tmpdir(), 'kube-proxier-demo-'));
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.on(signal, () => stop.abort(new DemoError('interrupted')));
  }
  /** @type {NetworkSandbox | undefined} */
  let sandbox;
  try {
    say(paint('1', 'kube-proxier: from a Service in a YAML file to a packet at its endpoint'));
    step('The network: a sandbox of network namespaces');
    sandbox = await NetworkSandbox.create({ pods: 2, remotePods: 1 });
    const cluster = await new DemoCluster(sandbox, directory, stop.signal).start();
    await perform(cluster);
    if (keep) {
      explainKeeping(cluster);
      process.send?.({ up: true });
      await new Promise((resolve) => stop.signal.addEventListener('abort', resolve, { once: true }));
      return 0;
    }
    await finish(cluster);
    return 0;
  } catch (error) {
    const reason = stop.signal.aborted ? stop.signal.reason : error;
    write(
      `\n${paint('1;31', 'The demo failed:')} ${reason instanceof DemoError ? reason.message : reason instanceof Error ? reason.stack : reason}\n`,
    );
    return 1;
  } finally {
    await sandbox?.close();
    rmSync(directory, { recursive: true, force: true });
    if (!keep) {
      say('\nThe sandbox is removed: namespaces, processes, rules and files.');
    }
    if (process.connected) {
      process.disconnect();
    }
  }
}

/**
 * Ends a process with SIGTERM.
 *
 * @param {ChildProcess} child
 * @returns {Promise<number | null>} its exit status
 */
async function ended(child) {
  const exit = once(child, 'exit');
  child.kill('SIGTERM');
  const [status] = /** @type {[number | null]} */ (await exit);
  return status;
}

/**
 * @template Stream
 * @param {Stream | null} stream of a process that was started with a pipe
 */
function outputOf(stream) {
  if (stream === null) {
    throw new Error('the process has no pipe');
  }
  return stream;
}

/** The hosts of the demo and their processes. */
class DemoCluster {
  /**
   * @param {NetworkSandbox} sandbox
   * @param {string} directory
   * @param {AbortSignal} signal
   */
  constructor(sandbox, directory, signal) {
    this.sandbox = sandbox;
    this.directory = directory;
    this.signal = signal;
    this.manifests = join(directory, 'manifests');
    this.agentLog = join(directory, 'kube-proxier.log');
    this.client = sandbox.client;
    this.node = sandbox.node;
    /** @type {Map<Host, ChildProcess>} */
    this.redis = new Map();
    /** @type {ChildProcess | undefined} */
    this.agent = undefined;
    /** @type {string[]} */
    this.agentLines = [];
  }

  async start() {
    const [pod1, pod2, remote] = [this.sandbox.pod(1), this.sandbox.pod(2), this.sandbox.remotePod(1)];
    say(
      indent(
        [
          '                     remote-node ---- remote-pod1',
          `                     ${this.sandbox.remoteNode.ipv4}      ${remote.ipv4}`,
          '                          |',
          '  client ------------- router',
          `  ${this.client.ipv4}             |`,
          '                         node ------- pod1, pod2',
          `                     ${this.node.ipv4}      ${pod1.ipv4}, ${pod2.ipv4}`,
        ].join('\n'),
      ),
    );
    say('Each is a network namespace with IPv4 and IPv6 addresses. The network of this machine is not changed.');
    say('A redis-server runs in pod1 and in remote-pod1, with the name of its pod as the value of "whoami".');
    await cp(EXAMPLE, this.manifests, { recursive: true });
    await Promise.all([this.startRedis(this.sandbox.pod(1)), this.startRedis(this.sandbox.remotePod(1))]);
    return this;
  }

  /** @param {Host} pod */
  async startRedis(pod) {
    const server = pod.spawn(
      ['redis-server', '--port', `${PORT}`, '--bind', '0.0.0.0', '::', '--protected-mode', 'no', '--save', '',
        '--dir', this.directory, '--loglevel', 'warning'], // biome-ignore format: flags and values
      { stdio: 'ignore' },
    );
    this.redis.set(pod, server);
    await this.until(`redis-server in ${pod.name}`, async () => {
      const { stdout } = await pod.exec(['redis-cli', '-p', `${PORT}`, 'set', 'whoami', pod.name]);
      return stdout.trim() === 'OK';
    });
  }

  /**
   * Ends a Redis as the kubelet does, once no connection is sent to it any more.
   *
   * @param {Host} pod
   */
  async stopRedis(pod) {
    const server = this.redis.get(pod);
    if (server === undefined) {
      throw new DemoError(`no redis-server runs in ${pod.name}`);
    }
    await ended(server);
  }

  startAgent() {
    const args = [
      ...[`--proxy-mode=${mode}`, `--manifests=${this.manifests}`, '--hostname-override=node1'],
      '--cluster-cidr=10.244.0.0/16,fd00:10:244::/56',
    ];
    const agent = this.node.spawn([process.execPath, AGENT, ...args], { stdio: ['ignore', 'ignore', 'pipe'] });
    this.agent = agent;
    const log = createWriteStream(this.agentLog);
    this.agentLines = [];
    createInterface({ input: outputOf(agent.stderr) }).on('line', (line) => {
      this.agentLines.push(line);
      log.write(`${line}\n`);
    });
    agent.once('exit', () => log.end());
    return args;
  }

  /**
   * Runs redis-cli somewhere; rejects when it fails.
   *
   * @param {Host} host
   * @param {string} address
   * @param {number} port
   * @param {readonly string[]} command
   */
  async redisCli(host, address, port, ...command) {
    const { stdout } = await host.exec(['redis-cli', '-h', address, '-p', `${port}`, ...command], { timeout: 5000 });
    // redis-cli ends with status 0 also when it could not connect.
    if (/^(Could not connect|Error)/m.test(stdout)) {
      throw new DemoError(stdout.trim());
    }
    return stdout.trim();
  }

  /**
   * Replaces the file at once, as a careful editor does: it is never seen half-written.
   *
   * @param {readonly Host[]} pods
   */
  writeEndpoints(pods) {
    const nodeOf = (/** @type {Host} */ pod) => (pod.role === 'pod' ? 'node1' : 'node2');
    const slice = (/** @type {string} */ family, /** @type {(pod: Host) => string} */ addressOf) =>
      [
        'apiVersion: discovery.k8s.io/v1',
        'kind: EndpointSlice',
        'metadata:',
        `  name: saythx-redis-${family.toLowerCase()}`,
        '  namespace: work',
        '  labels:',
        '    kubernetes.io/service-name: saythx-redis',
        `addressType: ${family}`,
        'ports:',
        '  - protocol: TCP',
        `    port: ${PORT}`,
        'endpoints:',
        ...pods.map(
          (pod) => `  - { addresses: ["${addressOf(pod)}"], nodeName: ${nodeOf(pod)}, conditions: { ready: true } }`,
        ),
      ].join('\n');
    const text = `${slice('IPv4', (pod) => pod.ipv4)}\n---\n${slice('IPv6', (pod) => pod.ipv6)}\n`;
    const file = join(this.manifests, 'endpoints.yaml');
    writeFileSync(`${file}.new`, text);
    renameSync(`${file}.new`, file);
  }

  /**
   * Polls until `condition` holds; an error counts as "not yet".
   *
   * @param {string} what
   * @param {() => boolean | Promise<boolean>} condition
   */
  async until(what, condition) {
    const deadline = Date.now() + TIMEOUT;
    /** @type {unknown} */
    let last;
    while (Date.now() < deadline) {
      this.signal.throwIfAborted();
      if (this.agent && this.agent.exitCode !== null) {
        throw new DemoError(
          `kube-proxier ended with status ${this.agent.exitCode}:\n${indent(this.agentLines.join('\n'))}`,
        );
      }
      try {
        if (await condition()) {
          return;
        }
      } catch (error) {
        last = error;
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    const log =
      this.agentLines.length > 0 ? `\nkube-proxier said:\n${indent(this.agentLines.slice(-20).join('\n'))}` : '';
    throw new DemoError(
      `${what}: not within ${TIMEOUT / 1000} s${last === undefined ? '' : ` (${messageOf(last)})`}${log}`,
    );
  }

  /**
   * Queries the answering pod `count` times, each with a new redis-cli.
   *
   * @param {number} count
   */
  async whoAnswers(count) {
    const script = `for i in $(seq ${count}); do redis-cli -h ${this.node.ipv4} -p ${NODE_PORT} get whoami; done`;
    const { stdout } = await this.client.exec(['sh', '-c', script]);
    /** @type {Map<string, number>} */
    const answers = new Map();
    for (const line of stdout.trim().split('\n')) {
      answers.set(line, (answers.get(line) ?? 0) + 1);
    }
    return { script, answers };
  }
}

/** @param {ReadonlyMap<string, number>} answers */
const describe = (answers) =>
  [...answers]
    .sort()
    .map(([name, count]) => `${String(count).padStart(7)} ${name}`)
    .join('\n');

/**
 * @param {ReadonlyMap<string, number>} answers
 * @param {readonly string[]} names
 */
function expectOnly(answers, names) {
  const others = [...answers.keys()].filter((name) => !names.includes(name));
  if (others.length > 0 || names.some((name) => !answers.get(name))) {
    throw new DemoError(`expected answers of ${names.join(' and ')}, got ${JSON.stringify([...answers])}`);
  }
}

/** @param {DemoCluster} cluster */
async function perform(cluster) {
  const { sandbox, client, node } = cluster;
  const pod1 = sandbox.pod(1);
  const pod2 = sandbox.pod(2);
  const remote = sandbox.remotePod(1);

  step(`A Service: ${SERVICE}, port ${NODE_PORT} of every node`);
  show('', 'cat examples/saythx-redis/service.yaml', readFileSync(join(EXAMPLE, 'service.yaml'), 'utf8'));
  say('No proxy serves it yet:');
  show('client', `redis-cli -h ${node.ipv4} -p ${NODE_PORT} ping`, await refusal(cluster));

  step('kube-proxier starts on the node and watches the directory with the manifests');
  const args = cluster.startAgent();
  await cluster.until(
    'an answer through the NodePort',
    async () => (await cluster.redisCli(client, node.ipv4, NODE_PORT, 'ping')) === 'PONG',
  );
  show(
    'node',
    `kube-proxier ${args.join(' ').replaceAll(cluster.manifests, 'manifests')}`,
    cluster.agentLines.join('\n').replaceAll(cluster.manifests, 'manifests'),
  );
  say('The Service answers: outside the cluster by the NodePort, over IPv4 and IPv6, and in pod2 by the cluster IP.');
  await ask(client, [node.ipv4, NODE_PORT], ['set', 'greeting', 'hello from outside'], 'OK');
  await cluster.until(
    'an answer by IPv6',
    async () => (await cluster.redisCli(client, node.ipv6, NODE_PORT, 'ping')) === 'PONG',
  );
  await ask(client, [node.ipv6, NODE_PORT], ['get', 'greeting'], 'hello from outside');
  await ask(pod2, [CLUSTER_IP, PORT], ['get', 'greeting'], 'hello from outside');
  await ask(client, [node.ipv4, NODE_PORT], ['get', 'whoami'], 'pod1');

  step('The Service is scaled from one endpoint to two');
  say('endpoints.yaml is rewritten, with remote-pod1 on the other node besides pod1.');
  cluster.writeEndpoints([pod1, remote]);
  await cluster.until('an answer of the new endpoint', async () =>
    (await cluster.whoAnswers(10)).answers.has(remote.name),
  );
  const spread = await cluster.whoAnswers(200);
  expectOnly(spread.answers, [pod1.name, remote.name]);
  show('client', `${spread.script} | sort | uniq -c`, describe(spread.answers));

  step(`The rules of ${SERVICE}`);
  await showRules(cluster);

  step('One endpoint is removed, and no connection fails');
  await removeWithoutLoss(cluster, pod1, remote);

  /**
   * @param {Host} host
   * @param {readonly [address: string, port: number]} target
   * @param {readonly string[]} command
   * @param {string} expected
   */
  async function ask(host, [address, port], command, expected) {
    const answer = await cluster.redisCli(host, address, port, ...command);
    const words = command.map((word) => (word.includes(' ') ? `"${word}"` : word));
    show(host.name, `redis-cli -h ${address} -p ${port} ${words.join(' ')}`, answer);
    if (answer !== expected) {
      throw new DemoError(`expected ${expected}, got ${answer}`);
    }
  }
}

/** @param {DemoCluster} cluster */
async function refusal(cluster) {
  try {
    const answer = await cluster.redisCli(cluster.client, cluster.node.ipv4, NODE_PORT, 'ping');
    throw new Error(`answered ${answer}`);
  } catch (error) {
    const { stderr = '', message } = /** @type {Error & {stderr?: string}} */ (error);
    const said = `${stderr}${message}`;
    if (!/refused/.test(said)) {
      throw new DemoError(`expected a refusal, got: ${said}`);
    }
    return (/Could not connect[^\n;]*/.exec(said) ?? [said])[0];
  }
}

/**
 * @param {DemoCluster} cluster
 * @param {Host} gone
 * @param {Host} stays
 */
async function removeWithoutLoss(cluster, gone, stays) {
  const { client, node } = cluster;
  say(
    `A client connects again and again, while ${gone.name} is taken out of endpoints.yaml; once no connection is sent there any`,
  );
  say('more, its redis-server is stopped.');
  /** @type {Map<string, number>} */
  const answers = new Map();
  let failures = 0;
  /** @type {string[]} */
  let latest = [];
  const loop = client.spawn(
    ['sh', '-c', `while :; do redis-cli -h ${node.ipv4} -p ${NODE_PORT} get whoami || echo "status $?"; done 2>&1`],
    { stdio: ['ignore', 'pipe', 'ignore'] },
  );
  createInterface({ input: outputOf(loop.stdout) }).on('line', (line) => {
    const known = line === gone.name || line === stays.name;
    failures += known ? 0 : 1;
    answers.set(line, (answers.get(line) ?? 0) + 1);
    latest = [...latest, line].slice(-50);
  });
  const onlyStays = () => latest.length === 50 && latest.every((name) => name === stays.name);
  await cluster.until('answers of both', () => [gone, stays].every(({ name }) => (answers.get(name) ?? 0) > 20));
  cluster.writeEndpoints([stays]);
  await cluster.until(`50 answers of ${stays.name} in a row`, onlyStays);
  await cluster.stopRedis(gone);
  latest = [];
  await cluster.until('50 answers more', onlyStays);
  await ended(loop);
  show(
    'client',
    `while :; do redis-cli -h ${node.ipv4} -p ${NODE_PORT} get whoami; done | sort | uniq -c`,
    describe(answers),
  );
  if (failures > 0) {
    throw new DemoError(`${failures} connections failed`);
  }
  const total = [...answers.values()].reduce((sum, count) => sum + count, 0);
  say(`${total} connections, none failed.`);
}

/** @param {DemoCluster} cluster */
async function showRules(cluster) {
  if (mode === 'iptables') {
    const { stdout } = await cluster.node.exec(['iptables-save', '-t', 'nat']);
    const rules = serviceRules(stdout);
    if (rules.length === 0) {
      throw new DemoError('no rule names the Service');
    }
    show('node', `iptables-save -t nat   # the part of ${SERVICE}`, rules.join('\n'));
  } else {
    say('What the kernel does with packets, by the rules that are read from it; unknown where no nft is installed:');
    const verification = [process.execPath, AGENT, 'verify'];
    const { stdout } = await cluster.node.exec(['sh', '-c', '"$@" || test $? = 2', 'sh', ...verification]);
    show('node', 'kube-proxier verify', stdout);
  }
  const question = [cluster.client.ipv4, `${cluster.node.ipv4}:${NODE_PORT}`];
  try {
    const { stdout: answer } = await cluster.node.exec([process.execPath, AGENT, 'explain', ...question]);
    say('The path of a packet of the client:');
    show('node', `kube-proxier explain ${question.join(' ')}`, answer);
  } catch (error) {
    throw new DemoError(`kube-proxier explain failed: ${messageOf(error)}`);
  }
}

/**
 * Rules that name the Service, and those of the chains that only they lead to, chain by chain. Pure.
 *
 * @param {string} saved of `iptables-save`
 */
function serviceRules(saved) {
  const rules = saved.split('\n').filter((line) => line.startsWith('-A '));
  const chainOf = (/** @type {string} */ rule) => rule.split(' ')[1] ?? '';
  const targetOf = (/** @type {string} */ rule) => / -[jg] (\S+)/.exec(rule)?.[1];
  const named = rules.filter((rule) => rule.includes(SERVICE));
  const chains = new Set(named.map(chainOf));
  const elsewhere = new Set(rules.filter((rule) => !rule.includes(SERVICE)).map(targetOf));
  for (const rule of named) {
    const target = targetOf(rule);
    if (target && !elsewhere.has(target)) {
      chains.add(target);
    }
  }
  const isShared = (/** @type {string} */ chain) =>
    rules.some((rule) => chainOf(rule) === chain && !rule.includes(SERVICE) && rule.includes('--comment'));
  // In the order in which a packet meets them.
  const order = ['KUBE-SERVICES', 'KUBE-NODEPORTS', 'KUBE-EXT-', 'KUBE-SVC-', 'KUBE-SEP-'];
  const rank = (/** @type {string} */ chain) => (order.findIndex((prefix) => chain.startsWith(prefix)) + 100) % 100;
  return [...chains]
    .sort((a, b) => rank(a) - rank(b))
    .flatMap((chain) =>
      rules.filter((rule) => chainOf(rule) === chain && (rule.includes(SERVICE) || !isShared(chain))),
    );
}

/** @param {DemoCluster} cluster */
async function finish(cluster) {
  const { client, node } = cluster;
  step('kube-proxier stops, and the installed rules continue to work');
  const { agent } = cluster;
  cluster.agent = undefined;
  const status = agent && (await ended(agent));
  if (status !== 0) {
    throw new DemoError(`kube-proxier ended with status ${status}`);
  }
  show(
    'client',
    `redis-cli -h ${node.ipv4} -p ${NODE_PORT} ping`,
    await cluster.redisCli(client, node.ipv4, NODE_PORT, 'ping'),
  );

  step('kube-proxier cleanup removes all rules');
  await node.exec([process.execPath, AGENT, 'cleanup']);
  await showLeftovers(node);
  show('client', `redis-cli -h ${node.ipv4} -p ${NODE_PORT} ping`, await refusal(cluster));
  say(`\n${paint('1;32', 'All steps succeeded.')}`);
}

/** @param {NetworkSandbox['node']} node */
async function showLeftovers(node) {
  if (mode === 'nftables') {
    const { stdout } = await node.exec([process.execPath, AGENT, 'cleanup', '--dry-run']);
    show('node', 'kube-proxier cleanup --dry-run', stdout);
    if (!stdout.includes('No leftovers found')) {
      throw new DemoError('leftovers were found');
    }
    return;
  }
  let left = 0;
  for (const command of ['iptables-save', 'ip6tables-save']) {
    const { stdout } = await node.exec([command]);
    left += stdout.split('\n').filter((line) => /KUBE-/.test(line)).length;
  }
  show('node', '{ iptables-save; ip6tables-save; } | grep -c KUBE-', `${left}`);
  if (left > 0) {
    throw new DemoError(`${left} lines of ours are left`);
  }
}

/** @param {DemoCluster} cluster */
function explainKeeping(cluster) {
  const enter =
    process.getuid?.() === 0 && !isRootless()
      ? ''
      : `nsenter --target ${process.pid} --user --mount --preserve-credentials `;
  const inside = (/** @type {Host} */ host) => `${enter}ip netns exec ${host.namespace}`;
  step('The sandbox is kept');
  say(`The sandbox and kube-proxier keep running. The log is ${cluster.agentLog}.
Change the endpoints of the Service; kube-proxier programs them within a second:
    $EDITOR ${cluster.manifests}/endpoints.yaml
Run commands on the client, in a pod, or on the node:
    ${inside(cluster.client)} redis-cli -h ${cluster.node.ipv4} -p ${NODE_PORT} get whoami
    ${inside(cluster.sandbox.pod(2))} redis-cli -h ${CLUSTER_IP} -p ${PORT} get whoami
    ${inside(cluster.node)} ${mode === 'iptables' ? 'iptables-save -t nat' : `node ${AGENT} verify`}
    ${inside(cluster.node)} node ${AGENT} explain ${cluster.client.ipv4} ${cluster.node.ipv4}:${NODE_PORT}
Start a redis-server in pod2, and add ${cluster.sandbox.pod(2).ipv4} to the endpoints:
    ${inside(cluster.sandbox.pod(2))} redis-server --port ${PORT} --protected-mode no --save ''
Remove the sandbox:
    kill ${process.pid}`);
}

function isRootless() {
  return readFileSync('/proc/self/uid_map', 'utf8').trim().split(/\s+/).join(' ') !== '0 0 4294967295';
}

await runScript(isInside ? play : launch);
