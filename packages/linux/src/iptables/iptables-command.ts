import { type IPFamily, ProxierError } from '@kube-proxier/core';
import {
  CommandError,
  type CommandRequest,
  type CommandResult,
  type CommandRunner,
} from '../process/command-runner.js';
import { DocumentWriter } from './document-writer.js';
import type { Iptables, IptablesTable, IptablesVariant, IptablesVersion } from './iptables.js';
import { iptablesErrorOf, namesTarget } from './iptables-diagnostics.js';
import { IptablesError } from './iptables-error.js';
import { IptablesNetlink } from './netlink/iptables-netlink.js';
import { OwnChanges, type TablePosition } from './own-changes.js';
import { splitWords } from './rule-text.js';
import { createTableStamps, type TableStamps } from './table-stamps.js';

export interface IptablesCommandOptions {
  readonly family: IPFamily;
  readonly runner: CommandRunner;
  /** Default: the variant of `iptables` in PATH. */
  readonly variant?: IptablesVariant;
  /** Seconds to wait for the xtables lock of the legacy variant, for each attempt. Default 5. */
  readonly lockWait?: number;
  /** Maximum number of attempts to get the lock. Default 3. */
  readonly lockAttempts?: number;
  /** Maximum duration of one run in milliseconds. Default 300000: a full load through the nft variant is slow. */
  readonly timeout?: number;
  /**
   * Whether small documents go to one long-running iptables-restore while they arrive in quick succession, where the
   * runner supports that. Default: with variant `nft`.
   */
  readonly persistent?: boolean;
  /**
   * Whether documents are written by netlink, if the version of the program prints such rules unchanged; the program
   * writes the sections that netlink cannot write or the kernel refuses. Default: with variant `nft`, if the runner has
   * a known network namespace.
   */
  readonly netlink?: boolean;
  /** The version, if known. Default: queried once from the program. */
  readonly version?: Promise<IptablesVersion>;
  /**
   * An earlier dump of all tables. The first `save` of all tables returns it, if the rules of tables `filter` and `nat`
   * are unchanged. Default: none.
   */
  readonly saved?: SavedRules;
}

/** The rules of all tables of a family, in the format of `iptables-save`. */
export interface SavedRules {
  readonly text: string;
  /** The stamp of the rules of tables `filter` and `nat` before the read. Default: unknown. */
  readonly stamp?: string;
}

/** The real {@link Iptables}: it runs the iptables tools. */
export function createIptables(options: IptablesCommandOptions): Iptables {
  return new IptablesCommand(options);
}

/** The name of a tool: `iptables-restore`, `ip6tables-nft-save`… */
export function iptablesProgram(
  family: IPFamily,
  variant: IptablesVariant | undefined,
  tool: '' | 'save' | 'restore',
): string {
  return [family === 'IPv4' ? 'iptables' : 'ip6tables', variant, tool].filter((word) => word).join('-');
}

/** Shared by both families, since the nft variant has one stamp for both. */
const OWN_CHANGES = new WeakMap<CommandRunner, OwnChanges>();

class IptablesCommand implements Iptables {
  readonly family: IPFamily;
  /** The end of the last exclusive run. */
  #lastAlone: Promise<unknown> = Promise.resolve();
  /** The end of all runs. */
  #last: Promise<unknown> = Promise.resolve();
  #version: Promise<IptablesVersion> | undefined;
  #saved: SavedRules | undefined;
  readonly #stamps: TableStamps | undefined;
  readonly #writer: DocumentWriter;
  readonly #ownChanges: OwnChanges;
  readonly #positions = new Map<IptablesTable, TablePosition>();

  private readonly options: Omit<IptablesCommandOptions, 'saved' | 'version'>;

  constructor({ saved, version, ...options }: IptablesCommandOptions) {
    const { family, variant, runner, netlink = variant === 'nft', persistent = variant === 'nft' } = options;
    this.options = options;
    this.family = family;
    this.#version = version;
    this.#saved = saved;
    this.#ownChanges = OWN_CHANGES.get(runner) ?? new OwnChanges();
    OWN_CHANGES.set(runner, this.#ownChanges);
    const { networkNamespace: place } = runner;
    const namespace = place === 'own' ? undefined : place;
    if (variant !== undefined && place !== undefined) {
      this.#stamps = createTableStamps(family, variant, namespace);
    }
    this.#writer = new DocumentWriter({
      runner,
      program: this.#program('restore'),
      args: ['--noflush', ...this.#wait()],
      timeout: this.#timeout,
      // The legacy tool does not stop the timer of its lock wait, and treats the signal as the end of its input.
      persistent,
      netlink:
        netlink && place !== undefined
          ? new IptablesNetlink(family, namespace === undefined ? {} : { namespace })
          : undefined,
      version: () => this.version(),
      retrying: (work) => this.#retrying(work),
    });
  }

