import { type IPFamily, messageOf, type Protocol } from '@kube-proxier/core';
import { NetlinkSocket } from '../netlink/netlink-socket.js';
import { type CommandRunner, createCommandRunner } from '../process/command-runner.js';
import { findTool } from '../process/find-tool.js';
import {
  type Conntrack,
  type ConntrackEntry,
  ConntrackError,
  type ConntrackTranslation,
  type GroupOfTranslation,
  type ReplySource,
} from './conntrack.js';
import { ConntrackNetlink } from './conntrack-netlink.js';
import { ConntrackTool } from './conntrack-tool.js';

export interface HostConntrackOptions {
  /** Runs `conntrack` in the network namespace of the flows. Default: on this host. */
  readonly runner?: CommandRunner;
  /** The same table by netlink. Default: that of the runner's network namespace; none where that is unknown. */
  readonly netlink?: Conntrack;
  /** Finds a program without running it. Default: in the paths of this host. */
  readonly findTool?: (name: string) => Promise<string | undefined>;
}

/**
 * {@link Conntrack} by netlink, or by the `conntrack` command where netlink is unavailable. Loads and starts nothing
 * before the first call.
 */
export class HostConntrack implements Conntrack {
  readonly #netlink: Conntrack | undefined;
  readonly #tool: Conntrack;
  readonly #findTool: (name: string) => Promise<string | undefined>;

  constructor(options: HostConntrackOptions = {}) {
    const { runner = createCommandRunner() } = options;
    this.#netlink = options.netlink ?? netlinkOf(runner);
    this.#tool = new ConntrackTool(runner);
    this.#findTool = options.findTool ?? findTool;
  }

  /** If the tool is installed, netlink is not probed: one working access path suffices, and netlink takes memory. */
  async check(): Promise<void> {
    if (this.#netlink === undefined || (await this.#findTool('conntrack')) === undefined) {
      await this.#do(async (conntrack) => conntrack.check?.());
    }
  }

  list(
    family: IPFamily,
    protocol: Protocol,
    wanted?: (entry: ConntrackEntry) => boolean,
    repliesFrom?: ReplySource,
  ): Promise<readonly ConntrackEntry[]> {
    return this.#do((conntrack) => conntrack.list(family, protocol, wanted, repliesFrom));
  }

  delete(entries: readonly ConntrackEntry[]): Promise<number> {
    return this.#do((conntrack) => conntrack.delete(entries));
  }

  deleteMatching<Group>(
    family: IPFamily,
    protocol: Protocol,
    groupOf: GroupOfTranslation<Group>,
  ): Promise<ReadonlyMap<Group, number>> {
    return this.#do((conntrack) => conntrack.deleteMatching(family, protocol, groupOf));
  }

  /** By netlink only: the tool would dump the whole table. */
  deleteTranslated(
    family: IPFamily,
    protocol: Protocol,
    translations: readonly ConntrackTranslation[],
  ): Promise<number | undefined> {
    return this.#do(async (conntrack) => conntrack.deleteTranslated?.(family, protocol, translations));
  }

  async #do<T>(work: (conntrack: Conntrack) => Promise<T>): Promise<T> {
    if (this.#netlink === undefined) {
      return work(this.#tool);
    }
    try {
      return await work(this.#netlink);
    } catch (error) {
      if (!(error instanceof ConntrackError && error.code === 'CONNTRACK_NO_NETLINK')) {
        throw error;
      }
      return await this.#doWithTool(work, error);
    }
  }

  async #doWithTool<T>(work: (conntrack: Conntrack) => Promise<T>, why: ConntrackError): Promise<T> {
    try {
      return await work(this.#tool);
    } catch (error) {
      if (error instanceof ConntrackError && error.code === 'CONNTRACK_MISSING_TOOL') {
        throw new ConntrackError(error.code, `${messageOf(why)}; in its place, ${messageOf(error)}`, { cause: why });
      }
      throw error;
    }
  }
}

function netlinkOf({ networkNamespace: place }: CommandRunner): Conntrack | undefined {
  if (place === undefined) {
    return undefined;
  }
  const options = place === 'own' ? {} : { namespace: place };
  return new ConntrackNetlink(() => new NetlinkSocket('netfilter', options));
}
