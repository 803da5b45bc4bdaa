/**
 * Gets a fresh clone ready: Debian packages, npm packages, build. Says what it does and why; silent when there is
 * nothing to do. Runs before `npm install`, so it uses nothing but Node.
 *
 *   node scripts/prepare.mjs [--demo] [--ipvs] [--browser] [--image] [--system-only]
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { accessSync, constants, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { hasUnknownProcessorState } from './run-in-ipvs-kernel.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** Whether tests and checks make all of their runs, as `isThorough` of `@kube-proxier/core/testing` for tests. */
export const IS_THOROUGH = process.env.KUBE_PROXIER_TESTS === 'thorough';
/** Set where everything was built just before: a build without changes takes as long as a small suite. */
const IS_BUILT = process.env.KUBE_PROXIER_BUILT === '1';
/** Major and minor version. */
const OLDEST_NODE = /** @type {const} */ ([20, 19]);
const SYSTEM_PATH = `${process.env.PATH ?? ''}:/usr/local/sbin:/usr/sbin:/sbin:/usr/bin:/bin`;

/** @typedef {{readonly command: string, readonly package: string, readonly purpose: string}} Tool a command, the Debian package of it, and what it is for */

const TOOLS = [
  { command: 'ip', package: 'iproute2', purpose: 'to build network namespaces' },
  { command: 'nsenter', package: 'util-linux', purpose: 'to enter network namespaces' },
  { command: 'iptables-restore', package: 'iptables', purpose: 'to program the kernel' },
  { command: 'nft', package: 'nftables', purpose: 'to program and to look at the kernel' },
  { command: 'conntrack', package: 'conntrack', purpose: 'to put flows into connection tracking, in tests' },
  { command: 'modprobe', package: 'kmod', purpose: 'to load kernel modules where that is allowed' },
  { command: 'ping', package: 'iputils-ping', purpose: 'to ping cluster IPs, in tests' },
];
const HAPROXY_TOOLS = [{ command: 'haproxy', package: 'haproxy', purpose: 'to balance in the example of a backend' }];
const BROWSER_TOOLS = [{ command: 'chromium', package: 'chromium', purpose: 'to open the status page, in tests' }];
const ALERT_TOOLS = [{ command: 'promtool', package: 'prometheus', purpose: 'to evaluate the alert rules, in tests' }];
const PLUGIN_TOOLS = [
  { command: 'ipset', package: 'ipset', purpose: 'to install rules as network plugins do, in tests' },
];
const THREADED_TOOLS = [{ command: 'ethtool', package: 'ethtool', purpose: 'to have a thread for received packets' }];
const IMAGE_TOOLS = [
  { command: 'dpkg-deb', package: 'dpkg', purpose: 'to unpack the Debian packages of the image' },
  { command: 'runc', package: 'runc', purpose: 'to run the image, in tests' },
];
const ARCHIVE_TOOLS = [{ command: 'unzip', package: 'unzip', purpose: 'to unpack helm and kubectl, in checks' }];
const DEMO_TOOLS = [
  { command: 'redis-server', package: 'redis-server', purpose: 'to run behind the example Service' },
  { command: 'redis-cli', package: 'redis-tools', purpose: 'to be its client' },
];

const IPVS_TOOLS = [
  { command: 'linux.uml', package: 'user-mode-linux', purpose: 'to boot a kernel with IPVS' },
  { command: 'ipvsadm', package: 'ipvsadm', purpose: 'to look at IPVS' },
  { command: 'ipset', package: 'ipset', purpose: 'to look at sets of addresses' },
  ...(hasUnknownProcessorState()
    ? [{ command: 'tcc', package: 'tcc', purpose: 'to help that kernel with this processor' }]
    : []),
];

/** Something that only a person can fix. */
export class PrepareError extends Error {}

/**
 * @typedef {object} PrepareOptions also what only a part of the scripts needs
 * @property {boolean} [demo] the demo
 * @property {boolean} [ipvs] the tests of IPVS
 * @property {boolean} [haproxy] the example of a backend
 * @property {boolean} [browser] the tests of the status page
 * @property {boolean} [alerts] the tests of the alert rules
 * @property {boolean} [plugins] the tests beside rules of network plugins
 * @property {boolean} [threaded] the benchmark of health checks
 * @property {boolean} [image] the build and the check of the image
 * @property {boolean} [archives] the check of the chart
 * @property {boolean} [systemOnly] leaves out npm packages and build
 */

