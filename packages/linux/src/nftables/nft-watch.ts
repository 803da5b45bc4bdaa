import type { CommandRunner } from '../process/command-runner.js';
import type { NftFamily } from './nft-transaction.js';

/** A transaction that changed a table. */
export interface NftChange {
  /** Who did it, as far as the kernel says. */
  readonly pid: number | undefined;
  readonly program: string | undefined;
  /** Perhaps it changed another table: nft could not print all of it. */
  readonly uncertain?: true;
  /** The nft of ours that owns tables has ended: those that do not persist are gone, others may be changed by anybody. */
  readonly ownerEnded?: true;
}

/** Tells of changes until it is stopped. */
export interface NftWatch {
  stop(): void;
  /** Resolves when nothing more will be told, for whatever reason. */
  readonly ended: Promise<void>;
}

/** nft says so when it cannot print what happened, as its own list of sets is not up to date: nft 1.0.6 does. */
const WARNING = /^W: /;
/** Programs that change the tables of iptables and its relatives in nf_tables, and no others. */
const OTHER_TABLES_ONLY = /^(?:ip6?tables|arptables|ebtables|xtables)(?:-|$)/;
const GENERATION = /^# new generation \d+(?: by process (\d+) \((.*)\))?/;

/**
 * Reads what `nft monitor` prints: what a transaction did, line by line, and then who did it. Elements that packets add
 * are not told of.
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
   * Reads what it complains of. A part of a transaction that it cannot print may be of this table; who did it comes with
   * the rest. Anything else may mean that changes were not told of.
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

/** Watches a table through `nft monitor`. What came too fast to be told of counts as a change by nobody known. */
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
