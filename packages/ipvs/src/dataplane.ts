import {
  type ChangeSet,
  type Clock,
  cidrContains,
  type Dataplane,
  familyOf,
  type IPFamily,
  type LeftoverOwner,
  type Logger,
  messageOf,
  type ProxyState,
  type RemovedObjects,
  silentLogger,
  systemClock,
} from '@kube-proxier/core';
import {
  type IpSet,
  type IpSetCommand,
  type Iptables,
  type IpvsCommand,
  type IpvsTimeouts,
  NetlinkRefused,
  ProcSysctl,
  parseSavedTable,
  renderDocument,
  type VirtualServerAddress,
  virtualServerKey,
} from '@kube-proxier/linux';
import { type Attachments, Draining } from './apply/draining.js';
import { HostSettings } from './apply/host-settings.js';
import { cleanUp, describeRemoval, forgetDatagrams, type IpvsCleanup } from './cleanup.js';
import { IpvsPartlyApplied } from './ipvs-error.js';
import type { IpvsHost } from './ipvs-host.js';
import { RULE_TABLES, type RuleTable } from './plan/fixed-chains.js';
import { type InstalledIpvs, type InstalledVirtualServer, IpvsPlanner } from './plan/ipvs-planner.js';
import { removalOf } from './plan/ipvs-removal.js';
import type { DrainingServer, IpvsStep, IpvsTransaction } from './plan/ipvs-transaction.js';
import { INTERFACE, kubeProxySets, MarkLayout, SET_ROLES, setName } from './plan/layout.js';
import { DEFAULT_SCHEDULER } from './plan/schedulers.js';
import { jumpsStand, watchKernel } from './read-back/watch-kernel.js';

/** Settings of the mode itself. */
export interface IpvsSettings {
  /** Of Services that do not choose one by annotation. Default `rr`. */
  readonly scheduler?: string;
  /** Networks whose virtual servers are somebody else's, and left alone. Default none. */
  readonly excludeCIDRs?: readonly string[];
  /** Answer ARP only on the interface that has the address, so that the virtual ones stay here. Default false. */
  readonly strictARP?: boolean;
  /** Seconds; 0 leaves one as it is. Default all as they are. */
  readonly timeouts?: IpvsTimeouts;
}

/** What an {@link IpvsDataplane} is made from. */
export interface IpvsDataplaneOptions extends IpvsSettings {
  readonly family: IPFamily;
  readonly host: IpvsHost;
  /** Bit of the packet mark that means "masquerade", 0…31. Default 14. */
  readonly masqueradeBit?: number;
  /** Schedulers that the kernel has, when that is known. */
  readonly availableSchedulers?: () => ReadonlySet<string> | undefined;
  readonly logger?: Logger;
  /** Default: the system's. */
  readonly clock?: Clock;
}

/** Programs one IP family through IPVS. */
export class IpvsDataplane implements Dataplane<IpvsTransaction, InstalledIpvs> {
  readonly followsLocalAddresses = true;
  readonly #planner: IpvsPlanner;
  readonly #marks: MarkLayout;
  readonly #settings: HostSettings;
  readonly #draining: Draining;
  readonly #logger: Logger;
  readonly #reported = new Set<string>();
  readonly #ofKubeProxy: readonly string[];
  /** Sets of kube-proxy that foreign rules reference; ignored until the next start. */
  readonly #held = new Set<string>();
  #queue: Promise<unknown> = Promise.resolve();
  #found: Promise<Iptables> | undefined;
  /** How often the jumps were put in place, or found there. */
  #rulesPlaced = 0;
  #link: number | undefined;
  #refusesTimeouts = false;
  /** Virtual servers that should be there, by key. One of them is looked at to see whether all were removed. */
  readonly #expected = new Map<string, VirtualServerAddress>();

