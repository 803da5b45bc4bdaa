import {
  type ChangeSet,
  type Clock,
  diffStatesInSlices,
  EventLoopPace,
  finishWithPauses,
  formatServicePortName,
  GONE_AFTER,
  type IPFamily,
  type Logger,
  type LostEndpoints,
  lostEndpointsInSlices,
  messageOf,
  type ProxyState,
  resetsConnections,
  type ServicePortKey,
  type Slices,
  type SyncObserver,
  type SyncSuccess,
  systemClock,
  type Timer,
} from '@kube-proxier/core';
import {
  type Conntrack,
  type ConntrackEntry,
  type Sysctl,
  type TcpSocketAddress,
  type TcpSockets,
  TcpSocketsError,
} from '@kube-proxier/linux';
import { type LostByServicePort, type LostConnection, lostConnectionJudge, repliesToList } from './lost-connections.js';

/**
 * Why connections were reset.
 * - `endpoint-gone`: their endpoint is in no EndpointSlice any more.
 * - `endpoint-gone-before`: the same, but already when this process started, or when the annotation became `reset`.
 */
export type ResetReason = 'endpoint-gone' | 'endpoint-gone-before';

/** Connections that were reset. */
export interface ConnectionResets {
  readonly family: IPFamily;
  readonly reason: ResetReason;
  readonly count: number;
}

export interface ConnectionResetterOptions {
  readonly conntrack: Conntrack;
  /**
   * Sockets of programs of this host. Default: their connections are reset when they send, as all other connections.
   */
  readonly sockets?: TcpSockets;
  /** To check kernel settings that prevent resets. Default: not checked. */
  readonly sysctl?: Pick<Sysctl, 'read'>;
  readonly logger: Logger;
  readonly localAddresses: () => Promise<readonly string[]>;
  readonly clock?: Clock;
  /** The mode in force, if its rules cannot answer packets of unknown connections; nothing is then reset. */
  readonly unsupportedBy?: string;
  /** Milliseconds that an endpoint must be missing before it counts as removed. Default {@link GONE_AFTER}. */
  readonly goneAfter?: number;
  readonly onReset?: (resets: ConnectionResets) => void;
}

/** Maximum connections per batch, and milliseconds between batches: 1000 a second (spec R-7). */
const AT_ONCE = 250;
const PAUSE = 250;
/** Milliseconds before a failed check is retried; doubled with each consecutive failure up to `MAX_RETRY_DELAY`. */
const MIN_RETRY_DELAY = 1000;
const MAX_RETRY_DELAY = 300_000;
/** Maximum number of endpoints in a log line. */
const MAX_NAMES = 10;

const TCP_LOOSE = 'net/netfilter/nf_conntrack_tcp_loose';

/** Endpoints removed by one sync. */
interface Pending {
  readonly due: number;
  readonly lost: ReadonlyMap<ServicePortKey, LostEndpoints>;
}

interface Found {
  readonly entry: ConntrackEntry;
  readonly connection: LostConnection;
  readonly reason: ResetReason;
}

/** State and pending work of one IP family. */
interface FamilyResets {
  state: ProxyState;
  pending: readonly Pending[];
  timer: Timer | undefined;
  isRunning: boolean;
  failures: number;
}

/**
 * Resets TCP connections whose endpoint is gone, for Services that request it (spec ): sockets of this host's
 * programs are closed, and the conntrack entries of other connections are deleted, so that their next packet is
 * untracked and answered with a reset. Starts after the sync that removed the endpoint from the rules. Syncs do not
 * wait for it, nothing is listed while no Service requests it, and failures are logged and retried.
 */
export class ConnectionResetter implements SyncObserver {
  readonly #clock: Clock;
  readonly #goneAfter: number;
  readonly #families = new Map<IPFamily, FamilyResets>();
  #isStopped = false;
  #failure = '';
  #socketFailure = '';
  #isLooseChecked = false;
  #isWarned = false;

  constructor(private readonly options: ConnectionResetterOptions) {
    this.#clock = options.clock ?? systemClock;
    this.#goneAfter = options.goneAfter ?? GONE_AFTER;
  }

