/**
 * Runs a command inside a Linux kernel with IPVS, independent of the machine's own kernel:
 *
 *   node scripts/run-in-ipvs-kernel.mjs [--timeout seconds] [--memory size] [--write directory]… [--verbose]
 *                                       -- command [argument…]
 *
 * The kernel is Debian's User-Mode Linux (package user-mode-linux): an ordinary process, without /dev/kvm and without
 * emulation. It sees this machine's files; what the command writes stays in the guest's memory, but for what it writes
 * below a directory given with --write. Its network is its own, with lo and nothing else. Output comes through as it is
 * written, standard error apart; the exit status is the command's (128 + N when signal N ended it), 124 after --timeout,
 * 125 when the kernel did not boot or died.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

const KERNEL = '/usr/bin/linux.uml';
const MODULES_DIRECTORY = '/usr/lib/uml/modules';
const INIT = fileURLToPath(new URL('ipvs-kernel-init.sh', import.meta.url));
const EXTENDED_STATE = fileURLToPath(new URL('ipvs-kernel-xstate.c', import.meta.url));
const COMPILER = '/usr/bin/tcc';
const TIMED_OUT = 124;
const NO_KERNEL = 125;

/** Loaded before the command starts; others are loaded on first use. */
const MODULES = [
  ...['ip_vs', 'dummy', 'veth', 'nf_conntrack', 'nf_conntrack_netlink', 'nf_nat'],
  ...['rr', 'wrr', 'lc', 'wlc', 'dh', 'sh', 'sed', 'nq', 'lblc', 'lblcr', 'mh', 'fo', 'ovf'].map(
    (name) => `ip_vs_${name}`,
  ),
  ...['ip_set', 'ip_set_hash_ip', 'ip_set_hash_ipport', 'ip_set_hash_ipportip', 'ip_set_hash_ipportnet'],
  ...['iptable_filter', 'iptable_nat', 'iptable_mangle', 'ip6table_filter', 'ip6table_nat', 'ip6table_mangle'],
  ...['ipt_REJECT', 'ip6t_REJECT', 'xt_set', 'xt_ipvs', 'xt_comment', 'xt_mark', 'xt_conntrack', 'xt_addrtype'],
  ...['xt_tcpudp', 'xt_sctp', 'xt_MASQUERADE', 'xt_nat'],
];

/** The kernel, or something that it needs on this machine, is not there. */
export class IpvsKernelError extends Error {}

/** Whether this processor has more state than the kernel knows to keep; what is done about it needs a C compiler. */
export function hasUnknownProcessorState() {
  try {
    return /^flags\s*:.*\bamx_tile\b/m.test(readFileSync('/proc/cpuinfo', 'utf8'));
  } catch {
    return false;
  }
}

/** Why no such kernel can be booted here, in a sentence that says what to do; undefined when one can. */
export function whyNoIpvsKernel() {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    return 'Debian builds User-Mode Linux for x86_64 only; run this on such a machine.';
  }
  if (process.getuid?.() !== 0) {
    return 'Booting User-Mode Linux takes root here: it mounts things in a mount namespace of its own.';
  }
  /** @type {[file: string, name: string][]} */
  const tools = [
    [KERNEL, 'user-mode-linux'],
    ['/usr/sbin/ipvsadm', 'ipvsadm'],
    ['/usr/sbin/ipset', 'ipset'],
    ['/usr/sbin/modprobe', 'kmod'],
  ];
  if (hasUnknownProcessorState()) {
    tools.push([COMPILER, 'tcc']);
  }
  const missing = tools.filter(([file]) => !isExecutable(file) && !isExecutable(file.replace('/usr/', '/')));
  return missing.length === 0
    ? undefined
    : `Not installed: ${missing.map(([, name]) => name).join(', ')}. Install what is missing with: node scripts/prepare.mjs --ipvs`;
}

/** @param {string} file */
function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * @param {readonly string[]} command
 * @param {{timeout?: number, memory?: string, writable?: readonly string[], verbose?: boolean, stdout?: import('node:stream').Writable}} options
 * `timeout` in seconds, 0 for none. `stdout` gets the command's standard output; default is this process's.
 * @returns {Promise<number>} exit status
 * @throws IpvsKernelError when the kernel cannot be booted here.
 */