  constructor(private readonly options: IpvsDataplaneOptions) {
    const { family, host, logger = silentLogger, masqueradeBit = 14, scheduler = DEFAULT_SCHEDULER } = options;
    this.#logger = logger;
    this.#marks = new MarkLayout(masqueradeBit);
    this.#ofKubeProxy = kubeProxySets(family);
    this.#planner = new IpvsPlanner({
      family,
      masqueradeBit,
      marks: this.#marks,
      scheduler,
      availableSchedulers: options.availableSchedulers ?? (() => undefined),
      onProblem: (problem) => this.#report(problem),
    });
    this.#settings = new HostSettings(host.sysctl ?? new ProcSysctl(), logger, options.strictARP ?? false);
    this.#draining = new Draining({
      ipvs: host.ipvs,
      clock: options.clock ?? systemClock,
      detach: (led) => this.#detach(led),
      inTurn: (work) => this.#inTurn(work),
      onFailure: (reason) => logger.warn(`Cannot look whether endpoints are drained: ${reason}`, { family }),
    });
  }

  /** Real servers that are on their way out. */
  get draining(): number {
    return this.#draining.size;
  }

  plan(next: ProxyState, changes: ChangeSet, installed?: InstalledIpvs): IpvsTransaction | undefined {
    return this.#planner.plan(next, changes, installed);
  }

  apply(transaction: IpvsTransaction): Promise<void> {
    return this.#inTurn(async () => {
      const refused: NetlinkRefused[] = [];
      for (const step of transaction.steps) {
        refused.push(...(await this.#carryOut(step)));
      }
      if (refused.length > 0) {
        throw new IpvsPartlyApplied(refused, { cause: refused[0] });
      }
    });
  }

  readBack(): Promise<InstalledIpvs> {
    return this.#inTurn(() => this.#readBack());
  }

  /** Usable addresses of the host that are not virtual ones. */
  async localAddresses(): Promise<readonly string[]> {
    const { links } = this.options.host;
    const own = await links.find(INTERFACE);
    return (await links.addresses())
      .filter(({ link, usable }) => link !== own?.index && usable)
      .map(({ address }) => address);
  }

  /** Whether an interface is the one with the virtual addresses, by its index. */
  isOwnInterface(link: number): boolean {
    return link === this.#link;
  }

  watch(onDrift: (what: string) => void, signal: AbortSignal): Promise<void> {
    const { family, host, clock = systemClock } = this.options;
    signal.addEventListener('abort', () => this.#draining.stop(), { once: true });
    return watchKernel({
      ipvs: host.ipvs,
      iptables: () => this.#iptables(),
      links: host.links,
      sentinel: () => this.#expected.values().next().value,
      link: () => this.#link,
      placed: () => this.#rulesPlaced,
      clock,
      signal,
      onDrift,
      onFailure: (reason) => this.#logger.debug(2, 'Cannot check IPVS for drift', { family, reason }),
    });
  }

  close(): void {
    // What was never found need not be closed.
    void this.#found?.then(
      (iptables) => iptables.close(),
      () => {},
    );
  }

  describe({ steps }: IpvsTransaction): string {
    const sum = (count: (step: IpvsStep) => number) => steps.reduce((total, step) => total + count(step), 0);
    const commands = (to: IpvsStep['to'], matches: (what: string) => boolean) =>
      sum((step) =>
        step.to === to && 'commands' in step ? step.commands.filter((command) => matches(command.do)).length : 0,
      );
    const words = [
      [
        commands('ipvs', (what) => what.endsWith('virtual')) +
          sum((step) => (step.to === 'retirement' ? step.servers.length : 0)),
        'virtual servers',
      ],
      [
        commands('ipvs', (what) => what.endsWith('real')) +
          sum((step) =>
            step.to === 'draining' ? step.servers.length : step.to === 'retirement' ? step.reals.length : 0,
          ),
        'real servers',
      ],
      [commands('sets', () => true), 'sets and entries'],
      [sum((step) => (step.to === 'addresses' ? step.add.length + step.remove.length : 0)), 'addresses'],
      [sum((step) => (step.to === 'interface' ? 1 : 0)), 'interfaces'],
      [sum((step) => (step.to === 'rules' ? step.document.size : 0)), 'tables of rules'],
    ] as const;
    return words
      .filter(([count]) => count > 0)
      .map(([count, what]) => `${count} ${what}`)
      .join(', ');
  }

  async cleanup(): Promise<void> {
    await this.#cleanUp(false);
  }

  /**
   * Removes what one of those who may have served through IPVS has installed.
   *
   * @param gently virtual servers with open connections stay, without weight.
   * @param whose default `both`, as `cleanup` does.
   */
  remove(gently: boolean, whose: LeftoverOwner | 'both' = 'both'): Promise<IpvsCleanup> {
    return this.#cleanUp(gently, whose);
  }

  /** What {@link remove} would remove. Changes nothing. */
  async leftovers(whose: LeftoverOwner): Promise<readonly RemovedObjects[]> {
    const installed = await this.readBack();
    this.#draining.stop();
    return describeRemoval(this.options.family, installed, removalOf(installed, whose));
  }

  #cleanUp(gently: boolean, whose: LeftoverOwner | 'both' = 'both'): Promise<IpvsCleanup> {
    this.#draining.stop();
    return this.#inTurn(async () => {
      const { host } = this.options;
      const installed = await this.#readBack();
      this.#draining.stop();
      const removal = removalOf(installed, whose);
      const result = await cleanUp(host, await this.#iptables(), installed, removal, gently);
      this.#link = undefined;
      this.#expected.clear();
      if (gently) {
        // All is removed without it, and what stays has to be looked at again.
        await forgetDatagrams(host.conntrack, removal.virtualServers).catch((error) =>
          this.#logger.warn(`UDP flows that IPVS led may lead nowhere until they end: ${messageOf(error)}`),
        );
      }
      return result;
    });
  }

  /** Writing, draining and reading back do not mix. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#queue.then(work);
    this.#queue = result.catch(() => {});
    return result;
  }

  #report(problem: string): void {
    if (!this.#reported.has(problem)) {
      this.#reported.add(problem);
      this.#logger.warn(problem);
    }
  }

  #iptables(): Promise<Iptables> {
    this.#found ??= this.options.host.iptables().catch((error) => {
      this.#found = undefined;
      throw error;
    });
    return this.#found;
  }

  async #carryOut(step: IpvsStep): Promise<readonly NetlinkRefused[]> {
    const { sets } = this.options.host;
    switch (step.to) {
      case 'settings':
        await this.#settings.write();
        await this.#setTimeouts();
        return [];
      case 'interface':
        await this.#makeInterface();
        return [];
      case 'rules':
        await (await this.#iptables()).restore(renderDocument(step.document));
        this.#rulesPlaced++;
        return [];
      case 'sets':
        return this.#withoutHeld(step.commands, await sets.execute(step.commands));
      case 'ipvs':
        return await this.#program(step.commands);
      case 'addresses':
        return await this.#setAddresses(step.add, step.remove);
      case 'draining':
        return await this.#drain(step.servers);
      case 'retirement':
        for (const at of step.servers) {
          this.#expected.delete(virtualServerKey(at));
        }
        return await this.#draining.retire(step);
    }
  }

  /** Foreign rules may reference a set of kube-proxy: then it is kept. */
  #withoutHeld(
    commands: readonly IpSetCommand[],
    results: readonly (NetlinkRefused | undefined)[],
  ): readonly NetlinkRefused[] {
    return results.flatMap((refused, index) => {
      const command = commands[index];
      const name = command?.do === 'destroy-set' ? command.name : undefined;
      if (refused?.errnoName !== 'IPSET_BUSY' || name === undefined || !this.#ofKubeProxy.includes(name)) {
        return refused ?? [];
      }
      this.#held.add(name);
      this.#report(
        `The set ${name} of kube-proxy is kept: foreign rules reference it, although it is no longer updated`,
      );
      return [];
    });
  }

  async #program(commands: readonly IpvsCommand[]): Promise<readonly NetlinkRefused[]> {
    const { ipvs } = this.options.host;
    for (const command of commands) {
      if (command.do === 'delete-virtual') {
        this.#expected.delete(virtualServerKey(command.at));
      }
    }
    const results = await ipvs.execute(commands);
    this.#draining.keep(commands);
    this.#noteExpected(commands, results);
    const refused: NetlinkRefused[] = [];
    const again: IpvsCommand[] = [];
    for (const [index, command] of commands.entries()) {
      const result = results[index];
      if (result?.errnoName === 'EEXIST' && command.do === 'add-virtual') {
        again.push({ ...command, do: 'set-virtual' });
      } else if (result?.errnoName === 'EEXIST' && command.do === 'add-real') {
        // Still there from before, without weight.
        again.push({ ...command, do: 'set-real' });
      } else if (result?.errnoName === 'ENOENT' && command.do === 'set-real') {
        // It had no connection left, and was taken out since it was read back.
        again.push({ ...command, do: 'add-real' });
      } else if (result !== undefined && !isGone(command, result)) {
        refused.push(result);
      }
    }
    const second = again.length === 0 ? [] : await ipvs.execute(again);
    return [...refused, ...second.flatMap((result) => result ?? [])];
  }

  #noteExpected(commands: readonly IpvsCommand[], results: readonly (NetlinkRefused | undefined)[]): void {
    for (const [index, command] of commands.entries()) {
      const result = results[index];
      if (command.do === 'add-virtual' && (result === undefined || result.errnoName === 'EEXIST')) {
        this.#expected.set(virtualServerKey(command.virtual.at), command.virtual.at);
      }
    }
  }

  async #drain(servers: readonly DrainingServer[]): Promise<readonly NetlinkRefused[]> {
    const results = await this.options.host.ipvs.execute(
      servers.map(({ at, address, port, drains }) =>
        drains ? { do: 'set-real', at, real: { address, port, weight: 0 } } : { do: 'delete-real', at, address, port },
      ),
    );
    const isOut = (index: number) => results[index] === undefined;
    this.#draining.add(servers.filter(({ drains }, index) => drains && isOut(index)));
    return results.flatMap((result) =>
      result === undefined || result.errnoName === 'ENOENT' || result.errnoName === 'ESRCH' ? [] : [result],
    );
  }

  async #detach({ addresses, entries }: Attachments): Promise<readonly NetlinkRefused[]> {
    const { family, host } = this.options;
    const set = setName('FRONTENDS', family);
    const commands = entries.map((entry) => ({ do: 'delete-entry', set, entry }) as const);
    return [
      ...(addresses.length === 0 ? [] : await this.#setAddresses([], addresses)),
      ...(commands.length === 0 ? [] : await host.sets.execute(commands)),
    ].flatMap((refused) => refused ?? []);
  }

  async #setAddresses(add: readonly string[], unwanted: readonly string[]): Promise<readonly NetlinkRefused[]> {
    const { links, sets } = this.options.host;
    const link = this.#link ?? (await this.#makeInterface());
    this.#draining.keepAddresses(add);
    const remove = this.#draining.removable(unwanted);
    const results = await links.execute([
      ...add.map((address) => ({ do: 'add-address', link, address }) as const),
      ...remove.map((address) => ({ do: 'delete-address', link, address }) as const),
    ]);
    const set = setName('ADDRESSES', this.options.family);
    const entries = remove.map((address) => ({ do: 'delete-entry', set, entry: { address } }) as const);
    return [
      ...results.map((result, index) =>
        result?.errnoName === (index < add.length ? 'EEXIST' : 'EADDRNOTAVAIL') ? undefined : result,
      ),
      ...(await sets.execute(entries)),
    ].flatMap((refused) => refused ?? []);
  }

  async #makeInterface(): Promise<number> {
    const { links } = this.options.host;
    if ((await links.find(INTERFACE)) === undefined) {
      try {
        await links.addDummy(INTERFACE);
      } catch (error) {
        // The proxier of the other family was faster.
        if ((await links.find(INTERFACE)) === undefined) {
          throw error;
        }
      }
    }
    const made = await links.find(INTERFACE);
    this.#link = made?.index;
    return made?.index ?? 0;
  }

  /** IPVS also works without them (spec V-6), so what the kernel refuses is logged and skipped. */
  async #setTimeouts(): Promise<void> {
    const { host, timeouts } = this.options;
    if (timeouts === undefined || this.#refusesTimeouts || timeouts.tcp + timeouts.tcpFin + timeouts.udp === 0) {
      return;
    }
    try {
      await host.ipvs.setTimeouts(timeouts);
    } catch (error) {
      if (!(error instanceof NetlinkRefused)) {
        throw error;
      }
      this.#refusesTimeouts = true;
      this.#report(`The IPVS timeouts are unchanged; choose shorter ones: ${messageOf(error)}`);
    }
  }

  async #hasTimeouts(): Promise<boolean> {
    const { host, timeouts = { tcp: 0, tcpFin: 0, udp: 0 } } = this.options;
    const found = await host.ipvs.timeouts();
    return (
      this.#refusesTimeouts ||
      (['tcp', 'tcpFin', 'udp'] as const).every((name) => timeouts[name] === 0 || timeouts[name] === found[name])
    );
  }

  async #readBack(): Promise<InstalledIpvs> {
    const { family, host } = this.options;
    const { links } = host;
    const iptables = await this.#iptables();
    const { randomFully } = await iptables.version();
    const link = await links.find(INTERFACE);
    this.#link = link?.index;
    const all = (await links.addresses()).filter((address) => address.family === family);
    const addresses = all.filter((address) => address.link === link?.index).map(({ address }) => address);
    const localAddresses = all.filter((address) => address.link !== link?.index).map(({ address }) => address);
    const sets = await this.#readSets();
    const virtualServers = await this.#readVirtualServers(new Set(addresses), new Set(localAddresses), sets);
    const saved = await iptables.save();
    const tables = {} as Record<RuleTable, InstalledIpvs['tables'][RuleTable]>;
    for (const table of RULE_TABLES) {
      tables[table] = parseSavedTable(saved, table);
    }
    this.#resumeDraining(virtualServers);
    if (jumpsStand(tables)) {
      this.#rulesPlaced++;
    }
    return {
      virtualServers,
      sets,
      hasInterface: link !== undefined,
      addresses: addresses.filter((address) => familyOf(address) !== 'IPv6' || !/^fe[89ab]/.test(address)),
      tables,
      settled: (await this.#settings.areRight()) && (await this.#hasTimeouts()),
      facts: { randomFully },
    };
  }

  async #readSets(): Promise<ReadonlyMap<string, IpSet>> {
    const { family, host } = this.options;
    const there = new Set(await host.sets.names());
    const sets = new Map<string, IpSet>();
    for (const name of [...SET_ROLES.map((role) => setName(role, family)), ...this.#ofKubeProxy]) {
      const found = there.has(name) && !this.#held.has(name) ? await host.sets.find(name) : undefined;
      if (found !== undefined) {
        sets.set(name, found);
      }
    }
    return sets;
  }

  /**
   * Ours are those on our interface, those that our set of frontends names, and those with a mark of ours. Where
   * kube-proxy was before, all on addresses of this host are taken for its own, as it does.
   */
  async #readVirtualServers(
    virtual: ReadonlySet<string>,
    local: ReadonlySet<string>,
    sets: ReadonlyMap<string, IpSet>,
  ): Promise<readonly InstalledVirtualServer[]> {
    const { family, host, excludeCIDRs = [] } = this.options;
    const named = new Set(
      (sets.get(setName('FRONTENDS', family))?.entries ?? []).map(
        ({ address, port, protocol }) => `${protocol} ${address} ${port}`,
      ),
    );
    const afterKubeProxy = this.#ofKubeProxy.some((name) => sets.has(name));
    const isOurs = (at: VirtualServerAddress): boolean => {
      if (at.family !== family) {
        return false;
      }
      if (at.kind === 'mark') {
        return this.#marks.isOurs(at.mark);
      }
      const { address, port, protocol } = at;
      // A Service may have an address of somebody else's network: what it was given there is ours.
      return (
        named.has(`${protocol} ${address} ${port}`) ||
        (!excludeCIDRs.some((cidr) => cidrContains(cidr, address)) &&
          (virtual.has(address) || (afterKubeProxy && local.has(address))))
      );
    };
    const found: InstalledVirtualServer[] = [];
    for (const server of await host.ipvs.virtualServers()) {
      if (isOurs(server.at)) {
        found.push({ virtual: server, reals: await host.ipvs.realServers(server.at) });
      }
    }
    this.#expected.clear();
    for (const { virtual, reals } of found) {
      // One without any weight may be on its way out.
      if (reals.length === 0 || reals.some(({ weight }) => weight > 0)) {
        this.#expected.set(virtualServerKey(virtual.at), virtual.at);
      }
    }
    return found;
  }

  #resumeDraining(servers: readonly InstalledVirtualServer[]): void {
    this.#draining.add(
      servers.flatMap(({ virtual: { at }, reals }) =>
        // Of UDP, those without weight are planned: they keep their flows for as long as their endpoints serve.
        at.kind === 'mark' || at.protocol !== 'UDP'
          ? reals.filter(({ weight }) => weight === 0).map(({ address, port }) => ({ at, address, port, drains: true }))
          : [],
      ),
    );
  }
}

function isGone(command: IpvsCommand, refused: NetlinkRefused): boolean {
  return command.do.startsWith('delete') && (refused.errnoName === 'ESRCH' || refused.errnoName === 'ENOENT');
}