/** @param {PrepareOptions} options */
export function prepare(options = {}) {
  const {
    demo = false,
    ipvs = false,
    haproxy = false,
    browser = false,
    alerts = false,
    plugins = false,
    threaded = false,
    image = false,
    archives = false,
    systemOnly = false,
  } = options;
  checkNode();
  installTools([
    ...TOOLS,
    ...(demo ? DEMO_TOOLS : []),
    ...(ipvs ? IPVS_TOOLS : []),
    ...(haproxy ? HAPROXY_TOOLS : []),
    ...(browser ? BROWSER_TOOLS : []),
    ...(alerts ? ALERT_TOOLS : []),
    ...(plugins ? PLUGIN_TOOLS : []),
    ...(threaded ? THREADED_TOOLS : []),
    ...(image ? IMAGE_TOOLS : []),
    ...(archives ? ARCHIVE_TOOLS : []),
  ]);
  if (!systemOnly) {
    installPackages();
    build();
  }
}

function checkNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major < OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor < OLDEST_NODE[1])) {
    throw new PrepareError(
      `This is Node ${process.versions.node}; kube-proxier needs Node ${OLDEST_NODE.join('.')} or later (https://nodejs.org).`,
    );
  }
  if (process.platform !== 'linux') {
    throw new PrepareError('kube-proxier programs the Linux kernel: use a Linux machine, a VM or a container.');
  }
}

/** @param {string} command */
function isInstalled(command) {
  return SYSTEM_PATH.split(':').some((directory) => {
    try {
      accessSync(join(directory || '.', command), constants.X_OK);
      return directory !== '';
    } catch {
      return false;
    }
  });
}

/** @param {readonly Tool[]} tools */
function installTools(tools) {
  const missing = tools.filter((tool) => !isInstalled(tool.command));
  if (missing.length === 0) {
    return;
  }
  const names = [...new Set(missing.map((tool) => tool.package))];
  const command = `apt-get install --yes --no-install-recommends ${names.join(' ')}`;
  const list = missing
    .map((tool) => `  ${tool.command.padEnd(16)} ${tool.purpose} (package ${tool.package})`)
    .join('\n');
  const isRoot = process.getuid?.() === 0;
  if (!isRoot || !isInstalled('apt-get')) {
    throw new PrepareError(
      `These commands are missing:\n${list}\n${
        isInstalled('apt-get')
          ? `Install them as root, then try again:\n  ${command}`
          : 'Install them with the package manager of this system, then try again.'
      }`,
    );
  }
  say(`Installing Debian packages that are missing here:\n${list}`);
  withoutStartingServices(() => {
    const environment = { DEBIAN_FRONTEND: 'noninteractive' };
    if (!packagesAreKnown(names)) {
      say('apt-get update (the list of packages is empty)');
      run('apt-get', ['update', '--quiet'], environment, true);
    }
    say(command);
    const install = () => run('apt-get', command.split(' ').slice(1), environment, true);
    try {
      install();
    } catch {
      say('apt-get update, then a second attempt (the package list may be outdated)');
      run('apt-get', ['update', '--quiet'], environment, true);
      install();
    }
  });
  const stillMissing = tools.filter((tool) => !isInstalled(tool.command)).map((tool) => tool.command);
  if (stillMissing.length > 0) {
    throw new PrepareError(`${stillMissing.join(', ')} still missing after the installation`);
  }
}

/** @param {readonly string[]} names */
function packagesAreKnown(names) {
  return names.every((name) => {
    const policy = spawnSync('apt-cache', ['policy', name], { encoding: 'utf8', env: { ...process.env, LC_ALL: 'C' } });
    return /Candidate: (?!\(none\))/.test(policy.stdout ?? '');
  });
}

/**
 * Debian starts a service when its package is installed, unless this file says not to.
 *
 * @param {() => void} action
 */
