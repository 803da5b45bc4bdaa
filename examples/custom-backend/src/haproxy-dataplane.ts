import { setTimeout as wait } from 'node:timers/promises';
import { type ChangeSet, type Dataplane, messageOf, type ProxyState } from '@kube-proxier/core';
import { CommandError, type CommandRunner } from '@kube-proxier/linux';
import { type HaproxyTransaction, type InstalledHaproxy, planHaproxy } from './haproxy-planner.js';
import { HaproxyProcess } from './haproxy-process.js';
import { nftFamilyOf, type Place, TABLE } from './place.js';

/** Milliseconds between two checks for drift. */
const CHECK_INTERVAL = 500;

/** Serves one IP family. */
export class HaproxyDataplane implements Dataplane<HaproxyTransaction, InstalledHaproxy> {
  readonly #process: HaproxyProcess;
  readonly #family: 'ip' | 'ip6';
  readonly #network: string;
  /** The rules that were written last, and the listing of nft after that. */
  #rules: { readonly written: string; readonly listed: string } | undefined;
  /** Whether something was written that can drift. */
  #isWatched = false;

  constructor(
    private readonly place: Place,
    private readonly runner: CommandRunner,
  ) {
    this.#process = new HaproxyProcess(place.directory, runner);
    this.#family = nftFamilyOf(place.family);
    this.#network = `${place.address}/${place.family === 'IPv4' ? 32 : 128}`;
  }

  plan(next: ProxyState, changes: ChangeSet, installed?: InstalledHaproxy): HaproxyTransaction | undefined {
    return planHaproxy(this.place, next, changes, installed);
  }

  async readBack(): Promise<InstalledHaproxy> {
    const running = await this.#process.running();
    const inForce = this.#rules !== undefined && (await this.#list()) === this.#rules.listed;
    return {
      structure: running?.structure,
      servers: running ? await this.#process.servers() : new Map(),
      rules: inForce ? this.#rules?.written : undefined,
      address: await this.#hasAddress(),
    };
  }

  /** Changes the servers first, then the rules that redirect to them. */
  async apply({ full, reload, servers, rules }: HaproxyTransaction): Promise<void> {
    if (full) {
      const rest = this.#family === 'ip' ? ['scope', 'host'] : ['nodad'];
      await this.#ip(['addr', 'replace', this.#network, 'dev', 'lo', ...rest]);
    }
    if (reload) {
      await this.#process.reload(reload);
    }
    for (const change of servers) {
      await this.#process.change(change);
    }
    if (rules !== undefined) {
      this.#rules = undefined;
      await this.runner.run({ command: 'nft', args: ['-f', '-'], stdin: rules });
      this.#rules = { written: rules, listed: (await this.#list()) ?? '' };
    }
    this.#isWatched = true;
  }

  async watch(onDrift: (what: string) => void, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await wait(CHECK_INTERVAL, undefined, { signal, ref: false }).catch(() => {});
      const missing = this.#isWatched && !signal.aborted ? await this.#findMissing().catch(messageOf) : undefined;
      if (missing !== undefined) {
        // Reported once; the next sync enables the check again.
        this.#isWatched = false;
        onDrift(missing);
      }
    }
  }

  describe({ full, reload, servers, rules }: HaproxyTransaction): string {
    return [
      full ? 'the address' : '',
      reload ? 'a reload' : '',
      servers.length > 0 ? `${servers.length} servers` : '',
      rules === undefined ? '' : 'the rules',
    ]
      .filter(Boolean)
      .join(', ');
  }

  /** Whether the table exists. */
  async isInstalled(): Promise<boolean> {
    return (await this.#list()) !== undefined;
  }

  async cleanup(): Promise<void> {
    this.#isWatched = false;
    this.#rules = undefined;
    const stdin = `table ${this.#family} ${TABLE} {}\ndelete table ${this.#family} ${TABLE}\n`;
    await this.runner.run({ command: 'nft', args: ['-f', '-'], stdin });
    if (await this.#hasAddress()) {
      await this.#ip(['addr', 'del', this.#network, 'dev', 'lo']);
    }
    await this.#process.remove();
  }

  /** The cost is independent of the number of Services. */
  async #findMissing(): Promise<string | undefined> {
    const args = ['list', 'chain', this.#family, TABLE, 'prerouting'];
    const listed = await this.#optional({ command: 'nft', args });
    if (!listed?.includes('jump services')) {
      return `the nft table ${TABLE}`;
    }
    return (await this.#process.running()) ? undefined : 'haproxy';
  }

  /** The sorted words of the listing of the table; undefined when the table does not exist. */
  async #list(): Promise<string | undefined> {
    const text = await this.#optional({ command: 'nft', args: ['-s', 'list', 'table', this.#family, TABLE] });
    return text
      ?.split(/[\s,]+/)
      .sort()
      .join(' ');
  }

  async #hasAddress(): Promise<boolean> {
    const { stdout } = await this.#ip(['-o', 'addr', 'show', 'dev', 'lo', 'to', this.#network]);
    return stdout.trim() !== '';
  }

  async #optional(request: {
    readonly command: string;
    readonly args: readonly string[];
  }): Promise<string | undefined> {
    try {
      return (await this.runner.run(request)).stdout;
    } catch (error) {
      if (error instanceof CommandError && error.failure === 'exit-code') {
        return undefined;
      }
      throw error;
    }
  }

  #ip(args: readonly string[]) {
    return this.runner.run({ command: 'ip', args: [this.#family === 'ip' ? '-4' : '-6', ...args] });
  }
}
