import type { IPFamily } from '@kube-proxier/core';

/**
 * Where the HAProxy of one IP family stands: one address of its own on `lo`, and two ports, one for each list of
 * endpoints that core may say to pick from.
 */
export interface Place {
  readonly family: IPFamily;
  /** Used by nothing else; packets for Services are sent here by address translation. */
  readonly address: string;
  readonly ports: { readonly cluster: number; readonly local: number };
  /** Holds the configuration, the map and the sockets. */
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
 * @param port the first of the two.
 */
export function placeOf(family: IPFamily, directory: string, port: number): Place {
  return {
    family,
    address: ADDRESSES[family],
    ports: { cluster: port, local: port + 1 },
    directory: `${directory}/${family.toLowerCase()}`,
  };
}