  /** Cancels all pending work; the next start detects it again (spec R-5). */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const resets of this.#families.values()) {
      resets.timer?.cancel();
      resets.pending = [];
    }
  }

  synced(success: Pick<SyncSuccess, 'family' | 'state' | 'changes'>): void | Promise<void> {
    return finishWithPauses(this.#note(success), new EventLoopPace(this.#clock));
  }

  *#note({ family, state, changes }: Pick<SyncSuccess, 'family' | 'state' | 'changes'>): Slices<void> {
    const known = this.#families.get(family);
    const before = known?.state;
    const resets = known ?? { state, pending: [], timer: undefined, isRunning: false, failures: 0 };
    // Synchronous: the next sync may be observed during this one.
    resets.state = state;
    this.#families.set(family, resets);
    const lost = yield* lostEndpointsInSlices(yield* stepSince(before, state, changes));
    if (lost.size > 0 && this.options.unsupportedBy !== undefined) {
      this.#warnUnsupported(state, lost, this.options.unsupportedBy);
    } else if (lost.size > 0 && !this.#isStopped) {
      resets.pending = [...resets.pending, { due: this.#clock.monotonic() + this.#goneAfter, lost }];
      this.#schedule(family, resets);
    }
  }

  #schedule(family: IPFamily, resets: FamilyResets): void {
    resets.timer?.cancel();
    resets.timer = undefined;
    if (resets.isRunning || resets.pending.length === 0 || this.#isStopped) {
      return;
    }
    const next = Math.min(...resets.pending.map(({ due }) => due));
    resets.timer = this.#clock.setTimer(Math.max(0, next - this.#clock.monotonic()), () => {
      resets.isRunning = true;
      void this.#run(family, resets).finally(() => {
        resets.isRunning = false;
        this.#schedule(family, resets);
      });
    });
  }

  /** Runs the due checks. Never rejects. */
  async #run(family: IPFamily, resets: FamilyResets): Promise<void> {
    const now = this.#clock.monotonic();
    const due = resets.pending.filter((pending) => pending.due <= now);
    resets.pending = resets.pending.filter((pending) => pending.due > now);
    const lost = merged(due);
    try {
      await this.#checkLoose();
      await this.#reset(resets, await this.#find(family, resets.state, lost));
      resets.failures = 0;
      this.#failure = '';
    } catch (error) {
      const delay = Math.min(MIN_RETRY_DELAY * 2 ** resets.failures, MAX_RETRY_DELAY);
      resets.failures += 1;
      if (!this.#isStopped) {
        resets.pending = [...resets.pending, { due: this.#clock.monotonic() + delay, lost }];
      }
      const reason = messageOf(error);
      // The same failure would recur; log it once.
      if (this.#failure !== reason) {
        this.#failure = reason;
        this.options.logger.error(
          `Cannot reset connections to endpoints that are gone, so they hang until clients time out: ${reason}`,
          { family },
        );
      }
    }
  }

  async #find(family: IPFamily, state: ProxyState, lost: LostByServicePort): Promise<readonly Found[]> {
    const { conntrack, localAddresses } = this.options;
    const sources = repliesToList(state, lost);
    if (sources?.length === 0) {
      return [];
    }
    const judge = lostConnectionJudge(state, lost, new Set(await localAddresses()));
    const isLost = (entry: ConntrackEntry) => judge(entry) !== undefined;
    const found = new Map<ConntrackEntry, Found>();
    for (const source of sources ?? [undefined]) {
      for (const entry of await conntrack.list(family, 'TCP', isLost, source)) {
        const connection = judge(entry);
        if (connection !== undefined) {
          const reason = lost.get(connection.servicePort) === 'unknown' ? 'endpoint-gone-before' : 'endpoint-gone';
          found.set(entry, { entry, connection, reason });
        }
      }
    }
    return [...found.values()];
  }

  async #reset(resets: FamilyResets, found: readonly Found[]): Promise<void> {
    const local = found.length === 0 ? new Set<string>() : new Set(await this.options.localAddresses());
    const tally = new ResetTally();
    try {
      for (let from = 0; from < found.length && !this.#isStopped; from += AT_ONCE) {
        if (from > 0) {
          await new Promise<void>((resolve) => this.#clock.setTimer(PAUSE, resolve));
        }
        await this.#resetSome(resets, found.slice(from, from + AT_ONCE), local, tally);
      }
    } finally {
      this.#report(resets.state.family, tally);
    }
  }

  async #resetSome(
    { state }: FamilyResets,
    candidates: readonly Found[],
    local: ReadonlySet<string>,
    tally: ResetTally,
  ): Promise<void> {
    // Endpoints may have returned, and annotations may have changed, in the meantime.
    const some = candidates.filter(({ connection: { servicePort, endpoint } }) => {
      const port = state.servicePorts.get(servicePort);
      return port !== undefined && resetsConnections(port) && !port.candidates.some(({ key }) => key === endpoint);
    });
    // While the entry exists, the reset of a socket is still translated and reaches an endpoint that is still running.
    await this.#resetSockets(some.filter(({ entry }) => local.has(entry.original.source)).map(({ entry }) => entry));
    for (const group of groupsOf(some)) {
      const [{ connection, reason }] = group as [Found];
      tally.add(connection, reason, await this.options.conntrack.delete(group.map(({ entry }) => entry)));
    }
  }

  async #resetSockets(entries: readonly ConntrackEntry[]): Promise<void> {
    try {
      await this.options.sockets?.reset(entries.map(socketOf));
      this.#socketFailure = '';
    } catch (error) {
      const reason = messageOf(error);
      if (this.#socketFailure !== reason) {
        this.#socketFailure = reason;
        const message = `Connections of this node's own programs are reset only when they send: ${reason}`;
        if (error instanceof TcpSocketsError && error.code === 'SOCKETS_NOT_SUPPORTED') {
          this.options.logger.info(message);
        } else {
          this.options.logger.warn(message);
        }
      }
    }
  }

  #report(family: IPFamily, tally: ResetTally): void {
    for (const { name, reason, count, endpoints } of tally.services) {
      const names = [...endpoints].slice(0, MAX_NAMES).map(([endpoint, number]) => `${endpoint} (${number})`);
      const more = endpoints.size > MAX_NAMES ? ` and ${endpoints.size - MAX_NAMES} more` : '';
      this.options.logger.info(
        `Reset ${count} ${count === 1 ? 'connection' : 'connections'} of ${name} to endpoints that are gone: ${names.join(', ')}${more}`,
        { family, reason },
      );
      this.options.onReset?.({ family, reason, count });
    }
  }

  #warnUnsupported(state: ProxyState, lost: LostByServicePort, mode: string): void {
    if (!this.#isWarned) {
      this.#isWarned = true;
      const names = [...lost.keys()].slice(0, MAX_NAMES).flatMap((key) => state.servicePorts.get(key)?.name ?? []);
      this.options.logger.warn(
        `Mode ${mode} cannot reset connections to endpoints that are gone, which kube-proxier.io/when-endpoint-goes requests: ` +
          `they hang until clients time out (first seen for ${names.map(formatServicePortName).join(', ')})`,
      );
    }
  }

  /** Packets of unknown connections are then invalid to conntrack, and nothing answers them. */
  async #checkLoose(): Promise<void> {
    if (this.#isLooseChecked) {
      return;
    }
    this.#isLooseChecked = true;
    try {
      if ((await this.options.sysctl?.read(TCP_LOOSE)) === '0') {
        this.options.logger.warn(
          'net.netfilter.nf_conntrack_tcp_loose is 0, so connections to endpoints that are gone are not reset, except those of ' +
            "this node's own programs; set it to 1 where Services say kube-proxier.io/when-endpoint-goes: reset",
        );
      }
    } catch {
      // Without the file there is no conntrack, which the dump reports.
    }
  }
}

