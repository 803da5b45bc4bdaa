import { type IPFamily, messageOf, type Protocol } from '@kube-proxier/core';
import { CommandError, type CommandRunner, createCommandRunner } from '../process/command-runner.js';
import {
  type Conntrack,
  type ConntrackEntry,
  ConntrackError,
  type GroupOfTranslation,
  type ReplySource,
  repliesComeFrom,
} from './conntrack.js';
import { conntrackArguments, parseConntrackList } from './conntrack-text.js';
import { deleteListed } from './delete-listed.js';

/** Reading a table of a million entries takes seconds. */
const TIMEOUT = 60_000;

/**
 * conntrack opens `/dev/stdin`, which fails when standard input is a socket, as it is for child processes of Node. A
 * pipe avoids this.
 */
const DELETE_FROM_INPUT = ['sh', '-c', 'cat | conntrack -R -'] as const;

/** {@link Conntrack} through the `conntrack` command (conntrack-tools 1.4.6 or later). */
export class ConntrackTool implements Conntrack {
  readonly #runner: CommandRunner;

  /** @param runner runs the command; default is on this host. */
  constructor(runner: CommandRunner = createCommandRunner()) {
    this.#runner = runner;
  }

  async check(): Promise<void> {
    await this.#output(['conntrack', '--version']);
  }

  async list(
    family: IPFamily,
    protocol: Protocol,
    wanted: (entry: ConntrackEntry) => boolean = () => true,
    repliesFrom?: ReplySource,
  ): Promise<readonly ConntrackEntry[]> {
    const ipFamily = family === 'IPv6' ? 'ipv6' : 'ipv4';
    const filter = ['-f', ipFamily, '-p', protocol.toLowerCase()];
    const stdout = await this.#output(['conntrack', '-L', ...filter, '-o', 'extended,id']);
    return parseConntrackList(stdout).filter(
      (entry) =>
        entry.family === family && entry.protocol === protocol && repliesComeFrom(entry, repliesFrom) && wanted(entry),
    );
  }

  async delete(entries: readonly ConntrackEntry[]): Promise<number> {
    if (entries.length === 0) {
      return 0;
    }
    // One process deletes all entries; it continues after a missing entry, and prints each entry that it deleted.
    const commands = entries.map((entry) => `-D ${conntrackArguments(entry).join(' ')}\n`).join('');
    const stdout = await this.#output(DELETE_FROM_INPUT, commands);
    return parseConntrackList(stdout).length;
  }

  /** The output of the command is in memory at once. */
  deleteMatching<Group>(
    family: IPFamily,
    protocol: Protocol,
    groupOf: GroupOfTranslation<Group>,
  ): Promise<ReadonlyMap<Group, number>> {
    return deleteListed(this, family, protocol, groupOf);
  }

  async #output([command, ...args]: readonly [string, ...string[]], stdin?: string): Promise<string> {
    try {
      const request = { command, args, timeout: TIMEOUT, ...(stdin === undefined ? {} : { stdin }) };
      return (await this.#runner.run(request)).stdout;
    } catch (error) {
      if (error instanceof CommandError && /0 flow entries have been (deleted|shown)/.test(error.stderr)) {
        return '';
      }
      throw describe(error);
    }
  }
}

function describe(error: unknown): ConntrackError {
  const cause = { cause: error };
  if (error instanceof CommandError) {
    // 127: the shell did not find it.
    if (error.failure === 'not-found' || error.exitCode === 127) {
      return new ConntrackError(
        'CONNTRACK_MISSING_TOOL',
        'the conntrack command is not installed: install the package conntrack (or conntrack-tools)',
        cause,
      );
    }
    if (error.failure === 'permission-denied') {
      return new ConntrackError('CONNTRACK_NOT_PERMITTED', error.message, cause);
    }
    if (/CAP_NET_ADMIN|not permitted/.test(error.stderr)) {
      return new ConntrackError('CONNTRACK_NOT_PERMITTED', 'conntrack needs root or the capability NET_ADMIN', cause);
    }
  }
  return new ConntrackError('CONNTRACK_FAILED', `conntrack failed: ${messageOf(error)}`, cause);
}