  async restore(document: string): Promise<void> {
    await this.#inTurn(() => this.#asOurs(document, () => this.#writer.write(document)));
  }

  close(): void {
    for (const [table, position] of this.#positions) {
      this.#ownChanges.leave(this.#stamps?.scopeOf(table) ?? table, position);
    }
    this.#positions.clear();
    this.#stamps?.close();
    void this.#inTurn(async () => this.#writer.close());
  }

  async save(table?: IptablesTable, signal?: AbortSignal): Promise<string> {
    const saved = this.#saved;
    if (table === undefined && saved !== undefined) {
      this.#saved = undefined;
      await this.#lastAlone;
      // Programs of a killed agent may still write: their change has another stamp.
      if (saved.stamp !== undefined && saved.stamp === (await this.#stamps?.ofRules())) {
        return saved.text;
      }
    }
    const args = table === undefined ? [] : ['-t', table];
    return (await this.#runBeside('save', args, signal === undefined ? {} : { signal })).stdout;
  }

  async counted(table: IptablesTable, chain?: string): Promise<string> {
    if (chain === undefined) {
      return (await this.#run('save', ['-c', '-t', table], {})).stdout;
    }
    const { stdout } = await this.#run('', ['-t', table, '-S', chain, '-v'], {});
    return stdout.replace(/^(-A .*?) -c (\d+) (\d+)/gm, '[$2:$3] $1');
  }

  async chainExists(table: IptablesTable, chain: string): Promise<boolean> {
    return this.#succeeds(['-t', table, '-S', chain, '1']);
  }

  async ruleExists(table: IptablesTable, chain: string, rule: string): Promise<boolean> {
    const words = splitWords(rule) ?? [];
    try {
      return await this.#succeeds(['-t', table, '-C', chain, ...words]);
    } catch (error) {
      // Both variants report a jump to a missing chain as a syntax error.
      const target = words[words.indexOf('-j') + 1];
      const mentioned = error instanceof IptablesError && target !== undefined && namesTarget(error, target);
      if (mentioned && !(await this.chainExists(table, target))) {
        return false;
      }
      throw error;
    }
  }

  async stamp(table: IptablesTable): Promise<string | undefined> {
    return await this.#stamps?.of(table);
  }

  async chainStamp(table: IptablesTable, chain: string): Promise<string | undefined> {
    return await this.#stamps?.ofChain(table, chain);
  }

  async hasForeignChanges(table: IptablesTable): Promise<boolean | undefined> {
    const scope = this.#stamps?.scopeOf(table);
    if (this.#stamps === undefined || scope === undefined) {
      return undefined;
    }
    const writes = this.#ownChanges.completedWrites(scope);
    const stamp = await this.#stamps.of(table);
    if (stamp === undefined) {
      return undefined;
    }
    const position = this.#positions.get(table) ?? this.#ownChanges.follow(scope);
    this.#positions.set(table, position);
    const changed = position.stamp !== undefined && position.stamp !== stamp;
    if (changed && (writes === undefined || writes !== this.#ownChanges.completedWrites(scope))) {
      // The write in progress may be the cause. A later call compares again.
      return false;
    }
    position.stamp = stamp;
    return changed;
  }

  version(): Promise<IptablesVersion> {
    this.#version ??= this.#readVersion().catch((error) => {
      this.#version = undefined;
      throw error;
    });
    return this.#version;
  }

  async #readVersion(): Promise<IptablesVersion> {
    // It reads no rules, so it need not be serialized.
    const request = this.#request('', ['--version'], {});
    const { stdout } = await this.#retrying(() => this.options.runner.run(request));
    const version = parseIptablesVersion(stdout);
    if (version === undefined) {
      throw new IptablesError(
        'IPTABLES_FAILED',
        `${this.#program('')} --version printed "${stdout.trim()}", which contains no version; check which program this is`,
      );
    }
    return version;
  }

  async isPresent(): Promise<boolean> {
    try {
      await this.#runBeside('', [...this.#wait(), '-t', 'nat', '-S', 'POSTROUTING'], { stdout: 'ignore' });
      return true;
    } catch (error) {
      if (error instanceof ProxierError) {
        return false;
      }
      throw error;
    }
  }

  async #succeeds(args: readonly string[]): Promise<boolean> {
    try {
      await this.#runBeside('', [...this.#wait(), ...args], { stdout: 'ignore' });
      return true;
    } catch (error) {
      if (error instanceof IptablesError && error.cause instanceof CommandError && error.cause.exitCode === 1) {
        return false;
      }
      throw error;
    }
  }

