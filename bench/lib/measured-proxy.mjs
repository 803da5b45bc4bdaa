import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { cpuSeconds, memoryOf, wait } from './process-usage.mjs';

const AGENT = fileURLToPath(new URL('../../packages/agent/bin/kube-proxier.js', import.meta.url));
/** Modules that are preloaded into the agent, and append a line to a file on SIGUSR2, by what they measure. */
const PRELOADED = {
  hold: new URL('./event-loop-hold.mjs', import.meta.url).href,
  heap: new URL('./used-heap.mjs', import.meta.url).href,
};

/**
 * A sync of a proxy that has ended, by its log.
 *
 * @typedef {object} Sync
 * @property {number} at milliseconds of this process
 * @property {number} began milliseconds of this process
 * @property {number | undefined} changes number of service ports that it changed, where the log has it
 */

const OWN_SYNC = /Synced family="IPv4" full=\w+ changes=(\d+) milliseconds=(\d+)/;
/** Of kube-proxy with `-v=2`, in mode ipvs with `-v=4`. A process that serves one family may not name it. */
const PEER_SYNC = /[Ss]yncProxyRules complete"?(?!.*ipFamily="?IPv6).* elapsed="?([\dhmsµun.]+)/;
/** Milliseconds of the units of Go. */
const GO_UNITS = new Map([
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
  ['ms', 1],
  ['µs', 0.001],
  ['us', 0.001],
  ['ns', 0.000_001],
]);

/**
 * Milliseconds of a duration as Go prints it, such as `1m2.5s`.
 *
 * @param {string} text
 */
export function parseGoDuration(text) {
  return [...text.matchAll(/([\d.]+)(h|ms|m|µs|us|ns|s)/g)].reduce(
    (sum, [, number, unit = '']) => sum + Number(number) * (GO_UNITS.get(unit) ?? Number.NaN),
    0,
  );
}

/**
 * What a line of a log says of a sync of IPv4 that has ended.
 *
 * @param {string} line
 * @param {boolean} isPeer whether it is of kube-proxy
 * @returns {{took: number, changes: number | undefined} | undefined} milliseconds, and the number of changes where it is known
 */
export function parseSync(line, isPeer) {
  if (isPeer) {
    const [, took] = PEER_SYNC.exec(line) ?? [];
    return took === undefined ? undefined : { took: parseGoDuration(took), changes: undefined };
  }
  const [, changes, took] = OWN_SYNC.exec(line) ?? [];
  return changes === undefined ? undefined : { took: Number(took), changes: Number(changes) };
}

/**
 * How old each change was when it was in force.
 *
 * @param {readonly number[]} changes when they were made, in order
 * @param {readonly Sync[]} syncs in order
 * @returns {readonly number[]} milliseconds; fewer than changes where some are not in force
 */
export function lagsOf(changes, syncs) {
  let written = 0;
  const lags = [];
  for (const { at, began, changes: count } of syncs) {
    // Where the number is not known: those that were made before it began.
    const upTo = count === undefined ? changes.filter((made) => made <= began).length : written + count;
    lags.push(...changes.slice(written, upTo).map((made) => at - made));
    written = Math.max(written, upTo);
  }
  return lags;
}

/** A proxy, ours or kube-proxy, that runs as a process and whose log tells when it has synced. Both are measured in the same way. */
export class MeasuredProxy {
  /** Milliseconds of this process. */
  #started = performance.now();
  #log = '';
  #hasEnded = false;
  #process;
  #directory;
  #measureFile;
  /** @type {Sync[]} */
  syncs = [];
  /** @type {() => void} */
  #onSync = () => {};

