/**
 * `npm run check-image`: builds the images, one of them twice to compare the digests, unpacks them, and runs them as the DaemonSet of
 * `deploy/kustomize` does, with runc in the network namespace of a node: the init container, then the agent, with exactly the
 * capabilities, the read-only root and the mounts of the manifest. Packets of a client and of a pod decide.
 *
 * The image without tools is also run as the chart does with `nonRoot.enabled`, by runtimes that permit capabilities to every user and
 * by those that permit them to root only, and where something for that is missing. With KUBE_PROXIER_TESTS=thorough in all of these
 * ways, and both images are built twice; otherwise in some.
 */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parse } from 'yaml';
import { hasNetAdmin } from '../../packages/linux/dist/index.js';
import { NetworkSandbox } from '../../packages/network-sandbox/dist/index.js';
import { renderChart } from '../deploy/render-chart.mjs';
import { IS_THOROUGH, prepare } from '../prepare.mjs';
import { buildImage, unpackImage } from './build-image.mjs';
import { ROOT, RUNS_WITHOUT_ROOT } from './image-parts.mjs';
import { filesOf, NODE } from './root-filesystem.mjs';

/** Bytes, compressed. kube-proxy's image on distroless: 59.8 MiB. */
const LARGEST = 60e6;
/** Programs that an intruder or a careless operator would want; none is in the image. */
const UNWANTED = /^(sh|bash|dash|busybox|perl|python[\d.]*|apt.*|dpkg.*|npm|npx|corepack|curl|wget|env)$/;
/**
 * How the agent is run.
 *
 * @typedef {object} Way
 * @property {string} name
 * @property {string} mode
 * @property {object} [values] of the chart; without, as deploy/kustomize has it
 * @property {'everybody' | 'root'} [permits] to whom the container runtime permits the capabilities of a container: containerd
 * and CRI-O to everybody, Docker to root. Others have them in the bounding set only. Default: everybody.
 * @property {readonly string[]} [without] capabilities that the container is not given
 * @property {boolean} [losesAttributes] whether the image is unpacked without extended attributes
 * @property {RegExp} [refusal] what the agent reports when it cannot work; without, packets must be answered
 * @property {boolean} [usual] whether it is run in any case; others in a thorough run only
 */

const NON_ROOT = { nonRoot: { enabled: true } };
/** @type {readonly Way[]} */
const WITHOUT_ROOT = [
  { name: 'without root', mode: 'nftables', values: NON_ROOT, usual: true },
  {
    ...{ name: 'without root, by Docker', mode: 'nftables', permits: 'root', usual: true },
    values: { nonRoot: { enabled: true, allowPrivilegeEscalation: true } },
  },
  {
    ...{ name: 'without root, by Docker without privilege escalation', mode: 'nftables', permits: 'root' },
    values: NON_ROOT,
    refusal: /no CAP_NET_ADMIN, as the container runtime permits none .*; set allowPrivilegeEscalation: true/,
  },
  {
    ...{ name: 'without root and NET_ADMIN', mode: 'nftables', values: NON_ROOT, without: ['NET_ADMIN'] },
    refusal: /no CAP_NET_ADMIN; .*add NET_ADMIN to its capabilities \(securityContext\.capabilities\.add\)/,
  },
  {
    ...{ name: 'without root and file capability', mode: 'nftables', values: NON_ROOT, losesAttributes: true },
    refusal:
      /needs the file capability cap_net_admin, .* lost where an image is unpacked or copied without extended attributes/,
  },
];
/** @type {readonly (readonly [flavour: import('./image-parts.mjs').Flavour, ways: readonly Way[]])[]} */
const FLAVOURS = [
  [
    'kube-proxier',
    [
      { name: 'root', mode: 'nftables' },
      { name: 'root', mode: 'iptables', usual: true },
    ],
  ],
  [
    'kube-proxier-nftables',
    [
      { name: 'root', mode: 'nftables', usual: true },
      ...WITHOUT_ROOT,
      { name: 'root without file capability', mode: 'nftables', losesAttributes: true },
    ],
  ],
];
/** Programs of the kernel's interfaces that the image without tools does not have. */
const TOOLS = /^(nft|conntrack|ipset|(eb|arp|ip6?)?tables.*|x?tables.*|kmod|modprobe)$/;
const NODE_PORT = 30080;
const CLUSTER_IP = '10.96.0.10';
/** So many that the first load is a large transaction, which a thread of the thread pool sends. */
const OTHER_SERVICES = 2000;
/** Milliseconds until packets must be answered; a start takes one second on an idle machine. */
const PATIENCE = 120_000;

