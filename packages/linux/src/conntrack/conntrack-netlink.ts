import { type IPFamily, messageOf, type Protocol } from '@kube-proxier/core';
import { NETLINK_FLAGS, type Netlink, type NetlinkRequest } from '../netlink/netlink.js';
import { NetlinkError, NetlinkRefused } from '../netlink/netlink-error.js';
import { NetlinkSocket } from '../netlink/netlink-socket.js';
import {
  type Conntrack,
  type ConntrackEntry,
  ConntrackError,
  type ConntrackTranslation,
  type GroupOfTranslation,
  type ReplySource,
  repliesComeFrom,
} from './conntrack.js';
import {
  type ConntrackFlow,
  conntrackMessageType,
  decodeEntry,
  decodeFlow,
  decodeStatistics,
  encodeDeletion,
  encodeDeletionOfTranslated,
  encodeFlowRequest,
  encodeListRequest,
  encodeStatisticsRequest,
} from './conntrack-messages.js';
import { conntrackKey } from './conntrack-text.js';
import { TranslationGroups } from './translation-groups.js';

const EPERM = 1;
const ENOENT = 2;
const EINVAL = 22;
const EOPNOTSUPP = 95;
/** Error numbers of a netfilter subsystem, or a part of it, that the kernel lacks. */
const NOT_THERE: readonly number[] = [EINVAL, EOPNOTSUPP];
/** Maximum attempts of an operation whose answers are lost. */
const ATTEMPTS = 5;
/** Number of entries that are looked up, and then deleted, per batch. */
const MAX_AT_ONCE = 1000;
/** Number of entries after which the list of all entries waits until they are deleted. */
const MAX_LISTED = 500;

/**
 * {@link Conntrack} by nfnetlink, as kube-proxy does it (spec T-11, T-19). Opens a socket with each call and closes it.
 * A dump is read in parts, and the event loop runs between them.
 */
export class ConntrackNetlink implements Conntrack {
  /** @param connect default is a socket of this process's network namespace. */
  constructor(private readonly connect: () => Netlink = () => new NetlinkSocket('netfilter')) {}

  async check(): Promise<void> {
    await this.#withNetlink(async (netlink) => {
      await netlink.request(request('statistics', encodeStatisticsRequest()));
    });
  }

  list(
    family: IPFamily,
    protocol: Protocol,
    wanted: (entry: ConntrackEntry) => boolean = () => true,
    repliesFrom?: ReplySource,
  ): Promise<readonly ConntrackEntry[]> {
    return this.#withNetlink((netlink) =>
      repeated(async () => {
        const entries: ConntrackEntry[] = [];
        await dumpEntries(netlink, encodeListRequest(family, protocol, repliesFrom), family, (payload) => {
          const entry = decodeEntry(payload, family, protocol);
          if (entry !== undefined && repliesComeFrom(entry, repliesFrom) && wanted(entry)) {
            entries.push(entry);
          }
        });
        return entries;
      }),
    );
  }

  async delete(entries: readonly ConntrackEntry[]): Promise<number> {
    if (entries.length === 0) {
      return 0;
    }
    return this.#withNetlink(async (netlink) => {
      let deleted = 0;
      for (let from = 0; from < entries.length; from += MAX_AT_ONCE) {
        deleted += await deleteSome(netlink, entries.slice(from, from + MAX_AT_ONCE));
      }
      return deleted;
    });
  }

  deleteMatching<Group>(
    family: IPFamily,
    protocol: Protocol,
    groupOf: GroupOfTranslation<Group>,
  ): Promise<ReadonlyMap<Group, number>> {
    const deleted = new Map<Group, number>();
    const read = (listing: Netlink, deleting: Netlink) =>
      repeated(async () => {
        const groups = new TranslationGroups(family, protocol, groupOf);
        let found: [Group, ConntrackFlow][] = [];
        const deleteFound = () => {
          const flows = found;
          found = [];
          return deleteFlows(deleting, flows, deleted);
        };
        const take = (payload: Buffer) => {
          const group = groups.ofEntry(payload);
          const flow = group === undefined ? undefined : decodeFlow(payload, family, protocol);
          if (group !== undefined && flow !== undefined) {
            found.push([group, flow]);
          }
        };
        const between = () => (found.length < MAX_LISTED ? undefined : deleteFound());
        await dumpEntries(listing, encodeListRequest(family, protocol), family, take, between);
        await deleteFound();
        return deleted;
      });
    return this.#withNetlink((listing) => this.#withNetlink((deleting) => read(listing, deleting)));
  }

  deleteTranslated(
    family: IPFamily,
    protocol: Protocol,
    translations: readonly ConntrackTranslation[],
  ): Promise<number | undefined> {
    if (family === 'IPv6') {
      // Up to Linux 6.18 at least, the kernel inverts the comparison of IPv6 addresses: it deletes the entries that
      // differ.
      return Promise.resolve(undefined);
    }
    return this.#withNetlink((netlink) =>
      repeated(async () => {
        const before = await countEntries(netlink);
        const requests = translations.map((one) =>
          request('delete', encodeDeletionOfTranslated(family, protocol, one)),
        );
        const results = await netlink.execute(requests, { inBackground: true });
        if (results.some((errno) => NOT_THERE.includes(errno))) {
          return undefined;
        }
        const refused = results.find((errno) => errno !== 0);
        if (refused !== undefined) {
          throw new NetlinkRefused(refused, 'delete tracked connections');
        }
        return Math.max(0, before - (await countEntries(netlink)));
      }),
    );
  }

  async #withNetlink<T>(work: (netlink: Netlink) => Promise<T>): Promise<T> {
    const netlink = this.connect();
    try {
      return await work(netlink);
    } catch (error) {
      throw describe(error);
    } finally {
      netlink.close();
    }
  }
}

