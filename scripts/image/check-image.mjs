/**
 * `npm run check-image`: builds the image twice, compares the digests, unpacks it, and runs it as the DaemonSet of
 * `deploy/kustomize` does, with runc in the network namespace of a node: the init container, then the agent, with exactly the
 * capabilities, the read-only root and the mounts of the manifest. Packets of a client and of a pod decide.
 */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parse } from 'yaml';
import { NetworkSandbox } from '../../packages/network-sandbox/dist/index.js';
import { prepare } from '../prepare.mjs';
import { buildImage, unpackImage } from './build-image.mjs';
import { ROOT } from './image-parts.mjs';
import { filesOf } from './root-filesystem.mjs';

/** Bytes, compressed. kube-proxy's image on distroless: 59.8 MiB. */
const LARGEST = 60e6;
/** Programs that an intruder or a careless operator would want; none is in the image. */
const UNWANTED = /^(sh|bash|dash|busybox|perl|python[\d.]*|apt.*|dpkg.*|npm|npx|corepack|curl|wget|env)$/;
/** @type {readonly (readonly [flavour: import('./image-parts.mjs').Flavour, modes: readonly string[]])[]} */
const FLAVOURS = [
  ['kube-proxier', ['nftables', 'iptables']],
  ['kube-proxier-nftables', ['nftables']],
];
/** Programs of the kernel's interfaces that the image without tools does not have. */
const TOOLS = /^(nft|conntrack|ipset|(eb|arp|ip6?)?tables.*|x?tables.*|kmod|modprobe)$/;
const NODE_PORT = 30080;
const CLUSTER_IP = '10.96.0.10';
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
 *   capabilities?: {drop?: readonly string[], add?: readonly string[]}}} securityContext
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
  for (const [flavour, modes] of FLAVOURS) {
    const { layout, digest, bytes } = buildTwice(flavour);
    const rootfs = join(directory, `${flavour}-rootfs`);
    mkdirSync(rootfs);
    const image = unpackImage(layout, digest, rootfs);
    checkContents(flavour, rootfs, bytes);
    for (const mode of modes) {
      await checkPackets(mode, join(directory, flavour), rootfs, image);
    }
  }
} finally {
  rmSync(directory, { recursive: true, force: true });
}

/** @param {import('./image-parts.mjs').Flavour} flavour */
function buildTwice(flavour) {
  const built = (process.env.QUICK ? ['first', 'first'] : ['first', 'second']).map((name) => {
    const output = join(directory, flavour, name);
    return buildImage({ architectures: ['amd64'], flavour, output, acceptNewer: true });
  });
  const [first, second] = built;
  assert.ok(first && second);
  assert.equal(first.digest, second.digest, 'two builds have different digests');
  const [one] = first.images;
  assert.ok(one);
  say(`${flavour}: two builds, one digest: ${one.digest}`);
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
 * @param {string} mode
 * @param {string} work directory for what the containers use
 * @param {string} rootfs
 * @param {Run['image']} image
 */
async function checkPackets(mode, work, rootfs, image) {
  const sandbox = await NetworkSandbox.create({ pods: 3, remotePods: 0 });
  try {
    const [first, , third] = sandbox.pods;
    assert.ok(first && third);
    const server = await first.serve({ port: 8080, protocol: 'TCP' });
    const { pod, volumes } = readDaemonSet(mode, work, first.addresses);
    const run = { directory: work, rootfs, image, namespacePath: sandbox.node.namespacePath, volumes };
    for (const container of pod.initContainers) {
      const { status, log } = runToEnd(run, container, mode);
      assert.equal(status, 0, `${container.name}: ${log}`);
    }
    for (const container of pod.containers) {
      const agent = startContainer(run, container, mode);
      try {
        const flows = [
          { from: sandbox.client, to: sandbox.node.ipv4, port: NODE_PORT },
          { from: sandbox.client, to: sandbox.node.ipv6, port: NODE_PORT },
          { from: third, to: CLUSTER_IP, port: 80 },
          { from: sandbox.node, to: CLUSTER_IP, port: 80 },
        ];
        for (const { from, to, port } of flows) {
          await answered(() => from.connect({ to, port, timeout: 1000 }), agent, `${from.name} to ${to} port ${port}`);
        }
        const ready = await sandbox.node.exec(['bash', '-c', READY]);
        assert.match(ready.stdout, / 200 /, `/readyz: ${ready.stdout}`);
        const { stdout, status, stderr } = runc('exec', agent.id, '/usr/local/bin/kube-proxier', 'status');
        assert.equal(status, 0, `kube-proxier status: ${stdout}${stderr}`);
        say(`mode ${mode}: ${flows.length} kinds of connections answered; ${stdout.split('\n')[0]}`);
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
 * The pod of the DaemonSet with volumes on this host: its configuration for a mode, and manifests in place of an API server.
 *
 * @param {string} mode
 * @param {string} work
 * @param {readonly string[]} endpoints addresses
 * @returns {{pod: {initContainers: readonly Container[], containers: readonly Container[]}, volumes: Record<string, string>}}
 */
function readDaemonSet(mode, work, endpoints) {
  const read = (/** @type {string} */ name) => parse(readFileSync(join(ROOT, 'deploy/kustomize', name), 'utf8'));
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
  const volumes = { config: configuration, 'xtables-lock': lock, 'lib-modules': '/lib/modules', manifests };
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
  return `apiVersion: v1
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
 * @param {Run} run
 * @param {Container} container
 * @param {string} mode
 */
function writeBundle(run, container, mode) {
  const bundle = join(run.directory, `${container.name}-${mode}`);
  mkdirSync(bundle);
  const { privileged = false, capabilities, readOnlyRootFilesystem = false } = container.securityContext;
  const granted = (privileged ? ALL_CAPABILITIES : (capabilities?.add ?? [])).map((name) => `CAP_${name}`);
  const mounts = [...container.volumeMounts, { name: 'manifests', mountPath: '/var/run/manifests', readOnly: true }];
  const node = { NODE_NAME: 'node1', KUBERNETES_SERVICE_HOST: '', KUBERNETES_SERVICE_PORT: '' };
  const args = container.args.map((text) => text.replace('$(NODE_NAME)', node.NODE_NAME));
  const config = {
    ociVersion: '1.0.2',
    process: {
      user: { uid: 0, gid: 0 },
      args: [...run.image.Entrypoint, ...args, '--manifests=/var/run/manifests'],
      env: run.image.Env,
      cwd: '/',
      capabilities: Object.fromEntries(['bounding', 'effective', 'permitted'].map((set) => [set, granted])),
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
 * @param {string} mode
 */
function runToEnd(run, container, mode) {
  const bundle = writeBundle(run, container, mode);
  const id = `kube-proxier-${process.pid}-${container.name}-${mode}`;
  const { status, stdout, stderr } = runc('run', '--bundle', bundle, id);
  return { status, log: `${stdout}${stderr}` };
}

/**
 * @param {Run} run
 * @param {Container} container
 * @param {string} mode
 */
function startContainer(run, container, mode) {
  const bundle = writeBundle(run, container, mode);
  const id = `kube-proxier-${process.pid}-${container.name}-${mode}`;
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

/** @param {string} text */
function say(text) {
  process.stdout.write(`${text}\n`);
}
