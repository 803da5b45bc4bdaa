import { NetlinkError, NetlinkRefused } from '../netlink/netlink-error.js';
import {
  type Ipvs,
  type IpvsCommand,
  type IpvsTimeouts,
  type RealServer,
  type RealServerCounts,
  type RealServerStatus,
  type VirtualServer,
  type VirtualServerAddress,
  virtualServerKey,
} from './ipvs.js';

const ENOENT = 2;
const ESRCH = 3;
const EEXIST = 17;
const EINVAL = 22;
const ERANGE = 34;
/** A timeout in the kernel's ticks, here a hundred per second, must fit an integer. */
const MAX_SECONDS = Math.floor(0x7fff_ffff / 100);

interface Server {
  virtual: VirtualServer;
  readonly reals: Map<string, RealServerStatus>;
  /** Connections by real server; none for a removed one. */
  readonly counted: Map<string, number>;
}

/** IPVS in memory, with the kernel's error conditions. A test sets the connection counts. */
export class FakeIpvs implements Ipvs {
  /** Commands carried out or refused, in order. */
  readonly commands: IpvsCommand[] = [];
  /** Whether `commands` is kept. Default true. */
  remembersCommands = true;
  /** Number of dumps of all virtual servers. */
  listings = 0;
  readonly #servers = new Map<string, Server>();
  readonly #failures: NetlinkError[] = [];
  #timeouts: IpvsTimeouts = { tcp: 900, tcpFin: 120, udp: 300 };

  /** @param schedulers supported schedulers. Default: all. */
  constructor(private readonly schedulers?: ReadonlySet<string>) {}

  /** Makes the next write execute half of its commands and lose the remaining answers. Several calls queue up. */
  loseNext(): void {
    this.#failures.push(new NetlinkError('NETLINK_LOST', 'an answer of the kernel was lost (fake)'));
  }

  /** As `ipvsadm -C`. */
  clear(): void {
    this.#servers.clear();
  }

  /** Limits the connections of a real server, as another program may do. */
  limit(at: VirtualServerAddress, { address, port }: { address: string; port: number }, connectionLimit: number) {
    const reals = this.#servers.get(virtualServerKey(at))?.reals;
    const real = reals?.get(`${address}:${port}`);
    if (real !== undefined) {
      reals?.set(`${address}:${port}`, { ...real, connectionLimit });
    }
  }

  /** Sets the connection counts of a real server. */
  connect(
    at: VirtualServerAddress,
    { address, port }: { address: string; port: number },
    active: number,
    inactive = 0,
  ) {
    const server = this.#servers.get(virtualServerKey(at));
    const real = server?.reals.get(`${address}:${port}`);
    if (server === undefined || real === undefined) {
      throw new Error(`real server ${address}:${port} does not exist`);
    }
    server.reals.set(`${address}:${port}`, { ...real, activeConnections: active, inactiveConnections: inactive });
  }

  /** Counts connections to a real server, of 10 packets with 1000 bytes in each direction. */
  count(at: VirtualServerAddress, { address, port }: { address: string; port: number }, connections: number) {
    const real = `${address}:${port}`;
    const counted = this.#servers.get(virtualServerKey(at))?.counted;
    if (counted === undefined) {
      throw new Error(`virtual server ${virtualServerKey(at)} does not exist`);
    }
    counted.set(real, (counted.get(real) ?? 0) + connections);
  }

  async execute(commands: readonly IpvsCommand[]): Promise<readonly (NetlinkRefused | undefined)[]> {
    const lost = this.#failures.shift();
    const done = lost === undefined ? commands : commands.slice(0, Math.ceil(commands.length / 2));
    const results = done.map((command) => {
      if (this.remembersCommands) {
        this.commands.push(command);
      }
      const errno = this.#carryOut(command);
      return errno === 0 ? undefined : new NetlinkRefused(errno, command.do);
    });
    if (lost !== undefined) {
      throw lost;
    }
    return results;
  }

  async virtualServers(): Promise<readonly VirtualServer[]> {
    this.listings += 1;
    return [...this.#servers.values()].map(({ virtual }) => virtual);
  }

  async has(at: VirtualServerAddress): Promise<boolean> {
    return this.#servers.has(virtualServerKey(at));
  }

  async realServers(at: VirtualServerAddress): Promise<readonly RealServerStatus[]> {
    return [...(this.#servers.get(virtualServerKey(at))?.reals.values() ?? [])];
  }

  async counts(at: VirtualServerAddress): Promise<readonly RealServerCounts[]> {
    const server = this.#servers.get(virtualServerKey(at));
    return [...(server?.reals.values() ?? [])].map(({ address, port }) => {
      const connections = server?.counted.get(`${address}:${port}`) ?? 0;
      const [packets, bytes] = [connections * 10, connections * 1000];
      const packetsBothWays = { packetsToServer: packets, packetsToClients: packets };
      return { address, port, connections, ...packetsBothWays, bytesToServer: bytes, bytesToClients: bytes };
    });
  }

  async timeouts(): Promise<IpvsTimeouts> {
    return this.#timeouts;
  }

  async setTimeouts({ tcp, tcpFin, udp }: IpvsTimeouts): Promise<void> {
    if (Math.max(tcp, tcpFin, udp) > MAX_SECONDS) {
      throw new NetlinkRefused(EINVAL, 'set the timeouts of IPVS');
    }
    const before = this.#timeouts;
    this.#timeouts = { tcp: tcp || before.tcp, tcpFin: tcpFin || before.tcpFin, udp: udp || before.udp };
  }

  async version(): Promise<string> {
    return '1.2.1';
  }

  #carryOut(command: IpvsCommand): number {
    const key = virtualServerKey('virtual' in command ? command.virtual.at : command.at);
    const server = this.#servers.get(key);
    switch (command.do) {
      case 'add-virtual':
        if (server !== undefined) {
          return EEXIST;
        }
        if (!this.#hasScheduler(command.virtual.scheduler)) {
          return ENOENT;
        }
        this.#servers.set(key, { virtual: command.virtual, reals: new Map(), counted: new Map() });
        return 0;
      case 'set-virtual':
        if (server === undefined) {
          return ESRCH;
        }
        if (!this.#hasScheduler(command.virtual.scheduler)) {
          return ENOENT;
        }
        server.virtual = command.virtual;
        return 0;
      case 'delete-virtual':
        return this.#servers.delete(key) ? 0 : ESRCH;
      case 'add-real':
      case 'set-real':
        return server === undefined ? ESRCH : putReal(server, command.real, command.do === 'add-real');
      case 'delete-real':
        server?.counted.delete(`${command.address}:${command.port}`);
        return server === undefined ? ESRCH : server.reals.delete(`${command.address}:${command.port}`) ? 0 : ENOENT;
    }
  }

  #hasScheduler(name: string): boolean {
    return this.schedulers === undefined || this.schedulers.has(name);
  }
}

function putReal({ virtual, reals }: Server, real: RealServer, adding: boolean): number {
  const key = `${real.address}:${real.port}`;
  const found = reals.get(key);
  if (real.weight < 0) {
    return ERANGE;
  }
  if (adding && found !== undefined) {
    return EEXIST;
  }
  if (!adding && found === undefined) {
    return ENOENT;
  }
  if (real.address.includes(':') !== (virtual.at.family === 'IPv6')) {
    return EINVAL;
  }
  const { activeConnections = 0, inactiveConnections = 0, persistentConnections = 0 } = found ?? {};
  const counts = { activeConnections, inactiveConnections, persistentConnections };
  reals.set(key, { ...real, forwarding: 0, connectionLimit: 0, ...counts });
  return 0;
}