/** `GET /readyz` without a program that a host may not have. */
const READY = String.raw`exec 3<>/dev/tcp/127.0.0.1/10256; printf 'GET /readyz HTTP/1.0\r\n\r\n' >&3; head -1 <&3`;
/** What a privileged container may do, without SYS_RESOURCE, which machines of CI may lack. */
const ALL_CAPABILITIES = (
  'CHOWN DAC_OVERRIDE DAC_READ_SEARCH FOWNER FSETID KILL SETGID SETUID SETPCAP NET_BIND_SERVICE NET_ADMIN NET_RAW IPC_LOCK ' +
  'SYS_MODULE SYS_CHROOT SYS_PTRACE SYS_ADMIN SYS_NICE SYSLOG BPF PERFMON'
).split(' ');

/**
 * @typedef {object} Container of a pod
 * @property {string} name
 * @property {readonly string[]} args
 * @property {{privileged?: boolean, allowPrivilegeEscalation?: boolean, readOnlyRootFilesystem?: boolean,
 *   runAsUser?: number, runAsGroup?: number, capabilities?: {drop?: readonly string[], add?: readonly string[]}}} securityContext
 * @property {readonly {name: string, mountPath: string, readOnly?: boolean}[]} volumeMounts
 *
 * @typedef {object} Run
 * @property {string} directory
 * @property {string} rootfs
 * @property {{Entrypoint: readonly string[], Env: readonly string[]}} image
 * @property {string} namespacePath
 * @property {Readonly<Record<string, string>>} volumes host paths by their names
 */

prepare({ image: true });
const directory = mkdtempSync(join(tmpdir(), 'kube-proxier-check-image-'));
try {
  for (const [flavour, ways] of FLAVOURS) {
    const { layout, digest, bytes } = build(flavour, IS_THOROUGH || RUNS_WITHOUT_ROOT.includes(flavour) ? 2 : 1);
    const unpack = (/** @type {boolean} */ keepsAttributes) => {
      const rootfs = join(directory, `${flavour}-${keepsAttributes ? 'rootfs' : 'rootfs-without-attributes'}`);
      mkdirSync(rootfs);
      return { rootfs, image: unpackImage(layout, digest, rootfs, { keepsAttributes }) };
    };
    const unpacked = unpack(true);
    checkContents(flavour, unpacked.rootfs, bytes);
    checkCapabilities(flavour, layout, digest, unpacked.rootfs);
    checkWithoutCapabilities(join(directory, flavour), unpacked.rootfs, unpacked.image);
    /** @type {ReturnType<typeof unpack> | undefined} */
    let withoutAttributes;
    for (const way of ways.filter(({ usual }) => usual || IS_THOROUGH)) {
      withoutAttributes ??= way.losesAttributes ? unpack(false) : undefined;
      const { rootfs, image } = (way.losesAttributes && withoutAttributes) || unpacked;
      await checkPackets(way, mkdtempSync(join(directory, `${flavour}-run-`)), rootfs, image);
    }
  }
} finally {
  rmSync(directory, { recursive: true, force: true });
}

/**
 * @param {import('./image-parts.mjs').Flavour} flavour
 * @param {number} times
 */
function build(flavour, times) {
  const built = Array.from({ length: times }, (_none, index) => {
    const output = join(directory, flavour, `${index}`);
    return buildImage({ architectures: ['amd64'], flavour, output, acceptNewer: true });
  });
  const [first] = built;
  assert.ok(first);
  assert.equal(new Set(built.map(({ digest }) => digest)).size, 1, 'builds have different digests');
  const [one] = first.images;
  assert.ok(one);
  say(`${flavour}: ${times === 1 ? 'one build' : `${times} builds`}, one digest: ${one.digest}`);
  return { layout: first.layout, digest: one.digest, bytes: one.bytes };
}

/**
 * @param {import('./image-parts.mjs').Flavour} flavour
 * @param {string} rootfs
 * @param {number} bytes
 */
