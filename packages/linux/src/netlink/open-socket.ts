import { messageOf } from '@kube-proxier/core';
import { u16, u32 } from './attributes.js';
import { inNamespace } from './in-namespace.js';
import type { Libc } from './libc.js';
import { NETLINK_PROTOCOLS, type NetlinkProtocol } from './netlink.js';
import { errnoName, NetlinkError } from './netlink-error.js';

/** The npm package that opens netlink sockets. */
export type NetlinkTransport = 'koffi' | 'netlink';

/** How a netlink socket is opened and used. */
export interface NetlinkSocketOptions {
  /** Size in bytes of the buffer for answers. Default 1 MiB. */
  readonly receiveBuffer?: number;
  /** Milliseconds after which an answer counts as lost. Default 20000. */
  readonly timeout?: number;
  /** Path of the network namespace to open it in, such as `/run/netns/a`, or `new`. Default: that of this process. */
  readonly namespace?: string;
  /** Default: `koffi`, or `netlink` where that cannot be loaded. */
  readonly transport?: NetlinkTransport;
}

/** Requested size of the socket's buffer in bytes; the kernel limits it for unprivileged processes. */
const RECEIVE_BUFFER = 1024 * 1024;
const AF_NETLINK = 16;
const SOCK_RAW_CLOEXEC_NONBLOCK = 3 | 0o2000000 | 0o4000;
const SOL_SOCKET = 1;
const SO_RCVBUF = 8;

/**
 * Opens a netlink socket.
 *
 * @param groups multicast groups to join, as a bit mask. Default: none.
 * @returns its descriptor.
 */
export function openSocket(
  libc: Libc,
  protocol: NetlinkProtocol,
  { namespace, receiveBuffer = RECEIVE_BUFFER }: NetlinkSocketOptions,
  groups = 0,
): number {
  return inNamespace(libc, namespace, () => openHere(libc, protocol, receiveBuffer, groups));
}

function openHere(libc: Libc, protocol: NetlinkProtocol, receiveBuffer: number, groups: number): number {
  const fd = libc.socket(AF_NETLINK, SOCK_RAW_CLOEXEC_NONBLOCK, NETLINK_PROTOCOLS[protocol]);
  if (fd < 0) {
    throw new Error(`socket: ${errnoName(libc.errno())}`);
  }
  const address = Buffer.concat([u16(AF_NETLINK), Buffer.alloc(6), u32(groups)]);
  const size = u32(receiveBuffer);
  if (libc.bind(fd, address, address.length) < 0 || libc.setsockopt(fd, SOL_SOCKET, SO_RCVBUF, size, size.length) < 0) {
    const errno = libc.errno();
    libc.close(fd);
    throw new Error(`bind: ${errnoName(errno)}`);
  }
  return fd;
}

/**
 * The error when netlink cannot be used.
 *
 * @param other why the alternative does not work either.
 */
export function unavailable(protocol: NetlinkProtocol, cause: unknown, other?: string): NetlinkError {
  const also = other === undefined ? '' : `; ${other}`;
  return new NetlinkError(
    'NETLINK_UNAVAILABLE',
    `netlink (${protocol}) cannot be used here: ${messageOf(cause)}${also}`,
    { cause },
  );
}

/** The error when the outcome of a request is unknown. */
export function lostAnswer(why: string): NetlinkError {
  return new NetlinkError('NETLINK_LOST', `an answer of the kernel was lost (${why}); read back the current state`);
}

/** @param advice what to do, as an instruction. */
export function tooLarge(bytes: number, advice: string): NetlinkError {
  return new NetlinkError('NETLINK_REFUSED', `${bytes} bytes are too many for one transaction here; ${advice}`);
}
