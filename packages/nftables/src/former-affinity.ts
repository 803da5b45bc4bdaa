import {
  type AffinityClient,
  combinedAffinity,
  type Endpoint,
  type FormerAffinity,
  type IPFamily,
  type ResolvedServicePort,
} from '@kube-proxier/core';
import { type CommandRunner, createCommandRunner, type Nft, NftChoice, type NftElement } from '@kube-proxier/linux';
import { CLIENTS_SETS, clientsSet } from './plan/frontend-chains.js';
import { AFFINITY, idOfAffinityKey, nftFamily, TABLE } from './plan/layout.js';
import { affinityOf, classid } from './plan/service-elements.js';
import { readKubeProxyAffinity } from './read-back/kube-proxy-affinity.js';

/**
 * The clients of session affinity of mode nftables, kube-proxier's or kube-proxy's. Without the IPv6 clients of
 * kube-proxier's constant ruleset, which has only hashes of their addresses.
 *
 * @param runner of the network namespace to read. Default: that of this process.
 * @throws NftError when they cannot be listed.
 */
export async function readNftablesAffinity(
  family: IPFamily,
  runner: CommandRunner = createCommandRunner(),
): Promise<FormerAffinity> {
  const nft = new NftChoice({ runner }).create();
  try {
    return combinedAffinity([await readOwnAffinity(nft, family), await readKubeProxyAffinity(nft, family)]);
  } finally {
    nft.close();
  }
}

async function readOwnAffinity(nft: Pick<Nft, 'listSets' | 'listElements'>, family: IPFamily): Promise<FormerAffinity> {
  const list = (kind: 'map' | 'set', name: string) => nft.listElements(nftFamily(family), TABLE, kind, name);
  const byNumber = new Map<string, AffinityClient[]>();
  for (const [key, { value, expires }] of family === 'IPv4' ? ((await list('map', AFFINITY)) ?? []) : []) {
    const [address = ''] = key.split(' ');
    const owner = `${idOfAffinityKey(key)} ${value}`;
    const found = byNumber.get(owner) ?? [];
    byNumber.set(owner, found);
    found.push(...clientOf(address, expires));
  }
  const bySet = new Map<string, readonly AffinityClient[]>();
  const sets = await nft.listSets(nftFamily(family), TABLE);
  for (const name of sets.filter((set) => set.startsWith(CLIENTS_SETS))) {
    const elements: ReadonlyMap<string, NftElement> = (await list('set', name)) ?? new Map();
    bySet.set(
      name,
      [...elements].flatMap(([address, { expires }]) => clientOf(address, expires)),
    );
  }
  const numbers = new WeakMap<ResolvedServicePort, ReturnType<typeof affinityOf>>();
  const numberOf = (port: ResolvedServicePort, { key }: Endpoint) => {
    const known = numbers.get(port) ?? affinityOf(port);
    numbers.set(port, known);
    return `${known.id} ${classid(known.numbers.get(key) ?? 0)}`;
  };
  return {
    clientsOf: (port, endpoint) => [
      ...(byNumber.size === 0 ? [] : (byNumber.get(numberOf(port, endpoint)) ?? [])),
      ...(bySet.size === 0 ? [] : (bySet.get(clientsSet(port, endpoint)) ?? [])),
    ],
  };
}

function clientOf(address: string, expires: number | undefined): readonly AffinityClient[] {
  return expires === undefined ? [] : [{ address, seconds: Math.max(1, expires) }];
}
