import {
  EMPTY_TABLE_DOCUMENT,
  type Iptables,
  IptablesError,
  type IptablesTable,
  type IptablesTableDocument,
  parseSavedTable,
  renderDocument,
  userChain,
} from '@kube-proxier/linux';

/** Shared with the kubelet, so kube-proxy only appends to it. */
const GUARD = 'KUBE-FIREWALL';
/** Chains that kube-proxy removes from the nat table when it does not need them (`isServiceChainName`). */
const SERVICE_CHAIN = /^KUBE-(SVC|SVL|SEP|FW|XLB|EXT)-/;
const CANARY = 'KUBE-PROXY-CANARY';

/**
 * Installs rules as the first sync of a kube-proxy in iptables mode does: creates its canaries and its missing jumps,
 * then rewrites all of its chains and removes unused service chains, in one document.
 *
 * @param wanted the rules of a kube-proxy, as `iptables-save` prints them; chains other than `KUBE-…` are ignored.
 * @throws IptablesError when kube-proxy's document would be rejected; kube-proxy then fails in every sync.
 */
export async function syncAsKubeProxy(iptables: Iptables, wanted: string): Promise<void> {
  const parsed = (['filter', 'nat'] as const).map((table) => ({ table, saved: parseSavedTable(wanted, table) }));
  const canary = { written: new Map([[CANARY, userChain()]]) };
  await restore(iptables, { mangle: canary, nat: canary, filter: canary });
  const document: { filter?: Change; nat?: Change } = {};
  for (const { table, saved } of parsed) {
    const before = parseSavedTable(await iptables.save(table), table);
    const chains = [...saved].filter(([name]) => name.startsWith('KUBE-') && name !== CANARY);
    const missing = chains.filter(([name]) => !before.has(name));
    if (missing.length > 0) {
      await restore(iptables, { [table]: { written: new Map(missing.map(([name]) => [name, userChain()])) } });
    }
    for (const [hook, { rules }] of [...saved].filter(([, { policy }]) => policy !== '-')) {
      for (const rule of [...rules].reverse()) {
        if (rule.includes('KUBE-') && !(await ruleExists(iptables, table, hook, rule))) {
          await restore(iptables, { [table]: { insertedRules: [{ chain: hook, position: 1, rule }] } });
        }
      }
    }
    for (const rule of saved.get(GUARD)?.rules ?? []) {
      if (!(await ruleExists(iptables, table, GUARD, rule))) {
        await restore(iptables, { [table]: { appendedRules: [{ chain: GUARD, rule }] } });
      }
    }
    const written = chains.filter(([name]) => name !== GUARD);
    const stale =
      table === 'nat' ? [...before.keys()].filter((name) => SERVICE_CHAIN.test(name) && !saved.has(name)) : [];
    document[table] = {
      written: new Map([...written, ...stale.map((name) => [name, userChain()] as const)]),
      deletedChains: new Map(stale.map((name) => [name, undefined])),
    };
  }
  await restore(iptables, document);
}

type Change = Partial<IptablesTableDocument>;

async function restore(iptables: Iptables, tables: Readonly<Partial<Record<IptablesTable, Change>>>): Promise<void> {
  const document = Object.entries(tables).map(
    ([table, change]) => [table as IptablesTable, { ...EMPTY_TABLE_DOCUMENT, ...change }] as const,
  );
  await iptables.restore(renderDocument(new Map(document)));
}

async function ruleExists(iptables: Iptables, table: 'filter' | 'nat', chain: string, rule: string): Promise<boolean> {
  try {
    return await iptables.ruleExists(table, chain, rule);
  } catch (error) {
    if (error instanceof IptablesError) {
      return false;
    }
    throw error;
  }
}
