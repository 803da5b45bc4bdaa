import {
  type AffinityClient,
  type FormerAffinity,
  type IPFamily,
  joinHostPort,
  parseAddress,
  servicePortKey,
} from '@kube-proxier/core';
import type { Nft } from '@kube-proxier/linux';
import { nftFamily } from '../plan/layout.js';

/** The table of kube-proxy in its nftables mode. */
const TABLE = 'kube-proxy';
/** More sets are not read, as the first sync waits for them. */
const MAX_SETS = 10_000;

/** `affinity-26YAHNC4-namespace/name/protocol/port__address/port`; an IPv6 address has dots in place of colons. */
const SET = /^affinity-[A-Z2-7]{8}-([^/]+)\/([^/]+)\/(tcp|udp|sctp)\/([^/]*)__([^/]+)\/(\d+)$/;

/** The service port and the endpoint of a set of clients of kube-proxy's nftables mode; undefined for other sets. Pure. */
export function affinitySetOf(name: string): { readonly port: string; readonly endpoint: string } | undefined {
  const [, namespace = '', service = '', protocol = '', portName = '', text = '', number = ''] = SET.exec(name) ?? [];
  const address = parseAddress(/^[\d.]+$/.test(text) && parseAddress(text) ? text : text.replaceAll('.', ':'))?.text;
  if (address === undefined) {
    return undefined;
  }
  return {
    port: servicePortKey({ namespace, name: service, portName, protocol: protocol.toUpperCase() as 'TCP' }),
    endpoint: joinHostPort(address, Number(number)),
  };
}

/**
 * The clients of session affinity of kube-proxy's nftables mode.
 *
 * @throws NftError when they cannot be listed.
 */
export async function readKubeProxyAffinity(
  nft: Pick<Nft, 'listSets' | 'listElements'>,
  family: IPFamily,
): Promise<FormerAffinity> {
  const clients = new Map<string, readonly AffinityClient[]>();
  const sets = await nft.listSets(nftFamily(family), TABLE);
  for (const name of sets.filter((set) => set.startsWith('affinity-')).slice(0, MAX_SETS)) {
    const owner = affinitySetOf(name);
    const elements = owner && (await nft.listElements(nftFamily(family), TABLE, 'set', name));
    if (owner && elements && elements.size > 0) {
      const found = [...elements].flatMap(([address, { expires }]) =>
        expires === undefined ? [] : [{ address, seconds: Math.max(1, expires) }],
      );
      clients.set(`${owner.port} ${owner.endpoint}`, found);
    }
  }
  return { clientsOf: ({ key: port }, { key }) => (clients.size === 0 ? [] : (clients.get(`${port} ${key}`) ?? [])) };
}
