import { u32 } from '../netlink/attributes.js';
import { ADDRESS_FAMILIES, addressBytes, PROTOCOL_NUMBERS } from '../netlink/ip-bytes.js';
import type { TcpSocketAddress } from './tcp-sockets.js';

/** Message type: closes a socket (`linux/sock_diag.h`). */
export const SOCK_DESTROY = 21;

/** `struct inet_diag_req_v2`: 8 bytes about the request, then `struct inet_diag_sockid`. */
const LENGTH = 56;
const STATES = 4;
const SOURCE_PORT = 8;
const DESTINATION_PORT = 10;
const SOURCE = 12;
const DESTINATION = 28;
const COOKIE = 48;
const ALL_STATES = 0xffff_ffff;
/** Any socket with these addresses and ports (`INET_DIAG_NOCOOKIE`). */
const NO_COOKIE = 0xffff_ffff;

/** Requests that the kernel closes the socket of a connection. */
export function encodeSocketReset(connection: TcpSocketAddress): Buffer {
  const { family, localAddress, localPort, remoteAddress, remotePort } = connection;
  const message = Buffer.alloc(LENGTH);
  message[0] = ADDRESS_FAMILIES[family];
  message[1] = PROTOCOL_NUMBERS.TCP;
  message.set(u32(ALL_STATES), STATES);
  message.writeUInt16BE(localPort, SOURCE_PORT);
  message.writeUInt16BE(remotePort, DESTINATION_PORT);
  message.set(addressBytes(localAddress), SOURCE);
  message.set(addressBytes(remoteAddress), DESTINATION);
  message.set(u32(NO_COOKIE), COOKIE);
  message.set(u32(NO_COOKIE), COOKIE + 4);
  return message;
}
