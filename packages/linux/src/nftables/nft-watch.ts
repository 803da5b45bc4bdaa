import type { CommandRunner } from '../process/command-runner.js';
import type { NftFamily } from './nft-family.js';

/** A transaction that changed a table. */
export interface NftChange {
  /** The process that made it, as far as the kernel reports it. */
  readonly pid: number | undefined;
  readonly program: string | undefined;
  /** It may have changed another table: nft could not print it completely. */
  readonly uncertain?: true;
  /**
   * The own nft process that owns tables has ended: tables without `persist` are deleted, and the rest can be changed
   * by any process.
   */
  readonly ownerEnded?: true;
  /** The name of another table, if not the watched one was changed. Only reported where the kernel is asked by netlink. */
  readonly otherTable?: string;
}

/** A running watch. */
export interface NftWatch {
  stop(): void;
  /**
   * Resolves when no further change will be reported, for any reason, except {@link NftChange.ownerEnded}, which is
   * reported until {@link NftWatch.stop}.
   */
  readonly ended: Promise<void>;
}

/** The error of nft when it cannot print a change, as its cache of sets is outdated: nft 1.0.6 does this. */
const WARNING = /^W: /;
/** Programs that change only the tables of iptables and its variants in nf_tables. */
const OTHER_TABLES_ONLY = /^(?:ip6?tables|arptables|ebtables|xtables)(?:-|$)/;
const GENERATION = /^# new generation \d+(?: by process (\d+) \((.*)\))?/;

/**
 * Parses the output of `nft monitor`: the changes of a transaction, line by line, and then the process that made it.
 * Elements that packets add are not reported.
 */
export class NftMonitorReader {
  #rest = '';
  #complaint = '';
  #touched = false;
  #unprinted = false;
  readonly #ours: RegExp;

  constructor(
    family: NftFamily,
    table: string,
    private readonly onChange: (change: NftChange) => void,
  ) {
    this.#ours = new RegExp(
      `^(?:add|delete|flush|replace|insert) \\w+ ${family} ${table.replace(/[.]/g, '\\$&')}(?: |$)`,
    );
  }

  /**
   * Parses the error output of `nft monitor`. A part of a transaction that it cannot print may concern this table; the
   * process is reported later. Any other error may mean that changes were not reported.
   */
  readComplaint(text: string): void {
    const lines = (this.#complaint + text).split('\n');
    this.#complaint = lines.pop() ?? '';
    this.#unprinted ||= lines.some((line) => WARNING.test(line));
    if (lines.some((line) => !WARNING.test(line))) {
      this.onChange({ pid: undefined, program: undefined, uncertain: true });
    }
  }

  read(text: string): void {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) {
      const generation = GENERATION.exec(line);
      if (generation === null) {
        this.#touched ||= this.#ours.test(line);
      } else if (this.#touched || this.#unprinted) {
        const [, pid, program] = generation;
        const uncertain = this.#touched ? {} : { uncertain: true as const };
        this.#touched = false;
        this.#unprinted = false;
        if (uncertain.uncertain && OTHER_TABLES_ONLY.test(program ?? '')) {
          continue;
        }
        this.onChange({ pid: pid === undefined ? undefined : Number(pid), program, ...uncertain });
      }
    }
  }
}

/** Watches a table through `nft monitor`. Lost events count as a change by an unknown process. */
export function watchWithNft(
  start: NonNullable<CommandRunner['start']>,
  family: NftFamily,
  table: string,
  onChange: (change: NftChange) => void,
): NftWatch {
  const reader = new NftMonitorReader(family, table, onChange);
  const running = start(
    { command: 'nft', args: ['monitor'] },
    {
      stdout: (text) => reader.read(text),
      stderr: (text) => reader.readComplaint(text),
    },
  );
  return { stop: () => running.stop(), ended: running.ended.then(() => undefined) };
}
