import { align, readU16, readU32 } from './attributes.js';
import { type Libc, loadLibc } from './libc.js';
import type { NetlinkAnswer, NetlinkProtocol } from './netlink.js';
import { errnoName, NetlinkError } from './netlink-error.js';
import { type NetlinkSocketOptions, openSocket, unavailable } from './netlink-socket.js';

const MAX_BYTES = 64 * 1024;
/** Datagrams taken in at one time. */
const MAX_DATAGRAMS = 4096;
const HEADER = 16;
const MSG_TRUNC = 0x20;
const EINTR = 4;
const EAGAIN = 11;
const ENOBUFS = 105;

/** What a {@link NetlinkSubscription} has taken in. */
export interface NetlinkNews {
  /** In their order. */
  readonly messages: readonly NetlinkAnswer[];
  /** There were more, which are lost: what they would have told of has to be looked up. */
  readonly missed: boolean;
}

/**
 * Gets what the kernel tells everybody who listens. Nothing waits for it: the kernel keeps messages until they are taken,
 * as many as the buffer holds.
 */
export class NetlinkSubscription {
  readonly #buffer = Buffer.alloc(MAX_BYTES);
  #fd: number | undefined;
  #libc: Libc | undefined;
  #closed = false;

  /** @param groups bit mask of multicast groups, such as `RTMGRP_IPV4_IFADDR`. */
  constructor(
    private readonly protocol: NetlinkProtocol,
    private readonly groups: number,
    private readonly options: NetlinkSocketOptions = {},
  ) {}

  /**
   * What has come since the last call. The first call begins to listen. After an error the next call begins anew.
   *
   * @throws NetlinkError
   */
  async take(): Promise<NetlinkNews> {
    const { libc, fd } = await this.#open();
    const messages: NetlinkAnswer[] = [];
    let missed = false;
    for (let count = 0; count < MAX_DATAGRAMS; count++) {
      const length = libc.recv(fd, this.#buffer, this.#buffer.length, MSG_TRUNC);
      if (length >= 0) {
        missed = !readDatagram(this.#buffer, length, messages) || missed;
        continue;
      }
      const errno = libc.errno();
      if (errno === EAGAIN) {
        break;
      }
      if (errno === ENOBUFS) {
        missed = true;
      } else if (errno !== EINTR) {
        this.#drop();
        throw new NetlinkError('NETLINK_LOST', `listening to netlink (${this.protocol}) failed: ${errnoName(errno)}`);
      }
    }
    return { messages, missed };
  }

  /** Idempotent. */
  close(): void {
    this.#closed = true;
    this.#drop();
  }

  async #open(): Promise<{ readonly libc: Libc; readonly fd: number }> {
    let libc: Libc;
    try {
      libc = await loadLibc();
      if (!this.#closed) {
        this.#fd ??= openSocket(libc, this.protocol, this.options, this.groups);
      }
    } catch (error) {
      throw unavailable(this.protocol, error);
    }
    if (this.#fd === undefined) {
      throw new NetlinkError('NETLINK_CLOSED', 'the netlink subscription was closed');
    }
    this.#libc = libc;
    return { libc, fd: this.#fd };
  }

  #drop(): void {
    if (this.#fd !== undefined) {
      this.#libc?.close(this.#fd);
      this.#fd = undefined;
    }
  }
}

/** @returns false when not all of it could be read. */
function readDatagram(buffer: Buffer, length: number, messages: NetlinkAnswer[]): boolean {
  if (length > buffer.length) {
    return false;
  }
  for (let at = 0; at + HEADER <= length; ) {
    const size = readU32(buffer, at);
    if (size < HEADER || at + size > length) {
      return false;
    }
    // The buffer is used again.
    messages.push({ type: readU16(buffer, at + 4), payload: Buffer.from(buffer.subarray(at + HEADER, at + size)) });
    at += align(size);
  }
  return true;
}