function withoutStartingServices(action) {
  const policy = '/usr/sbin/policy-rc.d';
  const ours = !existsSync(policy);
  if (ours) {
    writeFileSync(policy, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  }
  try {
    action();
  } finally {
    if (ours) {
      rmSync(policy, { force: true });
    }
  }
}

/** npm packages follow the manifests, not the lock file, which npm may write to. */
function installPackages() {
  const stamp = join(ROOT, 'node_modules', '.kube-proxier-install');
  const wanted = manifestDigest();
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) {
    return;
  }
  say('npm install');
  run('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error']);
  writeFileSync(stamp, wanted);
}

function manifestDigest() {
  const packages = readdirSync(join(ROOT, 'packages')).sort();
  const files = [
    'package.json',
    ...packages.map((name) => join('packages', name, 'package.json')),
    'docs/api/package.json',
  ];
  const hash = createHash('sha256').update(process.versions.modules);
  for (const file of files.map((name) => join(ROOT, name)).filter((name) => existsSync(name))) {
    hash.update(readFileSync(file));
  }
  return hash.digest('hex');
}

function build() {
  if (IS_BUILT) {
    return;
  }
  run(process.execPath, [join(ROOT, 'scripts', 'build.mjs')]);
}

/**
 * Output is shown while it runs, or, when `quiet`, only if it fails.
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @param {NodeJS.ProcessEnv} [environment] besides that of this process
 * @param {boolean} [quiet]
 */
function run(command, args, environment = {}, quiet = false) {
  const result = spawnSync(command, args, {
    cwd: ROOT,
    encoding: 'utf8',
    stdio: quiet ? ['ignore', 'pipe', 'pipe'] : ['ignore', 'inherit', 'inherit'],
    maxBuffer: 64 * 1024 * 1024,
    env: { ...process.env, ...environment, PATH: SYSTEM_PATH },
  });
  if (result.status !== 0) {
    const output = quiet ? `\n${`${result.stdout}${result.stderr}`.trim().split('\n').slice(-15).join('\n')}` : '';
    throw new PrepareError(`${command} ${args.join(' ')} failed${output}`, { cause: result.error });
  }
}

/** @param {string} text */
function say(text) {
  process.stdout.write(`${text}\n`);
}

/**
 * The message of a thrown value.
 *
 * @param {unknown} error
 */
export function messageOf(error) {
  return error instanceof Error ? error.message : String(error);
}

/**
 * Runs `main`, and turns what only a person can fix into a message and exit status 1.
 *
 * @param {() => number | void | Promise<number | void>} main returns the exit status; default 0
 */
export async function runScript(main) {
  try {
    process.exitCode = (await main()) ?? 0;
  } catch (error) {
    process.stderr.write(
      `${error instanceof PrepareError ? error.message : error instanceof Error ? error.stack : error}\n`,
    );
    process.exitCode = 1;
  }
}

/**
 * The command to put before another one so that it is root over network namespaces of its own: none where this process
 * can make them already.
 *
 * @returns {string[]}
 */
export function rootlessPrefix() {
  const allows = (/** @type {readonly string[]} */ [command = '', ...args]) =>
    spawnSync(command, [...args, 'true'], { stdio: 'ignore' }).status === 0;
  if (process.getuid?.() === 0 && allows(['unshare', '--net', '--mount'])) {
    return [];
  }
  const prefix = ['unshare', '--user', '--map-root-user', '--net', '--mount'];
  if (!allows(prefix)) {
    throw new PrepareError(
      'Network namespaces cannot be made here, and this kernel or container allows no user namespaces: run it as root,\n' +
        'and in a container as a privileged one (docker run --privileged …).',
    );
  }
  // A new network namespace begins with its loopback interface down.
  return [...prefix, 'sh', '-c', 'PATH="$PATH:/usr/sbin:/sbin"; ip link set lo up; exec "$@"', 'sh'];
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  await runScript(() =>
    prepare({
      demo: process.argv.includes('--demo'),
      ipvs: process.argv.includes('--ipvs'),
      browser: process.argv.includes('--browser'),
      image: process.argv.includes('--image'),
      systemOnly: process.argv.includes('--system-only'),
    }),
  );
}