  get #timeout(): number {
    return this.options.timeout ?? 300_000;
  }

  #wait(): readonly string[] {
    return ['-w', String(this.options.lockWait ?? 5)];
  }

  #program(tool: '' | 'save' | 'restore'): string {
    return iptablesProgram(this.family, this.options.variant, tool);
  }

  #run(
    tool: '' | 'save' | 'restore',
    args: readonly string[],
    rest: Pick<CommandRequest, 'stdin' | 'stdout'>,
  ): Promise<CommandResult> {
    const request = this.#request(tool, args, rest);
    return this.#inTurn(() => this.#retrying(() => this.options.runner.run(request)));
  }

  #request(
    tool: '' | 'save' | 'restore',
    args: readonly string[],
    rest: Pick<CommandRequest, 'stdin' | 'stdout' | 'signal'>,
  ): CommandRequest {
    return { command: this.#program(tool), args, timeout: this.#timeout, ...rest };
  }

  /** Writes a document without reporting it to observers of its tables as a foreign change. */
  async #asOurs(document: string, write: () => Promise<void>): Promise<void> {
    const stamps = this.#stamps;
    const tables = stamps === undefined ? [] : this.#followedTables(document, stamps);
    if (stamps === undefined || tables.length === 0) {
      return write();
    }
    const before = await Promise.all(tables.map((table) => stamps.of(table)));
    for (const table of tables) {
      this.#ownChanges.begin(stamps.scopeOf(table));
    }
    try {
      await write();
    } finally {
      // A rejected document may have been written in part.
      for (const [index, table] of tables.entries()) {
        const scope = stamps.scopeOf(table);
        this.#ownChanges.moved(scope, before[index], await stamps.of(table), stamps.counted);
        this.#ownChanges.end(scope);
      }
    }
  }

  /** One table of each observed scope that the document writes to. */
  #followedTables(document: string, stamps: TableStamps): readonly IptablesTable[] {
    const byScope = new Map<string, IptablesTable>();
    for (const table of tablesOf(document)) {
      const scope = stamps.scopeOf(table);
      if (this.#ownChanges.isFollowed(scope)) {
        byScope.set(scope, table);
      }
    }
    return [...byScope.values()];
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const run = this.#last.then(work);
    this.#lastAlone = run.catch(() => undefined);
    this.#last = this.#lastAlone;
    return run;
  }

  /** Runs a read-only program, concurrently with other read-only ones. */
  #runBeside(
    tool: '' | 'save',
    args: readonly string[],
    rest: Pick<CommandRequest, 'stdout' | 'signal'> = {},
  ): Promise<CommandResult> {
    const request = this.#request(tool, args, rest);
    const run = this.#lastAlone.then(() => this.#retrying(() => this.options.runner.run(request)));
    const before = this.#last;
    this.#last = run.then(
      () => before,
      () => before,
    );
    return run;
  }

  async #retrying<Result>(work: () => Promise<Result>): Promise<Result> {
    const attempts = this.options.lockAttempts ?? 3;
    for (let attempt = 1; ; attempt++) {
      try {
        return await work();
      } catch (error) {
        const translated = error instanceof CommandError ? iptablesErrorOf(error, this.family) : error;
        // The tool itself has waited for the lock, so no further delay is needed.
        if (!(translated instanceof IptablesError) || translated.code !== 'IPTABLES_LOCKED' || attempt >= attempts) {
          throw translated;
        }
      }
    }
  }
}

/** The tables of a document. A regular expression would look at each of millions of characters. */
function tablesOf(document: string): readonly IptablesTable[] {
  const tables: string[] = [];
  for (let at = document.startsWith('*') ? 0 : nextTable(document, 0); at >= 0; at = nextTable(document, at)) {
    tables.push(document.slice(at + 1, document.indexOf('\n', at)));
  }
  return tables as IptablesTable[];
}

/** The position of the next line that begins a table; -1 when there is none. */
function nextTable(document: string, start: number): number {
  const end = document.indexOf('\n*', start);
  return end < 0 ? -1 : end + 1;
}

/** Parses `iptables v1.8.9 (nf_tables)`. */
export function parseIptablesVersion(output: string): IptablesVersion | undefined {
  const match = /v(\d+(?:\.\d+)+)/.exec(output);
  const text = match?.[1];
  if (text === undefined) {
    return undefined;
  }
  const [major = 0, minor = 0, patch = 0] = text.split('.').map(Number);
  return {
    text,
    // Versions before 1.8 print no variant; they are legacy.
    variant: output.includes('nf_tables') ? 'nft' : 'legacy',
    randomFully: major > 1 || (major === 1 && (minor > 6 || (minor === 6 && patch >= 2))),
  };
}