export async function runInIpvsKernel(command, options = {}) {
  const { timeout = 0, memory = '2G', writable = [], verbose = false, stdout = process.stdout } = options;
  const obstacle = whyNoIpvsKernel();
  if (obstacle !== undefined) {
    throw new IpvsKernelError(obstacle);
  }
  const directory = mkdtempSync(join(tmpdir(), 'kube-proxier-ipvs-'));
  try {
    handOver(directory, command, writable);
    return await boot(directory, { timeout, memory, verbose, stdout });
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/**
 * @param {string} directory
 * @param {readonly string[]} command
 * @param {readonly string[]} writable
 */
function handOver(directory, command, writable) {
  mkdirSync(join(directory, 'memory'));
  mkdirSync(join(directory, 'uml'));
  const write = (/** @type {string} */ name, /** @type {string | Buffer} */ text) =>
    writeFileSync(join(directory, name), text, { mode: 0o700 });
  write('init', readFileSync(INIT));
  write('modules-directory', `${MODULES_DIRECTORY}\n`);
  write('modules', `${MODULES.join('\n')}\n`);
  write('writable', writable.map((name) => `${realpathSync(name)}\n`).join(''));
  write('status', '');
  if (hasUnknownProcessorState()) {
    compileExtendedState(join(directory, 'xstate.so'));
  }
  const environment = { ...process.env, PATH: `${process.env.PATH ?? ''}:/usr/sbin:/sbin:/usr/bin:/bin` };
  const lines = Object.entries(environment)
    .filter(([name]) => /^[A-Za-z_]\w*$/.test(name))
    .map(([name, value]) => `export ${name}=${quoted(value ?? '')}`);
  lines.push(`cd ${quoted(process.cwd())} || exit ${NO_KERNEL}`, `exec ${command.map(quoted).join(' ')}`, '');
  write('command.sh', lines.join('\n'));
}

/** @param {string} library file to write */
function compileExtendedState(library) {
  const { status, stderr } = spawnSync(COMPILER, ['-shared', '-nostdlib', '-o', library, EXTENDED_STATE], {
    encoding: 'utf8',
  });
  if (status !== 0) {
    throw new IpvsKernelError(`${COMPILER} could not compile ${EXTENDED_STATE}: ${stderr}`);
  }
}

/**
 * One word to a shell.
 *
 * @param {string} text
 */
function quoted(text) {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/**
 * @param {string} directory
 * @param {{timeout: number, memory: string, verbose: boolean, stdout: import('node:stream').Writable}} options
 * @returns {Promise<number>} exit status
 */
async function boot(directory, { timeout, memory, verbose, stdout }) {
  const kernel = [
    ...[KERNEL, `mem=${memory}`, 'root=/dev/root', 'rootfstype=hostfs', 'rootflags=/', 'ro', `init=${directory}/init`],
    ...[`uml_dir=${directory}/uml/`, 'umid=guest', 'security=none', 'panic=-1', 'quiet'],
    ...['con=null', 'con0=null,fd:1', 'ssl=null', 'ssl0=null,fd:3', 'ssl1=null,fd:4'],
  ];
  // Not process 1 of its namespace: when it panics it aborts, and process 1 cannot. Its memory is a file, on a tmpfs of
  // its own, so that the size of /dev/shm does not matter. Every process of the guest ends with the namespace.
  const isolate = ['--fork', '--pid', '--mount', '--mount-proc', '--kill-child=KILL'];
  // Hostfs keeps a file open for each one that it has read.
  const script = `ulimit -n 1048576 2>/dev/null || ulimit -n "$(ulimit -Hn)"
    mount -t tmpfs -o mode=700,size=100% tmpfs "$TMPDIR" && "$@"; exit $?`;
  const library = join(directory, 'xstate.so');
  const environment = existsSync(library) ? { LD_PRELOAD: library } : {};
  const guest = spawn('unshare', [...isolate, 'bash', '-c', script, 'bash', ...kernel], {
    stdio: ['ignore', 'pipe', 'pipe', 'pipe', 'pipe'],
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', HOME: directory, TMPDIR: join(directory, 'memory'), ...environment },
  });
  let log = '';
  const note = (/** @type {string} */ text) => {
    log = (log + text).slice(-16_384);
  };
  const [, output, errors, standardOutput, standardError] = /** @type {(import('node:stream').Readable | null)[]} */ (
    guest.stdio
  );
  output?.setEncoding('utf8').on('data', note);
  errors?.setEncoding('utf8').on('data', note);
  standardOutput?.pipe(stdout, { end: false });
  standardError?.pipe(process.stderr, { end: false });
  let timedOut = false;
  const stop = () => guest.kill('SIGKILL');
  const timer =
    timeout > 0 &&
    setTimeout(() => {
      timedOut = true;
      stop();
    }, timeout * 1000);
  const interrupted = (/** @type {NodeJS.Signals} */ signal) => {
    stop();
    guest.once('close', () => {
      rmSync(directory, { recursive: true, force: true });
      process.kill(process.pid, signal);
    });
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.once(signal, interrupted);
  }
  process.once('exit', stop);
  try {
    await once(guest, 'close');
  } finally {
    clearTimeout(timer || undefined);
    process.off('exit', stop);
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
      process.off(signal, interrupted);
    }
  }
  if (verbose) {
    process.stderr.write(log);
  }
  if (timedOut) {
    process.stderr.write(`run-in-ipvs-kernel: not done after ${timeout} s, and stopped\n`);
    return TIMED_OUT;
  }
  const status = /^\d+$/m.exec(readFileSync(join(directory, 'status'), 'utf8'));
  if (!status) {
    process.stderr.write(`${verbose ? '' : log}run-in-ipvs-kernel: the kernel ended before the command did\n`);
    return NO_KERNEL;
  }
  return Number(status[0]);
}

if (process.argv[1] && import.meta.url === pathToFileURL(realpathSync(process.argv[1])).href) {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        timeout: { type: 'string', default: '0' },
        memory: { type: 'string', default: '2G' },
        write: { type: 'string', multiple: true, default: [] },
        verbose: { type: 'boolean', default: false },
      },
    });
    if (positionals.length === 0) {
      throw new IpvsKernelError(
        'Give the command to run after --, as in: node scripts/run-in-ipvs-kernel.mjs -- ipvsadm -Ln',
      );
    }
    const { timeout, memory, write, verbose } = values;
    process.exitCode = await runInIpvsKernel(positionals, {
      timeout: Number(timeout),
      memory,
      writable: write,
      verbose,
    });
  } catch (error) {
    const { message, stack, code } = /** @type {NodeJS.ErrnoException} */ (error);
    const isOfUser = error instanceof IpvsKernelError || code?.startsWith('ERR_PARSE');
    process.stderr.write(`run-in-ipvs-kernel: ${isOfUser ? message : stack}\n`);
    process.exitCode = NO_KERNEL;
  }
}