function checkContents(flavour, rootfs, bytes) {
  say(`${(bytes / 1e6).toFixed(1)} MB compressed`);
  assert.ok(bytes <= LARGEST, `the image has ${bytes} bytes, more than ${LARGEST}`);
  const names = filesOf(rootfs).map((path) => path.slice(rootfs.length));
  const programs = names.filter((path) => /bin\//.test(path)).map((path) => path.slice(path.lastIndexOf('/') + 1));
  assert.deepEqual(
    programs.filter((name) => UNWANTED.test(name)),
    [],
    'unwanted programs',
  );
  const tools = programs.filter((name) => TOOLS.test(name));
  if (flavour === 'kube-proxier') {
    assert.ok(tools.includes('nft') && tools.includes('iptables'), `tools: ${tools}`);
  } else {
    assert.deepEqual(tools, [], 'tools');
  }
  assert.deepEqual(
    names.filter((path) => path.endsWith('.map')),
    [],
    'source maps',
  );
  const packages = names.filter((path) => path.startsWith('/var/lib/dpkg/status.d/')).length;
  // Some share one: these packages are built from one source.
  assert.ok(
    names.filter((path) => path.endsWith('/copyright')).length >= packages - 3,
    'licences of the Debian packages',
  );
  say(`${names.length} files, none of them a shell, a package manager or npm`);
}

/**
 * No program has the rights of its owner, and one a file capability, where the agent runs without root.
 *
 * @param {import('./image-parts.mjs').Flavour} flavour
 * @param {string} layout
 * @param {string} digest
 * @param {string} rootfs
 */
function checkCapabilities(flavour, layout, digest, rootfs) {
  const withRights = filesOf(rootfs).filter(
    (path) => lstatSync(path).isFile() && (lstatSync(path).mode & 0o6000) !== 0,
  );
  assert.deepEqual(withRights, [], 'programs with the set-user-ID or set-group-ID bit');
  const blob = (/** @type {string} */ one) => join(layout, 'blobs', one.replace(':', '/'));
  const { layers } = JSON.parse(readFileSync(blob(digest), 'utf8'));
  const found = layers.flatMap((/** @type {{digest: string}} */ layer) => {
    const args = [
      '--list',
      '--verbose',
      '--verbose',
      '--xattrs',
      '--xattrs-include=*',
      '--gzip',
      '--file',
      blob(layer.digest),
    ];
    const { stdout } = spawnSync('tar', args, { encoding: 'utf8', maxBuffer: 1 << 26 });
    return [...stdout.matchAll(/ (\S+)\n +x: +(\d+) +(\S+)$/gm)].map(([, ...rest]) => rest.join(' '));
  });
  const expected = RUNS_WITHOUT_ROOT.includes(flavour) ? [`./${NODE} 20 security.capability`] : [];
  assert.deepEqual(found, expected, 'extended attributes');
}

/**
 * What needs no capability works without any: the kernel would refuse to start a program with an effective file capability.
 *
 * @param {string} work
 * @param {string} rootfs
 * @param {Run['image']} image
 */
function checkWithoutCapabilities(work, rootfs, image) {
  for (const runAsUser of [0, 65_532]) {
    const run = {
      directory: mkdtempSync(join(work, 'version-')),
      rootfs,
      image,
      namespacePath: '/proc/self/ns/net',
      volumes: {},
    };
    const securityContext = { runAsUser, readOnlyRootFilesystem: true, allowPrivilegeEscalation: false };
    /** @type {Container} */
    const container = { name: `version-${runAsUser}`, args: ['--version'], securityContext, volumeMounts: [] };
    const { status, log } = runToEnd(run, container, { name: 'without capabilities', mode: 'none' });
    assert.equal(status, 0, `--version as user ${runAsUser} without capabilities: ${log}`);
  }
}

/**
 * @param {Way} way
 * @param {string} work directory for what the containers use
 * @param {string} rootfs
 * @param {Run['image']} image
 */
async function checkPackets(way, work, rootfs, image) {
  const { mode } = way;
  const sandbox = await NetworkSandbox.create({ pods: 3, remotePods: 0 });
  try {
    const [first, , third] = sandbox.pods;
    assert.ok(first && third);
    const server = await first.serve({ port: 8080, protocol: 'TCP' });
    const { pod, volumes } = readDaemonSet(way, work, first.addresses);
    const run = { directory: work, rootfs, image, namespacePath: sandbox.node.namespacePath, volumes };
    for (const container of pod.initContainers) {
      const { status, log } = runToEnd(run, container, way);
      assert.equal(status, 0, `${container.name}: ${log}`);
    }
    for (const container of pod.containers) {
      const agent = startContainer(run, container, way);
      try {
        if (way.refusal !== undefined) {
          await refused(agent, way.refusal, sandbox);
          say(`mode ${mode}, ${way.name}: refused, and not ready`);
          continue;
        }
        const flows = [
          { from: sandbox.client, to: sandbox.node.ipv4, port: NODE_PORT },
          { from: sandbox.client, to: sandbox.node.ipv6, port: NODE_PORT },
          { from: third, to: CLUSTER_IP, port: 80 },
          { from: sandbox.node, to: CLUSTER_IP, port: 80 },
          { from: third, to: otherAddress(OTHER_SERVICES - 1), port: 80 },
        ];
        for (const { from, to, port } of flows) {
          await answered(() => from.connect({ to, port, timeout: 1000 }), agent, `${from.name} to ${to} port ${port}`);
        }
        const ready = await sandbox.node.exec(['bash', '-c', READY]);
        assert.match(ready.stdout, / 200 /, `/readyz: ${ready.stdout}`);
        await compiledCodeKept(volumes['compile-cache'] ?? '', agent);
        const { stdout, status, stderr } = runc('exec', agent.id, '/usr/local/bin/kube-proxier', 'status');
        assert.equal(status, 0, `kube-proxier status: ${stdout}${stderr}`);
        checkThreads(agent.id, container.securityContext.runAsUser ?? 0);
        say(`mode ${mode}, ${way.name}: ${flows.length} kinds of connections answered; ${stdout.split('\n')[0]}`);
      } finally {
        await agent.stop();
      }
    }
    await server.close();
  } finally {
    await sandbox.close();
  }
}

/**
 * The agent runs as the user that it should, and what sends large transactions has the capability: threads have their own.
 *
 * @param {string} id of its container
 * @param {number} user
 */
function checkThreads(id, user) {
  const { pid } = JSON.parse(runc('state', id).stdout);
  const read = (/** @type {string} */ path) => readFileSync(`/proc/${pid}/${path}`, 'utf8');
  assert.match(read('status'), new RegExp(`^Uid:\\s+${user}\\s+${user}\\s+${user}\\s`, 'm'));
  const pool = readdirSync(`/proc/${pid}/task`)
    .map((thread) => read(`task/${thread}/status`))
    .filter((status) => /^Name:\s+libuv-worker/m.test(status));
  assert.ok(pool.length > 0, 'no thread of the thread pool was found by its name');
  assert.ok(
    pool.every((status) => hasNetAdmin(status, 'CapEff')),
    'a thread of the thread pool lacks CAP_NET_ADMIN',
  );
}

/**
 * The pod of the DaemonSet with volumes on this host: its configuration for a mode, and manifests in place of an API server.
 *
 * @param {Way} way
 * @param {string} work
 * @param {readonly string[]} endpoints addresses
 * @returns {{pod: {initContainers: readonly Container[], containers: readonly Container[]}, volumes: Record<string, string>}}
 */
function readDaemonSet({ mode, values }, work, endpoints) {
  const required = { apiServer: { host: 'kind-control-plane' }, config: { clusterCIDR: '10.244.0.0/16' } };
  const rendered = values && renderChart({ ...required, ...values });
  const read = (/** @type {string} */ name) =>
    parse(rendered?.get(name) ?? readFileSync(join(ROOT, 'deploy/kustomize', name), 'utf8'));
  const pod = read('daemon-set.yaml').spec.template.spec;
  const configuration = join(work, `config-${mode}`);
  const manifests = join(work, `manifests-${mode}`);
  mkdirSync(configuration);
  mkdirSync(manifests);
  const text = read('config-map.yaml').data['config.conf'];
  assert.match(text, /^mode: nftables$/m);
  const dualStack = text.replace(/^clusterCIDR: .*$/m, 'clusterCIDR: 10.244.0.0/16,fd00:10:244::/56');
  writeFileSync(join(configuration, 'config.conf'), dualStack.replace(/^mode: .*$/m, `mode: ${mode}`));
  writeFileSync(join(manifests, 'web.yaml'), serviceManifest(endpoints));
  const lock = join(work, `xtables-${mode}.lock`);
  writeFileSync(lock, '');
  const compileCache = join(work, `compile-cache-${mode}`);
  mkdirSync(compileCache);
  // As the kubelet makes a volume that begins empty.
  chmodSync(compileCache, 0o777);
  const volumes = {
    ...{ config: configuration, 'xtables-lock': lock, 'lib-modules': '/lib/modules', manifests },
    'compile-cache': compileCache,
  };
  mkdirSync('/lib/modules', { recursive: true });
  return { pod, volumes };
}

/** @param {readonly string[]} endpoints */
function serviceManifest(endpoints) {
  const slices = endpoints.map((address) => {
    const family = address.includes(':') ? 'IPv6' : 'IPv4';
    return `---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: web-${family.toLowerCase()}, namespace: default, labels: {kubernetes.io/service-name: web}}
addressType: ${family}
ports: [{name: http, port: 8080, protocol: TCP}]
endpoints: [{addresses: ["${address}"], nodeName: node1, conditions: {ready: true}}]
`;
  });
  const [endpoint = ''] = endpoints;
  const others = Array.from({ length: OTHER_SERVICES }, (_, index) => otherService(index, endpoint));
  return `${others.join('')}---
apiVersion: v1
kind: Service
metadata: {name: web, namespace: default}
spec:
  type: NodePort
  clusterIP: ${CLUSTER_IP}
  clusterIPs: ["${CLUSTER_IP}", "fd00:10:96::10"]
  ipFamilies: [IPv4, IPv6]
  ipFamilyPolicy: RequireDualStack
  ports: [{name: http, port: 80, targetPort: 8080, nodePort: ${NODE_PORT}, protocol: TCP}]
${slices.join('')}`;
}

/**
 * @param {number} index
 * @param {string} endpoint
 */
function otherService(index, endpoint) {
  return `---
apiVersion: v1
kind: Service
metadata: {name: other-${index}, namespace: default}
spec: {clusterIP: ${otherAddress(index)}, clusterIPs: ["${otherAddress(index)}"], ipFamilies: [IPv4], ports: [{port: 80, targetPort: 8080}]}
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: other-${index}, namespace: default, labels: {kubernetes.io/service-name: other-${index}}}
addressType: IPv4
ports: [{port: 8080}]
endpoints: [{addresses: ["${endpoint}"], nodeName: node1, conditions: {ready: true}}]
`;
}

/** @param {number} index */
function otherAddress(index) {
  return `10.97.${index >> 8}.${index & 255}`;
}

/**
 * @param {Run} run
 * @param {Container} container
 * @param {Way} way
 */
function writeBundle(run, container, { mode, permits = 'everybody', without = [] }) {
  const bundle = join(run.directory, `${container.name}-${mode}`);
  mkdirSync(bundle);
  const { privileged = false, capabilities, readOnlyRootFilesystem = false } = container.securityContext;
  const { runAsUser: uid = 0, runAsGroup: gid = uid } = container.securityContext;
  const added = (capabilities?.add ?? []).filter((name) => !without.includes(name));
  const granted = (privileged ? ALL_CAPABILITIES : added).map((name) => `CAP_${name}`);
  const sets = permits === 'root' && uid !== 0 ? ['bounding'] : ['bounding', 'effective', 'permitted'];
  const mounts = [
    ...container.volumeMounts,
    ...('manifests' in run.volumes ? [{ name: 'manifests', mountPath: '/var/run/manifests', readOnly: true }] : []),
  ];
  const node = { NODE_NAME: 'node1', KUBERNETES_SERVICE_HOST: '', KUBERNETES_SERVICE_PORT: '' };
  const args = container.args.map((text) => text.replace('$(NODE_NAME)', node.NODE_NAME));
  const config = {
    ociVersion: '1.0.2',
    process: {
      user: { uid, gid },
      args: [
        ...run.image.Entrypoint,
        ...args,
        ...('manifests' in run.volumes ? ['--manifests=/var/run/manifests'] : []),
      ],
      env: run.image.Env,
      cwd: '/',
      capabilities: Object.fromEntries(sets.map((set) => [set, granted])),
      noNewPrivileges: container.securityContext.allowPrivilegeEscalation === false,
    },
    root: { path: run.rootfs, readonly: readOnlyRootFilesystem },
    mounts: [
      { destination: '/proc', type: 'proc', source: 'proc' },
      { destination: '/dev', type: 'tmpfs', source: 'tmpfs', options: ['nosuid', 'mode=755', 'size=65536k'] },
      { destination: '/sys', type: 'bind', source: '/sys', options: ['rbind', privileged ? 'rw' : 'ro'] },
      ...mounts.map(({ name, mountPath, readOnly }) => ({
        destination: mountPath,
        type: 'bind',
        source: run.volumes[name],
        options: ['rbind', readOnly ? 'ro' : 'rw'],
      })),
    ],
    linux: {
      namespaces: [{ type: 'pid' }, { type: 'mount' }, { type: 'ipc' }, { type: 'network', path: run.namespacePath }],
      ...(privileged
        ? {}
        : {
            maskedPaths: ['/proc/kcore', '/proc/keys', '/proc/timer_list'],
            readonlyPaths: ['/proc/bus', '/proc/fs', '/proc/irq', '/proc/sys', '/proc/sysrq-trigger'],
          }),
    },
  };
  writeFileSync(join(bundle, 'config.json'), JSON.stringify(config));
  return bundle;
}

/**
 * @param {Run} run
 * @param {Container} container
 * @param {Way} way
 */
function runToEnd(run, container, way) {
  const bundle = writeBundle(run, container, way);
  const id = `kube-proxier-${process.pid}-${container.name}-${way.mode}`;
  const { status, stdout, stderr } = runc('run', '--bundle', bundle, id);
  return { status, log: `${stdout}${stderr}` };
}

/**
 * @param {Run} run
 * @param {Container} container
 * @param {Way} way
 */
function startContainer(run, container, way) {
  const bundle = writeBundle(run, container, way);
  const id = `kube-proxier-${process.pid}-${container.name}-${way.mode}`;
  const file = join(bundle, 'log');
  const log = openSync(file, 'w');
  const child = spawn('runc', ['run', '--bundle', bundle, id], { stdio: ['ignore', log, log] });
  const ended = new Promise((resolve) => child.on('exit', resolve));
  return {
    id,
    get hasEnded() {
      return child.exitCode !== null || child.signalCode !== null;
    },
    get log() {
      return existsSync(file) ? readFileSync(file, 'utf8') : '';
    },
    stop: async () => {
      runc('kill', id, 'TERM');
      await ended;
    },
  };
}

/** @param {readonly string[]} args */
function runc(...args) {
  return spawnSync('runc', [...args], { encoding: 'utf8', timeout: PATIENCE });
}

/**
 * @param {() => Promise<{readonly kind: string}>} connect
 * @param {{readonly hasEnded: boolean, readonly log: string}} agent
 * @param {string} what
 */
async function answered(connect, agent, what) {
  const deadline = performance.now() + PATIENCE;
  let outcome = await connect();
  while (outcome.kind !== 'answered') {
    assert.ok(!agent.hasEnded, `the agent ended:\n${agent.log}`);
    assert.ok(performance.now() < deadline, `${what}: ${outcome.kind}\n${agent.log}`);
    await delay(100);
    outcome = await connect();
  }
}

/**
 * Waits until the agent has written its compiled code: after a crash, the next start of the container uses it.
 *
 * @param {string} directory
 * @param {{readonly hasEnded: boolean, readonly log: string}} agent
 */
async function compiledCodeKept(directory, agent) {
  const deadline = performance.now() + PATIENCE;
  while (readdirSync(directory, { recursive: true }).length < 2) {
    assert.ok(!agent.hasEnded && performance.now() < deadline, `no compiled code was written:\n${agent.log}`);
    await delay(100);
  }
}

/**
 * Waits until the agent says what it lacks, and ends; it must not be ready.
 *
 * @param {{readonly hasEnded: boolean, readonly log: string}} agent
 * @param {RegExp} refusal
 * @param {NetworkSandbox} sandbox
 */
async function refused(agent, refusal, sandbox) {
  const deadline = performance.now() + PATIENCE;
  while (!refusal.test(agent.log)) {
    assert.ok(!agent.hasEnded && performance.now() < deadline, `${refusal} was not reported:\n${agent.log}`);
    await delay(100);
  }
  const ready = await sandbox.node.exec(['bash', '-c', `(${READY}) || true`]);
  assert.doesNotMatch(ready.stdout, / 200 /, '/readyz');
  while (!agent.hasEnded) {
    assert.ok(performance.now() < deadline, `the agent did not end:\n${agent.log}`);
    await delay(100);
  }
}

/** @param {string} text */
function say(text) {
  process.stdout.write(`${text}\n`);
}
