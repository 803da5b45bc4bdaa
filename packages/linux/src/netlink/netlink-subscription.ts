import { align, readU16, readU32 } from './attributes.js';
import { type Libc, loadLibc } from './libc.js';
import type { NetlinkAnswer, NetlinkProtocol } from './netlink.js';
import { errnoName, NetlinkError } from './netlink-error.js';
import { type NetlinkSocketOptions, openSocket, unavailable } from './open-socket.js';
import { HEADER, MAX_BYTES } from './request-batches.js';

/** Maximum number of datagrams per read. */
const MAX_DATAGRAMS = 4096;
const MSG_TRUNC = 0x20;
const EINTR = 4;
const EAGAIN = 11;
const ENOBUFS = 105;

/** Messages received by a {@link NetlinkSubscription}. */
export interface ReceivedMessages {
  /** In order. */
  readonly messages: readonly NetlinkAnswer[];
  /** Messages were lost: the state that they describe must be read again. */
  readonly missed: boolean;
}

/**
 * Receives multicast messages of the kernel. Polled: the kernel buffers messages until they are read, up to the buffer
 * size.
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
   * The messages since the last call. The first call subscribes. After an error the next call subscribes again.
   *
   * @throws NetlinkError
   */
  async take(): Promise<ReceivedMessages> {
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

/** @returns false when a part could not be decoded. */
function readDatagram(buffer: Buffer, length: number, messages: NetlinkAnswer[]): boolean {
  if (length > buffer.length) {
    return false;
  }
  for (let at = 0; at + HEADER <= length; ) {
    const size = readU32(buffer, at);
    if (size < HEADER || at + size > length) {
      return false;
    }
    // The buffer is reused.
    messages.push({ type: readU16(buffer, at + 4), payload: Buffer.from(buffer.subarray(at + HEADER, at + size)) });
    at += align(size);
  }
  return true;
}
