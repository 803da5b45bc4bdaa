import type { Socket } from 'node:net';

/** Limits of {@link ConnectionLimits}. All have defaults. */
export interface ConnectionLimitsOptions {
  /** Connections of one source address (IPv6: of one /64). Default 32. */
  readonly perSource?: number;
  /** Connections of all sources together, excluding those of the node itself. Default 256. */
  readonly foreign?: number;
  /** Connections of the node itself. Default 64. */
  readonly own?: number;
  /**
   * Whether an address belongs to the node, besides loopback and the destination address of the connection. Default:
   * none.
   */
  readonly isOwn?: (address: string) => boolean;
  /** Connection limits shared by several ports. Default: none. */
  readonly shared?: SharedRoom;
  /** Called with the source of a connection that is dropped for a new one. Default: nothing. */
  readonly onDrop?: (source: string) => void;
}

/** Connection limits shared by several ports. */
export interface SharedRoom {
  /** Limit for connections of the node itself. */
  readonly own: ConnectionRoom;
  readonly foreign: ConnectionRoom;
}

interface Entry {
  readonly drop: () => void;
}

/** Holds up to `capacity` connections; when full, a new one replaces the longest idle. */
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

  /** Marks it as the most recently active. */
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
 * Prevents clients from exhausting the connections of a port. A new connection is always admitted: at the limit, the
 * longest idle one is dropped, of the same source if that reached its own limit. Only requests count as activity.
 * Connections of the node itself have a separate limit.
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

  /** Number of open connections. */
  get size(): number {
    return this.#touches.size;
  }

  /** Number of sources with connections, excluding the node itself. */
  get sources(): number {
    return this.#sources.size;
  }

  /** Registers a connection that was just accepted. */
  admit(socket: Socket): void {
    const { remoteAddress, localAddress } = socket;
    if (remoteAddress === undefined) {
      // Closed before this check.
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

  /** Called when a request was answered: marks the connection as the most recently active. */
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

/** Key by which connections are counted: an IPv4 address, or an IPv6 /64, as one client can use all of it. */
export function sourceOf(remoteAddress: string): string {
  const address = unmapped(remoteAddress);
  if (!address.includes(':')) {
    return address;
  }
  const [head = '', tail] = address.replace(/%.*$/, '').split('::');
  const parts = (text: string | undefined) => (text ? text.split(':') : []);
  const before = parts(head);
  const after = parts(tail);
  // An IPv4 address at the end counts as two parts.
  const missing = 8 - before.length - after.length - (address.includes('.') ? 1 : 0);
  return `${[...before, ...Array<string>(Math.max(missing, 0)).fill('0'), ...after].slice(0, 4).join(':')}::/64`;
}
