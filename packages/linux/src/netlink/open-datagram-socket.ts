import { messageOf } from '@kube-proxier/core';
import type { DatagramSocket, DatagramSocketOptions } from './datagram-socket.js';
import { openKoffiSocket } from './koffi-socket.js';
import { type Libc, loadLibc } from './libc.js';
import type { NetlinkProtocol } from './netlink.js';
import { type NetlinkSocketOptions, type NetlinkTransport, unavailable } from './open-socket.js';
import { openPackageSocket } from './package-socket.js';

/**
 * Opens a netlink socket: through `koffi`, or through the package `netlink` if `koffi` cannot be loaded.
 *
 * @throws NetlinkError `NETLINK_UNAVAILABLE`
 */
export async function openDatagramSocket(
  protocol: NetlinkProtocol,
  options: DatagramSocketOptions = {},
): Promise<DatagramSocket> {
  const { transport } = options;
  if (transport === 'netlink') {
    return openPackageSocket(protocol, options);
  }
  let libc: Libc;
  try {
    libc = await loadLibc();
  } catch (error) {
    if (transport === 'koffi') {
      throw unavailable(protocol, error);
    }
    return openInPlaceOfKoffi(protocol, options, error);
  }
  return openKoffiSocket(libc, protocol, options);
}

async function openInPlaceOfKoffi(
  protocol: NetlinkProtocol,
  options: DatagramSocketOptions,
  why: unknown,
): Promise<DatagramSocket> {
  try {
    return await openPackageSocket(protocol, options);
  } catch (error) {
    throw unavailable(protocol, why, messageOf(error));
  }
}

/** The package that opens netlink sockets in this process. */
export interface NetlinkTransportChoice {
  readonly transport: NetlinkTransport;
  /** Why `koffi` is not used. */
  readonly reason?: string;
}

/**
 * Detects which package opens netlink sockets in this process, by opening one. Sends nothing to the kernel.
 *
 * @throws NetlinkError `NETLINK_UNAVAILABLE` when neither package works.
 */
export async function chooseNetlinkTransport(
  protocol: NetlinkProtocol,
  options: Pick<NetlinkSocketOptions, 'namespace'> = {},
): Promise<NetlinkTransportChoice> {
  const socket = await openDatagramSocket(protocol, options);
  const { transport } = socket;
  socket.close();
  if (transport === 'koffi') {
    return { transport };
  }
  const reason = await loadLibc().then(() => undefined, messageOf);
  return { transport, ...(reason === undefined ? {} : { reason: `koffi cannot be loaded: ${reason}` }) };
}
