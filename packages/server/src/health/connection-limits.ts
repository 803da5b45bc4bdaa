import type { Socket } from 'node:net';

/** How many connections {@link ConnectionLimits} admit. Everything has a default. */
export interface ConnectionLimitsOptions {
  /** Connections of one source address (IPv6: of one /64). Default 32. */
  readonly perSource?: number;
  /** Connections of all sources together, but for those of the node itself. Default 256. */
  readonly foreign?: number;
  /** Connections of the node itself. Default 64. */
  readonly own?: number;
  /** Whether an address is one of the node, beside loopback and the address that was connected to. Default: none is. */
  readonly isOwn?: (address: string) => boolean;
  /** Room that several ports have in common. Default: none. */
  readonly shared?: SharedRoom;
  /** Called when a connection is dropped to make room, with the source that it was from. Default: nobody is. */
  readonly onDrop?: (source: string) => void;
}

/** Room that several ports have in common. */
export interface SharedRoom {
  /** For connections of the node itself. */
  readonly own: ConnectionRoom;
  readonly foreign: ConnectionRoom;
}

interface Entry {
  readonly drop: () => void;
}

/** Holds so many connections; when it is full, a further one takes the place of the longest idle. */
export class ConnectionRoom {
  /** The longest idle first. */
  readonly #entries = new Set<Entry>();

  constructor(private readonly capacity: number) {}

  get size(): number {
    return this.#entries.size;
  }

  add(entry: Entry): void {
    const [longestIdle] = this.#entries;
    if (this.#entries.size >= this.capacity) {
      longestIdle?.drop();
    }
    this.#entries.add(entry);
  }

  /** Counts it as the least idle. */
  touch(entry: Entry): void {
    if (this.#entries.delete(entry)) {
      this.#entries.add(entry);
    }
  }

  delete(entry: Entry): void {
    this.#entries.delete(entry);
  }
}

/**
 * Keeps one client, or many, from taking all connections of a port. A new connection is always admitted: where there is no
 * room for it, the longest idle one is dropped, of the same source where that has its share. Bytes that make no request do
 * not count as activity. Connections of the node itself have room of their own.
 */
export class ConnectionLimits {
  readonly #perSource: number;
  readonly #own: ConnectionRoom;
  readonly #foreign: ConnectionRoom;
  readonly #sources = new Map<string, ConnectionRoom>();
  readonly #touches = new Map<Socket, () => void>();

  constructor(private readonly options: ConnectionLimitsOptions = {}) {
    this.#perSource = options.perSource ?? 32;
    this.#foreign = new ConnectionRoom(options.foreign ?? 256);
    this.#own = new ConnectionRoom(options.own ?? 64);
  }

  /** Connections that are open. */
  get size(): number {
    return this.#touches.size;
  }

  /** Sources that have connections, but for the node itself. */
  get sources(): number {
    return this.#sources.size;
  }

  /** Takes on a connection that was just accepted. */
  admit(socket: Socket): void {
    const { remoteAddress, localAddress } = socket;
    if (remoteAddress === undefined) {
      // It was closed before it was looked at.
      socket.resetAndDestroy();
      return;
    }
    const { isOwn, shared, onDrop } = this.options;
    const address = unmapped(remoteAddress);
    const own = remoteAddress === localAddress || isLoopback(address) || (isOwn?.(address) ?? false);
    const source = own ? 'the node itself' : sourceOf(address);
    const rooms = own
      ? [this.#own, ...(shared ? [shared.own] : [])]
      : [this.#roomOf(source), this.#foreign, ...(shared ? [shared.foreign] : [])];
    const leave = () => {
      for (const room of rooms) {
        room.delete(entry);
      }
      if (!own && rooms[0]?.size === 0 && this.#sources.get(source) === rooms[0]) {
        this.#sources.delete(source);
      }
      this.#touches.delete(socket);
    };
    const entry: Entry = {
      drop: () => {
        leave();
        socket.resetAndDestroy();
        onDrop?.(source);
      },
    };
    this.#touches.set(socket, () => {
      for (const room of rooms) {
        room.touch(entry);
      }
    });
    for (const room of rooms) {
      room.add(entry);
    }
    if (!own) {
      // Its last connection may have been dropped for this one.
      this.#sources.set(source, rooms[0] as ConnectionRoom);
    }
    socket.once('close', leave);
  }

  /** A request was answered on it: it counts as the least idle. */
  answered(socket: Socket): void {
    this.#touches.get(socket)?.();
  }

  #roomOf(source: string): ConnectionRoom {
    return this.#sources.get(source) ?? new ConnectionRoom(this.#perSource);
  }
}

function unmapped(address: string): string {
  return address.startsWith('::ffff:') && address.includes('.') ? address.slice('::ffff:'.length) : address;
}

function isLoopback(address: string): boolean {
  return address === '::1' || address.startsWith('127.');
}

/** What connections are counted by: an IPv4 address, or an IPv6 /64, as one client has all of that. */
export function sourceOf(remoteAddress: string): string {
  const address = unmapped(remoteAddress);
  if (!address.includes(':')) {
    return address;
  }
  const [head = '', tail] = address.replace(/%.*$/, '').split('::');
  const parts = (text: string | undefined) => (text ? text.split(':') : []);
  const before = parts(head);
  const after = parts(tail);
  // An IPv4 address at the end stands for two parts.
  const missing = 8 - before.length - after.length - (address.includes('.') ? 1 : 0);
  return `${[...before, ...Array<string>(Math.max(missing, 0)).fill('0'), ...after].slice(0, 4).join(':')}::/64`;
}