/** Requests entries, those of a whole family where the kernel does not support the filter of the request. */
async function dumpEntries(
  netlink: Netlink,
  filtered: Buffer,
  family: IPFamily,
  take: (payload: Buffer) => void,
  between?: () => Promise<void> | undefined,
): Promise<void> {
  const read = (payload: Buffer) =>
    netlink.dump(request('get', payload, NETLINK_FLAGS.dump), (answer) => take(answer.payload), between);
  try {
    await read(filtered);
  } catch (error) {
    if (!isNotThere(error)) {
      throw error;
    }
    await read(encodeListRequest(family, undefined));
  }
}

/** @param deleted receives the numbers of deleted flows. */
async function deleteFlows<Group>(
  netlink: Netlink,
  flows: readonly [Group, ConntrackFlow][],
  deleted: Map<Group, number>,
): Promise<void> {
  let isRepeated = false;
  const results = await repeated(() => {
    const first = !isRepeated;
    isRepeated = true;
    const deletions = flows.map(([, flow]) => request('delete', encodeDeletion(flow)));
    // All were listed a moment ago: those that no longer exist when the deletion is repeated were deleted by it.
    return netlink.execute(deletions).then((all) => (first ? all : all.map((errno) => (errno === ENOENT ? 0 : errno))));
  });
  for (const [index, [group]] of flows.entries()) {
    const errno = results[index] ?? 0;
    if (errno === 0) {
      deleted.set(group, (deleted.get(group) ?? 0) + 1);
    } else if (errno !== ENOENT) {
      throw new NetlinkRefused(errno, 'delete a tracked connection');
    }
  }
}

async function countEntries(netlink: Netlink): Promise<number> {
  const answers = await netlink.request(request('statistics', encodeStatisticsRequest()));
  return answers.map(({ payload }) => decodeStatistics(payload)).find((count) => count !== undefined) ?? 0;
}

async function deleteSome(netlink: Netlink, entries: readonly ConntrackEntry[]): Promise<number> {
  // When the result of a delete is unknown, count the entries that existed before and no longer exist.
  let before: number | undefined;
  let deleted = 0;
  await repeated(async () => {
    const flows = await findFlows(netlink, entries);
    deleted += before === undefined ? 0 : before - flows.length;
    before = flows.length;
    const results = await netlink.execute(flows.map((flow) => request('delete', encodeDeletion(flow))));
    for (const errno of results) {
      if (errno === 0) {
        deleted++;
      } else if (errno !== ENOENT) {
        throw new NetlinkRefused(errno, 'delete a tracked connection');
      }
    }
  });
  return deleted;
}

/** The entries that still exist unchanged. */
async function findFlows(netlink: Netlink, entries: readonly ConntrackEntry[]): Promise<readonly ConntrackFlow[]> {
  const answers = await netlink.requestEach(entries.map((entry) => request('get', encodeFlowRequest(entry))));
  return entries.flatMap((entry, index) => {
    const answer = answers[index] ?? ENOENT;
    if (typeof answer === 'number') {
      if (answer !== ENOENT && answer !== 0) {
        throw new NetlinkRefused(answer, 'look up a tracked connection');
      }
      return [];
    }
    const flow = decodeFlow(answer.payload, entry.family, entry.protocol);
    return flow !== undefined && conntrackKey(flow.entry) === conntrackKey(entry) ? [flow] : [];
  });
}

function request(command: Parameters<typeof conntrackMessageType>[0], payload: Uint8Array, flags = 0): NetlinkRequest {
  return { type: conntrackMessageType(command), flags, payload };
}

/** Repeats an operation when answers were lost, or the table changed during a dump. */
async function repeated<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt === ATTEMPTS || !(error instanceof NetlinkError && error.code === 'NETLINK_LOST')) {
        throw error;
      }
    }
  }
}

function isNotThere(error: unknown): boolean {
  return error instanceof NetlinkRefused && NOT_THERE.includes(error.errno);
}

function describe(error: unknown): unknown {
  if (!(error instanceof NetlinkError)) {
    return error;
  }
  const cause = { cause: error };
  if (isNotThere(error)) {
    return new ConntrackError(
      'CONNTRACK_NO_NETLINK',
      `the kernel has no netlink for connection tracking (module nf_conntrack_netlink): ${messageOf(error)}`,
      cause,
    );
  }
  if (error.code === 'NETLINK_UNAVAILABLE') {
    return new ConntrackError('CONNTRACK_NO_NETLINK', messageOf(error), cause);
  }
  if (error instanceof NetlinkRefused && error.errno === EPERM) {
    return new ConntrackError(
      'CONNTRACK_NOT_PERMITTED',
      'changing tracked connections needs root or the capability NET_ADMIN',
      cause,
    );
  }
  return new ConntrackError('CONNTRACK_FAILED', `conntrack over netlink failed: ${messageOf(error)}`, cause);
}
