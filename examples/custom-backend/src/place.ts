import type { IPFamily } from '@kube-proxier/core';

/**
 * Addresses and files of the HAProxy process of one IP family: one address on `lo`, and two ports, one for each endpoint list
 * of a service port.
 */
export interface Place {
  readonly family: IPFamily;
  /** Not used otherwise; packets to Services are redirected to it by DNAT. */
  readonly address: string;
  readonly ports: { readonly cluster: number; readonly local: number };
  /** Contains the configuration, the map and the sockets. */
  readonly directory: string;
}

/** Name of the nft table, in the family `ip` or `ip6`. */
export const TABLE = 'kube-proxier-haproxy';

/** The family as nft names it. */
export function nftFamilyOf(family: IPFamily): 'ip' | 'ip6' {
  return family === 'IPv4' ? 'ip' : 'ip6';
}

const ADDRESSES = { IPv4: '169.254.96.96', IPv6: 'fd6b:7062:6861::96' } as const;

/**
 * @param directory of this network namespace.
 * @param port the first of the two ports.
 */
export function placeOf(family: IPFamily, directory: string, port: number): Place {
  return {
    family,
    address: ADDRESSES[family],
    ports: { cluster: port, local: port + 1 },
    directory: `${directory}/${family.toLowerCase()}`,
  };
}