  /**
   * @param {object} options
   * @param {string | undefined} options.peer a kube-proxy, instead of the agent of this repository
   * @param {string} options.mode
   * @param {string} options.kubeconfig as text
   * @param {readonly string[]} [options.flags] further flags
   * @param {boolean} [options.measuresHold] whether `eventLoopHold` is called; it takes some time of the start. Default true
   * @param {boolean} [options.measuresHeap] whether `usedHeap` is called, instead. Default false
   * @param {string} [options.path] where programs are looked for. Default: that of this process
   */
  constructor({
    peer,
    mode,
    kubeconfig: text,
    flags = [],
    measuresHeap = false,
    measuresHold = !measuresHeap,
    path = process.env.PATH,
  }) {
    this.#directory = mkdtempSync(join(tmpdir(), 'bench-proxy-'));
    this.#measureFile = join(this.#directory, 'measured');
    const kubeconfig = join(this.#directory, 'kubeconfig');
    writeFileSync(kubeconfig, text);
    const common = [
      `--proxy-mode=${mode}`,
      `--kubeconfig=${kubeconfig}`,
      '--hostname-override=node1',
      '--cluster-cidr=10.192.0.0/10',
      // The sysctl is read-only in a network namespace, where kube-proxy ends.
      '--conntrack-max-per-core=0',
      `-v=${peer !== undefined && mode === 'ipvs' ? 4 : 2}`,
      ...flags,
    ];
    const [command, args] =
      peer === undefined
        ? [
            process.execPath,
            [
              ...(measuresHeap || measuresHold ? ['--import', measuresHeap ? PRELOADED.heap : PRELOADED.hold] : []),
              AGENT,
              '--verify-period=0',
              ...common,
            ],
          ]
        : [peer, common];
    this.#process = spawn(command, args, {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...process.env, PATH: path, BENCH_MEASURED: this.#measureFile },
    });
    createInterface({ input: this.#process.stderr }).on('line', (line) => {
      this.#log = `${this.#log}${line}\n`.slice(-10_000);
      if (peer === undefined && measuresHold && line.includes('Using proxy mode')) {
        // Holds so far were those of loading the code.
        this.#process.kill('SIGUSR2');
      }
      const sync = parseSync(line, peer !== undefined);
      if (sync) {
        const at = performance.now();
        this.syncs.push({ at, began: at - sync.took, changes: sync.changes });
        this.#onSync();
      }
    });
    // Its log was read to the end by then.
    this.#process.once('close', () => {
      this.#hasEnded = true;
      this.#onSync();
    });
  }

  get pid() {
    return Number(this.#process.pid);
  }

  get memory() {
    return memoryOf(this.pid);
  }

  get cpu() {
    return cpuSeconds(this.pid);
  }

  /** The last lines of its log. */
  get log() {
    return this.#log;
  }

  /**
   * Milliseconds from the start of the process to the end of its first sync.
   *
   * @param {number} [patience] milliseconds
   */
  async firstSync(patience) {
    await this.until(() => this.syncs.length > 0, patience);
    return (this.syncs[0]?.at ?? Number.NaN) - this.#started;
  }

  /**
   * Waits until a condition holds, which is checked after each sync.
   *
   * @param {() => boolean} condition
   * @param {number} [patience] milliseconds
   */
  async until(condition, patience = 300_000) {
    let timer;
    try {
      await new Promise((resolve, reject) => {
        timer = setTimeout(() => reject(new Error(`no sync came in time; the log ends with\n${this.#log}`)), patience);
        this.#onSync = () => {
          if (condition()) {
            resolve(undefined);
          } else if (this.#hasEnded) {
            reject(new Error(`the proxy has ended; its log ends with\n${this.#log}`));
          }
        };
        this.#onSync();
      });
    } finally {
      clearTimeout(timer);
      this.#onSync = () => {};
    }
  }

  /** How long the event loop was held at most since the last call, in milliseconds; only of the agent. */
  async eventLoopHold() {
    return /** @type {import('./event-loop.mjs').Hold} */ (await this.#measure());
  }

  /** The memory that its objects hold after a garbage collection; only of the agent. */
  async usedHeap() {
    return /** @type {import('./used-heap.mjs').UsedHeap} */ (await this.#measure());
  }

  /** @returns {Promise<unknown>} what the preloaded module writes on a signal */
  async #measure() {
    const before = this.#lines();
    this.#process.kill('SIGUSR2');
    while (this.#lines() === before) {
      await wait(5);
    }
    return JSON.parse(readFileSync(this.#measureFile, 'utf8').trim().split('\n').at(-1) ?? '');
  }

  #lines() {
    return existsSync(this.#measureFile) ? readFileSync(this.#measureFile, 'utf8').split('\n').length : 0;
  }

  /** Ends it as a crash does. */
  async kill() {
    await this.#end('SIGKILL');
  }

  async stop() {
    await this.#end('SIGTERM');
  }

  /** @param {NodeJS.Signals} signal */
  async #end(signal) {
    if (this.#process.exitCode === null && this.#process.signalCode === null) {
      const exited = once(this.#process, 'exit');
      this.#process.kill(signal);
      await exited;
    }
    rmSync(this.#directory, { recursive: true });
  }
}