/** The reset connections by service port and reason. */
class ResetTally {
  readonly #services = new Map<
    string,
    { name: string; reason: ResetReason; count: number; endpoints: Map<string, number> }
  >();

  get services() {
    return [...this.#services.values()].filter(({ count }) => count > 0);
  }

  add({ name, endpoint }: LostConnection, reason: ResetReason, count: number): void {
    const key = `${reason} ${name}`;
    const service = this.#services.get(key) ?? { name, reason, count: 0, endpoints: new Map() };
    this.#services.set(key, service);
    service.count += count;
    service.endpoints.set(endpoint, (service.endpoints.get(endpoint) ?? 0) + count);
  }
}

function groupsOf(found: readonly Found[]): Iterable<readonly Found[]> {
  const groups = new Map<string, Found[]>();
  for (const one of found) {
    const key = `${one.reason} ${one.connection.servicePort} ${one.connection.endpoint}`;
    const group = groups.get(key) ?? [];
    group.push(one);
    groups.set(key, group);
  }
  return groups.values();
}

function socketOf({ family, original }: ConntrackEntry): TcpSocketAddress {
  return {
    family,
    localAddress: original.source,
    localPort: original.sourcePort,
    remoteAddress: original.destination,
    remotePort: original.destinationPort,
  };
}

/** The changes since the last observed sync. */
function* stepSince(before: ProxyState | undefined, state: ProxyState, changes: ChangeSet): Slices<ChangeSet> {
  return changes.previous === before ? changes : yield* diffStatesInSlices(before, state);
}

function merged(pending: readonly Pending[]): LostByServicePort {
  const all = new Map<ServicePortKey, LostEndpoints>();
  for (const { lost } of pending) {
    for (const [key, endpoints] of lost) {
      const known = all.get(key);
      all.set(
        key,
        known === 'unknown' || endpoints === 'unknown' ? 'unknown' : new Set([...(known ?? []), ...endpoints]),
      );
    }
  }
  return all;
}
