import type { IPFamily } from '@kube-proxier/core';
import type { BoundAddress } from '../plan/redirect-state.js';

/** One forwarding of Windows' portproxy: a TCP port of one address to another address and port. */
export interface PortproxyEntry {
  readonly family: IPFamily;
  readonly listen: BoundAddress;
  readonly connect: BoundAddress;
}

/**
 * Arguments of `netsh` to add or remove a forwarding: the interface to Windows, where the mode `winuserspace` assigned
 * cluster IPs to an interface and forwarded them to proxy ports. Pure: runs nothing.
 */
export function portproxyCommand(
  operation: 'add' | 'delete',
  { family, listen, connect }: PortproxyEntry,
): readonly string[] {
  const kind = family === 'IPv4' ? 'v4tov4' : 'v6tov6';
  const from = [`listenaddress=${listen.address}`, `listenport=${listen.port}`];
  const to = operation === 'add' ? [`connectaddress=${connect.address}`, `connectport=${connect.port}`] : [];
  return ['netsh', 'interface', 'portproxy', operation, kind, ...from, ...to];
}

/** Arguments of `netsh` to add or remove an address of an interface. Pure. */
export function interfaceAddressCommand(
  operation: 'add' | 'delete',
  family: IPFamily,
  interfaceName: string,
  address: string,
): readonly string[] {
  const stack = family === 'IPv4' ? 'ipv4' : 'ipv6';
  const name = family === 'IPv4' ? `name=${interfaceName}` : `interface=${interfaceName}`;
  return ['netsh', 'interface', stack, operation, 'address', name, `address=${address}`];
}

/** Reads the forwardings of one family from what `netsh interface portproxy show v4tov4` (`v6tov6`) prints. Pure. */
export function parsePortproxy(family: IPFamily, output: string): readonly PortproxyEntry[] {
  return output.split(/\r?\n/).flatMap((line) => {
    const [, from, fromPort, to, toPort] = /^(\S+)\s+(\d{1,5})\s+(\S+)\s+(\d{1,5})\s*$/.exec(line) ?? [];
    return from === undefined || to === undefined
      ? []
      : [
          {
            family,
            listen: { address: from, port: Number(fromPort) },
            connect: { address: to, port: Number(toPort) },
          },
        ];
  });
}
