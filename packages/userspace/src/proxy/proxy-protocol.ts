import { isIPv4 } from 'node:net';
import type { ProxyProtocolVersion } from '../plan/service-options.js';

/** A TCP connection as the client made it. Both addresses are canonical and of one family. */
export interface ClientConnection {
  readonly source: string;
  readonly sourcePort: number;
  readonly destination: string;
  readonly destinationPort: number;
}

const SIGNATURE = Buffer.from([0x0d, 0x0a, 0x0d, 0x0a, 0x00, 0x0d, 0x0a, 0x51, 0x55, 0x49, 0x54, 0x0a]);
/** Version 2, command PROXY. */
const VERSION_AND_COMMAND = 0x21;
const TCP_OVER_IPV4 = 0x11;
const TCP_OVER_IPV6 = 0x21;

/** The header that a connection to an endpoint begins with, so that the endpoint knows the client. Pure. */
export function proxyProtocolHeader(version: ProxyProtocolVersion, connection: ClientConnection): Buffer {
  const { source, sourcePort, destination, destinationPort } = connection;
  const four = isIPv4(source);
  if (version === 'v1') {
    const family = four ? 'TCP4' : 'TCP6';
    return Buffer.from(`PROXY ${family} ${source} ${destination} ${sourcePort} ${destinationPort}\r\n`, 'latin1');
  }
  const size = four ? 4 : 16;
  const header = Buffer.alloc(16 + 2 * size + 4);
  SIGNATURE.copy(header);
  header[12] = VERSION_AND_COMMAND;
  header[13] = four ? TCP_OVER_IPV4 : TCP_OVER_IPV6;
  header.writeUInt16BE(2 * size + 4, 14);
  addressBytes(source).copy(header, 16);
  addressBytes(destination).copy(header, 16 + size);
  header.writeUInt16BE(sourcePort, 16 + 2 * size);
  header.writeUInt16BE(destinationPort, 18 + 2 * size);
  return header;
}

/** The bytes of canonical address text: 4 or 16. */
export function addressBytes(address: string): Buffer {
  if (!address.includes(':')) {
    return Buffer.from(address.split('.').map(Number));
  }
  const [head = '', tail] = address.split('::');
  const groups = (text: string | undefined) => (text ? text.split(':').map((group) => Number.parseInt(group, 16)) : []);
  const before = groups(head);
  const after = groups(tail);
  const bytes = Buffer.alloc(16);
  before.forEach((group, index) => {
    bytes.writeUInt16BE(group, index * 2);
  });
  after.forEach((group, index) => {
    bytes.writeUInt16BE(group, 16 - (after.length - index) * 2);
  });
  return bytes;
}
